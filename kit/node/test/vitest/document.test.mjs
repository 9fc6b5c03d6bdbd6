// The example of docs/kits.md, with a bot.
import { withBellhop } from 'bellhop-test';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

const bellhop = withBellhop({ beforeAll, afterAll, beforeEach });

test('/roll answers', async () => {
  await startMyBot({ api: bellhop.baseURL, token: bellhop.application().bot_token });
  const { messages } = await bellhop.invoke('bob', 'Lab/general', '/roll sides:6');
  expect(messages[0].content).toMatch(/You rolled a \d/);
});

/**
 * startMyBot registers the commands of a bot and starts it.
 * @param {{ api: string, token?: string | undefined }} settings
 */
async function startMyBot({ api, token }) {
  const { bot, roll } = await import('../bot.js');
  const headers = { Authorization: `Bot ${token}`, 'Content-Type': 'application/json' };
  const self = await (await fetch(`${api}/applications/@me`, { headers })).json();
  await fetch(`${api}/applications/${self.id}/commands`, { method: 'POST', headers, body: JSON.stringify(roll) });
  await bellhop.connect(bot(self.verify_key, (sides) => sides));
}
