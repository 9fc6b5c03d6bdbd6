// A bot with eris. The library supports only HTTPS.
import { Agent } from 'node:https';
import { Client } from 'eris';
import { answerTo, permissionsLine } from './answers.mjs';

const { hostname, port } = new URL(process.env.BELLHOP_TLS_URL);
const agent = new Agent({ keepAlive: true });
agent.defaultPort = port; // eris has no option for the port

const client = new Client(`Bot ${process.env.BELLHOP_BOT_TOKEN}`, {
  intents: ['guilds'], rest: { domain: hostname, baseURL: '/api/v10', agent },
});

client.once('ready', () => console.log('ready'));
client.on('shardResume', () => console.log('resumed'));
client.on('error', (error) => console.error(error));
client.on('applicationCommandPermissionsUpdate', ({ id, permissions }) => console.log(permissionsLine(id, permissions)));
client.on('rawWS', ({ t, d }) => { // the raw event: the library does not support modals
  if (t === 'INTERACTION_CREATE') answer(d).catch((error) => console.error(error));
});

async function answer(interaction) {
  const { first, then } = answerTo(interaction);
  await client.createInteractionResponse(interaction.id, interaction.token, first);
  if (!then) return;
  await client.editWebhookMessage(interaction.application_id, interaction.token, '@original', { content: then[0] });
  await client.executeWebhook(interaction.application_id, interaction.token, { content: then[1], wait: true });
}

await client.connect();
