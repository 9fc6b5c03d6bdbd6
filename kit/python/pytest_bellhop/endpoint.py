"""Apps that receive interactions over HTTP."""

from __future__ import annotations

import socketserver
import threading
from typing import Any, Callable, Iterable
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

WSGIApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class _Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Handler(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        """Prints nothing: the service records the requests."""


def serve(app: WSGIApp) -> tuple[str, Callable[[], None]]:
    """Serves an app on a free port. Returns its address, and a function that stops it."""
    server = make_server("127.0.0.1", 0, app, _Server, _Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), name="pytest-bellhop app", daemon=True)
    thread.start()

    def close() -> None:
        server.shutdown()
        thread.join()
        server.server_close()

    return f"http://127.0.0.1:{server.server_port}", close
