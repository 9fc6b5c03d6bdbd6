"""A bot with interactions.py, written for Discord alone."""

import os

import interactions as ipy
from interactions.api import events

CHANNEL = 1300000000000000310
seen = set()
bot = ipy.Client(intents=ipy.Intents.GUILDS | ipy.Intents.GUILD_MESSAGES | ipy.Intents.GUILD_MESSAGE_REACTIONS, token=os.environ["DISCORD_TOKEN"])


@ipy.slash_command("ping", description="Answer")
async def ping(ctx):
    await ctx.send("pong", components=ipy.Button(style=ipy.ButtonStyle.PRIMARY, label="More", custom_id="more"))


@ipy.component_callback("more")
async def more(ctx):
    await ctx.send("more pong")


@ipy.slash_command("find", description="Suggest")
@ipy.slash_option("what", "What", opt_type=ipy.OptionType.STRING, required=True, autocomplete=True)
async def find(ctx, what):
    await ctx.send(f"chose {what}")


@find.autocomplete("what")
async def suggest(ctx):
    await ctx.send([{"name": f"found {ctx.input_text}", "value": f"{ctx.input_text}!"}])


@ipy.slash_command("form", description="Ask back")
async def form(ctx):
    await ctx.send_modal(ipy.Modal(ipy.ShortText(label="Name", custom_id="name"), title="Form", custom_id="form"))


@ipy.modal_callback("form")
async def submitted(ctx, name):
    await ctx.send(f"hello {name}")


@ipy.slash_command("write", description="Write")
async def write(ctx):
    message = await ctx.channel.send("one")
    await message.edit(content="two")
    await message.add_reaction("👍")
    await ctx.send("written")


@ipy.slash_command("role", description="Change a role")
async def role(ctx):
    await next(r for r in ctx.guild.roles if r.name == "guests").edit(name="regulars")
    await ctx.send("changed")


@ipy.slash_command("seen", description="List events")
async def list_seen(ctx):
    await ctx.send(" ".join(sorted(seen)))


@ipy.listen(events.MessageCreate)
async def message_created(event):
    seen.add("MESSAGE_CREATE")


@ipy.listen(events.MessageUpdate)
async def message_updated(event):
    seen.add("MESSAGE_UPDATE")


@ipy.listen(events.MessageReactionAdd)
async def reaction_added(event):
    seen.add("MESSAGE_REACTION_ADD")


@ipy.listen(events.RoleUpdate)
async def role_updated(event):
    seen.add("GUILD_ROLE_UPDATE")


@ipy.listen(events.Resume)
async def resumed(event):
    await bot.get_channel(CHANNEL).send("resumed")


bot.start()
