"""A bot with Pycord, written for Discord alone."""

import os

import discord

CHANNEL = 1300000000000000310
seen = set()
bot = discord.Bot(intents=discord.Intents(guilds=True, guild_messages=True, guild_reactions=True))


class More(discord.ui.View):
    @discord.ui.button(label="More")
    async def more(self, button, interaction):
        await interaction.response.send_message("more pong")


class Form(discord.ui.Modal):
    def __init__(self):
        super().__init__(discord.ui.InputText(label="Name"), title="Form")

    async def callback(self, interaction):
        await interaction.response.send_message(f"hello {self.children[0].value}")


async def suggest(context):
    return [discord.OptionChoice(f"found {context.value}", f"{context.value}!")]


@bot.slash_command(description="Answer")
async def ping(context):
    await context.respond("pong", view=More())


@bot.slash_command(description="Suggest")
@discord.option("what", str, autocomplete=suggest)
async def find(context, what):
    await context.respond(f"chose {what}")


@bot.slash_command(description="Ask back")
async def form(context):
    await context.send_modal(Form())


@bot.slash_command(description="Write")
async def write(context):
    message = await context.channel.send("one")
    await message.edit(content="two")
    await message.add_reaction("👍")
    await context.respond("written")


@bot.slash_command(description="Change a role")
async def role(context):
    await discord.utils.get(context.guild.roles, name="guests").edit(name="regulars")
    await context.respond("changed")


@bot.slash_command(name="seen", description="List events")
async def list_seen(context):
    await context.respond(" ".join(sorted(seen)))


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
