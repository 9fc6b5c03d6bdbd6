"""A bot with discord.py. The library always uses a zlib stream."""

import asyncio
import os

import discord
import yarl
from discord import app_commands

origin = os.environ["BELLHOP_URL"]

discord.http.Route.BASE = f"{origin}/api/v10"
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(origin.replace("http", "ws", 1) + "/gateway/")


class Form(discord.ui.Modal, title="Form"):
    name = discord.ui.TextInput(label="Name")

    async def on_submit(self, interaction):
        await interaction.response.send_message(f"hello {self.name.value}")


class Bot(discord.Client):
    async def on_ready(self):
        print("ready", flush=True)

    async def on_resumed(self):
        print("resumed", flush=True)

    async def on_raw_app_command_permissions_update(self, update):
        if update.application_id != self.application_id:
            return  # the event of another application in the guild
        command = await tree.fetch_command(update.target_id, guild=guild)
        read = await command.fetch_permissions(guild)
        for permissions in (update.permissions, read.permissions):
            entries = (f"{p.type.value}/{p.id}/{str(p.permission).lower()}" for p in permissions)
            print("permissions", update.target_id, ",".join(entries), flush=True)


bot = Bot(intents=discord.Intents(guilds=True))
tree = app_commands.CommandTree(bot)
guild = discord.Object(id=int(os.environ["BELLHOP_GUILD_ID"]))


@tree.command(guild=guild)
async def ping(interaction):
    """Answer"""
    await interaction.response.send_message("pong")


@tree.command(guild=guild)
async def find(interaction, what: str):
    """Suggest"""
    await interaction.response.send_message(f"chose {what}")


@find.autocomplete("what")
async def suggest(interaction, current):
    return [app_commands.Choice(name=f"found {current}", value=f"{current}!")]


@tree.command(guild=guild)
async def slow(interaction):
    """Answer later"""
    await interaction.response.defer()
    await interaction.edit_original_response(content="done")
    await interaction.followup.send("and more")


@tree.command(guild=guild)
async def form(interaction):
    """Ask back"""
    await interaction.response.send_modal(Form())


@tree.context_menu(guild=guild, name="Greet")
async def greet(interaction, member: discord.Member):
    await interaction.response.send_message(f"greeted {member.name}")


@tree.context_menu(guild=guild, name="Quote")
async def quote(interaction, message: discord.Message):
    await interaction.response.send_message(f"quoted {message.content}")


asyncio.run(bot.start(os.environ["BELLHOP_BOT_TOKEN"]))
