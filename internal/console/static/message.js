// Messages: text, embeds, attachments and components.

/** @import { Component, Embed, Message } from '../types/wire.js' */
/** @import { MentionNames } from './markdown.js' */
/** @import { LoadedGuild, Session } from './session.js' */
import { borderColor, ComponentView } from './components.js';
import { Markdown } from './markdown.js';
import { AttachmentView, Picture } from './media.js';
import { t } from './text.js';
import { RelativeTime } from './time.js';
import { html, Icon, IconButton, Text } from './ui.js';
import { Avatar, displayName } from './user.js';

const flags = { ephemeral: 1 << 6, loading: 1 << 7 };
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
            ${timestamp && html` <time>${new Date(timestamp).toLocaleString()}</time>`}
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
      tabindex=${linked ? -1 : undefined}>
      <${InteractionLine} message=${message} />
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
          ${components?.length ? html`<div class="components">${components}</div>` : null}
          ${isEphemeral ? onlyYou : null}
        </div>
      </div>
    </article>
  `;
}
