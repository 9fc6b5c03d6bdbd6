// The list of people and apps of a guild.

/** @import { User } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
/** @import { LoadedGuild, Session } from './session.js' */
import { useEffect } from '/assets/vendor/hooks.js';
import { useQuery } from './state.js';
import { t } from './text.js';
import { html, IconButton, Text } from './ui.js';
import { AppState, Avatar, displayName, handle } from './user.js';

/**
 * useAppStates returns the apps with their states. It asks again when an invocation begins or ends, when commands
 * change, and every few seconds: a bot that starts or stops sends no event. Users who signed in with an account get
 * none.
 * @param {Clients} clients
 * @param {Session} session
 */
function useAppStates(clients, session) {
  const waiting = [...session.pending.values()].map((p) => p.nonce + p.state).join(' ');
  const load = async () => (clients.account ? [] : clients.applications());
  const { value: apps = [], reload } = useQuery(load, [clients, waiting, session.commandsVersion]);
  useEffect(() => {
    if (clients.account) return undefined;
    const timer = setInterval(() => document.hidden || reload(), 3000);
    return () => clearInterval(timer);
  }, [clients, reload]);
  return new Map(apps.map((a) => [a.id, a.status]));
}

/**
 * @typedef {object} PeopleProps
 * @property {Clients} clients
 * @property {LoadedGuild} [guild]
 * @property {Session} session
 * @property {string} label
 * @property {(user: User) => unknown} onMenu
 * @property {(user: User) => unknown} onMessage
 */

/** @param {PeopleProps} props */
export function People({ clients, guild, session, label, onMenu, onMessage }) {
  const states = useAppStates(clients, session);
  const items = guild?.members.map(({ user, nick }) => {
    const name = displayName(user);
    const messageButton = html`
      <${IconButton} icon="mail" class="small quiet" label=${t.messageTo(name)} onClick=${() => onMessage(user)} />
    `;
    return html`
      <li key=${user.id}>
        <${Avatar} small name=${name} id=${user.id} bot=${user.bot} status=${states.get(user.id)} />
        <span class="person">
          <${Text} value=${nick ?? name} max=${40} />
          ${handle(user) && html`<${Text} class="note" value=${handle(user)} max=${40} />`}
          <${AppState} status=${states.get(user.id)} />
        </span>
        <span class="buttons">
          ${user.id !== session.userID && messageButton}
          <${IconButton} icon="more" class="small quiet" aria-haspopup="menu" label=${t.appsFor(name)}
            onClick=${() => onMenu(user)} />
        </span>
      </li>
    `;
  });
  return html`
    <aside class="people" aria-label=${label}>
      <h2>${t.people}</h2>
      <ul>${items}</ul>
    </aside>
  `;
}
