"""A bot of discord.py with a command, suggestions, a button, a select menu and a form."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands


class Feedback(discord.ui.Modal, title="How was it?"):
    text: Any = discord.ui.TextInput(label="Your words", custom_id="words")

    async def on_submit(self, interaction: Any) -> None:
        await interaction.response.send_message(f"You said: {self.text.value}")


class Again(discord.ui.View):
    @discord.ui.button(label="Again", custom_id="again")
    async def again(self, interaction: Any, _: Any) -> None:
        await interaction.response.edit_message(content="You rolled again.")

    @discord.ui.select(
        placeholder="Colour",
        custom_id="colour",
        max_values=2,
        options=[discord.SelectOption(label="Red", value="r"), discord.SelectOption(label="Blue", value="b")],
    )
    async def colour(self, interaction: Any, menu: Any) -> None:
        await interaction.response.send_message("Colours: " + " ".join(menu.values))


class DiceBot(discord.Client):
    def __init__(self) -> None:
        super().__init__(intents=discord.Intents(guilds=True))
        self.tree = app_commands.CommandTree(self)
        self.tree.command(name="roll", description="Roll a die")(roll)
        self.tree.command(name="feedback", description="Tell us how it was")(feedback)

    async def setup_hook(self) -> None:
        await self.tree.sync()


async def suggest_sides(_: Any, current: int) -> list[Any]:
    return [app_commands.Choice(name="a coin", value=2)]


@app_commands.autocomplete(sides=suggest_sides)
async def roll(interaction: discord.Interaction, sides: int = 6) -> None:
    await interaction.response.send_message(f"You rolled a die with {sides} sides.", view=Again())


async def feedback(interaction: discord.Interaction) -> None:
    await interaction.response.send_modal(Feedback())
