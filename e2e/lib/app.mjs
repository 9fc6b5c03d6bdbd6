// An app that receives interactions over HTTP and verifies their signatures.

/** @import { AddressInfo } from 'node:net' */
/** @import { Interaction } from '../../internal/console/types/wire.js' */
import { createPublicKey, verify } from 'node:crypto';
import { createServer } from 'node:http';

/** The bytes before the key in the DER form of an Ed25519 public key. */
const derPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** The answer of an app to everything but a PING. */
const message = { type: 4, data: { content: 'answered over HTTP' } };

/**
 * serve starts an app with the public key of an application. With verifies: false it accepts every signature. The app
 * keeps the token of the last interaction. A test can set its status and its answer.
 * @param {string} key
 */
export async function serve(key, { verifies = true } = {}) {
  const der = Buffer.concat([derPrefix, Buffer.from(key, 'hex')]);
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
  const app = { token: '', status: 200, answer: /** @type {unknown} */ (message) };
  const server = createServer(async (request, response) => {
    const header = (/** @type {string} */ name) => String(request.headers[name] ?? '');
    const body = Buffer.concat(await request.toArray());
    const signed = Buffer.concat([Buffer.from(header('x-signature-timestamp')), body]);
    if (verifies && !verify(null, signed, publicKey, Buffer.from(header('x-signature-ed25519'), 'hex'))) {
      response.writeHead(401).end();
      return;
    }
    /** @type {Interaction & { token: string }} */
    const interaction = JSON.parse(body.toString());
    app.token = interaction.token;
    if (interaction.type !== 1 && app.status !== 200) {
      response.writeHead(app.status).end();
      return;
    }
    const answer = interaction.type === 1 ? { type: 1 } : app.answer;
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(answer));
  });
  await /** @type {Promise<void>} */ (new Promise((resolve) => server.listen(0, '127.0.0.1', resolve)));
  const { port } = /** @type {AddressInfo} */ (server.address());
  return Object.assign(app, {
    url: `http://127.0.0.1:${port}/`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  });
}
