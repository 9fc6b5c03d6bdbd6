// A bot for polls. "/poll" opens a form. The bot posts the question with a button for each answer, and counts the
// votes.
//
//   BELLHOP_BASE_URL=… BELLHOP_BOT_TOKEN=… BELLHOP_APPLICATION_ID=… node bot.mjs
import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  Client,
  Events,
  GatewayIntentBits,
  MessageFlags,
  ModalBuilder,
  Routes,
  SlashCommandBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';

const { BELLHOP_BASE_URL, BELLHOP_BOT_TOKEN, BELLHOP_APPLICATION_ID } = process.env;

const commands = [new SlashCommandBuilder().setName('poll').setDescription('Ask everybody a question')];

// The open polls by id. They are lost when the bot stops.
const polls = new Map();

const client = new Client({
  intents: [GatewayIntentBits.Guilds],
  rest: BELLHOP_BASE_URL ? { api: BELLHOP_BASE_URL.replace(/\/v\d+$/, '') } : {}, // the library adds the version
});
client.on(Events.Error, (error) => console.error(error));
client.on(Events.InteractionCreate, (interaction) => answer(interaction).catch((error) => console.error(error)));

async function answer(interaction) {
  if (interaction.isChatInputCommand()) return interaction.showModal(form());
  if (interaction.isModalSubmit()) return open(interaction);
  const [action, id, choice] = interaction.customId.split(':');
  const poll = polls.get(id);
  if (!poll) return whisper(interaction, 'This poll is over.');
  if (action === 'close') return close(interaction, id, poll);
  poll.votes.set(interaction.user.id, Number(choice));
  return interaction.update(show(id, poll));
}

// form returns the form for a new poll.
function form() {
  const question = new TextInputBuilder().setCustomId('question').setLabel('Question').setStyle(TextInputStyle.Short);
  const answers = new TextInputBuilder()
    .setCustomId('answers')
    .setLabel('Answers')
    .setPlaceholder('One in each line')
    .setStyle(TextInputStyle.Paragraph)
    .setMaxLength(200);
  const rows = [question, answers].map((input) => new ActionRowBuilder().addComponents(input));
  return new ModalBuilder().setCustomId('poll').setTitle('New poll').addComponents(rows);
}

// open starts a poll.
function open(interaction) {
  const lines = interaction.fields.getTextInputValue('answers').split('\n');
  const answers = lines.map((line) => line.trim()).filter((line) => line !== '');
  if (answers.length < 2 || answers.length > 4) return whisper(interaction, 'A poll has two to four answers.');
  const question = interaction.fields.getTextInputValue('question');
  const poll = { author: interaction.user.id, question, answers, votes: new Map() };
  polls.set(interaction.id, poll);
  return interaction.reply(show(interaction.id, poll));
}

// close ends a poll. Only its author can do so.
function close(interaction, id, poll) {
  if (interaction.user.id !== poll.author) return whisper(interaction, 'Only the author can close this poll.');
  polls.delete(id);
  return interaction.update({ content: `${text(poll)}\nThe poll is closed.`, components: [] });
}

// show returns the message of an open poll.
function show(id, poll) {
  const buttons = poll.answers.map((label, i) =>
    new ButtonBuilder().setCustomId(`vote:${id}:${i}`).setLabel(label.slice(0, 80)).setStyle(ButtonStyle.Primary),
  );
  buttons.push(new ButtonBuilder().setCustomId(`close:${id}`).setLabel('Close').setStyle(ButtonStyle.Secondary));
  return { content: text(poll), components: [new ActionRowBuilder().addComponents(buttons)] };
}

// text returns the question and the votes for each answer.
function text(poll) {
  const votes = [...poll.votes.values()];
  const lines = poll.answers.map((label, i) => `${label}: ${votes.filter((vote) => vote === i).length}`);
  return [`**${poll.question}**`, ...lines].join('\n');
}

// whisper sends a message that only the user sees.
function whisper(interaction, content) {
  return interaction.reply({ content, flags: MessageFlags.Ephemeral });
}

client.rest.setToken(BELLHOP_BOT_TOKEN);
await client.rest.put(Routes.applicationCommands(BELLHOP_APPLICATION_ID), { body: commands });
await client.login(BELLHOP_BOT_TOKEN);
