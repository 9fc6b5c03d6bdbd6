// Apps, permissions, lobbies, traffic and the world, each as somebody uses them.
import {test, before, after, beforeEach, afterEach} from 'node:test';
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {WebSocket} from 'ws';
import {start} from './lib/service.mjs';
import {serve} from './lib/app.mjs';
import {launch, open, shot, accessible} from './lib/browser.mjs';

const application = '1100000000000000100';
const bot = 'Bot MTEwMDAwMDAwMDAwMDAwMDEwMA.ZGVtbw.a-public-token-for-your-own-machine-only';
const general = '1100000000000000311';
const bob = '1100000000000000201';

let service;
let browser;
let page;

before(async () => {
  service = await start();
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await service?.stop();
});

beforeEach(async () => {
  await ask('POST', '/_dev/reset');
  page = await open(browser, service.origin);
});

afterEach(async () => {
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

async function ask(method, path, body, headers = {}) {
  const response = await fetch(service.origin + path, {
    method, headers: {...(body === undefined ? {} : {'Content-Type': 'application/json'}), ...headers}, body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return text ? JSON.parse(text) : null;
}

const commands = `/api/v10/applications/${application}/commands`;
const register = (list) => ask('PUT', commands, list, {Authorization: bot});
const go = (at) => page.goto(`${service.origin}/#/${at}`);
const dialog = () => page.getByRole('dialog');
const card = (text) => page.locator('.card', {hasText: text}).first();

test('apps: a command is written with its faults at their fields, changed, deleted', async () => {
  await go('apps');
  await page.getByText('0 of 200 creates used today').waitFor();
  await page.getByRole('button', {name: 'New command'}).click();
  const name = dialog().getByLabel('Name', {exact: true}).first();
  await name.fill('Roll Dice');
  await dialog().getByText('Command name is invalid').first().waitFor();
  assert.equal(await name.getAttribute('aria-invalid'), 'true');
  assert.ok(await dialog().getByRole('button', {name: 'Save'}).isDisabled());
  await shot(page, 'editor');
  assert.deepEqual(await accessible(page), []);
  await name.fill('roll');
  await dialog().getByLabel('Description', {exact: true}).first().fill('Roll dice');
  await dialog().getByRole('button', {name: '+ option'}).click();
  await dialog().getByLabel('Name', {exact: true}).nth(1).fill('sides');
  await dialog().getByLabel('Description', {exact: true}).nth(1).fill('How many');
  await dialog().getByLabel('Type', {exact: true}).nth(1).selectOption('4');
  await dialog().getByText('✓ Valid').waitFor();
  assert.match(await dialog().getByLabel('JSON').inputValue(), /"name": "sides"/);
  await dialog().getByRole('button', {name: 'Save'}).click();
  await card('/roll').getByText('INTEGER').waitFor();
  await page.getByText('1 of 200 creates used today').waitFor();
  await page.getByRole('button', {name: 'Edit roll'}).click();
  await dialog().getByLabel('JSON').fill('{"name":"throw","description":"Throw dice"}');
  await dialog().getByText('✓ Valid').waitFor();
  await dialog().getByRole('button', {name: 'Save'}).click();
  await card('/throw').waitFor();
  await page.getByRole('button', {name: 'Delete throw'}).click();
  await page.getByText('No commands yet.').waitFor();
});

test('apps: a file replaces all commands after its difference was seen', async () => {
  await register([{name: 'keep', description: 'Stays'}, {name: 'old', description: 'Goes'}, {name: 'roll', description: 'Roll dice'}]);
  await go('apps');
  await card('/old').waitFor();
  const file = join(service.dir, 'commands.json');
  writeFileSync(file, JSON.stringify([{name: 'keep', description: 'Stays'}, {name: 'roll', description: 'Roll two dice'}, {name: 'new', description: 'Comes'}]));
  await page.locator('input[type=file]').setInputFiles(file);
  const plan = dialog().locator('.plan');
  await plan.getByText('+ create').waitFor();
  assert.match(await plan.locator('.delete').innerText(), /old/);
  assert.match(await plan.locator('.change').innerText(), /description.*Roll dice.*Roll two dice/s);
  assert.equal(await plan.getByText('keep').count(), 0);
  await shot(page, 'difference');
  await dialog().getByRole('button', {name: 'Apply'}).click();
  await card('/new').waitFor();
  assert.equal(await page.locator('.card', {hasText: '/old'}).count(), 0);
});

test('apps: a file dropped on the page', async () => {
  await go('apps');
  await page.getByText('No commands yet.').waitFor();
  const data = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['[{"name":"dropped","description":"Fell in"}]'], 'commands.json', {type: 'application/json'}));
    return transfer;
  });
  await page.locator('section', {hasText: 'drop a JSON file'}).dispatchEvent('drop', {dataTransfer: data});
  await dialog().getByText('+ create').waitFor();
  await dialog().getByRole('button', {name: 'Apply'}).click();
  await card('/dropped').waitFor();
});

test('apps: installs, secrets and the endpoint', async () => {
  await go('apps');
  await page.getByRole('tab', {name: 'Installs'}).click();
  await card('Lab').getByRole('button', {name: 'Remove'}).click();
  await page.getByRole('button', {name: 'Install in Lab'}).click();
  await card('Lab').waitFor();
  await page.getByRole('tab', {name: 'Endpoint'}).click();
  const key = await page.locator('form code').innerText();
  const [good, careless] = [await serve(key), await serve(key, {careless: true})];
  const url = page.getByRole('textbox', {name: 'Endpoint'});
  await url.fill(careless.url);
  await page.getByRole('button', {name: 'Save'}).click();
  await page.getByRole('alert').waitFor();
  await url.fill(good.url);
  await page.getByRole('button', {name: 'Save'}).click();
  await page.getByText('answered a PING and refused a forged one').waitFor();
  await shot(page, 'endpoint');
  await Promise.all([good.close(), careless.close()]);
  await page.getByRole('tab', {name: 'Tokens'}).click();
  await card('Bot token').getByRole('button', {name: 'Replace'}).click();
  const token = await card('Bot token').locator('.secret').innerText();
  await ask('GET', commands, undefined, {Authorization: `Bot ${token}`});
  const old = await fetch(service.origin + commands, {headers: {Authorization: bot}});
  assert.equal(old.status, 401);
});

test('permissions: overwrites, and why somebody may or may not', async () => {
  await register([{name: 'ban', description: 'Ban somebody'}]);
  await go('permissions');
  const set = page.locator('.card', {hasText: '/ban'});
  await set.locator('summary').click();
  await set.getByLabel('Kind').selectOption('2');
  await set.getByLabel('Who').selectOption({label: 'Bob'});
  await set.getByRole('button', {name: 'Add', exact: true}).click();
  await set.getByRole('button', {name: /Bob: Allowed/}).click();
  await set.getByRole('button', {name: 'Save'}).click();
  await set.getByText('one overwrite').waitFor();
  await page.getByLabel('Person').selectOption('bob');
  await page.getByLabel('Channel', {exact: true}).selectOption({label: '#general'});
  await page.getByRole('button', {name: 'Decide'}).click();
  await page.locator('.bad', {hasText: 'Denied'}).waitFor();
  await page.getByLabel('Person').selectOption('ada');
  await page.getByRole('button', {name: 'Decide'}).click();
  await page.locator('.good', {hasText: 'Allowed'}).waitFor();
  await shot(page, 'permissions');
  assert.deepEqual(await accessible(page), []);
  await page.getByLabel('Edit as').selectOption({label: 'Bob'});
  await set.getByRole('button', {name: /Bob: Denied/}).click();
  await set.getByRole('button', {name: 'Save'}).click();
  await set.getByRole('alert').waitFor();
});

test('lobbies: made, changed, seen to be connected and to end', async () => {
  await go('lobbies');
  await page.getByText('No lobbies.').waitFor();
  await page.getByRole('button', {name: 'New lobby'}).click();
  await dialog().getByLabel('Metadata').first().fill('map=dust\nmode=duel');
  await dialog().getByLabel('Seconds until').fill('60');
  await dialog().getByLabel('Person').selectOption({label: 'bob'});
  await dialog().getByRole('button', {name: 'Add'}).click();
  await shot(page, 'lobby-editor');
  assert.deepEqual(await accessible(page), []);
  await dialog().getByRole('button', {name: 'Save'}).click();
  await card('map=dust').getByText(/ends in/).waitFor();
  const {access_token: token} = await ask('POST', '/_dev/token', {application, user: bob, scopes: ['sdk.social_layer']});
  const socket = new WebSocket(`${service.origin.replace('http', 'ws')}/gateway/?v=10&encoding=json`);
  await new Promise((done, fail) => {
    socket.on('close', (code) => fail(new Error(`closed ${code}`)));
    socket.on('message', (m) => {
      const {op, t} = JSON.parse(m);
      if (op === 10) socket.send(JSON.stringify({op: 2, d: {token: `Bearer ${token}`, properties: {}}}));
      if (t === 'READY') done();
    });
  });
  await card('map=dust').getByText('connected').waitFor({state: 'attached'});
  await card('map=dust').getByText('stays').waitFor();
  await shot(page, 'lobby-connected');
  socket.removeAllListeners('close');
  socket.close(1000);
  await card('map=dust').getByText(/ends in/).waitFor();
  await card('map=dust').getByRole('button', {name: /^Edit/}).click();
  await dialog().getByLabel('Metadata').first().fill('map=ice');
  await dialog().getByRole('button', {name: 'Save'}).click();
  await card('map=ice').waitFor();
  await ask('POST', '/_dev/clock', {advance: '2m'});
  await page.getByText('No lobbies.').waitFor();
});

test('traffic: requests, deliveries and their signatures, replay and curl', async () => {
  const me = await ask('GET', '/api/v10/applications/@me', undefined, {Authorization: bot});
  const app = await serve(me.verify_key);
  await ask('PATCH', '/api/v10/applications/@me', {interactions_endpoint_url: app.url}, {Authorization: bot});
  await go('traffic');
  await page.getByRole('heading', {name: 'Traffic'}).waitFor();
  await register([{name: 'ping', description: 'Answer'}]);
  const answer = await ask('POST', '/_dev/invoke', {as: 'bob', in: general, command: '/ping'});
  assert.equal(answer.outcome, 'answered');
  const row = page.locator('tr', {hasText: 'delivery'}).first();
  await row.getByRole('button', {name: 'Details'}).click();
  await page.getByText('✓ The signature fits.').waitFor();
  await shot(page, 'signature');
  assert.deepEqual(await accessible(page), []);
  await page.getByLabel('Kind').selectOption('request');
  await page.getByLabel('Filter').fill('/commands');
  await page.locator('main > .scroll tbody tr').first().getByRole('button', {name: 'Details'}).click();
  await page.getByRole('button', {name: 'Copy as curl'}).click();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^curl -X PUT .*Bot \$TOKEN.*commands'$/);
  await page.getByRole('button', {name: 'Replay'}).click();
  await page.getByText('Answered 200.').waitFor();
  await page.locator('summary', {hasText: 'Rate limits'}).click();
  await page.getByRole('cell', {name: '/applications/{application_id}/commands'}).first().waitFor();
  await app.close();
});

test('world: the file, the clock, the start', async () => {
  await go('world');
  const file = page.getByRole('textbox', {name: 'World file'});
  await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('ada'));
  await file.fill('users:\n  - {id: "1100000000000000250", username: dora, nick: x}\n');
  await page.getByRole('button', {name: 'Apply'}).click();
  await page.getByRole('alert').getByText(/Unknown key/).waitFor();
  await file.fill('users:\n  - {id: "1100000000000000250", username: dora}\n');
  await page.getByRole('button', {name: 'Apply'}).click();
  await page.getByText('✓ Applied.').waitFor();
  await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('dora'));
  const before = new Date((await ask('GET', '/_dev/clock')).now);
  await page.getByRole('button', {name: '+ 24h'}).click();
  await page.waitForFunction((then) => fetch('/_dev/clock').then((r) => r.json()).then((c) => new Date(c.now) - then > 23 * 3600e3), before.getTime());
  await page.getByLabel('Kind').selectOption('status');
  await page.getByLabel('Route').fill('/gateway');
  await page.getByRole('button', {name: 'Add', exact: true}).click();
  await page.locator('.card', {hasText: '/gateway'}).waitFor();
  assert.equal((await fetch(`${service.origin}/api/v10/gateway`)).status, 503);
  assert.equal((await fetch(`${service.origin}/api/v10/gateway`)).status, 200);
  await page.getByRole('button', {name: 'Clear'}).click();
  await page.locator('.card', {hasText: '/gateway'}).waitFor({state: 'detached'});
  await page.getByRole('button', {name: 'Back to the start'}).click();
  await page.waitForFunction(() => !document.querySelector('textarea')?.value.includes('dora'));
});
