// A bot with slash-create. The library has no gateway client, so @discordjs/ws passes the interactions to it.
import { createRequire } from 'node:module';
import { REST } from '@discordjs/rest';
import { ApplicationCommandType, GatewayServer, SlashCommand, SlashCreator } from 'slash-create';

const origin = process.env.BELLHOP_URL;
const token = process.env.BELLHOP_BOT_TOKEN;
const { WebSocketManager, WebSocketShardEvents } = createRequire(import.meta.resolve('discord.js'))('@discordjs/ws');

const rest = new REST({ version: '10', api: `${origin}/api` }).setToken(token);
const manager = new WebSocketManager({ token, intents: 1, rest });
const creator = new SlashCreator({
  applicationID: process.env.BELLHOP_APPLICATION_ID, token: `Bot ${token}`, client: manager, rest: { baseURL: `${origin}/api/v10` },
});
creator.withServer(new GatewayServer((handle) => manager.on(WebSocketShardEvents.Dispatch, ({ data }) => {
  if (data.t === 'INTERACTION_CREATE') handle(data.d);
})));
creator.on('error', (error) => console.error(error));
creator.on('commandError', (command, error) => console.error(error));
manager.on(WebSocketShardEvents.Ready, () => console.log('ready'));
manager.on(WebSocketShardEvents.Resumed, () => console.log('resumed'));

const commands = {
  ping: { description: 'Answer', run: () => 'pong' },
  find: {
    description: 'Suggest',
    options: [{ type: 3, name: 'what', description: 'What', autocomplete: true, required: true }],
    run: ({ options }) => `chose ${options.what}`,
    autocomplete: ({ options }) => [{ name: `found ${options.what}`, value: `${options.what}!` }],
  },
  slow: {
    description: 'Answer later',
    async run(context) {
      await context.defer();
      await context.editOriginal('done');
      await context.sendFollowUp('and more');
    },
  },
  form: {
    description: 'Ask back',
    async run(context) {
      const components = [{ type: 1, components: [{ type: 4, custom_id: 'name', label: 'Name', style: 1 }] }];
      await context.sendModal({ title: 'Form', custom_id: 'form', components }, (answer) => answer.send(`hello ${answer.values.name}`));
    },
  },
  Greet: { type: ApplicationCommandType.USER, run: ({ targetUser }) => `greeted ${targetUser.username}` },
  Quote: { type: ApplicationCommandType.MESSAGE, run: ({ targetMessage }) => `quoted ${targetMessage.content}` },
};

for (const [name, { run, autocomplete, ...definition }] of Object.entries(commands)) {
  creator.registerCommand(class extends SlashCommand {
    constructor() {
      super(creator, { name, guildIDs: [process.env.BELLHOP_GUILD_ID], ...definition });
    }

    run = run;

    autocomplete = autocomplete;
  });
}

await manager.connect();
