"""Requests to the service."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
import uuid
from dataclasses import dataclass
from typing import Any, Mapping, Optional

# The longest wait: a deferred answer may take 15 minutes of the service's clock.
_TIMEOUT_SECONDS = 16 * 60

# Requests go to this machine, never through a proxy.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass(frozen=True)
class Answer:
    """The answer to a request. The body is JSON of any shape, text, or None if it is empty."""

    status: int
    headers: Mapping[str, str]
    body: Any


class BellhopError(Exception):
    """An error answer of the service: its status, its body, and the code in the body."""

    def __init__(self, method: str, path: str, answer: Answer) -> None:
        text = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
        super().__init__(f"{method} {path}: {answer.status} {text}")
        self.status = answer.status
        self.body = answer.body
        self.code: Optional[int] = answer.body.get("code") if isinstance(answer.body, dict) else None


def send(method: str, url: str, *, authorization: str = "", body: Any = None, headers: Optional[Mapping[str, str]] = None) -> Answer:
    """Sends a request and returns the answer, whatever its status is."""
    request = urllib.request.Request(url, method=method, headers=dict(headers or {}))
    if authorization:
        request.add_header("Authorization", authorization)
    if body is not None:
        request.add_header("Content-Type", "application/json")
        request.data = json.dumps(body).encode()
    return _open(request)


def send_form(url: str, body: Any, files: Mapping[str, bytes]) -> Answer:
    """Sends JSON and files as a form to the dev controls, and returns the answer."""
    boundary = uuid.uuid4().hex
    parts = [f'name="payload_json"\r\n\r\n{json.dumps(body)}'.encode()]
    for n, (name, content) in enumerate(files.items()):
        parts.append(f'name="files[{n}]"; filename="{name}"\r\n\r\n'.encode() + content)
    data = b"".join(f"--{boundary}\r\nContent-Disposition: form-data; ".encode() + part + b"\r\n" for part in parts)
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}", "X-Bellhop-Dev": "1"}
    return _open(urllib.request.Request(url, data + f"--{boundary}--\r\n".encode(), headers))


def _open(request: urllib.request.Request) -> Answer:
    try:
        with _opener.open(request, timeout=_TIMEOUT_SECONDS) as response:
            return Answer(response.status, dict(response.headers), _parse(response.read()))
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, dict(error.headers), _parse(error.read()))


def _parse(data: bytes) -> Any:
    """Parses JSON, and returns other content as text."""
    if not data:
        return None
    try:
        return json.loads(data)
    except ValueError:
        return data.decode(errors="replace")
