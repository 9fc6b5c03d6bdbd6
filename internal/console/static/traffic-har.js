// Exchanges as an HTTP Archive (HAR 1.2), and as curl commands.

/** @import { Exchange, RecordedContent } from '../types/wire.js' */
import { serviceURL } from './base.js';
import { startOf } from './traffic-log.js';

/** @param {string} path */
const urlOf = (path) => (path.startsWith('http') ? path : serviceURL(path));

/** @param {RecordedContent | undefined} content */
const headersOf = (content) => Object.entries(content?.headers ?? {}).map(([name, value]) => ({ name, value }));

/** @param {RecordedContent | undefined} content */
const typeOf = (content) => content?.headers?.['Content-Type'] ?? 'application/json';

/** @param {Exchange} exchange */
function harRequest({ method = 'GET', path = '', request: sent }) {
  const url = urlOf(path);
  const query = URL.canParse(url) ? [...new URL(url).searchParams] : [];
  return {
    method,
    url,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: headersOf(sent),
    queryString: query.map(([name, value]) => ({ name, value })),
    postData: sent?.body ? { mimeType: typeOf(sent), text: sent.body } : undefined,
    headersSize: -1,
    bodySize: sent?.size ?? 0,
  };
}

/** @param {Exchange} exchange */
function harResponse({ status = 0, error, response }) {
  return {
    status,
    statusText: error ?? '',
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: headersOf(response),
    content: { size: response?.size ?? 0, mimeType: typeOf(response), text: response?.body ?? '' },
    redirectURL: '',
    headersSize: -1,
    bodySize: response?.size ?? -1,
  };
}

/** @param {Exchange} e */
function harEntry(e) {
  return {
    startedDateTime: e.time,
    time: e.took_ms ?? 0,
    request: harRequest(e),
    response: harResponse(e),
    cache: {},
    timings: { send: 0, wait: e.took_ms ?? 0, receive: 0 },
    comment: e.interaction_id ? `${e.kind} of interaction ${e.interaction_id}` : e.kind,
  };
}

/**
 * harConnections returns an entry for each gateway connection, with its frames as messages.
 * @param {Exchange[]} frames
 */
function harConnections(frames) {
  const owners = [...new Set(frames.map((f) => `${f.application_id ?? ''} ${f.user_id ?? ''}`))];
  return owners.map((owner) => {
    const own = frames.filter((f) => `${f.application_id ?? ''} ${f.user_id ?? ''}` === owner);
    const path = serviceURL('/gateway/').replace(/^http/, 'ws');
    return {
      ...harEntry({ ...own[0], method: 'GET', path, status: 101, request: undefined, response: undefined }),
      _resourceType: 'websocket',
      _webSocketMessages: own.map((f) => ({
        type: f.method === 'sent' ? 'receive' : 'send', // as the client sees it
        time: startOf(f) / 1000,
        opcode: 1,
        data: f.response?.body ?? f.request?.body ?? '',
      })),
    };
  });
}

/**
 * toHAR returns exchanges as an HTTP Archive.
 * @param {Exchange[]} exchanges
 * @param {string} version of the service
 */
export function toHAR(exchanges, version) {
  const sorted = exchanges.toSorted((a, b) => startOf(a) - startOf(b));
  const entries = [
    ...sorted.filter((e) => e.kind === 'request' || e.kind === 'delivery' || e.kind === 'event').map(harEntry),
    ...harConnections(sorted.filter((e) => e.kind === 'frame')),
  ];
  return { log: { version: '1.2', creator: { name: 'Bellhop', version }, entries } };
}

/** @param {string} text */
const shellQuote = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

const curlHeaders = /^(authorization|content-type|x-signature|x-service-locale|x-discord-locale|accept-language)/i;

/**
 * curlCommand returns a request as a command line. Recorded requests do not contain tokens, so it uses $TOKEN.
 * @param {Exchange} exchange
 */
export function curlCommand({ method, path = '', request: sent }) {
  const headers = Object.entries(sent?.headers ?? {}).filter(([name]) => curlHeaders.test(name));
  const headerFlags = headers.map(([name, value]) => {
    if (!/^authorization$/i.test(name)) return `-H ${shellQuote(`${name}: ${value}`)}`;
    return `-H "${name}: ${value.replace('***', '$TOKEN')}"`;
  });
  const body = sent?.body ? [`--data-raw ${shellQuote(sent.body)}`] : [];
  return ['curl', `-X ${method}`, ...headerFlags, ...body, shellQuote(urlOf(path))].join(' ');
}

/**
 * download saves a value as a JSON file.
 * @param {string} name
 * @param {unknown} value
 */
export function download(name, value) {
  const url = URL.createObjectURL(new Blob([JSON.stringify(value, null, 2)], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
