// The service below a path of a host that has other things too.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
/** @import { Client } from 'discord.js' */
/** @import { Browser } from 'playwright-core' */
/** @import { Proxy } from './lib/proxy.mjs' */
/** @import { Service } from './lib/service.mjs' */
/** @import { CheckedPage } from './lib/browser.mjs' */
import { after, afterEach, before, test } from 'node:test';
import { run } from './lib/bot.mjs';
import { launch, open } from './lib/browser.mjs';
import { type } from './lib/minute.mjs';
import { listen } from './lib/proxy.mjs';
import { start } from './lib/service.mjs';

const application = '100';
const token = 'Q7mW2tZ9rL4pK8xJ1v-echo';
const userToken = 'user-H3kD8vB5yN0cF6jX2s-ada';

/** @type {Browser} */
let browser;
/** @type {Proxy} */
let proxy;
/** @type {Service} */
let service;
/** @type {CheckedPage} */
let page;
/** @type {Client | undefined} */
let bot;

before(async () => {
  browser = await launch();
});

after(() => browser?.close());

afterEach(async () => {
  await page?.context().close();
  await bot?.destroy();
  bot = undefined;
  await service?.stop();
  await proxy?.close();
});

/**
 * begin starts the service below a path, and opens the console there.
 * @param {{ strip: boolean }} how the proxy treats the path
 * @param {...string} flags
 */
async function begin(how, ...flags) {
  proxy = await listen(how);
  const world = `
users: [{id: "200", username: ada, token: ${userToken}}]
applications:
  - id: "${application}"
    name: Echo
    owner: "200"
    bot_token: ${token}
    redirect_uris: ["${proxy.origin}/game/back"]
guilds:
  - id: "300"
    name: Lab
    owner: "200"
    channels: [{id: "310", name: general}]
    installs: [{application: "${application}", scopes: [bot, applications.commands]}]
`;
  const args = ['serve', '--data', '{dir}/data', '--public-url', `${proxy.base}/`, ...flags];
  service = await start({ args, world });
  proxy.passTo(service.origin);
  page = await open(browser, proxy.origin);
  page.on('request', (r) => {
    const isOwn = [`${proxy.base}/`, `${proxy.origin}/game/`, 'blob:', 'data:'].some((u) => r.url().startsWith(u));
    if (!isOwn) page.violations.push(`request: ${r.url()}`);
  });
  page.on('websocket', (socket) => {
    if (!socket.url().startsWith(proxy.base.replace('http', 'ws'))) page.violations.push(`socket: ${socket.url()}`);
  });
  await page.goto(`${proxy.base}/`);
}

/** stayed checks that no request was for another path. */
function stayed() {
  assert.deepEqual(page.violations, []);
  assert.deepEqual(proxy.outside, []);
}

/**
 * seeBelow waits for a heading on a page below the path.
 * @param {string} at the beginning of the address
 * @param {string | RegExp} heading
 */
async function seeBelow(at, heading) {
  await page.waitForURL((url) => url.href.startsWith(`${proxy.base}/${at}`));
  await page.getByRole('heading', { name: heading }).first().waitFor();
}

/** cookiePaths returns the paths of the cookies of the browser. */
const cookiePaths = async () => (await page.context().cookies()).map(({ path }) => path);

test('with dev controls, behind a proxy that removes the path', async () => {
  await begin({ strip: true }, '--dev');
  bot = await run(proxy.base, application, token);
  await page.getByText('Connected').waitFor();
  await type(page, 'ping');
  await page.locator('.message', { hasText: 'pong' }).waitFor();
  await type(page, 'picture');
  await page.waitForFunction(() => {
    /** @type {HTMLImageElement | null} */
    const picture = document.querySelector('.attachment img');
    return picture && picture.naturalWidth > 0;
  });

  await page.getByRole('link', { name: 'Traffic' }).click();
  await page.getByText('/ping').first().waitFor();
  await page.getByRole('link', { name: 'Help' }).click();
  await seeBelow('docs/', 'Traffic');
  await page.keyboard.press('/');
  await page.keyboard.type('rate limit');
  await page.locator('#results a').first().click();
  await seeBelow('docs/', /limit/i);

  const back = `${proxy.origin}/game/back`;
  const query = new URLSearchParams({
    client_id: application,
    response_type: 'code',
    scope: 'identify',
    redirect_uri: back,
  });
  await page.goto(`${proxy.base}/api/v10/oauth2/authorize?${query}`);
  await seeBelow('oauth2/signin', 'Sign in');
  await page.getByRole('button', { name: 'ada' }).click();
  await seeBelow('oauth2/authorize', 'Echo asks for your permission');
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('You are back in the game.').waitFor();
  assert.match(page.url(), /\/game\/back\?code=/);
  await page.goto(`${proxy.base}/oauth2/account`);
  await seeBelow('oauth2/account', 'Your account');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await seeBelow('oauth2/signin', 'Sign in');
  stayed();
});

test('without dev controls, behind a proxy that leaves the path', async () => {
  await begin({ strip: false });
  await page.getByRole('link', { name: 'Sign in with your account' }).click();
  await seeBelow('oauth2/signin', 'Sign in');
  await page.locator('input[name=token]').fill(userToken);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${proxy.base}/`);
  await page.getByText('Connected').waitFor();
  assert.deepEqual(await cookiePaths(), ['/play/']);
  await page.context().clearCookies();
  await page.reload();
  await page
    .getByLabel('Operator’s token')
    .fill(readFileSync(join(service.dir, 'data', 'operator-token'), 'utf8').trim());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Connected').waitFor();
  assert.deepEqual(await cookiePaths(), ['/play/']);
  await page.getByRole('link', { name: 'World' }).click();
  await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('ada'));
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  stayed();
});
