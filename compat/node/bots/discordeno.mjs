// A bot with discordeno.
import { createBot, GatewayIntents } from 'discordeno';
import { answerTo, permissionsLine } from './answers.mjs';

const origin = process.env.BELLHOP_URL;
const token = process.env.BELLHOP_BOT_TOKEN;

const bot = createBot({
  token,
  intents: GatewayIntents.Guilds,
  rest: { token, proxy: { baseUrl: `${origin}/api`, authorization: `Bot ${token}` } },
  desiredProperties: {},
  events: {
    ready: () => console.log('ready'),
    applicationCommandPermissionsUpdate: ({ id, permissions }) => console.log(permissionsLine(id, permissions)),
    raw: ({ t, d }) => {
      if (t === 'RESUMED') console.log('resumed');
      if (t === 'INTERACTION_CREATE') answer(d).catch((error) => console.error(error));
    },
  },
});

async function answer(interaction) {
  const { first, then } = answerTo(interaction);
  const post = (method, path, body) => bot.rest.makeRequest(method, path, { body, unauthorized: true });
  await post('POST', `/interactions/${interaction.id}/${interaction.token}/callback`, first);
  if (!then) return;
  const webhook = `/webhooks/${interaction.application_id}/${interaction.token}`;
  await post('PATCH', `${webhook}/messages/@original`, { content: then[0] });
  await post('POST', webhook, { content: then[1] });
}

await bot.start();
