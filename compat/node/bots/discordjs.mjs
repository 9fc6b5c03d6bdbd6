// A bot with discord.js: it logs in, answers interactions and resumes its session. The test waits for the lines that it
// prints.
import {
  ActionRowBuilder, Client, Events, GatewayIntentBits, ModalBuilder, TextInputBuilder, TextInputStyle,
} from 'discord.js';
import { permissionsLine } from './answers.mjs';

const origin = process.env.BELLHOP_URL;

const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: `${origin}/api` } });

client.once(Events.ClientReady, () => console.log('ready'));
client.on(Events.ShardResume, () => console.log('resumed'));
client.on(Events.Error, (error) => console.error(error));
client.on(Events.ApplicationCommandPermissionsUpdate, ({ id, permissions }) => console.log(permissionsLine(id, permissions)));
client.on(Events.InteractionCreate, (interaction) => answer(interaction).catch((error) => console.error(error)));

async function answer(interaction) {
  if (interaction.isAutocomplete()) {
    const text = interaction.options.getFocused();
    return interaction.respond([{ name: `found ${text}`, value: `${text}!` }]);
  }
  if (interaction.isModalSubmit()) return interaction.reply(`hello ${interaction.fields.getTextInputValue('name')}`);
  if (interaction.isUserContextMenuCommand()) return interaction.reply(`greeted ${interaction.targetUser.username}`);
  if (interaction.isMessageContextMenuCommand()) return interaction.reply(`quoted ${interaction.targetMessage.content}`);
  switch (interaction.commandName) {
    case 'ping': return interaction.reply('pong');
    case 'find': return interaction.reply(`chose ${interaction.options.getString('what')}`);
    case 'slow':
      await interaction.deferReply();
      await interaction.editReply('done');
      return interaction.followUp('and more');
    default: return interaction.showModal(form());
  }
}

function form() {
  const name = new TextInputBuilder().setCustomId('name').setLabel('Name').setStyle(TextInputStyle.Short);
  return new ModalBuilder().setCustomId('form').setTitle('Form').addComponents(new ActionRowBuilder().addComponents(name));
}

await client.login(process.env.BELLHOP_BOT_TOKEN);
