// Names and avatars of users.

/** @import { User } from '../types/wire.js' */
import { html } from './ui.js';

/** @param {User | undefined} user */
export const displayName = (user) => user?.global_name ?? user?.username ?? user?.id ?? '?';

/** @param {{ name: string, bot?: boolean }} props */
export function Avatar({ name, bot }) {
  const [initial = '?'] = name;
  return html`<span class="avatar ${bot ? 'bot' : ''}" aria-hidden="true">${initial.toUpperCase()}</span>`;
}
