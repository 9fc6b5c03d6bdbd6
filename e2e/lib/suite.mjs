// The set-up of a file of tests that use one service and one browser.

/** @import { Browser, BrowserContextOptions } from 'playwright-core' */
/** @import { CheckedPage } from './browser.mjs' */
/** @import { Service } from './service.mjs' */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach } from 'node:test';
import { launch, open } from './browser.mjs';
import { start } from './service.mjs';

/**
 * suite starts a service with a world and a browser for the tests of a file. It resets the service before each test,
 * and then calls prepare. After each test it checks and closes the pages that visit opened.
 * @param {string} world
 * @param {() => Promise<unknown>} [prepare]
 */
export function suite(world, prepare = async () => {}) {
  /** @type {Service} */
  let service;
  /** @type {Browser} */
  let browser;
  /** @type {CheckedPage[]} */
  const pages = [];

  /**
   * send sends a request and returns the JSON of the answer. Requests to the API come from the bot dev-bot-echo.
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   */
  async function send(method, path, body) {
    const isDev = path.startsWith('/_dev');
    const response = await fetch(service.origin + path, {
      method,
      headers: {
        ...(!isDev && { Authorization: 'Bot dev-bot-echo' }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text || 'null');
  }

  /**
   * visit opens a page of the console in a new context.
   * @param {string} address the part of the URL after #/
   * @param {BrowserContextOptions} [options]
   */
  async function visit(address, options) {
    const page = await open(browser, service.origin, options);
    pages.push(page);
    await page.goto(`${service.origin}/#/${address}`);
    return page;
  }

  before(async () => {
    service = await start({ world });
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });
  beforeEach(async () => {
    await send('POST', '/_dev/reset');
    await prepare();
  });
  afterEach(async () => {
    for (const page of pages.splice(0)) {
      assert.deepEqual(page.violations, []);
      await page.context().close();
    }
  });
  return { send, visit };
}
