// Names and avatars of users, and the states of apps.

/** @import { AppStatus, User } from '../types/wire.js' */
import { t } from './text.js';
import { html } from './ui.js';

/** @param {User | undefined} user */
export const displayName = (user) => user?.global_name ?? user?.username ?? user?.id ?? '?';

/** @param {{ name: string, bot?: boolean }} props */
export function Avatar({ name, bot }) {
  const [initial = '?'] = name;
  return html`<span class="avatar ${bot ? 'bot' : ''}" aria-hidden="true">${initial.toUpperCase()}</span>`;
}

/**
 * AppState shows whether an app can receive interactions. It shows nothing without a status.
 * @param {{ status?: AppStatus }} props
 */
export function AppState({ status }) {
  if (!status) return '';
  const good = status.state === 'online' || status.state === 'endpoint';
  return html`<span class="state ${good ? 'good' : 'bad'}" title=${status.detail}>${t.appStates[status.state]}</span>`;
}
