"""Loaded by Python before a bot. Sends connections to port 443 of another machine to the front of "bellhop run"."""

import importlib
import os
import socket
import sys

_port = int(os.environ.get("BELLHOP_RUN_PORT", "0"))
_getaddrinfo = socket.getaddrinfo


def _is_local(host):
    return host in (None, "", "localhost", "::1") or str(host).startswith("127.")


def _resolve(host, port, *args, **kwargs):
    name = host.decode() if isinstance(host, bytes) else host
    if _port and port in (443, "443", "https") and not _is_local(name):
        kwargs.pop("family", None)
        return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", ("127.0.0.1", _port))]
    return _getaddrinfo(host, port, *args, **kwargs)


socket.getaddrinfo = _resolve
# aiohttp prefers a resolver in C if this module is there.
sys.modules.setdefault("aiodns", None)

# The environment can have a sitecustomize of its own, which this one hides.
_here = os.path.dirname(os.path.abspath(__file__))
sys.path = [p for p in sys.path if os.path.abspath(p or ".") != _here]
_self = sys.modules.pop("sitecustomize")
try:
    importlib.import_module("sitecustomize")
except ImportError:
    sys.modules["sitecustomize"] = _self
