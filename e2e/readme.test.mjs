// The steps of the README, in its order: the first minute, an own command, an own bot.

/** @import { ChildProcess } from 'node:child_process' */
/** @import { Browser } from 'playwright-core' */
/** @import { Service } from './lib/service.mjs' */
/** @import { CheckedPage } from './lib/browser.mjs' */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { screenshot } from './lib/browser.mjs';
import { firstMinute, type } from './lib/minute.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** @type {Service} */
let service;
/** @type {Browser} */
let browser;
/** @type {CheckedPage} */
let page;
/** @type {ChildProcess | undefined} */
let bot;

after(async () => {
  if (bot?.pid) process.kill(-bot.pid); // go run and the bot that it started
  await browser?.close();
  await service?.stop();
});

/**
 * section returns the text of a section of the README.
 * @param {string} title
 */
function section(title) {
  const [, text] = readme.split(`\n## ${title}\n`);
  assert.ok(text, `the README has no section "${title}"`);
  return text.split('\n## ')[0];
}

/**
 * script returns the commands of sections. Their first block has the settings that the service prints. Here the service
 * listens on another port, so the base URL is set again after it.
 * @param {...string} titles
 */
function script(...titles) {
  const [settings, ...code] = titles.flatMap((title) =>
    [...section(title).matchAll(/```sh(?:ell)?\n(.*?)```/gs)].map((m) => m[1]),
  );
  return [settings, `export BELLHOP_BASE_URL=${service.origin}/api/v10`, ...code].join('\n');
}

test('the first minute: start, open the page, type /, see an answer', async () => {
  const text = section('The first minute');
  for (const said of ['go run ./cmd/bellhop dev', 'http://127.0.0.1:8080/', 'Type `/bell` and press Enter.']) {
    assert.ok(text.includes(said), said);
  }
  ({ service, browser, page } = await firstMinute());
});

test('your own command is registered, and offline without a bot', async () => {
  const out = execFileSync('bash', ['-euo', 'pipefail', '-c', script('Your own command')], { encoding: 'utf8' });
  assert.match(out, /"name":"roll"/);
  assert.match(out, /"code":50035/);
  const sentence = 'Echo is offline: no gateway session and no endpoint URL';
  assert.ok(section('Your own command').includes(sentence));
  await type(page, 'roll');
  await page.getByText(sentence).waitFor();
  await page.locator('.people li', { hasText: 'Echo' }).getByText('offline').waitFor();
  await page.locator('.people li', { hasText: 'Guesthouse' }).getByText('endpoint').waitFor();
  await screenshot(page, 'readme-offline');
});

test('your own bot answers', async () => {
  const code = script('Your own command', 'Your own bot');
  const env = { ...process.env, HTTPBOT_LISTEN: '127.0.0.1:0' };
  const child = spawn('bash', ['-euc', code], { cwd: root, env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
  bot = child;
  await new Promise((resolve, reject) => {
    let log = '';
    child.on('exit', (status) => reject(new Error(`the bot exited with ${status}: ${log}`)));
    child.stderr.on('data', (d) => {
      log += d;
      if (log.includes('answers at')) resolve(undefined);
    });
  });
  await page.locator('.people li', { hasText: 'Echo' }).getByText('endpoint').waitFor(); // without a reload
  await type(page, 'roll');
  await page.locator('.message', { hasText: /You rolled a \d of 6\./ }).waitFor();
  await screenshot(page, 'readme-answer');
  assert.deepEqual(page.violations, []);
});

test('the README does not reset the service between its steps', () => {
  assert.ok(!readme.includes('/_dev/reset'));
});
