"""A bot with discord.py that writes in a channel and prints the events that it gets. It knows nothing of Bellhop: "bellhop run" starts it."""

import io
import os

import discord

channel_id = int(os.environ["CHANNEL_ID"])


def seen(channel, name):
    if channel == channel_id:
        print("event", name, flush=True)


class Bot(discord.Client):
    async def on_message(self, message):
        seen(message.channel.id, "MESSAGE_CREATE")

    async def on_raw_message_edit(self, payload):
        seen(payload.channel_id, "MESSAGE_UPDATE")

    async def on_raw_bulk_message_delete(self, payload):
        seen(payload.channel_id, "MESSAGE_DELETE_BULK")

    async def on_raw_reaction_add(self, payload):
        seen(payload.channel_id, "MESSAGE_REACTION_ADD")

    async def on_thread_create(self, thread):
        seen(thread.parent_id, "THREAD_CREATE")

    async def on_webhooks_update(self, channel):
        seen(channel.id, "WEBHOOKS_UPDATE")

    async def on_ready(self):
        channel = await self.fetch_channel(channel_id)
        one = await channel.send("one")
        await one.edit(content="two")
        await one.reply("reply")
        await one.add_reaction("👍")
        await channel.send("file", file=discord.File(io.BytesIO(b"hello"), "notes.txt"))
        await channel.delete_messages([await channel.send("x"), await channel.send("y")])
        thread = await one.create_thread(name="talk")
        await thread.send("in thread")
        hook = await channel.create_webhook(name="hook")
        await hook.send("hooked", wait=True)
        print("written", flush=True)


intents = discord.Intents(guilds=True, guild_messages=True, guild_reactions=True, webhooks=True)
Bot(intents=intents).run(os.environ["DISCORD_TOKEN"])
