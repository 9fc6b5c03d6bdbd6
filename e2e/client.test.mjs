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
  service = await start({ world: crowdedWorld() });
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
    await page.keyboard.press('Escape');
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

test('usernames stand beside display names and names of a guild', async () => {
  await page.locator('.people li', { hasText: 'Der Barbier' }).getByText('@rhabarberbarbarabarbarbarenbart').waitFor();
  await page.locator('.channels').getByRole('button', { name: 'general' }).click();
  const barber = page.locator('.message header', { hasText: 'Der Barbier mit dem langen Namen' }).first();
  await barber.getByText('@rhabarberbarbarabarbarbarenbart').waitFor();
  await page.locator('.message header', { hasText: 'Ada Lovelace' }).first().getByText('@ada').waitFor();
  await page.goto(`${service.origin}/#/permissions?guild=${crowd.guild}`);
  const person = page.locator('.decision').getByRole('combobox', { name: 'Person' });
  await person.fill('barbier');
  await page
    .getByRole('option', { name: 'Der Barbier mit dem langen Namen @rhabarberbarbarabarbarbarenbart' })
    .waitFor();
});

test('the languages are searched by their names and codes', async () => {
  const language = page.getByRole('combobox', { name: 'Language' });
  await language.click();
  await language.fill('ja');
  await page.getByRole('option', { name: '日本語' }).click();
  await page.waitForFunction(() =>
    [...document.querySelectorAll('input')].some((e) => /** @type {HTMLInputElement} */ (e).value === '日本語'),
  );
  await language.fill('english');
  await page.getByRole('option', { name: /American|US/ }).click();
  await page.waitForFunction(() => [...document.querySelectorAll('input')].some((e) => e.value.startsWith('American')));
  await page.getByRole('combobox', { name: 'You are' }).focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  assert.match(await language.inputValue(), /^American/, 'the Tab key changes no language');
  await language.press('Enter');
  assert.match(await language.inputValue(), /^American/, 'Enter without a text changes no language');
});

/** menuBox waits until the menu has its commands, and returns its place. */
async function menuBox() {
  await page.locator('.popup').waitFor();
  await page.locator('.popup .skeleton').waitFor({ state: 'detached' });
  const box = await page.locator('.popup').boundingBox();
  assert.ok(box);
  return box;
}

test('on a phone a long name does not push the menu of a message to a line of its own', async () => {
  const phone = await visit(crowd.general, crowd.ada, { viewport: { width: 390, height: 844 } });
  await phone.locator('.message').last().waitFor();
  const offsets = await phone.locator('.message .content > header').evaluateAll((all) =>
    all.map((e) => {
      const menu = e.querySelector('.menu')?.getBoundingClientRect();
      return Math.round((menu?.top ?? 0) - e.getBoundingClientRect().top);
    }),
  );
  assert.ok(offsets.length > 10);
  assert.deepEqual(
    offsets.filter((offset) => offset > 4),
    [],
  );
  await phone.context().close();
});

test('a menu opens at the pointer or at its button, and inside the window', async () => {
  await write('where is the menu');
  const text = await message('where is the menu').locator('.markdown').boundingBox();
  assert.ok(text);
  const [x, y] = [Math.round(text.x + 20), Math.round(text.y + 8)];
  await page.mouse.click(x, y, { button: 'right' });
  const near = await menuBox();
  assert.ok(Math.abs(near.x - x) < 2, `the menu is at ${near.x}, the pointer at ${x}`);
  assert.ok(near.y <= y && near.y + near.height <= 792, JSON.stringify(near));
  await page.keyboard.press('Escape');
  const more = message('where is the menu').locator('.menu');
  const button = await more.boundingBox();
  assert.ok(button);
  await more.click();
  const beside = await menuBox();
  assert.ok(beside.x + beside.width <= 1272, `the menu ends at ${beside.x + beside.width}`);
  assert.ok(Math.abs(beside.x + beside.width - button.x - button.width) < beside.width, 'near its button');
  await page.keyboard.press('Escape');
  await page.locator('.popup').waitFor({ state: 'detached' });
  await more.and(page.locator(':focus')).waitFor();
  await more.click();
  await menuBox();
  await page.mouse.click(600, 75);
  await page.locator('.popup').waitFor({ state: 'detached' });
  await page.mouse.click(x, y, { button: 'right' });
  await menuBox();
  await page.mouse.click(x + 4, y - 4, { button: 'right' });
  await page.locator('.popup').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.popup').waitFor({ state: 'detached' });
  await page.locator('.people li', { hasText: 'Bob' }).click({ button: 'right' });
  const person = await menuBox();
  assert.ok(person.x > 900, `the menu of a person in the list is at ${person.x}`);
  await page.keyboard.press('Escape');
});

test('the arrow keys move in a menu', async () => {
  await write('arrows');
  await message('arrows').click({ button: 'right' });
  await menuBox();
  const at = () => page.evaluate(() => document.activeElement?.textContent?.trim());
  assert.equal(await at(), 'Reply');
  await page.keyboard.press('ArrowDown');
  assert.equal(await at(), 'Edit');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('End');
  assert.match(String(await at()), /Ask the desk/);
  await page.keyboard.press('ArrowDown');
  assert.equal(await at(), '👍');
  await page.keyboard.press('Escape');
});

test('a person creates a poll', async () => {
  await page.getByRole('button', { name: 'Add to the message' }).click();
  await page.getByRole('button', { name: 'Create a poll' }).click();
  const form = page.getByRole('dialog', { name: 'Create a poll' });
  await form.getByLabel('Question').fill('Which room?');
  await form.getByRole('textbox', { name: 'Answer 1' }).fill('The tower');
  await form.getByRole('textbox', { name: 'Answer 2' }).fill('The cellar');
  await form.getByRole('button', { name: 'Add an answer' }).click();
  await form.getByRole('textbox', { name: 'Answer 3' }).fill('The garden');
  await form.getByLabel('Open for').selectOption({ label: '3 days' });
  await form.getByLabel('People can choose several answers').check();
  assert.deepEqual(await accessible(page), []);
  await page.keyboard.press('Control+Enter');
  await form.waitFor({ state: 'detached' });
  const poll = page.getByRole('form', { name: 'Poll' }).last();
  await poll.getByText('Which room?').waitFor();
  await poll.getByText('ends in 3 days').waitFor();
  await poll.getByRole('checkbox', { name: /The garden/ }).check();
  await poll.getByRole('button', { name: 'Vote', exact: true }).click();
  await poll.getByText('your vote').waitFor();
  await poll.getByRole('button', { name: 'End the poll' }).waitFor();
});

test('files are attached with a button', async () => {
  await page.getByRole('button', { name: 'Add to the message' }).click();
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Attach files' }).click(),
  ]);
  await chooser.setFiles({ name: 'list.txt', mimeType: 'text/plain', buffer: Buffer.from('soap') });
  await page.locator('.draft', { hasText: 'list.txt' }).waitFor();
  await write('the list');
  await message('the list').getByText('list.txt').waitFor();
});

test('the icon of an app is shown with its commands', async () => {
  await send('PATCH', '/api/v10/applications/@me', { icon: pixel });
  await page.reload();
  await page.locator('.state.ready').waitFor();
  await input().fill('/');
  const icon = page.locator('[role=listbox]:not([hidden]) .group .avatar img');
  await icon.first().waitFor();
  assert.equal(await icon.count(), 1);
  assert.ok(await icon.evaluate((/** @type {HTMLImageElement} */ e) => e.decode().then(() => e.naturalWidth > 0)));
  await input().fill('');
});

test('a long list of people is searched, by either name', async () => {
  const you = page.getByRole('combobox', { name: 'You are' });
  assert.equal(await you.inputValue(), 'Ada Lovelace @ada');
  await you.click();
  await page.keyboard.type('barbarbar');
  await page.getByRole('option', { name: /@?rhabarber/i }).waitFor();
  await you.fill('guest number 31');
  await page.getByRole('option', { name: /Guest number 31 of the house @guest_31/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.state.ready').waitFor();
  assert.equal(await you.inputValue(), 'Guest number 31 of the house @guest_31');
  await page.waitForURL(/as=1100000000000004036/);
});

/** @param {string} id of a message */
const isInView = (id) =>
  page.locator('.timeline').evaluate((e, wanted) => {
    const box = e.getBoundingClientRect();
    const shown = e.querySelector(`[data-message="${wanted}"]`)?.getBoundingClientRect();
    return Boolean(shown && shown.bottom > box.top && shown.top < box.bottom);
  }, id);

/** @param {string} text */
const idOf = async (text) => String(await message(text).getAttribute('data-message'));

test('a reply, a pin and a link go to a message that is not loaded', async () => {
  const channel = crowd.general;
  const path = `/api/v10/channels/${channel}/messages`;
  const [first] = await send('GET', `${path}?limit=1&after=1`);
  await send('POST', path, { content: 'see above', message_reference: { message_id: first.id } });
  await send('PUT', `${path}/pins/${first.id}`);
  const go = async () => {
    await page.goto(`${service.origin}/#/play?as=${crowd.ada}&channel=${channel}&message=`);
    await page.reload();
    await message('see above').waitFor();
    assert.equal(await page.locator(`[data-message="${first.id}"]`).count(), 0);
  };
  const arrived = async () => {
    await page.locator(`.message.linked[data-message="${first.id}"]:focus`).waitFor();
    assert.ok(await isInView(first.id));
  };
  await go();
  await message('see above').locator('.quote').click();
  await arrived();
  await page.getByRole('button', { name: 'Jump to the newest' }).click();
  await page.getByText('pinned a message').waitFor();
  assert.ok(await isInView(await idOf('pinned a message')));
  await go();
  await page.getByRole('button', { name: 'Pins' }).click();
  await page.locator('dialog .pins .item').click();
  await arrived();
  await input().fill('I read the beginning');
  await input().press('Enter');
  await message('I read the beginning').waitFor();
  const newest = await idOf('I read the beginning');
  assert.ok(await isInView(newest));
  await page.goto('about:blank');
  await page.goto(`${service.origin}/#/play?as=${crowd.ada}&channel=${channel}&message=${first.id}`);
  await arrived();
  for (let i = 0; i < 60 && !(await isInView(newest)); i++) {
    await page.locator('.timeline').evaluate((e) => e.scrollBy(0, 900));
    await page.waitForTimeout(50);
  }
  assert.ok(await isInView(newest), 'scrolling down comes to the newest message');
});
