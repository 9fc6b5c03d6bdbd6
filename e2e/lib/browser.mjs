// Debian's Chromium without a window, and what is asked of every page.
import {chromium} from 'playwright-core';
import {createRequire} from 'node:module';
import {existsSync, mkdirSync, readFileSync} from 'node:fs';
import {join, dirname} from 'node:path';
import {fileURLToPath} from 'node:url';

const artifacts = join(dirname(fileURLToPath(import.meta.url)), '..', 'artifacts');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium'];

export async function launch() {
  const executablePath = process.env.CHROMIUM ?? places.find((p) => existsSync(p));
  if (!executablePath) throw new Error('the tests need Chromium: install the package chromium, or name the program in CHROMIUM');
  return chromium.launch({executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage']});
}

// open returns a page that fails the test on errors of scripts and on requests to other hosts.
export async function open(browser, origin, options = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 800}, permissions: ['clipboard-read', 'clipboard-write'], ...options});
  const page = await context.newPage();
  page.faults = [];
  page.on('pageerror', (e) => page.faults.push(`script: ${e.message}`));
  page.on('console', (m) => m.type() === 'error' && /Content Security Policy|Trusted/i.test(m.text()) && page.faults.push(`policy: ${m.text()}`));
  page.on('request', (r) => {
    const url = new URL(r.url());
    if (/^(http|ws)/.test(url.protocol) && url.host !== new URL(origin).host) page.faults.push(`asked ${url.host}`);
  });
  page.setDefaultTimeout(20000);
  return page;
}

// shot keeps a picture of a page.
export async function shot(page, name) {
  mkdirSync(artifacts, {recursive: true});
  await page.screenshot({path: join(artifacts, `${name}.png`)});
}

// accessible returns what axe finds wrong with a page by WCAG 2.2 AA. It runs in a world of its own: the page's policy
// lets no other script in.
export async function accessible(page) {
  const session = await page.context().newCDPSession(page);
  const {frameTree} = await session.send('Page.getFrameTree');
  const {executionContextId: contextId} = await session.send('Page.createIsolatedWorld', {frameId: frameTree.frame.id, worldName: 'axe'});
  await session.send('Runtime.evaluate', {expression: axe, contextId});
  const {result, exceptionDetails} = await session.send('Runtime.evaluate', {
    contextId, awaitPromise: true, returnByValue: true,
    expression: `axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})
      .then((r) => r.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.target.join(' ') + ' ' + (n.failureSummary || '').replace(/\\s+/g, ' ')).join(' | ')))`,
  });
  await session.detach();
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value;
}
