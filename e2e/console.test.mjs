import {test, before, after} from 'node:test';
import assert from 'node:assert/strict';
import {start} from './lib/service.mjs';
import {launch, open, shot, accessible} from './lib/browser.mjs';

let service;
let browser;

before(async () => {
  service = await start();
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await service?.stop();
});

const pages = ['play', 'apps', 'permissions', 'lobbies', 'traffic', 'world'];
const widths = {phone: 360, tablet: 800, desktop: 1280};

for (const [name, width] of Object.entries(widths)) {
  test(`every page on a ${name}`, async () => {
    const page = await open(browser, service.origin, {viewport: {width, height: 800}});
    for (const at of pages) {
      await page.goto(`${service.origin}/#/${at}`);
      await page.getByRole('heading', {level: 1}).waitFor({state: 'attached'});
      await page.waitForLoadState('networkidle');
      await shot(page, `${at}-${name}`);
      assert.deepEqual(await accessible(page), [], at);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${at} is ${wide} pixels too wide`);
    }
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });
}

test('light and dark', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const page = await open(browser, service.origin, {colorScheme});
    for (const at of pages) {
      await page.goto(`${service.origin}/#/${at}`);
      await page.waitForLoadState('networkidle');
      assert.deepEqual(await accessible(page), [], `${at} ${colorScheme}`);
    }
    await shot(page, `world-${colorScheme}`);
    await page.context().close();
  }
});

test('the judge of accessibility finds faults', async () => {
  const page = await open(browser, service.origin);
  await page.goto(service.origin);
  await page.evaluate(() => document.body.append(document.createElement('img'), document.createElement('input')));
  const found = (await accessible(page)).join();
  assert.match(found, /image-alt/);
  assert.match(found, /label/);
  await page.context().close();
});
