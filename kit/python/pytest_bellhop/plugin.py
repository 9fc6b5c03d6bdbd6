"""The fixtures of pytest. Each worker of pytest-xdist has a service of its own, at a port of its own."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Mapping

import pytest

from .aio import AsyncBellhop
from .server import Bellhop, start


@pytest.fixture(scope="session")
def bellhop_options() -> Mapping[str, Any]:
    """The arguments of pytest_bellhop.start. Define this fixture in conftest.py to choose others, such as a world."""
    return {}


@pytest.fixture(scope="session")
def bellhop_server(bellhop_options: Mapping[str, Any]) -> Iterator[Bellhop]:
    """The service of this run, or of this worker."""
    with start(**bellhop_options) as server:
        yield server


@pytest.fixture
def bellhop(bellhop_server: Bellhop) -> Iterator[Bellhop]:
    """The service, reset before the test. The apps of connect and run_bot stop after it."""
    bellhop_server.reset()
    try:
        yield bellhop_server
    finally:
        bellhop_server.disconnect()


@pytest.fixture
def abellhop(bellhop: Bellhop) -> AsyncBellhop:
    """The service for asynchronous tests: the verbs of the fixture bellhop, to be awaited."""
    return bellhop.aio


@pytest.fixture
def run_bot(bellhop: Bellhop) -> Callable[..., None]:
    """Runs a bot of discord.py: Bellhop.run_bot."""
    return bellhop.run_bot


@pytest.fixture
def invoke(bellhop: Bellhop) -> Callable[..., Any]:
    """Invokes a command as a user: Bellhop.invoke."""
    return bellhop.invoke


@pytest.fixture
def autocomplete(bellhop: Bellhop) -> Callable[..., Any]:
    """Gets suggestions for an option: Bellhop.autocomplete."""
    return bellhop.autocomplete


@pytest.fixture
def press(bellhop: Bellhop) -> Callable[..., Any]:
    """Presses a button: Bellhop.press."""
    return bellhop.press


@pytest.fixture
def select(bellhop: Bellhop) -> Callable[..., Any]:
    """Selects values in a menu: Bellhop.select."""
    return bellhop.select


@pytest.fixture
def submit(bellhop: Bellhop) -> Callable[..., Any]:
    """Submits a form: Bellhop.submit."""
    return bellhop.submit


@pytest.fixture
def advance(bellhop: Bellhop) -> Callable[..., Any]:
    """Moves the clock: Bellhop.advance."""
    return bellhop.advance


@pytest.fixture
def requests(bellhop: Bellhop) -> Callable[..., Any]:
    """Gets recorded requests: Bellhop.requests."""
    return bellhop.requests


@pytest.fixture
def lobby(bellhop: Bellhop) -> Callable[..., Any]:
    """Gets a lobby: Bellhop.lobby."""
    return bellhop.lobby
