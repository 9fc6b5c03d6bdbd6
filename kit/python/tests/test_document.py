"""The example of docs/kits.md."""

from mybot import MyBot


def test_roll(bellhop):
    bellhop.run_bot(MyBot())  # a discord.Client or commands.Bot
    rolled = bellhop.invoke("bob", "Lab/general", "/roll sides:6")
    assert rolled.text.startswith("You rolled a ")
    assert bellhop.press("bob", rolled, "Again").text == "You rolled again."


async def test_roll_async(abellhop):  # with pytest-asyncio
    await abellhop.run_bot(MyBot())
    assert (await abellhop.invoke("bob", "Lab/general", "/roll")).outcome == "answered"
