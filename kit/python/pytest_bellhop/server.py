"""A running service, and what tests do with it."""

from __future__ import annotations

import os
import time
import urllib.parse
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, TypeVar, Union

from . import binary, endpoint, outcome
from .outcome import FieldValue, Outcome
from .request import Answer, BellhopError, send, send_form

if TYPE_CHECKING:
    from .aio import AsyncBellhop

Json = Any
Command = Union[str, Mapping[str, Json]]
Duration = Union[str, timedelta]


@dataclass(frozen=True)
class Application:
    """An application of the world."""

    id: str
    name: str
    bot_token: str = ""
    client_secret: str = ""


@dataclass(frozen=True)
class User:
    """A user of the world."""

    id: str
    username: str
    token: str = ""


@dataclass(frozen=True)
class Guild:
    """A guild of the world. Each channel has the members id and name."""

    id: str
    name: str
    channels: Sequence[Mapping[str, str]] = ()


class Bellhop:
    """A running service. start makes one."""

    def __init__(self, process: binary.Process, program: str) -> None:
        self._process = process
        self._program = program
        self._closers: list[Callable[[], None]] = []
        self.gaps: set[str] = set()
        """The operations of Discord that were called before the last reset or stop, and that the service does not have."""
        ready = process.ready
        self.url: str = ready["url"]
        """The address of the service."""
        self.base_url: str = ready["base_url"]
        """The base URL of the API, for bots and clients."""
        self.gateway_url: str = ready["gateway_url"]
        self.admin_token: str = ready.get("admin_token", "")
        self.applications = [Application(**record) for record in ready["applications"]]
        self.users = [User(**record) for record in ready["users"]]
        self.guilds = [Guild(**record) for record in ready["guilds"]]

    @property
    def aio(self) -> AsyncBellhop:
        """The same service for asynchronous tests: the same verbs, to be awaited."""
        from .aio import AsyncBellhop

        return AsyncBellhop(self)

    def application(self, which: Optional[str] = None) -> Application:
        """Returns the first application, or the one with an id or a name."""
        return _choose(self.applications, which, lambda record: (record.id, record.name))

    def user(self, which: Optional[str] = None) -> User:
        """Returns the first user, or the one with an id or a username."""
        return _choose(self.users, which, lambda record: (record.id, record.username))

    def fetch(
        self, method: str, path: str, *, authorization: str = "", body: Json = None, headers: Optional[Mapping[str, str]] = None
    ) -> Answer:
        """Sends a request and returns the answer, whatever its status is."""
        base = self.url if path.startswith("/_dev/") else self.base_url
        return send(method, base + path, authorization=authorization, body=body, headers=headers)

    def bot(self, method: str, path: str, body: Json = None, *, application: Optional[str] = None) -> Json:
        """Sends a request with the bot token of an application and returns the body of the answer."""
        return self._call(method, path, body, f"Bot {self.application(application).bot_token}")

    def _call(self, method: str, path: str, body: Json = None, authorization: str = "") -> Json:
        answer = self.fetch(method, path, authorization=authorization, body=body)
        if answer.status >= 400:
            raise BellhopError(method, path, answer)
        return answer.body

    def _use(self, user: str, use: Mapping[str, Json], wait: str) -> Outcome:
        return Outcome.of(self._call("POST", "/_dev/invoke", {"as": user, "wait": wait, **use}))

    def invoke(self, user: str, channel: str, command: Command, *, wait: str = "answer", locale: str = "") -> Outcome:
        """Invokes a command as a user and returns what the app answered.

        The channel is an id, or the names of guild and channel, such as "Lab/general". The command is the text that the user
        types, such as "/roll sides:6". With wait="final" it also waits for a deferred answer.
        """
        use = {"in": channel, "command": command}
        if locale:
            use["locale"] = locale
        return self._use(user, use, wait)

    def autocomplete(self, user: str, channel: str, command: Command, option: str) -> list[Json]:
        """Returns the choices that the app suggests for an option. The command is the text typed so far."""
        return self._use(user, {"in": channel, "command": command, "autocomplete": option}, "answer").choices

    def press(self, user: str, on: Outcome, button: str, *, wait: str = "answer") -> Outcome:
        """Presses a button of an answer. It is named by its label, its custom id or its emoji."""
        return self._use(user, outcome.press(on, button), wait)

    def select(self, user: str, on: Outcome, menu: str, values: Sequence[str], *, wait: str = "answer") -> Outcome:
        """Selects values in a menu of an answer, which is named by its placeholder or custom id.

        Values are labels or values of options. In menus of users, roles and channels they are ids.
        """
        return self._use(user, outcome.select(on, menu, values), wait)

    def submit(self, user: str, on: Outcome, fields: Mapping[str, FieldValue], *, wait: str = "answer") -> Outcome:
        """Submits the form that an answer opened. Fields are named by their label or their custom id."""
        return self._use(user, outcome.submit(on, fields), wait)

    def say(self, user: str, channel: str, text: str = "", *, files: Optional[Mapping[str, bytes]] = None, **members: Json) -> Json:
        """Does what a person does in a channel, and returns "message" with "answers", what apps sent meanwhile.

        A text is a new message. Other members are those of POST /_dev/say, such as reply_to=id, message=id with react="👍",
        edit="new text", delete=True or vote=[1], typing=True, and wait="2s". files are contents by name.
        """
        body = {"as": user, "in": channel, **members}
        if text:
            body["content"] = text
        if not files:
            return self._call("POST", "/_dev/say", body)
        answer = send_form(self.url + "/_dev/say", body, files)
        if answer.status >= 400:
            raise BellhopError("POST", "/_dev/say", answer)
        return answer.body

    def member(self, user: str, guild: str, **action: Json) -> Json:
        """Does what a person does in a guild, and returns "member", None if the person is not a member.

        The action is that of POST /_dev/members: join=True, leave=True, nick="B", with None for no nickname, presence="idle", or
        voice="Lab/voice", with None to leave.
        """
        return self._call("POST", "/_dev/members", {"as": user, "guild": guild, **action})

    def wait_for(
        self, user: str, channel: str, match: Union[str, Callable[[Json], bool]], *, timeout: float = 10.0
    ) -> dict[str, Json]:
        """Waits until a user sees a message in a channel that matches, and returns it.

        match is the text of the message, or a function. A message shows its reactions and edits, so this also waits for those.
        """
        path = f"/channels/{self._channel(channel)}/messages?limit=100"
        end = time.monotonic() + timeout
        while True:
            seen: list[dict[str, Json]] = self._call("GET", path, authorization=self.user(user).token)
            for message in seen:
                if message["content"] == match if isinstance(match, str) else match(message):
                    return message
            if time.monotonic() > end:
                texts = [message["content"] for message in seen]
                raise TimeoutError(f"no message in {channel} matches after {timeout} s; {user} sees {texts}")
            time.sleep(0.02)

    def _channel(self, name: str) -> str:
        """Returns the id of a channel that is named as in "Lab/general", or by its id."""
        for guild in self.guilds:
            for channel in guild.channels:
                if f"{guild.name}/{channel['name']}" == name:
                    return channel["id"]
        if not name.isdigit():
            raise LookupError(f"the world has no channel {name}")
        return name

    def now(self) -> datetime:
        """Returns the service's time."""
        return _time(self._call("GET", "/_dev/clock")["now"])

    def advance(self, by: Duration) -> datetime:
        """Moves the service's clock, by "24h" or a timedelta, and returns the new time after the work that became due."""
        text = by if isinstance(by, str) else f"{by / timedelta(microseconds=1):.0f}us"
        return _time(self._call("POST", "/_dev/clock", {"advance": text})["now"])

    def requests(self, **query: str) -> list[Json]:
        """Returns recorded requests, deliveries and gateway frames, newest first.

        The query parameters are those of GET /_dev/requests, such as kind="delivery" or status="4xx".
        """
        found: list[Json] = self._call("GET", "/_dev/requests?" + urllib.parse.urlencode({"limit": "1000", **query}))
        return found

    def lobby(self, id: str, *, application: Optional[str] = None) -> Optional[dict[str, Json]]:
        """Returns a lobby of an application, or None if there is none."""
        try:
            found: dict[str, Json] = self.bot("GET", f"/lobbies/{id}", application=application)
        except BellhopError as error:
            if error.status == 404:
                return None
            raise
        return found

    def token(self, *, application: Optional[str] = None, user: Optional[str] = None, scopes: Sequence[str] = ()) -> str:
        """Returns an access token without a browser. Without a user it is a client-credentials token."""
        body: dict[str, Json] = {"application": self.application(application).id}
        if user:
            body["user"] = self.user(user).id
        if scopes:
            body["scopes"] = list(scopes)
        return str(self._call("POST", "/_dev/token", body)["access_token"])

    def fault(self, **fault: Json) -> dict[str, Json]:
        """Adds a fault, such as route="/lobbies", status=503, count=1. It stays until reset or clear_faults."""
        added: dict[str, Json] = self._call("POST", "/_dev/faults", fault)
        return added

    def clear_faults(self) -> None:
        """Removes all faults."""
        self._call("DELETE", "/_dev/faults")

    def reset(self) -> None:
        """Resets the service to the world that it started with."""
        self._find_gaps()
        self._call("POST", "/_dev/reset")

    def _find_gaps(self) -> None:
        """Adds the operations that were called and are missing to gaps. A reset forgets the requests."""
        found = self.requests(kind="request", status="404")
        self.gaps.update(entry["gap"] for entry in found if entry.get("gap"))

    def push(self, file: Union[str, os.PathLike[str]], *, application: Optional[str] = None) -> None:
        """Replaces the global commands of an application by those of a JSON or YAML file."""
        app = self.application(application)
        binary.push(self._program, os.fspath(file), self.base_url, app.id, app.bot_token)

    def connect(self, app: endpoint.WSGIApp, *, application: Optional[str] = None) -> str:
        """Serves a WSGI app that receives interactions over HTTP, and sets its address as the endpoint of an application.

        The service checks the endpoint with a PING. The app runs until disconnect. Returns the address.
        """
        address, close = endpoint.serve(app)
        self._closers.append(close)
        self.bot("PATCH", "/applications/@me", {"interactions_endpoint_url": address}, application=application)
        return address

    def run_bot(self, client: Json, *, application: Optional[str] = None) -> None:
        """Runs a bot of discord.py against the service, and returns when it is ready. It runs until disconnect.

        The client is a discord.Client or commands.Bot that was not started. It runs in a thread of its own.
        """
        from . import discordpy

        token = self.application(application).bot_token
        self._closers.append(discordpy.run(client, token, self.base_url, self.gateway_url))

    def disconnect(self) -> None:
        """Stops the apps of connect and run_bot. The fixtures call it after each test."""
        while self._closers:
            self._closers.pop()()

    def stop(self) -> None:
        """Stops the apps and the service."""
        try:
            self.disconnect()
            if self._process.runs():
                self._find_gaps()
        finally:
            self._process.stop()

    def __enter__(self) -> Bellhop:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def start(
    *, binary_path: Optional[str] = None, world: Optional[binary.World] = None, limits: str = "off", args: Sequence[str] = ()
) -> Bellhop:
    """Starts a service on a port that the system picks. It ends with stop, or with this process.

    The world is a world file as text or as a dict; without it, the service has the demo world. limits is "off" or a file of
    rate limits. args are more flags of "bellhop dev".
    """
    program = binary.find(binary_path)
    return Bellhop(binary.Process(program, world, limits, args), program)


_Record = TypeVar("_Record")


def _choose(records: Sequence[_Record], which: Optional[str], names: Callable[[_Record], tuple[str, str]]) -> _Record:
    for record in records:
        if which is None or which in names(record):
            return record
    raise LookupError(f"the world has no {which or 'such record'}")


def _time(text: str) -> datetime:
    """Parses a time of the service. Python before 3.11 reads no more than six digits after the point, and no Z."""
    whole, _, fraction = text.removesuffix("Z").partition(".")
    return datetime.fromisoformat(f"{whole}.{fraction[:6]:0<6}+00:00")
