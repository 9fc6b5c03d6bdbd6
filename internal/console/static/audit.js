// The Audit page: who did what, from where, and what it changed.

/** @import { AuditEntry } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
import { useEffect, useState } from '/assets/vendor/hooks.js';
import { useQuery } from './state.js';
import { t } from './text.js';
import { Moment } from './time.js';
import { Empty, html, Input, Loading, Problem, Text } from './ui.js';

const pageSize = 100;
const maxEntries = 1000;

/** @typedef {{ actor: string, action: string, target: string }} AuditFilter */

/**
 * useEntries loads the newest entries every two seconds.
 * @param {Clients} clients
 * @param {AuditFilter} filter
 * @param {number} limit
 */
function useEntries(clients, filter, limit) {
  const query = new URLSearchParams({ limit: String(limit) });
  for (const [name, value] of Object.entries(filter)) {
    if (value.trim()) query.set(name, value.trim());
  }
  const path = `/admin/v1/audit?${query}`;
  const found = useQuery(async () => {
    /** @type {AuditEntry[]} */
    const list = await clients.operator.get(path);
    return list;
  }, [clients, path]);
  useEffect(() => {
    const timer = setInterval(found.reload, 2000);
    return () => clearInterval(timer);
  }, [path]);
  return found;
}

/** @param {{ entry: AuditEntry }} props */
function Change({ entry: { id, before, after } }) {
  if (!(before || after)) return null;
  const object = (/** @type {string} */ title, /** @type {unknown} */ value) => html`
    <dt>${title}</dt>
    <dd><pre tabindex="0"><${Text} value=${JSON.stringify(value, null, 1)} max=${20000} /></pre></dd>
  `;
  return html`
    <details>
      <summary aria-label=${t.changeOf(id)}>${t.change}</summary>
      <dl>${before && object(t.before, before)} ${after && object(t.after, after)}</dl>
    </details>
  `;
}

/** @param {{ entry: AuditEntry }} props */
function Row({ entry }) {
  const actor = entry.via ? `${entry.actor} (${entry.via})` : entry.actor;
  return html`
    <tr>
      <td><code>${entry.action}</code></td>
      <td><${Moment} at=${entry.time} /></td>
      <td><${Text} value=${actor} max=${80} /></td>
      <td>${entry.address ?? ''}</td>
      <td><${Text} value=${entry.target} max=${120} /></td>
      <td><${Change} entry=${entry} /></td>
    </tr>
  `;
}

/** @param {{ clients: Clients }} props */
export function Audit({ clients }) {
  const [filter, setFilter] = useState(/** @type {AuditFilter} */ ({ actor: '', action: '', target: '' }));
  const [limit, setLimit] = useState(pageSize);
  const found = useEntries(clients, filter, limit);
  const input = (/** @type {keyof AuditFilter} */ name, /** @type {string} */ hint) => html`
    <${Input} label=${t[name]} hint=${hint} value=${filter[name]}
      onValue=${(/** @type {string} */ value) => setFilter({ ...filter, [name]: value })} />
  `;
  const titles = [t.action, t.time, t.actor, t.address, t.target, t.change];
  const entries = found.value ?? [];
  const table = () => html`
    <div class="scroll" tabindex="0">
      <table class="audit">
        <thead><tr>${titles.map((title) => html`<th>${title}</th>`)}</tr></thead>
        <tbody>${entries.map((e) => html`<${Row} key=${e.id} entry=${e} />`)}</tbody>
      </table>
    </div>
  `;
  const more = () => html`
    <button type="button" onClick=${() => setLimit(Math.min(limit + pageSize, maxEntries))}>${t.older}</button>
  `;
  return html`
    <main class="page">
      <h1>${t.audit}</h1>
      <div class="line">
        ${input('actor', t.actorHint)} ${input('action', t.actionHint)} ${input('target', t.targetHint)}
      </div>
      <${Problem} error=${found.error} />
      ${!found.value && found.busy ? html`<${Loading} />` : null}
      ${found.value && entries.length === 0 && html`<${Empty} icon="audit" title=${t.noEntries} />`}
      ${entries.length > 0 && table()}
      ${entries.length === limit && limit < maxEntries && more()}
    </main>
  `;
}
