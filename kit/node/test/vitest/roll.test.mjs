import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { withBellhop } from '../../index.js';
import { bot, roll } from '../bot.js';

const bellhop = withBellhop({ beforeAll, afterAll, beforeEach });

test('a command is answered', async () => {
  await bellhop.bot('PUT', `/applications/${bellhop.application().id}/commands`, [roll]);
  const { verify_key } = await bellhop.bot('GET', '/applications/@me');
  await bellhop.connect(bot(verify_key, (sides) => sides));
  const { messages } = await bellhop.invoke('bob', 'Lab/general', '/roll');
  expect(messages[0].content).toBe('You rolled a 6 of 6.');
});
