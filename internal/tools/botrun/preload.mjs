// Loaded by Node.js before a bot. Sends TLS connections to port 443 of another machine to the front of "bellhop run", which has a
// certificate for each host. All clients of Node.js open their connections with tls.connect: fetch, undici, https and ws.
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import tls from 'node:tls';

const port = Number(process.env.BELLHOP_RUN_PORT);
const connect = tls.connect;

/** Whether a host is this machine. */
function isLocal(host) {
  return !host || host === 'localhost' || host === '::1' || (net.isIPv4(host) && host.startsWith('127.'));
}

tls.connect = function (...args) {
  const callback = typeof args.at(-1) === 'function' ? args.pop() : undefined;
  const options = typeof args[0] === 'object' ? { ...args[0] } : { ...args.find((a) => a && typeof a === 'object') };
  if (typeof args[0] !== 'object') {
    options.port = Number(args[0]);
    if (typeof args[1] === 'string') options.host = args[1];
  }
  const host = options.host ?? options.hostname;
  if (port && Number(options.port) === 443 && !options.socket && !options.path) {
    // A client that supports only TLS ignores the port in the address of the gateway, which is on this machine.
    options.servername = isLocal(host) ? 'gateway.discord.gg' : options.servername || host;
    options.host = '127.0.0.1';
    options.port = port;
    delete options.lookup;
  }
  return connect.call(this, options, callback);
};
syncBuiltinESMExports();
