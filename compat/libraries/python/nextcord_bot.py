"""A bot with nextcord, written for Discord alone."""

import os

import nextcord
from nextcord.ext import commands

CHANNEL = 1300000000000000310
seen = set()
bot = commands.Bot(intents=nextcord.Intents(guilds=True, guild_messages=True, guild_reactions=True))


class More(nextcord.ui.View):
    @nextcord.ui.button(label="More")
    async def more(self, button, interaction):
        await interaction.response.send_message("more pong")


class Form(nextcord.ui.Modal):
    def __init__(self):
        super().__init__("Form")
        self.name = nextcord.ui.TextInput(label="Name")
        self.add_item(self.name)

    async def callback(self, interaction):
        await interaction.response.send_message(f"hello {self.name.value}")


@bot.slash_command(description="Answer")
async def ping(interaction: nextcord.Interaction):
    await interaction.response.send_message("pong", view=More())


@bot.slash_command(description="Suggest")
async def find(interaction: nextcord.Interaction, what: str):
    await interaction.response.send_message(f"chose {what}")


@find.on_autocomplete("what")
async def suggest(interaction, what):
    await interaction.response.send_autocomplete({f"found {what}": f"{what}!"})


@bot.slash_command(description="Ask back")
async def form(interaction: nextcord.Interaction):
    await interaction.response.send_modal(Form())


@bot.slash_command(description="Write")
async def write(interaction: nextcord.Interaction):
    message = await interaction.channel.send("one")
    await message.edit(content="two")
    await message.add_reaction("👍")
    await interaction.response.send_message("written")


@bot.slash_command(description="Change a role")
async def role(interaction: nextcord.Interaction):
    await nextcord.utils.get(interaction.guild.roles, name="guests").edit(name="regulars")
    await interaction.response.send_message("changed")


@bot.slash_command(name="seen", description="List events")
async def list_seen(interaction: nextcord.Interaction):
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
