// A bot with the shards and the REST handler of seyfert that writes in a channel and prints the events that it gets. It knows nothing of
// Bellhop: "bellhop run" starts it.
import { ApiHandler, ShardManager } from 'seyfert';

const token = process.env.DISCORD_TOKEN;
const channel = process.env.CHANNEL_ID;
const rest = new ApiHandler({ token });
const events = ['MESSAGE_CREATE', 'MESSAGE_UPDATE', 'MESSAGE_DELETE_BULK', 'MESSAGE_REACTION_ADD', 'THREAD_CREATE', 'WEBHOOKS_UPDATE'];
const manager = new ShardManager({
  token, intents: 1 | (1 << 5) | (1 << 9) | (1 << 10), info: await rest.proxy.gateway.bot.get(),
  handlePayload(shard, { t, d }) {
    if (events.includes(t) && (t === 'THREAD_CREATE' ? d.parent_id : d.channel_id) === channel) console.log('event', t);
    if (t === 'READY') write().catch((error) => console.error(error));
  },
});

async function write() {
  const { messages } = rest.proxy.channels(channel);
  const one = await messages.post({ body: { content: 'one' } });
  const message = rest.proxy.channels(channel).messages(one.id);
  await message.patch({ body: { content: 'two' } });
  await messages.post({ body: { content: 'reply', message_reference: { message_id: one.id } } });
  await message.reactions(encodeURIComponent('👍'))('@me').put();
  await messages.post({ body: { content: 'file' }, files: [{ filename: 'notes.txt', data: Buffer.from('hello') }] });
  const doomed = [await messages.post({ body: { content: 'x' } }), await messages.post({ body: { content: 'y' } })];
  await messages['bulk-delete'].post({ body: { messages: doomed.map(({ id }) => id) } });
  const thread = await message.threads.post({ body: { name: 'talk' } });
  await rest.proxy.channels(thread.id).messages.post({ body: { content: 'in thread' } });
  const hook = await rest.proxy.channels(channel).webhooks.post({ body: { name: 'hook' } });
  await rest.proxy.webhooks(hook.id)(hook.token).post({ body: { content: 'hooked' }, query: { wait: true } });
  console.log('written');
}

await manager.spawnShards();
