// The World page.

import assert from 'node:assert/strict';
/** @import { Browser } from 'playwright-core' */
/** @import { Service } from './lib/service.mjs' */
/** @import { CheckedPage } from './lib/browser.mjs' */
/** @import { Clock } from '../internal/console/types/wire.js' */
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { accessible, launch, open, screenshot } from './lib/browser.mjs';
import { start } from './lib/service.mjs';

const bot = 'Bot MTEwMDAwMDAwMDAwMDAwMDEwMA.ZGVtbw.a-public-token-for-your-own-machine-only';

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
  await fetch(`${service.origin}/_dev/reset`, { method: 'POST' });
  page = await open(browser, service.origin, { viewport: { width: 1440, height: 900 } });
});

afterEach(async () => {
  assert.deepEqual(page.violations, []);
  await page.context().close();
});

async function openWorld() {
  await page.goto(`${service.origin}/#/world`);
  await page.getByRole('row', { name: /ada/ }).or(page.getByLabel('username of ada')).first().waitFor();
  await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('ada'));
}

/** @returns {Promise<number>} */
async function now() {
  /** @type {Clock} */
  const clock = await (await fetch(`${service.origin}/_dev/clock`)).json();
  return Date.parse(clock.now);
}

/**
 * reaches waits until the clock of the service shows a time.
 * @param {number} time
 */
async function reaches(time) {
  for (const end = Date.now() + 30000; ; await page.waitForTimeout(50)) {
    const shown = await now();
    if (shown >= time) return;
    if (Date.now() > end) throw new Error(`the clock shows ${new Date(shown)} after 30 s, want ${new Date(time)}`);
  }
}

/**
 * waitForFile waits until the world file of the page contains a text.
 * @param {string} text
 */
const waitForFile = (text) =>
  page.waitForFunction((part) => document.querySelector('textarea')?.value.includes(part), text);

test('a cell that is edited in place changes the record and the file beside it', async () => {
  await openWorld();
  const cell = page.getByLabel('global_name of bob');
  await cell.fill('Robert');
  await cell.press('Enter');
  await waitForFile('global_name: Robert');
  const tables = [
    ['Guilds', 'name of Lab', 'Laboratory', 'name: Laboratory'],
    ['Roles', 'name of helpers', 'friends', 'name: friends'],
    ['Channels', 'topic of general', 'News', 'topic: News'],
    ['Members', 'nick of Robert @bob', 'Bobby', 'nick: Bobby'],
    ['Installs', 'scopes of Echo', 'bot', '- bot'],
  ];
  for (const [tab, label, value, text] of tables) {
    await page.getByRole('tab', { name: tab }).click();
    await page.getByLabel(label).fill(value);
    await page.getByLabel(label).press('Enter');
    await waitForFile(text);
  }
});

test('a wrong value is refused with its reason, and the cell shows the stored value again', async () => {
  await openWorld();
  const cell = page.getByLabel('username of bob');
  await cell.fill('x'.repeat(50));
  await cell.press('Enter');
  await page.getByRole('alert').first().waitFor();
  await page.waitForFunction(
    () => document.querySelector('[aria-label="username of bob"]')?.getAttribute('title') === 'bob',
  );
});

test('records come first; the clock and faults are in a panel that closes', async () => {
  await openWorld();
  const panel = page.getByRole('complementary', { name: 'Clock and faults' });
  const [records, side] = [await page.locator('.records').boundingBox(), await panel.boundingBox()];
  assert.ok((records?.x ?? 0) + (records?.width ?? 0) <= (side?.x ?? 0), 'the panel is beside the records');
  assert.ok((records?.y ?? 0) < 300, `the records begin at ${records?.y} px`);
  await page.getByRole('button', { name: 'Clock and faults' }).click();
  await panel.waitFor({ state: 'detached' });
  await page.reload();
  await page.locator('.records').waitFor();
  assert.equal(await panel.count(), 0);
});

test('records are added and deleted', async () => {
  await openWorld();
  await page.getByRole('button', { name: 'Add', exact: true }).first().waitFor();
  await page.locator('section[aria-labelledby=tables]').getByRole('button', { name: 'Add' }).click();
  await waitForFile('username: user-');
  await page.getByRole('button', { name: 'Delete cleo' }).click();
  await page.waitForFunction(() => !document.querySelector('textarea')?.value.includes('username: cleo'));
});

test('the file changes the tables, and its faults are at their lines', async () => {
  await openWorld();
  const file = page.getByRole('textbox', { name: 'World file' });
  await file.fill('users:\n  - id: "1100000000000000250"\n    username: dora\n    nick: x\n');
  await page.getByRole('button', { name: 'Apply' }).click();
  const fault = page.getByRole('alert').getByRole('button', { name: 'Line 4' });
  await fault.waitFor();
  assert.equal(await page.locator('.line-numbers .marked').innerText(), '4');
  await fault.click();
  const selected = await file.evaluate((area) => {
    const { value, selectionStart, selectionEnd } = /** @type {HTMLTextAreaElement} */ (area);
    return value.slice(selectionStart, selectionEnd);
  });
  assert.equal(selected, '    nick: x');
  await screenshot(page, 'world-faults');
  assert.deepEqual(await accessible(page), []);
  await file.fill('users:\n  - id: "1100000000000000250"\n    username: dora\n');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('✓ Applied.').waitFor();
  await page.getByLabel('username of dora').waitFor();
});

test('the clock moves by presets and until the next thing falls due', async () => {
  const response = await fetch(`${service.origin}/api/v10/lobbies`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: bot },
    body: '{"idle_timeout_seconds":3600}',
  });
  assert.equal(response.status, 201);
  await openWorld();
  const due = page.getByRole('list', { name: 'What falls due' });
  await due.getByText('lobby ends').waitFor();
  const began = await now();
  await page.getByRole('button', { name: '+15 min' }).click();
  await reaches(began + 15 * 60e3);
  await due.getByText(/4[45] min/).waitFor();
  await page.getByRole('button', { name: 'Until the next thing falls due' }).click();
  await page.getByText('Nothing falls due').waitFor();
  assert.ok((await now()) >= began + 3600e3 - 60e3);
  await page.getByRole('button', { name: '+1 day' }).click();
  await reaches(began + 24 * 3600e3);
});

test('a fault is added with a form and counts the requests that met it', async () => {
  await openWorld();
  const faults = page.locator('section[aria-labelledby=faults]');
  await faults.getByLabel('Kind').selectOption('status');
  await faults.getByLabel('Route').fill('/gateway');
  await faults.getByLabel('Count').fill('2');
  await faults.getByRole('button', { name: 'Add' }).click();
  const card = faults.locator('.card', { hasText: '/gateway' });
  await card.getByText('met by 0 of 2 requests').waitFor();
  assert.equal((await fetch(`${service.origin}/api/v10/gateway`)).status, 503);
  await card.getByText('met by 1 of 2 requests').waitFor();
  assert.equal((await fetch(`${service.origin}/api/v10/gateway`)).status, 503);
  await card.getByText('met by 2 of 2 requests').waitFor();
  assert.equal((await fetch(`${service.origin}/api/v10/gateway`)).status, 200);
  await faults.getByRole('button', { name: 'Clear' }).click();
  await card.waitFor({ state: 'detached' });
});

test('the page does not say that there are no faults before it knows', async () => {
  await page.route('**/_dev/faults', () => {}); // the request waits until unroute
  await openWorld();
  const faults = page.locator('section[aria-labelledby=faults]');
  await faults.getByText('Loading').waitFor();
  assert.equal(await faults.getByText('No faults').count(), 0);
  await page.unroute('**/_dev/faults');
  await faults.getByText('No faults').waitFor();
});

test('the reset restores the first world', async () => {
  await openWorld();
  await page.getByLabel('global_name of bob').fill('Robert');
  await page.getByLabel('global_name of bob').press('Enter');
  await waitForFile('global_name: Robert');
  await page.getByRole('button', { name: 'Reset the world' }).click();
  await waitForFile('global_name: Bob');
});

for (const width of [390, 820, 1440]) {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    test(`the page at ${width} px in ${colorScheme}`, async () => {
      await page.context().close();
      page = await open(browser, service.origin, { viewport: { width, height: 900 }, colorScheme });
      await openWorld();
      await screenshot(page, `world-${width}-${colorScheme}`);
      assert.deepEqual(await accessible(page), []);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
    });
  }
}
