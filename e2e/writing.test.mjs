// Messages on the Play page: a person writes, answers, changes, reacts and removes, and sees what a bot does.

import assert from 'node:assert/strict';
/** @import { Browser } from 'playwright-core' */
/** @import { Service } from './lib/service.mjs' */
/** @import { CheckedPage } from './lib/browser.mjs' */
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { accessible, launch, open, screenshot } from './lib/browser.mjs';
import { start } from './lib/service.mjs';

const token = 'MTEwMDAwMDAwMDAwMDAwMDEwMA.ZGVtbw.a-public-token-for-your-own-machine-only';

const application = '1100000000000000100';
const general = '1100000000000000311';

/** @type {Service} */
let service;
/** @type {Browser} */
let browser;
/** @type {CheckedPage} */
let page;

before(async () => {
  service = await start();
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await service?.stop();
});

beforeEach(async () => {
  page = await open(browser, service.origin);
  await page.goto(service.origin);
  await page.getByText('Connected').waitFor();
  await input().waitFor();
});

afterEach(async () => {
  assert.deepEqual(page.violations, []);
  await page.context().close();
});

const input = () => page.getByRole('textbox', { name: 'Type / to use a command' });

/**
 * message returns the last message with a text.
 * @param {string} text
 */
const message = (text) => page.locator('.message', { hasText: text }).last();

/**
 * write writes a message.
 * @param {string} text
 */
async function write(text) {
  await input().fill(text);
  await input().press('Enter');
  await message(text).waitFor();
}

/**
 * menu opens the menu of a message with the right mouse button.
 * @param {string} text
 */
async function menu(text) {
  await message(text).click({ button: 'right' });
  await page.getByRole('dialog').waitFor();
}

/**
 * bot sends a request as the bot.
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 */
async function bot(method, path, body) {
  const response = await fetch(`${service.origin}/api/v10${path}`, {
    method,
    headers: { Authorization: `Bot ${token}`, 'Content-Type': 'application/json' },
    body: body ? JSON.stringify(body) : undefined,
  });
  assert.ok(response.ok, `${method} ${path}: ${response.status}`);
  return response.status === 204 ? undefined : response.json();
}

test('a person writes, answers, changes and removes a message', async () => {
  await write('hello there');
  assert.equal(await input().inputValue(), '');
  await menu('hello there');
  await page.getByRole('button', { name: 'Reply' }).click();
  await page.getByText('You answer').waitFor();
  await write('and hello to me');
  await message('and hello to me').locator('.used', { hasText: 'hello there' }).waitFor();
  await menu('and hello to me');
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByText('You change your message.').waitFor();
  assert.equal(await input().inputValue(), 'and hello to me');
  await write('another text');
  await message('another text').getByText('(edited)').waitFor();
  await menu('another text');
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.locator('.message', { hasText: 'another text' }).waitFor({ state: 'detached' });
  assert.deepEqual(await accessible(page), []);
  await screenshot(page, 'play-messages');
});

test('a person reacts, and sees the reactions and changes of a bot', async () => {
  await write('react to me');
  await menu('react to me');
  await page.getByRole('button', { name: 'React with 👍' }).click();
  const thumbs = message('react to me').getByRole('button', { name: '👍' });
  await thumbs.and(page.locator('[aria-pressed=true]')).waitFor();
  const at = await message('react to me').getAttribute('data-message');
  const channel = await channelOf(String(at));
  await bot('PUT', `/channels/${channel}/messages/${at}/reactions/%F0%9F%91%8D/@me`);
  await message('react to me').getByRole('button', { name: '👍, 2' }).waitFor();
  await thumbs.click();
  await message('react to me').getByRole('button', { name: '👍, 1' }).waitFor();
  const said = await bot('POST', `/channels/${channel}/messages`, { content: 'a bot speaks' });
  await message('a bot speaks').waitFor();
  await bot('DELETE', `/channels/${channel}/messages/${said.id}`);
  await page.locator('.message', { hasText: 'a bot speaks' }).waitFor({ state: 'detached' });
});

test('files are pasted and dropped', async () => {
  await input().focus();
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(['hello'], 'notes.txt', { type: 'text/plain' }));
    const composer = document.querySelector('.composer');
    composer?.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await page.locator('.draft', { hasText: 'notes.txt' }).waitFor();
  await write('with a file');
  await message('with a file').getByText('notes.txt').waitFor();
});

test('the keyboard works after each way to close a dialog', async () => {
  /** @type {[string, () => Promise<unknown>][]} */
  const ways = [
    ['Escape', () => page.keyboard.press('Escape').then(() => page.keyboard.press('Escape'))],
    ['the button', () => page.getByRole('button', { name: 'Close' }).click()],
    ['Reply', () => page.getByRole('button', { name: 'Reply' }).click()],
  ];
  await write('a message with a menu');
  for (const [name, close] of ways) {
    if (name === 'Reply') await menu('a message with a menu');
    else await input().press('Control+k');
    await page.getByRole('dialog').waitFor();
    await close();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await input().and(page.locator(':focus')).waitFor();
    await page.waitForTimeout(100);
    await page.keyboard.type('abc');
    assert.equal(await input().inputValue(), 'abc', `after ${name}`);
    await input().fill('');
  }
});

test('fast typing after a command goes into its first option', async () => {
  await bot('POST', `/applications/${application}/commands`, {
    name: 'reserve',
    description: 'Reserve a room',
    options: [{ type: 3, name: 'name', description: 'Who comes', required: true }],
  });
  let release = () => {};
  const released = /** @type {Promise<void>} */ (
    new Promise((resolve) => {
      release = resolve;
    })
  );
  await page.route('**/application-commands/search?*', async (route) => {
    await released; // the service finds commands later than the person types
    await route.continue();
  });
  await input().focus();
  await page.keyboard.type('/reserve', { delay: 15 });
  await page.keyboard.press('Enter');
  await page.keyboard.type('Grace Hopper', { delay: 15 });
  release();
  const option = page.getByRole('combobox', { name: 'name' });
  await option.and(page.locator(':focus')).waitFor();
  await page.keyboard.type(' and one guest', { delay: 15 });
  assert.equal(await option.inputValue(), 'Grace Hopper and one guest');
  await page.keyboard.press('Escape');
});

test('timestamps have their styles, and the exact instant on hover', async () => {
  const seconds = Math.round(Date.now() / 1000) + 3 * 3600 + 60;
  await bot('POST', `/channels/${general}/messages`, { content: `departure <t:${seconds}:R>` });
  const time = page.locator('.message', { hasText: 'departure' }).locator('.markdown time').last();
  const shown = await time.evaluate((e) => [e.textContent, e.getAttribute('title')]);
  assert.deepEqual(shown, ['in 3 hours', new Date(seconds * 1000).toISOString()]);
  await bot('POST', `/channels/${general}/messages`, { content: 'long ago <t:86400:R>' });
  assert.match(String(await message('long ago').locator('.markdown time').textContent()), /^\d+ years ago$/);
});

test('the chat stays at its end when the room for it or its content changes', async () => {
  for (let i = 0; i < 25; i++) await bot('POST', `/channels/${general}/messages`, { content: `line ${i}` });
  await message('line 24').waitFor();
  const distance = () =>
    page.locator('.timeline').evaluate((e) => Math.round(e.scrollHeight - e.scrollTop - e.clientHeight));
  const atEnd = async (/** @type {string} */ when) => {
    await page.waitForTimeout(200);
    assert.ok((await distance()) < 4, `${await distance()} px from the end ${when}`);
  };
  await atEnd('at first');
  await page.locator('.composer').evaluate((e) => {
    e.style.minHeight = '300px';
  });
  await atEnd('after the composer grew');
  await page
    .locator('.message')
    .last()
    .evaluate((e) => {
      e.style.minHeight = '400px';
    });
  await atEnd('after a message grew');
  const refusal = { message: 'Invalid Form Body', code: 50035 };
  await page.route('**/interactions', (route) => route.fulfill({ status: 400, json: refusal }));
  await bot('POST', `/applications/${application}/commands`, { name: 'fail', description: 'Fail' });
  await input().fill('/fail');
  await page.getByRole('option', { name: /^\/fail/ }).waitFor();
  await input().press('Enter');
  await page.locator('.failure').waitFor();
  await atEnd('after a failure appeared');
});

test('a person in no guild is told so, and is not the person to begin with', async () => {
  const response = await fetch(`${service.origin}/_dev/world`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/yaml' },
    body: 'users: [{id: "1000000000000000001", username: hermit}]',
  });
  assert.ok(response.ok, String(response.status));
  await page.reload();
  await page.getByText('Connected').waitFor();
  assert.equal(await page.getByLabel('You are').locator('option').first().innerText(), 'hermit');
  assert.notEqual(await page.getByLabel('You are').locator('option:checked').innerText(), 'hermit');
  await page.getByLabel('You are').selectOption({ label: 'hermit' });
  await page.getByText('hermit is in no guild').waitFor();
});

/**
 * channelOf finds the channel of a message by asking for it in each channel that the bot sees.
 * @param {string} id
 */
async function channelOf(id) {
  for (const guild of await bot('GET', '/users/@me/guilds')) {
    for (const { id: channel, type } of await bot('GET', `/guilds/${guild.id}/channels`)) {
      if (type !== 0) continue;
      const list = await bot('GET', `/channels/${channel}/messages?limit=50`);
      if (list.some((/** @type {{ id: string }} */ m) => m.id === id)) return channel;
    }
  }
  throw new Error('no channel has the message');
}
