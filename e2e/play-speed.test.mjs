// The speed of the Play page with 10,000 messages: the time from an interaction to the next paint.

import assert from 'node:assert/strict';
/** @import { Browser, Page } from 'playwright-core' */
/** @import { Service } from './lib/service.mjs' */
/** @import { Interactions } from './lib/speed.mjs' */
import { after, before, test } from 'node:test';
import { launch, open } from './lib/browser.mjs';
import { crowd, crowdedWorld } from './lib/crowd.mjs';
import { start } from './lib/service.mjs';
import { limit, measure, watch } from './lib/speed.mjs';

const count = 10_000;

/** @type {Service} */
let service;
/** @type {Browser} */
let browser;

before(async () => {
  service = await start({ world: crowdedWorld() });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await service?.stop();
});

/** @param {number} n */
const idOf = (n) => String((BigInt(1_700_000_000_000 + n * 60_000) - 1420070400000n) << 22n);

/**
 * messagesFrom returns messages with the numbers from a first one, the newest first as the API returns them.
 * @param {number} from
 * @param {number} to the last one excluded
 */
const messagesFrom = (from, to) =>
  Array.from({ length: to - from }, (_, i) => ({
    id: idOf(to - 1 - i),
    type: 0,
    channel_id: crowd.general,
    author: { id: crowd.bob, username: 'bob', global_name: 'Bob' },
    content: `**Message** number ${to - 1 - i} with a [link](https://example.com) and \`code\``,
    timestamp: new Date().toISOString(),
  }));

/**
 * serveMessages answers the requests for messages of a page: all but the first hundred at once, and the rest when the
 * page asks for it.
 * @param {Page} page
 */
const serveMessages = (page) =>
  page.route('**/messages?limit=*', (route) => {
    const isEarlier = route.request().url().includes('before=');
    return route.fulfill({ json: isEarlier ? messagesFrom(0, 99) : messagesFrom(100, count) });
  });

const line = (/** @type {Page} */ page) => page.locator('.picker textarea');

/** @param {string} key */
const press = (key) => (/** @type {Page} */ page) => page.keyboard.press(key);

/** @param {number} top @param {number} wait */
const scroll =
  (top, wait = 200) =>
  async (/** @type {Page} */ page) => {
    await page.locator('.timeline').evaluate((e, y) => {
      e.scrollTop = y < 0 ? e.scrollHeight : y;
    }, top);
    await page.waitForTimeout(wait);
  };

/** @type {Interactions} */
const interactions = [
  ['focus the line', (page) => line(page).click()],
  ['type a letter', press('h')],
  ['type another', press('i')],
  ['a new line', press('Shift+Enter')],
  ['clear', (page) => line(page).fill('')],
  ['open the commands', press('/')],
  ['the next command', press('ArrowDown')],
  ['close the commands', press('Escape')],
  ['clear again', (page) => line(page).fill('')],
  ['open a menu', (page) => page.locator('.message .menu').last().click()],
  ['close the menu', press('Escape')],
  ['another channel', (page) => page.getByRole('button', { name: 'questions' }).click()],
  ['back', (page) => page.locator('.channels').getByRole('button', { name: 'general' }).click()],
];

test('of 10,000 messages at most 300 are in the document, and every interaction paints', async (t) => {
  const page = await open(browser, service.origin, { viewport: { width: 1440, height: 900 } });
  await watch(page);
  await serveMessages(page);
  await page.goto(`${service.origin}/#/play?as=${crowd.ada}&channel=${crowd.general}`);
  await page.getByText('number 9999').waitFor();
  const { report, slow } = await measure(page, interactions, scroll(-1));
  t.diagnostic(`durations in ms: ${report}`);
  assert.deepEqual(slow, [], `interactions that never painted within ${limit} ms`);
  await page.context().close();
});

test('scrolling goes through all messages, and what is in view stays in its place', async () => {
  const page = await open(browser, service.origin, { viewport: { width: 1440, height: 900 } });
  await serveMessages(page);
  await page.goto(`${service.origin}/#/play?as=${crowd.ada}&channel=${crowd.general}`);
  await page.getByText('number 9999').waitFor();
  const firstShown = () =>
    page.locator('.message').evaluateAll((all) => {
      const edge = document.querySelector('.timeline')?.getBoundingClientRect().top ?? 0;
      const first = all.find((e) => e.getBoundingClientRect().bottom > edge);
      return Number(/number (\d+)/.exec(first?.textContent ?? '')?.[1]);
    });
  let before = await firstShown();
  for (let i = 0; i < 12; i++) {
    await scroll(300, 150)(page);
    const now = await firstShown();
    assert.ok(now < before && before - now < 320, `message ${now} is shown after ${before}`);
    assert.ok((await page.locator('.message').count()) <= 300, 'at most 300 messages are in the document');
    before = now;
  }
  await page.getByRole('button', { name: 'Jump to the newest' }).click();
  await page.getByText('number 9999').waitFor();
  await page.context().close();
});
