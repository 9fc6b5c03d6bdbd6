/** @import { Json, Outcome } from '../index.js' */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { withBellhop } from '../index.js';
import { bot, feedback, roll } from './bot.js';

const bellhop = withBellhop({ before, after, beforeEach });
const commands = () => `/applications/${bellhop.application().id}/commands`;

/** @param {Outcome} outcome */
const text = (outcome) => outcome.messages[0].content;

test('buttons, select menus and forms', async () => {
  await bellhop.bot('PUT', commands(), [roll, feedback]);
  const { verify_key } = await bellhop.bot('GET', '/applications/@me');
  await bellhop.connect(bot(verify_key, (sides) => sides));
  const rolled = await bellhop.invoke('bob', 'Lab/general', '/roll');
  assert.equal(text(await bellhop.press('bob', rolled, 'Again')), 'You rolled again.');
  assert.equal(text(await bellhop.select('bob', rolled, 'Colour', ['Red', 'b'])), 'Colours: r b');
  const form = await bellhop.invoke('bob', 'Lab/general', '/feedback');
  assert.equal(text(await bellhop.submit('bob', form, { 'Your words': 'nice' })), 'You said: nice');
  await assert.rejects(bellhop.press('bob', rolled, 'Colour'), /no button "Colour"/);
  await assert.rejects(bellhop.select('bob', rolled, 'Again', []), /no select menu "Again"/);
  await assert.rejects(bellhop.submit('bob', rolled, {}), /opened no form/);
  await assert.rejects(bellhop.submit('bob', form, { age: '7' }), /no field "age"/);
});

test('a file of commands', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bellhop-push-'));
  try {
    const file = join(folder, 'commands.json');
    await bellhop.bot('PUT', commands(), [roll]);
    await writeFile(file, JSON.stringify([feedback]));
    await bellhop.push(file);
    /** @type {Json[]} */
    const registered = await bellhop.bot('GET', commands());
    assert.deepEqual(
      registered.map(({ name }) => name),
      ['feedback'],
    );
    await writeFile(file, '[{"name": "UPPER", "description": "x"}]');
    await assert.rejects(bellhop.push(file), /name/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
