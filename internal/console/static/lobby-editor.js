// The dialog in which a lobby is created and changed.

/** @import { Lobby, LobbyMember, User } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
import { api } from './http.js';
import { SearchSelect } from './search-select.js';
import { useAction } from './state.js';
import { t } from './text.js';
import { Checkbox, Dialog, html, IconButton, Input, Problem, Text, TextArea, withoutDefault } from './ui.js';
import { fullName } from './user.js';
import { useState } from './vendor/hooks.js';

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
 * nameOf returns the names of a known user, or the id.
 * @param {User[]} people
 * @param {string} id
 */
export function nameOf(people, id) {
  const known = people.find((p) => p.id === id);
  return known ? fullName(known) : id;
}

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
        <${IconButton} icon="close" label=${t.removeNamed(nameOf(people, id))}
          onClick=${() => onChange(members.filter((m) => m.id !== id))} />
      </div>
    `,
  );
  return html`
    <fieldset>
      <legend>${t.members}</legend>
      ${rows}
      <div class="line">
        <${SearchSelect} label=${t.person} value=${user} onValue=${setUser}
          choices=${people.map((p) => [p.id, fullName(p)])} />
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
export function LobbyEditor({ clients, lobby, app, people, onClose }) {
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
