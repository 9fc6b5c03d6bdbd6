// Calls each verb of the kit once, checks the result, and prints the calls as JSON: verb to call.
// docs/kits.md shows them.

/** @import { Outcome } from '../index.js' */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start } from '../index.js';
import { bot, feedback, roll } from './bot.js';

const folder = await mkdtemp(join(tmpdir(), 'bellhop-verbs-'));
const file = join(folder, 'commands.json');
await writeFile(file, JSON.stringify([roll, feedback]));
const bellhop = await start();
const at = 'Lab/general';
/** @type {Outcome} */
let rolled;

/** @type {[string, string, () => Promise<void>][]} */
const verbs = [
  ['start', 'start(options)', async () => assert.ok(bellhop.url)],
  ['push', 'push(file)', async () => bellhop.push(file)],
  ['bot', 'bot(method, path, body)', async () => assert.ok((await bellhop.bot('GET', '/applications/@me')).verify_key)],
  [
    'connect',
    'connect(listener)',
    async () => {
      const { verify_key } = await bellhop.bot('GET', '/applications/@me');
      assert.match(await bellhop.connect(bot(verify_key, (sides) => sides)), /^http:/);
    },
  ],
  [
    'invoke',
    'invoke(as, where, line)',
    async () => {
      rolled = await bellhop.invoke('bob', at, '/roll sides:20');
      assert.equal(text(rolled), 'You rolled a 20 of 20.');
    },
  ],
  [
    'autocomplete',
    'autocomplete(as, where, line, option)',
    async () => assert.equal((await bellhop.autocomplete('bob', at, '/roll', 'sides'))[0].name, 'a coin'),
  ],
  [
    'press',
    'press(as, outcome, button)',
    async () => assert.equal(text(await bellhop.press('bob', rolled, 'Again')), 'You rolled again.'),
  ],
  [
    'select',
    'select(as, outcome, menu, values)',
    async () => assert.equal(text(await bellhop.select('bob', rolled, 'Colour', ['Red'])), 'Colours: r'),
  ],
  [
    'submit',
    'submit(as, outcome, fields)',
    async () => {
      const form = await bellhop.invoke('bob', at, '/feedback');
      assert.equal(text(await bellhop.submit('bob', form, { words: 'nice' })), 'You said: nice');
    },
  ],
  [
    'say',
    'say(as, where, what)',
    async () => {
      const { message: asked } = await bellhop.say('bob', at, 'ping');
      const { message: reply } = await bellhop.say('ada', at, { content: 'me too', reply_to: asked.id });
      assert.equal(reply.type, 19);
      const { message: sent } = await bellhop.say('ada', at, { files: [{ name: 'a.txt', content: 'abc' }] });
      assert.equal(sent.attachments[0].size, 3);
      const { message: liked } = await bellhop.say('ada', at, { message: asked.id, react: '🔥' });
      assert.ok(liked.reactions[0].me);
      assert.equal((await bellhop.say('bob', at, { message: asked.id, edit: 'ping!' })).message.content, 'ping!');
      assert.equal((await bellhop.say('bob', at, { message: asked.id, delete: true })).message, null);
      const poll = { question: { text: 'Tea?' }, answers: [{ poll_media: { text: 'Yes' } }] };
      const { message: posted } = await bellhop.say('bob', at, { poll });
      const { message: voted } = await bellhop.say('ada', at, { message: posted.id, vote: [1] });
      assert.ok(voted.poll.results.answer_counts[0].me_voted);
    },
  ],
  [
    'member',
    'member(as, guild, what)',
    async () => {
      assert.equal((await bellhop.member('bob', 'Lab', { leave: true })).member, null);
      assert.equal((await bellhop.member('bob', 'Lab', { join: true })).member.user.username, 'bob');
      assert.equal((await bellhop.member('ada', 'Lab', { nick: 'Countess' })).member.nick, 'Countess');
      assert.equal((await bellhop.member('ada', 'Lab', { nick: null })).member.nick, null);
    },
  ],
  [
    'wait for',
    'waitFor(as, where, match)',
    async () => {
      const { message: asked } = await bellhop.say('bob', at, 'ping');
      const path = `/channels/${asked.channel_id}/messages`;
      const pong = await bellhop.bot('POST', path, { content: 'pong' });
      assert.equal((await bellhop.waitFor('ada', at, 'pong')).id, pong.id);
      await bellhop.bot('PUT', `${path}/${asked.id}/reactions/%F0%9F%91%8D/@me`);
      assert.equal((await bellhop.waitFor('ada', at, (m) => m.reactions?.length === 1)).id, asked.id);
      await bellhop.bot('PATCH', `${path}/${pong.id}`, { content: 'pong 2' });
      assert.equal((await bellhop.waitFor('bob', at, (m) => m.edited_timestamp !== null)).content, 'pong 2');
      await assert.rejects(bellhop.waitFor('bob', at, 'never', { timeout: 1 }), /bob sees/);
    },
  ],
  ['now', 'now()', async () => assert.ok(await bellhop.now())],
  [
    'advance',
    'advance(by)',
    async () => {
      const before = await bellhop.now();
      assert.ok((await bellhop.advance('1h')).getTime() - before.getTime() >= 3_600_000);
    },
  ],
  ['requests', 'requests(filter)', async () => assert.ok((await bellhop.requests({ kind: 'delivery' })).length >= 1)],
  [
    'lobby',
    'lobby(id)',
    async () => {
      const { id } = await bellhop.bot('POST', '/lobbies', {});
      assert.equal((await bellhop.lobby(id)).id, id);
    },
  ],
  ['token', 'token({ user, scopes })', async () => assert.ok(await bellhop.token({ user: 'ada' }))],
  [
    'fault',
    'fault(fault)',
    async () => {
      await bellhop.fault({ route: '/lobbies', status: 503 });
      await assert.rejects(bellhop.bot('POST', '/lobbies', {}), /503/);
    },
  ],
  [
    'clear faults',
    'clearFaults()',
    async () => {
      await bellhop.clearFaults();
      await bellhop.bot('POST', '/lobbies', {});
    },
  ],
  [
    'reset',
    'reset()',
    async () => {
      await bellhop.reset();
      assert.deepEqual(await bellhop.bot('GET', `/applications/${bellhop.application().id}/commands`), []);
    },
  ],
];

/** @param {Outcome} outcome */
function text(outcome) {
  return outcome.messages[0].content;
}

try {
  for (const [, , call] of verbs) await call();
  console.log(JSON.stringify(Object.fromEntries(verbs.map(([verb, call]) => [verb, call]))));
} finally {
  await bellhop.stop();
  await rm(folder, { recursive: true });
}
