// A world with much data and long names: what a page must show without breaking, and what the demo world does not have.

/** @import { Service } from './service.mjs' */

/** @param {number} n */
const id = (n) => String(1200000000000000000n + BigInt(n));

const apps = [
  'Harbour',
  'An app with unusually long names',
  'Donaudampfschifffahrtskapitaen',
  'Dice',
  'Tickets',
  'Weather',
];

const words = ['roll', 'report', 'configure-notifications', 'leaderboard', 'translate-this-message-please', 'x'];

/** @param {number} n */
const definition = (n) => ({
  name: `${words[n % words.length]}-${n}`.slice(0, 32),
  description:
    n % 3 ? `Command number ${n}` : `A description that uses its length: ${'many words '.repeat(6)}`.slice(0, 100),
  options:
    n % 4 === 0
      ? [
          { type: 3, name: 'subject', description: 'What it is about', required: true, max_length: 200 },
          { type: 6, name: 'person-who-is-responsible', description: 'Whom to ask' },
          { type: 4, name: 'count', description: 'How many', min_value: 1, max_value: 99 },
        ]
      : [],
});

/** world returns the world as JSON, which is also YAML. */
export function world() {
  const users = Array.from({ length: 120 }, (_, n) => ({
    id: id(1000 + n),
    username: n % 7 === 3 ? `someone.with.a.long.name.${n}` : `person${n}`,
    global_name: n % 5 === 0 ? `Person ${n} of the naming board` : undefined,
    token: n === 0 ? 'dev-user-large' : undefined,
  }));
  const applications = apps.map((name, n) => ({
    id: id(n),
    name,
    owner: id(1000),
    bot_token: `dev-bot-large-${n}`,
    integration_types: [0, 1],
  }));
  const channels = Array.from({ length: 40 }, (_, n) => ({
    id: id(3000 + n),
    name: n === 0 ? 'general' : n % 6 === 0 ? `a-channel-with-quite-a-long-name-for-a-sidebar-${n}` : `channel-${n}`,
  }));
  const guild = {
    id: id(2000),
    name: 'The Society of People Who Give Their Servers Long Names',
    owner: id(1000),
    roles: Array.from({ length: 20 }, (_, n) => ({ id: id(2100 + n), name: `role number ${n}`, permissions: [] })),
    channels,
    members: users.map((u) => ({ user: u.id })),
    installs: applications.map((a) => ({ application: a.id, scopes: ['bot', 'applications.commands'] })),
  };
  const commands = [
    { application: id(0), definitions: Array.from({ length: 60 }, (_, n) => definition(n)) },
    ...apps
      .slice(1)
      .map((_, n) => ({ application: id(n + 1), definitions: [105, 106].map((c) => definition(c + 4 * n)) })),
  ];
  return JSON.stringify({ users, applications, guilds: [guild], commands });
}

const headers = { 'Content-Type': 'application/json', Authorization: 'Bot dev-bot-large-0' };

/**
 * endpointKey returns the key with which the first app verifies deliveries.
 * @param {Service} service
 * @returns {Promise<string>}
 */
export async function endpointKey({ origin }) {
  const response = await fetch(`${origin}/api/v10/applications/@me`, { headers });
  return (await response.json()).verify_key;
}

/**
 * interact uses commands 200 times. The first app answers at an endpoint, the others are offline.
 * @param {Service} service
 * @param {string} endpoint the URL of an app that answers
 */
export async function interact({ origin }, endpoint, count = 200) {
  const post = async (/** @type {string} */ path, /** @type {unknown} */ body, method = 'POST') => {
    const response = await fetch(origin + path, { method, headers, body: JSON.stringify(body) });
    return { ok: response.ok, text: await response.text() };
  };
  const set = await post('/api/v10/applications/@me', { interactions_endpoint_url: endpoint }, 'PATCH');
  if (!set.ok) throw new Error(`the endpoint was refused: ${set.text}`);
  for (let n = 0; n < count; n++) {
    const app = n % 9 === 0 ? 1 + (n % 5) : 0;
    const { name, options } = definition(app ? 101 + 4 * app : n % 60);
    const subject = options.length ? ' subject:"a subject that is long enough to be cut in a list"' : '';
    const command = `/${name}${subject}`;
    await post('/_dev/invoke', { as: id(1000 + (n % 120)), in: id(3000 + (n % 40)), command });
  }
  await post(`/api/v10/guilds/${id(2000)}/stickers`, {}); // a gap
}
