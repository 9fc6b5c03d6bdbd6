// The list of the channels that a user can see.

/** @import { Channel } from '../types/wire.js' */
/** @import { LoadedGuild, Session } from './session.js' */
import { t } from './text.js';
import { html, Icon, Skeleton, Text } from './ui.js';
import { displayName } from './user.js';

export const typeText = 0;
const typeVoice = 2;

/** The types of channels that have messages: text, voice, announcement, threads, stage, forum and media. */
const messageChannelTypes = new Set([typeText, typeVoice, 5, 10, 11, 12, 13, 15, 16]);

/** @param {Channel} channel */
export const channelName = ({ name, recipients }) => name ?? (recipients ?? []).map(displayName).join(', ');

/**
 * channelIcon returns the icon of a channel.
 * @param {Channel} channel
 */
export function channelIcon({ type, guild_id, recipients }) {
  if (recipients || !guild_id) return 'at';
  if (type === typeVoice) return 'voice';
  return type >= 10 && type <= 12 ? 'thread' : 'hash';
}

/** @param {{ channel: Channel, icon: string, selected: boolean, onSelect: (id: string) => unknown }} props */
function ChannelButton({ channel, icon, selected, onSelect }) {
  return html`
    <li>
      <button type="button" aria-current=${selected ? 'true' : undefined} onClick=${() => onSelect(channel.id)}>
        <${Icon} name=${icon} size="small" /> <${Text} value=${channelName(channel)} max=${60} />
        ${channel.nsfw ? html` <span class="badge">18+</span>` : ''}
      </button>
    </li>
  `;
}

/** @param {{ session: Session, label: string, selected: string, onSelect: (id: string) => unknown }} props */
export function Channels({ session, label, selected, onSelect }) {
  const button = (/** @type {Channel} */ c, /** @type {string} */ icon) => html`
    <${ChannelButton} key=${c.id} channel=${c} icon=${icon} selected=${c.id === selected} onSelect=${onSelect} />
  `;
  const guildButtons = (/** @type {LoadedGuild} */ guild) =>
    guild.channels
      .filter((c) => messageChannelTypes.has(c.type))
      .map((c) => button(c, channelIcon({ ...c, guild_id: guild.id })));
  const directMessages = () => html`
    <section>
      <h2>${t.directMessages}</h2>
      <ul>${session.directMessages.map((c) => button(c, 'at'))}</ul>
    </section>
  `;
  return html`
    <nav class="channels" aria-label=${label}>
      ${!session.loaded && html`<${Skeleton} lines=${6} />`}
      ${[...session.guilds.values()].map(
        (g) => html`
          <section key=${g.id}>
            <h2><${Text} value=${g.name} max=${60} /></h2>
            <ul>${guildButtons(g)}</ul>
          </section>
        `,
      )}
      ${session.directMessages.length > 0 && directMessages()}
    </nav>
  `;
}
