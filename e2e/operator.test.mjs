// The pages of the operator: Apps and Audit.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
/** @import { Browser } from 'playwright-core' */
/** @import { Service } from './lib/service.mjs' */
/** @import { CheckedPage } from './lib/browser.mjs' */
/** @import { CommandDefinition } from '../internal/console/types/wire.js' */
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { serve } from './lib/app.mjs';
import { accessible, launch, open, screenshot } from './lib/browser.mjs';
import { start } from './lib/service.mjs';

const application = '1100000000000000100';
const bot = 'Bot MTEwMDAwMDAwMDAwMDAwMDEwMA.ZGVtbw.a-public-token-for-your-own-machine-only';

/** @type {Service} */
let service;
/** @type {Browser} */
let browser;
/** @type {CheckedPage} */
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
  await request('POST', '/_dev/reset');
  page = await open(browser, service.origin);
});

afterEach(async () => {
  assert.deepEqual(page.violations, []);
  await page.context().close();
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

const commands = `/api/v10/applications/${application}/commands`;

/** @param {CommandDefinition[]} list */
const register = (list) => request('PUT', commands, list, bot);

/** @param {string} name */
const openPage = (name) => page.goto(`${service.origin}/#/${name}`);

const dialog = () => page.getByRole('dialog');

/** @param {string} text */
const card = (text) => page.locator('.card', { hasText: text }).first();

test('apps: a command is created with errors at its fields, changed and deleted', async () => {
  await openPage('apps');
  await page.getByText('0 of 200 creates used today').waitFor();
  await page.getByRole('button', { name: 'New command' }).click();
  const name = dialog().getByLabel('Name', { exact: true }).first();
  await name.fill('Roll Dice');
  await dialog().getByText('Names use lowercase letters').first().waitFor();
  assert.equal(await name.getAttribute('aria-invalid'), 'true');
  assert.ok(await dialog().getByRole('button', { name: 'Save' }).isDisabled());
  await screenshot(page, 'editor');
  assert.deepEqual(await accessible(page), []);
  await name.fill('roll');
  await dialog().getByLabel('Description', { exact: true }).first().fill('Roll dice');
  await dialog().getByRole('button', { name: '+ option' }).click();
  await dialog().getByLabel('Name', { exact: true }).nth(1).fill('sides');
  await dialog().getByLabel('Description', { exact: true }).nth(1).fill('How many');
  await dialog().getByLabel('Type', { exact: true }).nth(1).selectOption('4');
  await dialog().getByText('✓ Valid').waitFor();
  assert.match(await dialog().getByLabel('JSON').inputValue(), /"name": "sides"/);
  await dialog().getByRole('button', { name: 'Save' }).click();
  await card('/roll').getByText('INTEGER').waitFor();
  await page.getByText('1 of 200 creates used today').waitFor();
  await page.getByRole('button', { name: 'Edit roll' }).click();
  await dialog().getByLabel('JSON').fill('{"name":"throw","description":"Throw dice"}');
  await dialog().getByText('✓ Valid').waitFor();
  await dialog().getByRole('button', { name: 'Save' }).click();
  await card('/throw').waitFor();
  await page.getByRole('button', { name: 'Delete throw' }).click();
  await page.getByText('No commands yet.').waitFor();
});

test('apps: a file replaces all commands, after a dialog shows the difference', async () => {
  await register([
    { name: 'keep', description: 'Stays' },
    { name: 'old', description: 'Goes' },
    { name: 'roll', description: 'Roll dice' },
  ]);
  await openPage('apps');
  await card('/old').waitFor();
  const file = join(service.dir, 'commands.json');
  const next = [
    { name: 'keep', description: 'Stays' },
    { name: 'roll', description: 'Roll two dice' },
    { name: 'new', description: 'Comes' },
  ];
  writeFileSync(file, JSON.stringify(next));
  await page.locator('input[type=file]').setInputFiles(file);
  const plan = dialog().locator('.plan');
  await plan.getByText('+ create').waitFor();
  assert.match(await plan.locator('.delete').innerText(), /old/);
  assert.match(await plan.locator('.change').innerText(), /description.*Roll dice.*Roll two dice/s);
  assert.equal(await plan.getByText('keep').count(), 0);
  await screenshot(page, 'difference');
  await dialog().getByRole('button', { name: 'Apply' }).click();
  await card('/new').waitFor();
  assert.equal(await page.locator('.card', { hasText: '/old' }).count(), 0);
});

test('apps: a file dropped on the page', async () => {
  await openPage('apps');
  await page.getByText('No commands yet.').waitFor();
  const data = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    const commands = '[{"name":"dropped","description":"Fell in"}]';
    transfer.items.add(new File([commands], 'commands.json', { type: 'application/json' }));
    return transfer;
  });
  await page.locator('section', { hasText: 'drop a JSON file' }).dispatchEvent('drop', { dataTransfer: data });
  await dialog().getByText('+ create').waitFor();
  await dialog().getByRole('button', { name: 'Apply' }).click();
  await card('/dropped').waitFor();
});

test('apps: installs, secrets and the endpoint', async () => {
  await openPage('apps');
  await page.getByRole('tab', { name: 'Installs' }).click();
  await card('Lab').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Install in Lab' }).click();
  await card('Lab').waitFor();
  await page.getByRole('tab', { name: 'Endpoint' }).click();
  const key = await page.locator('form code').innerText();
  const good = await serve(key);
  const bad = await serve(key, { verifies: false });
  const url = page.getByRole('textbox', { name: 'Endpoint' });
  await url.fill(bad.url);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('alert').waitFor();
  await url.fill(good.url);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('answered a PING and rejected a forged one').waitFor();
  await screenshot(page, 'endpoint');
  await Promise.all([good.close(), bad.close()]);
  await page.getByRole('tab', { name: 'Tokens' }).click();
  await card('Bot token').getByRole('button', { name: 'Replace' }).click();
  const token = await card('Bot token').locator('.secret').innerText();
  await request('GET', commands, undefined, `Bot ${token}`);
  const old = await fetch(service.origin + commands, { headers: { Authorization: bot } });
  assert.equal(old.status, 401);
});

test('audit: the console’s own entries are one group, and ids have names', async () => {
  await request('POST', '/_dev/world', { users: [{ id: '299', username: 'eve', global_name: 'Evelyn' }] });
  await openPage('apps');
  await page.getByText('0 of 200 creates used today').waitFor();
  await openPage('audit');
  await page
    .getByRole('row', { name: /user\.create/ })
    .first()
    .getByText('Evelyn @eve')
    .waitFor();
  const own = page.getByRole('button', { name: /temporary tokens of the console/ });
  await own.waitFor();
  assert.equal(await page.getByRole('row', { name: 'operator/temporary' }).count(), 0);
  await own.click();
  await page.getByRole('row', { name: 'operator/temporary' }).first().waitFor();
  assert.equal(await page.locator('tbody.own').count(), 1);
  assert.deepEqual(await accessible(page), []);
});

test('audit: ids are not broken', async () => {
  const [user, owner, id] = [11, 12, 13].map((n) => `11000000000000000${n}`);
  await request('POST', '/_dev/world', {
    users: [
      { id: user, username: 'fred' },
      { id: owner, username: 'gina' },
    ],
    guilds: [{ id, name: 'Long ids', owner, members: [{ user }] }],
  });
  await page.setViewportSize({ width: 1000, height: 800 });
  await openPage('audit');
  await page
    .getByRole('row', { name: /member\.create/ })
    .first()
    .waitFor();
  const broken = await page.locator('.audit td > bdi').evaluateAll((all) =>
    all
      .flatMap((e) => [...e.childNodes])
      .filter((node) => /\d{15}/.test(node.textContent ?? ''))
      .filter((node) => {
        const range = document.createRange();
        range.selectNodeContents(node);
        return new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1;
      })
      .map((node) => node.textContent),
  );
  assert.deepEqual(broken, []);
});

test('audit: entries, their changes and filters', async () => {
  await request('POST', '/_dev/world', { users: [{ id: '299', username: 'eve' }] });
  await openPage('audit');
  await page.getByRole('columnheader', { name: 'Actor' }).waitFor();
  await page.getByLabel('Action').fill('no.such.action');
  await page.getByText('No entries.').waitFor();
  await page.getByLabel('Action').fill('user.create');
  const row = page.getByRole('row', { name: /user\.create/ }).first();
  await row.getByText('Change').click();
  await row.getByText('After').waitFor();
  await screenshot(page, 'audit');
  assert.deepEqual(await accessible(page), []);
});
