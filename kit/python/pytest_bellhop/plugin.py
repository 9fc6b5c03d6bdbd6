"""The fixtures of pytest. Each worker of pytest-xdist has a service of its own, at a port of its own."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Mapping

import pytest

from .aio import AsyncBellhop
from .server import Bellhop, start


_GAPS = pytest.StashKey[set[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("bellhop").addoption(
        "--bellhop-gaps",
        choices=("list", "fail"),
        default="list",
        help="What to do if a bot calls an operation of Discord that Bellhop does not serve. list: name it. fail: also fail.",
    )


def pytest_configure(config: pytest.Config) -> None:
    gaps: set[str] = set()
    config.stash[_GAPS] = gaps


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hands the gaps of a worker of pytest-xdist to the main process, or fails the run."""
    gaps = session.config.stash[_GAPS]
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["bellhop_gaps"] = sorted(gaps)
    elif gaps and session.config.getoption("bellhop_gaps") == "fail" and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)  # type: ignore[misc]
def pytest_testnodedown(node: Any) -> None:
    """Takes the gaps of a worker of pytest-xdist."""
    node.config.stash[_GAPS].update(getattr(node, "workeroutput", {}).get("bellhop_gaps", ()))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Lists the gaps at the end."""
    gaps = config.stash[_GAPS]
    if gaps:
        terminalreporter.section("gaps: Bellhop does not serve")
        for name in sorted(gaps):
            terminalreporter.line(name)


@pytest.fixture(scope="session")
def bellhop_options() -> Mapping[str, Any]:
    """The arguments of pytest_bellhop.start. Define this fixture in conftest.py to choose others, such as a world."""
    return {}


@pytest.fixture(scope="session")
def bellhop_server(bellhop_options: Mapping[str, Any], pytestconfig: pytest.Config) -> Iterator[Bellhop]:
    """The service of this run, or of this worker."""
    with start(**bellhop_options) as server:
        yield server
    pytestconfig.stash[_GAPS].update(server.gaps)


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
