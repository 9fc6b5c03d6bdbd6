// Screenshots of every page at three widths, in light and dark, and of the parts of the design system. They go to
// docs/shots. Arguments are the names of the pages to render; without arguments it renders all. With DATA=large it
// shows much data and long names in place of the demo, and writes to e2e/artifacts/large.

import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
/** @import { Browser } from 'playwright-core' */
/** @import { CheckedPage } from './lib/browser.mjs' */
import { fileURLToPath } from 'node:url';
import { serve } from './lib/app.mjs';
import { launch, open } from './lib/browser.mjs';
import { converse, demoApp, openLobby } from './lib/demo.mjs';
import { endpointKey, interact, world } from './lib/large.mjs';
import { input } from './lib/minute.mjs';
import { start } from './lib/service.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const isLarge = process.env.DATA === 'large';
const shots = isLarge ? join(here, 'artifacts', 'large') : join(here, '..', 'docs', 'shots');
const widths = [390, 820, 1440];
const themes = /** @type {const} */ (['light', 'dark']);
const pages = ['play', 'apps', 'permissions', 'lobbies', 'traffic', 'world', 'audit', 'parts'];

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
  const isOfApp = name === 'apps' || name === 'permissions';
  await page.goto(`${origin}/#/${name}${isOfApp && !isLarge ? await demoApp(origin) : ''}`);
  await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
  if (name === 'play') await input(page).waitFor();
  if (name === 'permissions' && !isLarge)
    await page.getByLabel('Person', { exact: true }).selectOption({ label: 'Bob' });
  const isWide = (page.viewportSize()?.width ?? 0) > 500;
  if (name === 'traffic' && isWide) await page.getByRole('option').filter({ hasText: 'failed' }).first().click();
  await page.waitForLoadState('networkidle');
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  if (name !== 'parts')
    await page.getByText('Loading…').and(page.locator('.busy')).first().waitFor({ state: 'detached' });
}

/**
 * fail uses a command of an app that does not run.
 * @param {string} origin
 */
async function fail(origin) {
  const token = 'MTEwMDAwMDAwMDAwMDAwMDEwMA.ZGVtbw.a-public-token-for-your-own-machine-only';
  const headers = { 'Content-Type': 'application/json', Authorization: `Bot ${token}` };
  for (const [path, body] of [
    ['/api/v10/applications/1100000000000000100/commands', { name: 'roll', description: 'Roll dice' }],
    ['/_dev/invoke', { command: '/roll' }],
  ]) {
    const response = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }
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

/** The demo with a conversation, a lobby and a failure. */
async function startDemo() {
  const started = await start({ args: ['dev'] });
  const page = await open(browser, started.origin);
  await page.goto(started.origin);
  await converse(page);
  await openLobby(started);
  await fail(started.origin);
  await page.context().close();
  return { ...started, end: started.stop };
}

/** The large world with 200 interactions. */
async function startLarge() {
  const started = await start({ world: world() });
  const app = await serve(await endpointKey(started));
  await interact(started, app.url);
  const end = async () => {
    await app.close();
    await started.stop();
  };
  return { ...started, end };
}

const named = process.argv.slice(2);
mkdirSync(shots, { recursive: true });
const browser = await launch();
const service = await (isLarge ? startLarge() : startDemo());
try {
  await renderAll(browser, service.origin, named.length ? named : pages);
} finally {
  await browser.close();
  await service.end();
}
