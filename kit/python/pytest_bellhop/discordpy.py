"""Bots of discord.py."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Callable, Optional

import discord
import yarl

_READY_TIMEOUT_SECONDS = 60


class BotError(Exception):
    """A bot did not become ready, or ended with an error."""


class _Runner:
    """Runs a client in a thread with an event loop of its own, so that a test without an event loop can use it."""

    def __init__(self, client: Any, token: str) -> None:
        self._client = client
        self._token = token
        self._ready = threading.Event()
        self._error: Optional[BaseException] = None
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._thread = threading.Thread(target=self._main, name="pytest-bellhop bot", daemon=True)

    def _main(self) -> None:
        try:
            asyncio.run(self._run())
        except Exception as error:  # the thread of the test raises it
            self._error = error
        finally:
            self._ready.set()

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        async with self._client:
            ready = asyncio.create_task(self._wait_until_ready())
            try:
                await self._client.start(self._token)
            finally:
                ready.cancel()

    async def _wait_until_ready(self) -> None:
        await self._client.wait_until_ready()
        self._ready.set()

    def start(self) -> None:
        """Starts the client and waits until it is ready."""
        self._thread.start()
        if not self._ready.wait(_READY_TIMEOUT_SECONDS):
            self.stop()
            raise BotError(f"the bot is not ready after {_READY_TIMEOUT_SECONDS} s")
        if self._error is not None:
            raise BotError(f"the bot ended before it was ready: {self._error!r}") from self._error

    def stop(self) -> None:
        """Closes the client and waits for its thread."""
        if self._thread.is_alive() and self._loop is not None:
            try:
                asyncio.run_coroutine_threadsafe(self._client.close(), self._loop)
            except RuntimeError:  # the loop has ended by itself
                pass
        self._thread.join()


def run(client: Any, token: str, base_url: str, gateway_url: str) -> Callable[[], None]:
    """Runs a client against the service at a base URL. Returns a function that stops it."""
    undo = use(base_url, gateway_url)
    runner = _Runner(client, token)
    try:
        runner.start()
    except BaseException:
        undo()
        raise

    def close() -> None:
        runner.stop()
        undo()

    return close


def use(base_url: str, gateway_url: str) -> Callable[[], None]:
    """Makes discord.py use other addresses, in the whole process. Returns a function that restores the earlier ones."""
    route, socket = discord.http.Route, discord.gateway.DiscordWebSocket
    earlier = route.BASE, socket.DEFAULT_GATEWAY
    route.BASE, socket.DEFAULT_GATEWAY = base_url, yarl.URL(gateway_url)

    def undo() -> None:
        route.BASE, socket.DEFAULT_GATEWAY = earlier

    return undo
