// The documentation: the pages that the binary serves, and the same pages as files.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
/** @import { Browser } from 'playwright-core' */
/** @import { Service } from './lib/service.mjs' */
/** @import { CheckedPage } from './lib/browser.mjs' */
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { accessible, launch, open, screenshot } from './lib/browser.mjs';
import { binary, start } from './lib/service.mjs';

/** @type {Service} */
let service;
/** @type {Browser} */
let browser;

before(async () => {
  service = await start({ args: ['dev'] });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await service?.stop();
});

/**
 * search types a query and returns the first result.
 * @param {CheckedPage} page
 * @param {string} query
 */
async function search(page, query) {
  await page.keyboard.press('/');
  await page.keyboard.type(query);
  return page.locator('#results a').first();
}

test('search', async () => {
  const page = await open(browser, service.origin);
  await page.goto(`${service.origin}/docs/`);
  assert.match((await (await search(page, 'idle timeout')).textContent()) ?? '', /Lobbies/);
  assert.deepEqual(await accessible(page), []);
  await screenshot(page, 'docs-search');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/lobbies\.html/);
  await search(page, 'xyzzyxyzzy');
  await page.getByText('Nothing found').waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('#results').isVisible(), false);
  assert.deepEqual(page.violations, []);
  await page.context().close();
});

test('search finds what newcomers ask for', async () => {
  const page = await open(browser, service.origin);
  await page.goto(`${service.origin}/docs/`);
  /** @type {[string, RegExp][]} */
  const queries = [
    ['ngrok', /troubleshooting\.html#does-it-work-offline/],
    ['guild command not showing', /troubleshooting\.html#my-command-does-not-appear/],
    ['hot reload', /run\.html#hot-reload/],
    ['offline', /troubleshooting\.html#does-it-work-offline/],
    ['send message', /troubleshooting\.html#how-does-a-bot-send-a-message/],
    ['token invalid', /troubleshooting\.html#401-from-bellhop/],
    ['button not working', /troubleshooting\.html#this-interaction-failed/],
    ['rate limit', /troubleshooting\.html#i-am-rate-limited/],
    ['docker', /install\.html#containers/],
    ['several nodes', /scaling\.html/],
    ['backup database', /backup\.html/],
  ];
  for (const [query, want] of queries) {
    await page.getByRole('searchbox').fill(query);
    assert.match((await page.locator('#results a').first().getAttribute('href')) ?? '', want, query);
  }
  await page.context().close();
});

test('theme, copy and next page', async () => {
  const page = await open(browser, service.origin);
  await page.goto(`${service.origin}/docs/guide/go.html`);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByRole('button', { name: 'Theme: system' }).click();
  assert.notEqual(await ground(), light);
  await page.reload();
  await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
  assert.notEqual(await ground(), light);
  const copy = page.getByRole('button', { name: 'Copy' }).first();
  await Promise.all([page.getByRole('button', { name: 'Copied' }).waitFor(), copy.click()]);
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^go install /);
  const title = await page.title();
  await page.locator('a[rel=next]').click();
  await page.waitForFunction((before) => document.title !== before, title);
  assert.deepEqual(page.violations, []);
  await page.context().close();
});

test('capacity calculator', async () => {
  const page = await open(browser, service.origin);
  await page.goto(`${service.origin}/docs/scaling.html`);
  /** @type {{ reserve: number, loads: { label: string, perCore: number }[] }} */
  const { reserve, loads } = JSON.parse((await page.locator('.calculator script').textContent()) ?? '');
  for (const { label } of loads) await page.getByLabel(label).fill('0');
  await page.getByLabel('Interactions per second').fill('10000');
  const perCore = loads.find((load) => load.label === 'Interactions per second')?.perCore ?? 0;
  const result = page.locator('.calculator output');
  await result.filter({ hasText: `Plan ${Math.ceil((10000 / perCore) * reserve)} cores` }).waitFor();
  assert.deepEqual(await accessible(page), []);
  await screenshot(page, 'docs-scaling');
  assert.deepEqual(page.violations, []);
  await page.context().close();
});

for (const width of [390, 820, 1440]) {
  test(`pages at ${width} px, light and dark`, async () => {
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      const page = await open(browser, service.origin, { viewport: { width, height: 900 }, colorScheme });
      for (const name of ['index', 'troubleshooting', 'guide/go', 'reference-routes']) {
        await page.goto(`${service.origin}/docs/${name}.html`);
        assert.deepEqual(await accessible(page), [], `${name} ${colorScheme}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${name} is ${wide} px too wide`);
        await screenshot(page, `docs-${name.replace('/', '-')}-${width}-${colorScheme}`);
      }
      const menu = page.getByRole('button', { name: 'Pages' });
      if (await menu.isVisible()) await menu.click();
      const navigation = page.getByRole('navigation', { name: 'Pages' });
      await navigation.getByRole('link', { name: 'Lobbies', exact: true }).click();
      await page.waitForURL(/docs\/lobbies\.html/);
      assert.deepEqual(page.violations, []);
      await page.context().close();
    }
  });
}

test('the pages work without a server', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'bellhop-docs-'));
  try {
    execFileSync(binary(), ['docs', '-o', dir]);
    const page = await open(browser, service.origin);
    await page.goto(pathToFileURL(join(dir, 'guide', 'go.html')).href);
    await search(page, 'idle timeout');
    await page.keyboard.press('Enter');
    await page.waitForURL(/lobbies\.html/);
    assert.deepEqual(page.violations, []);
    await page.context().close();
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('each page of the console links to its chapter', async () => {
  const page = await open(browser, service.origin);
  for (const name of ['play', 'apps', 'permissions', 'lobbies', 'traffic', 'world', 'audit']) {
    await page.goto(`${service.origin}/#/${name}`);
    const href = await page.getByRole('link', { name: 'Help' }).getAttribute('href');
    const { status } = await fetch(new URL(href ?? '', `${service.origin}/`));
    assert.equal(status, 200, `${name} links to ${href}`);
    const anchor = href?.split('#')[1];
    if (anchor) {
      const text = await (await fetch(new URL(href ?? '', `${service.origin}/`))).text();
      assert.ok(text.includes(`id="${anchor}"`), `${href} does not exist`);
    }
  }
  await page.context().close();
});
