'use strict';

// Starts Bellhop services for tests and controls them. There is no build step: this file is published as it is, and
// index.d.ts declares its types.

/** @import { ChildProcessByStdio } from 'node:child_process' */
/** @import { RequestListener, Server } from 'node:http' */
/** @import { AddressInfo, Socket } from 'node:net' */
/** @import { Readable, Writable } from 'node:stream' */
/** @import { Action, Answer, Application, Bellhop as Declared, Exchange, Fault, Guild } from '.' */
/** @import { Fields, MemberAction, Message, Options, Outcome, Said, Use, User, Wait } from '.' */

const { binaryPath } = require('bellhop');
const { execFile, spawn } = require('node:child_process');
const { mkdtemp, rm, writeFile } = require('node:fs/promises');
const { createServer } = require('node:http');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { createInterface } = require('node:readline');
const { setTimeout: sleep } = require('node:timers/promises');
const { promisify } = require('node:util');
const { press, select, submit } = require('./components.js');

// Node.js before 20.5 does not have the symbol.
/** @type {typeof Symbol.asyncDispose} */
const asyncDispose = /** @type {never} */ (Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose'));

/** An error answer of the service: its status and its body. */
class BellhopError extends Error {
  /**
   * @param {string} method
   * @param {string} path
   * @param {number} status
   * @param {any} body JSON of any shape, or text
   */
  constructor(method, path, status, body) {
    super(`${method} ${path}: ${status} ${typeof body === 'string' ? body : JSON.stringify(body)}`);
    this.name = 'BellhopError';
    this.status = status;
    this.body = body;
    /** @type {number | undefined} */
    this.code = body?.code;
  }
}

/** @typedef {ChildProcessByStdio<Writable, Readable, Readable>} Child */

/**
 * The line that "bellhop dev --json" prints when it is ready.
 * @typedef {object} ReadyLine
 * @property {string} url
 * @property {string} base_url
 * @property {string} gateway_url
 * @property {string} [admin_token]
 * @property {Application[]} applications
 * @property {User[]} users
 * @property {Guild[]} guilds
 */

/** @typedef {{ authorization?: string, body?: unknown, headers?: Record<string, string> }} RequestOptions */

/**
 * A running Bellhop.
 * @implements {Declared}
 */
class Bellhop {
  #child;
  /** @type {Set<Server>} */
  #servers = new Set();
  #folder;
  #binary;
  /** @type {Set<string>} */
  #gaps = new Set();
  #failOnGaps;

  /**
   * @param {Child} child
   * @param {ReadyLine} line
   * @param {{ binary: string, folder?: string, gaps: 'list' | 'fail' }} options the folder is removed by stop
   */
  constructor(child, line, { binary, folder, gaps }) {
    this.#child = child;
    this.#binary = binary;
    this.#folder = folder;
    this.#failOnGaps = gaps === 'fail';
    this.url = line.url;
    this.baseURL = line.base_url;
    this.gatewayURL = line.gateway_url;
    this.adminToken = line.admin_token;
    this.applications = line.applications;
    this.users = line.users;
    this.guilds = line.guilds;
  }

  /**
   * Returns the first application, or the one with an id or a name.
   * @param {string} [which]
   */
  application(which) {
    return find(this.applications, which, (a) => a.name);
  }

  /**
   * Returns the first user, or the one with an id or a username.
   * @param {string} [which]
   */
  user(which) {
    return find(this.users, which, (u) => u.username);
  }

  /**
   * Sends a request and returns the answer, whatever its status is.
   * @param {string} method
   * @param {string} path
   * @param {RequestOptions} [options]
   * @returns {Promise<Answer>}
   */
  async fetch(method, path, { authorization, body, headers } = {}) {
    const response = await fetch(path.startsWith('/_dev/') ? this.url + path : this.baseURL + path, {
      method,
      headers: {
        ...(authorization && { Authorization: authorization }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: response.status, headers: response.headers, body: parse(await response.text()) };
  }

  /**
   * Sends a request with the bot token of an application and returns the body of the answer.
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   * @param {string} [which]
   */
  async bot(method, path, body, which) {
    return this.#call(method, path, { authorization: this.#botToken(which), body });
  }

  /** @param {string} [which] */
  #botToken(which) {
    return `Bot ${this.application(which).bot_token}`;
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {RequestOptions} [options]
   */
  async #call(method, path, options) {
    const answer = await this.fetch(method, path, options);
    if (answer.status >= 400) throw new BellhopError(method, path, answer.status, answer.body);
    return answer.body;
  }

  /**
   * Invokes a command as a user and returns what the app answered.
   * @param {string} as
   * @param {string} where
   * @param {Use} command
   * @param {Wait} [options]
   * @returns {Promise<Outcome>}
   */
  async invoke(as, where, command, { wait } = {}) {
    return this.#call('POST', '/_dev/invoke', { body: { as, in: where, command, wait } });
  }

  /**
   * Returns the choices that the app sends while a user types an option.
   * @param {string} as
   * @param {string} where
   * @param {Use} command
   * @param {string} option
   */
  async autocomplete(as, where, command, option) {
    const body = { as, in: where, command, autocomplete: option };
    /** @type {Outcome} */
    const outcome = await this.#call('POST', '/_dev/invoke', { body });
    return outcome.choices;
  }

  /**
   * Presses a button of an answer, by its label, custom id or emoji.
   * @param {string} as
   * @param {Outcome} outcome
   * @param {string} button
   * @param {Wait} [options]
   * @returns {Promise<Outcome>}
   */
  async press(as, outcome, button, { wait } = {}) {
    return this.#call('POST', '/_dev/invoke', { body: { as, wait, ...press(outcome, button) } });
  }

  /**
   * Selects values in a menu of an answer, by its placeholder or custom id.
   * @param {string} as
   * @param {Outcome} outcome
   * @param {string} menu
   * @param {string[]} values labels or values of options; in menus of users, roles and channels ids
   * @param {Wait} [options]
   * @returns {Promise<Outcome>}
   */
  async select(as, outcome, menu, values, { wait } = {}) {
    return this.#call('POST', '/_dev/invoke', { body: { as, wait, ...select(outcome, menu, values) } });
  }

  /**
   * Submits the form that an answer opened. Fields are named by label or custom id.
   * @param {string} as
   * @param {Outcome} outcome
   * @param {Fields} fields
   * @param {Wait} [options]
   * @returns {Promise<Outcome>}
   */
  async submit(as, outcome, fields, { wait } = {}) {
    return this.#call('POST', '/_dev/invoke', { body: { as, wait, ...submit(outcome, fields) } });
  }

  /**
   * Does what a person does in a channel, and returns the message with what apps sent meanwhile. A text is a new
   * message.
   * @param {string} as
   * @param {string} where
   * @param {string | Action} what
   * @returns {Promise<Said>}
   */
  async say(as, where, what) {
    const { files = [], ...members } = typeof what === 'string' ? { content: what } : what;
    const body = { as, in: where, ...members };
    if (files.length === 0) return this.#call('POST', '/_dev/say', { body });
    const form = new FormData();
    form.set('payload_json', JSON.stringify(body));
    for (const [n, file] of files.entries()) form.set(`files[${n}]`, new Blob([file.content]), file.name);
    const response = await fetch(`${this.url}/_dev/say`, {
      method: 'POST',
      headers: { 'X-Bellhop-Dev': '1' },
      body: form,
    });
    const answer = parse(await response.text());
    if (response.status >= 400) throw new BellhopError('POST', '/_dev/say', response.status, answer);
    return answer;
  }

  /**
   * Does what a person does in a guild, and returns the member.
   * @param {string} as
   * @param {string} guild
   * @param {MemberAction} what
   * @returns {Promise<{ member: any }>}
   */
  async member(as, guild, what) {
    return this.#call('POST', '/_dev/members', { body: { as, guild, ...what } });
  }

  /**
   * Waits until a user sees a message in a channel that matches, and returns it. A message shows its reactions and
   * edits, so this also waits for those.
   * @param {string} as
   * @param {string} where
   * @param {string | ((message: Message) => boolean)} match a text that the message has, or a function
   * @param {{ timeout?: number }} [options] in milliseconds
   * @returns {Promise<Message>}
   */
  async waitFor(as, where, match, { timeout = 10_000 } = {}) {
    const matches = typeof match === 'string' ? (/** @type {Message} */ m) => m.content === match : match;
    const path = `/channels/${this.#channel(where)}/messages?limit=100`;
    const authorization = this.user(as).token;
    for (const end = Date.now() + timeout; ; ) {
      /** @type {Message[]} */
      const seen = await this.#call('GET', path, { authorization });
      const found = seen.find(matches);
      if (found) return found;
      if (Date.now() > end) {
        const texts = seen.map((m) => m.content);
        throw new Error(`no message in ${where} matches after ${timeout} ms; ${as} sees ${JSON.stringify(texts)}`);
      }
      await sleep(20);
    }
  }

  /**
   * Returns the id of a channel that is named as in "Lab/general", or by its id.
   * @param {string} where
   */
  #channel(where) {
    for (const guild of this.guilds) {
      for (const channel of guild.channels) if (`${guild.name}/${channel.name}` === where) return channel.id;
    }
    if (!/^\d+$/.test(where)) throw new Error(`the world has no channel ${where}`);
    return where;
  }

  /** Returns the service's time. */
  async now() {
    return new Date((await this.#call('GET', '/_dev/clock')).now);
  }

  /**
   * Moves the service's clock, by "24h" or by milliseconds. It resolves after the work that became due.
   * @param {string | number} by
   */
  async advance(by) {
    const advance = typeof by === 'number' ? `${by}ms` : by;
    return new Date((await this.#call('POST', '/_dev/clock', { body: { advance } })).now);
  }

  /**
   * Returns an access token without a browser.
   * @param {{ application?: string, user?: string, scopes?: string[] }} [options]
   * @returns {Promise<string>}
   */
  async token({ application, user, scopes } = {}) {
    const body = { application: this.application(application).id, user: user && this.user(user).id, scopes };
    return (await this.#call('POST', '/_dev/token', { body })).access_token;
  }

  /**
   * Returns recorded requests, deliveries and gateway frames, the newest first.
   * @param {Record<string, string>} [filter]
   * @returns {Promise<Exchange[]>}
   */
  async requests(filter = {}) {
    return this.#call('GET', `/_dev/requests?${new URLSearchParams({ limit: '1000', ...filter })}`);
  }

  /**
   * Returns a lobby of an application, or null if there is none.
   * @param {string} id
   * @param {string} [application]
   */
  async lobby(id, application) {
    const path = `/lobbies/${id}`;
    const answer = await this.fetch('GET', path, { authorization: this.#botToken(application) });
    if (answer.status === 404) return null;
    if (answer.status >= 400) throw new BellhopError('GET', path, answer.status, answer.body);
    return answer.body;
  }

  /**
   * Injects a fault.
   * @param {Fault} fault
   */
  async fault(fault) {
    return this.#call('POST', '/_dev/faults', { body: fault });
  }

  /** Removes all faults. */
  async clearFaults() {
    await this.#call('DELETE', '/_dev/faults');
  }

  /** Resets the service to the world that it started with. */
  async reset() {
    await this.#findGaps();
    await this.#call('POST', '/_dev/reset');
  }

  /**
   * Replaces the global commands of an application by those of a JSON or YAML file.
   * @param {string} file
   * @param {string} [application]
   */
  async push(file, application) {
    const { id, bot_token } = this.application(application);
    const flags = ['--yes', '--prune', '--base-url', this.baseURL, '--app', id, '--guild=', file];
    const env = { ...process.env, BELLHOP_TOKEN: bot_token };
    await promisify(execFile)(this.#binary, ['commands', 'push', ...flags], { env });
  }

  /**
   * Serves an app that receives interactions over HTTP, and sets its address as the endpoint of an application. The
   * service checks the endpoint with a PING. Returns the address.
   * @param {RequestListener} listener
   * @param {string} [application]
   */
  async connect(listener, application) {
    const server = createServer(listener);
    await /** @type {Promise<void>} */ (
      new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
    );
    server.unref();
    this.#servers.add(server);
    const { port } = /** @type {AddressInfo} */ (server.address());
    const address = `http://127.0.0.1:${port}`;
    await this.bot('PATCH', '/applications/@me', { interactions_endpoint_url: address }, application);
    return address;
  }

  /** Keeps the operations that were called and that the service does not have. A reset forgets the requests. */
  async #findGaps() {
    for (const { gap } of await this.requests({ kind: 'request', status: '404' })) if (gap) this.#gaps.add(gap);
  }

  /** Prints the gaps once, or fails. */
  #reportGaps() {
    if (this.#gaps.size === 0) return;
    const text = `gaps: Bellhop does not serve ${[...this.#gaps].sort().join(', ')}; see ${this.url}/docs/parity`;
    this.#gaps.clear();
    if (this.#failOnGaps) throw new Error(text);
    console.warn(text);
  }

  /** Stops the service. It prints the operations of Discord that were called and that the service does not have. */
  async stop() {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
    this.#servers.clear();
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      await this.#findGaps().catch(() => {}); // The service may have ended.
      const exited = new Promise((resolve) => this.#child.once('exit', resolve));
      this.#child.ref();
      this.#child.stdin.end();
      await exited;
    }
    if (this.#folder) await rm(this.#folder, { recursive: true, force: true });
    this.#reportGaps();
  }

  async [asyncDispose]() {
    await this.stop();
  }
}

/**
 * Parses JSON, and returns other text as it is.
 * @param {string} text
 */
function parse(text) {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Returns the first record, or the one with an id or a name.
 * @template {{ id: string }} T
 * @param {T[]} list
 * @param {string | undefined} which
 * @param {(record: T) => string} name
 */
function find(list, which, name) {
  const found = which === undefined ? list[0] : list.find((item) => item.id === which || name(item) === which);
  if (!found) throw new Error(`the world has no ${which ?? 'such thing'}`);
  return found;
}

/**
 * Writes a world file into a new folder and returns the folder.
 * @param {string | object} world
 */
async function writeWorld(world) {
  const folder = await mkdtemp(join(tmpdir(), 'bellhop-test-'));
  await writeFile(join(folder, 'world.yaml'), typeof world === 'string' ? world : JSON.stringify(world));
  return folder;
}

/**
 * Returns the first line that the service prints.
 * @param {Child} child
 * @returns {Promise<string>}
 */
async function firstLine(child) {
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log = (log + text).slice(-4000);
  });
  return new Promise((resolve, reject) => {
    child.once('error', (err) =>
      reject(new Error(`bellhop does not start: ${err.message}; set BELLHOP_BINARY to its path`)),
    );
    child.once('exit', (code) => reject(new Error(`bellhop ended with ${code} before it was ready:\n${log}`)));
    createInterface({ input: child.stdout }).once('line', resolve);
  });
}

/**
 * Starts a Bellhop on a port that the system picks. It ends with stop, or with this process.
 * @param {Options} [options]
 */
async function start({ binary = binaryPath(), world, limits = 'off', args = [], gaps = 'list' } = {}) {
  const folder = world === undefined ? undefined : await writeWorld(world);
  const flags = ['dev', '--json', '--listen', '127.0.0.1:0', '--limits', limits, ...args];
  if (folder) flags.push('--world', join(folder, 'world.yaml'));
  const child = spawn(binary, flags, { stdio: ['pipe', 'pipe', 'pipe'] });
  try {
    const line = JSON.parse(await firstLine(child));
    // A test run does not wait for the service.
    const pipes = /** @type {Socket[]} */ ([child.stdin, child.stdout, child.stderr]);
    for (const part of [child, ...pipes]) part.unref();
    child.stdin.on('error', () => {}); // The service may end first.
    return new Bellhop(child, line, { binary, folder, gaps });
  } catch (err) {
    if (folder) await rm(folder, { recursive: true, force: true });
    throw err;
  }
}

/**
 * How long a hook may take, in milliseconds. Jest allows 5 s, in which a busy machine may not start the service.
 * Jest and Vitest take the number as the second argument of a hook. node:test has no limit and ignores it.
 */
const hookTimeout = 60_000;

/** @typedef {(fn: () => Promise<void>, timeout?: any) => unknown} Hook */

/**
 * Starts one Bellhop for the tests of a file and resets it before each test. It takes the hooks of the test framework.
 * Tests and hooks that run later can use the returned object.
 * @param {Partial<Record<'beforeAll' | 'afterAll' | 'before' | 'after' | 'beforeEach', Hook>>} hooks
 * @param {Options} [options]
 */
function withBellhop(hooks, options) {
  const before = hooks.beforeAll ?? hooks.before;
  const after = hooks.afterAll ?? hooks.after;
  if (!(before && after && hooks.beforeEach)) {
    throw new TypeError('withBellhop needs beforeAll, afterAll and beforeEach');
  }
  /** @type {Bellhop | undefined} */
  let running;
  before(async () => {
    running = await start(options);
  }, hookTimeout);
  hooks.beforeEach(async () => {
    await running?.reset();
  }, hookTimeout);
  after(async () => {
    await running?.stop();
  }, hookTimeout);
  return new Proxy(/** @type {Bellhop} */ ({}), {
    get(_, name) {
      if (name === 'then') return undefined; // It is not a promise.
      if (!running) throw new Error('Bellhop runs only while tests do: use it in a test or a hook');
      const value = Reflect.get(running, name, running);
      return typeof value === 'function' ? value.bind(running) : value;
    },
  });
}

module.exports = { start, withBellhop, Bellhop, BellhopError };
