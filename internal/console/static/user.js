// Names and avatars of users, and the states of apps.

/** @import { Application, AppStatus, Status, User } from '../types/wire.js' */
/** @import { LoadedGuild } from './session.js' */
import { t } from './text.js';
import { html } from './ui.js';

const hues = 8;

/** @param {User | undefined} user */
export const displayName = (user) => user?.global_name ?? user?.username ?? user?.id ?? '?';

/**
 * nameIn returns the name of a user in a guild: the nickname, or the display name.
 * @param {LoadedGuild | undefined} guild
 * @param {User | undefined} user
 */
export const nameIn = (guild, user) => guild?.members.find((m) => m.user.id === user?.id)?.nick ?? displayName(user);

/**
 * handle returns the username with its sign, or '' if the name that is shown says the same.
 * @param {User | undefined} user
 * @param {string} [shown]
 */
export const handle = (user, shown = displayName(user)) =>
  user?.username && shown.toLowerCase() !== user.username.toLowerCase() ? `@${user.username}` : '';

/**
 * fullName returns the name in a guild or the display name, with the username beside it if they differ.
 * @param {User | undefined} user
 * @param {string | null} [nick]
 */
export function fullName(user, nick) {
  const name = nick ?? displayName(user);
  return `${name} ${handle(user, name)}`.trim();
}

/**
 * hue returns the number of the color of an id. The same id has the same color everywhere.
 * @param {string} id
 */
const hue = (id) => [...id].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) % 9973, 7) % hues;

/**
 * StatusDot shows whether an app can receive interactions, by color and shape. It shows nothing without a status.
 * @param {{ status?: AppStatus }} props
 */
export function StatusDot({ status }) {
  if (!status) return '';
  return html`<span class="dot ${status.state}" title=${status.detail ?? t.appStates[status.state]}></span>`;
}

/**
 * avatarOf returns the path of the image of a user; undefined if there is none.
 * @param {User | undefined} user
 */
export const avatarOf = (user) => (user?.avatar ? `avatars/${user.id}/${user.avatar}.webp?size=128` : undefined);

/**
 * iconOf returns the path of the icon of an app; undefined if there is none.
 * @param {Application | undefined} app
 */
export const iconOf = (app) => (app?.icon ? `app-icons/${app.id}/${app.icon}.webp?size=128` : undefined);

/**
 * Avatar is the image of a user or an app. Without one it is the first letter of the name on the color of the id. Apps
 * have square avatars, with their status. presence is the status of a person.
 * @typedef {object} AvatarProps
 * @property {string} name
 * @property {string} id
 * @property {boolean} [bot]
 * @property {AppStatus} [status]
 * @property {Status} [presence]
 * @property {boolean} [small]
 * @property {string} [image] the path of the image
 */

/** @param {AvatarProps} props */
export function Avatar({ name, id, bot, status, presence, small, image }) {
  const [initial = '?'] = name;
  const classes = `avatar hue-${hue(id)} ${bot ? 'bot' : ''} ${small ? 'small' : ''}`;
  const dot = presence && html`<span class="dot ${presence}" title=${t.presences[presence]}></span>`;
  return html`
    <span class=${classes} aria-hidden="true">
      ${image ? html`<img src=${image} alt="" loading="lazy" />` : initial.toUpperCase()}
      ${dot}<${StatusDot} status=${status} />
    </span>
  `;
}

/**
 * AppState shows whether an app can receive interactions: the dot and the word. It shows nothing without a status.
 * @param {{ status?: AppStatus }} props
 */
export function AppState({ status }) {
  if (!status) return '';
  return html`
    <span class="status note" title=${status.detail}>
      <${StatusDot} status=${status} /> ${t.appStates[status.state]}
    </span>
  `;
}
