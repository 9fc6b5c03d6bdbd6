// The Play page, with a bot that uses discord.js. The first test uses only the keyboard.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
/** @import { Client } from 'discord.js' */
/** @import { Browser } from 'playwright-core' */
/** @import { Service } from './lib/service.mjs' */
/** @import { CheckedPage } from './lib/browser.mjs' */
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { endThinking, run } from './lib/bot.mjs';
import { accessible, launch, open, screenshot } from './lib/browser.mjs';
import { start } from './lib/service.mjs';

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
  page = await open(browser, service.origin);
  await page.goto(service.origin);
  await page.getByText('Connected').waitFor();
  await page.getByRole('textbox', { name: 'Type / to use a command' }).waitFor();
});

afterEach(async () => {
  assert.deepEqual(page.violations, []);
  await page.context().close();
});

/** input returns the input in which users type commands. */
const input = () => page.getByRole('textbox', { name: 'Type / to use a command' });

/**
 * pick picks a command from the list.
 * @param {string} name
 */
async function pick(name) {
  await input().fill(`/${name}`);
  await offered(new RegExp(`^/${name}`))
    .first()
    .waitFor();
  await input().press('Enter');
}

/** send sends a command without options: picking it is enough. */
const send = pick;

/**
 * option returns the input of an option.
 * @param {string} name
 */
const option = (name) => page.locator('.command-form').getByRole('combobox', { name: new RegExp(`^${name}`) });

/**
 * offered returns the visible suggestions.
 * @param {string | RegExp} [name]
 */
const offered = (name) => page.locator('[role=listbox]:not([hidden])').getByRole('option', name ? { name } : {});

const last = () => page.locator('.message').last();

/**
 * seeMessage waits for a message.
 * @param {string} text
 */
const seeMessage = (text) => page.locator('.message', { hasText: text }).last().waitFor();

/**
 * actAs selects a user.
 * @param {string} name
 */
async function actAs(name) {
  await page.getByLabel('You are').selectOption({ label: name });
  await page.getByText('Connected').waitFor();
}

/**
 * post sends a request to a dev control.
 * @param {string} path
 * @param {unknown} body
 */
const post = (path, body) =>
  fetch(service.origin + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

test('a command with only the keyboard, in the user’s language', async () => {
  const key = page.keyboard;
  await page.evaluate(() => /** @type {HTMLElement | null} */ (document.activeElement)?.blur());
  for (let i = 0; i < 40; i++) {
    await key.press('Tab');
    if (await input().evaluate((e) => e === document.activeElement)) break;
  }
  await key.type('/wue');
  await offered(/^\/wuerfeln/).waitFor();
  await screenshot(page, 'picker');
  await key.press('Enter');
  const sides = option('seiten');
  await sides.waitFor();
  assert.ok(await sides.evaluate((e) => e === document.activeElement), 'the first option has the focus');
  await key.type('1');
  await page.getByText('At least 2.').waitFor();
  await key.press('Backspace');
  await key.type('6');
  await page.getByRole('button', { name: '+ colour' }).focus();
  await key.press('Enter');
  await key.type('Ro');
  await offered('Rot').waitFor();
  await key.press('Enter');
  await screenshot(page, 'options');
  assert.deepEqual(await accessible(page), []);
  await key.press('Enter');
  await seeMessage('d6 r -');
  assert.equal(
    await page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
    'Type / to use a command',
  );
});

test('the picker offers the commands that the user can use', async () => {
  await actAs('Cleo');
  await input().fill('/');
  await offered().first().waitFor();
  assert.ok((await offered().count()) >= 10);
  await input().fill('/nothing');
  await page.getByText('No matching command').waitFor();
});

test('the app sends suggestions while the user types', async () => {
  await pick('find');
  await option('city').fill('ber');
  await offered('Bergen').waitFor();
  await offered('Bern').waitFor();
  await screenshot(page, 'suggestions');
  await option('city').fill('berg');
  await offered('Bern').waitFor({ state: 'detached' });
  await offered('Bergen').waitFor(); // Enter sends the command until the new suggestions are there
  await option('city').press('Enter');
  await option('city').press('Enter');
  await seeMessage('found Bergen');
});

test('suggestions that arrive before the response to their request are shown', async () => {
  await page.route('**/interactions', async (route) => {
    const response = await route.fetch();
    await new Promise((resolve) => setTimeout(resolve, 500));
    await route.fulfill({ response });
  });
  await pick('find');
  await option('city').fill('ber');
  await offered('Bergen').waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a subcommand of a group', async () => {
  await pick('team member add');
  await option('who').fill('Bo');
  await offered(/Bob/).waitFor();
  await option('who').press('Enter');
  await option('who').press('Enter');
  await seeMessage('added bob');
});

test('a deferred answer, and an ephemeral follow-up', async () => {
  await send('think');
  await page.getByText('Echo is thinking…').waitFor();
  await screenshot(page, 'loading');
  endThinking();
  await seeMessage('thought');
  await seeMessage('and a secret');
  const secret = page.locator('.message.ephemeral', { hasText: 'and a secret' });
  await secret.getByText('Only you can see this.').waitFor();
  await screenshot(page, 'ephemeral');
  await secret.getByRole('button', { name: 'Dismiss' }).click();
  await secret.waitFor({ state: 'detached' });
  await actAs('Bob');
  await seeMessage('thought');
  assert.equal(await page.getByText('and a secret').count(), 0);
});

test('components', async () => {
  await send('panel');
  await seeMessage('choose');
  await last().getByRole('button', { name: 'Count' }).click();
  await seeMessage('counted 1');
  assert.ok(await last().getByRole('button', { name: 'Off' }).isDisabled());
  await screenshot(page, 'components');
  const panel = page.locator('.message', { hasText: 'counted 1' }).last();
  await panel.getByRole('combobox', { name: 'A fruit' }).fill('Pea');
  await offered('Pear').click();
  await seeMessage('fruit p');
  await panel.getByRole('combobox', { name: /^A person/ }).fill('Cleo');
  await offered(/Cleo/).click();
  await seeMessage('person cleo');
  assert.deepEqual(await accessible(page), []);
});

test('a modal', async () => {
  await send('form');
  const dialog = page.getByRole('dialog', { name: 'Tell us' });
  await dialog.waitFor();
  await dialog.getByLabel('In short').fill('yes');
  await dialog.getByLabel('At length').fill('because');
  await screenshot(page, 'modal');
  assert.deepEqual(await accessible(page), []);
  await dialog.getByRole('button', { name: 'Submit' }).click();
  await seeMessage('form yes because');
});

test('embeds and attachments', async () => {
  await send('card');
  await seeMessage('A card');
  const card = page.locator('.embed').last();
  assert.equal(await card.locator('strong').innerText(), 'bold');
  await pick('upload');
  const file = join(service.dir, 'note.txt');
  writeFileSync(file, 'a note');
  await page.getByLabel('file').setInputFiles(file);
  await page.getByRole('button', { name: 'Send' }).click();
  await seeMessage('note.txt 6');
  const link = page.getByRole('link', { name: 'answer.txt' });
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  assert.equal(download.suggestedFilename(), 'answer.txt');
  await screenshot(page, 'card');
});

test('commands on people and on messages', async () => {
  await page.getByRole('button', { name: 'Apps for Bob' }).click();
  await page.getByRole('dialog').getByRole('button', { name: /Greet/ }).click();
  await seeMessage('hello bob');
  const greeting = page.locator('.message', { hasText: 'hello bob' }).last();
  await greeting.getByRole('button', { name: /Apps for this message/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: /Quote/ }).click();
  await page.locator('.message blockquote', { hasText: 'hello bob' }).waitFor();
});

test('an activity is launched', async () => {
  const app = {
    id: application,
    name: 'Echo',
    owner: '1100000000000000200',
    integration_types: [0, 1],
    activities: true,
  };
  const applied = await post('/_dev/world', { applications: [app] });
  assert.equal(applied.status, 200, await applied.text());
  await page.getByRole('button', { name: 'Activities' }).click();
  const before = await page.locator('.message').count();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Launch/ })
    .click();
  await page.waitForFunction((n) => document.querySelectorAll('.message').length > n, before);
  await page.locator('.message', { hasText: 'Launch' }).last().waitFor();
  await screenshot(page, 'launched');
});

test('a direct message channel with the app', async () => {
  await page.getByRole('button', { name: 'Apps for Echo' }).click();
  await page.getByRole('button', { name: 'Message Echo' }).click();
  await page.getByRole('heading', { name: 'Echo' }).waitFor();
  await send('ping');
  await seeMessage('pong');
});

test('an app that does not answer', async () => {
  await Promise.all([page.getByText('waits for an answer…').waitFor(), send('silent')]);
  await post('/_dev/clock', { advance: '4s' });
  await page.getByText(/Echo did not answer: timeout after \d+ ms/).waitFor();
  await screenshot(page, 'failure');
});

test('answers of a hostile app are harmless', async () => {
  await send('evil');
  const message = page.locator('.message', { hasText: '<img src=x' }).last();
  await message.waitFor();
  assert.equal(await page.evaluate(() => Reflect.get(window, 'hacked')), undefined);
  assert.equal(await message.locator('.markdown img, script').count(), 0);
  assert.equal(await message.locator('a[href^="javascript"]').count(), 0);
  assert.equal(await message.getByText('<i>y</i>').count(), 1);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${wide} pixels too wide`);
  await message.getByText('Picture: https://tracker.example/pixel.png').waitFor();
  const elsewhere = message.getByRole('link', { name: 'Open tracker.example in a new tab' }).first();
  assert.match(String(await elsewhere.getAttribute('rel')), /noreferrer/);
  await screenshot(page, 'hostile');
});

test('the page works after the browser was offline', async () => {
  await page.context().setOffline(true);
  await page.evaluate(() => 0);
  await page.context().setOffline(false);
  await send('ping');
  await seeMessage('pong');
});
