'use strict';

// An app that receives interactions over HTTP and rolls dice. It verifies signatures with node:crypto.

/** @import { IncomingMessage, ServerResponse } from 'node:http' */

const { createPublicKey, verify } = require('node:crypto');

/** @import { Json } from '..' */

/** @typedef {(sides: number) => number} Dice */

const roll = {
  name: 'roll',
  description: 'Roll a die',
  options: [{ type: 4, name: 'sides', description: 'How many sides', autocomplete: true }],
};

const feedback = { name: 'feedback', description: 'Tell us how it was' };

/** The components of each answer: a button and a select menu. */
const components = [
  { type: 1, components: [{ type: 2, style: 1, label: 'Again', custom_id: 'again' }] },
  {
    type: 1,
    components: [
      {
        type: 3,
        custom_id: 'colour',
        placeholder: 'Colour',
        max_values: 2,
        options: [
          { label: 'Red', value: 'r' },
          { label: 'Blue', value: 'b' },
        ],
      },
    ],
  },
];

const form = {
  custom_id: 'form',
  title: 'How was it?',
  components: [{ type: 18, label: 'Your words', component: { type: 4, custom_id: 'words', style: 1 } }],
};

/** The bytes before the key in the DER form of an Ed25519 public key. */
const derPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * bot returns a request listener that verifies signatures with the public key of an application.
 * @param {string} verifyKey
 * @param {Dice} dice
 */
function bot(verifyKey, dice) {
  const der = Buffer.concat([derPrefix, Buffer.from(verifyKey, 'hex')]);
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  return async (/** @type {IncomingMessage} */ request, /** @type {ServerResponse} */ response) => {
    const header = (/** @type {string} */ name) => String(request.headers[name] ?? '');
    const body = Buffer.concat(await request.toArray());
    const signed = Buffer.concat([Buffer.from(header('x-signature-timestamp')), body]);
    if (!verify(null, signed, key, Buffer.from(header('x-signature-ed25519'), 'hex'))) {
      response.writeHead(401).end();
      return;
    }
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(answer(JSON.parse(body.toString()), dice)));
  };
}

/**
 * @param {Json} interaction
 * @param {Dice} dice
 */
function answer({ type, data }, dice) {
  if (type === 1) return { type: 1 };
  if (type === 4) return { type: 8, data: { choices: [{ name: 'a coin', value: 2 }] } };
  if (type === 5) return say(`You said: ${data.components[0].component.value}`);
  if (data.custom_id === 'again') return { type: 7, data: { content: 'You rolled again.' } };
  if (data.custom_id === 'colour') return say(`Colours: ${data.values.join(' ')}`);
  if (data.name === 'feedback') return { type: 9, data: form };
  const sides = data.options?.find((/** @type {Json} */ o) => o.name === 'sides')?.value ?? 6;
  return { type: 4, data: { content: `You rolled a ${dice(sides)} of ${sides}.`, components } };
}

/** @param {string} content */
const say = (content) => ({ type: 4, data: { content } });

module.exports = { roll, feedback, bot };
