// A web page of another origin tries to control `bellhop dev`: with requests that need no permission, with a WebSocket,
// and under a host name of its own that resolves to the address of the service.

import assert from 'node:assert/strict';
/** @import { AddressInfo } from 'node:net' */
/** @import { Browser } from 'playwright-core' */
/** @import { Service } from './lib/service.mjs' */
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { launch } from './lib/browser.mjs';
import { start } from './lib/service.mjs';

const world = `
users: [{id: "200", username: ada, token: user-ada}]
applications: [{id: "100", name: Echo, owner: "200", bot_token: bot-echo}]
`;

const stolen = 'users: [{id: "200", username: ada, token: stolen}]';

/** @type {Service} */
let service;
/** @type {Browser} */
let browser;

const attacker = createServer((_, response) => {
  response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>attacker</title>');
});

before(async () => {
  await /** @type {Promise<void>} */ (new Promise((resolve) => attacker.listen(0, '127.0.0.1', resolve)));
  service = await start({ world });
  browser = await launch('--host-resolver-rules=MAP evil.example 127.0.0.1');
});

after(async () => {
  await browser?.close();
  await service?.stop();
  attacker.closeAllConnections();
  attacker.close();
});

/**
 * status returns the status of a request with a user's token.
 * @param {string} token
 */
async function status(token) {
  return (await fetch(`${service.origin}/api/v10/users/@me`, { headers: { Authorization: token } })).status;
}

/** notTakenOver checks that the world and the clock are those of the start. */
async function notTakenOver() {
  assert.equal(await status('stolen'), 401, 'the token of the attacker');
  assert.equal(await status('user-ada'), 200, 'the token of the user');
  const { now } = await (await fetch(`${service.origin}/_dev/clock`)).json();
  assert.ok(Math.abs(Date.parse(now) - Date.now()) < 60 * 60 * 1000, `the clock shows ${now}`);
}

/**
 * visit opens a page of a URL.
 * @param {string} url
 */
async function visit(url) {
  const page = await browser.newPage();
  await page.goto(url);
  return page;
}

/** @param {string} host */
const attackerPage = (host) => visit(`http://${host}:${/** @type {AddressInfo} */ (attacker.address()).port}/`);

for (const host of ['127.0.0.1', 'localhost', 'evil.example']) {
  test(`requests that need no permission, from a page on ${host}`, async () => {
    const page = await attackerPage(host);
    await page.evaluate(
      async ([origin, body]) => {
        const send = (/** @type {string} */ path, /** @type {RequestInit} */ init) =>
          fetch(origin + path, { method: 'POST', mode: 'no-cors', ...init }).catch(() => undefined);
        const form = new FormData();
        form.set('payload_json', '{"as":"ada","in":"1","command":"/x"}');
        const bodies = [body, new Blob([body]), new URLSearchParams({ a: body }), form];
        for (const path of ['/_dev/world', '/_dev/clock', '/_dev/invoke']) {
          for (const b of bodies) await send(path, { body: b });
        }
        await send('/_dev/clock', { body: '{"advance":"240h"}' });
        await send('/_dev/reset', {});
        await send('/_dev/console', {});
        navigator.sendBeacon(`${origin}/_dev/world`, body);
        navigator.sendBeacon(`${origin}/_dev/clock`, '{"advance":"240h"}');
        // A request of the type JSON needs the permission of the service, which it does not give.
        const headers = { 'Content-Type': 'application/json' };
        await send('/_dev/clock', { mode: 'cors', headers, body: '{"advance":"240h"}' });
      },
      [service.origin, stolen],
    );
    await notTakenOver();
    await page.close();
  });

  test(`a form, from a page on ${host}`, async () => {
    const page = await attackerPage(host);
    await page.evaluate(
      ([origin, body]) => {
        const form = document.createElement('form');
        form.method = 'POST';
        form.enctype = 'text/plain';
        form.action = `${origin}/_dev/world`;
        const input = document.createElement('input');
        const at = body.indexOf(':');
        input.name = body.slice(0, at + 1);
        input.value = body.slice(at + 1);
        form.append(input);
        document.body.append(form);
        form.submit();
      },
      [service.origin, stolen],
    );
    await page.waitForURL(/_dev/);
    assert.match(await page.locator('body').innerText(), /40[0-9]|403/);
    await notTakenOver();
    await page.close();
  });

  test(`a WebSocket, from a page on ${host}`, async () => {
    const page = await attackerPage(host);
    assert.equal(await page.evaluate(identify, [gateway(service.origin), 'user-ada']), 'refused');
    await page.close();
  });
}

/** @param {string} origin */
const gateway = (origin) => `${origin.replace('http', 'ws')}/gateway?v=10&encoding=json`;

/**
 * identify runs in the page. It opens a WebSocket of the gateway and returns the name of the event after Identify.
 * @param {string[]} arguments_
 * @returns {Promise<string>}
 */
function identify([url, token]) {
  return new Promise((resolve) => {
    const socket = new WebSocket(url);
    socket.onerror = () => resolve('refused');
    socket.onopen = () => socket.send(JSON.stringify({ op: 2, d: { token, properties: {} } }));
    socket.onmessage = ({ data }) => {
      const { t } = JSON.parse(data);
      if (t) resolve(t);
    };
  });
}

test('a host name that resolves to the address of the service', async () => {
  const origin = service.origin.replace('127.0.0.1', 'evil.example');
  const page = await visit(`${origin}/`);
  assert.match(await page.locator('body').innerText(), /--allow-host/);
  const statuses = await page.evaluate(
    async ([body]) => {
      const headers = { 'Content-Type': 'application/yaml' };
      const applied = await fetch('/_dev/world', { method: 'POST', headers, body });
      const read = await fetch('/_dev/world');
      const pass = await fetch('/_dev/console', { method: 'POST' });
      return [applied.status, read.status, pass.status];
    },
    [stolen],
  );
  assert.deepEqual(statuses, [403, 403, 403]);
  assert.equal(await page.evaluate(identify, [gateway(origin), 'user-ada']), 'refused');
  await notTakenOver();
  await page.close();
});

test('the pages of the service itself still work', async () => {
  const page = await visit(service.origin);
  await page.getByText('Connected').waitFor();
  assert.equal(await page.evaluate(identify, [gateway(service.origin), 'user-ada']), 'READY');
  const moved = await page.evaluate(async () => {
    const headers = { 'Content-Type': 'application/json' };
    return (await fetch('/_dev/clock', { method: 'POST', headers, body: '{"advance":"1s"}' })).status;
  });
  assert.equal(moved, 200);
  await page.close();
});
