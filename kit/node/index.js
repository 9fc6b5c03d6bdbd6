'use strict';

// Starts a Bellhop for tests, and gives them hands on it. There is no build step: this file is what is published.

const { spawn } = require('node:child_process');
const { createInterface } = require('node:readline');
const { createServer } = require('node:http');
const { mkdtemp, rm, writeFile } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

/** What the service refused: its status, and what it said. */
class BellhopError extends Error {
  constructor(method, path, status, body) {
    super(`${method} ${path}: ${status} ${typeof body === 'string' ? body : JSON.stringify(body)}`);
    this.name = 'BellhopError';
    this.status = status;
    this.body = body;
    this.code = body && body.code;
  }
}

/** A running Bellhop. */
class Bellhop {
  #child;
  #servers = new Set();
  #folder;

  constructor(child, line, folder) {
    this.#child = child;
    this.#folder = folder;
    this.url = line.url;
    this.baseURL = line.base_url;
    this.gatewayURL = line.gateway_url;
    this.adminToken = line.admin_token;
    this.applications = line.applications;
    this.users = line.users;
    this.guilds = line.guilds;
  }

  /** The first application, or the one with an id or a name. */
  application(which) {
    return pick(this.applications, which, 'name');
  }

  /** The first user, or the one with an id or a username. */
  user(which) {
    return pick(this.users, which, 'username');
  }

  /** Makes a call and returns the answer's status, headers and body, whatever they are. */
  async fetch(method, path, { authorization, body, headers } = {}) {
    const answer = await fetch(path.startsWith('/_dev/') ? this.url + path : this.baseURL + path, {
      method,
      headers: {
        ...(authorization && { Authorization: authorization }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    let read = text;
    try {
      read = text === '' ? undefined : JSON.parse(text);
    } catch {
      // not JSON: the text stands for itself
    }
    return { status: answer.status, headers: answer.headers, body: read };
  }

  /** Makes a call in an application's name and returns the body of its answer. */
  async bot(method, path, body, which) {
    return this.#call(method, path, { authorization: `Bot ${this.application(which).bot_token}`, body });
  }

  async #call(method, path, options) {
    const answer = await this.fetch(method, path, options);
    if (answer.status >= 400) throw new BellhopError(method, path, answer.status, answer.body);
    return answer.body;
  }

  /** Lets a person use a command and returns what the app answered. */
  async invoke(as, where, command, { wait } = {}) {
    return this.#call('POST', '/_dev/invoke', { body: { as, in: where, command, wait } });
  }

  /** Returns what the app suggests while an option is typed. */
  async autocomplete(as, where, command, option) {
    const outcome = await this.#call('POST', '/_dev/invoke', { body: { as, in: where, command, autocomplete: option } });
    return outcome.choices;
  }

  /** Returns the service's time. */
  async now() {
    return new Date((await this.#call('GET', '/_dev/clock')).now);
  }

  /** Moves the service's clock, by "24h" or by milliseconds. What falls due has happened when it resolves. */
  async advance(by) {
    const advance = typeof by === 'number' ? `${by}ms` : by;
    return new Date((await this.#call('POST', '/_dev/clock', { body: { advance } })).now);
  }

  /** Returns an access token without a browser. */
  async token({ application, user, scopes } = {}) {
    const body = { application: this.application(application).id, user: user && this.user(user).id, scopes };
    return (await this.#call('POST', '/_dev/token', { body })).access_token;
  }

  /** Returns what apps and people sent and received, the newest first. */
  async requests(filter = {}) {
    return this.#call('GET', `/_dev/requests?${new URLSearchParams({ limit: '1000', ...filter })}`);
  }

  /** Returns a lobby of an application, or null when there is none. */
  async lobby(id, application) {
    const answer = await this.fetch('GET', `/lobbies/${id}`, { authorization: `Bot ${this.application(application).bot_token}` });
    if (answer.status === 404) return null;
    if (answer.status >= 400) throw new BellhopError('GET', `/lobbies/${id}`, answer.status, answer.body);
    return answer.body;
  }

  /** Makes the service misbehave. */
  async fault(fault) {
    return this.#call('POST', '/_dev/faults', { body: fault });
  }

  /** Ends all misbehaviour. */
  async clearFaults() {
    await this.#call('DELETE', '/_dev/faults');
  }

  /** Goes back to the world that the service started with. */
  async reset() {
    await this.#call('POST', '/_dev/reset');
  }

  /**
   * Serves an app that takes its interactions over HTTP and tells the service its address, which tries it with a PING.
   * Returns the address.
   */
  async connect(listener, application) {
    const server = createServer(listener);
    await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
    server.unref();
    this.#servers.add(server);
    const address = `http://127.0.0.1:${server.address().port}`;
    await this.bot('PATCH', '/applications/@me', { interactions_endpoint_url: address }, application);
    return address;
  }

  /** Ends the service. */
  async stop() {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
    this.#servers.clear();
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = new Promise((resolve) => this.#child.once('exit', resolve));
      this.#child.ref();
      this.#child.stdin.end();
      await ended;
    }
    if (this.#folder) await rm(this.#folder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
    await this.stop();
  }
}

function pick(list, which, name) {
  const found = which === undefined ? list[0] : list.find((item) => item.id === which || item[name] === which);
  if (!found) throw new Error(`the world has no ${which ?? 'such thing'}`);
  return found;
}

/** Starts a Bellhop on a port that the system picks. It ends with stop, or with this process. */
async function start({ binary = process.env.BELLHOP_BINARY ?? 'bellhop', world, limits = 'off', args = [] } = {}) {
  let folder;
  const flags = ['dev', '--json', '--listen', '127.0.0.1:0', '--limits', limits, ...args];
  if (world !== undefined) {
    folder = await mkdtemp(join(tmpdir(), 'bellhop-test-'));
    const file = join(folder, 'world.yaml');
    await writeFile(file, typeof world === 'string' ? world : JSON.stringify(world));
    flags.push('--world', file);
  }
  const child = spawn(binary, flags, { stdio: ['pipe', 'pipe', 'pipe'] });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaint = (complaint + text).slice(-4000);
  });
  const line = await new Promise((resolve, reject) => {
    child.once('error', (err) => reject(new Error(`bellhop does not start: ${err.message}; set BELLHOP_BINARY to its path`)));
    child.once('exit', (code) => reject(new Error(`bellhop ended with ${code} before it was ready:\n${complaint}`)));
    createInterface({ input: child.stdout }).once('line', resolve);
  }).catch(async (err) => {
    if (folder) await rm(folder, { recursive: true, force: true });
    throw err;
  });
  for (const part of [child, child.stdin, child.stdout, child.stderr]) part.unref(); // a test run does not wait for it
  child.stdin.on('error', () => {}); // the service may end first
  return new Bellhop(child, JSON.parse(line), folder);
}

/**
 * Starts one Bellhop for the tests of a file and resets it before each: give it the hooks of your test framework. What it
 * returns can be used in tests and hooks that run after.
 */
function withBellhop(hooks, options) {
  const before = hooks.beforeAll ?? hooks.before;
  const after = hooks.afterAll ?? hooks.after;
  if (!before || !after || !hooks.beforeEach) throw new TypeError('withBellhop needs beforeAll, afterAll and beforeEach');
  let running;
  before(async () => {
    running = await start(options);
  });
  hooks.beforeEach(async () => {
    await running.reset();
  });
  after(async () => {
    await running?.stop();
  });
  return new Proxy(
    {},
    {
      get(_, name) {
        if (name === 'then') return undefined; // nothing to wait for
        if (!running) throw new Error('Bellhop runs only while tests do: use it in a test or a hook');
        const value = running[name];
        return typeof value === 'function' ? value.bind(running) : value;
      },
    },
  );
}

module.exports = { start, withBellhop, Bellhop, BellhopError };
