"""A bot with discord.py, written for Discord alone."""

import os

import discord
from discord import app_commands

CHANNEL = 1300000000000000310
seen = set()


class More(discord.ui.View):
    @discord.ui.button(label="More")
    async def more(self, interaction, button):
        await interaction.response.send_message("more pong")


class Form(discord.ui.Modal, title="Form"):
    name = discord.ui.TextInput(label="Name")

    async def on_submit(self, interaction):
        await interaction.response.send_message(f"hello {self.name.value}")


class Bot(discord.Client):
    async def setup_hook(self):
        await tree.sync()

    async def on_message(self, message):
        seen.add("MESSAGE_CREATE")

    async def on_raw_message_edit(self, payload):
        seen.add("MESSAGE_UPDATE")

    async def on_raw_reaction_add(self, payload):
        seen.add("MESSAGE_REACTION_ADD")

    async def on_guild_role_update(self, before, after):
        seen.add("GUILD_ROLE_UPDATE")

    async def on_resumed(self):
        await self.get_channel(CHANNEL).send("resumed")


bot = Bot(intents=discord.Intents(guilds=True, guild_messages=True, guild_reactions=True))
tree = app_commands.CommandTree(bot)


@tree.command(description="Answer")
async def ping(interaction):
    await interaction.response.send_message("pong", view=More())


@tree.command(description="Suggest")
async def find(interaction, what: str):
    await interaction.response.send_message(f"chose {what}")


@find.autocomplete("what")
async def suggest(interaction, current):
    return [app_commands.Choice(name=f"found {current}", value=f"{current}!")]


@tree.command(description="Ask back")
async def form(interaction):
    await interaction.response.send_modal(Form())


@tree.command(description="Write")
async def write(interaction):
    message = await interaction.channel.send("one")
    await message.edit(content="two")
    await message.add_reaction("👍")
    await interaction.response.send_message("written")


@tree.command(description="Change a role")
async def role(interaction):
    await discord.utils.get(interaction.guild.roles, name="guests").edit(name="regulars")
    await interaction.response.send_message("changed")


@tree.command(name="seen", description="List events")
async def list_seen(interaction):
    await interaction.response.send_message(" ".join(sorted(seen)))


bot.run(os.environ["DISCORD_TOKEN"])
