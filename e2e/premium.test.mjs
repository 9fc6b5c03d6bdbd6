// Premium buttons on the Play page: a person presses one, buys, and the app has the entitlement.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible, screenshot } from './lib/browser.mjs';
import { suite } from './lib/suite.mjs';

const world = `
users: [{id: "200", username: ada}]
applications:
  - id: "100"
    name: Echo
    bot_token: dev-bot-echo
    skus:
      - {id: "50", name: Gold, type: 5}
      - {id: "51", name: Guild Gold, type: 5, flags: 132}
      - {id: "52", name: Hat, type: 2}
guilds:
  - id: "300"
    name: Lab
    channels: [{id: "310", name: general}]
    members: [{user: "200"}]
    installs: [{application: "100", scopes: [bot], permissions: "8"}]
`;

const button = (/** @type {string} */ sku) => ({ type: 2, style: 6, sku_id: sku });
const offer = {
  content: 'Support the app:',
  components: [{ type: 1, components: ['50', '51', '52', '99'].map(button) }],
};

const { send, visit } = suite(world, () => send('POST', '/api/v10/channels/310/messages', offer));

const entitlements = () => send('GET', '/api/v10/applications/100/entitlements');

test('a person buys a subscription with a premium button', async () => {
  const page = await visit('play');
  const gold = page.getByRole('button', { name: 'Gold', exact: true });
  await gold.click();
  const dialog = page.getByRole('dialog', { name: 'Gold' });
  await dialog.getByText('A monthly subscription for you.').waitFor();
  assert.deepEqual(await accessible(page), []);
  await screenshot(page, 'premium-dialog');
  await dialog.getByRole('button', { name: 'Buy' }).click();
  await page.getByText('Bought: Gold').waitFor();
  await dialog.waitFor({ state: 'hidden' });
  assert.deepEqual(
    (await entitlements()).map((/** @type {Record<string, unknown>} */ e) => [e.sku_id, e.user_id, e.type]),
    [['50', '200', 8]],
  );
  await gold.click();
  await page.getByText('You have this already.').waitFor();
  assert.ok(await dialog.getByRole('button', { name: 'Buy' }).isDisabled());
});

test('a subscription for a guild names the guild, and an unknown offer cannot be pressed', async () => {
  const page = await visit('play', { viewport: { width: 390, height: 800 }, colorScheme: 'dark' });
  // Until the offers are known, all buttons have the name Premium.
  await page.getByRole('button', { name: 'Guild Gold' }).click();
  const dialog = page.getByRole('dialog', { name: 'Guild Gold' });
  await dialog.getByText('A monthly subscription for the guild Lab.').waitFor();
  await screenshot(page, 'premium-guild-dark');
  await dialog.getByRole('button', { name: 'Buy' }).click();
  await page.getByText('Bought: Guild Gold').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Premium', exact: true }).isDisabled());
  assert.deepEqual(
    (await entitlements()).map((/** @type {Record<string, unknown>} */ e) => [e.sku_id, e.guild_id]),
    [['51', '300']],
  );
});
