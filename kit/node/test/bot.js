'use strict';

// An app that receives interactions over HTTP and rolls dice. It verifies signatures with node:crypto.

/** @import { IncomingMessage, ServerResponse } from 'node:http' */

const { createPublicKey, verify } = require('node:crypto');

/** @typedef {{ type: number, data?: { options?: { name: string, value: number }[] } }} Interaction */

/** @typedef {(sides: number) => number} Dice */

const roll = {
  name: 'roll',
  description: 'Roll a die',
  options: [{ type: 4, name: 'sides', description: 'How many sides', autocomplete: true }],
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
 * @param {Interaction} interaction
 * @param {Dice} dice
 */
function answer(interaction, dice) {
  if (interaction.type === 1) return { type: 1 };
  if (interaction.type === 4) return { type: 8, data: { choices: [{ name: 'a coin', value: 2 }] } };
  const sides = interaction.data?.options?.find((o) => o.name === 'sides')?.value ?? 6;
  return { type: 4, data: { content: `You rolled a ${dice(sides)} of ${sides}.` } };
}

module.exports = { roll, bot };
