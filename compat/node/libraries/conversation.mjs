// The commands of the bots of make libraries, the events that they note, and the answers of those whose libraries pass raw interactions.

export const channel = '1300000000000000310';
export const intents = 1 | (1 << 9) | (1 << 10); // guilds, guild messages, guild message reactions

export const commands = [
  { type: 1, name: 'ping', description: 'Answer' },
  {
    type: 1, name: 'find', description: 'Suggest',
    options: [{ type: 3, name: 'what', description: 'What', required: true, autocomplete: true }],
  },
  { type: 1, name: 'form', description: 'Ask back' },
  { type: 1, name: 'write', description: 'Write' },
  { type: 1, name: 'role', description: 'Change a role' },
  { type: 1, name: 'seen', description: 'List events' },
];

const seen = new Set();
const events = ['GUILD_ROLE_UPDATE', 'MESSAGE_CREATE', 'MESSAGE_REACTION_ADD', 'MESSAGE_UPDATE'];

// note remembers that an event has arrived; noted lists the events.
export function note(name) {
  if (events.includes(name)) seen.add(name);
}

export const noted = () => [...seen].sort().join(' ');

export const row = (component) => [{ type: 1, components: [component] }];
export const button = { type: 2, style: 1, label: 'More', custom_id: 'more' };
export const field = { type: 4, style: 1, label: 'Name', custom_id: 'name' };

// answerTo returns the response to a raw interaction. write sends, edits and reacts to a message in a channel; rename changes a role of a
// guild.
export async function answerTo({ type, data, channel_id: place, guild_id: guild }, { write, rename }) {
  const reply = (content, components) => ({ type: 4, data: { content, components } });
  const option = data.options?.[0]?.value;
  if (type === 3) return reply('more pong');
  if (type === 4) return { type: 8, data: { choices: [{ name: `found ${option}`, value: `${option}!` }] } };
  if (type === 5) return reply(`hello ${data.components[0].components[0].value}`);
  switch (data.name) {
    case 'ping': return reply('pong', row(button));
    case 'find': return reply(`chose ${option}`);
    case 'form': return { type: 9, data: { custom_id: 'form', title: 'Form', components: row(field) } };
    case 'write':
      await write(place);
      return reply('written');
    case 'role':
      await rename(guild);
      return reply('changed');
    default: return reply(noted());
  }
}
