// A bot with the shards and the REST handler of seyfert, written for Discord alone.
import { ApiHandler, ShardManager } from 'seyfert';
import { answerTo, channel, commands, intents, note } from './conversation.mjs';

const token = process.env.DISCORD_TOKEN;
const rest = new ApiHandler({ token });
const report = (error) => console.error(error);
const manager = new ShardManager({
  token, intents, info: await rest.proxy.gateway.bot.get(),
  handlePayload(shard, { t, d }) {
    note(t);
    if (t === 'READY') rest.proxy.applications(d.application.id).commands.put({ body: commands }).catch(report);
    if (t === 'RESUMED') rest.proxy.channels(channel).messages.post({ body: { content: 'resumed' } }).catch(report);
    if (t === 'INTERACTION_CREATE') answer(d).catch(report);
  },
});

async function answer(interaction) {
  const body = await answerTo(interaction, { write, rename });
  await rest.proxy.interactions(interaction.id)(interaction.token).callback.post({ body });
}

async function write(place) {
  const { messages } = rest.proxy.channels(place);
  const { id } = await messages.post({ body: { content: 'one' } });
  await rest.proxy.channels(place).messages(id).patch({ body: { content: 'two' } });
  await rest.proxy.channels(place).messages(id).reactions(encodeURIComponent('👍'))('@me').put();
}

async function rename(guild) {
  const role = (await rest.proxy.guilds(guild).roles.get()).find(({ name }) => name === 'guests');
  await rest.proxy.guilds(guild).roles(role.id).patch({ body: { name: 'regulars' } });
}

await manager.spawnShards();
