// All pages with much data and long names at three widths, each in both color schemes: accessibility, and no horizontal
// scrolling.

import assert from 'node:assert/strict';
/** @import { Browser } from 'playwright-core' */
/** @import { Service } from './lib/service.mjs' */
import { after, before, test } from 'node:test';
import { serve } from './lib/app.mjs';
import { accessible, launch, open, screenshot } from './lib/browser.mjs';
import { endpointKey, interact, world } from './lib/large.mjs';
import { start } from './lib/service.mjs';

/** @type {Service} */
let service;
/** @type {Browser} */
let browser;
/** @type {Awaited<ReturnType<typeof serve>>} */
let app;

before(async () => {
  service = await start({ world: world() });
  app = await serve(await endpointKey(service));
  await interact(service, app.url);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await app?.close();
  await service?.stop();
});

/** The addresses of the pages. axe takes seconds for the permissions of 60 commands, so the page shows another app. */
const pages = {
  play: 'play',
  apps: 'apps',
  permissions: 'permissions?app=1200000000000000003',
  lobbies: 'lobbies',
  traffic: 'traffic',
  world: 'world',
  audit: 'audit',
};
const widths = { phone: 360, tablet: 820, desktop: 1440 };
const schemes = /** @type {const} */ (['light', 'dark']);

for (const [name, width] of Object.entries(widths)) {
  for (const colorScheme of schemes) {
    test(`every page on a ${name}, ${colorScheme}`, async () => {
      const page = await open(browser, service.origin, { viewport: { width, height: 800 }, colorScheme });
      for (const [at, address] of Object.entries(pages)) {
        await page.goto(`${service.origin}/#/${address}`);
        await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
        await page.waitForLoadState('networkidle');
        await screenshot(page, `${at}-${name}-${colorScheme}`);
        assert.deepEqual(await accessible(page), [], at);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${at} is ${wide} pixels too wide`);
      }
      assert.deepEqual(page.violations, []);
      await page.context().close();
    });
  }
}

test('the header is one row: with labels on a tablet, and above the chat on a phone', async () => {
  for (const [width, labels] of /** @type {const} */ ([
    [820, true],
    [390, false],
  ])) {
    const page = await open(browser, service.origin, { viewport: { width, height: 844 } });
    await page.goto(`${service.origin}/#/play`);
    await page.getByText('Connected').waitFor({ state: 'attached' });
    const links = page.locator('header.frame nav a');
    const tops = await links.evaluateAll((list) => list.map((a) => a.getBoundingClientRect().top));
    assert.equal(new Set(tops).size, 1, `${width} px: the links are in one row`);
    if (labels)
      for (const name of await links.locator('.name').all()) assert.ok(((await name.boundingBox())?.width ?? 0) > 20);
    const top = (await page.locator('.chat').boundingBox())?.y ?? 999;
    assert.ok(top <= 120, `${width} px: the chat begins at ${top} px`);
    await screenshot(page, `header-${width}`);
    await page.context().close();
  }
});

test('the commands in the matrix of permissions have room, and long names do not take more', async () => {
  for (const width of [820, 1440]) {
    const page = await open(browser, service.origin, { viewport: { width, height: 900 } });
    await page.goto(`${service.origin}/#/${pages.permissions}`);
    const box = await page.locator('.matrix th.corner').boundingBox();
    assert.ok(box && box.width >= 150 && box.width <= 240, `the first column has ${box?.width} px at ${width} px`);
    await page.context().close();
  }
});

test('an unknown address says so', async () => {
  const page = await open(browser, service.origin);
  await page.goto(`${service.origin}/#/nowhere`);
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  assert.deepEqual(await accessible(page), []);
  await page.getByRole('link', { name: 'Open Play' }).click();
  await page.getByText('Connected').waitFor();
  assert.deepEqual(page.violations, []);
  await page.context().close();
});

test('axe reports violations', async () => {
  const page = await open(browser, service.origin);
  await page.goto(service.origin);
  await page.evaluate(() => document.body.append(document.createElement('img'), document.createElement('input')));
  const found = (await accessible(page)).join();
  assert.match(found, /image-alt/);
  assert.match(found, /label/);
  await page.context().close();
});
