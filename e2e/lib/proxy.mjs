// A web server that has a game at /game/ and the service below /play/.

/** @import { AddressInfo } from 'node:net' */
/** @import { IncomingMessage } from 'node:http' */
import { request as ask, createServer } from 'node:http';
import { connect } from 'node:net';

const path = '/play';

/**
 * A running proxy. origin is its URL, base that of the service, and outside has the requests that were for neither the
 * service nor the game.
 * @typedef {object} Proxy
 * @property {string} origin
 * @property {string} base
 * @property {string[]} outside
 * @property {(service: string) => void} passTo sets the URL of the service
 * @property {() => Promise<unknown>} close
 */

/**
 * listen starts a proxy that removes the path from requests or leaves it.
 * @param {{ strip: boolean }} options
 * @returns {Promise<Proxy>}
 */
export async function listen({ strip }) {
  /** @type {string[]} */
  const outside = [];
  let { hostname, port } = new URL('http://127.0.0.1:1');
  const isOwn = (/** @type {IncomingMessage} */ { url = '' }) => url.startsWith(`${path}/`);
  const target = (/** @type {IncomingMessage} */ { url = '' }) => (strip ? url.slice(path.length) : url);

  const server = createServer((request, response) => {
    if (request.url?.startsWith('/game/')) {
      response.end('You are back in the game.');
    } else if (isOwn(request)) {
      const { method, headers } = request;
      const passed = ask({ hostname, port, path: target(request), method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      passed.on('error', () => response.destroy());
      request.pipe(passed);
    } else {
      outside.push(`${request.method} ${request.url}`);
      response.writeHead(404).end();
    }
  });
  server.on('upgrade', (request, socket, head) => {
    if (!isOwn(request)) {
      outside.push(`upgrade ${request.url}`);
      socket.destroy();
      return;
    }
    const passed = connect(Number(port), hostname, () => {
      const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}\r\n`);
      passed.write(`${request.method} ${target(request)} HTTP/1.1\r\n${headers.join('')}\r\n`);
      passed.write(head);
      passed.pipe(socket).pipe(passed);
    });
    passed.on('error', () => socket.destroy());
    socket.on('error', () => passed.destroy());
  });
  await /** @type {Promise<void>} */ (new Promise((resolve) => server.listen(0, '127.0.0.1', resolve)));
  const origin = `http://127.0.0.1:${/** @type {AddressInfo} */ (server.address()).port}`;
  return {
    origin,
    base: origin + path,
    outside,
    passTo: (service) => {
      ({ hostname, port } = new URL(service));
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
