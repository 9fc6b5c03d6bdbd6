// A bot with oceanic.js, written for Discord alone.
import { Client } from 'oceanic.js';
import { channel, commands, note, noted } from './conversation.mjs';

const client = new Client({
  auth: `Bot ${process.env.DISCORD_TOKEN}`, gateway: { intents: ['GUILDS', 'GUILD_MESSAGES', 'GUILD_MESSAGE_REACTIONS'] },
});
const { channels, guilds, applications } = client.rest;
const report = (error) => console.error(error);

client.on('error', report);
client.on('messageCreate', () => note('MESSAGE_CREATE'));
client.on('messageUpdate', () => note('MESSAGE_UPDATE'));
client.on('messageReactionAdd', () => note('MESSAGE_REACTION_ADD'));
client.on('guildRoleUpdate', () => note('GUILD_ROLE_UPDATE'));
client.on('shardResume', () => channels.createMessage(channel, { content: 'resumed' }).catch(report));
client.on('interactionCreate', (interaction) => answer(interaction).catch(report));
client.once('ready', () => applications.bulkEditGlobalCommands(client.application.id, commands).catch(report));

const types = { component: 3, autocomplete: 4, form: 5 };

async function answer(interaction) {
  const { type, data } = interaction;
  const reply = (content, components) => interaction.createMessage({ content, components });
  const option = data.options?.raw[0]?.value;
  if (type === types.component) return reply('more pong');
  if (type === types.autocomplete) return interaction.result([{ name: `found ${option}`, value: `${option}!` }]);
  if (type === types.form) return reply(`hello ${data.components.getTextInput('name')}`);
  switch (data.name) {
    case 'ping': return reply('pong', [{ type: 1, components: [{ type: 2, style: 1, label: 'More', customID: 'more' }] }]);
    case 'find': return reply(`chose ${option}`);
    case 'form': return interaction.createModal({
      customID: 'form', title: 'Form', components: [{ type: 1, components: [{ type: 4, style: 1, label: 'Name', customID: 'name' }] }],
    });
    case 'write': {
      const { id } = await channels.createMessage(interaction.channelID, { content: 'one' });
      await channels.editMessage(interaction.channelID, id, { content: 'two' });
      await channels.createReaction(interaction.channelID, id, '👍');
      return reply('written');
    }
    case 'role': {
      const role = (await guilds.getRoles(interaction.guildID)).find(({ name }) => name === 'guests');
      await guilds.editRole(interaction.guildID, role.id, { name: 'regulars' });
      return reply('changed');
    }
    default: return reply(noted());
  }
}

await client.connect();
