// A bot with eris, written for Discord alone. The library knows no modals, so the bot answers raw interactions.
import { Client } from 'eris';
import { answerTo, channel, commands, note } from './conversation.mjs';

const client = new Client(`Bot ${process.env.DISCORD_TOKEN}`, { intents: ['guilds', 'guildMessages', 'guildMessageReactions'] });
const report = (error) => console.error(error);

client.on('error', report);
client.on('messageCreate', () => note('MESSAGE_CREATE'));
client.on('messageUpdate', () => note('MESSAGE_UPDATE'));
client.on('messageReactionAdd', () => note('MESSAGE_REACTION_ADD'));
client.on('guildRoleUpdate', () => note('GUILD_ROLE_UPDATE'));
client.on('shardResume', () => client.createMessage(channel, 'resumed').catch(report));
client.once('ready', () => client.bulkEditCommands(commands).catch(report));
client.on('rawWS', ({ t, d }) => {
  if (t === 'INTERACTION_CREATE') answer(d).catch(report);
});

async function answer(interaction) {
  await client.createInteractionResponse(interaction.id, interaction.token, await answerTo(interaction, { write, rename }));
}

async function write(place) {
  const message = await client.createMessage(place, 'one');
  await client.editMessage(place, message.id, 'two');
  await client.addMessageReaction(place, message.id, '👍');
}

async function rename(guild) {
  const role = client.guilds.get(guild).roles.find(({ name }) => name === 'guests');
  await client.editRole(guild, role.id, { name: 'regulars' });
}

await client.connect();
