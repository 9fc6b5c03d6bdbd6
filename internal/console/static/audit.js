// The Audit page: who did what, from where, and what it changed.

/** @import { Application, AuditEntry, User, WorldGuild } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
import { useQuery } from './state.js';
import { t } from './text.js';
import { Moment } from './time.js';
import { Empty, html, Icon, Input, Loading, Problem, Text } from './ui.js';
import { fullName } from './user.js';
import { useEffect, useMemo, useState } from './vendor/hooks.js';

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

/**
 * isOwn reports whether an entry is a temporary token, which the console makes for itself.
 * @param {AuditEntry} entry
 */
const isOwn = ({ action, after }) => action === 'token.create' && Boolean(after && 'expires_at' in after);

/**
 * namesIn returns the names of the people, apps and guilds whose ids are in a text, such as user:200.
 * @param {string} text
 * @param {Map<string, string>} names
 */
const namesIn = (text, names) => (text.match(/\d+/g) ?? []).map((id) => names.get(id)).filter(Boolean);

/**
 * partsOf returns a text that breaks after its separators, so that ids stay whole.
 * @param {string} text
 */
const partsOf = (text) => text.split(/(?<=[/:])/).map((part, i) => html`${i > 0 && html`<wbr />`}${part}`);

/** @param {{ entry: AuditEntry, names: Map<string, string> }} props */
function Row({ entry, names }) {
  const { actor, via, target } = entry;
  const who = via ? `${actor} (${via})` : actor;
  const named = (/** @type {string} */ text, /** @type {number} */ max) => html`
    <bdi>${partsOf(text.slice(0, max))}</bdi>${' '}
    <${Text} class="note" value=${namesIn(text, names).join(', ')} max=${80} />
  `;
  return html`
    <tr>
      <td><code>${entry.action}</code></td>
      <td><${Moment} at=${entry.time} /></td>
      <td>${named(who, 80)}</td>
      <td>${entry.address ?? ''}</td>
      <td>${named(target, 120)}</td>
      <td><${Change} entry=${entry} /></td>
    </tr>
  `;
}

/**
 * OwnEntries is one row for all entries of the console itself. It opens into them.
 * @param {{ entries: AuditEntry[], columns: number, names: Map<string, string> }} props
 */
function OwnEntries({ entries, columns, names }) {
  const [open, setOpen] = useState(false);
  if (entries.length === 0) return null;
  return html`
    <tbody class="own">
      <tr>
        <td colspan=${columns}>
          <button type="button" class="small quiet" aria-expanded=${open ? 'true' : 'false'}
            onClick=${() => setOpen(!open)}>
            <${Icon} name=${open ? 'down' : 'right'} /> ${t.ownEntries(entries.length)}
          </button>
        </td>
      </tr>
      ${open && entries.map((e) => html`<${Row} key=${e.id} entry=${e} names=${names} />`)}
    </tbody>
  `;
}

/**
 * @typedef {object} AuditProps
 * @property {Clients} clients
 * @property {User[]} people
 * @property {Application[]} applications
 * @property {WorldGuild[]} guilds
 */

/** @param {AuditProps} props */
export function Audit({ clients, people, applications, guilds }) {
  const [filter, setFilter] = useState(/** @type {AuditFilter} */ ({ actor: '', action: '', target: '' }));
  const [limit, setLimit] = useState(pageSize);
  const found = useEntries(clients, filter, limit);
  const names = useMemo(
    () =>
      new Map(
        /** @type {[string, string][]} */ ([
          ...people.map((p) => [p.id, fullName(p)]),
          ...[...applications, ...guilds].map((o) => [o.id, o.name]),
        ]),
      ),
    [people, applications, guilds],
  );
  const input = (/** @type {keyof AuditFilter} */ name, /** @type {string} */ hint) => html`
    <${Input} label=${t[name]} hint=${hint} value=${filter[name]}
      onValue=${(/** @type {string} */ value) => setFilter({ ...filter, [name]: value })} />
  `;
  const titles = [t.action, t.time, t.actor, t.address, t.target, t.change];
  const entries = found.value ?? [];
  const others = entries.filter((e) => !isOwn(e));
  const table = () => html`
    <div class="scroll" tabindex="0">
      <table class="audit">
        <thead><tr>${titles.map((title) => html`<th>${title}</th>`)}</tr></thead>
        <${OwnEntries} entries=${entries.filter(isOwn)} columns=${titles.length} names=${names} />
        <tbody>${others.map((e) => html`<${Row} key=${e.id} entry=${e} names=${names} />`)}</tbody>
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
