// A bot with discord.js that runs a guild and prints the events that it gets. It knows nothing of Bellhop: "bellhop run" starts it.
import { AuditLogEvent, ChannelType, Client, Events, GatewayIntentBits as Intents } from 'discord.js';

const { GUILD_ID, VOICE_ID, EDITED_ID, KICKED_ID, BANNED_ID } = process.env;
const image = Buffer.from(process.env.IMAGE, 'base64');
const reason = 'too loud';
const client = new Client({
  intents: [
    Intents.Guilds, Intents.GuildMembers, Intents.GuildModeration, Intents.GuildExpressions, Intents.GuildInvites,
    Intents.GuildVoiceStates, Intents.GuildPresences, Intents.GuildScheduledEvents,
  ],
});
const events = {
  GUILD_UPDATE: Events.GuildUpdate,
  GUILD_MEMBER_ADD: Events.GuildMemberAdd,
  GUILD_MEMBER_UPDATE: Events.GuildMemberUpdate,
  GUILD_MEMBER_REMOVE: Events.GuildMemberRemove,
  GUILD_BAN_ADD: Events.GuildBanAdd,
  GUILD_BAN_REMOVE: Events.GuildBanRemove,
  GUILD_ROLE_CREATE: Events.GuildRoleCreate,
  GUILD_ROLE_UPDATE: Events.GuildRoleUpdate,
  GUILD_ROLE_DELETE: Events.GuildRoleDelete,
  CHANNEL_CREATE: Events.ChannelCreate,
  CHANNEL_UPDATE: Events.ChannelUpdate,
  CHANNEL_DELETE: Events.ChannelDelete,
  INVITE_CREATE: Events.InviteCreate,
  INVITE_DELETE: Events.InviteDelete,
  GUILD_EMOJIS_UPDATE: Events.GuildEmojiUpdate,
  GUILD_AUDIT_LOG_ENTRY_CREATE: Events.GuildAuditLogEntryCreate,
  PRESENCE_UPDATE: Events.PresenceUpdate,
  VOICE_STATE_UPDATE: Events.VoiceStateUpdate,
  GUILD_SCHEDULED_EVENT_CREATE: Events.GuildScheduledEventCreate,
  GUILD_SCHEDULED_EVENT_UPDATE: Events.GuildScheduledEventUpdate,
  GUILD_SCHEDULED_EVENT_DELETE: Events.GuildScheduledEventDelete,
};
for (const [name, event] of Object.entries(events)) {
  client.on(event, () => console.log('event', name));
}

client.once(Events.ClientReady, async () => {
  const guild = await client.guilds.fetch(GUILD_ID);
  await runMembers(guild);
  await runChannels(guild);
  await runRest(guild);
  console.log('managed');
});

async function runMembers(guild) {
  const member = await guild.members.fetch(EDITED_ID);
  await member.setNickname('Chef', reason);
  const role = await guild.roles.create({ name: 'cook', reason });
  await role.edit({ name: 'cooks', colors: { primaryColor: 0x3366ff }, hoist: true, reason });
  const gone = await guild.roles.create({ name: 'gone', reason });
  await guild.roles.setPositions([{ role: role.id, position: 2 }]);
  await gone.delete(reason);
  await member.roles.add(role, reason);
  await member.timeout(3_600_000, reason);
  await guild.members.kick(KICKED_ID, reason);
  await guild.bans.create(BANNED_ID, { deleteMessageSeconds: 60, reason });
  if ((await guild.bans.fetch()).get(BANNED_ID)?.reason !== reason) throw new Error('the ban has another reason');
  await guild.bans.remove(BANNED_ID, reason);
}

async function runChannels(guild) {
  await guild.edit({ name: 'Diner', icon: image, reason });
  const channel = await guild.channels.create({ name: 'orders', type: ChannelType.GuildText, reason });
  await channel.edit({ topic: 'Orders', reason });
  await channel.permissionOverwrites.create(guild.roles.everyone, { SendMessages: false }, { reason });
  const gone = await guild.channels.create({ name: 'gone', type: ChannelType.GuildText, reason });
  await gone.delete(reason);
  const invite = await channel.createInvite({ maxAge: 60, unique: true, reason });
  if (!(await guild.invites.fetch()).has(invite.code)) throw new Error('the invite is not listed');
  await invite.delete(reason);
}

async function runRest(guild) {
  const emoji = await guild.emojis.create({ attachment: image, name: 'chef', reason });
  await emoji.edit({ name: 'cook', reason });
  await emoji.delete(reason);
  await client.user.setAvatar(image);
  const start = Date.now() + 3_600_000;
  const event = await guild.scheduledEvents.create({
    name: 'Dinner', scheduledStartTime: start, scheduledEndTime: start + 3_600_000, privacyLevel: 2, entityType: 3,
    entityMetadata: { location: 'Hall' }, reason,
  });
  await event.edit({ name: 'Supper', reason });
  await event.delete();
  client.user.setPresence({ status: 'idle', activities: [{ name: 'orders' }] });
  guild.shard.send({ op: 4, d: { guild_id: GUILD_ID, channel_id: VOICE_ID, self_mute: false, self_deaf: false } });
  const log = await guild.fetchAuditLogs({ type: AuditLogEvent.MemberKick });
  if (log.entries.first().reason !== reason || log.entries.first().target.id !== KICKED_ID) throw new Error('the audit log lacks the kick');
}

await client.login(process.env.DISCORD_TOKEN);
