// The app Guesthouse of "bellhop dev": what needs a browser, beside the buttons of the first minute.

import assert from 'node:assert/strict';
/** @import { Browser } from 'playwright-core' */
/** @import { Service } from './lib/service.mjs' */
/** @import { CheckedPage } from './lib/browser.mjs' */
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { launch, open, screenshot } from './lib/browser.mjs';
import { input, type } from './lib/minute.mjs';
import { start } from './lib/service.mjs';

/** @type {Service} */
let service;
/** @type {Browser} */
let browser;
/** @type {CheckedPage} */
let page;

before(async () => {
  service = await start({ args: ['dev'] });
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
  await input(page).waitFor();
});

afterEach(async () => {
  assert.deepEqual(page.violations, []);
  await page.context().close();
});

/** @param {string} text */
const seeMessage = (text) => page.locator('.message', { hasText: text }).last().waitFor();

/** @param {string | RegExp} name */
const offered = (name) => page.locator('[role=listbox]:not([hidden])').getByRole('option', { name });

test('selects', async () => {
  await type(page, 'keys');
  await seeMessage('Which keys do you need');
  const message = page.locator('.message', { hasText: 'Which keys do you need' }).last();
  await message.getByRole('combobox', { name: 'Who gets them' }).fill('Bob');
  await offered(/Bob/).click();
  await seeMessage('gets the keys.');
});

test('a form', async () => {
  await type(page, 'feedback');
  const dialog = page.getByRole('dialog', { name: 'How was your stay?' });
  await dialog.getByLabel('What did you like?').fill('the garden');
  await page.keyboard.press('Control+Enter');
  await seeMessage('You liked: the garden.');
});

test('a deferred answer with a follow-up', async () => {
  await Promise.all([page.getByText('Guesthouse is thinking…').waitFor(), type(page, 'laundry')]);
  await seeMessage('Your clothes are clean.');
  await seeMessage('They hang in your wardrobe.');
  await screenshot(page, 'guesthouse-deferred');
});

test('commands on people and on messages, and an activity', async () => {
  await page.getByRole('button', { name: 'Apps for Bob' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Greet guest/ })
    .click();
  await seeMessage('Ada greets Bob.');
  const greeting = page.locator('.message', { hasText: 'Ada greets Bob.' }).last();
  await greeting.getByRole('button', { name: /Apps for this message/ }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Pin to the board/ })
    .click();
  await seeMessage('On the board: “Ada greets Bob.”');
  await page.getByRole('button', { name: 'Activities' }).click();
  const games = page.getByRole('dialog').getByRole('button', { name: /games room/ });
  await games.click();
  await games.waitFor({ state: 'detached' }); // the activity opens in a dialog of its own
});

test('the commands are back after a reset', async () => {
  const reset = await fetch(`${service.origin}/_dev/reset`, { method: 'POST' });
  assert.equal(reset.status, 204, await reset.text());
  await page.reload();
  await page.getByText('Connected').waitFor();
  await type(page, 'safe');
  await seeMessage('The code of your safe is 4711.');
});
