// The Traffic page.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
/** @import { Browser } from 'playwright-core' */
/** @import { Service } from './lib/service.mjs' */
/** @import { CheckedPage } from './lib/browser.mjs' */
/** @import { Command, CurrentApplication, Exchange, Pass } from '../internal/console/types/wire.js' */
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { WebSocket } from 'ws';
import { serve } from './lib/app.mjs';
import { accessible, launch, open, screenshot } from './lib/browser.mjs';
import { type } from './lib/minute.mjs';
import { start } from './lib/service.mjs';

const application = '1100000000000000100';
const bot = 'Bot MTEwMDAwMDAwMDAwMDAwMDEwMA.ZGVtbw.a-public-token-for-your-own-machine-only';
const guild = '1100000000000000300';
const general = '1100000000000000311';
const bob = '1100000000000000201';
const commands = `/api/v10/applications/${application}/commands`;

/** @type {Service} */
let service;
/** @type {Browser} */
let browser;
/** @type {CheckedPage} */
let page;
/** @type {Awaited<ReturnType<typeof serve>>} */
let app;

before(async () => {
  service = await start();
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await service?.stop();
});

beforeEach(async () => {
  await request('POST', '/_dev/reset');
  /** @type {CurrentApplication} */
  const me = await request('GET', '/api/v10/applications/@me', undefined, bot);
  app = await serve(me.verify_key);
  await request('PATCH', '/api/v10/applications/@me', { interactions_endpoint_url: app.url }, bot);
  page = await open(browser, service.origin, { viewport: { width: 1440, height: 900 } });
});

afterEach(async () => {
  assert.deepEqual(page.violations, []);
  await page.context().close();
  await app.close();
});

/**
 * request sends a request and returns the body of the answer, which has the type that the caller expects.
 * @template T
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {string} [authorization]
 * @returns {Promise<T>}
 */
async function request(method, path, body, authorization) {
  const response = await fetch(service.origin + path, {
    method,
    headers: {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(authorization && { Authorization: authorization }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text || 'null');
}

/** bobsToken returns the value of the Authorization header for the user bob. */
async function bobsToken() {
  /** @type {Pass} */
  const operator = await request('POST', '/_dev/console');
  /** @type {Pass} */
  const pass = await request('POST', `/admin/v1/users/${bob}/passes`, undefined, `Bearer ${operator.token}`);
  return pass.token_type ? `${pass.token_type} ${pass.token}` : pass.token;
}

/**
 * invoke registers the command /ping and uses it as bob, with a request like that of a client.
 * @param {Record<string, unknown>} [changes] of the request
 */
async function invoke(changes = {}) {
  /** @type {Command[]} */
  const [ping] = await request('PUT', commands, [{ name: 'ping', description: 'Answer' }], bot);
  const { id, version } = ping;
  const body = {
    type: 2,
    application_id: application,
    guild_id: guild,
    channel_id: general,
    session_id: 'test',
    nonce: String(Date.now()),
    data: { id, version, name: 'ping', type: 1 },
    ...changes,
  };
  return fetch(`${service.origin}/api/v10/interactions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: await bobsToken() },
    body: JSON.stringify(body),
  });
}

/** @param {string} [query] */
async function openTraffic(query = '') {
  await page.goto(`${service.origin}/#/traffic${query}`);
  await page.getByRole('listbox', { name: 'Traffic' }).or(page.locator('.empty')).first().waitFor();
}

const options = () => page.getByRole('listbox', { name: 'Traffic' }).getByRole('option');

/** @param {string | RegExp} text */
const row = (text) => options().filter({ hasText: text }).first();

const detail = () => page.getByRole('region', { name: 'Details' });

/** @param {string} name */
const step = (name) => page.locator('.waterfall').getByRole('button', { name });

test('an interaction is one row that opens into its steps with a waterfall', async () => {
  await openTraffic();
  await invoke();
  await row('/ping').getByText('answered').waitFor();
  assert.equal(await options().filter({ hasText: '/ping' }).count(), 1);
  await row('/ping').click();
  for (const name of ['Invoke', 'Checks', 'Delivery', 'Answer']) await step(name).first().waitFor();
  const lefts = await page
    .locator('.waterfall .bar')
    .evaluateAll((bars) => bars.map((b) => b.getBoundingClientRect().x));
  assert.deepEqual(
    lefts,
    lefts.toSorted((a, b) => a - b),
    'bars begin in the order of time',
  );
  await step('Checks').click();
  await detail().getByText('The app is installed here.').waitFor();
  await detail().getByText('With the present permissions:').waitFor();
  await screenshot(page, 'traffic-steps');
  assert.deepEqual(await accessible(page), []);
});

test('a command that was used in Play has its name', async () => {
  await request('PUT', commands, [{ name: 'ping', description: 'Answer' }], bot);
  await page.goto(`${service.origin}/#/play`);
  await page.getByText('Connected').waitFor();
  await type(page, 'ping');
  await page.locator('.message').filter({ hasText: '/ping' }).first().waitFor();
  await openTraffic();
  await row('/ping').getByText('answered').waitFor();
});

test('the event in the session of a person is no delivery to the app', async () => {
  await request('PATCH', '/api/v10/applications/@me', { interactions_endpoint_url: null }, bot);
  await request('PUT', commands, [{ name: 'ping', description: 'Answer' }], bot);
  await page.goto(`${service.origin}/#/play`);
  await page.getByText('Connected').waitFor();
  await type(page, 'ping');
  await page.locator('.failure').waitFor();
  await openTraffic();
  await row('/ping').getByText('failed').waitFor();
  await row('/ping').click();
  await step('Event DISPATCH INTERACTION_CREATE').waitFor();
  assert.equal(await step('Delivery').count(), 0);
});

test('follow-ups are steps of their interaction', async () => {
  await openTraffic();
  await invoke();
  await row('/ping').getByText('answered').waitFor();
  await request('POST', `/api/v10/webhooks/${application}/${app.token}`, { content: 'more' });
  await row('/ping').click();
  await step('Follow-up').waitFor();
});

test('the outcome of an interaction is that of the interaction, without a session of the user', async () => {
  await request('PUT', commands, [{ name: 'ping', description: 'Answer' }], bot);
  const use = () => request('POST', '/_dev/invoke', { as: bob, in: general, command: '/ping', wait: 'answer' });
  await openTraffic();
  app.status = 500;
  await use();
  await row('/ping').getByText('failed').waitFor();
  await row('/ping').click();
  await detail().locator('.reason').getByText('500').waitFor();
  app.status = 200;
  app.answer = { type: 5 };
  await use();
  await row('/ping').getByText('deferred').waitFor();
  await request('PATCH', `/api/v10/webhooks/${application}/${app.token}/messages/@original`, { content: 'done' });
  await row('/ping').getByText('answered').waitFor();
  await use();
  await row('/ping').getByText('deferred').waitFor();
  await request('POST', '/_dev/clock', { advance: '16m' });
  await row('/ping').getByText('failed').waitFor();
  await row('/ping').click();
  await detail().locator('.reason').getByText('did not fill in its deferred answer').waitFor();
});

test('the token of an interaction cannot be read', async () => {
  await invoke();
  await openTraffic();
  await row('/ping').getByText('answered').waitFor();
  /** @type {Exchange[]} */
  const list = await request('GET', '/_dev/requests');
  assert.ok(app.token.length > 20);
  assert.ok(!JSON.stringify(list).includes(app.token));
  await row('/ping').click();
  await step('Delivery').click();
  await detail().getByRole('button', { name: 'Resend', exact: true }).click();
  await detail().getByText('Answered 200.').waitFor();
  assert.notEqual(app.token, '***', 'the token is sent again, not its mask');
});

test('a refused invocation names the failed checks', async () => {
  await openTraffic();
  const refused = await invoke({ channel_id: '1' });
  assert.ok(refused.status >= 400);
  await row(`refused ${refused.status}`).click();
  await step('Checks').click();
  await detail().locator('.callout.bad').last().waitFor();
});

test('the signature of a delivery is checked step by step', async () => {
  await openTraffic();
  await invoke();
  await row('/ping').click();
  await step('Delivery').click();
  await detail().getByText('The signature is valid.').waitFor();
  assert.equal(await detail().locator('.signature ol li').count(), 4);
  await screenshot(page, 'signature');
});

test('gateway frames have names, heartbeats and the console’s own calls are hidden until selected', async () => {
  await openTraffic();
  const socket = new WebSocket(`${service.origin.replace('http', 'ws')}/gateway/?v=10&encoding=json`);
  await /** @type {Promise<void>} */ (
    new Promise((resolve, reject) => {
      socket.on('close', (code) => reject(new Error(`closed ${code}`)));
      socket.on('message', (message) => {
        const { op, t } = JSON.parse(String(message));
        if (op === 10) socket.send(JSON.stringify({ op: 2, d: { token: bot.slice(4), intents: 1, properties: {} } }));
        if (t === 'READY') socket.send('{"op":1,"d":1}');
        if (op === 11) resolve();
      });
    })
  );
  await row('DISPATCH READY').waitFor();
  await row('IDENTIFY').waitFor();
  assert.equal(await options().filter({ hasText: 'HEARTBEAT' }).count(), 0);
  await page.getByRole('button', { name: 'Filters', exact: true }).click();
  await page.getByRole('button', { name: 'Heartbeats' }).click();
  await row('HEARTBEAT_ACK').waitFor();
  socket.removeAllListeners('close');
  socket.close();
  const own = options().filter({ hasText: '/users/@me' });
  await page.evaluate(() => fetch('/api/v10/users/@me'));
  await page.getByRole('button', { name: 'Console’s own' }).click();
  await own.first().waitFor();
  await page.getByRole('button', { name: 'Console’s own' }).click();
  await own.first().waitFor({ state: 'detached' });
});

test('filters are chips in the address, which a reload keeps', async () => {
  await invoke();
  await fetch(`${service.origin}/api/v10/nowhere`);
  await openTraffic();
  await row('/nowhere').waitFor();
  await page.getByRole('button', { name: 'Requests', exact: true }).click();
  await row('/ping').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Filters', exact: true }).click();
  await page.getByRole('button', { name: '4xx' }).click();
  await page.getByLabel('Find in all traffic').fill('nowhere');
  await page.waitForURL(/kind=request&status=4xx&text=nowhere/);
  await options().nth(1).waitFor({ state: 'detached' });
  await page.reload();
  await row('/nowhere').waitFor();
  assert.equal(await options().count(), 1);
  await page.getByRole('button', { name: 'Filters 1' }).click();
  assert.equal(await page.getByRole('button', { name: '4xx' }).getAttribute('aria-pressed'), 'true');
  assert.deepEqual(await accessible(page), []);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByLabel('Application', { exact: true }).selectOption(application);
  await row('/nowhere').waitFor({ state: 'detached' });
  await page.getByLabel('Person', { exact: true }).selectOption(bob);
  await row('/ping').waitFor();
  await page.waitForURL(new RegExp(`app=${application}&person=${bob}`));
});

test('the header of a detail says in a sentence why it failed', async () => {
  app.status = 500;
  await invoke();
  await fetch(`${service.origin}/api/v10/stickers/1`, { headers: { Authorization: bot } });
  await fetch(`${service.origin}/api/v10/guilds/1`, { headers: { Authorization: bot } });
  await openTraffic();
  const reason = detail().locator('.reason');
  const answered = /^Echo answered 500 after/;
  await row('/ping').getByText(answered).waitFor();
  await row('/ping').click();
  await reason.getByText(answered).waitFor();
  assert.equal(await reason.count(), 1);
  await row('/stickers/1').getByText('gap', { exact: true }).waitFor();
  await row('/stickers/1').click();
  await reason.getByText(/Discord has the operation .*; Bellhop does not serve it/).waitFor();
  await reason.getByRole('link').waitFor();
  await row('/guilds/1').click();
  await reason.getByText('Unknown Guild').waitFor();
  await page.getByRole('button', { name: 'Filters', exact: true }).click();
  await page.getByRole('button', { name: 'Gaps' }).click();
  await row('/guilds/1').waitFor({ state: 'detached' });
  assert.equal(await options().count(), 1);
});

test('filters are one row at every width, and columns have the widths of their contents', async () => {
  await invoke();
  for (const width of [390, 820, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    await openTraffic();
    await row('/ping').waitFor();
    const tops = await page.locator('.filters > *').evaluateAll((all) => all.map((e) => e.getBoundingClientRect().top));
    const spread = Math.max(...tops) - Math.min(...tops);
    assert.ok(spread < 8, `the filters at ${width} px are ${spread} px apart`);
    const wide = await page.locator('.filters').evaluate((e) => e.scrollWidth - e.clientWidth);
    assert.ok(wide <= 0, `the filters at ${width} px are ${wide} px too wide`);
  }
  const whose = row('/ping').locator('.whose');
  const cut = await whose.evaluate((e) => e.scrollWidth - e.clientWidth);
  assert.ok(cut <= 0, `the people are cut by ${cut} px`);
  const what = await row('/ping').locator('.title').boundingBox();
  assert.ok((what?.width ?? 0) < 400, `the column What has ${what?.width} px for a short text`);
});

test('the live tail pauses while the list is scrolled, and continues at the top', async () => {
  for (let i = 0; i < 60; i++) await fetch(`${service.origin}/api/v10/gateway?n=${i}`);
  await openTraffic();
  await row('n=59').waitFor();
  const list = page.getByRole('listbox', { name: 'Traffic' });
  await list.evaluate((l) => {
    l.scrollTop = 500;
  });
  await row('n=59').waitFor({ state: 'detached' }); // now the rows of this position are drawn
  const top = await page.locator('.rows .row').first().innerText();
  for (let i = 0; i < 3; i++) await fetch(`${service.origin}/api/v10/gateway?new=${i}`);
  await page.getByRole('button', { name: '3 new' }).waitFor();
  assert.equal(await page.locator('.rows .row').first().innerText(), top);
  await page.getByRole('button', { name: '3 new' }).click();
  await row('new=2').waitFor();
  assert.equal(await list.evaluate((l) => l.scrollTop), 0);
  await page.getByRole('button', { name: 'Pause' }).click();
  await fetch(`${service.origin}/api/v10/gateway?later=1`);
  await page.getByRole('button', { name: 'One new' }).waitFor();
  assert.equal(await options().filter({ hasText: 'later=1' }).count(), 0);
  await page.getByRole('button', { name: 'Resume' }).click();
  await row('later=1').waitFor();
});

test('JSON is a tree that folds, with a search and the paths of values', async () => {
  await openTraffic();
  await invoke();
  await row('/ping').click();
  await step('Delivery').click();
  const tree = detail().getByRole('group', { name: 'Request' });
  const name = tree.getByRole('button', { name: 'Copy path channel.name' });
  await name.waitFor();
  await tree.getByRole('button', { name: /^channel \{/ }).click();
  await name.waitFor({ state: 'detached' });
  await tree.getByLabel('Search in Request').fill('bob');
  await tree.getByText(/match/).waitFor();
  await tree.locator('mark', { hasText: 'bob' }).first().waitFor();
  await tree.getByRole('button', { name: 'Copy path member.user.username' }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'member.user.username');
});

test('a request and a delivery are sent again, changed if wanted', async () => {
  await openTraffic();
  await invoke();
  await row('/ping').waitFor(); // now the rows no longer move
  await row('PUT').click();
  await page.getByRole('button', { name: 'Copy as curl' }).click();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^curl -X PUT .*Bot \$TOKEN.*commands'$/);
  await detail().getByRole('button', { name: 'Resend', exact: true }).click();
  await detail().getByText('Answered 200.').waitFor();
  await detail().getByRole('button', { name: 'Edit and resend' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Body').fill('[{"name":"pong","description":"Changed"}]');
  assert.deepEqual(await accessible(page), []);
  await dialog.getByRole('button', { name: 'Send' }).click();
  await dialog.waitFor({ state: 'detached' });
  /** @type {Command[]} */
  const registered = await request('GET', commands, undefined, bot);
  assert.deepEqual(
    registered.map((c) => c.name),
    ['pong'],
  );
  await row(/GET.*commands/).waitFor(); // now the rows no longer move
  await row('/ping').click();
  await step('Delivery').click();
  await detail().getByRole('button', { name: 'Edit and resend' }).click();
  await dialog.getByLabel('Body').fill('{"type":1}');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await detail().getByText('Answered 200.').waitFor();
  await detail().getByRole('button', { name: 'Show it' }).click();
  await detail().getByRole('group', { name: 'Response' }).waitFor();
});

test('two exchanges are compared line by line', async () => {
  await request('PUT', commands, [{ name: 'first', description: 'One' }], bot);
  await request('PUT', commands, [{ name: 'second', description: 'One' }], bot);
  await openTraffic('?text=commands&kind=request');
  await options().nth(1).click();
  await detail().getByRole('button', { name: 'Compare' }).click();
  await options().nth(0).click();
  const comparison = page.getByRole('region', { name: 'Comparison' });
  await comparison.locator('.removed', { hasText: '"first"' }).first().waitFor();
  await comparison.locator('.added', { hasText: '"second"' }).first().waitFor();
  await screenshot(page, 'traffic-compare');
  assert.deepEqual(await accessible(page), []);
  await comparison.getByRole('button', { name: 'Stop comparing' }).click();
  await comparison.waitFor({ state: 'detached' });
});

test('the shown traffic is exported as HAR', async () => {
  await openTraffic();
  await invoke();
  await row('answered').waitFor();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export HAR' }).click(),
  ]);
  assert.equal(file.suggestedFilename(), 'traffic.har');
  const { log } = JSON.parse(readFileSync(await file.path(), 'utf8'));
  assert.equal(log.version, '1.2');
  /** @typedef {{ method: string, url: string, headers: { name: string }[] }} HARRequest */
  /** @type {{ request: HARRequest, response: { status: number } }[]} */
  const entries = log.entries;
  const delivery = entries.find((e) => e.request.url === app.url);
  assert.equal(delivery?.response.status, 200);
  assert.ok(delivery.request.headers.some((h) => h.name === 'X-Signature-Ed25519'));
  assert.ok(entries.some((e) => e.request.method === 'PUT' && e.request.url === service.origin + commands));
});

test('rate limits are listed', async () => {
  await invoke();
  await openTraffic();
  await page.getByRole('button', { name: 'Rate limits' }).click();
  await page.getByRole('cell', { name: '/applications/{application_id}/commands' }).first().waitFor();
  assert.deepEqual(await accessible(page), []);
});

for (const width of [390, 820, 1440]) {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    test(`list and detail at ${width} px in ${colorScheme}`, async () => {
      await invoke();
      await page.context().close();
      page = await open(browser, service.origin, { viewport: { width, height: 844 }, colorScheme });
      await openTraffic();
      await row('/ping').click();
      await step('Delivery').click();
      await detail().getByText('The signature is valid.').waitFor();
      await screenshot(page, `traffic-${width}-${colorScheme}`);
      assert.deepEqual(await accessible(page), []);
      const box = async (/** @type {string} */ name) => (await page.locator(name).boundingBox()) ?? { x: 0, y: 0 };
      const [list, pane] = [await box('.list'), await box('.detail')];
      if (width > 960) assert.ok(pane.x > list.x, 'the detail is beside the list');
      else assert.ok(pane.y > list.y, 'the detail is below the list');
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
    });
  }
}
