// The pinned messages of a channel.

/** @import { Message, Pin } from '../types/wire.js' */
/** @import { LoadedChannel, LoadedGuild, Session } from './session.js' */
import { api } from './http.js';
import { createdAt } from './ids.js';
import { useAction, useQuery } from './state.js';
import { t } from './text.js';
import { RelativeTime } from './time.js';
import { Dialog, html, IconButton, Problem, Skeleton, Text } from './ui.js';
import { Avatar, avatarOf, fullName, nameIn } from './user.js';

/** The most pins that a request returns. A channel has at most 250. */
const pageSize = 50;

/** @param {string} channel */
const pathOf = (channel) => `${api}/channels/${channel}/messages/pins`;

/**
 * setPinned pins a message, or takes its pin away.
 * @param {Session} session
 * @param {Message} message
 * @param {boolean} pinned
 */
export const setPinned = (session, { channel_id: channel, id }, pinned) =>
  session.client.request(pinned ? 'PUT' : 'DELETE', `${pathOf(channel)}/${id}`);

/**
 * summaryOf returns a line that says what is in a message: its text, or what it has in place of one.
 * @param {Message} message
 */
function summaryOf({ content, attachments, poll, embeds }) {
  const [embed] = embeds ?? [];
  return content || poll?.question.text || embed?.title || embed?.description || attachments?.[0]?.filename || '…';
}

/**
 * @param {{ pin: Pin, guild?: LoadedGuild, onJump: (message: Message) => unknown,
 *   onRemove: (message: Message) => unknown }} props
 */
function PinItem({ pin: { message }, guild, onJump, onRemove }) {
  const { author } = message;
  const name = nameIn(guild, author);
  return html`
    <li>
      <button type="button" class="item" onClick=${() => onJump(message)}>
        <${Avatar} small name=${name} id=${author.id} bot=${author.bot} image=${avatarOf(author)} />
        <span class="two-lines">
          <span>
            <b><${Text} value=${name} max=${60} title=${fullName(author, name)} /></b>
            <${RelativeTime} date=${createdAt(message.id)} />
          </span>
          <${Text} value=${summaryOf(message)} max=${200} />
        </span>
      </button>
      <${IconButton} icon="close" class="small quiet" label=${t.unpin} onClick=${() => onRemove(message)} />
    </li>
  `;
}

/**
 * PinsDialog lists the pinned messages of a channel, the newest pin first. A click on one goes to it.
 * @param {{ session: Session, channel: LoadedChannel, onJump: (message: Message) => unknown,
 *   onClose: () => unknown }} props
 */
export function PinsDialog({ session, channel, onJump, onClose }) {
  const load = async () => {
    /** @type {Pin[]} */
    const all = [];
    for (let before = ''; ; before = `&before=${encodeURIComponent(all.at(-1)?.pinned_at ?? '')}`) {
      /** @type {{ items: Pin[], has_more: boolean }} */
      const page = await session.client.get(`${pathOf(channel.id)}?limit=${pageSize}${before}`);
      all.push(...page.items);
      if (!page.has_more || page.items.length === 0) return all;
    }
  };
  const { value: pins, error, reload } = useQuery(load, [session, channel.id]);
  const remove = useAction(async (/** @type {Message} */ message) => {
    await setPinned(session, message, false);
    await reload();
  });
  const list = pins?.map(
    (pin) => html`
      <${PinItem} key=${pin.message.id} pin=${pin} guild=${channel.guild} onJump=${onJump} onRemove=${remove.run} />
    `,
  );
  return html`
    <${Dialog} title=${t.pins} onClose=${onClose}>
      ${!(list || error) && html`<${Skeleton} lines=${3} />`}
      ${list?.length === 0 && html`<p class="note">${t.noPins}</p>`}
      ${list && list.length > 0 && html`<ul class="menu-list pins">${list}</ul>`}
      <${Problem} error=${error ?? remove.error} />
    <//>
  `;
}
