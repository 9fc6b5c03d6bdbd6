// Messages: text, embeds, attachments and components.

/** @import { Component, Embed, Emoji, Message, Poll } from '../types/wire.js' */
/** @import { MentionNames } from './markdown.js' */
/** @import { LoadedGuild, Session } from './session.js' */
import { borderColor, ComponentView } from './components.js';
import { Markdown } from './markdown.js';
import { AttachmentView, Picture } from './media.js';
import { useAction } from './state.js';
import { t } from './text.js';
import { Moment, RelativeTime } from './time.js';
import { html, Icon, IconButton, Problem, Text, withoutDefault } from './ui.js';
import { Avatar, displayName } from './user.js';
import { react } from './writing.js';

const flags = { ephemeral: 1 << 6, loading: 1 << 7 };
const typeReply = 19;
const typeCommandAnswer = 20;

/** The type of the interaction that submits a modal. */
const typeModal = 5;

/**
 * createdAt returns the moment at which an id was created.
 * @param {string} id
 */
const createdAt = (id) => new Date(Number((BigInt(id) >> 22n) + 1420070400000n));

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
      if (member) return member.nick ?? displayName(member.user);
      return session.me?.id === id ? displayName(session.me) : undefined;
    },
    role: (id) => guild?.roles.find((r) => r.id === id)?.name,
    channel: (id) => session.channel(id)?.name,
  };
}

/**
 * InteractionLine names the user and what the message answers: a command, a component or a form. A follow-up names the
 * user alone, because the first answer names the rest.
 * @param {{ message: Message }} props
 */
function InteractionLine({ message }) {
  const { interaction, interaction_metadata: metadata, type } = message;
  const user = metadata?.user ?? interaction?.user;
  if (!user) return null;
  const name = html`<${Text} value=${displayName(user)} max=${60} />`;
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
 * ReplyLine names the message that a message of a person or a bot answers. InteractionLine names what an interaction
 * answers.
 * @param {{ message: Message }} props
 */
function ReplyLine({ message }) {
  const { referenced_message: answered, interaction_metadata: metadata, type } = message;
  if (type !== typeReply || metadata) return null;
  const quote = () => html`
    <b><${Text} value=${displayName(answered?.author)} max=${60} /></b> <${Text} value=${answered?.content} max=${80} />
  `;
  return html`<p class="used"><${Icon} name="reply" size="small" /> ${answered ? quote() : t.deletedMessage}</p>`;
}

/** @param {Emoji} emoji */
const emojiText = ({ id, name }) => (id ? `:${name}:` : (name ?? ''));

/** @param {{ message: Message, session: Session }} props */
function Reactions({ message, session }) {
  const change = useAction((/** @type {Emoji} */ emoji) => react(session, message, emoji));
  if (!message.reactions?.length) return null;
  const chips = message.reactions.map(
    ({ emoji, count, me }) => html`
      <button key=${emoji.id ?? emoji.name} type="button" class="reaction" aria-pressed=${me ? 'true' : 'false'}
        aria-label=${t.reactionCount(emojiText(emoji), count)} onClick=${() => change.run(emoji)}>
        ${emojiText(emoji)} <span class="number">${count}</span>
      </button>
    `,
  );
  return html`<p class="reactions">${chips}</p><${Problem} error=${change.error} />`;
}

/** @param {{ poll: Poll }} props */
function PollView({ poll }) {
  const { question, answers, results } = poll;
  const countOf = (/** @type {number} */ id) => results?.answer_counts.find((c) => c.id === id)?.count ?? 0;
  const rows = answers.map(
    ({ answer_id: id, poll_media: media }) => html`
      <li key=${id}>
        ${media.emoji && html`${emojiText(media.emoji)} `}<${Text} value=${media.text} max=${55} />
        <span class="number">${countOf(id)}</span>
      </li>
    `,
  );
  return html`
    <section class="poll" aria-label=${t.poll}>
      <p class="heading h3"><${Text} value=${question.text} max=${300} /></p>
      <ul>${rows}</ul>
      <p class="note">${results?.is_finalized ? t.pollEnded : t.pollOpen}</p>
    </section>
  `;
}

/** @param {{ message: Message, name: string, onMenu: (message: Message) => unknown }} props */
function MessageHeader({ message, name, onMenu }) {
  const created = createdAt(message.id);
  return html`
    <header>
      <b><${Text} value=${name} max=${60} /></b>
      ${message.author?.bot && html` <span class="badge">${t.app}</span>`}
      <${RelativeTime} date=${created} />
      ${message.edited_timestamp && html` <span class="note">${t.edited}</span>`}
      <${IconButton} icon="more" class="small quiet menu" aria-haspopup="menu" label=${t.messageMenu(name)}
        onClick=${() => onMenu(message)} />
    </header>
  `;
}

/**
 * @typedef {object} MessageProps
 * @property {Message} message
 * @property {Session} session
 * @property {LoadedGuild} [guild]
 * @property {(message: Message, component: Component, values?: string[]) => unknown} onUse
 * @property {(message: Message) => unknown} onMenu
 * @property {boolean} linked whether the address names the message
 */

/** @param {MessageProps} props */
export function MessageView({ message, session, guild, onUse, onMenu, linked }) {
  const names = mentionNames(session, guild);
  const isEphemeral = Boolean((message.flags ?? 0) & flags.ephemeral);
  const isLoading = Boolean((message.flags ?? 0) & flags.loading);
  const name = displayName(message.author);
  const use = (/** @type {Component} */ c, /** @type {string[] | undefined} */ v) => onUse(message, c, v);
  const components = message.components?.map(
    (c, i) => html`
      <${ComponentView} key=${c.id ?? i} component=${c} guild=${guild} names=${names} onUse=${use} />
    `,
  );
  const onlyYou = html`
    <p class="note only-you">
      <${Icon} name="hidden" size="small" /> ${t.onlyYou}${' '}
      <button type="button" class="link" onClick=${() => session.forgetMessage(message)}>${t.dismiss}</button>
    </p>
  `;
  return html`
    <article class="message ${isEphemeral ? 'ephemeral' : ''} ${linked ? 'linked' : ''}" data-message=${message.id}
      tabindex=${linked ? -1 : undefined} onContextMenu=${withoutDefault(() => onMenu(message))}>
      <${InteractionLine} message=${message} />
      <${ReplyLine} message=${message} />
      <div class="body">
        <${Avatar} name=${name} id=${message.author?.id ?? ''} bot=${message.author?.bot} />
        <div class="content">
          <${MessageHeader} message=${message} name=${name} onMenu=${onMenu} />
          ${
            isLoading
              ? html`<p class="busy" role="status">${t.thinking(name)}</p>`
              : html`<${Markdown} text=${message.content} names=${names} />`
          }
          ${message.attachments?.map((a) => html`<${AttachmentView} key=${a.id} attachment=${a} />`)}
          ${message.embeds?.map((e, i) => html`<${EmbedView} key=${i} embed=${e} names=${names} />`)}
          ${message.poll && html`<${PollView} poll=${message.poll} />`}
          ${components?.length ? html`<div class="components">${components}</div>` : null}
          <${Reactions} message=${message} session=${session} />
          ${isEphemeral ? onlyYou : null}
        </div>
      </div>
    </article>
  `;
}
