// A bot as people write them, with discord.js: it answers in every way, and in some that are hostile.
import {
  Client, GatewayIntentBits, REST, Routes, ActionRowBuilder, ButtonBuilder, ButtonStyle, StringSelectMenuBuilder, UserSelectMenuBuilder,
  ModalBuilder, TextInputBuilder, TextInputStyle, EmbedBuilder, AttachmentBuilder, MessageFlags,
} from 'discord.js';

export const commands = [
  {name: 'ping', description: 'Answer at once'},
  {
    name: 'roll', name_localizations: {de: 'wuerfeln'}, description: 'Roll dice', description_localizations: {de: 'Wirf Würfel'},
    options: [
      {type: 4, name: 'sides', name_localizations: {de: 'seiten'}, description: 'How many', required: true, min_value: 2, max_value: 100},
      {type: 3, name: 'colour', description: 'Which', choices: [{name: 'Red', value: 'r', name_localizations: {de: 'Rot'}}, {name: 'Blue', value: 'b'}]},
      {type: 6, name: 'for', description: 'For whom'},
      {type: 5, name: 'secretly', description: 'Only for you'},
    ],
  },
  {name: 'find', description: 'Find a city', options: [{type: 3, name: 'city', description: 'Which', required: true, autocomplete: true}]},
  {name: 'think', description: 'Answer later'},
  {name: 'panel', description: 'Buttons and menus'},
  {name: 'form', description: 'Ask for something'},
  {name: 'card', description: 'An embed'},
  {name: 'upload', description: 'Send a file', options: [{type: 11, name: 'file', description: 'Which', required: true}]},
  {name: 'silent', description: 'Never answer'},
  {name: 'evil', description: 'Something nasty'},
  {name: 'team', description: 'Groups', options: [{type: 2, name: 'member', description: 'Members', options: [{type: 1, name: 'add', description: 'Add one', options: [{type: 6, name: 'who', description: 'Whom', required: true}]}]}]},
  {name: 'Greet', type: 2},
  {name: 'Quote', type: 3},
];

const cities = ['Berlin', 'Bergen', 'Bern', 'Lisbon'];
const nasty = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script> **bold** [link](javascript:window.hacked=1) \u202Egnp.exe\u202C ' + 'A'.repeat(1500);

const handlers = {
  ping: (i) => i.reply('pong'),
  roll: (i) => i.reply({
    content: `d${i.options.getInteger('sides')} ${i.options.getString('colour') ?? '-'} ${i.options.getUser('for')?.username ?? '-'}`,
    flags: i.options.getBoolean('secretly') ? MessageFlags.Ephemeral : undefined,
  }),
  find: (i) => i.reply(`found ${i.options.getString('city')}`),
  think: async (i) => {
    await i.deferReply();
    setTimeout(async () => {
      await i.editReply('thought');
      await i.followUp({content: 'and a secret', flags: MessageFlags.Ephemeral});
    }, 700);
  },
  panel: (i) => i.reply({
    content: 'choose',
    components: [
      new ActionRowBuilder().addComponents(new ButtonBuilder().setCustomId('count').setLabel('Count').setStyle(ButtonStyle.Primary), new ButtonBuilder().setCustomId('off').setLabel('Off').setStyle(ButtonStyle.Danger).setDisabled(true)),
      new ActionRowBuilder().addComponents(new StringSelectMenuBuilder().setCustomId('menu').setPlaceholder('A fruit').addOptions({label: 'Apple', value: 'a'}, {label: 'Pear', value: 'p'})),
      new ActionRowBuilder().addComponents(new UserSelectMenuBuilder().setCustomId('who').setPlaceholder('A person')),
    ],
  }),
  form: (i) => i.showModal(new ModalBuilder().setCustomId('fb').setTitle('Tell us').addComponents(
    new ActionRowBuilder().addComponents(new TextInputBuilder().setCustomId('short').setLabel('In short').setStyle(TextInputStyle.Short)),
    new ActionRowBuilder().addComponents(new TextInputBuilder().setCustomId('long').setLabel('At length').setStyle(TextInputStyle.Paragraph).setRequired(false)),
  )),
  card: (i) => i.reply({embeds: [new EmbedBuilder().setTitle('A card').setDescription('with **bold** words').setColor(0x3366cc).addFields({name: 'One', value: '1', inline: true}, {name: 'Two', value: '2', inline: true}).setFooter({text: 'the end'})]}),
  upload: (i) => {
    const file = i.options.getAttachment('file');
    return i.reply({content: `${file.name} ${file.size}`, files: [new AttachmentBuilder(Buffer.from('hello'), {name: 'answer.txt'})]});
  },
  silent: () => {},
  evil: (i) => i.reply({
    content: nasty, embeds: [new EmbedBuilder().setTitle('<b onclick=alert(1)>x</b>').setDescription(nasty.slice(0, 500)).setImage('https://tracker.example/pixel.png')],
    components: [new ActionRowBuilder().addComponents(new ButtonBuilder().setCustomId('<x>').setLabel('<i>y</i>').setStyle(ButtonStyle.Secondary))],
  }),
  team: (i) => i.reply(`added ${i.options.getUser('who').username}`),
  Greet: (i) => i.reply(`hello ${i.targetUser.username}`),
  Quote: (i) => i.reply(`> ${i.targetMessage.content}`),
};

async function component(i) {
  if (i.isButton()) return i.update({content: `counted ${Number(/\d+/.exec(i.message.content)?.[0] ?? 0) + 1}`});
  if (i.isStringSelectMenu()) return i.reply(`fruit ${i.values.join()}`);
  return i.reply(`person ${i.users.first()?.username}`);
}

// run logs in and registers the commands.
export async function run(origin, application, token) {
  const rest = new REST({api: `${origin}/api`}).setToken(token);
  await rest.put(Routes.applicationCommands(application), {body: commands});
  const client = new Client({intents: [GatewayIntentBits.Guilds], rest: {api: `${origin}/api`}});
  client.on('error', (e) => console.error('bot:', e.message));
  client.on('interactionCreate', async (i) => {
    try {
      if (i.isAutocomplete()) {
        const typed = i.options.getFocused().toLowerCase();
        return await i.respond(cities.filter((c) => c.toLowerCase().startsWith(typed)).map((c) => ({name: c, value: c})));
      }
      if (i.isModalSubmit()) return await i.reply(`form ${i.fields.getTextInputValue('short')} ${i.fields.getTextInputValue('long')}`);
      if (i.isMessageComponent()) return await component(i);
      return await handlers[i.commandName]?.(i);
    } catch (e) {
      console.error('bot:', i.commandName ?? i.customId, e.message);
    }
  });
  const ready = new Promise((done) => client.once('clientReady', done));
  await client.login(token);
  await ready;
  return client;
}
