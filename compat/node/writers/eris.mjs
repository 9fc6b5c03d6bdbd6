// A bot with eris that writes in a channel and prints the events that it gets. It knows nothing of Bellhop: "bellhop run" starts it.
import { Client } from 'eris';

const channel = process.env.CHANNEL_ID;
const client = new Client(`Bot ${process.env.DISCORD_TOKEN}`, {
  intents: ['guilds', 'guildMessages', 'guildMessageReactions', 'guildWebhooks'],
});
const seen = (id, name) => id === channel && console.log('event', name);

client.on('error', (error) => console.error(error));
client.on('messageCreate', (message) => seen(message.channel.id, 'MESSAGE_CREATE'));
client.on('messageUpdate', (message) => seen(message.channel.id, 'MESSAGE_UPDATE'));
client.on('messageDeleteBulk', (messages) => seen(messages[0].channel.id, 'MESSAGE_DELETE_BULK'));
client.on('messageReactionAdd', (message) => seen(message.channel.id, 'MESSAGE_REACTION_ADD'));
client.on('threadCreate', (thread) => seen(thread.parentID, 'THREAD_CREATE'));
client.on('webhooksUpdate', (update) => seen(update.channelID, 'WEBHOOKS_UPDATE'));
client.once('ready', async () => {
  const one = await client.createMessage(channel, 'one');
  await client.editMessage(channel, one.id, 'two');
  await client.createMessage(channel, { content: 'reply', messageReference: { messageID: one.id } });
  await client.addMessageReaction(channel, one.id, '👍');
  await client.createMessage(channel, 'file', { file: Buffer.from('hello'), name: 'notes.txt' });
  const doomed = [await client.createMessage(channel, 'x'), await client.createMessage(channel, 'y')];
  await client.deleteMessages(channel, doomed.map(({ id }) => id));
  const thread = await client.createThreadWithMessage(channel, one.id, { name: 'talk', autoArchiveDuration: 60 });
  await client.createMessage(thread.id, 'in thread');
  const hook = await client.createChannelWebhook(channel, { name: 'hook' });
  await client.executeWebhook(hook.id, hook.token, { content: 'hooked', wait: true });
  console.log('written');
});

await client.connect();
