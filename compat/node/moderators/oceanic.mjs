// A bot with oceanic.js that runs a guild and prints the events that it gets. It knows nothing of Bellhop: "bellhop run" starts it.
import { Client } from 'oceanic.js';

const { GUILD_ID, VOICE_ID, EDITED_ID, KICKED_ID, BANNED_ID } = process.env;
const image = Buffer.from(process.env.IMAGE, 'base64');
const reason = 'too loud';
const client = new Client({
  auth: `Bot ${process.env.DISCORD_TOKEN}`,
  gateway: {
    intents: [
      'GUILDS', 'GUILD_MEMBERS', 'GUILD_MODERATION', 'GUILD_EXPRESSIONS', 'GUILD_INVITES', 'GUILD_VOICE_STATES', 'GUILD_PRESENCES',
      'GUILD_SCHEDULED_EVENTS',
    ],
  },
});
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
  VOICE_STATE_UPDATE: 'voiceStateUpdate',
  GUILD_SCHEDULED_EVENT_CREATE: 'guildScheduledEventCreate',
  GUILD_SCHEDULED_EVENT_UPDATE: 'guildScheduledEventUpdate',
  GUILD_SCHEDULED_EVENT_DELETE: 'guildScheduledEventDelete',
};
for (const [name, event] of Object.entries(events)) {
  client.on(event, () => console.log('event', name));
}
client.on('error', (error) => console.error(error));

const { channels, guilds, users } = client.rest;
client.once('ready', async () => {
  await runMembers();
  await runChannels();
  await runRest();
  console.log('managed');
});

async function runMembers() {
  await guilds.editMember(GUILD_ID, EDITED_ID, { nick: 'Chef', reason });
  const role = await guilds.createRole(GUILD_ID, { name: 'cook', reason });
  await guilds.editRole(GUILD_ID, role.id, { name: 'cooks', color: 0x3366ff, hoist: true, reason });
  const gone = await guilds.createRole(GUILD_ID, { name: 'gone', reason });
  await guilds.editRolePositions(GUILD_ID, [{ id: role.id, position: 2 }], reason);
  await guilds.deleteRole(GUILD_ID, gone.id, reason);
  await guilds.addMemberRole(GUILD_ID, EDITED_ID, role.id, reason);
  await guilds.editMember(GUILD_ID, EDITED_ID, { communicationDisabledUntil: new Date(Date.now() + 3_600_000).toISOString(), reason });
  await guilds.removeMember(GUILD_ID, KICKED_ID, reason);
  await guilds.createBan(GUILD_ID, BANNED_ID, { deleteMessageSeconds: 60, reason });
  const bans = await guilds.getBans(GUILD_ID);
  if (bans.find((ban) => ban.user.id === BANNED_ID)?.reason !== reason) throw new Error('the ban has another reason');
  await guilds.removeBan(GUILD_ID, BANNED_ID, reason);
}

async function runChannels() {
  await guilds.edit(GUILD_ID, { name: 'Diner', icon: image, reason });
  const channel = await guilds.createChannel(GUILD_ID, 0, { name: 'orders', reason });
  await channels.edit(channel.id, { topic: 'Orders', reason });
  await channels.editPermission(channel.id, GUILD_ID, { type: 0, deny: 2048n, reason });
  const gone = await guilds.createChannel(GUILD_ID, 0, { name: 'gone', reason });
  await channels.delete(gone.id, reason);
  const invite = await channels.createInvite(channel.id, { maxAge: 60, unique: true, reason });
  const invites = await guilds.getInvites(GUILD_ID);
  if (!invites.some(({ code }) => code === invite.code)) throw new Error('the invite is not listed');
  await channels.deleteInvite(invite.code, reason);
}

async function runRest() {
  const emoji = await guilds.createEmoji(GUILD_ID, { name: 'chef', image, reason });
  await guilds.editEmoji(GUILD_ID, emoji.id, { name: 'cook', reason });
  await guilds.deleteEmoji(GUILD_ID, emoji.id, reason);
  await users.editSelf({ avatar: image });
  const start = Date.now() + 3_600_000;
  const event = await guilds.createScheduledEvent(GUILD_ID, {
    name: 'Dinner', scheduledStartTime: new Date(start).toISOString(), scheduledEndTime: new Date(start + 3_600_000).toISOString(),
    privacyLevel: 2, entityType: 3, entityMetadata: { location: 'Hall' }, reason,
  });
  await guilds.editScheduledEvent(GUILD_ID, event.id, { name: 'Supper', reason });
  await guilds.deleteScheduledEvent(GUILD_ID, event.id, reason);
  await client.editStatus('idle', [{ name: 'orders', type: 0 }]);
  client.guilds.get(GUILD_ID).shard.updateVoiceState(GUILD_ID, VOICE_ID, { selfDeaf: false, selfMute: false });
  const log = await guilds.getAuditLog(GUILD_ID, { actionType: 20 });
  if (log.entries[0].reason !== reason || log.entries[0].targetID !== KICKED_ID) throw new Error('the audit log lacks the kick');
}

await client.connect();
