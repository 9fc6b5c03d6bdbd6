// The Apps page: the overview of an app, the tree of its commands, and the editor.

import assert from 'node:assert/strict';
/** @import { CheckedPage } from './lib/browser.mjs' */
import { test } from 'node:test';
import { serve } from './lib/app.mjs';
import { accessible, screenshot } from './lib/browser.mjs';
import { suite } from './lib/suite.mjs';

const world = `
users: [{id: "200", username: ada}]
applications:
  - {id: "100", name: Echo, owner: "200", bot_token: dev-bot-echo}
  - {id: "101", name: Other, owner: "200", bot_token: dev-bot-other}
guilds:
  - id: "300"
    name: Lab
    owner: "200"
    channels: [{id: "310", name: general}]
    members: [{user: "200"}]
    installs: [{application: "100", scopes: [bot, applications.commands]}]
`;

const team = {
  name: 'team',
  name_localizations: { de: 'gruppe', fr: 'equipe' },
  description: 'Teams',
  options: [
    {
      type: 2,
      name: 'member',
      description: 'Members',
      options: [
        {
          type: 1,
          name: 'add',
          name_localizations: { de: 'hinzu' },
          description: 'Add one',
          description_localizations: { de: 'Füge jemanden hinzu' },
          options: [{ type: 6, name: 'who', description: 'Whom', required: true }],
        },
      ],
    },
  ],
};

/** @type {CheckedPage} */
let page;

const { send, visit: openPage } = suite(world);

const commands = '/api/v10/applications/100/commands';

/** @param {import('playwright-core').BrowserContextOptions} [options] */
async function visit(query = '', options = {}) {
  page = await openPage(`apps${query}`, options);
  await page.getByRole('heading', { level: 1, name: 'Apps' }).waitFor();
}

/** @param {string} title */
const fact = (title) => page.locator('.fact', { hasText: title });

const dialog = () => page.getByRole('dialog');

/**
 * row returns the line of an option in the editor, which opens its fields.
 * @param {string} name
 */
const row = (name) => {
  const title = page.locator('.option-name', { hasText: new RegExp(`^${name}$`) });
  return dialog().locator('.option-row > summary', { has: title });
};

/**
 * choose searches a long select.
 * @param {import('playwright-core').Locator} select
 * @param {string} name
 */
async function choose(select, name) {
  await select.fill(name);
  await page.locator('[role=listbox]:not([hidden])').getByRole('option', { name }).first().waitFor();
  await select.press('Enter');
}

/** @param {string} name */
const app = (name) => page.getByRole('navigation', { name: 'Applications' }).getByRole('link', { name });

test('the overview shows when an app was seen, and how its interactions ended', async () => {
  await visit();
  await fact('Status').getByText('offline', { exact: true }).waitFor();
  await fact('Last seen').getByText('not since the start').waitFor();
  await fact('Gateway sessions').getByText('0', { exact: true }).waitFor();
  await fact('Last interactions').getByText('No interactions since the start.').waitFor();
  const { verify_key: key } = await send('GET', '/api/v10/applications/@me');
  await fact('Last seen').getByText('now').waitFor();
  const app = await serve(key);
  await send('PATCH', '/api/v10/applications/@me', { interactions_endpoint_url: app.url });
  await send('POST', commands, { name: 'ping', description: 'Answer at once' });
  const invoke = () => send('POST', '/_dev/invoke', { as: 'ada', in: 'Lab/general', command: '/ping' });
  await invoke();
  await invoke();
  await fact('Last interactions').getByText('2 of 2 answered').waitFor();
  await fact('Status').getByText('endpoint', { exact: true }).waitFor();
  await app.close();
  await invoke();
  await fact('Last interactions').getByText('2 of 3 answered').waitFor();
  assert.equal(await page.locator('.strip .answered').count(), 2);
  assert.equal(await page.locator('.strip .failed').count(), 1);
  assert.match((await page.locator('.strip .failed title').textContent()) ?? '', /^command: .*\(\d+ ms\)$/);
  await fact('Status').getByText('endpoint fails').waitFor();
  await screenshot(page, 'apps-overview');
  assert.deepEqual(await accessible(page), []);
});

test('the console’s own requests do not count as the app’s', async () => {
  await visit();
  await page.getByText('No commands yet.').waitFor();
  await page.getByRole('tab', { name: 'Endpoint' }).click();
  await page.locator('form code').waitFor();
  await fact('Last seen').getByText('not since the start').waitFor();
});

test('the day quota is a gauge', async () => {
  await send('POST', commands, { name: 'ping', description: 'Answer at once' });
  await visit();
  await fact('Commands created today').getByText('1 of 200').waitFor();
  const gauge = fact('Commands created today').getByRole('meter', { name: 'Commands created today' });
  assert.equal(await gauge.evaluate((m) => /** @type {HTMLMeterElement} */ (m).value), 1);
  assert.equal(await gauge.evaluate((m) => /** @type {HTMLMeterElement} */ (m).max), 200);
});

test('commands are a tree with types and languages', async () => {
  await send('PUT', commands, [team, { type: 2, name: 'Greet' }]);
  await visit();
  const card = page.locator('.card', { hasText: '/team' });
  const group = card.locator('.tree-list > li', { hasText: 'member' });
  assert.match(await group.locator('> .row').innerText(), /SUB_COMMAND_GROUP/);
  assert.match(await group.locator('> ul > li > .row').innerText(), /add\s*SUB_COMMAND/);
  assert.match(await group.locator('> ul > li > ul > li').innerText(), /who\s*USER\s*Required/);
  const header = card.locator('header');
  for (const badge of ['CHAT_INPUT', 'de', 'fr']) await header.getByText(badge, { exact: true }).waitFor();
  await page.locator('.card', { hasText: 'Greet' }).getByText('USER', { exact: true }).waitFor();
});

test('the editor shows the picker in each language', async () => {
  await send('PUT', commands, [team]);
  await visit();
  await page.getByRole('button', { name: 'Edit team' }).click();
  const preview = dialog().getByRole('region', { name: 'Preview' });
  await preview.getByText('/team member add').waitFor();
  await preview.getByRole('button', { name: 'Deutsch' }).click();
  await preview.getByText('/gruppe member hinzu').waitFor();
  await preview.getByText('Füge jemanden hinzu').waitFor();
  await preview.getByRole('button', { name: 'français' }).click();
  await preview.getByText('/equipe member add').waitFor();
  await dialog().getByLabel('Name', { exact: true }).first().fill('crew');
  await preview.getByRole('button', { name: 'Other languages' }).click();
  await preview.getByText('/crew member add').waitFor();
  await screenshot(page, 'editor-preview');
  assert.deepEqual(await accessible(page), []);
});

test('the form edits translations, with the preview in each language', async () => {
  await send('POST', commands, team);
  await visit();
  await page.getByRole('button', { name: 'Edit team' }).click();
  const preview = dialog().getByRole('region', { name: 'Preview' });
  const translations = dialog().locator('.translations');
  await translations.first().getByText('Translations (2)').click();
  await dialog().getByLabel('Name (français)').fill('');
  await dialog().getByLabel('Description (français)').fill('Les equipes');
  await dialog().getByRole('button', { name: 'Remove Deutsch' }).click();
  await choose(translations.first().getByRole('combobox', { name: 'Add a language' }), '日本語');
  await dialog().getByLabel('Name (日本語)').fill('チーム');
  for (const name of ['member', 'add', 'who']) await row(name).click();
  await translations.nth(3).getByText('Translations (0)').click();
  await choose(translations.nth(3).getByRole('combobox', { name: 'Add a language' }), '日本語');
  await translations.nth(3).getByLabel('Name (日本語)').fill('だれ');
  await preview.getByRole('button', { name: '日本語' }).click();
  await preview.getByText('/チーム member add').waitFor();
  await preview.getByText('だれ').waitFor();
  await dialog().getByText('✓ Valid').waitFor();
  await screenshot(page, 'editor-translations');
  assert.deepEqual(await accessible(page), []);
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().waitFor({ state: 'detached' });
  const [stored] = await send('GET', `${commands}?with_localizations=true`);
  assert.deepEqual(stored.name_localizations, { ja: 'チーム' });
  assert.deepEqual(stored.description_localizations, { fr: 'Les equipes' });
  assert.deepEqual(stored.options[0].options[0].options[0].name_localizations, { ja: 'だれ' });
});

test('a translation without text is no part of the definition', async () => {
  await send('POST', commands, { name: 'ping', description: 'Answer', name_localizations: { de: 'pong' } });
  await visit();
  await page.getByRole('button', { name: 'Edit ping' }).click();
  await dialog().getByText('Translations (1)').click();
  await dialog().getByRole('button', { name: 'Remove Deutsch' }).click();
  await choose(dialog().getByRole('combobox', { name: 'Add a language' }), 'français');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().waitFor({ state: 'detached' });
  const [stored] = await send('GET', `${commands}?with_localizations=true`);
  assert.deepEqual(stored.name_localizations ?? {}, {});
});

test('errors are in words, beside the code', async () => {
  await visit();
  await page.getByRole('button', { name: 'New command' }).click();
  await dialog().getByLabel('Name', { exact: true }).first().fill('Roll');
  const errors = dialog().getByRole('alert');
  await errors.getByText('Names use lowercase letters, digits, - and _.').waitFor();
  await errors.getByText('APPLICATION_COMMAND_INVALID_NAME').waitFor();
  await dialog().getByLabel('JSON').fill('null');
  await dialog().getByText('A definition is a JSON object.').waitFor();
});

test('default permissions have names', async () => {
  await visit();
  await page.getByRole('button', { name: 'New command' }).click();
  await dialog().getByLabel('Name', { exact: true }).first().fill('ban');
  await dialog().getByLabel('Description', { exact: true }).first().fill('Ban a member');
  const json = dialog().getByLabel('JSON');
  await dialog().getByLabel('Default permissions').selectOption('Only administrators');
  assert.match(await json.inputValue(), /"default_member_permissions": "0"/);
  await dialog().getByLabel('Default permissions').selectOption('Members with…');
  await choose(dialog().getByRole('combobox', { name: 'Add a permission' }), 'BAN_MEMBERS');
  await choose(dialog().getByRole('combobox', { name: 'Add a permission' }), 'KICK_MEMBERS');
  assert.match(await json.inputValue(), /"default_member_permissions": "6"/);
  await dialog().getByRole('button', { name: 'Remove KICK_MEMBERS' }).click();
  assert.match(await json.inputValue(), /"default_member_permissions": "4"/);
  assert.deepEqual(await accessible(page), []);
  await dialog().getByLabel('Default permissions').selectOption('Everyone');
  assert.match(await json.inputValue(), /"default_member_permissions": null/);
  await dialog().getByRole('button', { name: 'Save' }).click();
  await page.locator('.card', { hasText: '/ban' }).waitFor();
});

test('a secret is shown once, with a button that copies it', async () => {
  await visit('?tab=secrets');
  const card = page.locator('.card', { hasText: 'Client secret' });
  await card.getByRole('button', { name: 'Replace' }).click();
  const secret = await card.locator('.secret').innerText();
  await card.getByRole('button', { name: 'Copy' }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), secret);
  await page.reload();
  await page.getByRole('tab', { name: 'Tokens', selected: true }).waitFor();
  assert.equal(await page.locator('.secret').count(), 0);
});

test('the list shows the state of each app, and follows it', async () => {
  await visit();
  await app('Echo').getByText('offline').waitFor();
  await app('Other').getByText('offline').waitFor();
  const { verify_key: key } = await send('GET', '/api/v10/applications/@me');
  const endpoint = await serve(key);
  await send('PATCH', '/api/v10/applications/@me', { interactions_endpoint_url: endpoint.url });
  await app('Echo').getByText('endpoint').waitFor();
  await endpoint.close();
});

test('a new app is made with a form, and its token works', async () => {
  await visit();
  await page.getByRole('button', { name: 'New app' }).click();
  await dialog().getByLabel('Name', { exact: true }).fill('Fresh');
  await screenshot(page, 'new-app');
  assert.deepEqual(await accessible(page), []);
  await dialog().getByRole('button', { name: 'Create' }).click();
  const lines = await dialog().locator('pre').innerText();
  const [, id, token] = /_APPLICATION_ID=(\d+)\n.*_BOT_TOKEN=(\S+)/.exec(lines) ?? [];
  const answer = await fetch(`${new URL(page.url()).origin}/api/v10/applications/@me`, {
    headers: { Authorization: `Bot ${token}` },
  });
  assert.equal((await answer.json()).id, id);
  await dialog().getByRole('button', { name: 'Done' }).click();
  assert.equal(await app('Fresh').getAttribute('aria-current'), 'page');
  await page.getByRole('tab', { name: 'Installs' }).click();
  await page.locator('.card', { hasText: 'Lab' }).waitFor();
  await page.getByRole('tab', { name: 'Tokens' }).click();
  await page.getByRole('button', { name: 'Copy the token' }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), token);
});

test('the token of the world can be copied, until it is replaced', async () => {
  await visit('?tab=secrets');
  await page.getByRole('button', { name: 'Copy the token' }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'dev-bot-echo');
  await page.getByRole('button', { name: 'Copy as variables' }).click();
  const lines = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(lines, /^export BELLHOP_BOT_TOKEN=dev-bot-echo$/m);
  assert.deepEqual(await accessible(page), []);
  await page.locator('.card', { hasText: 'Bot token' }).getByRole('button', { name: 'Replace' }).click();
  await page.locator('.secret').waitFor();
  await page.reload();
  await page.getByText('The page does not know the token.').waitFor();
});

test('privileged intents are switched', async () => {
  await visit('?tab=intents');
  const withContent = async () => {
    const world = await (await fetch(`${new URL(page.url()).origin}/_dev/world`)).text();
    return world.split('MESSAGE_CONTENT').length - 1;
  };
  const content = page.getByRole('switch', { name: 'Content of messages' });
  assert.ok(await content.isChecked());
  await content.uncheck();
  await page.getByText('Saved.').waitFor();
  await page.reload();
  await content.waitFor();
  assert.ok(!(await content.isChecked()));
  assert.ok(await page.getByRole('switch', { name: 'Members of guilds' }).isChecked());
  assert.equal(await withContent(), 1, 'only the other app has the intent');
  assert.deepEqual(await accessible(page), []);
  await content.check();
  await page.getByText('Saved.').last().waitFor();
  assert.equal(await withContent(), 2);
});

test('options are rows that open, move and keep their state', async () => {
  const option = (/** @type {string} */ name) => ({ type: 3, name, description: `The ${name}` });
  await send('PUT', commands, [{ name: 'mix', description: 'Mix', options: [option('first'), option('second')] }]);
  await visit();
  await page.getByRole('button', { name: 'Edit mix' }).click();
  assert.equal(await dialog().getByLabel('Shortest length').count(), 0);
  await row('second').click();
  const bounds = dialog().locator('.bounds input');
  const [low, high] = [await bounds.nth(0).boundingBox(), await bounds.nth(1).boundingBox()];
  assert.equal(low?.y, high?.y, 'the bounds are on one line');
  const [field, form] = [
    await dialog().getByLabel('Description', { exact: true }).first().boundingBox(),
    await dialog().locator('.definition').boundingBox(),
  ];
  assert.ok((field?.width ?? 0) > 0.95 * (form?.width ?? 1), 'the description has the whole width');
  await dialog().getByRole('button', { name: 'Move up' }).click();
  assert.match(await dialog().locator('.option-row').first().innerText(), /second/);
  assert.equal(await dialog().getByLabel('Shortest length').count(), 1);
  await dialog().getByRole('button', { name: 'Remove option second' }).click();
  assert.equal(await dialog().getByLabel('Shortest length').count(), 0);
  await dialog().getByRole('button', { name: '+ option' }).click();
  await dialog().getByLabel('Name', { exact: true }).nth(1).fill('Bad Name');
  await dialog().locator('.option-row.wrong').getByText('wrong').waitFor();
  await screenshot(page, 'option-rows');
  assert.deepEqual(await accessible(page), []);
});

test('the address keeps the app and the tab', async () => {
  await visit();
  await app('Other').click();
  await page.getByRole('heading', { level: 2, name: 'Other' }).waitFor();
  await page.getByRole('tab', { name: 'Installs' }).click();
  await page.waitForURL(/#\/apps\?app=101&tab=installs$/);
  await page.reload();
  await page.getByRole('tab', { name: 'Installs', selected: true }).waitFor();
  assert.equal(await app('Other').getAttribute('aria-current'), 'page');
});

for (const width of [360, 820]) {
  test(`the page fits at ${width} px`, async () => {
    await send('PUT', commands, [team]);
    await visit('', { viewport: { width, height: 800 } });
    await page.locator('.card', { hasText: '/team' }).waitFor();
    await page.getByRole('button', { name: 'Edit team' }).click();
    await dialog().getByText('✓ Valid').waitFor();
    await screenshot(page, `editor-${width}`);
    assert.deepEqual(await accessible(page), []);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${wide} pixels too wide`);
    const dialogWide = await dialog().evaluate((d) => d.scrollWidth - d.clientWidth);
    assert.ok(dialogWide <= 0, `the dialog is ${dialogWide} pixels too wide`);
  });
}
