// The console of `bellhop serve`: users and the operator have to sign in, and there are no dev controls.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
/** @import { Browser } from 'playwright-core' */
/** @import { Service } from './lib/service.mjs' */
import { after, before, test } from 'node:test';
import { accessible, launch, open, screenshot } from './lib/browser.mjs';
import { start } from './lib/service.mjs';

const world = `
users: [{id: "200", username: ada, token: user-H3kD8vB5yN0cF6jX2s-ada}]
applications: [{id: "100", name: Echo, owner: "200"}]
guilds:
  - id: "300"
    name: Lab
    owner: "200"
    members: [{user: "200"}]
    channels: [{id: "310", name: general}]
    installs: [{application: "100"}]
`;

/** @type {Service} */
let service;
/** @type {Browser} */
let browser;

before(async () => {
  service = await start({ args: ['serve', '--data', '{dir}/data'], world });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await service?.stop();
});

test('sign-in with the operator’s token', async () => {
  const page = await open(browser, service.origin);
  await page.goto(service.origin);
  await page.getByLabel('Operator’s token').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('The service does not know this token.').waitFor();
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    await page.emulateMedia({ colorScheme });
    await screenshot(page, `sign-in-${colorScheme}`);
    assert.deepEqual(await accessible(page), []);
  }
  await page.getByRole('link', { name: 'Help' }).waitFor();
  const log = service.log() + service.output();
  const token = readFileSync(join(service.dir, 'data', 'operator-token'), 'utf8').trim();
  assert.ok(!log.includes(token), 'the log contains the token');
  await page.getByLabel('Operator’s token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Connected').waitFor();
  const readable = await page.evaluate(() =>
    JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie]),
  );
  assert.ok(!(readable.includes(token) || readable.includes('operator')), `scripts can read ${readable}`);
  await page.reload();
  await page.getByText('Connected').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Traffic' }).count(), 0);
  await page.getByRole('link', { name: 'World' }).click();
  await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('ada'));
  assert.equal(await page.getByRole('heading', { name: 'Clock' }).count(), 0);
  assert.equal(await page.getByRole('button', { name: 'Reset the world' }).count(), 0);
  for (const path of ['/_dev/clock', '/_dev/console', '/_dev/requests']) {
    const { status } = await fetch(service.origin + path, { method: path === '/_dev/console' ? 'POST' : 'GET' });
    assert.equal(status, 404, path);
  }
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  assert.deepEqual(page.violations, []);
  await page.context().close();
});

test('sign-in with an account', async () => {
  const page = await open(browser, service.origin);
  await page.goto(service.origin);
  await page.getByRole('link', { name: 'Sign in with your account' }).click();
  await page.locator('input[name=token]').fill('user-H3kD8vB5yN0cF6jX2s-ada');
  await page.locator('form button[type=submit], form button:not([type])').first().click();
  await page.getByText('Connected').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Apps' }).count(), 0);
  assert.deepEqual(await page.getByLabel('You are').locator('option').allInnerTexts(), ['ada']);
  await screenshot(page, 'sign-in-person');
  assert.deepEqual(await accessible(page), []);
  await page.context().close();
});
