// Headless Chromium, and the checks of every page.

/** @import { Browser, BrowserContextOptions, Page } from 'playwright-core' */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const artifacts = join(dirname(fileURLToPath(import.meta.url)), '..', 'artifacts');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * The headless shell comes first: it has no windows, so a page takes half the processor time that it takes in Chromium.
 */
const programs = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** @param {string[]} args further arguments of Chromium */
export async function launch(...args) {
  const executablePath = process.env.CHROMIUM ?? programs.find((p) => existsSync(p));
  if (!executablePath) {
    throw new Error('the tests need Chromium: install chromium-headless-shell, or name the program in CHROMIUM');
  }
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage', ...args] });
}

/**
 * A page that records script errors, policy violations and requests to other hosts. Tests expect none.
 * @typedef {Page & { violations: string[] }} CheckedPage
 */

/**
 * open opens a page.
 * @param {Browser} browser
 * @param {string} origin
 * @param {BrowserContextOptions} [options]
 * @returns {Promise<CheckedPage>}
 */
export async function open(browser, origin, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  /** @type {string[]} */
  const violations = [];
  const page = await context.newPage();
  page.on('pageerror', (e) => violations.push(`script: ${e.message}`));
  page.on('console', (m) => {
    const isPolicy = m.type() === 'error' && /Content Security Policy|Trusted/i.test(m.text());
    if (isPolicy) violations.push(`policy: ${m.text()}`);
  });
  page.on('request', (r) => {
    const url = new URL(r.url());
    if (/^(http|ws)/.test(url.protocol) && url.host !== new URL(origin).host) violations.push(`request: ${url.host}`);
  });
  page.setDefaultTimeout(30000);
  return Object.assign(page, { violations });
}

/**
 * screenshot saves a screenshot of a page in artifacts/.
 * @param {Page} page
 * @param {string} name
 */
export async function screenshot(page, name) {
  mkdirSync(artifacts, { recursive: true });
  await page.screenshot({ path: join(artifacts, `${name}.png`) });
}

/** Runs axe and returns a line for each violation. */
const runAxe = `axe
  .run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
  .then(({ violations }) => violations.map(({ id, nodes }) => {
    const places = nodes.map((n) => n.target.join(' ') + ' ' + (n.failureSummary || '').replace(/\\s+/g, ' '));
    return id + ': ' + places.join(' | ');
  }))`;

/**
 * accessible returns what axe finds wrong with a page by WCAG 2.2 AA. axe runs in an isolated world, because the policy
 * of the page allows no other script.
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
export async function accessible(page) {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'axe',
  });
  await session.send('Runtime.evaluate', { expression: axe, contextId });
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    contextId,
    awaitPromise: true,
    returnByValue: true,
    expression: runAxe,
  });
  await session.detach();
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value;
}
