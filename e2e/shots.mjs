// Screenshots of every page at three widths, in light and dark, and of the parts of the design system. They go to
// docs/shots. Arguments are the names of the pages to render; without arguments it renders all.

import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
/** @import { Browser } from 'playwright-core' */
/** @import { CheckedPage } from './lib/browser.mjs' */
/** @import { Service } from './lib/service.mjs' */
/** @import { Application } from '../internal/server/console/types/wire.js' */
import { fileURLToPath } from 'node:url';
import { launch, open } from './lib/browser.mjs';
import { input, type } from './lib/minute.mjs';
import { start } from './lib/service.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const shots = join(here, '..', 'docs', 'shots');
const widths = [390, 820, 1440];
const themes = /** @type {const} */ (['light', 'dark']);
const pages = ['play', 'apps', 'permissions', 'lobbies', 'traffic', 'world', 'audit', 'parts'];

/**
 * converse uses a few commands of the demo app, so that pages have something to show.
 * @param {CheckedPage} page
 */
async function converse(page) {
  await page.goto(page.url());
  await page.getByText('Connected').waitFor();
  await type(page, 'bell');
  await page.getByRole('button', { name: 'Ring' }).click();
  await page.locator('.message', { hasText: 'The bell rang once.' }).waitFor();
  await type(page, 'keys');
  await page.locator('.message', { hasText: 'Which keys do you need' }).waitFor();
}

/**
 * openLobby makes a lobby with two members of the demo world, for the page of lobbies.
 * @param {Service} service
 */
async function openLobby({ origin, output }) {
  const [, token] = /BELLHOP_BOT_TOKEN=(?:\\\n)?(\S+)/.exec(output()) ?? [];
  const members = [
    { id: '1100000000000000200', metadata: { team: 'red' } },
    { id: '1100000000000000201', metadata: { team: 'blue' } },
  ];
  const answer = await fetch(`${origin}/api/v10/lobbies`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bot ${token}` },
    body: JSON.stringify({ metadata: { map: 'harbour', mode: 'ranked' }, members, idle_timeout_seconds: 600 }),
  });
  if (!answer.ok) throw new Error(`the lobby was refused: ${answer.status} ${await answer.text()}`);
}

/**
 * show opens a page of the console, or the parts of the design system on a page of their own.
 * @param {CheckedPage} page
 * @param {string} origin
 * @param {string} name
 */
async function show(page, origin, name) {
  if (name === 'parts') {
    const body = readFileSync(join(here, 'lib', 'parts.html'), 'utf8');
    await page.route('**/parts.html', (route) => route.fulfill({ contentType: 'text/html', body }));
    await page.goto(`${origin}/assets/parts.html`);
    return;
  }
  await page.goto(`${origin}/#/${name}${await queryOf(origin, name)}`);
  await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
  if (name === 'play') await input(page).waitFor();
  if (name === 'permissions') await page.getByLabel('Person', { exact: true }).selectOption({ label: 'Bob' });
  const isWide = (page.viewportSize()?.width ?? 0) > 500;
  if (name === 'traffic' && isWide) await page.getByRole('option').filter({ hasText: '/bell' }).first().click();
  await page.waitForLoadState('networkidle');
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

/**
 * queryOf returns the part of the address that selects the demo app, on the pages that show one app.
 * @param {string} origin
 * @param {string} name
 */
async function queryOf(origin, name) {
  if (name !== 'apps' && name !== 'permissions') return '';
  /** @type {Application[]} */
  const applications = await (await fetch(`${origin}/_dev/applications`)).json();
  const demo = applications.find((a) => a.status?.state !== 'offline');
  return demo ? `?app=${demo.id}` : '';
}

/**
 * renderAll renders the named pages.
 * @param {Browser} browser
 * @param {string} origin
 * @param {string[]} names
 */
async function renderAll(browser, origin, names) {
  for (const colorScheme of themes) {
    for (const width of widths) {
      const viewport = { width, height: width < 500 ? 844 : 900 };
      const page = await open(browser, origin, { viewport, colorScheme, reducedMotion: 'reduce' });
      for (const name of names) {
        await show(page, origin, name);
        const path = join(shots, `${name}-${width}-${colorScheme}.png`);
        await page.screenshot({ path, fullPage: name === 'parts' });
      }
      await page.context().close();
    }
  }
}

const named = process.argv.slice(2);
mkdirSync(shots, { recursive: true });
const service = await start({ args: ['dev'] });
const browser = await launch();
try {
  const page = await open(browser, service.origin);
  await page.goto(service.origin);
  await converse(page);
  await openLobby(service);
  await page.context().close();
  await renderAll(browser, service.origin, named.length ? named : pages);
} finally {
  await browser.close();
  await service.stop();
}
