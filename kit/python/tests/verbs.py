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

    def say(self) -> None:
        say = self.bellhop.say
        asked = say("bob", AT, "ping")["message"]
        assert say("ada", AT, "me too", reply_to=asked["id"])["message"]["type"] == 19
        assert say("ada", AT, files={"a.txt": b"abc"})["message"]["attachments"][0]["size"] == 3
        assert say("ada", AT, message=asked["id"], react="🔥")["message"]["reactions"][0]["me"]
        assert say("bob", AT, message=asked["id"], edit="ping!")["message"]["content"] == "ping!"
        assert say("bob", AT, message=asked["id"], delete=True)["message"] is None
        poll = {"question": {"text": "Tea?"}, "answers": [{"poll_media": {"text": "Yes"}}]}
        asked = say("bob", AT, poll=poll)["message"]
        voted = say("ada", AT, message=asked["id"], vote=[1])["message"]
        assert voted["poll"]["results"]["answer_counts"][0]["me_voted"]

    def member(self) -> None:
        member = self.bellhop.member
        assert member("bob", "Lab", leave=True)["member"] is None
        assert member("bob", "Lab", join=True)["member"]["user"]["username"] == "bob"
        assert member("ada", "Lab", nick="Countess")["member"]["nick"] == "Countess"
        assert member("ada", "Lab", nick=None)["member"]["nick"] is None

    def wait_for(self) -> None:
        asked = self.bellhop.say("bob", AT, "ping")["message"]
        path = f"/channels/{asked['channel_id']}/messages"
        pong = self.bellhop.bot("POST", path, {"content": "pong"})
        assert self.bellhop.wait_for("ada", AT, "pong")["id"] == pong["id"]
        self.bellhop.bot("PUT", f"{path}/{asked['id']}/reactions/%F0%9F%91%8D/@me")
        assert self.bellhop.wait_for("ada", AT, lambda m: "reactions" in m)["id"] == asked["id"]
        self.bellhop.bot("PATCH", f"{path}/{pong['id']}", {"content": "pong 2"})
        assert self.bellhop.wait_for("bob", AT, lambda m: m["edited_timestamp"] is not None)["content"] == "pong 2"

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
    "say": "say(user, channel, text, react=, …)",
    "member": "member(user, guild, join=, …)",
    "wait for": "wait_for(user, channel, match)",
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
