// A bot with the shards and the REST handler of seyfert that runs a guild and prints the events that it gets. It knows nothing of
// Bellhop: "bellhop run" starts it.
import { ApiHandler, ShardManager } from 'seyfert';

const { GUILD_ID, VOICE_ID, EDITED_ID, KICKED_ID, BANNED_ID } = process.env;
const token = process.env.DISCORD_TOKEN;
const image = `data:image/png;base64,${process.env.IMAGE}`;
const reason = 'too loud';
const rest = new ApiHandler({ token });
const guild = rest.proxy.guilds(GUILD_ID);
const manager = new ShardManager({
  // Guilds, members, moderation, expressions, invites, voice states, presences and scheduled events.
  token, intents: 0b1_0000_0001_1100_1111, info: await rest.proxy.gateway.bot.get(),
  handlePayload(shard, { t }) {
    if (t !== 'READY') console.log('event', t);
    else run().catch((error) => console.error(error));
  },
});

async function run() {
  await runMembers();
  await runChannels();
  await runRest();
  console.log('managed');
}

async function runMembers() {
  const member = guild.members(EDITED_ID);
  await member.patch({ body: { nick: 'Chef' }, reason });
  const role = await guild.roles.post({ body: { name: 'cook' }, reason });
  await guild.roles(role.id).patch({ body: { name: 'cooks', color: 0x3366ff, hoist: true }, reason });
  const gone = await guild.roles.post({ body: { name: 'gone' }, reason });
  await guild.roles.patch({ body: [{ id: role.id, position: 2 }], reason });
  await guild.roles(gone.id).delete({ reason });
  await member.roles(role.id).put({ reason });
  await member.patch({ body: { communication_disabled_until: new Date(Date.now() + 3_600_000).toISOString() }, reason });
  await guild.members(KICKED_ID).delete({ reason });
  await guild.bans(BANNED_ID).put({ body: { delete_message_seconds: 60 }, reason });
  const bans = await guild.bans.get();
  if (bans.find((ban) => ban.user.id === BANNED_ID)?.reason !== reason) throw new Error('the ban has another reason');
  await guild.bans(BANNED_ID).delete({ reason });
}

async function runChannels() {
  await guild.patch({ body: { name: 'Diner', icon: image }, reason });
  const channel = await guild.channels.post({ body: { name: 'orders', type: 0 }, reason });
  const orders = rest.proxy.channels(channel.id);
  await orders.patch({ body: { topic: 'Orders' }, reason });
  await orders.permissions(GUILD_ID).put({ body: { type: 0, deny: '2048' }, reason });
  const gone = await guild.channels.post({ body: { name: 'gone', type: 0 }, reason });
  await rest.proxy.channels(gone.id).delete({ reason });
  const invite = await orders.invites.post({ body: { max_age: 60, unique: true }, reason });
  const invites = await guild.invites.get();
  if (!invites.some(({ code }) => code === invite.code)) throw new Error('the invite is not listed');
  await rest.proxy.invites(invite.code).delete({ reason });
}

async function runRest() {
  const emoji = await guild.emojis.post({ body: { name: 'chef', image }, reason });
  await guild.emojis(emoji.id).patch({ body: { name: 'cook' }, reason });
  await guild.emojis(emoji.id).delete({ reason });
  await rest.proxy.users('@me').patch({ body: { avatar: image } });
  const start = Date.now() + 3_600_000;
  const event = await guild['scheduled-events'].post({
    body: {
      name: 'Dinner', scheduled_start_time: new Date(start).toISOString(), scheduled_end_time: new Date(start + 3_600_000).toISOString(),
      privacy_level: 2, entity_type: 3, entity_metadata: { location: 'Hall' },
    },
    reason,
  });
  await guild['scheduled-events'](event.id).patch({ body: { name: 'Supper' }, reason });
  await guild['scheduled-events'](event.id).delete();
  manager.setPresence({ status: 'idle', afk: false, since: null, activities: [{ name: 'orders', type: 0 }] });
  manager.joinVoice(GUILD_ID, VOICE_ID, { self_mute: false, self_deaf: false });
  const log = await guild['audit-logs'].get({ query: { action_type: 20 } });
  const [kick] = log.audit_log_entries;
  if (kick.reason !== reason || kick.target_id !== KICKED_ID) throw new Error('the audit log lacks the kick');
}

await manager.spawnShards();
