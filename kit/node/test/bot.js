'use strict';

// An app that takes its interactions over HTTP: it rolls dice. It verifies signatures with what Node has.

const { createPublicKey, verify } = require('node:crypto');

const roll = {
  name: 'roll',
  description: 'Roll a die',
  options: [{ type: 4, name: 'sides', description: 'How many sides', autocomplete: true }],
};

// ed25519 is what stands before a raw key of that kind.
const ed25519 = Buffer.from('302a300506032b6570032100', 'hex');

function bot(verifyKey, dice) {
  const key = createPublicKey({ key: Buffer.concat([ed25519, Buffer.from(verifyKey, 'hex')]), format: 'der', type: 'spki' });
  return (request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk)).on('end', () => {
      const body = Buffer.concat(chunks);
      const signed = Buffer.concat([Buffer.from(request.headers['x-signature-timestamp'] ?? ''), body]);
      if (!verify(null, signed, key, Buffer.from(request.headers['x-signature-ed25519'] ?? '', 'hex'))) {
        response.writeHead(401).end();
        return;
      }
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer(JSON.parse(body), dice)));
    });
  };
}

function answer(interaction, dice) {
  if (interaction.type === 1) return { type: 1 };
  if (interaction.type === 4) return { type: 8, data: { choices: [{ name: 'a coin', value: 2 }] } };
  const sides = interaction.data.options?.find((o) => o.name === 'sides')?.value ?? 6;
  return { type: 4, data: { content: `You rolled a ${dice(sides)} of ${sides}.` } };
}

module.exports = { roll, bot };
