"""The service: starting and stopping it, its clock, its records, its faults."""

from __future__ import annotations

import inspect
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from webapp import HELLO, web_app

from pytest_bellhop import AsyncBellhop, Bellhop, BellhopError, StartError, start

KIT = Path(__file__).parent.parent


def commands(bellhop: Bellhop) -> str:
    return f"/applications/{bellhop.application().id}/commands"


def test_connect_and_push(bellhop: Bellhop, tmp_path: Path) -> None:
    file = tmp_path / "commands.json"
    file.write_text(json.dumps([HELLO]))
    bellhop.bot("PUT", commands(bellhop), [{**HELLO, "name": "old"}])
    bellhop.push(file)
    assert [command["name"] for command in bellhop.bot("GET", commands(bellhop))] == ["hello"]
    bellhop.connect(web_app(bellhop.bot("GET", "/applications/@me")["verify_key"]))
    assert bellhop.invoke("bob", "Lab/general", "/hello").text == "Hello, bob!"
    assert bellhop.requests(kind="delivery")
    file.write_text('[{"name": "UPPER", "description": "x"}]')
    with pytest.raises(StartError, match="name"):
        bellhop.push(file)


def test_each_test_starts_with_a_reset_service(bellhop: Bellhop) -> None:
    assert bellhop.bot("GET", commands(bellhop)) == []


def test_clock_ends_lobbies(bellhop: Bellhop, advance: Any, lobby: Any) -> None:
    before = bellhop.now()
    id = bellhop.bot("POST", "/lobbies", {"idle_timeout_seconds": 60})["id"]
    assert lobby(id)["id"] == id
    assert advance("61s") - before >= timedelta(seconds=61)
    assert lobby(id) is None
    now = bellhop.now()
    assert advance(timedelta(milliseconds=500)) - now >= timedelta(milliseconds=500)


def test_faults(bellhop: Bellhop) -> None:
    bellhop.fault(route="/lobbies", status=503, count=1)
    with pytest.raises(BellhopError) as caught:
        bellhop.bot("POST", "/lobbies", {})
    assert caught.value.status == 503
    bellhop.bot("POST", "/lobbies", {})
    bellhop.fault(route="/lobbies", status=503)
    bellhop.clear_faults()
    bellhop.bot("POST", "/lobbies", {})


def test_tokens_without_a_browser(bellhop: Bellhop) -> None:
    token = bellhop.token(user="ada", scopes=["identify"])
    answer = bellhop.fetch("GET", "/users/@me", authorization=f"Bearer {token}")
    assert (answer.status, answer.body["username"]) == (200, "ada")
    assert bellhop.token()


def test_unknown_names(bellhop: Bellhop) -> None:
    for look in (bellhop.application, bellhop.user):
        with pytest.raises(LookupError, match="no nobody"):
            look("nobody")
    with pytest.raises(BellhopError):
        bellhop.invoke("nobody", "Lab/general", "/roll")


WORLD = {"users": [{"id": "200", "username": "eve"}], "applications": [{"id": "100", "name": "Dice"}]}


@pytest.mark.parametrize("world", [WORLD, json.dumps(WORLD)], ids=["dict", "text"])
def test_world(world: Any) -> None:
    with start(world=world) as bellhop:
        assert bellhop.application().name == "Dice"
        assert bellhop.user("eve").token
        assert bellhop.bot("GET", "/applications/@me", application="Dice")["id"] == "100"


def test_invalid_world() -> None:
    with pytest.raises(StartError, match=r"(?s)before it was ready:.*nickname"):
        start(world='users: [{id: "1", nickname: eve}]')


def test_missing_binary() -> None:
    with pytest.raises(StartError, match="BELLHOP_BINARY"):
        start(binary_path="/nowhere/bellhop")


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url + "/healthz"):
            return True
    except (urllib.error.URLError, ConnectionError):
        return False


def test_stop() -> None:
    bellhop = start()
    assert answers(bellhop.url)
    bellhop.stop()
    assert not answers(bellhop.url)
    bellhop.stop()  # a second call does nothing


def test_service_ends_when_its_parent_is_killed() -> None:
    program = "import pytest_bellhop, time; print(pytest_bellhop.start().url, flush=True); time.sleep(60)"
    env = {**os.environ, "PYTHONPATH": str(KIT)}
    with subprocess.Popen([sys.executable, "-c", program], env=env, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        url = child.stdout.readline().strip()
        assert answers(url)
        child.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 20
    while answers(url):
        assert time.monotonic() < deadline, "the service still runs"
        time.sleep(0.05)


def test_async_verbs_are_those_of_the_synchronous_service() -> None:
    def verbs(kind: type) -> dict[str, list[str]]:
        found = inspect.getmembers(kind, inspect.isfunction)
        return {name: list(inspect.signature(call).parameters) for name, call in found if not name.startswith("_")}

    synchronous = verbs(Bellhop)
    del synchronous["stop"]  # the fixture stops the service
    assert verbs(AsyncBellhop) == synchronous


def test_workers_have_services_of_their_own(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(KIT))
    pytester.makeconftest('pytest_plugins = ["pytest_bellhop.plugin"]')
    pytester.makepyfile(
        """
        import pathlib
        import pytest

        @pytest.mark.parametrize("n", range(6))
        def test_url(bellhop, worker_id, n):
            pathlib.Path(f"{worker_id}-{n}").write_text(bellhop.url)
            path = f"/applications/{bellhop.application().id}/commands"
            assert bellhop.bot("GET", path) == []
            bellhop.bot("POST", path, {"name": f"c{n}", "description": "x"})
        """
    )
    result = pytester.runpytest_subprocess("-n", "2", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=6)
    urls: dict[str, set[str]] = {}
    for file in pytester.path.glob("gw*"):
        urls.setdefault(file.name.split("-")[0], set()).add(file.read_text())
    assert len(urls) == 2, urls
    assert all(len(of_worker) == 1 for of_worker in urls.values()), "a worker had two services"
    assert len(set.union(*urls.values())) == 2, "two workers had the same service"


@pytest.mark.parametrize("option", ["list", "fail"])
def test_gaps(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, option: str) -> None:
    monkeypatch.setenv("PYTHONPATH", str(KIT))
    pytester.makepyfile(
        """
        import pytest
        from pytest_bellhop import Bellhop, BellhopError

        def test_templates(bellhop: Bellhop) -> None:
            with pytest.raises(BellhopError):
                bellhop.bot("GET", f"/guilds/{bellhop.guilds[0].id}/templates")
        """
    )
    result = pytester.runpytest_subprocess("-p", "pytest_bellhop.plugin", f"--bellhop-gaps={option}")
    result.stdout.fnmatch_lines(["*gaps: Bellhop does not serve*", "list_guild_templates", "*1 passed*"])
    assert result.ret == (pytest.ExitCode.TESTS_FAILED if option == "fail" else pytest.ExitCode.OK)
