// Traffic: every request, delivery and gateway frame as it happens.
import {html, Text, Problem, Select, Input, Copy, useState, useEffect, useMemo, useAsk, useWork} from './ui.js';
import {t} from './text.js';
import {api, open} from './http.js';

const most = 500;

// useTraffic follows what happens, from the last entries on.
function useTraffic(paused) {
  const [list, set] = useState([]);
  const [error, setError] = useState(null);
  useEffect(() => {
    if (paused) return undefined;
    let gone = false;
    let stream;
    open('GET', '/_dev/requests?limit=200').then((last) => {
      if (gone) return;
      set(last);
      stream = new EventSource('/_dev/requests');
      const take = (e) => {
        const entry = JSON.parse(e.data);
        set((all) => (all.some((x) => x.id === entry.id) ? all : [entry, ...all].slice(0, most)));
      };
      for (const kind of ['request', 'delivery', 'frame']) stream.addEventListener(kind, take);
    }, setError);
    return () => {
      gone = true;
      stream?.close();
    };
  }, [paused]);
  return {list, error, clear: () => set([])};
}

const quoted = (s) => `'${String(s).replaceAll("'", `'\\''`)}'`;

// curl writes a request as a command line. Secrets are not known here: they stand as variables.
function curl(entry) {
  const url = entry.path?.startsWith('http') ? entry.path : location.origin + entry.path;
  const headers = entry.request?.headers ?? {};
  const kept = Object.entries(headers).filter(([name]) => /^(authorization|content-type|x-signature|x-service-locale|x-discord-locale|accept-language)/i.test(name));
  const lines = kept.map(([name, value]) => `-H ${/^authorization$/i.test(name) ? `"${name}: ${value.replace('***', '$TOKEN')}"` : quoted(`${name}: ${value}`)}`);
  const body = entry.request?.body ? [`--data-raw ${quoted(entry.request.body)}`] : [];
  return ['curl', `-X ${entry.method}`, ...lines, ...body, quoted(url)].join(' ');
}

const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (h) => parseInt(h, 16));

// verify checks the signature of a delivery as an app would.
async function verify(desk, entry) {
  const headers = Object.fromEntries(Object.entries(entry.request.headers).map(([k, v]) => [k.toLowerCase(), v]));
  const {verify_key: key} = await desk.app(entry.application_id).get(`${api}/applications/@me`);
  const timestamp = headers['x-signature-timestamp'];
  const signature = headers['x-signature-ed25519'];
  const steps = {timestamp, signature, key, length: new TextEncoder().encode(entry.request.body).length};
  try {
    const imported = await crypto.subtle.importKey('raw', bytes(key), {name: 'Ed25519'}, false, ['verify']);
    const good = await crypto.subtle.verify({name: 'Ed25519'}, imported, bytes(signature), new TextEncoder().encode(timestamp + entry.request.body));
    return {...steps, good};
  } catch (error) {
    if (error.name === 'NotSupportedError') return {...steps, good: null};
    throw error;
  }
}

function Signature({desk, entry}) {
  const found = useAsk(() => verify(desk, entry), [entry.id]);
  const s = t.signatureSteps;
  if (!found.value) return html`<${Problem} error=${found.error} />`;
  const v = found.value;
  return html`<section><h2>${t.signature}</h2><ol>
    <li>${s.timestamp}: <code>${v.timestamp}</code></li><li>${s.body}: ${v.length} B</li><li>${s.key}: <code>${v.key}</code></li>
    <li><code>${v.signature}</code></li></ol>
    <p class=${v.good ? 'good' : 'bad'}>${v.good === null ? s.unable : v.good ? `✓ ${s.good}` : `✕ ${s.bad}`}</p></section>`;
}

function pretty(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function Part({title, of}) {
  if (!of) return null;
  return html`<section><h2>${title}</h2>
    ${of.headers && html`<details><summary>${t.headers}</summary><pre tabindex="0">${Object.entries(of.headers).map(([k, v]) => `${k}: ${v}`).join('\n')}</pre></details>`}
    ${of.body && html`<pre tabindex="0"><${Text} of=${pretty(of.body)} most=${20000} /></pre>`}</section>`;
}

// again sends a request once more, in the name of whoever sent it.
async function again(desk, entry) {
  const caller = entry.user_id ? desk.person(entry.user_id) : entry.application_id ? desk.app(entry.application_id) : null;
  const init = {method: entry.method, headers: {}};
  if (caller) init.headers.Authorization = await caller.header();
  if (entry.request?.body) {
    init.body = entry.request.body;
    init.headers['Content-Type'] = 'application/json';
  }
  return (await fetch(entry.path, init)).status;
}

function Details({desk, entry}) {
  const [status, setStatus] = useState(null);
  const replay = useWork(async () => setStatus(await again(desk, entry)));
  const can = entry.kind === 'request' && !entry.path.includes('***') && !entry.request?.cut;
  return html`<div class="card">
    <p class="line">${entry.kind !== 'frame' && html`<${Copy} text=${curl(entry)} label=${t.asCurl} />`}
      ${can && html`<button type="button" class="small" disabled=${replay.busy} onClick=${replay.run}>${t.replay}</button>`}
      <span role="status">${status && t.replayed(status)}</span></p>
    <${Problem} error=${replay.error} />
    ${entry.error && html`<p class="error">${entry.error}</p>`}
    <${Part} title=${t.request} of=${entry.request} />
    ${entry.kind === 'delivery' && entry.request && !entry.request.cut && html`<${Signature} desk=${desk} entry=${entry} />`}
    <${Part} title=${t.response} of=${entry.response} /></div>`;
}

// Limits shows what the latest answers said about each bucket.
function Limits({list}) {
  const buckets = useMemo(() => {
    const found = new Map();
    for (const e of list) {
      const h = Object.fromEntries(Object.entries(e.response?.headers ?? {}).map(([k, v]) => [k.toLowerCase(), v]));
      const id = h['x-ratelimit-bucket'];
      const key = `${id} ${e.application_id ?? e.user_id ?? ''}`;
      if (id && !found.has(key)) found.set(key, {key, id, route: e.route, limit: h['x-ratelimit-limit'], remaining: h['x-ratelimit-remaining'], reset: h['x-ratelimit-reset-after']});
    }
    return [...found.values()];
  }, [list]);
  return html`<details><summary>${t.limits}</summary>${buckets.length === 0 ? html`<p>${t.noLimits}</p>` : html`<div class="scroll" tabindex="0"><table>
    <thead><tr><th>${t.route}</th><th>${t.bucket}</th><th>${t.remaining}</th><th>${t.limit}</th><th>${t.resets}</th></tr></thead>
    <tbody>${buckets.map((b) => html`<tr key=${b.key}><td>${b.route}</td><td><code>${b.id}</code></td><td>${b.remaining}</td><td>${b.limit}</td><td>${b.reset} s</td></tr>`)}</tbody></table></div>`}</details>`;
}

const fits = (e, kind, text) => (!kind || e.kind === kind)
  && (!text || [e.path, e.route, e.method, e.application_id, e.user_id, e.status, e.request?.body, e.response?.body].some((v) => String(v ?? '').toLowerCase().includes(text.toLowerCase())));

export function Traffic({desk, applications}) {
  const [paused, setPaused] = useState(false);
  const [kind, setKind] = useState('');
  const [text, setText] = useState('');
  const [shown, setShown] = useState(null);
  const traffic = useTraffic(paused);
  const name = (e) => applications.find((a) => a.id === e.application_id)?.name ?? e.user_id ?? '';
  const list = traffic.list.filter((e) => fits(e, kind, text) && !/^\/(_dev|admin|assets)\//.test(e.path ?? ''));
  return html`<main class="page traffic"><h1>${t.traffic}</h1>
    <div class="line"><button type="button" aria-pressed=${paused} onClick=${() => setPaused(!paused)}>${paused ? t.resume : t.pause}</button>
      <${Select} label=${t.kind} value=${kind} onValue=${setKind} options=${Object.entries(t.kindsOfTraffic)} />
      <${Input} label=${t.filter} hint=${t.filterHint} value=${text} onValue=${setText} />
      <button type="button" onClick=${traffic.clear}>${t.clear}</button></div>
    <${Limits} list=${traffic.list} />
    <${Problem} error=${traffic.error} />
    ${list.length === 0 ? html`<p>${t.noTraffic}</p>` : html`<div class="scroll" tabindex="0"><table>
      <thead><tr><th>${t.time}</th><th>${t.kind}</th><th>${t.who}</th><th>${t.what}</th><th>${t.status}</th><th>${t.took}</th><th><span class="hidden">${t.details}</span></th></tr></thead>
      <tbody>${list.map((e) => html`<${Row} key=${e.id} entry=${e} who=${name(e)} desk=${desk} open=${shown === e.id} onOpen=${() => setShown(shown === e.id ? null : e.id)} />`)}</tbody></table></div>`}
  </main>`;
}

function Row({entry, who, desk, open: isOpen, onOpen}) {
  return html`<tr><td>${new Date(entry.time).toLocaleTimeString()}</td><td>${entry.kind}</td><td><${Text} of=${who} most=${40} /></td>
    <td>${entry.method} <code><${Text} of=${entry.path ?? entry.route} most=${160} /></code></td>
    <td class=${entry.kind === 'frame' ? '' : `s${Math.floor((entry.status ?? 0) / 100)}`}>${entry.status ?? entry.error ?? ''}</td><td>${entry.took_ms ? `${entry.took_ms.toFixed(1)} ms` : ''}</td>
    <td><button type="button" class="small" aria-expanded=${isOpen} onClick=${onOpen}>${t.details}</button></td></tr>
    ${isOpen && html`<tr><td colspan="7"><${Details} desk=${desk} entry=${entry} /></td></tr>`}`;
}
