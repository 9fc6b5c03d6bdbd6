// The list of the channels that a user can see, with their threads and with who is in voice.

/** @import { Channel } from '../types/wire.js' */
/** @import { LoadedGuild, Session } from './session.js' */
import { t } from './text.js';
import { isForum, isThread, threadsOf } from './threads.js';
import { html, Icon, Skeleton, Text } from './ui.js';
import { displayName, fullName, nameIn } from './user.js';

export const typeText = 0;
const typeVoice = 2;
const typeCategory = 4;
const typeStage = 13;

/** The types of channels that have messages: text, voice, announcement, threads, stage, forum and media. */
const messageChannelTypes = new Set([typeText, typeVoice, 5, 10, 11, 12, typeStage, 15, 16]);

/** The most threads that are listed below a channel. */
const maxThreads = 10;

/** @param {Channel} channel */
export const channelName = ({ name, recipients }) => name ?? (recipients ?? []).map(displayName).join(', ');

/** @param {Channel} channel */
export const isVoice = ({ type }) => type === typeVoice || type === typeStage;

/**
 * channelIcon returns the icon of a channel.
 * @param {Channel} channel
 */
export function channelIcon(channel) {
  if (channel.recipients || !channel.guild_id) return 'at';
  if (isVoice(channel)) return 'voice';
  if (isForum(channel)) return 'chat';
  return isThread(channel) ? 'thread' : 'hash';
}

/**
 * @typedef {object} ListProps
 * @property {Session} session
 * @property {string} selected
 * @property {(id: string) => unknown} onSelect
 */

/** @param {ListProps & { channel: Channel }} props */
function ChannelButton({ channel, selected, onSelect }) {
  const current = channel.id === selected ? 'true' : undefined;
  const name = channelName(channel);
  const title = channel.recipients?.map((user) => fullName(user)).join(', ') ?? name;
  return html`
    <button type="button" aria-current=${current} title=${title} onClick=${() => onSelect(channel.id)}>
      <${Icon} name=${channelIcon(channel)} size="small" /> <${Text} value=${name} max=${60} />
      ${channel.nsfw ? html` <span class="badge">18+</span>` : ''}
    </button>
  `;
}

/**
 * InVoice names the members who are in a voice channel.
 * @param {{ session: Session, guild: LoadedGuild, channel: Channel }} props
 */
function InVoice({ session, guild, channel }) {
  const present = [...session.places.voices.values()].filter((v) => v.channel === channel.id);
  const nameOf = (/** @type {string} */ id) => {
    const user = guild.members.find((m) => m.user.id === id)?.user ?? { id, username: id };
    return fullName(user, nameIn(guild, user));
  };
  if (present.length === 0) return null;
  return html`
    <ul class="in-voice" aria-label=${t.inVoice}>
      ${present.map(({ user }) => html`<li key=${user}><${Text} value=${nameOf(user)} max=${40} /></li>`)}
    </ul>
  `;
}

/**
 * Threads lists the active threads of a channel. Of a forum it lists the posts that the user has joined or opened.
 * @param {ListProps & { channel: Channel }} props
 */
function Threads({ session, channel, selected, onSelect }) {
  const all = threadsOf(session, channel.id);
  const opened = session.places.threads.get(selected);
  const listed = isForum(channel) ? all.filter((c) => c.member) : all;
  const shown = listed.slice(0, maxThreads);
  if (opened?.parent_id === channel.id && !shown.includes(opened)) shown.push(opened);
  if (shown.length === 0) return null;
  return html`
    <ul class="threads">
      ${shown.map(
        (thread) => html`
          <li key=${thread.id}>
            <${ChannelButton} session=${session} channel=${thread} selected=${selected} onSelect=${onSelect} />
          </li>
        `,
      )}
    </ul>
  `;
}

/**
 * byCategory returns the channels of a guild in the order of clients, each category with its channels. Those without a
 * category come first.
 * @param {Channel[]} channels
 * @returns {[category: Channel | null, channels: Channel[]][]}
 */
function byCategory(channels) {
  const order = (/** @type {Channel} */ a, /** @type {Channel} */ b) =>
    Number(isVoice(a)) - Number(isVoice(b)) || (a.position ?? 0) - (b.position ?? 0);
  const shown = channels.filter((c) => messageChannelTypes.has(c.type)).sort(order);
  const categories = channels
    .filter((c) => c.type === typeCategory)
    .sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
  const loose = shown.filter((c) => !categories.some((category) => category.id === c.parent_id));
  const rest = categories.map(
    (category) => /** @type {[Channel, Channel[]]} */ ([category, shown.filter((c) => c.parent_id === category.id)]),
  );
  return [[null, loose], ...rest.filter(([, inside]) => inside.length > 0)];
}

/** @param {ListProps & { guild: LoadedGuild }} props */
function GuildChannels({ guild, ...props }) {
  const item = (/** @type {Channel} */ channel) => html`
    <li key=${channel.id}>
      <${ChannelButton} ...${props} channel=${{ ...channel, guild_id: guild.id }} />
      ${isVoice(channel) && html`<${InVoice} session=${props.session} guild=${guild} channel=${channel} />`}
      <${Threads} ...${props} channel=${channel} />
    </li>
  `;
  return html`
    <section>
      <h2><${Text} value=${guild.name} max=${60} /></h2>
      ${byCategory(guild.channels).map(
        ([category, channels]) => html`
          ${category && html`<h3><${Text} value=${category.name} max=${60} /></h3>`}
          <ul key=${category?.id ?? ''}>${channels.map(item)}</ul>
        `,
      )}
    </section>
  `;
}

/** @param {ListProps & { label: string }} props */
export function Channels({ label, ...props }) {
  const { session } = props;
  const directMessages = () => html`
    <section>
      <h2>${t.directMessages}</h2>
      <ul>
        ${session.directMessages.map((c) => html`<li key=${c.id}><${ChannelButton} ...${props} channel=${c} /></li>`)}
      </ul>
    </section>
  `;
  return html`
    <nav class="channels" aria-label=${label}>
      ${!session.loaded && html`<${Skeleton} lines=${6} />`}
      ${[...session.guilds.values()].map((g) => html`<${GuildChannels} key=${g.id} ...${props} guild=${g} />`)}
      ${session.directMessages.length > 0 && directMessages()}
    </nav>
  `;
}
