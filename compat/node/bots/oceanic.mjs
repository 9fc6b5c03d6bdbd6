// A bot with oceanic.js.
import { Client } from 'oceanic.js';
import { answerTo, permissionsLine } from './answers.mjs';

const origin = process.env.BELLHOP_URL;

const client = new Client({
  auth: `Bot ${process.env.BELLHOP_BOT_TOKEN}`, rest: { baseURL: `${origin}/api/v10` }, gateway: { intents: ['GUILDS'] },
});

client.once('ready', () => console.log('ready'));
client.on('shardResume', () => console.log('resumed'));
client.on('error', (error) => console.error(error));
client.on('applicationCommandPermissionsUpdate', (guild, { id, permissions }) => console.log(permissionsLine(id, permissions)));
client.on('interactionCreate', (interaction) => answer(interaction).catch((error) => console.error(error)));

async function answer(interaction) {
  const { first, then } = answerTo(raw(interaction));
  switch (first.type) {
    case 8: return interaction.result(first.data.choices);
    case 9: return interaction.createModal({ customID: 'form', title: 'Form', components: [
      { type: 1, components: [{ type: 4, customID: 'name', label: 'Name', style: 1 }] },
    ] });
    case 4: return interaction.createMessage(first.data);
    default:
      await interaction.defer();
      await interaction.editOriginal({ content: then[0] });
      return interaction.createFollowup({ content: then[1] });
  }
}

// raw converts the classes of the library to the raw fields that answerTo reads.
function raw({ type, data }) {
  const field = type === 5 ? [{ components: [{ value: data.components.getTextInput('name') }] }] : undefined;
  return {
    type,
    data: {
      type: data.type, name: data.name, options: data.options?.raw, components: field,
      resolved: { users: Object.fromEntries(data.resolved?.users ?? []), messages: Object.fromEntries(data.resolved?.messages ?? []) },
    },
  };
}

await client.connect();
