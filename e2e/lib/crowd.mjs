// A crowded world for the pages: many commands, long names, messages of every kind, threads, a forum and voice.

/** The ids of the crowd that tests name. */
export const crowd = {
  guild: '1100000000000005000',
  general: '1100000000000005001',
  forum: '1100000000000005003',
  voice: '1100000000000005004',
  quiet: '1100000000000005005',
  thread: '1100000000000005100',
  post: '1100000000000005110',
  archived: '1100000000000005120',
  ada: '1100000000000004000',
  bob: '1100000000000004001',
  echo: '1100000000000000100',
  token: 'MTEwMDAwMDAwMDAwMDAwMDEwMA.ZGVtbw.a-public-token-for-your-own-machine-only',
};

const verbs = ['configure', 'list', 'remove', 'explain', 'schedule', 'assign', 'review', 'announce', 'archive', 'sync'];
const things = ['room', 'guest', 'reservation', 'housekeeping', 'invoice', 'restaurant'];

/** @param {number} n */
const commandName = (n) => `${verbs[n % verbs.length]}-${things[Math.floor(n / verbs.length) % things.length]}`;

/**
 * commandsOf returns ten commands of an application, and one for people and one for messages.
 * @param {string} application
 * @param {number} first
 */
function commandsOf(application, first) {
  const definitions = Array.from({ length: 10 }, (_, i) => ({
    name: commandName(first + i),
    description: `What the ${commandName(first + i)} desk does for a guest who asks at night, in one long sentence`,
    options: [{ type: 3, name: 'who', description: 'The person concerned' }],
  }));
  const [{ name }] = definitions;
  const menus = [2, 3].map((type) => ({ type, name: `Ask the desk about ${name}`.slice(0, 32) }));
  return { application, definitions: [...definitions, ...menus] };
}

const applications = ['Echo', 'Donaudampfschifffahrtskapitän', 'A', 'The Night Porter', 'Кухня', 'مكتب'].map(
  (name, i) => ({ id: String(BigInt(crowd.echo) + BigInt(i)), name, owner: crowd.ada, integration_types: [0, 1] }),
);

const people = [
  ['ada', 'Ada Lovelace'],
  ['bob', 'Bob'],
  ['rhabarberbarbarabarbarbarenbart', 'Rhabarberbarbarabarbarbarenbart'],
  ['jose_maria', 'José María de la Purificación'],
  ['layla', 'ليلى بنت محمد'],
  ...Array.from({ length: 35 }, (_, i) => [`guest_${i}`, i % 3 ? `Guest number ${i} of the house` : '']),
].map(([username, name], i) => ({
  id: String(BigInt(crowd.ada) + BigInt(i)),
  username,
  ...(name && { global_name: name }),
}));

const texts = [
  'Good evening',
  'Is the **restaurant** still open? <t:1767225600:R>',
  'A long line without a pause '.repeat(12),
  `https://example.com/${'a-very-long-path-that-nobody-can-read/'.repeat(5)}`,
  '- towels\n- soap\n- a second key',
  '```js\nconst guests = rooms.flatMap((room) => room.guests.filter((guest) => guest.staysLongerThan(3)));\n```',
  'مرحبا، هل المطعم مفتوح؟',
  '😀 👍🏽 👨‍👩‍👧',
];

/** The time of an id, in milliseconds. @param {number} at */
const idAt = (at) => BigInt(at - 1420070400000) << 22n;

/**
 * messages returns messages of people and apps, a minute apart.
 * @param {number} count
 */
function messages(count) {
  const first = Date.now() - count * 60_000;
  return Array.from({ length: count }, (_, i) => ({
    id: String(idAt(first + i * 60_000)),
    author: i % 3 === 1 ? applications[i % applications.length].id : people[(i * 7) % 12].id,
    content: `${texts[i % texts.length]} (${i})`,
    ...(i % 25 === 4 && {
      embeds: [{ title: `Invoice ${i}`, description: 'Three nights, two breakfasts', color: 0xcc5500 }],
    }),
  }));
}

/** @param {number} count */
const world = (count) => ({
  users: people,
  applications: applications.map((a, i) => (i === 0 ? { ...a, bot_token: crowd.token } : a)),
  guilds: [
    {
      id: crowd.guild,
      name: 'The Grand Hotel at the Harbour with a Long Name',
      owner: crowd.ada,
      channels: [
        { id: '1100000000000005900', name: 'front of house', type: 4 },
        {
          id: crowd.general,
          name: 'general',
          topic: 'Everything that belongs nowhere else, and what the night porter should know before the morning',
          parent: '1100000000000005900',
          messages: messages(count),
          threads: [
            { id: crowd.thread, name: 'Plans for the summer that nobody has written down yet', owner: crowd.ada },
            { id: crowd.archived, name: 'Winter plans', owner: crowd.bob, archived: true },
          ],
        },
        {
          id: crowd.quiet,
          name: 'a-channel-with-a-name-that-does-not-fit-into-the-list',
          topic: '',
          parent: '1100000000000005900',
        },
        {
          id: crowd.forum,
          name: 'questions',
          type: 15,
          threads: [
            {
              id: crowd.post,
              name: 'Where is the key of room 12?',
              owner: crowd.bob,
              messages: [{ id: crowd.post, author: crowd.bob, content: 'It was on the hook yesterday.' }],
            },
          ],
        },
        { id: crowd.voice, name: 'Lobby', type: 2 },
      ],
      members: people.map(({ id }, i) => ({ user: id, ...(i === 2 && { nick: 'Der Barbier mit dem langen Namen' }) })),
      installs: applications.map(({ id }) => ({ application: id, scopes: ['bot'], permissions: ['ADMINISTRATOR'] })),
    },
  ],
  commands: applications.map(({ id }, i) => commandsOf(id, i * 10)),
});

/**
 * crowdedWorld returns the text of a world file. count is the number of messages in the first channel, at most 1000.
 * @param {number} [count]
 */
export const crowdedWorld = (count = 200) => JSON.stringify(world(count));
