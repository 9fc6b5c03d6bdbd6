// A bot with only @discordjs/rest and @discordjs/ws. It uses a zlib stream.
import { createRequire } from 'node:module';
import { REST } from '@discordjs/rest';
import { answerTo, permissionsLine } from './answers.mjs';

// The copy of @discordjs/ws that discord.js depends on.
const { CompressionMethod, WebSocketManager, WebSocketShardEvents } = createRequire(import.meta.resolve('discord.js'))('@discordjs/ws');

const origin = process.env.BELLHOP_URL;
const token = process.env.BELLHOP_BOT_TOKEN;

const rest = new REST({ version: '10', api: `${origin}/api` }).setToken(token);
const manager = new WebSocketManager({ token, intents: 1, rest, compression: CompressionMethod.ZlibNative });

manager.on(WebSocketShardEvents.Ready, () => console.log('ready'));
manager.on(WebSocketShardEvents.Resumed, () => console.log('resumed'));
manager.on(WebSocketShardEvents.Error, (error) => console.error(error));
manager.on(WebSocketShardEvents.Dispatch, ({ data, t, d }) => { // the argument differs between versions of the package
  const payload = data ?? { t, d };
  if (payload.t === 'APPLICATION_COMMAND_PERMISSIONS_UPDATE') console.log(permissionsLine(payload.d.id, payload.d.permissions));
  if (payload.t === 'INTERACTION_CREATE') answer(payload.d).catch((error) => console.error(error));
});

async function answer(interaction) {
  const { first, then } = answerTo(interaction);
  await rest.post(`/interactions/${interaction.id}/${interaction.token}/callback`, { body: first, auth: false });
  if (!then) return;
  const webhook = `/webhooks/${interaction.application_id}/${interaction.token}`;
  await rest.patch(`${webhook}/messages/@original`, { body: { content: then[0] }, auth: false });
  await rest.post(webhook, { body: { content: then[1] }, auth: false });
}

await manager.connect();
