// An app on plain HTTP that checks signatures as apps have to.
import {createServer} from 'node:http';
import {createPublicKey, verify} from 'node:crypto';

const prefix = Buffer.from('302a300506032b6570032100', 'hex'); // of an Ed25519 public key in DER

// serve runs an app with the public key of an application; careless ones take any signature.
export async function serve(key, {careless = false} = {}) {
  const publicKey = createPublicKey({key: Buffer.concat([prefix, Buffer.from(key, 'hex')]), format: 'der', type: 'spki'});
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (d) => parts.push(d));
    request.on('end', () => {
      const body = Buffer.concat(parts);
      const signed = Buffer.concat([Buffer.from(request.headers['x-signature-timestamp'] ?? ''), body]);
      const good = verify(null, signed, publicKey, Buffer.from(request.headers['x-signature-ed25519'] ?? '', 'hex'));
      if (!good && !careless) return response.writeHead(401).end();
      response.setHeader('Content-Type', 'application/json');
      const {type} = JSON.parse(body);
      return response.end(JSON.stringify(type === 1 ? {type: 1} : {type: 4, data: {content: 'by post'}}));
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {url: `http://127.0.0.1:${server.address().port}/`, close: () => new Promise((done) => { server.closeAllConnections(); server.close(done); })};
}
