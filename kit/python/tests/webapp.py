"""An app that receives interactions over HTTP. It verifies signatures, as every app must."""

from __future__ import annotations

import json
from typing import Any, Callable, Iterable

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

HELLO = {"name": "hello", "description": "Say hello"}


def web_app(verify_key: str) -> Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]:
    """Returns a WSGI app that answers each command with a greeting."""
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(verify_key))

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        try:
            signature = bytes.fromhex(environ.get("HTTP_X_SIGNATURE_ED25519", ""))
            key.verify(signature, environ.get("HTTP_X_SIGNATURE_TIMESTAMP", "").encode() + body)
        except (InvalidSignature, ValueError):
            start_response("401 Unauthorized", [])
            return []
        interaction = json.loads(body)
        answer: dict[str, Any] = {"type": 1}
        if interaction["type"] != 1:
            answer = {"type": 4, "data": {"content": f"Hello, {interaction['member']['user']['username']}!"}}
        start_response("200 OK", [("Content-Type", "application/json")])
        return [json.dumps(answer).encode()]

    return app
