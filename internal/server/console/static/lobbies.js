// The Lobbies page: members, connections, and the time until a lobby ends.

/** @import { Application, Lobby, LobbyList, LobbyMember, User } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
import { useEffect, useState } from '/assets/vendor/hooks.js';
import { api } from './http.js';
import { useAction, useQuery } from './state.js';
import { t } from './text.js';
import { Checkbox, Dialog, html, Input, Loading, Problem, Select, Text, TextArea, withoutDefault } from './ui.js';

const flagCanLinkLobby = 1;

/** @typedef {Record<string, string> | null | undefined} Metadata */

/** @param {Metadata} metadata */
const formatMetadata = (metadata) =>
  Object.entries(metadata ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join('\n');

/**
 * parseMetadata reads lines of the form key=value. It returns null if there are none.
 * @param {string} text
 */
function parseMetadata(text) {
  const lines = text.split('\n').map((line) => line.trim());
  const pairs = lines.filter(Boolean).map((line) => {
    const i = line.indexOf('=');
    return i < 0 ? [line, ''] : [line.slice(0, i).trim(), line.slice(i + 1).trim()];
  });
  return pairs.length ? Object.fromEntries(pairs) : null;
}

/**
 * timeLeft says how long it takes until a lobby ends.
 * @param {string | null} endsAt
 * @param {number} now
 */
function timeLeft(endsAt, now) {
  if (!endsAt) return t.notIdle;
  const s = Math.max(0, Math.round((Date.parse(endsAt) - now) / 1000));
  const minutes = Math.floor(s / 60);
  if (s >= 3600) return t.endsIn(`${Math.floor(s / 3600)} h ${minutes % 60} min`);
  return t.endsIn(s >= 60 ? `${minutes} min ${s % 60} s` : `${s} s`);
}

/**
 * nameOf returns the username of a known user, or the id.
 * @param {User[]} people
 * @param {string} id
 */
const nameOf = (people, id) => people.find((p) => p.id === id)?.username ?? id;

/**
 * A member whose metadata the user edits as text.
 * @typedef {{ id: string, flags?: number, text: string }} EditedMember
 */

/**
 * @typedef {object} MembersFieldProps
 * @property {EditedMember[]} members
 * @property {User[]} people
 * @property {(members: EditedMember[]) => unknown} onChange
 */

/** @param {MembersFieldProps} props */
function MembersField({ members, people, onChange }) {
  const [user, setUser] = useState(people[0]?.id ?? '');
  const change = (/** @type {string} */ id, /** @type {Partial<EditedMember>} */ to) =>
    onChange(members.map((m) => (m.id === id ? { ...m, ...to } : m)));
  const rows = members.map(
    ({ id, text, flags = 0 }) => html`
      <div key=${id} class="line">
        <b><${Text} value=${nameOf(people, id)} max=${40} /></b>
        <${TextArea} label=${t.metadata} rows="2" value=${text}
          onValue=${(/** @type {string} */ to) => change(id, { text: to })} />
        <${Checkbox} label="CanLinkLobby" value=${Boolean(flags & flagCanLinkLobby)}
          onValue=${(/** @type {boolean} */ on) => change(id, { flags: on ? flagCanLinkLobby : 0 })} />
        <button type="button" class="small" aria-label=${t.removeNamed(nameOf(people, id))}
          onClick=${() => onChange(members.filter((m) => m.id !== id))}>✕</button>
      </div>
    `,
  );
  return html`
    <fieldset>
      <legend>${t.members}</legend>
      ${rows}
      <div class="line">
        <${Select} label=${t.person} value=${user} onValue=${setUser}
          choices=${people.map((p) => [p.id, p.username])} />
        <button type="button" disabled=${!user || members.some((m) => m.id === user)}
          onClick=${() => onChange([...members, { id: user, flags: 0, text: '' }])}>${t.add}</button>
      </div>
    </fieldset>
  `;
}

/** @typedef {Lobby & { idle_timeout_seconds: number, ends_at: string | null }} ListedLobby */

/**
 * @typedef {object} LobbyEditorProps
 * @property {Clients} clients
 * @property {string} app
 * @property {ListedLobby | null} lobby null: a new lobby
 * @property {User[]} people
 * @property {(changed: boolean) => unknown} onClose
 */

/** @param {LobbyEditorProps} props */
function LobbyEditor({ clients, lobby, app, people, onClose }) {
  const [metadata, setMetadata] = useState(formatMetadata(lobby?.metadata));
  const [idle, setIdle] = useState(String(lobby?.idle_timeout_seconds ?? 300));
  const [members, setMembers] = useState(() => (lobby?.members ?? []).map(toEdited));
  const cancel = () => onClose(false);
  const save = useAction(async () => {
    const client = clients.app(app);
    const body = {
      metadata: parseMetadata(metadata),
      idle_timeout_seconds: Number(idle),
      members: members.map((m) => ({ id: m.id, metadata: parseMetadata(m.text), flags: m.flags ?? 0 })),
    };
    await (lobby ? client.patch(`${api}/lobbies/${lobby.id}`, body) : client.post(`${api}/lobbies`, body));
    onClose(true);
  });
  return html`
    <${Dialog} wide title=${lobby ? t.editLobby : t.newLobby} onClose=${cancel}>
      <form onSubmit=${withoutDefault(save.run)}>
        <${TextArea} label=${t.metadata} hint=${t.metadataHint} rows="4" value=${metadata} onValue=${setMetadata} />
        <${Input} label=${t.idleTimeout} type="number" value=${idle} onValue=${setIdle} />
        <${MembersField} members=${members} people=${people} onChange=${setMembers} />
        <${Problem} error=${save.error} />
        <footer>
          <button type="button" onClick=${cancel}>${t.cancel}</button>
          <button class="primary" disabled=${save.busy}>${t.save}</button>
        </footer>
      </form>
    <//>
  `;
}

/**
 * @param {LobbyMember} member
 * @returns {EditedMember}
 */
const toEdited = ({ id, flags, metadata }) => ({ id, flags, text: formatMetadata(metadata) });

/** @param {{ member: LobbyMember, name: string }} props */
function MemberChip({ member: { connected, metadata }, name }) {
  return html`
    <li class="chip" title=${formatMetadata(metadata)}>
      ${connected ? html`<span class="dot" title=${t.connected}></span>` : ''}
      <${Text} value=${name} max=${40} />
      ${connected ? html`<span class="hidden">${t.connected}</span>` : ''}
    </li>
  `;
}

/**
 * @typedef {object} LobbyCardProps
 * @property {ListedLobby} lobby
 * @property {number} now
 * @property {User[]} people
 * @property {(lobby: ListedLobby) => unknown} onEdit
 * @property {(lobby: ListedLobby) => unknown} onDelete
 */

/** @param {LobbyCardProps} props */
function LobbyCard({ lobby, now, people, onEdit, onDelete }) {
  const { id, metadata, members, linked_channel: channel } = lobby;
  return html`
    <li class="card">
      <header>
        <b><code>${id}</code></b>
        <span class="badge">${timeLeft(lobby.ends_at, now)}</span>
        <span class="badge">${t.idleTimeoutOf(lobby.idle_timeout_seconds)}</span>
        ${channel ? html`<span class="badge">${t.linked}</span>` : ''}
        <span class="buttons">
          <button type="button" class="small" aria-label=${t.editNamed(id)} onClick=${() => onEdit(lobby)}>
            ${t.edit}
          </button>
          <button type="button" class="small danger" aria-label=${t.deleteNamed(id)} onClick=${() => onDelete(lobby)}>
            ${t.delete}
          </button>
        </span>
      </header>
      ${metadata && html`<pre tabindex="0"><${Text} value=${formatMetadata(metadata)} max=${1200} /></pre>`}
      <ul class="chips">
        ${members.map((m) => html`<${MemberChip} key=${m.id} member=${m} name=${nameOf(people, m.id)} />`)}
      </ul>
    </li>
  `;
}

/**
 * useLobbies loads the lobbies of an application every two seconds.
 * @param {Clients} clients
 * @param {string} app
 */
function useLobbies(clients, app) {
  const found = useQuery(async () => {
    /** @type {LobbyList} */
    const list = await clients.operator.get(`/admin/v1/applications/${app}/lobbies?limit=200`);
    return { now: Date.parse(list.now), lobbies: list.lobbies.map(({ lobby, ...rest }) => ({ ...lobby, ...rest })) };
  }, [clients, app]);
  useEffect(() => {
    const timer = setInterval(found.reload, 2000);
    return () => clearInterval(timer);
  }, [app]);
  return found;
}

/** @param {{ clients: Clients, applications: Application[], people: User[] }} props */
export function Lobbies({ clients, applications, people }) {
  const [app, setApp] = useState(applications[0]?.id ?? '');
  const [edited, setEdited] = useState(/** @type {ListedLobby | 'new' | null} */ (null));
  const found = useLobbies(clients, app);
  const remove = useAction(async (/** @type {ListedLobby} */ lobby) => {
    await clients.app(app).delete(`${api}/lobbies/${lobby.id}`);
    found.reload();
  });
  const onClose = (/** @type {boolean} */ changed) => {
    setEdited(null);
    if (changed) found.reload();
  };
  const { now = 0, lobbies = [] } = found.value ?? {};
  const cards = lobbies.map(
    (l) => html`
      <${LobbyCard} key=${l.id} lobby=${l} now=${now} people=${people} onEdit=${setEdited} onDelete=${remove.run} />
    `,
  );
  const editor = () => html`
    <${LobbyEditor} clients=${clients} app=${app} people=${people} lobby=${edited === 'new' ? null : edited}
      onClose=${onClose} />
  `;
  return html`
    <main class="page">
      <h1>${t.lobbies}</h1>
      <div class="line">
        <${Select} label=${t.application} value=${app} onValue=${setApp}
          choices=${applications.map((a) => [a.id, a.name])} />
        <button type="button" class="primary" disabled=${!app} onClick=${() => setEdited('new')}>${t.newLobby}</button>
      </div>
      <${Problem} error=${found.error ?? remove.error} />
      ${!found.value && found.busy ? html`<${Loading} />` : null}
      ${found.value && lobbies.length === 0 && html`<p>${t.noLobbies}</p>`}
      <ul class="cards">${cards}</ul>
      ${edited && editor()}
    </main>
  `;
}
