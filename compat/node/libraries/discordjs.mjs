// A bot with discord.js, written for Discord alone.
import {
  ActionRowBuilder, ButtonBuilder, ButtonStyle, Client, Events, GatewayIntentBits as Intents, ModalBuilder, TextInputBuilder, TextInputStyle,
} from 'discord.js';
import { channel, commands, note, noted } from './conversation.mjs';

const client = new Client({ intents: [Intents.Guilds, Intents.GuildMessages, Intents.GuildMessageReactions] });

client.on(Events.Error, (error) => console.error(error));
client.on(Events.MessageCreate, () => note('MESSAGE_CREATE'));
client.on(Events.MessageUpdate, () => note('MESSAGE_UPDATE'));
client.on(Events.MessageReactionAdd, () => note('MESSAGE_REACTION_ADD'));
client.on(Events.GuildRoleUpdate, () => note('GUILD_ROLE_UPDATE'));
client.on(Events.ShardResume, () => client.channels.cache.get(channel).send('resumed'));
client.on(Events.InteractionCreate, (interaction) => answer(interaction).catch((error) => console.error(error)));
client.once(Events.ClientReady, () => client.application.commands.set(commands));

async function answer(interaction) {
  if (interaction.isAutocomplete()) {
    const text = interaction.options.getFocused();
    return interaction.respond([{ name: `found ${text}`, value: `${text}!` }]);
  }
  if (interaction.isButton()) return interaction.reply('more pong');
  if (interaction.isModalSubmit()) return interaction.reply(`hello ${interaction.fields.getTextInputValue('name')}`);
  switch (interaction.commandName) {
    case 'ping': {
      const more = new ButtonBuilder().setCustomId('more').setLabel('More').setStyle(ButtonStyle.Primary);
      return interaction.reply({ content: 'pong', components: [new ActionRowBuilder().addComponents(more)] });
    }
    case 'find': return interaction.reply(`chose ${interaction.options.getString('what')}`);
    case 'form': return interaction.showModal(form());
    case 'write': {
      const message = await interaction.channel.send('one');
      await message.edit('two');
      await message.react('👍');
      return interaction.reply('written');
    }
    case 'role':
      await interaction.guild.roles.cache.find(({ name }) => name === 'guests').setName('regulars');
      return interaction.reply('changed');
    default: return interaction.reply(noted());
  }
}

function form() {
  const name = new TextInputBuilder().setCustomId('name').setLabel('Name').setStyle(TextInputStyle.Short);
  return new ModalBuilder().setCustomId('form').setTitle('Form').addComponents(new ActionRowBuilder().addComponents(name));
}

await client.login(process.env.DISCORD_TOKEN);
