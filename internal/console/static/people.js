// The list of people and apps of a guild.

/** @import { AppStatus, Status, User } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
/** @import { Point } from './press.js' */
/** @import { LoadedChannel, LoadedGuild, Session } from './session.js' */
import { below, menuHandlers } from './press.js';
import { useQuery } from './state.js';
import { t } from './text.js';
import { html, IconButton, Text } from './ui.js';
import { AppState, Avatar, avatarOf, displayName, fullName, handle } from './user.js';
import { useEffect } from './vendor/hooks.js';

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

/** How often the presences of people are asked for, in milliseconds. */
const presenceInterval = 5000;

/**
 * usePresences keeps the presences of a guild up to date while the page is visible. Sessions of people get no events
 * about them.
 * @param {Session} session
 * @param {LoadedGuild | undefined} guild
 */
function usePresences(session, guild) {
  const isReady = session.gateway.state === 'ready';
  useEffect(() => {
    if (!(guild && isReady)) return undefined;
    const ask = () => document.hidden || session.askPresences(guild);
    ask();
    const timer = setInterval(ask, presenceInterval);
    return () => clearInterval(timer);
  }, [session, guild?.id, guild?.members.length, isReady]);
}

/**
 * @typedef {object} PersonProps
 * @property {User} user
 * @property {string} [nick]
 * @property {AppStatus} [status] of an app
 * @property {Status} [presence]
 * @property {(user: User, at: Point) => unknown} onMenu
 */

/** @param {PersonProps} props */
function Person({ user, nick, status, presence, onMenu }) {
  const name = nick ?? displayName(user);
  const isUsual = !presence || presence === 'online' || presence === 'offline';
  const words = [handle(user, name), !isUsual && t.presences[presence]].filter(Boolean).join(' · ');
  return html`
    <li ...${menuHandlers((at) => onMenu(user, at))}>
      <${Avatar} small name=${name} id=${user.id} bot=${user.bot} status=${status} presence=${presence}
        image=${avatarOf(user)} />
      <span class="person">
        <${Text} value=${name} max=${40} title=${fullName(user, nick)} />
        ${words && html`<${Text} class="note" value=${words} max=${60} />`}
        ${presence && isUsual && html`<span class="hidden">${t.presences[presence]}</span>`}
        <${AppState} status=${status} />
      </span>
      <${IconButton} icon="more" class="small quiet" aria-haspopup="dialog" label=${t.appsFor(name)}
        onClick=${(/** @type {MouseEvent} */ e) => onMenu(user, below(e))} />
    </li>
  `;
}

/**
 * @typedef {object} PeopleProps
 * @property {Clients} clients
 * @property {LoadedChannel} [channel]
 * @property {Session} session
 * @property {string} label
 * @property {(user: User, at: Point) => unknown} onMenu
 */

/** @param {PeopleProps} props */
export function People({ clients, channel, session, label, onMenu }) {
  const guild = channel?.guild;
  const states = useAppStates(clients, session);
  usePresences(session, guild);
  const { presences } = session.places;
  const shown = guild?.members ?? (channel?.recipients ?? []).map((user) => ({ user, nick: undefined }));
  const items = shown.map(
    ({ user, nick }) => html`
      <${Person} key=${user.id} user=${user} nick=${nick} onMenu=${onMenu} status=${states.get(user.id)}
        presence=${user.bot ? undefined : presences.get(user.id)} />
    `,
  );
  return html`
    <aside class="people" aria-label=${label}>
      <h2>${t.people}</h2>
      <ul>${items}</ul>
    </aside>
  `;
}
