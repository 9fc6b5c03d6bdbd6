// Messages: text, embeds, attachments and components.

/** @import { Channel, Component, Embed, Emoji, Message, User } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
/** @import { MentionNames } from './markdown.js' */
/** @import { Point } from './press.js' */
/** @import { LoadedGuild, Session } from './session.js' */
import { borderColor, ComponentView } from './components.js';
import { EmojiView, emojiText } from './emoji.js';
import { createdAt } from './ids.js';
import { Markdown } from './markdown.js';
import { AttachmentView, Picture } from './media.js';
import { PollView } from './poll.js';
import { below, menuHandlers } from './press.js';
import { useAction } from './state.js';
import { t } from './text.js';
import { Moment, RelativeTime } from './time.js';
import { html, Icon, IconButton, Problem, Text } from './ui.js';
import { Avatar, avatarOf, displayName, fullName, handle, nameIn } from './user.js';
import { react } from './writing.js';

const flags = { ephemeral: 1 << 6, loading: 1 << 7 };
const typeReply = 19;
const typeCommandAnswer = 20;
const typeThreadStarter = 21;

/** The types of notices, which the service writes about what a user did. */
const notices = { pin: 6, join: 7, thread: 18, pollEnd: 46 };

/** The type of the interaction that submits a modal. */
const typeModal = 5;

/** @param {{ embed: Embed }} props */
function EmbedTitle({ embed }) {
  const title = html`<${Text} value=${embed.title} max=${256} />`;
  if (!(embed.url && /^https?:/.test(embed.url))) return html`<p class="heading h3">${title}</p>`;
  const rel = 'noopener noreferrer nofollow';
  return html`<p class="heading h3"><a href=${embed.url} target="_blank" rel=${rel}>${title}</a></p>`;
}

/** @param {{ embed: Embed, names: MentionNames }} props */
function EmbedView({ embed, names }) {
  const { author, title, description, fields, footer, timestamp } = embed;
  const fieldList = fields?.map(
    (f, i) => html`
      <div key=${i} class=${f.inline ? 'inline' : ''}>
        <dt><${Text} value=${f.name} max=${256} /></dt>
        <dd><${Markdown} text=${f.value} names=${names} max=${1024} /></dd>
      </div>
    `,
  );
  return html`
    <article class="embed" style=${borderColor(embed.color)}>
      ${author?.name && html`<p class="author"><${Text} value=${author.name} max=${256} /></p>`}
      ${title && html`<${EmbedTitle} embed=${embed} />`}
      ${description && html`<${Markdown} text=${description} names=${names} />`}
      ${fieldList?.length ? html`<dl>${fieldList}</dl>` : null}
      <${Picture} url=${embed.image?.url} />
      <${Picture} url=${embed.thumbnail?.url} />
      ${
        (footer?.text || timestamp) &&
        html`
          <footer>
            <${Text} value=${footer?.text} max=${2048} />
            ${timestamp && html` <${Moment} at=${timestamp} />`}
          </footer>
        `
      }
    </article>
  `;
}

/**
 * mentionNames returns the names of the users, roles and channels that the user of a session knows.
 * @param {Session} session
 * @param {LoadedGuild | undefined} guild
 * @returns {MentionNames}
 */
function mentionNames(session, guild) {
  return {
    user: (id) => {
      const member = guild?.members.find((m) => m.user.id === id);
      if (member) return nameIn(guild, member.user);
      return session.me?.id === id ? displayName(session.me) : undefined;
    },
    role: (id) => guild?.roles.find((r) => r.id === id)?.name,
    channel: (id) => session.channel(id)?.name,
  };
}

/**
 * InteractionLine names the user and what the message answers: a command, a component or a form. A follow-up names the
 * user alone, because the first answer names the rest.
 * @param {{ message: Message, guild?: LoadedGuild }} props
 */
function InteractionLine({ message, guild }) {
  const { interaction, interaction_metadata: metadata, type } = message;
  const user = metadata?.user ?? interaction?.user;
  if (!user) return null;
  const name = html`<${Text} value=${nameIn(guild, user)} max=${60} title=${fullName(user)} />`;
  if (metadata?.original_response_message_id) {
    return html`<p class="used"><${Icon} name="reply" size="small" /> ${t.followsUp} ${name}</p>`;
  }
  const slash = type === typeCommandAnswer ? '/' : '';
  const command = () => html`${t.used} <b>${slash}<${Text} value=${interaction?.name} max=${100} /></b>`;
  const other = metadata?.type === typeModal ? t.submittedForm : t.usedComponent;
  return html`
    <p class="used"><${Icon} name="reply" size="small" /> ${name} ${interaction?.name ? command() : other}</p>
  `;
}

/**
 * ReplyLine names the message that a message of a person or a bot answers, and goes to it. InteractionLine names what
 * an interaction answers.
 * @param {{ message: Message, guild?: LoadedGuild, onJump: (message: string) => unknown }} props
 */
function ReplyLine({ message, guild, onJump }) {
  const { referenced_message: answered, interaction_metadata: metadata, type } = message;
  if (type !== typeReply || metadata) return null;
  if (!answered) return html`<p class="used"><${Icon} name="reply" size="small" /> ${t.deletedMessage}</p>`;
  return html`
    <p class="used">
      <${Icon} name="reply" size="small" />
      <button type="button" class="quote" title=${t.showMessage} onClick=${() => onJump(answered.id)}>
        <b><${Text} value=${nameIn(guild, answered.author)} max=${60} /></b>${' '}
        <${Text} value=${answered.content} max=${80} />
      </button>
    </p>
  `;
}

/** @param {{ message: Message, session: Session }} props */
function Reactions({ message, session }) {
  const change = useAction((/** @type {Emoji} */ emoji) => react(session, message, emoji));
  if (!message.reactions?.length) return null;
  const chips = message.reactions.map(
    ({ emoji, count, me }) => html`
      <button key=${emoji.id ?? emoji.name} type="button" class="reaction" aria-pressed=${me ? 'true' : 'false'}
        aria-label=${t.reactionCount(emojiText(emoji), count)} onClick=${() => change.run(emoji)}>
        <${EmojiView} emoji=${emoji} /> <span class="number">${count}</span>
      </button>
    `,
  );
  return html`<p class="reactions">${chips}</p><${Problem} error=${change.error} />`;
}

/**
 * noticeOf returns what a notice says, and '' for other messages.
 * @param {Message} message
 */
function noticeOf({ type, content }) {
  if (type === notices.pin) return t.pinnedMessage;
  if (type === notices.join) return t.joinedGuild;
  if (type === notices.thread) return t.startedThread(content);
  return type === notices.pollEnd ? t.pollHasEnded : '';
}

/**
 * Notice shows a message that the service wrote about a user. The notice about a pin goes to the pinned message.
 * @param {{ message: Message, text: string, onJump: (message: string) => unknown }} props
 */
function Notice({ message, text, onJump }) {
  const pinned = message.type === notices.pin && message.message_reference?.message_id;
  const show = () => html`
    <button type="button" class="link" onClick=${() => onJump(pinned || '')}>${t.showMessage}</button>
  `;
  return html`<p class="note"><${Text} value=${text} max=${200} /> ${pinned && show()}</p>`;
}

/**
 * ThreadLink opens the thread that began with a message.
 * @param {{ thread: Channel, onOpen: (channel: string) => unknown }} props
 */
const ThreadLink = ({ thread, onOpen }) => html`
  <button type="button" class="small thread-link" onClick=${() => onOpen(thread.id)}>
    <${Icon} name="thread" /> <${Text} value=${thread.name} max=${60} />
    <span class="note">${t.messageCount(thread.message_count ?? 0)}</span>
  </button>
`;

/**
 * @param {MessageProps & { name: string }} props
 */
function MessageHeader({ message, name, onMenu, onPerson }) {
  const { author } = message;
  const username = author?.bot ? '' : handle(author, name);
  const created = createdAt(message.id);
  return html`
    <header>
      <b ...${menuHandlers((at) => onPerson(author, at))}><${Text} value=${name} max=${60} /></b>
      ${author?.bot && html`<span class="badge">${t.app}</span>`}
      ${username && html`<${Text} class="note" value=${username} />`}
      <${RelativeTime} date=${created} />
      ${message.edited_timestamp && html` <span class="note">${t.edited}</span>`}
      <${IconButton} icon="more" class="small quiet menu" aria-haspopup="dialog" label=${t.messageMenu(name)}
        onClick=${(/** @type {MouseEvent} */ e) => onMenu(message, below(e))} />
    </header>
  `;
}

/**
 * MessageContent shows the text of a message, its files, embeds, poll, components and reactions.
 * @param {MessageProps & { names: MentionNames, name: string }} props
 */
function MessageContent({ message, clients, session, guild, names, name, onUse, onJump }) {
  const place = { clients, session, guild, application: message.application_id ?? message.author?.id ?? '' };
  const use = (/** @type {Component} */ c, /** @type {string[] | undefined} */ v) => onUse(message, c, v);
  const components = message.components?.map(
    (c, i) => html`
      <${ComponentView} key=${c.id ?? i} component=${c} guild=${guild} names=${names} onUse=${use} place=${place} />
    `,
  );
  if ((message.flags ?? 0) & flags.loading) return html`<p class="busy" role="status">${t.thinking(name)}</p>`;
  const text = message.type === typeThreadStarter ? message.referenced_message?.content : message.content;
  const notice = noticeOf(message);
  return html`
    ${
      notice
        ? html`<${Notice} message=${message} text=${notice} onJump=${onJump} />`
        : html`<${Markdown} text=${text} names=${names} />`
    }
    ${message.attachments?.map((a) => html`<${AttachmentView} key=${a.id} attachment=${a} />`)}
    ${message.embeds?.map((e, i) => html`<${EmbedView} key=${i} embed=${e} names=${names} />`)}
    ${message.poll && html`<${PollView} message=${message} poll=${message.poll} session=${session} />`}
    ${components?.length ? html`<div class="components">${components}</div>` : null}
    <${Reactions} message=${message} session=${session} />
  `;
}

/**
 * @typedef {object} MessageProps
 * @property {Message} message
 * @property {Clients} clients
 * @property {Session} session
 * @property {LoadedGuild} [guild]
 * @property {Channel} [thread] the thread that began with the message
 * @property {(message: Message, component: Component, values?: string[]) => unknown} onUse
 * @property {(message: Message, at: Point) => unknown} onMenu
 * @property {(user: User, at: Point) => unknown} onPerson
 * @property {(message: string) => unknown} onJump goes to a message of the channel
 * @property {(channel: string) => unknown} onChannel
 * @property {boolean} linked whether the user went to the message
 */

/** @param {MessageProps} props */
export function MessageView(props) {
  const { message, session, guild, thread, onMenu, onPerson, onJump, onChannel, linked } = props;
  const names = mentionNames(session, guild);
  const isEphemeral = Boolean((message.flags ?? 0) & flags.ephemeral);
  const { author } = message;
  const name = nameIn(guild, author);
  const onlyYou = html`
    <p class="note only-you">
      <${Icon} name="hidden" size="small" /> ${t.onlyYou}${' '}
      <button type="button" class="link" onClick=${() => session.forgetMessage(message)}>${t.dismiss}</button>
    </p>
  `;
  return html`
    <article class="message ${isEphemeral ? 'ephemeral' : ''} ${linked ? 'linked' : ''}" data-message=${message.id}
      tabindex=${linked ? -1 : undefined} ...${menuHandlers((at) => onMenu(message, at))}>
      <${InteractionLine} message=${message} guild=${guild} />
      <${ReplyLine} message=${message} guild=${guild} onJump=${onJump} />
      <div class="body">
        <span class="author-image" ...${menuHandlers((at) => onPerson(author, at))}>
          <${Avatar} name=${name} id=${author?.id ?? ''} bot=${author?.bot} image=${avatarOf(author)} />
        </span>
        <div class="content">
          <${MessageHeader} ...${props} name=${name} />
          <${MessageContent} ...${props} names=${names} name=${name} />
          ${thread && html`<${ThreadLink} thread=${thread} onOpen=${onChannel} />`}
          ${isEphemeral ? onlyYou : null}
        </div>
      </div>
    </article>
  `;
}
