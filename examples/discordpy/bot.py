"""A bot that reminds people. It suggests times, lists reminders and cancels them.

    BELLHOP_BASE_URL=… BELLHOP_BOT_TOKEN=… python3 bot.py
"""

import asyncio
import os
import re

import discord
import yarl
from discord import app_commands

if base := os.environ.get("BELLHOP_BASE_URL"):
    discord.http.Route.BASE = base
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(base.replace("http", "ws", 1)).with_path("/gateway/")

SUGGESTED = ["10 seconds", "1 minute", "5 minutes", "10 minutes"]
LONGEST = 14 * 60  # seconds; the bot can send messages for 15 minutes after a command


def seconds(text):
    """Return the seconds in a text such as "5 minutes", or None if the bot cannot wait that long."""
    found = re.fullmatch(r"(\d{1,3}) (second|minute)s?", text.strip())
    if not found:
        return None
    total = int(found[1]) * (60 if found[2] == "minute" else 1)
    return total if 0 < total <= LONGEST else None


class Reminder(discord.ui.View):
    """A reminder of one user, with a button that cancels it."""

    def __init__(self, interaction, what, delay):
        super().__init__(timeout=delay)
        self.interaction, self.what = interaction, what
        self.task = asyncio.create_task(self.send(delay))

    async def send(self, delay):
        await asyncio.sleep(delay)
        self.remove()
        await self.interaction.followup.send(f"{self.interaction.user.mention} Remember: {self.what}", ephemeral=True)

    def remove(self):
        bot.reminders[self.interaction.user.id].remove(self)

    @discord.ui.button(label="Cancel")
    async def cancel(self, interaction, button):
        self.task.cancel()
        self.remove()
        await interaction.response.edit_message(content=f"Cancelled: {self.what}", view=None)


class Bot(discord.Client):
    def __init__(self):
        super().__init__(intents=discord.Intents(guilds=True))
        self.tree = app_commands.CommandTree(self)
        self.reminders = {}  # lists of reminders by the id of their user

    async def setup_hook(self):
        await self.tree.sync()


bot = Bot()


@bot.tree.command()
@app_commands.describe(what="What to remember", when="How long to wait")
async def remind(interaction: discord.Interaction, what: str, when: str):
    """Set a reminder"""
    delay = seconds(when)
    if delay is None:
        await interaction.response.send_message("Write a time up to 14 minutes, such as 5 minutes.", ephemeral=True)
        return
    reminder = Reminder(interaction, what, delay)
    bot.reminders.setdefault(interaction.user.id, []).append(reminder)
    await interaction.response.send_message(f"In {when}: {what}", view=reminder, ephemeral=True)


@remind.autocomplete("when")
async def suggest(interaction: discord.Interaction, current: str):
    return [app_commands.Choice(name=text, value=text) for text in SUGGESTED if current in text]


@bot.tree.command()
async def reminders(interaction: discord.Interaction):
    """List your reminders"""
    await interaction.response.defer(ephemeral=True, thinking=True)
    names = [reminder.what for reminder in bot.reminders.get(interaction.user.id, [])]
    text = "\n".join(f"{i}. {name}" for i, name in enumerate(names, 1))
    await interaction.edit_original_response(content=text or "You have no reminders.")


bot.run(os.environ["BELLHOP_BOT_TOKEN"])
