"""A bot with discord.py that runs a guild and prints the events that it gets. It knows nothing of Bellhop: "bellhop run" starts it."""

import base64
import datetime
import os

import discord

guild_id, voice_id, edited_id, kicked_id, banned_id = (
    int(os.environ[name]) for name in ("GUILD_ID", "VOICE_ID", "EDITED_ID", "KICKED_ID", "BANNED_ID")
)
image = base64.b64decode(os.environ["IMAGE"])
reason = "too loud"
hour = datetime.timedelta(hours=1)
events = {
    "GUILD_UPDATE": "guild_update",
    "GUILD_MEMBER_ADD": "member_join",
    "GUILD_MEMBER_UPDATE": "member_update",
    "GUILD_MEMBER_REMOVE": "member_remove",
    "GUILD_BAN_ADD": "member_ban",
    "GUILD_BAN_REMOVE": "member_unban",
    "GUILD_ROLE_CREATE": "guild_role_create",
    "GUILD_ROLE_UPDATE": "guild_role_update",
    "GUILD_ROLE_DELETE": "guild_role_delete",
    "CHANNEL_CREATE": "guild_channel_create",
    "CHANNEL_UPDATE": "guild_channel_update",
    "CHANNEL_DELETE": "guild_channel_delete",
    "INVITE_CREATE": "invite_create",
    "INVITE_DELETE": "invite_delete",
    "GUILD_EMOJIS_UPDATE": "guild_emojis_update",
    "GUILD_AUDIT_LOG_ENTRY_CREATE": "audit_log_entry_create",
    "PRESENCE_UPDATE": "presence_update",
    "VOICE_STATE_UPDATE": "voice_state_update",
    "GUILD_SCHEDULED_EVENT_CREATE": "scheduled_event_create",
    "GUILD_SCHEDULED_EVENT_UPDATE": "scheduled_event_update",
    "GUILD_SCHEDULED_EVENT_DELETE": "scheduled_event_delete",
}


class Bot(discord.Client):
    def dispatch(self, event, /, *args, **kwargs):
        for name, known in events.items():
            if event == known:
                print("event", name, flush=True)
        super().dispatch(event, *args, **kwargs)

    async def on_ready(self):
        guild = self.get_guild(guild_id)
        await self.run_members(guild)
        await self.run_channels(guild)
        await self.run_rest(guild)
        print("managed", flush=True)

    async def run_members(self, guild):
        member = await guild.fetch_member(edited_id)
        await member.edit(nick="Chef", reason=reason)
        role = await guild.create_role(name="cook", reason=reason)
        await role.edit(name="cooks", colour=0x3366FF, hoist=True, reason=reason)
        gone = await guild.create_role(name="gone", reason=reason)
        await guild.edit_role_positions({role: 2}, reason=reason)
        await gone.delete(reason=reason)
        await member.add_roles(role, reason=reason)
        await member.timeout(hour, reason=reason)
        await guild.kick(discord.Object(kicked_id), reason=reason)
        await guild.ban(discord.Object(banned_id), delete_message_seconds=60, reason=reason)
        assert (await guild.fetch_ban(discord.Object(banned_id))).reason == reason
        await guild.unban(discord.Object(banned_id), reason=reason)

    async def run_channels(self, guild):
        await guild.edit(name="Diner", icon=image, reason=reason)
        channel = await guild.create_text_channel("orders", reason=reason)
        await channel.edit(topic="Orders", reason=reason)
        await channel.set_permissions(guild.default_role, send_messages=False, reason=reason)
        gone = await guild.create_text_channel("gone", reason=reason)
        await gone.delete(reason=reason)
        invite = await channel.create_invite(max_age=60, unique=True, reason=reason)
        assert invite.code in [i.code for i in await guild.invites()]
        await invite.delete(reason=reason)

    async def run_rest(self, guild):
        emoji = await guild.create_custom_emoji(name="chef", image=image, reason=reason)
        await emoji.edit(name="cook", reason=reason)
        await emoji.delete(reason=reason)
        await self.user.edit(avatar=image)
        start = discord.utils.utcnow() + hour
        event = await guild.create_scheduled_event(
            name="Dinner",
            start_time=start,
            end_time=start + hour,
            privacy_level=discord.PrivacyLevel.guild_only,
            entity_type=discord.EntityType.external,
            location="Hall",
            reason=reason,
        )
        await event.edit(name="Supper", reason=reason)
        await event.delete(reason=reason)
        await self.change_presence(status=discord.Status.idle, activity=discord.Game("orders"))
        await guild.change_voice_state(channel=guild.get_channel(voice_id))
        kicks = [entry async for entry in guild.audit_logs(action=discord.AuditLogAction.kick)]
        assert [(kick.reason, kick.target.id) for kick in kicks] == [(reason, kicked_id)]


intents = discord.Intents(
    guilds=True,
    members=True,
    moderation=True,
    emojis_and_stickers=True,
    invites=True,
    voice_states=True,
    presences=True,
    guild_scheduled_events=True,
)
Bot(intents=intents).run(os.environ["DISCORD_TOKEN"])
