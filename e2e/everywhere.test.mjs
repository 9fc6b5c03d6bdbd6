// What every page has: the command palette, the list of keys, two languages, and the theme.

import assert from 'node:assert/strict';
/** @import { Browser } from 'playwright-core' */
/** @import { Service } from './lib/service.mjs' */
/** @import { CheckedPage } from './lib/browser.mjs' */
import { after, afterEach, before, test } from 'node:test';
import { accessible, launch, open, screenshot } from './lib/browser.mjs';
import { start } from './lib/service.mjs';

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

afterEach(async () => {
  assert.deepEqual(page.violations, []);
  await page.context().close();
});

/** @param {Parameters<typeof open>[2]} [options] */
async function visit(options) {
  page = await open(browser, service.origin, options);
  await page.goto(service.origin);
  await page.locator('.state.ready').waitFor();
}

/** @param {string | RegExp} name */
const offered = (name) => page.locator('[role=listbox]:not([hidden])').getByRole('option', { name });

test('the command palette opens pages, people and settings', async () => {
  await visit();
  await page.keyboard.press('Control+K');
  await page.getByRole('dialog', { name: 'Search and commands' }).waitFor();
  await offered(/^Traffic/).waitFor();
  await screenshot(page, 'palette');
  assert.deepEqual(await accessible(page), []);
  await page.keyboard.type('lobb');
  await offered(/^Lobbies/).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Lobbies' }).waitFor();
  await page.keyboard.press('Control+K');
  await page.getByRole('dialog', { name: 'Search and commands' }).waitFor();
  await page.keyboard.type('Cleo');
  await offered(/Cleo/).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.state.ready').waitFor();
  assert.equal(await page.getByLabel('You are').locator('option:checked').innerText(), 'Cleo');
  await page.waitForURL(/#\/play\?as=\d+$/);
  await page.keyboard.press('Control+K');
  await page.getByRole('dialog', { name: 'Search and commands' }).waitFor();
  await page.keyboard.type('theme');
  await offered(/theme/i).first().waitFor();
  await page.keyboard.press('Enter');
  await page.locator('html[data-theme=dark]').waitFor();
});

test('a question mark shows the keys, but not in an input', async () => {
  await visit();
  await page.getByRole('heading', { name: 'general' }).click();
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  await keys.getByText('Play: find a command').waitFor();
  assert.deepEqual(await accessible(page), []);
  await page.keyboard.press('Escape');
  await keys.waitFor({ state: 'detached' });
  await page.getByRole('textbox', { name: 'Type / to use a command' }).fill('');
  await page.keyboard.press('?');
  assert.equal(await keys.count(), 0);
});

test('the console speaks German to a German browser, and can be switched', async () => {
  await visit({ locale: 'de-DE' });
  assert.equal(await page.locator('html').getAttribute('lang'), 'de');
  await page.getByRole('textbox', { name: 'Tippen Sie / für einen Befehl' }).waitFor();
  await screenshot(page, 'german');
  assert.deepEqual(await accessible(page), []);
  await page.getByRole('button', { name: 'English' }).click();
  await page.getByRole('textbox', { name: 'Type / to use a command' }).waitFor();
  await page.reload();
  await page.getByRole('textbox', { name: 'Type / to use a command' }).waitFor();
});

test('German fits on a phone', async () => {
  await visit({ locale: 'de-DE', viewport: { width: 360, height: 800 } });
  for (const at of ['play', 'apps', 'permissions', 'lobbies', 'traffic', 'world']) {
    await page.goto(`${service.origin}/#/${at}`);
    await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
    await page.waitForLoadState('networkidle');
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${at} is ${wide} pixels too wide`);
  }
});

test('nothing moves with reduced motion', async () => {
  await visit({ reducedMotion: 'reduce' });
  const moving = await page.evaluate(() => document.getAnimations().length);
  assert.equal(moving, 0);
  const times = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--quick'));
  assert.equal(times, '0s');
});

test('a page whose code does not load says so, and the others work', async () => {
  page = await open(browser, service.origin);
  await page.route('**/assets/audit.js', (route) => route.abort());
  await page.goto(`${service.origin}/#/audit`);
  await page.getByRole('alert').getByText('audit.js').waitFor();
  await page.getByRole('link', { name: 'World' }).click();
  await page.locator('.records tbody tr').first().waitFor();
});
