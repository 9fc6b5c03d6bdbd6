"""The service for asynchronous tests."""

from __future__ import annotations

import asyncio
import os
from datetime import datetime
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, Union

from .endpoint import WSGIApp
from .outcome import FieldValue, Outcome
from .request import Answer

if TYPE_CHECKING:
    from .server import Application, Bellhop, Command, Duration, User

Json = Any


class AsyncBellhop:
    """A running service whose verbs are awaited. They run in threads, so the event loop of the test is never blocked."""

    def __init__(self, bellhop: Bellhop) -> None:
        self.sync = bellhop
        """The same service for synchronous code."""
        self.url = bellhop.url
        self.base_url = bellhop.base_url
        self.gateway_url = bellhop.gateway_url

    def application(self, which: Optional[str] = None) -> Application:
        """Returns the first application, or the one with an id or a name."""
        return self.sync.application(which)

    def user(self, which: Optional[str] = None) -> User:
        """Returns the first user, or the one with an id or a username."""
        return self.sync.user(which)

    async def fetch(
        self, method: str, path: str, *, authorization: str = "", body: Json = None, headers: Optional[Mapping[str, str]] = None
    ) -> Answer:
        """See Bellhop.fetch."""
        return await asyncio.to_thread(self.sync.fetch, method, path, authorization=authorization, body=body, headers=headers)

    async def bot(self, method: str, path: str, body: Json = None, *, application: Optional[str] = None) -> Json:
        """See Bellhop.bot."""
        return await asyncio.to_thread(self.sync.bot, method, path, body, application=application)

    async def invoke(self, user: str, channel: str, command: Command, *, wait: str = "answer", locale: str = "") -> Outcome:
        """See Bellhop.invoke."""
        return await asyncio.to_thread(self.sync.invoke, user, channel, command, wait=wait, locale=locale)

    async def autocomplete(self, user: str, channel: str, command: Command, option: str) -> list[Json]:
        """See Bellhop.autocomplete."""
        return await asyncio.to_thread(self.sync.autocomplete, user, channel, command, option)

    async def press(self, user: str, on: Outcome, button: str, *, wait: str = "answer") -> Outcome:
        """See Bellhop.press."""
        return await asyncio.to_thread(self.sync.press, user, on, button, wait=wait)

    async def select(self, user: str, on: Outcome, menu: str, values: Sequence[str], *, wait: str = "answer") -> Outcome:
        """See Bellhop.select."""
        return await asyncio.to_thread(self.sync.select, user, on, menu, values, wait=wait)

    async def submit(self, user: str, on: Outcome, fields: Mapping[str, FieldValue], *, wait: str = "answer") -> Outcome:
        """See Bellhop.submit."""
        return await asyncio.to_thread(self.sync.submit, user, on, fields, wait=wait)

    async def say(
        self, user: str, channel: str, text: str = "", *, files: Optional[Mapping[str, bytes]] = None, **members: Json
    ) -> Json:
        """See Bellhop.say."""
        return await asyncio.to_thread(self.sync.say, user, channel, text, files=files, **members)

    async def member(self, user: str, guild: str, **action: Json) -> Json:
        """See Bellhop.member."""
        return await asyncio.to_thread(self.sync.member, user, guild, **action)

    async def wait_for(
        self, user: str, channel: str, match: Union[str, Callable[[Json], bool]], *, timeout: float = 10.0
    ) -> dict[str, Json]:
        """See Bellhop.wait_for."""
        return await asyncio.to_thread(self.sync.wait_for, user, channel, match, timeout=timeout)

    async def now(self) -> datetime:
        """See Bellhop.now."""
        return await asyncio.to_thread(self.sync.now)

    async def advance(self, by: Duration) -> datetime:
        """See Bellhop.advance."""
        return await asyncio.to_thread(self.sync.advance, by)

    async def requests(self, **query: str) -> list[Json]:
        """See Bellhop.requests."""
        return await asyncio.to_thread(self.sync.requests, **query)

    async def lobby(self, id: str, *, application: Optional[str] = None) -> Optional[dict[str, Json]]:
        """See Bellhop.lobby."""
        return await asyncio.to_thread(self.sync.lobby, id, application=application)

    async def token(self, *, application: Optional[str] = None, user: Optional[str] = None, scopes: Sequence[str] = ()) -> str:
        """See Bellhop.token."""
        return await asyncio.to_thread(self.sync.token, application=application, user=user, scopes=scopes)

    async def fault(self, **fault: Json) -> dict[str, Json]:
        """See Bellhop.fault."""
        return await asyncio.to_thread(self.sync.fault, **fault)

    async def clear_faults(self) -> None:
        """See Bellhop.clear_faults."""
        await asyncio.to_thread(self.sync.clear_faults)

    async def reset(self) -> None:
        """See Bellhop.reset."""
        await asyncio.to_thread(self.sync.reset)

    async def push(self, file: Union[str, os.PathLike[str]], *, application: Optional[str] = None) -> None:
        """See Bellhop.push."""
        await asyncio.to_thread(self.sync.push, file, application=application)

    async def connect(self, app: WSGIApp, *, application: Optional[str] = None) -> str:
        """See Bellhop.connect."""
        return await asyncio.to_thread(self.sync.connect, app, application=application)

    async def run_bot(self, client: Json, *, application: Optional[str] = None) -> None:
        """See Bellhop.run_bot. The bot has an event loop of its own."""
        await asyncio.to_thread(self.sync.run_bot, client, application=application)

    async def disconnect(self) -> None:
        """See Bellhop.disconnect."""
        await asyncio.to_thread(self.sync.disconnect)
