// Play, with a discord.js bot on the other side. The first test uses nothing but the keyboard.
import {test, before, after, beforeEach, afterEach} from 'node:test';
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {start} from './lib/service.mjs';
import {launch, open, shot, accessible} from './lib/browser.mjs';
import {run} from './lib/bot.mjs';

const application = '1100000000000000100';
const token = 'MTEwMDAwMDAwMDAwMDAwMDEwMA.ZGVtbw.a-public-token-for-your-own-machine-only';

let service;
let browser;
let bot;
let page;

before(async () => {
  service = await start();
  bot = await run(service.origin, application, token);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await bot?.destroy();
  await service?.stop();
});

beforeEach(async () => {
  page = await open(browser, service.origin);
  await page.goto(service.origin);
  await page.getByText('Connected').waitFor();
  await page.getByRole('combobox', {name: 'Type / to use a command'}).waitFor();
});

afterEach(async () => {
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

// line is where commands are typed.
const line = () => page.getByRole('combobox', {name: 'Type / to use a command'});

// pick chooses a command by its name.
async function pick(name) {
  await line().fill(`/${name}`);
  await offered(new RegExp(`^/${name}`)).first().waitFor();
  await line().press('Enter');
}

// send chooses a command without options and sends it.
async function send(name) {
  await pick(name);
  await page.getByRole('button', {name: 'Send'}).press('Enter');
}

// option is the field of an option.
const option = (name) => page.locator('.command-form').getByRole('combobox', {name: new RegExp(`^${name}`)});

// offered are the suggestions that can be seen.
const offered = (name) => page.locator('[role=listbox]:not([hidden])').getByRole('option', name ? {name} : {});

const last = () => page.locator('.message').last();
const says = (text) => page.locator('.message', {hasText: text}).last().waitFor();

async function be(name) {
  await page.getByLabel('You are').selectOption({label: name});
  await page.getByText('Connected').waitFor();
}

test('a command by the keyboard alone, in the person’s language', async () => {
  const key = page.keyboard;
  await page.evaluate(() => document.activeElement?.blur());
  for (let i = 0; i < 40; i++) {
    await key.press('Tab');
    if (await line().evaluate((e) => e === document.activeElement)) break;
  }
  await key.type('/wue');
  await offered(/^\/wuerfeln/).waitFor();
  await shot(page, 'picker');
  await key.press('Enter');
  const sides = option('seiten');
  await sides.waitFor();
  assert.ok(await sides.evaluate((e) => e === document.activeElement), 'the first option has the focus');
  await key.type('1');
  await page.getByText('At least 2.').waitFor();
  await key.press('Backspace');
  await key.type('6');
  await page.getByRole('button', {name: '+ colour'}).focus();
  await key.press('Enter');
  await key.type('Ro');
  await offered('Rot').waitFor();
  await key.press('Enter');
  await shot(page, 'options');
  assert.deepEqual(await accessible(page), []);
  await key.press('Enter');
  await says('d6 r -');
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Type / to use a command');
});

test('only what a person may use is offered', async () => {
  await be('Cleo');
  await line().fill('/');
  await offered().first().waitFor();
  assert.ok((await offered().count()) >= 10);
  await line().fill('/nothing');
  await page.getByText('No command fits').waitFor();
});

test('suggestions come from the app while one types', async () => {
  await pick('find');
  await option('city').fill('ber');
  await offered('Bergen').waitFor();
  await offered('Bern').waitFor();
  await shot(page, 'suggestions');
  await option('city').fill('berg');
  await offered('Bern').waitFor({state: 'detached'});
  await offered('Bergen').waitFor(); // until the new suggestions are there, Enter would send the command
  await option('city').press('Enter');
  await option('city').press('Enter');
  await says('found Bergen');
});

test('a subcommand of a group', async () => {
  await pick('team member add');
  await option('who').fill('Bo');
  await offered(/Bob/).waitFor();
  await option('who').press('Enter');
  await option('who').press('Enter');
  await says('added bob');
});

test('a deferred answer loads, then comes, with a follow-up for one alone', async () => {
  await send('think');
  await page.getByText('Echo is thinking…').waitFor();
  await shot(page, 'loading');
  await says('thought');
  await says('and a secret');
  const secret = page.locator('.message.ephemeral', {hasText: 'and a secret'});
  await secret.getByText('Only you can see this.').waitFor();
  await shot(page, 'ephemeral');
  await secret.getByRole('button', {name: 'Dismiss'}).click();
  await secret.waitFor({state: 'detached'});
  await be('Bob');
  await says('thought');
  assert.equal(await page.getByText('and a secret').count(), 0);
});

test('components work', async () => {
  await send('panel');
  await says('choose');
  await last().getByRole('button', {name: 'Count'}).click();
  await says('counted 1');
  assert.ok(await last().getByRole('button', {name: 'Off'}).isDisabled());
  await shot(page, 'components');
  const panel = page.locator('.message', {hasText: 'counted 1'}).last();
  await panel.getByRole('combobox', {name: 'A fruit'}).fill('Pea');
  await offered('Pear').click();
  await says('fruit p');
  await panel.getByRole('combobox', {name: 'A person'}).fill('Cleo');
  await offered(/Cleo/).click();
  await says('person cleo');
  assert.deepEqual(await accessible(page), []);
});

test('a modal is filled in and sent', async () => {
  await send('form');
  const dialog = page.getByRole('dialog', {name: 'Tell us'});
  await dialog.waitFor();
  await dialog.getByLabel('In short').fill('yes');
  await dialog.getByLabel('At length').fill('because');
  await shot(page, 'modal');
  assert.deepEqual(await accessible(page), []);
  await dialog.getByRole('button', {name: 'Submit'}).click();
  await says('form yes because');
});

test('embeds and attachments', async () => {
  await send('card');
  await says('A card');
  const card = page.locator('.embed').last();
  assert.equal(await card.locator('strong').innerText(), 'bold');
  await pick('upload');
  const file = join(service.dir, 'note.txt');
  writeFileSync(file, 'a note');
  await page.getByLabel('file').setInputFiles(file);
  await page.getByRole('button', {name: 'Send'}).click();
  await says('note.txt 6');
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', {name: 'answer.txt'}).click()]);
  assert.equal(download.suggestedFilename(), 'answer.txt');
  await shot(page, 'card');
});

test('commands on people and on messages', async () => {
  await page.getByRole('button', {name: 'Apps for Bob'}).click();
  await page.getByRole('dialog').getByRole('button', {name: /Greet/}).click();
  await says('hello bob');
  await page.locator('.message', {hasText: 'hello bob'}).last().getByRole('button', {name: /Apps for this message/}).click();
  await page.getByRole('dialog').getByRole('button', {name: /Quote/}).click();
  await page.locator('.message blockquote', {hasText: 'hello bob'}).waitFor();
});

test('an activity is launched', async () => {
  const world = {applications: [{id: application, name: 'Echo', owner: '1100000000000000200', integration_types: [0, 1], activities: true}]};
  const applied = await fetch(`${service.origin}/_dev/world`, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(world)});
  assert.equal(applied.status, 200, await applied.text());
  await page.getByRole('button', {name: 'Activities'}).click();
  const before = await page.locator('.message').count();
  await page.getByRole('dialog').getByRole('button', {name: /Launch/}).click();
  await page.waitForFunction((n) => document.querySelectorAll('.message').length > n, before);
  await page.locator('.message', {hasText: 'Launch'}).last().waitFor();
  await shot(page, 'launched');
});

test('a conversation with the app', async () => {
  await page.getByRole('button', {name: 'Message Echo'}).click();
  await page.getByRole('heading', {name: /@ Echo/}).waitFor();
  await send('ping');
  await says('pong');
});

test('an app that does not answer', async () => {
  await send('silent');
  await page.getByText('is on its way…').waitFor();
  await fetch(`${service.origin}/_dev/clock`, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{"advance":"4s"}'});
  await page.getByText('the app did not answer in time').waitFor();
  await shot(page, 'failure');
});

test('what a hostile app sends is harmless', async () => {
  await send('evil');
  const message = page.locator('.message', {hasText: '<img src=x'}).last();
  await message.waitFor();
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await message.locator('.markdown img, script').count(), 0);
  assert.equal(await message.locator('a[href^="javascript"]').count(), 0);
  assert.equal(await message.getByText('<i>y</i>').count(), 1);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${wide} pixels too wide`);
  await message.getByText('Picture: https://tracker.example/pixel.png').waitFor();
  await shot(page, 'hostile');
});

test('the line comes back after it was cut', async () => {
  await page.context().setOffline(true);
  await page.evaluate(() => 0);
  await page.context().setOffline(false);
  await send('ping');
  await says('pong');
});
