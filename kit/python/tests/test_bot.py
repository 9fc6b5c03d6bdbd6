"""A bot of discord.py, used as its users do, in synchronous and asynchronous tests."""

from __future__ import annotations

import asyncio
from typing import Any

import discord
import pytest
from dicebot import DiceBot

from pytest_bellhop import AsyncBellhop, Bellhop
from pytest_bellhop.discordpy import BotError


def test_fixtures(run_bot: Any, invoke: Any, autocomplete: Any, press: Any, select: Any, submit: Any, requests: Any) -> None:
    run_bot(DiceBot())
    rolled = invoke("bob", "Lab/general", "/roll sides:20")
    assert rolled.outcome == "answered"
    assert rolled.text == "You rolled a die with 20 sides."
    assert autocomplete("bob", "Lab/general", "/roll", "sides") == [{"name": "a coin", "value": 2}]
    assert press("bob", rolled, "Again").text == "You rolled again."
    assert select("bob", rolled, "Colour", ["Red", "b"]).text == "Colours: r b"
    form = invoke("bob", "Lab/general", "/feedback")
    assert form.modal["title"] == "How was it?"
    assert submit("bob", form, {"Your words": "nice"}).text == "You said: nice"
    assert any(sent["route"].endswith("/callback") for sent in requests(kind="request") if "route" in sent)


async def test_async(abellhop: AsyncBellhop) -> None:
    await abellhop.run_bot(DiceBot())
    ran = []

    async def other() -> None:
        ran.append(True)

    task = asyncio.create_task(other())
    rolled = await abellhop.invoke("ada", "Lab/general", "/roll")
    assert ran and task.done(), "the event loop of the test was blocked"
    assert rolled.text == "You rolled a die with 6 sides."
    assert (await abellhop.press("ada", rolled, "again")).text == "You rolled again."
    assert (await abellhop.select("ada", rolled, "colour", ["Blue"])).text == "Colours: b"
    form = await abellhop.invoke("ada", "Lab/general", "/feedback")
    assert (await abellhop.submit("ada", form, {"words": "fine"})).text == "You said: fine"


def test_disconnect(bellhop: Bellhop) -> None:
    earlier = discord.http.Route.BASE
    bellhop.run_bot(DiceBot())
    assert discord.http.Route.BASE == bellhop.base_url
    bellhop.disconnect()
    assert discord.http.Route.BASE == earlier
    assert bellhop.invoke("bob", "Lab/general", "/roll").outcome == "failed"


def test_bot_that_fails(bellhop: Bellhop) -> None:
    class Broken(discord.Client):
        async def setup_hook(self) -> None:
            raise ValueError("no luck")

    earlier = discord.http.Route.BASE
    with pytest.raises(BotError, match="no luck"):
        bellhop.run_bot(Broken(intents=discord.Intents.none()))
    assert discord.http.Route.BASE == earlier


def test_unknown_components(bellhop: Bellhop) -> None:
    bellhop.run_bot(DiceBot())
    rolled = bellhop.invoke("bob", "Lab/general", "/roll")
    for use, text in (
        (lambda: bellhop.press("bob", rolled, "Colour"), "no button 'Colour'"),
        (lambda: bellhop.select("bob", rolled, "Again", []), "no select menu 'Again'"),
        (lambda: bellhop.submit("bob", rolled, {}), "opened no form"),
    ):
        with pytest.raises(LookupError, match=text):
            use()
    form = bellhop.invoke("bob", "Lab/general", "/feedback")
    with pytest.raises(LookupError, match="no field 'age'"):
        bellhop.submit("bob", form, {"age": "7"})
