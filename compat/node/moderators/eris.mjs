// A bot with eris that runs a guild and prints the events that it gets. It knows nothing of Bellhop: "bellhop run" starts it.
import { Client } from 'eris';

const { GUILD_ID, VOICE_ID, EDITED_ID, KICKED_ID, BANNED_ID } = process.env;
const image = `data:image/png;base64,${process.env.IMAGE}`;
const reason = 'too loud';
// Guilds, members, moderation, expressions, invites, voice states, presences and scheduled events.
const client = new Client(`Bot ${process.env.DISCORD_TOKEN}`, { intents: 0b1_0000_0001_1100_1111 });
const events = {
  GUILD_UPDATE: 'guildUpdate',
  GUILD_MEMBER_ADD: 'guildMemberAdd',
  GUILD_MEMBER_UPDATE: 'guildMemberUpdate',
  GUILD_MEMBER_REMOVE: 'guildMemberRemove',
  GUILD_BAN_ADD: 'guildBanAdd',
  GUILD_BAN_REMOVE: 'guildBanRemove',
  GUILD_ROLE_CREATE: 'guildRoleCreate',
  GUILD_ROLE_UPDATE: 'guildRoleUpdate',
  GUILD_ROLE_DELETE: 'guildRoleDelete',
  CHANNEL_CREATE: 'channelCreate',
  CHANNEL_UPDATE: 'channelUpdate',
  CHANNEL_DELETE: 'channelDelete',
  INVITE_CREATE: 'inviteCreate',
  INVITE_DELETE: 'inviteDelete',
  GUILD_EMOJIS_UPDATE: 'guildEmojisUpdate',
  GUILD_AUDIT_LOG_ENTRY_CREATE: 'guildAuditLogEntryCreate',
  PRESENCE_UPDATE: 'presenceUpdate',
  VOICE_STATE_UPDATE: 'voiceChannelJoin',
  GUILD_SCHEDULED_EVENT_CREATE: 'guildScheduledEventCreate',
  GUILD_SCHEDULED_EVENT_UPDATE: 'guildScheduledEventUpdate',
  GUILD_SCHEDULED_EVENT_DELETE: 'guildScheduledEventDelete',
};
for (const [name, event] of Object.entries(events)) {
  client.on(event, () => console.log('event', name));
}
client.on('error', (error) => console.error(error));

client.once('ready', async () => {
  await runMembers();
  await runChannels();
  await runRest();
  console.log('managed');
});

async function runMembers() {
  await client.editGuildMember(GUILD_ID, EDITED_ID, { nick: 'Chef' }, reason);
  const role = await client.createRole(GUILD_ID, { name: 'cook' }, reason);
  await client.editRole(GUILD_ID, role.id, { name: 'cooks', color: 0x3366ff, hoist: true }, reason);
  const gone = await client.createRole(GUILD_ID, { name: 'gone' }, reason);
  await client.editRolePosition(GUILD_ID, role.id, 2);
  await client.deleteRole(GUILD_ID, gone.id, reason);
  await client.addGuildMemberRole(GUILD_ID, EDITED_ID, role.id, reason);
  await client.editGuildMember(GUILD_ID, EDITED_ID, { communicationDisabledUntil: new Date(Date.now() + 3_600_000) }, reason);
  await client.kickGuildMember(GUILD_ID, KICKED_ID, reason);
  await client.banGuildMember(GUILD_ID, BANNED_ID, 1, reason);
  const bans = await client.getGuildBans(GUILD_ID);
  if (bans.find((ban) => ban.user.id === BANNED_ID)?.reason !== reason) throw new Error('the ban has another reason');
  await client.unbanGuildMember(GUILD_ID, BANNED_ID, reason);
}

async function runChannels() {
  await client.editGuild(GUILD_ID, { name: 'Diner', icon: image }, reason);
  const channel = await client.createChannel(GUILD_ID, 'orders', 0, { reason });
  await client.editChannel(channel.id, { topic: 'Orders' }, reason);
  await client.editChannelPermission(channel.id, GUILD_ID, 0, 2048, 0, reason);
  const gone = await client.createChannel(GUILD_ID, 'gone', 0, { reason });
  await client.deleteChannel(gone.id, reason);
  const invite = await client.createChannelInvite(channel.id, { maxAge: 60, unique: true }, reason);
  const invites = await client.getGuildInvites(GUILD_ID);
  if (!invites.some(({ code }) => code === invite.code)) throw new Error('the invite is not listed');
  await client.deleteInvite(invite.code, reason);
}

async function runRest() {
  const emoji = await client.createGuildEmoji(GUILD_ID, { name: 'chef', image }, reason);
  await client.editGuildEmoji(GUILD_ID, emoji.id, { name: 'cook' }, reason);
  await client.deleteGuildEmoji(GUILD_ID, emoji.id, reason);
  await client.editSelf({ avatar: image });
  const start = Date.now() + 3_600_000;
  const event = await client.createGuildScheduledEvent(GUILD_ID, {
    name: 'Dinner', scheduledStartTime: new Date(start), scheduledEndTime: new Date(start + 3_600_000), privacyLevel: 2, entityType: 3,
    entityMetadata: { location: 'Hall' },
  }, reason);
  await client.editGuildScheduledEvent(GUILD_ID, event.id, { name: 'Supper' }, reason);
  await client.deleteGuildScheduledEvent(GUILD_ID, event.id);
  client.editStatus('idle', [{ name: 'orders', type: 0 }]);
  client.guilds.get(GUILD_ID).shard.sendWS(4, { guild_id: GUILD_ID, channel_id: VOICE_ID, self_mute: false, self_deaf: false });
  const log = await client.getGuildAuditLog(GUILD_ID, { actionType: 20 });
  if (log.entries[0].reason !== reason || log.entries[0].targetID !== KICKED_ID) throw new Error('the audit log lacks the kick');
}

await client.connect();
