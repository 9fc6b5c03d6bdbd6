// The answers of the bots whose libraries pass raw interactions.

// answerTo returns the first response to an interaction. For a deferred response it also returns then: the content of the
// edited message and the content of the follow-up.
export function answerTo({ type, data }) {
  const reply = (content) => ({ first: { type: 4, data: { content } } });
  const option = data.options?.[0]?.value;
  if (type === 4) return { first: { type: 8, data: { choices: [{ name: `found ${option}`, value: `${option}!` }] } } };
  if (type === 5) return reply(`hello ${data.components[0].components[0].value}`);
  if (data.type === 2) return reply(`greeted ${Object.values(data.resolved.users)[0].username}`);
  if (data.type === 3) return reply(`quoted ${Object.values(data.resolved.messages)[0].content}`);
  switch (data.name) {
    case 'ping': return reply('pong');
    case 'find': return reply(`chose ${option}`);
    case 'slow': return { first: { type: 5 }, then: ['done', 'and more'] };
    default: return { first: { type: 9, data: form } };
  }
}

// permissionsLine returns the line that a bot prints when the permissions of a command change.
export const permissionsLine = (id, permissions) =>
  `permissions ${id} ${permissions.map((entry) => `${entry.type}/${entry.id}/${entry.permission}`).join(',')}`;

export const form = {
  custom_id: 'form', title: 'Form',
  components: [{ type: 1, components: [{ type: 4, custom_id: 'name', label: 'Name', style: 1 }] }],
};
