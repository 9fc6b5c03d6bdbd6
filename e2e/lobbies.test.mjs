// The Lobbies page.

import assert from 'node:assert/strict';
/** @import { Browser } from 'playwright-core' */
/** @import { Service } from './lib/service.mjs' */
/** @import { CheckedPage } from './lib/browser.mjs' */
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { WebSocket } from 'ws';
import { accessible, launch, open, screenshot } from './lib/browser.mjs';
import { start } from './lib/service.mjs';

const application = '1100000000000000100';
const bob = '1100000000000000201';

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
  await post('/_dev/reset', undefined);
  page = await open(browser, service.origin);
});

afterEach(async () => {
  assert.deepEqual(page.violations, []);
  await page.context().close();
});

/**
 * @param {string} path
 * @param {unknown} body
 */
async function post(path, body) {
  const response = await fetch(service.origin + path, {
    method: 'POST',
    headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok(response.ok, text);
  return JSON.parse(text || 'null');
}

/**
 * connect opens a gateway session of a user with the scope sdk.social_layer.
 * @param {string} user
 * @returns {Promise<WebSocket>}
 */
async function connect(user) {
  /** @type {{ access_token: string }} */
  const pass = await post('/_dev/token', { application, user, scopes: ['sdk.social_layer'] });
  const socket = new WebSocket(`${service.origin.replace('http', 'ws')}/gateway/?v=10&encoding=json`);
  return new Promise((resolve, reject) => {
    socket.on('close', (code) => reject(new Error(`closed ${code}`)));
    socket.on('message', (message) => {
      const { op, t } = JSON.parse(String(message));
      const identify = { op: 2, d: { token: `Bearer ${pass.access_token}`, properties: {} } };
      if (op === 10) socket.send(JSON.stringify(identify));
      if (t === 'READY') resolve(socket);
    });
  });
}

const dialog = () => page.getByRole('dialog');

const card = () => page.locator('.card.lobby').first();

/** create creates a lobby with metadata and the member bob. */
async function create() {
  await page.goto(`${service.origin}/#/lobbies`);
  await page.getByText('No lobbies.').waitFor();
  await page.getByRole('button', { name: 'New lobby' }).click();
  await dialog().getByLabel('Metadata').first().fill('map=dust\nmode=duel');
  await dialog().getByLabel('Seconds until').fill('90');
  await dialog().getByLabel('Person').selectOption({ label: 'Bob' });
  await dialog().getByRole('button', { name: 'Add' }).click();
  assert.deepEqual(await accessible(page), []);
  await dialog().getByRole('button', { name: 'Save' }).click();
  await card().waitFor();
}

test('a lobby is created, shown with its metadata as a table, edited and ended', async () => {
  await create();
  await card().getByRole('row', { name: 'map dust' }).waitFor();
  await card().getByRole('row', { name: 'mode duel' }).waitFor();
  await card().getByRole('button', { name: /^Edit/ }).click();
  await dialog().getByLabel('Metadata').first().fill('map=ice');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await card().getByRole('row', { name: 'map ice' }).waitFor();
  await card().getByRole('button', { name: /^End/ }).click();
  await page.getByText('No lobbies.').waitFor();
});

test('members show their presence, and the card its history of events', async () => {
  await create();
  await card().getByText('not connected').waitFor();
  assert.equal(await card().locator('.member .dot.offline').count(), 1);
  const socket = await connect(bob);
  await card().getByText('not idle').waitFor();
  await card().locator('.member .dot.online').waitFor();
  const history = card().getByRole('region', { name: 'History' });
  await history.getByText('The lobby was created.').waitFor();
  await history.getByText('bob connected.').waitFor();
  socket.removeAllListeners('close');
  socket.close(1000);
  await history.getByText('bob disconnected.').waitFor();
  await card()
    .getByText(/ends in/)
    .first()
    .waitFor();
  await screenshot(page, 'lobby');
  assert.deepEqual(await accessible(page), []);
});

test('the time until the shutdown counts down, and the end is in the history', async () => {
  await create();
  const badge = card().locator('.badge', { hasText: 'ends in' });
  await badge.waitFor();
  const before = await badge.innerText();
  await page.waitForFunction((text) => document.querySelector('.lobby .badge')?.textContent?.trim() !== text, before);
  await post('/_dev/clock', { advance: '2m' });
  await page.getByText('No lobbies.').waitFor();
  await page.getByText('The lobby ended.').waitFor();
});

for (const width of [390, 820, 1440]) {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    test(`the page at ${width} px in ${colorScheme}`, async () => {
      await page.context().close();
      page = await open(browser, service.origin, { viewport: { width, height: 900 }, colorScheme });
      await create();
      await screenshot(page, `lobbies-${width}-${colorScheme}`);
      assert.deepEqual(await accessible(page), []);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
    });
  }
}
