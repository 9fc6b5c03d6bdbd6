"""A bot with disnake, written for Discord alone."""

import os

import disnake
from disnake.ext import commands

CHANNEL = 1300000000000000310
seen = set()
bot = commands.InteractionBot(intents=disnake.Intents(guilds=True, guild_messages=True, guild_reactions=True))


class More(disnake.ui.View):
    @disnake.ui.button(label="More")
    async def more(self, button, interaction):
        await interaction.response.send_message("more pong")


class Form(disnake.ui.Modal):
    def __init__(self):
        super().__init__(title="Form", components=[disnake.ui.TextInput(label="Name", custom_id="name")])

    async def callback(self, interaction):
        await interaction.response.send_message(f"hello {interaction.text_values['name']}")


@bot.slash_command(description="Answer")
async def ping(interaction):
    await interaction.response.send_message("pong", view=More())


@bot.slash_command(description="Suggest")
async def find(interaction, what: str):
    await interaction.response.send_message(f"chose {what}")


@find.autocomplete("what")
async def suggest(interaction, what: str):
    return {f"found {what}": f"{what}!"}


@bot.slash_command(description="Ask back")
async def form(interaction):
    await interaction.response.send_modal(Form())


@bot.slash_command(description="Write")
async def write(interaction):
    message = await interaction.channel.send("one")
    await message.edit(content="two")
    await message.add_reaction("👍")
    await interaction.response.send_message("written")


@bot.slash_command(description="Change a role")
async def role(interaction):
    await disnake.utils.get(interaction.guild.roles, name="guests").edit(name="regulars")
    await interaction.response.send_message("changed")


@bot.slash_command(name="seen", description="List events")
async def list_seen(interaction):
    await interaction.response.send_message(" ".join(sorted(seen)))


@bot.event
async def on_message(message):
    seen.add("MESSAGE_CREATE")


@bot.event
async def on_raw_message_edit(payload):
    seen.add("MESSAGE_UPDATE")


@bot.event
async def on_raw_reaction_add(payload):
    seen.add("MESSAGE_REACTION_ADD")


@bot.event
async def on_guild_role_update(before, after):
    seen.add("GUILD_ROLE_UPDATE")


@bot.event
async def on_resumed():
    await bot.get_channel(CHANNEL).send("resumed")


bot.run(os.environ["DISCORD_TOKEN"])
