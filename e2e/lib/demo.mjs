// Content for the pages, made with the demo app and the demo world.

/** @import { CheckedPage } from './browser.mjs' */
/** @import { Application } from '../../internal/console/types/wire.js' */
/** @import { Service } from './service.mjs' */
import { type } from './minute.mjs';

/**
 * converse uses a few commands of the demo app on the Play page, which must be open.
 * @param {CheckedPage} page
 */
export async function converse(page) {
  await page.getByText('Connected').waitFor();
  await type(page, 'bell');
  await page.getByRole('button', { name: 'Ring' }).click();
  await page.locator('.message', { hasText: 'The bell rang once.' }).waitFor();
  await type(page, 'keys');
  await page.locator('.message', { hasText: 'Which keys do you need' }).waitFor();
}

/**
 * openLobby makes a lobby with two members of the demo world.
 * @param {Service} service
 */
export async function openLobby({ origin, output }) {
  const [, token] = /BELLHOP_BOT_TOKEN=(?:\\\n)?(\S+)/.exec(output()) ?? [];
  const members = [
    { id: '1100000000000000200', metadata: { team: 'red' } },
    { id: '1100000000000000201', metadata: { team: 'blue' } },
  ];
  const answer = await fetch(`${origin}/api/v10/lobbies`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bot ${token}` },
    body: JSON.stringify({ metadata: { map: 'harbour', mode: 'ranked' }, members, idle_timeout_seconds: 600 }),
  });
  if (!answer.ok) throw new Error(`the lobby was refused: ${answer.status} ${await answer.text()}`);
}

/**
 * demoApp returns the part of an address that selects the demo app.
 * @param {string} origin
 */
export async function demoApp(origin) {
  /** @type {Application[]} */
  const applications = await (await fetch(`${origin}/_dev/applications`)).json();
  const demo = applications.find((a) => a.status?.state !== 'offline');
  if (!demo) throw new Error('the demo app is offline');
  return `?app=${demo.id}`;
}
