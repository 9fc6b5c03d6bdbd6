// A bot with discord.js that writes in a channel and prints the events that it gets. It knows nothing of Bellhop: "bellhop run" starts it.
import { Client, Events, GatewayIntentBits as Intents } from 'discord.js';

const client = new Client({ intents: [Intents.Guilds, Intents.GuildMessages, Intents.GuildMessageReactions, Intents.GuildWebhooks] });
const seen = (channel, name) => channel === process.env.CHANNEL_ID && console.log('event', name);

client.on(Events.MessageCreate, (message) => seen(message.channelId, 'MESSAGE_CREATE'));
client.on(Events.MessageUpdate, (before, after) => seen(after.channelId, 'MESSAGE_UPDATE'));
client.on(Events.MessageBulkDelete, (messages, channel) => seen(channel.id, 'MESSAGE_DELETE_BULK'));
client.on(Events.MessageReactionAdd, (reaction) => seen(reaction.message.channelId, 'MESSAGE_REACTION_ADD'));
client.on(Events.ThreadCreate, (thread) => seen(thread.parentId, 'THREAD_CREATE'));
client.on(Events.WebhooksUpdate, (channel) => seen(channel.id, 'WEBHOOKS_UPDATE'));
client.once(Events.ClientReady, async () => {
  const channel = await client.channels.fetch(process.env.CHANNEL_ID);
  const one = await channel.send('one');
  await one.edit('two');
  await one.reply('reply');
  await one.react('👍');
  await channel.send({ content: 'file', files: [{ attachment: Buffer.from('hello'), name: 'notes.txt' }] });
  await channel.bulkDelete([await channel.send('x'), await channel.send('y')]);
  const thread = await one.startThread({ name: 'talk' });
  await thread.send('in thread');
  const hook = await channel.createWebhook({ name: 'hook' });
  await hook.send('hooked');
  console.log('written');
});

await client.login(process.env.DISCORD_TOKEN);
