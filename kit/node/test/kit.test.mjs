import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, beforeEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BellhopError, start, withBellhop } from '../index.js';
import { bot, roll } from './bot.js';

describe('one service for the tests of a file', () => {
  const bellhop = withBellhop({ before, after, beforeEach });
  const commands = () => `/applications/${bellhop.application().id}/commands`;

  async function connect() {
    await bellhop.bot('PUT', commands(), [roll]);
    const { verify_key } = await bellhop.bot('GET', '/applications/@me');
    await bellhop.connect(bot(verify_key, (sides) => sides));
  }

  test('a command is answered', async () => {
    await connect();
    const outcome = await bellhop.invoke('bob', 'Lab/general', '/roll sides:20');
    assert.equal(outcome.outcome, 'answered');
    assert.equal(outcome.messages[0].content, 'You rolled a 20 of 20.');
    const deliveries = await bellhop.requests({ kind: 'delivery' });
    assert.ok(deliveries.length >= 1);
  });

  test('suggestions', async () => {
    await connect();
    const [coin] = await bellhop.autocomplete('bob', 'Lab/general', '/roll', 'sides');
    assert.equal(coin.name, 'a coin');
  });

  test('each test starts with a reset service', async () => {
    assert.deepEqual(await bellhop.bot('GET', commands()), []);
  });

  test('the clock ends lobbies', async () => {
    const before = await bellhop.now();
    const { id } = await bellhop.bot('POST', '/lobbies', { idle_timeout_seconds: 60 });
    assert.equal((await bellhop.lobby(id)).id, id);
    const now = await bellhop.advance('61s');
    assert.ok(now.getTime() - before.getTime() >= 61_000);
    assert.equal(await bellhop.lobby(id), null);
    assert.ok((await bellhop.advance(500)) > now);
  });

  test('a fault happens as often as its count says', async () => {
    await bellhop.fault({ route: '/lobbies', status: 503, count: 1 });
    await assert.rejects(
      bellhop.bot('POST', '/lobbies', {}),
      (err) => err instanceof BellhopError && err.status === 503,
    );
    await bellhop.bot('POST', '/lobbies', {});
    await bellhop.clearFaults();
  });

  test('tokens without a browser', async () => {
    const token = await bellhop.token({ user: 'ada', scopes: ['identify'] });
    const { status, body } = await bellhop.fetch('GET', '/users/@me', { authorization: `Bearer ${token}` });
    assert.equal(status, 200);
    assert.equal(body.username, 'ada');
  });

  test('unknown names', async () => {
    assert.throws(() => bellhop.application('nobody'), /no nobody/);
    assert.throws(() => bellhop.user('nobody'), /no nobody/);
    await assert.rejects(bellhop.invoke('nobody', 'Lab/general', '/roll'), BellhopError);
  });
});

test('a world file as text and as an object', async () => {
  const world = { users: [{ id: '200', username: 'eve' }], applications: [{ id: '100', name: 'Dice' }] };
  for (const give of [world, JSON.stringify(world)]) {
    const bellhop = await start({ world: give });
    try {
      assert.equal(bellhop.application().name, 'Dice');
      assert.equal((await bellhop.bot('GET', '/applications/@me')).name, 'Dice');
      assert.ok(bellhop.user('eve').token);
    } finally {
      await bellhop.stop();
    }
    await bellhop.stop(); // A second call does nothing.
  }
});

test('gaps are printed, or fail', async (t) => {
  const warn = t.mock.method(console, 'warn', () => {});
  for (const gaps of /** @type {const} */ (['list', 'fail'])) {
    const bellhop = await start({ gaps });
    await assert.rejects(bellhop.bot('GET', `/guilds/${bellhop.guilds[0].id}/templates`), BellhopError);
    await bellhop.reset(); // forgets the request, and not the gap
    if (gaps === 'fail') await assert.rejects(bellhop.stop(), /does not serve list_guild_templates/);
    else await bellhop.stop();
  }
  assert.equal(warn.mock.callCount(), 1);
  assert.match(warn.mock.calls[0]?.arguments[0], /does not serve list_guild_templates/);
});

test('an invalid world file', async () => {
  await assert.rejects(start({ world: 'users: [{id: "1", nickname: eve}]' }), /before it was ready:[\s\S]*nickname/);
});

test('a missing binary', async () => {
  await assert.rejects(start({ binary: '/nowhere/bellhop' }), /BELLHOP_BINARY/);
});

test('missing hooks', () => {
  // @ts-expect-error beforeEach is missing
  assert.throws(() => withBellhop({ before, after }), TypeError);
});

test('hooks may take a minute, also where the framework allows less', () => {
  /** @type {unknown[]} */
  const timeouts = [];
  /** @type {(fn: () => Promise<void>, timeout?: number) => unknown} */
  const hook = (_, timeout) => timeouts.push(timeout);
  withBellhop({ beforeAll: hook, afterAll: hook, beforeEach: hook });
  assert.deepEqual(timeouts, [60_000, 60_000, 60_000]);
});

test('the service ends when its parent is killed', async () => {
  const program = `
    import { start } from ${JSON.stringify(fileURLToPath(new URL('../index.js', import.meta.url)))};
    const { url } = await start();
    console.log(url);
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  const url = line.trim();
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  child.kill('SIGKILL');
  await once(child, 'exit');
  for (const end = Date.now() + 30000; Date.now() < end; ) {
    try {
      await fetch(`${url}/healthz`);
    } catch {
      return; // The service has ended.
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.fail(`${url} still answers 30 s after its parent was killed`);
});
