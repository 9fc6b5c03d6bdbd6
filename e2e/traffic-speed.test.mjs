// The speed of the Traffic page with 10,000 rows: the time from an interaction to the next paint.

import assert from 'node:assert/strict';
/** @import { Browser, Page } from 'playwright-core' */
/** @import { Service } from './lib/service.mjs' */
/** @import { Interactions } from './lib/speed.mjs' */
import { after, before, test } from 'node:test';
import { launch, open } from './lib/browser.mjs';
import { start } from './lib/service.mjs';
import { limit, measure, watch } from './lib/speed.mjs';

const count = 10000;
/** @type {Service} */
let service;
/** @type {Browser} */
let browser;

before(async () => {
  service = await start();
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await service?.stop();
});

/** fill makes the service record as many requests as it keeps. */
async function fill() {
  for (let sent = 0; sent < count; sent += 50) {
    const batch = Array.from({ length: 50 }, (_, i) => fetch(`${service.origin}/api/v10/gateway?n=${sent + i}`));
    await Promise.all((await Promise.all(batch)).map((r) => r.arrayBuffer()));
  }
}

/** @param {number} n place among the rendered rows */
const clickRow = (n) => (/** @type {Page} */ page) => page.locator('.rows').getByRole('option').nth(n).click();

/** @param {string} key */
const press = (key) => (/** @type {Page} */ page) => page.keyboard.press(key);

/** @param {Page} page */
const toggleRequests = (page) => page.getByRole('button', { name: 'Requests', exact: true }).click();

/** @param {string} key */
const find = (key) => (/** @type {Page} */ page) => page.getByLabel('Find in all traffic').press(key);

/**
 * The interactions of a round, in this order: select rows, filter and search, with the mouse and the keyboard. For the
 * browser, a turn of the wheel is no interaction.
 * @type {Interactions}
 */
const interactions = [
  ['open a row', clickRow(3)],
  ['the next row', press('ArrowDown')],
  ['the next page', press('PageDown')],
  ['the page after it', press('PageDown')],
  ['the last row', press('End')],
  ['the first row', press('Home')],
  ['select another row', clickRow(5)],
  ['filter by kind', toggleRequests],
  ['search, first key', find('n')],
  ['search, second key', find('=')],
  ['search, third key', find('9')],
  ['clear the search', (page) => page.getByLabel('Find in all traffic').fill('')],
  ['remove the filter', toggleRequests],
  ['close the detail', (page) => page.getByRole('button', { name: 'Close the details' }).click()],
];

/** @param {Page} page */
const toTop = (page) =>
  page.getByRole('listbox', { name: 'Traffic' }).evaluate((list) => {
    list.scrollTop = 0;
  });

test('of 10,000 rows few are in the document, and every interaction paints', async (t) => {
  await fill();
  const page = await open(browser, service.origin, { viewport: { width: 1440, height: 900 } });
  await watch(page);
  await page.goto(`${service.origin}/#/traffic`);
  await page.locator('.rows').getByRole('option').first().waitFor();
  const size = Number(await page.locator('.rows').getByRole('option').first().getAttribute('aria-setsize'));
  assert.ok(size > 0.9 * count, `${size} rows`);
  const rendered = await page.locator('.rows').getByRole('option').count();
  assert.ok(rendered < 100, `${rendered} rows are in the document`);
  const { report, slow } = await measure(page, interactions, toTop);
  t.diagnostic(`${size} rows, durations in ms: ${report}`);
  assert.deepEqual(slow, [], `interactions that never painted within ${limit} ms`);
  await page.context().close();
});
