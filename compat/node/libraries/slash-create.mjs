// A bot with slash-create, written for Discord alone. The library has commands and their answers only: the gateway, messages and roles are
// those of discord.js.
import { Client, Events, GatewayIntentBits as Intents } from 'discord.js';
import { GatewayServer, SlashCommand, SlashCreator } from 'slash-create';
import { button, channel, commands, field, note, noted, row } from './conversation.mjs';

const client = new Client({ intents: [Intents.Guilds, Intents.GuildMessages, Intents.GuildMessageReactions] });
const creator = new SlashCreator({ applicationID: process.env.CLIENT_ID, token: `Bot ${process.env.DISCORD_TOKEN}`, client });
const report = (error) => console.error(error);

const run = {
  ping: () => ({ content: 'pong', components: row(button) }),
  find: ({ options }) => `chose ${options.what}`,
  form: async (context) => {
    await context.sendModal({ title: 'Form', custom_id: 'form', components: row(field) }, (form) => form.send(`hello ${form.values.name}`));
  },
  write: async ({ channelID }) => {
    const message = await client.channels.cache.get(channelID).send('one');
    await message.edit('two');
    await message.react('👍');
    return 'written';
  },
  role: async ({ guildID }) => {
    await client.guilds.cache.get(guildID).roles.cache.find(({ name }) => name === 'guests').setName('regulars');
    return 'changed';
  },
  seen: () => noted(),
};

for (const definition of commands) {
  creator.registerCommand(class extends SlashCommand {
    constructor() {
      super(creator, definition);
    }

    run = run[definition.name];

    autocomplete = ({ options }) => [{ name: `found ${options.what}`, value: `${options.what}!` }];
  });
}

creator.registerGlobalComponent('more', (context) => context.send('more pong'));
creator.on('error', report);
creator.on('commandError', (command, error) => report(error));
creator.withServer(new GatewayServer((handle) => client.ws.on('INTERACTION_CREATE', handle)));
client.on(Events.MessageCreate, () => note('MESSAGE_CREATE'));
client.on(Events.MessageUpdate, () => note('MESSAGE_UPDATE'));
client.on(Events.MessageReactionAdd, () => note('MESSAGE_REACTION_ADD'));
client.on(Events.GuildRoleUpdate, () => note('GUILD_ROLE_UPDATE'));
client.on(Events.ShardResume, () => client.channels.cache.get(channel).send('resumed'));
client.once(Events.ClientReady, () => creator.syncCommands());

await client.login(process.env.DISCORD_TOKEN);
