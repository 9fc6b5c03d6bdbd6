// A bot with the shards and the REST handler of seyfert. Its gateway supports only TLS and connects to the default port of
// the global HTTPS agent.
import { globalAgent } from 'node:https';
import { ApiHandler, ShardManager } from 'seyfert';
import { answerTo, permissionsLine } from './answers.mjs';

const origin = process.env.BELLHOP_TLS_URL;
const token = process.env.BELLHOP_BOT_TOKEN;

globalAgent.defaultPort = new URL(origin).port;
const rest = new ApiHandler({ token, domain: origin });
const manager = new ShardManager({
  token, intents: 1, info: await rest.proxy.gateway.bot.get(),
  handlePayload(shard, { t, d }) {
    if (t === 'READY') console.log('ready');
    if (t === 'RESUMED') console.log('resumed');
    if (t === 'APPLICATION_COMMAND_PERMISSIONS_UPDATE') console.log(permissionsLine(d.id, d.permissions));
    if (t === 'INTERACTION_CREATE') answer(d).catch((error) => console.error(error));
  },
});

async function answer(interaction) {
  const { first, then } = answerTo(interaction);
  await rest.proxy.interactions(interaction.id)(interaction.token).callback.post({ body: first });
  if (!then) return;
  const webhook = rest.proxy.webhooks(interaction.application_id)(interaction.token);
  await webhook.messages('@original').patch({ body: { content: then[0] } });
  await webhook.post({ body: { content: then[1] } });
}

await manager.spawnShards();
