"""Starts Bellhop services for tests, and uses bots as their users do. The fixtures are in pytest_bellhop.plugin."""

from .aio import AsyncBellhop
from .binary import StartError
from .outcome import Outcome
from .request import Answer, BellhopError
from .server import Bellhop, start

__all__ = ["Answer", "AsyncBellhop", "Bellhop", "BellhopError", "Outcome", "StartError", "start"]
