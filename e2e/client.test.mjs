// What people know from chat clients, on the Play page: threads, forums, polls, voice, presence, typing, emojis, menus.

import assert from 'node:assert/strict';
/** @import { Browser, Page } from 'playwright-core' */
/** @import { Service } from './lib/service.mjs' */
/** @import { CheckedPage } from './lib/browser.mjs' */
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { accessible, launch, open } from './lib/browser.mjs';
import { crowd, crowdedWorld } from './lib/crowd.mjs';
import { start } from './lib/service.mjs';

/** A GIF of one pixel. */
const pixel = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

/** @type {Service} */
let service;
/** @type {Browser} */
let browser;
/** @type {CheckedPage} */
let page;

before(async () => {
  service = await start({ world: crowdedWorld(20) });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await service?.stop();
});

beforeEach(async () => {
  page = await visit(crowd.quiet);
});

afterEach(async () => {
  assert.deepEqual(page.violations, []);
  await page.context().close();
});

/**
 * visit opens a channel as a person.
 * @param {string} channel
 * @param {string} [as]
 * @param {object} [options]
 */
async function visit(channel, as = crowd.ada, options = {}) {
  const opened = await open(browser, service.origin, options);
  await opened.goto(`${service.origin}/#/play?as=${as}&channel=${channel}`);
  await opened.locator('.state.ready').waitFor();
  await opened.locator('.chat h2 bdi').waitFor();
  return opened;
}

/** @param {Page} [on] */
const input = (on = page) => on.getByRole('textbox', { name: 'Type / to use a command' });

/**
 * @param {string} text
 * @param {Page} [on]
 */
const message = (text, on = page) => on.locator('.message', { hasText: text }).last();

/**
 * write writes a message.
 * @param {string} text
 */
async function write(text) {
  await input().fill(text);
  await input().press('Enter');
  await message(text).waitFor();
}

/**
 * send sends a request as the bot, or to a dev control.
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 */
async function send(method, path, body) {
  const response = await fetch(service.origin + path, {
    method,
    headers: {
      'Content-Type': 'application/json',
      ...(path.startsWith('/_dev') ? {} : { Authorization: `Bot ${crowd.token}` }),
    },
    body: body ? JSON.stringify(body) : undefined,
  });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text || 'null');
}

const heading = (/** @type {string | RegExp} */ name) => page.getByRole('heading', { level: 2, name });

test('a message of several lines keeps them when it is written and edited', async () => {
  await input().fill('first line');
  await input().press('Shift+Enter');
  await page.keyboard.type('second line');
  await input().press('Enter');
  await message('second line').waitFor();
  assert.match(await message('first line').locator('.markdown').innerText(), /first line\nsecond line/);
  await message('first line').click({ button: 'right' });
  await page.getByRole('button', { name: 'Edit' }).click();
  assert.equal(await input().inputValue(), 'first line\nsecond line');
  await page.keyboard.press('Escape');
});

test('a thread is created from a message, opened, left and joined', async () => {
  await write('plans for autumn');
  await message('plans for autumn').click({ button: 'right' });
  await page.getByRole('button', { name: 'Create thread' }).click();
  assert.equal(await page.getByLabel('Name of the thread').inputValue(), 'plans for autumn');
  await page.getByLabel('Name of the thread').fill('Autumn');
  await page.getByRole('dialog').getByRole('button', { name: 'Create thread' }).click();
  await heading(/Autumn/).waitFor();
  await write('first in the thread');
  await page.getByRole('button', { name: 'Leave', exact: true }).click();
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  await page.getByRole('button', { name: 'Leave', exact: true }).waitFor();
  await heading(/Autumn/)
    .getByRole('button')
    .click();
  await message('plans for autumn')
    .getByRole('button', { name: /Autumn/ })
    .click();
  await message('first in the thread').waitFor();
  assert.deepEqual(await accessible(page), []);
});

test('active and archived threads are listed, and a thread is created without a message', async () => {
  await page.locator('.channels').getByRole('button', { name: 'general' }).click();
  await page.getByRole('button', { name: 'Threads' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Plans for the summer/ })
    .waitFor();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Winter plans/ })
    .click();
  await heading(/Winter plans/).waitFor();
  await page.locator('.channels').getByRole('button', { name: 'general' }).click();
  await page.getByRole('button', { name: 'Threads' }).click();
  await page.getByLabel('Name of the thread').fill('Spring');
  await page.keyboard.press('Enter');
  await heading(/Spring/).waitFor();
  await page.locator('.channels .threads').getByRole('button', { name: 'Spring' }).waitFor();
});

test('a forum shows its posts, and a new one has its first message', async () => {
  await page.locator('.channels').getByRole('button', { name: 'questions' }).click();
  await page
    .locator('.forum')
    .getByRole('button', { name: /Where is the key of room 12/ })
    .click();
  await message('It was on the hook yesterday.').waitFor();
  await heading(/Where is the key/)
    .getByRole('button')
    .click();
  await page.getByRole('button', { name: 'New post' }).click();
  await page.getByLabel('Title').fill('Who feeds the cat?');
  await page.getByLabel('First message').fill('It sits at the door.');
  await page.keyboard.press('Control+Enter');
  await heading(/Who feeds the cat/).waitFor();
  await message('It sits at the door.').waitFor();
});

test('a person votes in a poll, sees the results and the voters, and the end', async () => {
  const poll = await send('POST', `/api/v10/channels/${crowd.quiet}/messages`, {
    poll: {
      question: { text: 'Tea or coffee?' },
      answers: [{ poll_media: { text: 'Tea' } }, { poll_media: { text: 'Coffee' } }],
      duration: 24,
    },
  });
  const shown = page.getByRole('form', { name: 'Poll' }).last();
  await shown.getByRole('radio', { name: /Coffee/ }).check();
  await shown.getByRole('button', { name: 'Vote', exact: true }).click();
  await shown.getByText('your vote').waitFor();
  await shown.getByText('1 vote ·').waitFor();
  await shown.getByRole('button', { name: 'Who voted' }).click();
  await page.getByRole('dialog').getByText('Ada Lovelace').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await send('POST', '/_dev/say', { as: 'bob', in: crowd.quiet, message: poll.id, vote: [1] });
  await shown.getByText('2 votes ·').waitFor();
  await shown.getByRole('button', { name: 'Take the vote back' }).click();
  await shown.getByRole('radio', { name: /Tea/ }).waitFor();
  await shown.getByText('1 vote ·').waitFor();
  await send('POST', `/api/v10/channels/${crowd.quiet}/polls/${poll.id}/expire`);
  await shown.getByText('The poll has ended.').waitFor();
  assert.equal(await shown.getByRole('radio').count(), 0);
  assert.deepEqual(await accessible(page), []);
});

test('a custom emoji is a reaction and part of a text, as the image of the service', async () => {
  const emoji = await send('POST', `/api/v10/guilds/${crowd.guild}/emojis`, { name: 'bell', image: pixel });
  await input().fill(`please ring <:bell:${emoji.id}>`);
  await input().press('Enter');
  const image = message('please ring').locator('.markdown img.emoji');
  await image.waitFor();
  assert.ok(await image.evaluate((/** @type {HTMLImageElement} */ e) => e.decode().then(() => e.naturalWidth > 0)));
  await message('please ring').click({ button: 'right' });
  await page.getByRole('button', { name: 'React with :bell:' }).click();
  await message('please ring').getByRole('button', { name: ':bell:, 1' }).waitFor();
  await message('please ring').click({ button: 'right' });
  await page.getByLabel('Another emoji').fill('🐟');
  await page.keyboard.press('Enter');
  await message('please ring').getByRole('button', { name: '🐟, 1' }).waitFor();
});

test('a person sees who is typing, and others see that the person is', async () => {
  const bob = await visit(crowd.quiet, crowd.bob);
  await input().pressSequentially('hel');
  await bob.getByText('Ada Lovelace is typing…').waitFor();
  await input().press('Enter');
  await message('hel', bob).waitFor();
  await bob.getByText('Ada Lovelace is typing…').waitFor({ state: 'detached' });
  await send('POST', '/_dev/say', { as: 'bob', in: crowd.quiet, typing: true });
  await page.getByText('Bob is typing…').waitFor();
  await bob.context().close();
});

test('presences are shown', async () => {
  const bob = page.locator('.people li', { hasText: 'Bob' });
  await send('POST', '/_dev/members', { as: 'bob', guild: crowd.guild, presence: 'dnd' });
  await bob.locator('.dot.dnd').waitFor();
  await bob.getByText('do not disturb').waitFor();
  await page.locator('.people li', { hasText: 'Ada Lovelace' }).locator('.dot.online').waitFor();
});

test('a person joins a voice channel, and sees who is there', async () => {
  await page.locator('.channels').getByRole('button', { name: 'Lobby' }).click();
  await page.getByRole('button', { name: 'Join voice' }).click();
  await page.locator('.in-voice', { hasText: 'Ada Lovelace' }).waitFor();
  await send('POST', '/_dev/members', { as: 'bob', guild: crowd.guild, voice: crowd.voice });
  await page.locator('.in-voice', { hasText: 'Bob' }).waitFor();
  await page.getByRole('button', { name: 'Leave voice' }).click();
  await page.locator('.in-voice', { hasText: 'Ada Lovelace' }).waitFor({ state: 'detached' });
});

test('the menu of a message and of a person opens with the mouse, a key and a long press', async () => {
  await write('press me');
  const close = async () => {
    await page.getByRole('dialog').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  await message('press me').click({ button: 'right' });
  await close();
  await message('press me').locator('.menu').focus();
  await message('press me').locator('.menu').dispatchEvent('contextmenu');
  await close();
  await message('press me').evaluate((e) => {
    const touch = new Touch({ identifier: 1, target: e });
    e.dispatchEvent(new TouchEvent('touchstart', { touches: [touch], bubbles: true }));
  });
  await close();
  await message('press me').locator('header b').click({ button: 'right' });
  await page.getByRole('dialog', { name: 'Apps for Ada Lovelace' }).waitFor();
  await close();
  await page.locator('.people li', { hasText: 'Bob' }).click({ button: 'right' });
  await page.getByRole('button', { name: 'Message Bob' }).click();
  await heading('Bob').waitFor();
  await page.locator('.people li', { hasText: 'Bob' }).waitFor();
  await page.locator('.channels').getByRole('button', { name: 'Bob' }).waitFor();
});

test('notices say what happened', async () => {
  await write('pin this');
  const id = await message('pin this').getAttribute('data-message');
  await send('PUT', `/api/v10/channels/${crowd.quiet}/messages/pins/${id}`);
  await page.getByText('pinned a message').waitFor();
});
