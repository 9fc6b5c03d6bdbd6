// What the Traffic page shows: recorded exchanges as rows, one row for all exchanges of an interaction.

/** @import { Exchange } from '../types/wire.js' */
import { serviceURL } from './base.js';
import { request } from './http.js';
import { Store, toError } from './state.js';
import { t } from './text.js';

/** How many exchanges the page keeps. */
export const maxExchanges = 10000;

/** @typedef {'interaction' | 'request' | 'delivery' | 'event' | 'frame'} RowKind */

/**
 * Row is a line of the list: an interaction with all its exchanges, or one other exchange.
 * @typedef {object} Row
 * @property {string} id of the interaction with an i before it, or of the exchange
 * @property {RowKind} kind
 * @property {Exchange[]} exchanges the oldest first
 * @property {number} order number of the first exchange
 * @property {Summary} [summary]
 * @property {string} [searched]
 */

/**
 * Summary has the members of a row that the list shows.
 * @typedef {object} Summary
 * @property {number} size number of exchanges when the summary was made
 * @property {string} verb
 * @property {string} title
 * @property {string} app
 * @property {string} user
 * @property {string} status
 * @property {'good' | 'bad' | 'warn' | ''} tone
 * @property {string} reason why it failed, in a sentence; empty: it did not
 * @property {number} took in milliseconds
 * @property {boolean} heartbeat
 * @property {boolean} own of the console itself
 */

const opcodes = [
  'DISPATCH',
  'HEARTBEAT',
  'IDENTIFY',
  'PRESENCE_UPDATE',
  'VOICE_STATE_UPDATE',
  '5',
  'RESUME',
  'RECONNECT',
  'REQUEST_GUILD_MEMBERS',
  'INVALID_SESSION',
  'HELLO',
  'HEARTBEAT_ACK',
];

/**
 * frameName returns the name of a gateway frame: its opcode, and the event of a DISPATCH.
 * @param {Exchange} frame
 */
export function frameName({ status = 0, route = '' }) {
  const name = opcodes[status] ?? String(status);
  return status === 0 && route ? `${name} ${route}` : name;
}

/**
 * startOf returns when an exchange began, in milliseconds with fractions.
 * @param {Exchange} exchange
 */
export const startOf = ({ time }) => Date.parse(time) + Number(`0.${/\.\d{3}(\d+)/.exec(time)?.[1] ?? 0}`);

/**
 * parseBody returns the JSON of a body, or undefined.
 * @param {string | undefined} body
 */
export function parseBody(body) {
  try {
    return body ? JSON.parse(body) : undefined;
  } catch {
    return undefined;
  }
}

/** @param {Exchange} e */
const isInvocation = (e) => e.kind === 'request' && e.route === '/interactions';

/** @param {Exchange} e */
const succeeded = ({ status = 0 }) => status >= 200 && status < 300;

/** resentHeader marks requests that the page sends again, which are not calls of the console itself. */
export const resentHeader = 'X-Bellhop-Dev';

/**
 * isOwn reports whether the console sent or received an exchange for itself.
 * @param {Exchange} exchange
 */
function isOwn({ kind, status, application_id: app, request: sent }) {
  const isIdentify = kind === 'frame' && status === 2; // its sender is not known yet
  if (isIdentify) return parseBody(sent?.body)?.d?.properties?.browser === 'console';
  if (kind === 'frame') return !app;
  const headers = sent?.headers ?? {};
  return headers['Sec-Fetch-Site'] === 'same-origin' && !headers[resentHeader];
}

/**
 * Payload is an interaction as an app receives it, or as a user sends it.
 * @typedef {{ type?: number, application_id?: string, channel_id?: string, data?: any, member?: any, user?: any }}
 *   Payload
 */

/**
 * payloadOf returns the interaction as the app received it, or as the user sent it.
 * @param {Row} row
 * @returns {Payload}
 */
export function payloadOf(row) {
  for (const e of row.exchanges) {
    if (e.kind === 'delivery') return parseBody(e.request?.body) ?? {};
    if (e.kind === 'frame' && e.route === 'INTERACTION_CREATE') {
      const sent = parseBody(e.response?.body)?.d;
      if (sent?.type) return sent; // the user's own session gets only the id
    }
  }
  return parseBody(row.exchanges.find(isInvocation)?.request?.body) ?? {};
}

/**
 * optionsText returns the subcommands and options of a command as a user types them.
 * @param {{ type: number, name: string, value?: unknown, options?: any[] }[]} options
 * @returns {string}
 */
const optionsText = (options = []) =>
  options
    .map((o) => (o.type <= 2 ? ` ${o.name}${optionsText(o.options)}` : ` ${o.name}:${String(o.value ?? '')}`))
    .join('');

/**
 * interactionTitle returns what a user used.
 * @param {Payload} payload
 */
function interactionTitle({ type, data }) {
  if (!data) return '';
  if (type === 3 || type === 5) return data.custom_id ?? '';
  return (data.type ?? 1) === 1 ? `/${data.name}${optionsText(data.options)}` : data.name;
}

/** @type {Record<NonNullable<Exchange['outcome']>, Summary['tone']>} */
export const outcomeTones = { answered: 'good', launched: 'good', deferred: 'warn', failed: 'bad' };

/**
 * outcomeOf returns how an interaction ended, as the service says: the last outcome counts, because a deferred answer
 * is followed by another.
 * @param {Row} row
 * @returns {Pick<Summary, 'status' | 'tone' | 'reason'> & { end: number }}
 */
function outcomeOf({ exchanges }) {
  const last = exchanges.findLast((e) => e.kind === 'outcome');
  if (last?.outcome) {
    const { outcome, error = '' } = last;
    return { status: t.outcomes[outcome], tone: outcomeTones[outcome], reason: error, end: startOf(last) };
  }
  const invoked = exchanges.find(isInvocation);
  if (invoked && !succeeded(invoked)) {
    const end = startOf(invoked) + (invoked.took_ms ?? 0);
    return { status: t.outcomes.refused(invoked.status ?? 0), tone: 'bad', reason: reasonOf(invoked), end };
  }
  return { status: t.outcomes.waiting, tone: 'warn', reason: '', end: 0 };
}

/**
 * @param {Row} row
 * @returns {Summary}
 */
function summarizeInteraction(row) {
  const payload = payloadOf(row);
  const first = row.exchanges.reduce((a, b) => (startOf(a) <= startOf(b) ? a : b));
  const { end, ...outcome } = outcomeOf(row);
  const found = row.exchanges.find((e) => e.application_id && e.kind !== 'frame') ?? row.exchanges[0];
  return {
    size: row.exchanges.length,
    verb: t.interactionTypes[payload.type ?? 2] ?? '',
    title: interactionTitle(payload) || (row.exchanges.find((e) => e.kind === 'outcome')?.path ?? ''),
    app: payload.application_id ?? found.application_id ?? '',
    user: payload.member?.user?.id ?? payload.user?.id ?? row.exchanges.find((e) => e.user_id)?.user_id ?? '',
    ...outcome,
    took: end ? Math.max(0, end - startOf(first)) : 0,
    heartbeat: false,
    own: false,
  };
}

/**
 * @param {Exchange} e
 * @returns {Summary['tone']}
 */
function toneOf(e) {
  if (e.kind === 'frame') return '';
  return succeeded(e) ? 'good' : 'bad';
}

/**
 * reasonOf returns why an exchange failed, in a sentence, or ''.
 * @param {Exchange} e
 * @returns {string}
 */
export function reasonOf(e) {
  if (e.kind === 'frame' || succeeded(e)) return '';
  if (e.gap) return t.gapHint(e.gap);
  return e.error ?? parseBody(e.response?.body)?.message ?? '';
}

/**
 * titleOf returns what an exchange is about.
 * @param {Exchange} e
 * @returns {string}
 */
function titleOf(e) {
  if (e.kind === 'frame') return frameName(e);
  if (e.kind === 'event') return `${e.route} ${e.path}`;
  return (e.path ?? e.route ?? '').replace(/^\/api\/v10/, '');
}

/**
 * @param {Exchange} e
 * @returns {Summary}
 */
function summarizeExchange(e) {
  const frame = e.kind === 'frame';
  return {
    size: 1,
    verb: frame ? t.frameDirections[e.method === 'sent' ? 'sent' : 'received'] : (e.method ?? ''),
    title: titleOf(e),
    app: e.application_id ?? '',
    user: e.user_id ?? '',
    status: frame ? '' : e.gap ? t.outcomes.gap : String(e.status || t.outcomes.failed),
    tone: toneOf(e),
    reason: reasonOf(e),
    took: e.took_ms ?? 0,
    heartbeat: frame && (e.status === 1 || e.status === 11),
    own: isOwn(e),
  };
}

/**
 * summaryOf returns the summary of a row. It is made again when the row gets another exchange.
 * @param {Row} row
 * @returns {Summary}
 */
export function summaryOf(row) {
  if (row.summary?.size !== row.exchanges.length) {
    row.summary = row.kind === 'interaction' ? summarizeInteraction(row) : summarizeExchange(row.exchanges[0]);
  }
  return /** @type {Summary} */ (row.summary);
}

/**
 * searchedText returns all text of a row in lower case.
 * @param {Row} row
 */
function searchedText(row) {
  row.searched ??= row.exchanges
    .map((e) => [e.path, e.route, e.method, e.status, e.error, e.request?.body, e.response?.body].join(' '))
    .concat(summaryOf(row).title)
    .join(' ')
    .toLowerCase();
  return row.searched;
}

/**
 * Filter selects rows. Empty members select all.
 * @typedef {{ kind?: string, status?: string, app?: string, person?: string, text?: string, show?: string }} Filter
 */

/**
 * matchesStatus reports whether a row has a status: 2xx, 4xx, 5xx, gap or failed.
 * @param {Row} row
 * @param {string} status
 */
function matchesStatus(row, status) {
  const { tone } = summaryOf(row);
  if (status === 'gap') return row.exchanges.some((e) => e.gap);
  if (status === 'failed') return tone === 'bad';
  return row.exchanges.some((e) => e.kind !== 'frame' && Math.floor((e.status ?? 0) / 100) === Number(status[0]));
}

/**
 * filterRows returns the rows that match a filter, the newest first.
 * @param {Row[]} rows the oldest first
 * @param {Filter} filter
 */
export function filterRows(rows, filter) {
  const { kind, status, app, person, text = '', show = '' } = filter;
  /** @type {((row: Row, summary: Summary) => boolean)[]} */
  const tests = [];
  if (!show.includes('heartbeats')) tests.push((_, s) => !s.heartbeat);
  if (!show.includes('console')) tests.push((_, s) => !s.own);
  if (kind) tests.push((row) => row.kind === kind);
  if (app) tests.push((_, s) => s.app === app);
  if (person) tests.push((_, s) => s.user === person);
  if (status) tests.push((row) => matchesStatus(row, status));
  if (text) tests.push((row) => searchedText(row).includes(text.toLowerCase()));
  const found = rows.filter((row) => {
    const summary = summaryOf(row);
    return tests.every((test) => test(row, summary));
  });
  return found.reverse();
}

/** TrafficLog keeps the latest exchanges as rows and follows the stream of new ones. */
export class TrafficLog extends Store {
  /** @type {Row[]} the oldest first */
  rows = [];
  /** @type {Map<string, Row>} */
  #byID = new Map();
  #size = 0;
  /** Number of the newest exchange. */
  last = 0;
  loaded = false;
  /** @type {Error | null} */
  error = null;
  /** @type {EventSource | undefined} */
  #stream;
  /** @type {Exchange[] | null} exchanges that arrive before the list; null after it */
  #early = [];
  #timer = 0;

  /** open begins to follow. The stream is open before the list is read, so no exchange is missed. */
  open() {
    const stream = new EventSource(serviceURL('/_dev/requests'));
    this.#stream = stream;
    const onEvent = (/** @type {MessageEvent<string>} */ e) => this.#take(JSON.parse(e.data));
    for (const kind of ['request', 'delivery', 'event', 'frame', 'outcome']) stream.addEventListener(kind, onEvent);
    stream.addEventListener('open', () => this.#load(), { once: true });
  }

  close() {
    this.#stream?.close();
    clearTimeout(this.#timer);
  }

  async #load() {
    try {
      /** @type {Exchange[]} */
      const latest = await request('GET', `/_dev/requests?limit=${maxExchanges}`);
      for (const e of latest.reverse()) this.#add(e);
      for (const e of this.#early ?? []) this.#add(e);
      this.#early = null;
    } catch (caught) {
      this.error = toError(caught);
    }
    this.loaded = true;
    this.changed();
  }

  /** @param {Exchange} e */
  #take(e) {
    if (this.#early) {
      this.#early.push(e);
      return;
    }
    this.#add(e);
    this.#timer ||= setTimeout(() => {
      this.#timer = 0;
      this.changed();
    }, 100);
  }

  /** @param {Exchange} e */
  #add(e) {
    const order = Number(e.id);
    if (order <= this.last) return;
    this.last = order;
    this.#size++;
    const interaction = e.interaction_id || isInvocation(e);
    const id = e.interaction_id ? `i${e.interaction_id}` : e.id;
    const row = this.#byID.get(id);
    if (row) {
      row.exchanges.push(e);
      row.searched = undefined;
    } else {
      const kind = interaction || e.kind === 'outcome' ? 'interaction' : e.kind;
      /** @type {Row} */
      const added = { id, kind, exchanges: [e], order };
      this.#byID.set(id, added);
      this.rows.push(added);
    }
    while (this.#size > maxExchanges) this.#drop();
  }

  #drop() {
    const dropped = /** @type {Row} */ (this.rows.shift());
    this.#byID.delete(dropped.id);
    this.#size -= dropped.exchanges.length;
  }

  /**
   * row returns the row with an id, or the one that contains the exchange with this id.
   * @param {string} id
   */
  row(id) {
    return this.#byID.get(id) ?? this.rows.find((r) => r.exchanges.some((e) => e.id === id));
  }

  clear() {
    this.rows = [];
    this.#byID.clear();
    this.#size = 0;
    this.changed();
  }
}
