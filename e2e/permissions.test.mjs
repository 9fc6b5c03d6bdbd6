// The Permissions page: the matrix of overwrites, and the decision about a person.

import assert from 'node:assert/strict';
/** @import { CheckedPage } from './lib/browser.mjs' */
/** @import { CommandPermission, CommandPermissions } from '../internal/console/types/wire.js' */
import { test } from 'node:test';
import { accessible, screenshot } from './lib/browser.mjs';
import { suite } from './lib/suite.mjs';

const world = `
users:
  - {id: "200", username: ada}
  - {id: "201", username: bob}
  - {id: "202", username: cleo}
applications:
  - {id: "100", name: Echo, owner: "200", bot_token: dev-bot-echo}
guilds:
  - id: "300"
    name: Lab
    owner: "200"
    roles:
      - {id: "301", name: mods, permissions: [BAN_MEMBERS]}
      - {id: "302", name: guests, permissions: []}
    channels: [{id: "310", name: general}, {id: "311", name: quiet}]
    members: [{user: "200"}, {user: "201", roles: ["302"]}, {user: "202", roles: ["301"]}]
    installs: [{application: "100", scopes: [bot, applications.commands]}]
`;

const commands = [
  { name: 'ban', description: 'Ban a member', default_member_permissions: '4' },
  { name: 'ping', description: 'Answer at once' },
  { name: 'say', description: 'Say it', options: [{ type: 3, name: 'text', description: 'What', required: true }] },
  { name: 'Report', type: 2 },
  { name: 'Report', type: 3, default_member_permissions: '0' },
];

/** @type {CheckedPage} */
let page;

const { send, visit: openPage } = suite(world, () => send('PUT', '/api/v10/applications/100/commands', commands));

/** @returns {Promise<CommandPermission[]>} all stored overwrites */
async function stored() {
  /** @type {CommandPermissions[]} */
  const sets = await send('GET', '/api/v10/applications/100/guilds/300/commands/permissions');
  return sets.flatMap((s) => s.permissions);
}

/** @param {import('playwright-core').BrowserContextOptions} [options] */
async function visit(query = '', options = {}) {
  page = await openPage(`permissions${query}`, options);
  await page.getByRole('button', { name: '/ban', exact: true }).waitFor();
}

/**
 * cell returns the cell of a command and a target with a state.
 * @param {string} command
 * @param {string} target
 * @param {string} state
 */
const cell = (command, target, state) =>
  page.getByRole('button', { name: `${command} for ${target}: ${state}`, exact: true });

const decision = () => page.locator('.decision .callout');

/** @param {string} name */
const row = (name) => page.locator('tbody tr', { has: page.getByRole('button', { name, exact: true }) });

test('a cell has three states and is saved', async () => {
  await visit();
  await cell('/ping', '@guests', 'default').click();
  await page.getByText('Saved.').waitFor();
  assert.deepEqual(await stored(), [{ id: '302', type: 1, permission: true }]);
  await page.reload();
  await cell('/ping', '@guests', 'allowed').click();
  await cell('/ping', '@guests', 'denied').waitFor();
  await page.getByText('Saved.').waitFor();
  assert.deepEqual(await stored(), [{ id: '302', type: 1, permission: false }]);
  await page.reload();
  await cell('/ping', '@guests', 'denied').click();
  await cell('/ping', '@guests', 'default').waitFor();
  await page.getByText('Saved.').waitFor();
  assert.deepEqual(await stored(), []);
});

test('two quick clicks save only the last state', async () => {
  await visit();
  /** @type {string[]} */
  const bodies = [];
  page.on('request', (r) => {
    if (r.method() === 'PUT') bodies.push(r.postData() ?? '');
  });
  // Timers run in their order, so that the second click comes before the first is saved, also on a busy machine.
  await cell('/ping', '#general', 'default').evaluate((/** @type {HTMLElement} */ button) => {
    button.click();
    setTimeout(() => button.click());
  });
  await page.getByText('Saved.').waitFor();
  assert.deepEqual(bodies, ['{"permissions":[{"id":"310","type":3,"permission":false}]}']);
});

test('people get a column when an overwrite names them, or on request', async () => {
  await visit();
  assert.equal(await page.getByRole('columnheader', { name: 'bob' }).count(), 0);
  await page.getByLabel('Add a person').selectOption({ label: 'bob' });
  // On a busy machine the first click is saved on its own.
  const saved = page.waitForResponse((r) => /"id":"201".*"permission":false/.test(r.request().postData() ?? ''));
  await cell('/ping', 'bob', 'default').dblclick();
  await saved;
  await page.reload();
  await cell('/ping', 'bob', 'denied').waitFor();
});

test('all commands of the app have a row', async () => {
  await visit('?person=201&command=');
  await cell('All commands of Echo', '@everyone', 'default').dblclick();
  await row('/ping').getByText('Denied').waitFor();
  await page.getByRole('button', { name: '/ping', exact: true }).click();
  await decision().getByText('@everyone is denied for all commands of the app.').waitFor();
});

test('the decision of a person follows each change, with its reason and its steps', async () => {
  await visit('?person=201');
  await page.getByRole('button', { name: '/ban', exact: true }).click();
  await decision().getByText('The person lacks BAN_MEMBERS.').waitFor();
  assert.equal(await row('/ban').locator('.badge').innerText(), 'Denied');
  assert.equal(await row('/ping').locator('.badge').innerText(), 'Allowed');
  const steps = page.locator('.decision .steps li');
  assert.match(await steps.last().innerText(), /Default permissions.*denies/s);
  assert.match(await steps.first().innerText(), /Age limit.*passed/s);
  assert.deepEqual(await page.locator('.decision .chip').allInnerTexts(), ['BAN_MEMBERS', 'BAN_MEMBERS']);
  await cell('/ban', '@guests', 'default').click();
  await decision().getByText('Allowed: @guests is allowed for this command.').waitFor();
  assert.match(await steps.last().innerText(), /not reached/);
  assert.match(await steps.filter({ hasText: 'of the command for the person' }).innerText(), /allows/);
  await cell('/ban', '#general', 'default').dblclick();
  await decision().getByText('Denied: the command cannot be used in #general').waitFor();
  await page.getByLabel('Channel', { exact: true }).selectOption({ label: '#quiet' });
  await decision().getByText('Allowed: @guests').waitFor();
  await page.getByLabel('Person', { exact: true }).selectOption({ label: 'ada' });
  await decision().getByText('owns the guild or is an administrator').waitFor();
});

test('commands with the same name have decisions of their own', async () => {
  await visit('?person=201');
  await row('Report').getByText('Denied').waitFor();
  assert.deepEqual(await row('Report').locator('.badge').allInnerTexts(), ['USER', 'Allowed', 'MESSAGE', 'Denied']);
});

test('a refused change names the missing permissions and goes back', async () => {
  await visit();
  await page.getByLabel('Edit as').selectOption({ label: 'bob' });
  await page.getByText('bob cannot edit. Missing permissions: MANAGE_GUILD and MANAGE_ROLES.').waitFor();
  await cell('/ping', '@guests', 'default').click();
  await page.getByRole('alert').waitFor();
  await cell('/ping', '@guests', 'default').waitFor();
  assert.deepEqual(await stored(), []);
});

test('Play says which permission is missing', async () => {
  page = await openPage('play?as=201');
  const input = page.getByRole('textbox', { name: 'Type / to use a command' });
  await input.fill('/say');
  await page.getByRole('option', { name: /^\/say/ }).waitFor();
  await input.press('Enter');
  const list = await send('GET', '/api/v10/applications/100/commands');
  const say = list.find((/** @type {{ name: string }} */ c) => c.name === 'say');
  await send('PATCH', `/api/v10/applications/100/commands/${say.id}`, { default_member_permissions: '4' });
  await page.keyboard.type('hello');
  await page.keyboard.press('Enter');
  await page.locator('.failure').getByText('The person lacks BAN_MEMBERS.').waitFor();
});

test('the keyboard alone is enough', async () => {
  await visit();
  await page.getByLabel('Add a person').focus();
  await page.keyboard.press('Tab');
  assert.equal(
    await page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
    'All commands of Echo for @everyone: default',
  );
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Space');
  await cell('/ping', '@mods', 'allowed').waitFor();
  await page.getByText('Saved.').waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await page.waitForURL(/command=\d+/);
  assert.equal(await page.getByLabel('Command', { exact: true }).locator('option:checked').innerText(), '/ping');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => Boolean(document.activeElement?.closest('.matrix'))), false);
});

test('the filter finds columns', async () => {
  await visit();
  await page.getByLabel('Find a role, channel or person').fill('qui');
  await cell('/ping', '#quiet', 'default').waitFor();
  assert.equal(await page.getByRole('columnheader', { name: '@mods' }).count(), 0);
});

test('the address keeps the person, the channel and the command', async () => {
  await visit();
  await page.getByLabel('Person', { exact: true }).selectOption({ label: 'bob' });
  await page.getByLabel('Channel', { exact: true }).selectOption({ label: '#quiet' });
  await page.getByRole('button', { name: '/ban', exact: true }).click();
  await page.reload();
  await decision().getByText('BAN_MEMBERS').waitFor();
  assert.equal(await page.getByLabel('Channel', { exact: true }).locator('option:checked').innerText(), '#quiet');
});

test('the page says which role outranks which, and which permission is missing', async () => {
  const roles = [
    { id: '303', name: 'helpers', position: 4, permissions: ['KICK_MEMBERS', 'MANAGE_ROLES'] },
    { id: '304', name: 'elders', position: 5, permissions: [] },
  ];
  const members = [{ user: '200' }, { user: '201', roles: ['303'] }, { user: '202', roles: ['304'] }];
  await send('POST', '/_dev/world', { guilds: [{ id: '300', name: 'Lab', owner: '200', roles, members }] });
  await visit();
  const ranks = page.getByRole('region', { name: 'What a member may do to others' });
  const select = (/** @type {string} */ label, /** @type {string} */ choice) =>
    ranks.getByLabel(label, { exact: true }).selectOption({ label: choice });
  const says = (/** @type {string} */ text) => ranks.locator('.callout').getByText(text).waitFor();
  await select('Who acts', 'bob');
  await select('On the member', 'ada');
  await says('Denied: ada owns the guild. The owner is above all members.');
  await select('On the member', 'cleo');
  await says('Denied: @helpers of bob is not above @elders of cleo.');
  assert.deepEqual(await ranks.locator('.ladder .chip').allInnerTexts(), ['@elders', '@helpers']);
  assert.match(await ranks.locator('.steps li').last().innerText(), /higher role.*denies/s);
  await select('Action', 'Ban');
  await says('Denied: bob lacks BAN_MEMBERS.');
  assert.match(await ranks.locator('.steps li').last().innerText(), /not reached/);
  await select('Action', 'Give or take a role');
  await select('Which role', '@elders');
  await says('Denied: @helpers of bob is not above @elders.');
  await page.reload();
  await says('Denied: @helpers of bob is not above @elders.');
  await select('Which role', '@everyone');
  await says('Allowed: @helpers of bob is above @everyone.');
  await select('Who acts', 'ada');
  await says('Allowed: ada owns the guild.');
  await select('Who acts', 'Echo');
  await says('Denied: Echo lacks MANAGE_ROLES.');
});

for (const width of [360, 820, 1440]) {
  test(`the matrix scrolls in its own box at ${width} px`, async () => {
    await visit('?person=201', { viewport: { width, height: 800 } });
    await decision().waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${wide} pixels too wide`);
    const head = page.getByRole('rowheader', { name: '/ping' });
    const before = await head.boundingBox();
    await page.locator('.matrix').evaluate((box) => box.scrollTo(500, 0));
    assert.equal((await head.boundingBox())?.x, before?.x);
    await screenshot(page, `permissions-${width}`);
    assert.deepEqual(await accessible(page), []);
  });
}
