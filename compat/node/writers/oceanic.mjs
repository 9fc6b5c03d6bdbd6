// A bot with oceanic.js that writes in a channel and prints the events that it gets. It knows nothing of Bellhop: "bellhop run" starts it.
import { Client } from 'oceanic.js';

const channel = process.env.CHANNEL_ID;
const client = new Client({
  auth: `Bot ${process.env.DISCORD_TOKEN}`, gateway: { intents: ['GUILDS', 'GUILD_MESSAGES', 'GUILD_MESSAGE_REACTIONS', 'GUILD_WEBHOOKS'] },
});
const seen = (id, name) => id === channel && console.log('event', name);

client.on('error', (error) => console.error(error));
client.on('messageCreate', (message) => seen(message.channelID, 'MESSAGE_CREATE'));
client.on('messageUpdate', (message) => seen(message.channelID, 'MESSAGE_UPDATE'));
client.on('messageDeleteBulk', (messages) => seen(messages[0].channelID ?? messages[0].channel?.id, 'MESSAGE_DELETE_BULK'));
client.on('messageReactionAdd', (message) => seen(message.channelID ?? message.channel?.id, 'MESSAGE_REACTION_ADD'));
client.on('threadCreate', (thread) => seen(thread.parentID, 'THREAD_CREATE'));
client.on('webhooksUpdate', (guild, updated) => seen(updated.id, 'WEBHOOKS_UPDATE'));
client.once('ready', async () => {
  const { channels, webhooks } = client.rest;
  const one = await channels.createMessage(channel, { content: 'one' });
  await channels.editMessage(channel, one.id, { content: 'two' });
  await channels.createMessage(channel, { content: 'reply', messageReference: { messageID: one.id } });
  await channels.createReaction(channel, one.id, '👍');
  await channels.createMessage(channel, { content: 'file', files: [{ name: 'notes.txt', contents: Buffer.from('hello') }] });
  const doomed = [await channels.createMessage(channel, { content: 'x' }), await channels.createMessage(channel, { content: 'y' })];
  await channels.deleteMessages(channel, doomed.map(({ id }) => id));
  const thread = await channels.startThreadFromMessage(channel, one.id, { name: 'talk' });
  await channels.createMessage(thread.id, { content: 'in thread' });
  const hook = await webhooks.create(channel, { name: 'hook' });
  await webhooks.execute(hook.id, hook.token, { content: 'hooked', wait: true });
  console.log('written');
});

await client.connect();
