// The Play page as a chat client: the input line, cards of failures, two people, links, and what it records.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
/** @import { AddressInfo } from 'node:net' */
import { join } from 'node:path';
/** @import { Client } from 'discord.js' */
/** @import { Browser, Page } from 'playwright-core' */
/** @import { Service } from './lib/service.mjs' */
/** @import { CheckedPage } from './lib/browser.mjs' */
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { promisify } from 'node:util';
import { endThinking, run } from './lib/bot.mjs';
import { accessible, launch, open, screenshot } from './lib/browser.mjs';
import { start } from './lib/service.mjs';

const execute = promisify(execFile);
const application = '1100000000000000100';
const token = 'MTEwMDAwMDAwMDAwMDAwMDEwMA.ZGVtbw.a-public-token-for-your-own-machine-only';

/** @type {Service} */
let service;
/** @type {Browser} */
let browser;
/** @type {Client} */
let bot;
/** @type {CheckedPage} */
let page;

before(async () => {
  service = await start();
  bot = await run(service.origin, application, token);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await bot?.destroy();
  await service?.stop();
});

beforeEach(async () => {
  page = await visit();
});

afterEach(async () => {
  assert.deepEqual(page.violations, []);
  await page.context().close();
});

/**
 * visit opens the page with its own browser storage.
 * @param {number} [width]
 */
async function visit(width = 1280) {
  const opened = await open(browser, service.origin, { viewport: { width, height: 800 } });
  await opened.goto(service.origin);
  await input(opened).waitFor();
  await opened.locator('.state.ready').first().waitFor();
  return opened;
}

/**
 * input returns the input line of the first person.
 * @param {Page} [on]
 */
const input = (on = page) => on.getByRole('textbox', { name: 'Type / to use a command' }).first();

/** @param {string | RegExp} name */
const offered = (name) => page.locator('[role=listbox]:not([hidden])').getByRole('option', { name });

/**
 * pick picks a command from the list. A command without options is sent.
 * @param {string} name
 */
async function pick(name) {
  await input().fill(`/${name}`);
  await offered(new RegExp(`^/${name}`))
    .first()
    .waitFor();
  await input().press('Enter');
}

/** @param {string} name */
const option = (name) => page.locator('.command-form').getByRole('combobox', { name: new RegExp(`^${name}`) });

/** @param {string} text */
const message = (text) => page.locator('.message', { hasText: text }).last();

/**
 * post sends a request to a dev control.
 * @param {string} path
 * @param {unknown} body
 */
async function post(path, body) {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(service.origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
  assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.text()}`);
}

/** focused returns the name of the control that has the focus. */
const focused = () =>
  page.evaluate(() => {
    const e = document.activeElement;
    return e?.getAttribute('aria-label') ?? /** @type {HTMLInputElement} */ (e)?.labels?.[0]?.innerText ?? e?.tagName;
  });

test('a slash typed anywhere goes to the input line', async () => {
  await page.getByRole('heading', { name: 'general' }).click();
  assert.notEqual(await focused(), 'Type / to use a command');
  await page.keyboard.type('/pi');
  await offered(/^\/ping/).waitFor();
  assert.equal(await input().inputValue(), '/pi');
  await page.keyboard.press('Enter');
  await message('pong').waitFor();
});

test('a command is chips: wrong values are marked, Tab moves on, options that are not required come last', async () => {
  await pick('wuerfeln');
  const sides = option('seiten');
  await sides.fill('1');
  await page.locator('.option.wrong', { hasText: 'seiten' }).waitFor();
  await page.getByText('At least 2.').waitFor();
  await screenshot(page, 'chips');
  await sides.fill('6');
  assert.equal(await page.locator('.option.wrong').count(), 0);
  await sides.press('Tab');
  assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ''), /\+ colour/);
  await page.keyboard.press('Enter');
  await page.keyboard.type('Blu');
  await page.keyboard.press('Tab');
  assert.equal(await option('colour').inputValue(), 'Blue');
  assert.deepEqual(await accessible(page), []);
  await sides.press('Enter');
  await message('d6 b -').waitFor();
});

test('a pasted line is parsed, and the arrow up key recalls the last line', async () => {
  await page.evaluate(() => navigator.clipboard.writeText('/roll sides:20 colour:r for:@Bob'));
  await input().click();
  await page.keyboard.press('Control+V');
  await option('seiten').waitFor();
  assert.equal(await option('seiten').inputValue(), '20');
  assert.equal(await option('for').inputValue(), 'Bob');
  await option('seiten').press('Enter');
  await message('d20 r bob').waitFor();
  await input().press('ArrowUp');
  await option('seiten').waitFor();
  assert.equal(await option('seiten').inputValue(), '20');
  await option('seiten').fill('12');
  await option('seiten').press('Enter');
  await message('d12 r bob').waitFor();
});

test('a refusal is a card with status, fields and body, and can be tried again', async () => {
  const errors = { data: { options: { 0: { _errors: [{ code: 'X', message: 'Not this one' }] } } } };
  const refusal = { message: 'Invalid Form Body', code: 50035, errors };
  await page.route('**/interactions', (route) => route.fulfill({ status: 400, json: refusal }), { times: 1 });
  await pick('ping');
  const card = page.locator('.failure');
  await card.getByText('/ping failed').waitFor();
  await card.getByText('400', { exact: true }).waitFor();
  await card.getByText('data.options.0').waitFor();
  await card.getByText('Not this one').first().waitFor();
  await card.getByText('Body', { exact: true }).click();
  await card.getByText('50035').waitFor();
  await screenshot(page, 'refusal');
  assert.deepEqual(await accessible(page), []);
  await card.getByRole('button', { name: 'Try again' }).click();
  await message('pong').waitFor();
  assert.equal(await card.count(), 0);
});

test('a failure stays in the order of time, with a link to its exchange', async () => {
  await Promise.all([page.getByText('waits for an answer…').waitFor(), pick('silent')]);
  await post('/_dev/clock', { advance: '4s' });
  const card = page.locator('.failure', { hasText: /did not answer: timeout/ });
  await card.waitFor();
  await pick('ping');
  await message('pong').waitFor();
  const order = await page
    .locator('.timeline-content > *')
    .evaluateAll((all) => all.map((e) => e.className.split(' ')[0]));
  assert.equal(order.at(-1), 'message');
  assert.ok(order.includes('failure'), order.join());
  const link = card.getByRole('link', { name: 'Show in Traffic' });
  assert.match((await link.getAttribute('href')) ?? '', /^#\/traffic\?text=\d+$/);
  await card.getByRole('button', { name: 'Dismiss' }).click();
  await card.waitFor({ state: 'detached' });
});

test('a reload opens the same channel, also when there are direct messages', async () => {
  await page.getByRole('button', { name: 'Apps for Bob' }).click();
  await page.getByRole('button', { name: 'Message Bob' }).click();
  await page.getByRole('heading', { name: 'Bob' }).waitFor();
  await page.getByRole('button', { name: 'mods-only' }).click();
  await page.reload();
  await page.getByRole('heading', { name: 'mods-only' }).waitFor();
  await page.goto(service.origin);
  await page.getByRole('heading', { name: 'mods-only' }).waitFor();
});

test('lists of suggestions are complete, and placeholders fit', async () => {
  await page.setViewportSize({ width: 1280, height: 420 });
  await pick('panel');
  await message('choose').waitFor();
  const menu = message('choose').getByRole('combobox', { name: /^A person/ });
  assert.ok(await menu.evaluate((e) => e.scrollWidth <= e.clientWidth), 'the placeholder is cut');
  await menu.click();
  await offered(/Bob/).waitFor();
  const uncovered = await page.locator('[role=listbox]:not([hidden]) [role=option]').evaluateAll((all) =>
    all.every((e) => {
      e.scrollIntoView({ block: 'nearest' });
      const { left, top, width, height } = e.getBoundingClientRect();
      return e.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    }),
  );
  assert.ok(uncovered, 'something covers a suggestion');
});

test('messages say what they answer, and forms begin at their first field', async () => {
  await pick('form');
  await page.getByRole('dialog', { name: 'Tell us' }).waitFor();
  assert.equal((await focused())?.trim(), 'In short');
  await page.keyboard.type('yes');
  await page.keyboard.press('Enter');
  await message('form yes').getByText('submitted a form').waitFor();
  endThinking();
  await pick('think');
  await message('and a secret').getByText('follow-up for').waitFor();
  assert.equal(await page.getByText('used a component').count(), 0);
  await pick('panel');
  await message('choose').getByRole('combobox', { name: 'A fruit' }).click();
  await offered('Pear').click();
  await message('fruit p').getByText('used a component').waitFor();
});

test('typing goes to the input line after each way to close the form of an app', async () => {
  const form = page.getByRole('dialog', { name: 'Tell us' });
  const fill = () => form.getByLabel('In short').fill('done');
  /** @type {[string, () => Promise<unknown>][]} */
  const ways = [
    ['Escape', () => page.keyboard.press('Escape')],
    ['the cross', () => form.getByRole('button', { name: 'Close' }).click()],
    ['Cancel', () => form.getByRole('button', { name: 'Cancel' }).click()],
    ['Submit', () => fill().then(() => form.getByRole('button', { name: 'Submit' }).click())],
    ['Ctrl+Enter', () => fill().then(() => page.keyboard.press('Control+Enter'))],
  ];
  for (const [name, close] of ways) {
    await pick('form');
    await form.waitFor();
    await close();
    await form.waitFor({ state: 'detached' });
    await input().and(page.locator(':focus')).waitFor();
    await page.keyboard.type('abc');
    assert.equal(await input().inputValue(), 'abc', `after ${name}`);
  }
});

test('attachments have a name and a size, and pictures are shown', async () => {
  await pick('upload');
  const file = join(service.dir, 'note.txt');
  writeFileSync(file, 'a note');
  await page.getByLabel('file').setInputFiles(file);
  await page.getByRole('button', { name: 'Send' }).click();
  await message('note.txt 6').waitFor();
  assert.match(await message('note.txt 6').locator('.attachment').innerText(), /^answer\.txt\s+5 B$/);
  await pick('picture');
  const picture = page.getByRole('img', { name: 'dot.png' });
  await picture.waitFor();
  assert.ok(await picture.evaluate((/** @type {HTMLImageElement} */ e) => e.decode().then(() => e.naturalWidth === 1)));
});

test('a channel whose history the person cannot read says so', async () => {
  const id = '1100000000000000300';
  const overwrites = [{ id, deny: ['READ_MESSAGE_HISTORY'] }];
  const channel = { id: '1100000000000000999', name: 'whispers', permission_overwrites: overwrites };
  await post('/_dev/world', { guilds: [{ id, name: 'Lab', owner: '1100000000000000200', channels: [channel] }] });
  await page.getByLabel('You are').selectOption({ label: 'Cleo' });
  await page.getByRole('button', { name: 'whispers' }).click();
  await page.getByText('You cannot read the history of this channel').waitFor();
  assert.equal(await page.getByText('No messages yet').count(), 0);
});

test('relative times have a timer only while one is shown', async () => {
  await page.addInitScript(() => {
    const { setInterval: begin, clearInterval: end } = window;
    /** @type {Set<unknown>} */
    const timers = new Set();
    const begun = (/** @type {TimerHandler} */ call, /** @type {number} */ time) => {
      const id = begin(call, time);
      if (time === 30_000) timers.add(id);
      return id;
    };
    const ended = (/** @type {number} */ id) => {
      timers.delete(id);
      end(id);
    };
    Object.assign(window, { setInterval: begun, clearInterval: ended, slowTimers: timers });
  });
  const running = (/** @type {number} */ count) =>
    page.waitForFunction((n) => Reflect.get(window, 'slowTimers').size === n, count);
  await page.reload();
  await input().waitFor();
  await page.locator('.state.ready').first().waitFor();
  await pick('card');
  await message('A card').locator('header time').waitFor();
  await running(1);
  await page.goto(`${service.origin}/#/traffic`);
  await page.getByRole('heading', { name: 'Traffic' }).first().waitFor();
  await running(0);
  await page.goto(`${service.origin}/#/play`);
  await message('A card').locator('header time').waitFor();
  await running(1);
});

test('people and their menus on a phone', async () => {
  await page.context().close();
  page = await visit(390);
  await page.getByRole('button', { name: 'People', exact: true }).click();
  await screenshot(page, 'people-phone');
  assert.deepEqual(await accessible(page), []);
  await page.getByRole('button', { name: 'Apps for Bob' }).click();
  await page.getByRole('dialog').getByRole('button', { name: /Greet/ }).click();
  await page.getByRole('button', { name: 'People', exact: true }).click();
  await message('hello bob').waitFor();
});

test('two people side by side: the second does not see an ephemeral answer', async () => {
  await page.getByRole('button', { name: 'Two people side by side' }).click();
  const right = page.locator('[data-window=right]');
  await right.locator('.state.ready').waitFor();
  assert.deepEqual(await accessible(page), []);
  await pick('wuerfeln');
  await option('seiten').fill('77');
  await page.getByRole('button', { name: '+ secretly' }).click();
  await page.keyboard.type('T');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await page.locator('[data-window=left] .message.ephemeral', { hasText: 'd77' }).waitFor();
  const line = right.getByRole('textbox', { name: 'Type / to use a command' });
  await line.fill('/ping');
  await offered(/^\/ping/).waitFor();
  await line.press('Enter');
  await right
    .locator('.message', { hasText: /Bob used.*ping/s })
    .last()
    .waitFor();
  assert.equal(await right.getByText('d77').count(), 0);
  await screenshot(page, 'split');
  await page.reload();
  await right.locator('.state.ready').waitFor();
});

test('two tabs are two people', async () => {
  await page.getByLabel('You are').selectOption({ label: 'Cleo' });
  const second = await page.context().newPage();
  await second.goto(service.origin);
  await second.getByLabel('You are').selectOption({ label: 'Bob' });
  await page.reload();
  await page.locator('.state.ready').waitFor();
  const shown = (/** @type {Page} */ p) => p.getByLabel('You are').locator('option:checked').innerText();
  assert.deepEqual([await shown(page), await shown(second)], ['Cleo', 'Bob']);
  await second.close();
});

test('a link to a message, relative times, and the way back to the newest message', async () => {
  await pick('card');
  const card = message('A card');
  await card.waitFor();
  const time = card.locator('header time');
  assert.equal(await time.innerText(), 'now');
  assert.match((await time.getAttribute('title')) ?? '', /\d+:\d\d/);
  await card.getByRole('button', { name: /Apps for this message/ }).click();
  await page.getByRole('button', { name: 'Copy link' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const link = await page.evaluate(() => navigator.clipboard.readText());
  for (let i = 0; i < 12; i++) {
    await post('/_dev/invoke', { as: 'ada', in: 'Lab/general', command: '/card' });
  }
  await page.goto('about:blank');
  await page.goto(link);
  await page.locator('.message.linked:focus').waitFor();
  const jump = page.getByRole('button', { name: 'Jump to the newest' });
  await jump.click();
  await jump.waitFor({ state: 'detached' });
  await page.locator('.message').last().waitFor();
});

test('an activity opens in a frame with a sandbox', async () => {
  const server = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<p>the game</p>'));
  await /** @type {Promise<void>} */ (new Promise((done) => server.listen(0, '127.0.0.1', done)));
  const { port } = /** @type {AddressInfo} */ (server.address());
  const owner = '1100000000000000200';
  const app = { id: application, name: 'Echo', owner, integration_types: [0, 1], activities: true };
  await post('/_dev/world', { applications: [app] });
  await page.getByRole('button', { name: 'Activities' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Launch/ })
    .click();
  await page.getByLabel('URL of the activity').fill(`http://127.0.0.1:${port}/`);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await page.frameLocator('iframe.activity').getByText('the game').waitFor();
  const frame = page.locator('iframe.activity');
  assert.match((await frame.getAttribute('src')) ?? '', /instance_id=i-\d+/);
  assert.doesNotMatch((await frame.getAttribute('sandbox')) ?? '', /allow-top-navigation/);
  assert.deepEqual([...new Set(page.violations)], [`request: 127.0.0.1:${port}`]);
  page.violations.length = 0;
  server.closeAllConnections();
  server.close();
});

test('what was done is copied as commands that repeat it, and as tests', async () => {
  await page.getByRole('button', { name: 'mods-only' }).click();
  await page.getByRole('heading', { name: 'mods-only' }).waitFor();
  await pick('panel');
  await message('choose').getByRole('button', { name: 'Count' }).click();
  await message('counted 1').waitFor();
  await page.getByRole('button', { name: 'Copy as…' }).click();
  const code = async (/** @type {string} */ name) => {
    await page.getByRole('tab', { name, exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Copy', exact: true }).click();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const [shell, go, script, python] = [
    await code('curl'),
    await code('Go'),
    await code('JavaScript'),
    await code('Python'),
  ];
  const scenario = await code('Scenario');
  assert.match(scenario, /"as": "ada", "in": "Lab\/mods-only", "use": "\/panel", "expect": {"content": "choose"}/);
  assert.match(scenario, /{"press": "Count", "expect": {"content": "counted 1"}}/);
  await screenshot(page, 'record');
  assert.deepEqual(await accessible(page), []);
  const { stdout: answers } = await execute('sh', ['-ec', shell]);
  assert.match(answers, /"content":"choose"/);
  assert.match(answers, /"content":"counted 2"/);
  assert.match(go, /step1 := srv\.Invoke\(t, "ada", "Lab\/mods-only", "\/panel"\)/);
  assert.match(go, /"message_id": step1\.Messages\[0\]\.ID/);
  const file = (/** @type {string} */ name, /** @type {string} */ text) => {
    writeFileSync(join(service.dir, name), text);
    return join(service.dir, name);
  };
  assert.equal((await execute('gofmt', ['-l', file('x_test.go', go)])).stdout, '');
  await execute('node', ['--check', file('x.test.mjs', script)]);
  const pytest = file('test_x.py', python);
  await execute('python3', ['-c', `exec(open(${JSON.stringify(pytest)}).read()); test_conversation()`]);
});
