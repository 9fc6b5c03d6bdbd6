// Nothing on a page moves when its data arrives.

import assert from 'node:assert/strict';
/** @import { Browser, Page } from 'playwright-core' */
/** @import { Service } from './lib/service.mjs' */
import { after, before, test } from 'node:test';
import { launch, open } from './lib/browser.mjs';
import { converse, demoApp, openLobby } from './lib/demo.mjs';
import { start } from './lib/service.mjs';

/** The sum of all layout shifts that a page may have. */
const limit = 0.005;
/** How long each request for data waits, in milliseconds. */
const delay = 250;
const viewports = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

/**
 * The pages, what each shows when it has its data, and whether it shows the demo app in place of the first app, which
 * has no commands.
 * @type {[page: string, data: string, isOfDemo?: boolean][]}
 */
const pages = [
  ['play', '.message'],
  ['traffic', '.rows [role=option]'],
  ['apps', '.overview .number:text-matches("[0-9]")'],
  ['apps', '.cards .card', true],
  ['permissions', '.matrix tbody tr'],
  ['permissions', '.matrix tbody tr', true],
  ['lobbies', '.cards .card'],
  ['world', '.records tbody tr'],
  ['audit', '.audit tbody tr'],
];

/** @type {Service} */
let service;
/** @type {Browser} */
let browser;

before(async () => {
  service = await start({ args: ['dev'] });
  browser = await launch();
  const page = await open(browser, service.origin);
  await page.goto(service.origin);
  await converse(page);
  await openLobby(service);
  await page.context().close();
});

after(async () => {
  await browser?.close();
  await service?.stop();
});

/** Collects the layout shifts that no input caused, each with the elements that moved. */
const observe = `
  globalThis.shifts = [];
  const nameOf = (node) => node?.parentElement
    ? [node.nodeName.toLowerCase(), ...(node.classList ?? [])].join('.')
    : String(node?.nodeName);
  const place = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ');
  const describe = ({ node, previousRect, currentRect }) =>
    nameOf(node) + ' from ' + place(previousRect) + ' to ' + place(currentRect);
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) globalThis.shifts.push({ value, moved: sources.map(describe) });
  }).observe({ type: 'layout-shift', buffered: true });
`;

/**
 * slowDown delays each request for data.
 * @param {Page} page
 */
async function slowDown(page) {
  await page.route(/\/(api|admin|_dev)\/|settings\.json$/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, delay));
    await route.continue().catch(() => {});
  });
}

for (const [name, data, isOfDemo] of pages) {
  for (const viewport of viewports) {
    const title = isOfDemo ? `${name} of the demo app` : name;
    test(`${title}: nothing shifts while it loads at ${viewport.width} px`, async (t) => {
      const page = await open(browser, service.origin, { viewport });
      await page.addInitScript(observe);
      await slowDown(page);
      await page.goto(`${service.origin}/#/${name}${isOfDemo ? await demoApp(service.origin) : ''}`);
      await page.locator(data).first().waitFor();
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      await page.waitForTimeout(2 * delay); // for requests that follow others
      /** @type {{ value: number, moved: string[] }[]} */
      const shifts = await page.evaluate('globalThis.shifts');
      const sum = shifts.reduce((all, { value }) => all + value, 0);
      const report = `shift of ${sum.toFixed(3)}: ${JSON.stringify(shifts)}`;
      t.diagnostic(report);
      assert.ok(sum <= limit, report);
      assert.deepEqual(page.violations, []);
      await page.context().close();
    });
  }
}
