"""Calls each verb of the kit once, checks the result, and prints the calls as JSON: verb to call. docs/kits.md shows them."""

from __future__ import annotations

import json
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Callable

from webapp import FEEDBACK, HELLO, web_app

from pytest_bellhop import Bellhop, BellhopError, Outcome, start

AT = "Lab/general"


class Calls:
    """The verbs, in the order in which they run."""

    def __init__(self, bellhop: Bellhop) -> None:
        self.bellhop = bellhop
        self.greeted: Outcome

    def start(self) -> None:
        assert self.bellhop.url

    def push(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "commands.json"
            file.write_text(json.dumps([HELLO, FEEDBACK]))
            self.bellhop.push(file)

    def bot(self) -> None:
        assert self.bellhop.bot("GET", "/applications/@me")["verify_key"]

    def connect(self) -> None:
        app = web_app(self.bellhop.bot("GET", "/applications/@me")["verify_key"])
        assert self.bellhop.connect(app).startswith("http:")

    def invoke(self) -> None:
        self.greeted = self.bellhop.invoke("bob", AT, "/hello")
        assert self.greeted.text == "Hello, bob!"

    def autocomplete(self) -> None:
        assert self.bellhop.autocomplete("bob", AT, "/hello", "whom")[0]["name"] == "the world"

    def press(self) -> None:
        assert self.bellhop.press("bob", self.greeted, "Again").text == "Hello again."

    def select(self) -> None:
        assert self.bellhop.select("bob", self.greeted, "Colour", ["Red"]).text == "Colours: r"

    def submit(self) -> None:
        form = self.bellhop.invoke("bob", AT, "/feedback")
        assert self.bellhop.submit("bob", form, {"words": "nice"}).text == "You said: nice"

    def now(self) -> None:
        assert self.bellhop.now()

    def advance(self) -> None:
        before = self.bellhop.now()
        assert self.bellhop.advance("1h") - before >= timedelta(hours=1)

    def requests(self) -> None:
        assert self.bellhop.requests(kind="delivery")

    def lobby(self) -> None:
        id = self.bellhop.bot("POST", "/lobbies", {})["id"]
        found = self.bellhop.lobby(id)
        assert found and found["id"] == id

    def token(self) -> None:
        assert self.bellhop.token(user="ada")

    def fault(self) -> None:
        self.bellhop.fault(route="/lobbies", status=503)
        try:
            self.bellhop.bot("POST", "/lobbies", {})
        except BellhopError as error:
            assert error.status == 503
        else:
            raise AssertionError("the fault did not happen")

    def clear_faults(self) -> None:
        self.bellhop.clear_faults()
        self.bellhop.bot("POST", "/lobbies", {})

    def reset(self) -> None:
        self.bellhop.reset()
        assert self.bellhop.bot("GET", f"/applications/{self.bellhop.application().id}/commands") == []


CALLS = {
    "start": "start(world=…)",
    "push": "push(file)",
    "bot": "bot(method, path, body)",
    "connect": "connect(app)",
    "invoke": "invoke(user, channel, line)",
    "autocomplete": "autocomplete(user, channel, line, option)",
    "press": "press(user, outcome, button)",
    "select": "select(user, outcome, menu, values)",
    "submit": "submit(user, outcome, fields)",
    "now": "now()",
    "advance": "advance(by)",
    "requests": "requests(kind=…)",
    "lobby": "lobby(id)",
    "token": "token(user=, scopes=)",
    "fault": "fault(route=, status=)",
    "clear faults": "clear_faults()",
    "reset": "reset()",
}


def main() -> None:
    with start() as bellhop:
        calls = Calls(bellhop)
        for verb in CALLS:
            call: Callable[[], None] = getattr(calls, verb.replace(" ", "_"))
            call()
    print(json.dumps(CALLS))


if __name__ == "__main__":
    main()
