// What the bots of libraries answer that hand interactions over as they came.

// answerTo returns the first answer to an interaction and, for one that takes time, what its message says in the end and
// what a second one says.
export function answerTo({ type, data }) {
  const say = (content) => ({ first: { type: 4, data: { content } } });
  const option = data.options?.[0]?.value;
  if (type === 4) return { first: { type: 8, data: { choices: [{ name: `found ${option}`, value: `${option}!` }] } } };
  if (type === 5) return say(`hello ${data.components[0].components[0].value}`);
  if (data.type === 2) return say(`greeted ${Object.values(data.resolved.users)[0].username}`);
  if (data.type === 3) return say(`quoted ${Object.values(data.resolved.messages)[0].content}`);
  switch (data.name) {
    case 'ping': return say('pong');
    case 'find': return say(`chose ${option}`);
    case 'slow': return { first: { type: 5 }, then: ['done', 'and more'] };
    default: return { first: { type: 9, data: form } };
  }
}

// told is the line that says who may use a command from now on.
export const told = (id, permissions) =>
  `permissions ${id} ${permissions.map((entry) => `${entry.type}/${entry.id}/${entry.permission}`).join(',')}`;

export const form = {
  custom_id: 'form', title: 'Form',
  components: [{ type: 1, components: [{ type: 4, custom_id: 'name', label: 'Name', style: 1 }] }],
};
