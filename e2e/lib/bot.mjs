// A bot with discord.js. It uses every kind of answer, and some that are hostile.

/** @import { AutocompleteInteraction, ChatInputCommandInteraction, Interaction } from 'discord.js' */
/** @import { CommandInteraction, MessageComponentInteraction } from 'discord.js' */
/** @import { MessageActionRowComponentBuilder, ModalActionRowComponentBuilder } from 'discord.js' */
import {
  ActionRowBuilder,
  AttachmentBuilder,
  ButtonBuilder,
  ButtonStyle,
  Client,
  EmbedBuilder,
  GatewayIntentBits,
  MessageFlags,
  ModalBuilder,
  REST,
  Routes,
  StringSelectMenuBuilder,
  TextInputBuilder,
  TextInputStyle,
  UserSelectMenuBuilder,
} from 'discord.js';

/** endThinking lets the bot answer /think. Until then it only defers its answer. */
export let endThinking = () => {};

/** @type {Promise<void>} */
const thinkingEnds = new Promise((resolve) => {
  endThinking = resolve;
});

const roll = {
  name: 'roll',
  name_localizations: { de: 'wuerfeln' },
  description: 'Roll dice',
  description_localizations: { de: 'Wirf Würfel' },
  options: [
    {
      type: 4,
      name: 'sides',
      name_localizations: { de: 'seiten' },
      description: 'How many',
      required: true,
      min_value: 2,
      max_value: 100,
    },
    {
      type: 3,
      name: 'colour',
      description: 'Which',
      choices: [
        { name: 'Red', value: 'r', name_localizations: { de: 'Rot' } },
        { name: 'Blue', value: 'b' },
      ],
    },
    { type: 6, name: 'for', description: 'For whom' },
    { type: 5, name: 'secretly', description: 'Only for you' },
  ],
};

const teamMemberAdd = {
  type: 1,
  name: 'add',
  description: 'Add one',
  options: [{ type: 6, name: 'who', description: 'Whom', required: true }],
};

const commands = [
  { name: 'ping', description: 'Answer at once' },
  roll,
  {
    name: 'find',
    description: 'Find a city',
    options: [{ type: 3, name: 'city', description: 'Which', required: true, autocomplete: true }],
  },
  { name: 'think', description: 'Answer later' },
  { name: 'panel', description: 'Buttons and menus' },
  { name: 'form', description: 'Ask for something' },
  { name: 'card', description: 'An embed' },
  {
    name: 'upload',
    description: 'Send a file',
    options: [{ type: 11, name: 'file', description: 'Which', required: true }],
  },
  { name: 'picture', description: 'Send a picture' },
  { name: 'silent', description: 'Never answer' },
  { name: 'evil', description: 'Something nasty' },
  {
    name: 'team',
    description: 'Groups',
    options: [{ type: 2, name: 'member', description: 'Members', options: [teamMemberAdd] }],
  },
  { name: 'Greet', type: 2 },
  { name: 'Quote', type: 3 },
];

const cities = ['Berlin', 'Bergen', 'Bern', 'Lisbon'];

const hostileText = [
  '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>',
  '**bold** [link](javascript:window.hacked=1)',
  '\u202Egnp.exe\u202C',
  'A'.repeat(1500),
].join(' ');

/** @param {MessageActionRowComponentBuilder[]} components */
const row = (...components) =>
  /** @type {ActionRowBuilder<MessageActionRowComponentBuilder>} */ (new ActionRowBuilder()).addComponents(components);

/** @param {ModalActionRowComponentBuilder} component */
const modalRow = (component) =>
  /** @type {ActionRowBuilder<ModalActionRowComponentBuilder>} */ (new ActionRowBuilder()).addComponents(component);

/** A picture with one dot. */
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** @type {Record<string, (i: ChatInputCommandInteraction) => unknown>} */
const handlers = {
  ping: (i) => i.reply('pong'),
  roll: (i) => {
    const { options } = i;
    const user = options.getUser('for')?.username ?? '-';
    return i.reply({
      content: `d${options.getInteger('sides')} ${options.getString('colour') ?? '-'} ${user}`,
      flags: options.getBoolean('secretly') ? MessageFlags.Ephemeral : undefined,
    });
  },
  find: (i) => i.reply(`found ${i.options.getString('city')}`),
  think: async (i) => {
    await i.deferReply();
    await thinkingEnds;
    await i.editReply('thought');
    await i.followUp({ content: 'and a secret', flags: MessageFlags.Ephemeral });
  },
  panel: (i) => {
    const count = new ButtonBuilder().setCustomId('count').setLabel('Count').setStyle(ButtonStyle.Primary);
    const off = new ButtonBuilder().setCustomId('off').setLabel('Off').setStyle(ButtonStyle.Danger).setDisabled(true);
    const fruit = new StringSelectMenuBuilder()
      .setCustomId('menu')
      .setPlaceholder('A fruit')
      .addOptions({ label: 'Apple', value: 'a' }, { label: 'Pear', value: 'p' });
    const person = new UserSelectMenuBuilder()
      .setCustomId('who')
      .setPlaceholder('A person who likes the fruit that you chose');
    return i.reply({ content: 'choose', components: [row(count, off), row(fruit), row(person)] });
  },
  form: (i) => {
    const short = new TextInputBuilder().setCustomId('short').setLabel('In short').setStyle(TextInputStyle.Short);
    const long = new TextInputBuilder()
      .setCustomId('long')
      .setLabel('At length')
      .setStyle(TextInputStyle.Paragraph)
      .setRequired(false);
    const modal = new ModalBuilder().setCustomId('fb').setTitle('Tell us');
    return i.showModal(modal.addComponents(modalRow(short), modalRow(long)));
  },
  card: (i) => {
    const embed = new EmbedBuilder()
      .setTitle('A card')
      .setDescription('with **bold** words')
      .setColor(0x3366cc)
      .addFields({ name: 'One', value: '1', inline: true }, { name: 'Two', value: '2', inline: true })
      .setFooter({ text: 'the end' });
    return i.reply({ embeds: [embed] });
  },
  upload: (i) => {
    const file = i.options.getAttachment('file', true);
    const answer = new AttachmentBuilder(Buffer.from('hello'), { name: 'answer.txt' });
    return i.reply({ content: `${file.name} ${file.size}`, files: [answer] });
  },
  picture: (i) => i.reply({ files: [new AttachmentBuilder(dot, { name: 'dot.png' })] }),
  silent: () => {},
  evil: (i) => {
    const embed = new EmbedBuilder()
      .setTitle('<b onclick=alert(1)>x</b>')
      .setDescription(hostileText.slice(0, 500))
      .setImage('https://tracker.example/pixel.png');
    const button = new ButtonBuilder().setCustomId('<x>').setLabel('<i>y</i>').setStyle(ButtonStyle.Secondary);
    return i.reply({ content: hostileText, embeds: [embed], components: [row(button)] });
  },
  team: (i) => i.reply(`added ${i.options.getUser('who', true).username}`),
};

/** @param {CommandInteraction} i */
async function onCommand(i) {
  if (i.isUserContextMenuCommand()) return i.reply(`hello ${i.targetUser.username}`);
  if (i.isMessageContextMenuCommand()) return i.reply(`> ${i.targetMessage.content}`);
  return i.isChatInputCommand() && handlers[i.commandName]?.(i);
}

/** @param {MessageComponentInteraction} i */
async function onComponent(i) {
  if (i.isButton()) {
    const count = Number(/\d+/.exec(i.message.content)?.[0] ?? 0);
    return i.update({ content: `counted ${count + 1}` });
  }
  if (i.isStringSelectMenu()) return i.reply(`fruit ${i.values.join()}`);
  return i.isUserSelectMenu() && i.reply(`person ${i.users.first()?.username}`);
}

/** @param {AutocompleteInteraction} i */
async function onAutocomplete(i) {
  const typed = i.options.getFocused().toLowerCase();
  const found = cities.filter((c) => c.toLowerCase().startsWith(typed));
  return i.respond(found.map((c) => ({ name: c, value: c })));
}

/** @param {Interaction} i */
async function onInteraction(i) {
  if (i.isAutocomplete()) return onAutocomplete(i);
  if (i.isModalSubmit()) {
    return i.reply(`form ${i.fields.getTextInputValue('short')} ${i.fields.getTextInputValue('long')}`);
  }
  if (i.isMessageComponent()) return onComponent(i);
  return i.isCommand() && onCommand(i);
}

/**
 * run registers the commands of the bot and logs in.
 * @param {string} origin
 * @param {string} application
 * @param {string} token
 */
export async function run(origin, application, token) {
  const rest = new REST({ api: `${origin}/api` }).setToken(token);
  await rest.put(Routes.applicationCommands(application), { body: commands });
  const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: `${origin}/api` } });
  client.on('error', (e) => console.error('bot:', e.message));
  client.on('interactionCreate', (i) => onInteraction(i).catch((e) => console.error('bot:', e)));
  const ready = new Promise((resolve) => client.once('clientReady', resolve));
  await client.login(token);
  await ready;
  return client;
}
