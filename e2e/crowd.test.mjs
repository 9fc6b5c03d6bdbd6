// The Play page with many commands, long names and 200 messages, at three widths and in both themes.

import assert from 'node:assert/strict';
/** @import { Browser } from 'playwright-core' */
/** @import { Service } from './lib/service.mjs' */
import { after, before, test } from 'node:test';
import { accessible, launch, open, screenshot } from './lib/browser.mjs';
import { crowd, crowdedWorld } from './lib/crowd.mjs';
import { start } from './lib/service.mjs';

/** @type {Service} */
let service;
/** @type {Browser} */
let browser;

before(async () => {
  service = await start({ world: crowdedWorld() });
  browser = await launch();
  const poll = {
    question: { text: 'Where do we eat tonight?' },
    answers: ['At the harbour', 'On the terrace'].map((text) => ({ poll_media: { text } })),
    duration: 24,
  };
  const response = await fetch(`${service.origin}/api/v10/channels/${crowd.general}/messages`, {
    method: 'POST',
    headers: { Authorization: `Bot ${crowd.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ poll }),
  });
  assert.ok(response.ok, await response.text());
});

after(async () => {
  await browser?.close();
  await service?.stop();
});

/**
 * visit opens a channel.
 * @param {number} width
 * @param {'light' | 'dark'} colorScheme
 * @param {string} channel
 */
async function visit(width, colorScheme = 'light', channel = crowd.general) {
  const viewport = { width, height: width < 500 ? 844 : 900 };
  const page = await open(browser, service.origin, { viewport, colorScheme, reducedMotion: 'reduce' });
  await page.goto(`${service.origin}/#/play?as=${crowd.ada}&channel=${channel}`);
  await page.locator('.state.ready').waitFor();
  await page.locator('.message, .forum li').last().waitFor();
  return page;
}

for (const width of [390, 820, 1440]) {
  for (const theme of /** @type {const} */ (['light', 'dark'])) {
    test(`axe finds nothing at ${width} px, ${theme}`, async () => {
      const page = await visit(width, theme);
      const check = async (/** @type {string} */ what) => {
        assert.deepEqual(await accessible(page), [], what);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${what}: ${wide} pixels too wide`);
        const high = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
        assert.ok(high <= 0, `${what}: the page itself scrolls by ${high} pixels`);
        await screenshot(page, `crowd-${what}-${width}-${theme}`);
      };
      await check('chat');
      await page.locator('.picker textarea').fill('/');
      await page.getByRole('option', { name: /^\/configure-room/ }).waitFor();
      await check('picker');
      await page.locator('.picker textarea').fill('');
      await page.locator('.message .menu').last().click();
      await page.getByRole('dialog').getByRole('button', { name: 'Reply' }).waitFor();
      await page.locator('dialog .skeleton').waitFor({ state: 'detached' });
      await check('menu');
      await page.keyboard.press('Escape');
      await page.goto(`${service.origin}/#/play?channel=${crowd.forum}`);
      await page
        .getByRole('button', { name: /Where is the key/ })
        .last()
        .waitFor();
      await check('forum');
      assert.deepEqual(page.violations, []);
      await page.context().close();
    });
  }
}

for (const width of [390, 820, 1440]) {
  test(`the picker groups commands by app, and names stay whole at ${width} px`, async () => {
    const page = await visit(width);
    await page.locator('.picker textarea').fill('/');
    const list = page.locator('[role=listbox]:not([hidden])');
    await list.getByRole('option').first().waitFor();
    assert.equal(await list.getByRole('option').count(), 60);
    assert.equal(await list.getByRole('group').count(), 6);
    assert.equal(await list.locator('.group .avatar').count(), 6);
    const broken = await list
      .locator('.name')
      .evaluateAll(
        (names) =>
          names.filter((e) => e.scrollWidth > e.clientWidth || e.getClientRects().length > 1 || e.clientHeight > 30)
            .length,
      );
    assert.equal(broken, 0, `${broken} names are cut or on several lines`);
    await page.context().close();
  });
}

test('on a phone the chat starts within 120 px of the top', async () => {
  const page = await visit(390);
  const top = await page.locator('.timeline').evaluate((e) => e.getBoundingClientRect().top);
  assert.ok(top <= 120, `the chat starts at ${top} px`);
  await page.context().close();
});

test('at 820 px the navigation is one row with labels', async () => {
  const page = await visit(820);
  const boxes = await page.locator('header.frame nav a .name').evaluateAll((all) =>
    all.map((e) => {
      const { top, width } = e.getBoundingClientRect();
      return { top: Math.round(top), width };
    }),
  );
  assert.equal(boxes.length, 7);
  assert.equal(new Set(boxes.map((b) => b.top)).size, 1, 'one row');
  assert.ok(
    boxes.every((b) => b.width > 20),
    'labels are shown',
  );
  await page.context().close();
});

test('nothing shifts when members, presences and threads arrive', async () => {
  const page = await open(browser, service.origin, { viewport: { width: 1440, height: 900 } });
  await page.addInitScript(`
    globalThis.shift = 0;
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) globalThis.shift += value;
    }).observe({ type: 'layout-shift', buffered: true });
  `);
  await page.goto(`${service.origin}/#/play?as=${crowd.ada}&channel=${crowd.general}`);
  await page.locator('.message').last().waitFor();
  await page.locator('.people .dot.online').first().waitFor();
  await page.waitForTimeout(500);
  const shift = Number(await page.evaluate('globalThis.shift'));
  assert.ok(shift <= 0.005, `shift of ${shift}`);
  await page.context().close();
});
