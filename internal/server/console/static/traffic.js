// The Traffic page: recorded requests, deliveries and gateway frames, live.

/** @import { Application, CurrentApplication, Exchange, RecordedContent } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
import { useEffect, useMemo, useState } from '/assets/vendor/hooks.js';
import { api, request } from './http.js';
import { toError, useAction, useQuery } from './state.js';
import { t } from './text.js';
import { CopyButton, html, Input, Problem, Select, Text } from './ui.js';

const maxExchanges = 500;

/**
 * useTraffic returns the latest exchanges, the newest first, and follows the stream of new ones.
 * @param {boolean} paused
 */
function useTraffic(paused) {
  const [exchanges, setExchanges] = useState(/** @type {Exchange[]} */ ([]));
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  useEffect(() => {
    if (paused) return undefined;
    let canceled = false;
    /** @type {EventSource | undefined} */
    let stream;
    const add = (/** @type {MessageEvent<string>} */ e) => {
      /** @type {Exchange} */
      const added = JSON.parse(e.data);
      setExchanges((all) => (all.some((x) => x.id === added.id) ? all : [added, ...all].slice(0, maxExchanges)));
    };
    const follow = (/** @type {Exchange[]} */ latest) => {
      if (canceled) return;
      setExchanges(latest);
      stream = new EventSource('/_dev/requests');
      for (const kind of ['request', 'delivery', 'frame']) stream.addEventListener(kind, add);
    };
    request('GET', '/_dev/requests?limit=200').then(follow, (caught) => setError(toError(caught)));
    return () => {
      canceled = true;
      stream?.close();
    };
  }, [paused]);
  return { exchanges, error, clear: () => setExchanges([]) };
}

/** @param {string} text */
const shellQuote = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

const curlHeaders = /^(authorization|content-type|x-signature|x-service-locale|x-discord-locale|accept-language)/i;

/**
 * curlCommand returns a request as a command line. Recorded requests do not contain tokens, so it uses $TOKEN.
 * @param {Exchange} exchange
 */
function curlCommand({ method, path = '', request: sent }) {
  const headers = Object.entries(sent?.headers ?? {}).filter(([name]) => curlHeaders.test(name));
  const headerFlags = headers.map(([name, value]) => {
    if (!/^authorization$/i.test(name)) return `-H ${shellQuote(`${name}: ${value}`)}`;
    return `-H "${name}: ${value.replace('***', '$TOKEN')}"`;
  });
  const body = sent?.body ? [`--data-raw ${shellQuote(sent.body)}`] : [];
  const url = path.startsWith('http') ? path : location.origin + path;
  return ['curl', `-X ${method}`, ...headerFlags, ...body, shellQuote(url)].join(' ');
}

/** @param {string} hex */
const fromHex = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (h) => Number.parseInt(h, 16));

/** @param {RecordedContent | undefined} content */
const lowerCaseHeaders = (content) =>
  Object.fromEntries(Object.entries(content?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));

/**
 * verifySignature checks the signature of a delivery as an app does. valid is null if the browser cannot check it.
 * @param {Clients} clients
 * @param {Exchange} delivery
 */
async function verifySignature(clients, { application_id: app = '', request: sent }) {
  const headers = lowerCaseHeaders(sent);
  const body = sent?.body ?? '';
  /** @type {CurrentApplication} */
  const { verify_key: key } = await clients.app(app).get(`${api}/applications/@me`);
  const timestamp = headers['x-signature-timestamp'] ?? '';
  const signature = headers['x-signature-ed25519'] ?? '';
  const encoder = new TextEncoder();
  const steps = { timestamp, signature, key, length: encoder.encode(body).length };
  const algorithm = { name: 'Ed25519' };
  try {
    const publicKey = await crypto.subtle.importKey('raw', fromHex(key), algorithm, false, ['verify']);
    const signed = encoder.encode(timestamp + body);
    return { ...steps, valid: await crypto.subtle.verify(algorithm, publicKey, fromHex(signature), signed) };
  } catch (error) {
    if (toError(error).name === 'NotSupportedError') return { ...steps, valid: null };
    throw error;
  }
}

/** @param {{ clients: Clients, delivery: Exchange }} props */
function Signature({ clients, delivery }) {
  const found = useQuery(() => verifySignature(clients, delivery), [delivery.id]);
  if (!found.value) return html`<${Problem} error=${found.error} />`;
  const { timestamp, length, key, signature, valid } = found.value;
  const texts = t.signatureSteps;
  const result = valid ? `✓ ${texts.valid}` : `✕ ${texts.invalid}`;
  return html`
    <section>
      <h2>${t.signature}</h2>
      <ol>
        <li>${texts.timestamp}: <code>${timestamp}</code></li>
        <li>${texts.body}: ${length} B</li>
        <li>${texts.key}: <code>${key}</code></li>
        <li><code>${signature}</code></li>
      </ol>
      <p class=${valid ? 'good' : 'bad'}>${valid === null ? texts.unsupported : result}</p>
    </section>
  `;
}

/**
 * indent returns JSON with line breaks, and other text as it is.
 * @param {string} body
 */
function indent(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** @param {{ title: string, content?: RecordedContent }} props */
function Content({ title, content }) {
  if (!content) return null;
  const { headers, body } = content;
  const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  return html`
    <section>
      <h2>${title}</h2>
      ${headers && html`<details><summary>${t.headers}</summary><pre tabindex="0">${lines.join('\n')}</pre></details>`}
      ${body && html`<pre tabindex="0"><${Text} value=${indent(body)} max=${20000} /></pre>`}
    </section>
  `;
}

/**
 * resend sends a recorded request again, with a new token of its sender, and returns the status of the answer.
 * @param {Clients} clients
 * @param {Exchange} exchange
 */
async function resend(clients, { method, path = '', request: sent, user_id: user, application_id: app }) {
  /** @type {Record<string, string>} */
  const headers = {};
  if (user) headers.Authorization = await clients.user(user).authorization();
  else if (app) headers.Authorization = await clients.app(app).authorization();
  if (sent?.body) headers['Content-Type'] = 'application/json';
  const { status } = await fetch(path, { method, headers, body: sent?.body || undefined });
  return status;
}

/** @param {{ clients: Clients, exchange: Exchange }} props */
function Details({ clients, exchange }) {
  const { kind, path, request: sent, response, error } = exchange;
  const [status, setStatus] = useState(0);
  const replay = useAction(async () => setStatus(await resend(clients, exchange)));
  const canReplay = kind === 'request' && !path?.includes('***') && !sent?.cut;
  const canVerify = kind === 'delivery' && sent && !sent.cut;
  return html`
    <div class="card">
      <p class="line">
        ${kind !== 'frame' && html`<${CopyButton} text=${curlCommand(exchange)} label=${t.copyAsCurl} />`}
        ${
          canReplay &&
          html`
            <button type="button" class="small" disabled=${replay.busy} onClick=${replay.run}>${t.replay}</button>
          `
        }
        <span role="status">${status ? t.replayed(status) : null}</span>
      </p>
      <${Problem} error=${replay.error} />
      ${error && html`<p class="error">${error}</p>`}
      <${Content} title=${t.request} content=${sent} />
      ${canVerify && html`<${Signature} clients=${clients} delivery=${exchange} />`}
      <${Content} title=${t.response} content=${response} />
    </div>
  `;
}

/**
 * latestLimits returns the rate-limit headers of the latest answer of each bucket.
 * @param {Exchange[]} exchanges the newest first
 */
function latestLimits(exchanges) {
  const found = new Map();
  for (const { response, application_id: app, user_id: user, route } of exchanges) {
    const headers = lowerCaseHeaders(response);
    const bucket = headers['x-ratelimit-bucket'];
    const key = `${bucket} ${app ?? user ?? ''}`;
    if (!bucket || found.has(key)) continue;
    found.set(key, {
      key,
      bucket,
      route,
      limit: headers['x-ratelimit-limit'],
      remaining: headers['x-ratelimit-remaining'],
      resetAfter: headers['x-ratelimit-reset-after'],
    });
  }
  return [...found.values()];
}

/** @param {{ exchanges: Exchange[] }} props */
function Limits({ exchanges }) {
  const limits = useMemo(() => latestLimits(exchanges), [exchanges]);
  const rows = limits.map(
    (l) => html`
      <tr key=${l.key}>
        <td>${l.route}</td>
        <td><code>${l.bucket}</code></td>
        <td>${l.remaining}</td>
        <td>${l.limit}</td>
        <td>${l.resetAfter} s</td>
      </tr>
    `,
  );
  const titles = [t.route, t.bucket, t.remaining, t.limit, t.resetsAfter];
  const table = () => html`
    <div class="scroll" tabindex="0">
      <table>
        <thead><tr>${titles.map((title) => html`<th>${title}</th>`)}</tr></thead>
        <tbody>${rows}</tbody>
      </table>
    </div>
  `;
  return html`
    <details>
      <summary>${t.limits}</summary>
      ${limits.length === 0 ? html`<p>${t.noLimits}</p>` : table()}
    </details>
  `;
}

/**
 * matches reports whether an exchange has a kind and contains a text.
 * @param {Exchange} exchange
 * @param {string} kind '' for all
 * @param {string} text
 */
function matches(exchange, kind, text) {
  if (kind && exchange.kind !== kind) return false;
  const { path, route, method, application_id: app, user_id: user, status, request: sent, response } = exchange;
  const searched = [path, route, method, app, user, status, sent?.body, response?.body];
  return searched.some((v) =>
    String(v ?? '')
      .toLowerCase()
      .includes(text.toLowerCase()),
  );
}

/**
 * isOwn reports whether the console, and not an app or a user, sent a request.
 * @param {Exchange} exchange
 */
const isOwn = ({ path }) => /^\/(_dev|admin|assets)\//.test(path ?? '');

/**
 * @typedef {object} RowProps
 * @property {Exchange} exchange
 * @property {string} sender
 * @property {Clients} clients
 * @property {boolean} isOpen
 * @property {() => unknown} onToggle
 */

/** @param {RowProps} props */
function Row({ exchange, sender, clients, isOpen, onToggle }) {
  const { time, kind, method, path, route, status, error, took_ms: took } = exchange;
  const statusClass = kind === 'frame' ? '' : `s${Math.floor((status ?? 0) / 100)}`;
  return html`
    <tr>
      <td>${new Date(time).toLocaleTimeString()}</td>
      <td>${kind}</td>
      <td><${Text} value=${sender} max=${40} /></td>
      <td>${method} <code><${Text} value=${path ?? route} max=${160} /></code></td>
      <td class=${statusClass}>${status ?? error ?? ''}</td>
      <td>${took ? `${took.toFixed(1)} ms` : ''}</td>
      <td>
        <button type="button" class="small" aria-expanded=${isOpen} onClick=${onToggle}>${t.details}</button>
      </td>
    </tr>
    ${isOpen && html`<tr><td colspan="7"><${Details} clients=${clients} exchange=${exchange} /></td></tr>`}
  `;
}

/** @param {{ clients: Clients, applications: Application[] }} props */
export function Traffic({ clients, applications }) {
  const [paused, setPaused] = useState(false);
  const [kind, setKind] = useState('');
  const [text, setText] = useState('');
  const [open, setOpen] = useState('');
  const traffic = useTraffic(paused);
  const sender = (/** @type {Exchange} */ { application_id: app, user_id: user }) =>
    applications.find((a) => a.id === app)?.name ?? user ?? '';
  const shown = traffic.exchanges.filter((e) => matches(e, kind, text) && !isOwn(e));
  const rows = shown.map(
    (e) => html`
      <${Row} key=${e.id} exchange=${e} sender=${sender(e)} clients=${clients} isOpen=${open === e.id}
        onToggle=${() => setOpen(open === e.id ? '' : e.id)} />
    `,
  );
  const titles = [t.time, t.kind, t.who, t.path, t.status, t.duration];
  const table = () => html`
    <div class="scroll" tabindex="0">
      <table>
        <thead>
          <tr>
            ${titles.map((title) => html`<th>${title}</th>`)}
            <th><span class="hidden">${t.details}</span></th>
          </tr>
        </thead>
        <tbody>${rows}</tbody>
      </table>
    </div>
  `;
  return html`
    <main class="page traffic">
      <h1>${t.traffic}</h1>
      <div class="line">
        <button type="button" aria-pressed=${paused} onClick=${() => setPaused(!paused)}>
          ${paused ? t.resume : t.pause}
        </button>
        <${Select} label=${t.kind} value=${kind} onValue=${setKind} choices=${Object.entries(t.trafficKinds)} />
        <${Input} label=${t.filter} hint=${t.filterHint} value=${text} onValue=${setText} />
        <button type="button" onClick=${traffic.clear}>${t.clear}</button>
      </div>
      <${Limits} exchanges=${traffic.exchanges} />
      <${Problem} error=${traffic.error} />
      ${shown.length === 0 ? html`<p>${t.noTraffic}</p>` : table()}
    </main>
  `;
}
