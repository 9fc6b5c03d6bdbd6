"""An app that receives interactions over HTTP. It verifies signatures, as every app must."""

from __future__ import annotations

import json
from typing import Any, Callable, Iterable

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

HELLO = {
    "name": "hello",
    "description": "Say hello",
    "options": [{"type": 3, "name": "whom", "description": "A name", "autocomplete": True}],
}
FEEDBACK = {"name": "feedback", "description": "Tell us how it was"}

COLOURS = [{"label": "Red", "value": "r"}, {"label": "Blue", "value": "b"}]
COMPONENTS = [
    {"type": 1, "components": [{"type": 2, "style": 1, "label": "Again", "custom_id": "again"}]},
    {"type": 1, "components": [{"type": 3, "custom_id": "colour", "placeholder": "Colour", "options": COLOURS}]},
]
WORDS = {"type": 18, "label": "Your words", "component": {"type": 4, "custom_id": "words", "style": 1}}
FORM = {"custom_id": "form", "title": "How was it?", "components": [WORDS]}


def answer(interaction: Any) -> dict[str, Any]:
    """Returns the answer to an interaction."""
    data = interaction.get("data") or {}
    if interaction["type"] == 1:  # PING
        return {"type": 1}
    if interaction["type"] == 4:  # autocomplete
        return {"type": 8, "data": {"choices": [{"name": "the world", "value": "world"}]}}
    if interaction["type"] == 5:  # a form
        return say(f"You said: {data['components'][0]['component']['value']}")
    if data.get("custom_id") == "again":
        return {"type": 7, "data": {"content": "Hello again."}}
    if data.get("custom_id") == "colour":
        return say("Colours: " + " ".join(data["values"]))
    if data["name"] == "feedback":
        return {"type": 9, "data": FORM}
    return say(f"Hello, {interaction['member']['user']['username']}!", components=COMPONENTS)


def say(content: str, **more: Any) -> dict[str, Any]:
    return {"type": 4, "data": {"content": content, **more}}


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
        start_response("200 OK", [("Content-Type", "application/json")])
        return [json.dumps(answer(json.loads(body))).encode()]

    return app
