// A lobby as a card: members with presence, metadata, the time until it ends, and its events.

/** @import { LobbyMember, User } from '../types/wire.js' */
/** @import { ListedLobby, Metadata } from './lobby-editor.js' */
/** @import { LobbyEvent } from './lobby-history.js' */
import { nameOf } from './lobby-editor.js';
import { t } from './text.js';
import { Moment } from './time.js';
import { html, Icon, Text } from './ui.js';
import { Avatar } from './user.js';

/** @param {number} seconds */
function durationText(seconds) {
  const minutes = Math.floor(seconds / 60);
  if (seconds >= 3600) return t.hoursMinutes(Math.floor(seconds / 3600), minutes % 60);
  return seconds >= 60 ? t.minutesSeconds(minutes, seconds % 60) : t.onlySeconds(seconds);
}

/** @param {{ lobby: ListedLobby, now: number }} props */
function Countdown({ lobby, now }) {
  const { ends_at: endsAt, idle_timeout_seconds: timeout } = lobby;
  if (!endsAt) return html`<span class="badge good">${t.notIdle}</span>`;
  const left = Math.max(0, Math.round((Date.parse(endsAt) - now) / 1000));
  const text = t.endsIn(durationText(left));
  return html`
    <span class="badge ${left < 30 ? 'bad' : 'warn'}"><${Icon} name="clock" size="small" /> ${text}</span>
    <progress max=${timeout} value=${left} aria-label=${text}></progress>
  `;
}

/** @param {{ metadata: Metadata, label: string }} props */
function MetadataTable({ metadata, label }) {
  const entries = Object.entries(metadata ?? {});
  if (entries.length === 0) return null;
  const rows = entries.map(
    ([key, value]) => html`
      <tr key=${key}>
        <th scope="row"><${Text} value=${key} max=${200} /></th>
        <td><${Text} value=${value} max=${400} /></td>
      </tr>
    `,
  );
  return html`
    <table class="table metadata">
      <caption class="hidden">${label}</caption>
      <tbody>${rows}</tbody>
    </table>
  `;
}

/** @param {{ member: LobbyMember, name: string }} props */
function MemberRow({ member: { id, connected, metadata }, name }) {
  const text = Object.entries(metadata ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
  return html`
    <li class="member">
      <${Avatar} name=${name} id=${id} status=${{ state: connected ? 'online' : 'offline' }} small />
      <span><${Text} value=${name} max=${40} /></span>
      <span class="hint">${connected ? t.connected : t.notConnected}</span>
      ${text && html`<span class="hint"><${Text} value=${text} max=${200} /></span>`}
    </li>
  `;
}

/** @param {{ events: LobbyEvent[] }} props */
export function EventList({ events }) {
  const items = events.map(
    (e, i) => html`
      <li key=${events.length - i}>
        <${Moment} at=${e.at} /> <${Text} value=${e.text} max=${200} />
      </li>
    `,
  );
  return html`<ol class="lobby-events">${items}</ol>`;
}

/**
 * @typedef {object} LobbyCardProps
 * @property {ListedLobby} lobby
 * @property {number} now
 * @property {User[]} people
 * @property {LobbyEvent[]} events
 * @property {(lobby: ListedLobby) => unknown} onEdit
 * @property {(lobby: ListedLobby) => unknown} onEnd
 */

/** @param {LobbyCardProps} props */
export function LobbyCard({ lobby, now, people, events, onEdit, onEnd }) {
  const { id, metadata, members, linked_channel: channel } = lobby;
  return html`
    <li class="card lobby">
      <header>
        <h2><code>${id}</code></h2>
        <${Countdown} lobby=${lobby} now=${now} />
        <span class="badge">${t.idleTimeoutOf(lobby.idle_timeout_seconds)}</span>
        ${channel ? html`<span class="badge info">${t.linked}</span>` : ''}
        <span class="buttons">
          <button type="button" class="small" aria-label=${t.editNamed(id)} onClick=${() => onEdit(lobby)}>
            <${Icon} name="edit" /> ${t.edit}
          </button>
          <button type="button" class="small danger" aria-label=${t.endNamed(id)} onClick=${() => onEnd(lobby)}>
            <${Icon} name="trash" /> ${t.endLobby}
          </button>
        </span>
      </header>
      <div class="lobby-parts">
        <section aria-label=${t.members}>
          <h3>${t.members} (${members.length})</h3>
          <ul class="member-list">
            ${members.map((m) => html`<${MemberRow} key=${m.id} member=${m} name=${nameOf(people, m.id)} />`)}
          </ul>
        </section>
        <section aria-label=${t.metadata}>
          <h3>${t.metadata}</h3>
          ${!metadata && html`<p class="hint">${t.noMetadata}</p>`}
          <${MetadataTable} metadata=${metadata} label=${t.metadata} />
        </section>
        <section aria-label=${t.history}>
          <h3>${t.history}</h3>
          ${events.length === 0 && html`<p class="hint">${t.noLobbyEvents}</p>`}
          <${EventList} events=${events} />
        </section>
      </div>
    </li>
  `;
}
