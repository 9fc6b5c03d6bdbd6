// Calls of the service. Whoever calls is one of: the operator, a person, an application.
import {t} from './text.js';

export const api = '/api/v10';

// Failure is an answer that is not what was asked for.
export class Failure extends Error {
  constructor(status, body) {
    super(body?.message || t.failed(status));
    this.status = status;
    this.code = body?.code;
    this.body = body;
    this.faults = faults(body?.errors);
  }
}

// faults flattens a tree of findings into a list of paths.
export function faults(tree, path = '') {
  if (!tree || typeof tree !== 'object') return [];
  return Object.entries(tree).flatMap(([key, value]) =>
    key === '_errors' ? value.map((e) => ({path, code: e.code, message: e.message})) : faults(value, path ? `${path}.${key}` : key));
}

async function answer(response) {
  if (response.status === 204) return null;
  const text = await response.text();
  const isJSON = response.headers.get('Content-Type')?.startsWith('application/json');
  let body = text;
  if (isJSON) body = JSON.parse(text);
  if (!response.ok) throw new Failure(response.status, isJSON ? body : {message: text});
  return body;
}

// wait gives the service the time it asks for.
const wait = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

// Caller makes calls with a token that it takes when it needs one, and takes anew when it has ended.
export class Caller {
  // headers go with every call.
  headers = {};
  #take;
  #token;

  constructor(take) {
    this.#take = take;
  }

  // header returns what stands in the Authorization header.
  header() {
    this.#token ??= this.#take().catch((e) => {
      this.#token = undefined;
      throw e;
    });
    return this.#token;
  }

  forget() {
    this.#token = undefined;
  }

  async call(method, path, body, headers = {}) {
    for (let tries = 0; ; tries++) {
      const init = {method, headers: {...this.headers, ...headers, Authorization: await this.header()}, redirect: 'error'};
      if (body instanceof FormData) init.body = body;
      else if (body !== undefined) {
        init.body = typeof body === 'string' ? body : JSON.stringify(body);
        init.headers['Content-Type'] ??= 'application/json';
      }
      const response = await fetch(path, init);
      if (response.status === 401 && tries === 0) {
        this.forget();
        continue;
      }
      if (response.status === 429 && tries < 3) {
        await wait(Number(response.headers.get('Retry-After') ?? 1));
        continue;
      }
      return answer(response);
    }
  }

  get(path, headers) { return this.call('GET', path, undefined, headers); }
  post(path, body) { return this.call('POST', path, body); }
  put(path, body) { return this.call('PUT', path, body); }
  patch(path, body) { return this.call('PATCH', path, body); }
  delete(path) { return this.call('DELETE', path); }
}

// open asks without a token.
export async function open(method, path, body, headers = {}) {
  const init = {method, headers};
  if (body !== undefined) {
    init.body = typeof body === 'string' ? body : JSON.stringify(body);
    init.headers['Content-Type'] ??= 'application/json';
  }
  return answer(await fetch(path, init));
}

// pass turns the answer of a pass into a header.
export const pass = (p) => (p.token_type ? `${p.token_type} ${p.token}` : p.token);

// Desk is the operator's way in: in development it is open, in production it asks for the operator's token.
export class Desk {
  constructor(settings) {
    this.settings = settings;
    this.operator = new Caller(async () => {
      if (settings.dev) return pass(await open('POST', '/_dev/console'));
      const token = sessionStorage.getItem('operator');
      if (!token) throw new Failure(401, {message: t.signInFirst});
      return `Bearer ${token}`;
    });
    this.people = new Map();
    this.apps = new Map();
  }

  // person returns a caller who is a person.
  person(id) {
    if (!this.people.has(id)) {
      this.people.set(id, new Caller(async () => pass(await this.operator.post(`/admin/v1/users/${id}/passes`))));
    }
    return this.people.get(id);
  }

  // app returns a caller who is an application's bot.
  app(id) {
    if (!this.apps.has(id)) {
      this.apps.set(id, new Caller(async () => pass(await this.operator.post(`/admin/v1/applications/${id}/passes`, {}))));
    }
    return this.apps.get(id);
  }

  // acting returns a caller who is an application that acts for a person.
  acting(id, user, scopes) {
    return new Caller(async () => pass(await this.operator.post(`/admin/v1/applications/${id}/passes`, {user, scopes})));
  }

  // all reads every page of a list.
  async all(path) {
    const list = [];
    for (let after = ''; ;) {
      const page = await this.operator.get(`/admin/v1${path}?limit=1000${after && `&after=${after}`}`);
      list.push(...page);
      if (page.length < 1000 || list.length >= 10000) return list;
      const last = page.at(-1);
      after = last.id ?? last.user;
    }
  }
}

// Seat is the way in of a person who has signed in with an account: they are themselves and nobody else.
export class Seat extends Desk {
  // enter returns the seat of whoever has signed in, null when nobody has.
  static async enter(settings) {
    const first = await open('POST', '/oauth2/pass').catch((e) => {
      if (e.status === 401) return null;
      throw e;
    });
    if (!first) return null;
    const seat = new Seat(settings);
    seat.own = new Caller(async () => pass(await open('POST', '/oauth2/pass')));
    seat.me = await seat.own.get(`${api}/users/@me`);
    return seat;
  }

  person() {
    return this.own;
  }
}
