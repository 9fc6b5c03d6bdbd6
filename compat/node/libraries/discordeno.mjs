// A bot with discordeno, written for Discord alone.
import { createBot } from 'discordeno';
import { answerTo, channel, commands, intents, note } from './conversation.mjs';

const report = (error) => console.error(error);
const bot = createBot({
  token: process.env.DISCORD_TOKEN,
  intents,
  desiredProperties: {},
  events: {
    raw: ({ t, d }) => {
      note(t);
      if (t === 'READY') bot.rest.upsertGlobalApplicationCommands(commands).catch(report);
      if (t === 'RESUMED') bot.rest.sendMessage(channel, { content: 'resumed' }).catch(report);
      if (t === 'INTERACTION_CREATE') answer(d).catch(report);
    },
  },
});

async function answer(interaction) {
  const body = await answerTo(interaction, { write, rename });
  await bot.rest.makeRequest('POST', `/interactions/${interaction.id}/${interaction.token}/callback`, { body, unauthorized: true });
}

async function write(place) {
  const { id } = await bot.rest.sendMessage(place, { content: 'one' });
  await bot.rest.editMessage(place, id, { content: 'two' });
  await bot.rest.addReaction(place, id, '👍');
}

async function rename(guild) {
  const role = (await bot.rest.getRoles(guild)).find(({ name }) => name === 'guests');
  await bot.rest.editRole(guild, role.id, { name: 'regulars' });
}

await bot.start();
