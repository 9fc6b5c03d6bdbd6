// Requests to the service, and the clients that send them: for the operator, for users and for applications.

/** @import { Application, CurrentUser, ErrorBody, ErrorTree, Pass } from '../types/wire.js' */
/** @import { Settings, User, WorldGuild } from '../types/wire.js' */
import { serviceURL } from './base.js';
import { t } from './text.js';

export const api = '/api/v10';

/** @typedef {{ path: string, code: string, message: string }} FieldError */

/** APIError is an error answer of the service. */
export class APIError extends Error {
  /**
   * @param {number} status
   * @param {ErrorBody} [body]
   */
  constructor(status, body) {
    super(body?.message || t.failed(status));
    this.status = status;
    this.code = body?.code;
    this.body = body;
    this.fieldErrors = flattenErrors(body?.errors);
  }
}

/**
 * flattenErrors converts a tree of errors into a list with the path of each error.
 * @param {ErrorTree} [tree]
 * @returns {FieldError[]}
 */
function flattenErrors(tree, path = '') {
  return Object.entries(tree ?? {}).flatMap(([key, value]) => {
    if (Array.isArray(value)) return value.map(({ code, message }) => ({ path, code, message }));
    return flattenErrors(value, path ? `${path}.${key}` : key);
  });
}

/**
 * readAnswer returns the body of an answer: parsed if it is JSON, otherwise as text. Error answers throw an APIError.
 * The type of the body is the one that the caller expects; nothing checks it.
 * @template T
 * @param {Response} response
 * @returns {Promise<T>}
 */
async function readAnswer(response) {
  if (response.status === 204) return /** @type {T} */ (null);
  const text = await response.text();
  const isJSON = response.headers.get('Content-Type')?.startsWith('application/json');
  if (!response.ok) throw new APIError(response.status, isJSON ? JSON.parse(text) : { message: text });
  return isJSON ? JSON.parse(text) : /** @type {T} */ (text);
}

/**
 * requestInit returns the arguments of fetch. Bodies other than strings and forms are sent as JSON.
 * @param {string} method
 * @param {unknown} body
 * @param {Record<string, string>} headers
 * @returns {RequestInit}
 */
function requestInit(method, body, headers) {
  if (body === undefined) return { method, headers };
  if (body instanceof FormData) return { method, headers, body };
  return {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

/**
 * request sends a request without a token.
 * @template T
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<T>}
 */
export async function request(method, path, body) {
  return readAnswer(await fetch(serviceURL(path), requestInit(method, body, {})));
}

/** @param {number} seconds */
const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Client sends requests with a token. It gets the token at the first request, and a new one after a 401 answer. */
export class Client {
  /**
   * Headers of every request.
   * @type {Record<string, string>}
   */
  headers = {};
  #fetchToken;
  /** @type {Promise<string> | undefined} */
  #token;

  /**
   * @param {() => Promise<string>} fetchToken returns the value of the Authorization header, or an empty text if a
   * cookie authenticates the client
   */
  constructor(fetchToken) {
    this.#fetchToken = fetchToken;
  }

  /** authorization returns the value of the Authorization header. */
  authorization() {
    this.#token ??= this.#fetchToken().catch((error) => {
      this.#token = undefined;
      throw error;
    });
    return this.#token;
  }

  forgetToken() {
    this.#token = undefined;
  }

  /**
   * request sends a request. It repeats it once with a new token after status 401, and up to three times after status
   * 429, after the time that the service asks for.
   * @template T
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   * @param {Record<string, string>} [headers]
   * @returns {Promise<T>}
   */
  async request(method, path, body, headers = {}) {
    for (let attempt = 0; ; attempt++) {
      const authorization = await this.authorization();
      const all = { ...this.headers, ...headers, ...(authorization && { Authorization: authorization }) };
      const response = await fetch(serviceURL(path), { ...requestInit(method, body, all), redirect: 'error' });
      if (response.status === 401 && attempt === 0) {
        this.forgetToken();
        continue;
      }
      if (response.status === 429 && attempt < 3) {
        await sleep(Number(response.headers.get('Retry-After') ?? 1));
        continue;
      }
      return readAnswer(response);
    }
  }

  /**
   * @template T
   * @param {string} path
   * @returns {Promise<T>}
   */
  get(path) {
    return this.request('GET', path);
  }

  /**
   * @template T
   * @param {string} path
   * @param {unknown} [body]
   * @returns {Promise<T>}
   */
  post(path, body) {
    return this.request('POST', path, body);
  }

  /**
   * @template T
   * @param {string} path
   * @param {unknown} body
   * @returns {Promise<T>}
   */
  put(path, body) {
    return this.request('PUT', path, body);
  }

  /**
   * @template T
   * @param {string} path
   * @param {unknown} body
   * @returns {Promise<T>}
   */
  patch(path, body) {
    return this.request('PATCH', path, body);
  }

  /** @param {string} path */
  delete(path) {
    return this.request('DELETE', path);
  }
}

/** @param {Pass} pass */
const authorizationOf = (pass) => (pass.token_type ? `${pass.token_type} ${pass.token}` : pass.token);

/**
 * operatorToken returns the operator's token in dev mode. Otherwise a cookie authenticates the operator, which scripts
 * cannot read.
 * @param {Settings} settings
 */
async function operatorToken(settings) {
  return settings.dev ? authorizationOf(await request('POST', '/_dev/console')) : '';
}

/**
 * beginOperatorSession exchanges the operator's token for a cookie.
 * @param {string} token
 */
export async function beginOperatorSession(token) {
  await new Client(async () => `Bearer ${token}`).post('/admin/v1/session');
}

/**
 * Clients are the clients of an operator: one for the operator, and one for each user and application, with passes that
 * the operator issues. The service gives the operator's token to anyone in dev mode; otherwise a cookie authenticates
 * the operator.
 */
export class Clients {
  /**
   * The user who signed in with an account. null: the operator signed in.
   * @type {CurrentUser | null}
   */
  account = null;
  /** @type {Map<string, Client>} */
  #users = new Map();
  /** @type {Map<string, Client>} */
  #apps = new Map();

  /** @param {Settings} settings */
  constructor(settings) {
    this.settings = settings;
    this.operator = new Client(() => operatorToken(settings));
  }

  /**
   * resume returns the clients of the operator who signed in at this browser, or null.
   * @param {Settings} settings
   */
  static async resume(settings) {
    try {
      if (!settings.dev) await request('GET', '/admin/v1/session');
    } catch (error) {
      if (error instanceof APIError && error.status === 401) return null;
      throw error;
    }
    return new Clients(settings);
  }

  /**
   * user returns the client of a user.
   * @param {string} id
   */
  user(id) {
    return cached(this.#users, id, () => this.#withPass(`/admin/v1/users/${id}/passes`));
  }

  /**
   * app returns the client of an application's bot.
   * @param {string} id
   */
  app(id) {
    return cached(this.#apps, id, () => this.#withPass(`/admin/v1/applications/${id}/passes`, {}));
  }

  /**
   * appForUser returns the client of an application that acts for a user.
   * @param {string} id
   * @param {string} user
   * @param {string[]} scopes
   */
  appForUser(id, user, scopes) {
    return this.#withPass(`/admin/v1/applications/${id}/passes`, { user, scopes });
  }

  /**
   * @param {string} path
   * @param {unknown} [body]
   */
  #withPass(path, body) {
    return new Client(async () => authorizationOf(await this.operator.post(path, body)));
  }

  /** @returns {Promise<User[]>} */
  users() {
    return this.#list('/users');
  }

  /** @returns {Promise<Application[]>} */
  applications() {
    return this.#list('/applications');
  }

  /** @returns {Promise<WorldGuild[]>} */
  guilds() {
    return this.#list('/guilds');
  }

  /**
   * #list returns all pages of a list of the admin API, up to 10,000 records.
   * @template {{ id: string }} T
   * @param {string} path
   * @returns {Promise<T[]>}
   */
  async #list(path) {
    /** @type {T[]} */
    const all = [];
    for (let after = ''; ; ) {
      /** @type {T[]} */
      const page = await this.operator.get(`/admin/v1${path}?limit=1000${after && `&after=${after}`}`);
      all.push(...page);
      if (page.length < 1000 || all.length >= 10000) return all;
      after = page[page.length - 1].id;
    }
  }
}

/**
 * @param {Map<string, Client>} clients
 * @param {string} id
 * @param {() => Client} create
 */
function cached(clients, id, create) {
  const client = clients.get(id) ?? create();
  clients.set(id, client);
  return client;
}

/** AccountClients are the clients of a user who signed in with an account. The user can act only as themselves. */
export class AccountClients extends Clients {
  #own;

  /**
   * @param {Settings} settings
   * @param {Client} own
   * @param {CurrentUser} account
   */
  constructor(settings, own, account) {
    super(settings);
    this.#own = own;
    this.account = account;
  }

  /**
   * signIn returns the clients of the user of this browser session, or null if no user signed in.
   * @param {Settings} settings
   */
  static async signIn(settings) {
    /** @type {() => Promise<Pass>} */
    const pass = () => request('POST', '/oauth2/pass');
    try {
      await pass();
    } catch (error) {
      if (error instanceof APIError && error.status === 401) return null;
      throw error;
    }
    const own = new Client(async () => authorizationOf(await pass()));
    return new AccountClients(settings, own, await own.get(`${api}/users/@me`));
  }

  /** @override */
  user() {
    return this.#own;
  }
}
