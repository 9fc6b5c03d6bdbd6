// Dialogs that list commands: on a user, on a message, and activities.

/** @import { Emoji, IndexedCommand, Message, User } from '../types/wire.js' */
/** @import { Child } from '../types/preact.js' */
/** @import { LoadedGuild, Session } from './session.js' */
/** @import { InputEvent } from './ui.js' */
/** @import { Draft } from './writing.js' */
import { useState } from '/assets/vendor/hooks.js';
import { EmojiView, emojiText } from './emoji.js';
import { defaultName } from './options.js';
import { useAction, useQuery } from './state.js';
import { t } from './text.js';
import { hasThreads } from './threads.js';
import { CopyButton, Dialog, html, Icon, Problem, Skeleton, Text, withoutDefault } from './ui.js';
import { Avatar, avatarOf, displayName, handle } from './user.js';
import { react, removeMessage } from './writing.js';

/** Types of commands. */
const commandType = { user: 2, message: 3, entryPoint: 4 };

/**
 * A channel, with its guild if it is in one.
 * @typedef {{ session: Session, channel: string, guild?: LoadedGuild }} ChannelProps
 */

/**
 * @typedef {object} CommandMenuProps
 * @property {string} title
 * @property {string} empty
 * @property {number} type
 * @property {string} [target] the user or message that the command is used on
 * @property {(command: IndexedCommand, application: string) => Child} show
 * @property {() => unknown} onClose
 * @property {Child} [children] shown below the commands
 * @property {Child} [above] shown above the commands
 */

/**
 * CommandMenu lists the commands of a type, and invokes the one that the user chooses.
 * @param {ChannelProps & CommandMenuProps} props
 */
function CommandMenu({ session, channel, guild, title, empty, type, target, show, onClose, children, above }) {
  const found = useQuery(() => session.search(channel, type, ''), [session, channel, type]);
  const invoke = useAction(async (/** @type {IndexedCommand} */ c) => {
    const { id, version, guild_id } = c;
    const name = defaultName(c);
    const data = { id, version, name, type, target_id: target, guild_id, options: [] };
    const invocation = { type: 2, application_id: c.application_id, channel_id: channel, guild_id: guild?.id, data };
    onClose();
    const step = type === commandType.entryPoint ? { launch: name } : { use: name, on: target };
    await session.invoke(invocation, c.name, { step }).catch(() => {}); // the timeline shows the failure
  });
  const { application_commands: commands = [], applications = [] } = found.value ?? {};
  const sorted = [...commands].sort((a, b) => a.application_id.localeCompare(b.application_id));
  const items = sorted.map(
    (c) => html`
      <li key=${c.id}>
        <button type="button" disabled=${invoke.busy} onClick=${() => invoke.run(c)}>
          ${show(c, applications.find((a) => a.id === c.application_id)?.name ?? '')}
        </button>
      </li>
    `,
  );
  return html`
    <${Dialog} title=${title} onClose=${onClose}>
      ${above}
      ${found.busy ? html`<${Skeleton} lines=${2} />` : null}
      <${Problem} error=${found.error} />
      ${found.value && (items.length ? html`<ul class="menu-list">${items}</ul>` : html`<p class="note">${empty}</p>`)}
      ${children}
    <//>
  `;
}

/**
 * messageLink returns the address of a message in the console.
 * @param {Message} message
 */
const messageLink = ({ channel_id: channel, id }) =>
  `${location.origin}/#/play?${new URLSearchParams({ channel, message: id })}`;

/** @typedef {{ user: User } | { message: Message } | 'activities'} MenuTarget */

/**
 * What a window shows above the chat: a menu, the record, the threads of the channel, or the form for a thread that
 * begins with a message.
 * @typedef {MenuTarget | 'record' | 'threads' | { threadOf: Message }} Opened
 */

/**
 * CommandOf shows a command of a menu with its application.
 * @param {IndexedCommand} command
 * @param {string} application
 */
const commandOf = (command, application) => html`
  <${Avatar} small bot name=${application} id=${command.application_id} />
  <b><${Text} value=${command.name} max=${32} /></b>
  <${Text} class="note" value=${application} max=${60} />
`;

/**
 * @param {IndexedCommand} command
 * @param {string} application
 */
const activityOf = (command, application) => html`
  <b><${Text} value=${application || command.name} max=${60} /></b>
  <${Text} class="note" value=${command.name} max=${32} />
`;

const quickEmojis = ['👍', '❤️', '😂', '🎉', '👀'];
const flagEphemeral = 1 << 6;

/** The most custom emojis that a menu offers. */
const maxEmojis = 25;

/**
 * ReactionPicker reacts with a common emoji, a custom one of the guild, or any other.
 * @param {{ guild?: LoadedGuild, busy: boolean, onPick: (emoji: Emoji) => unknown }} props
 */
function ReactionPicker({ guild, busy, onPick }) {
  const [text, setText] = useState('');
  /** @type {Emoji[]} */
  const emojis = [...quickEmojis.map((name) => ({ name })), ...(guild?.emojis ?? []).slice(0, maxEmojis)];
  const buttons = emojis.map(
    (emoji) => html`
      <button key=${emoji.id ?? emoji.name} type="button" class="quiet" aria-label=${t.reactWith(emojiText(emoji))}
        disabled=${busy} onClick=${() => onPick(emoji)}><${EmojiView} emoji=${emoji} /></button>
    `,
  );
  return html`
    <form class="toolbar reactions-quick" onSubmit=${withoutDefault(() => text && onPick({ name: text.trim() }))}>
      ${buttons}
      <input class="emoji-input" aria-label=${t.otherEmoji} placeholder=${t.otherEmoji} value=${text} maxlength="16"
        autocomplete="off" onInput=${(/** @type {InputEvent} */ e) => setText(e.currentTarget.value)} />
    </form>
  `;
}

/**
 * @typedef {object} ActionsProps
 * @property {Session} session
 * @property {Message} message
 * @property {LoadedGuild} [guild]
 * @property {() => unknown} onClose
 * @property {(draft: Draft) => unknown} onDraft
 * @property {(opened: Opened) => unknown} onTarget opens another menu or dialog
 */

/**
 * MessageActions shows the actions on a message that need no app.
 * @param {ActionsProps} props
 */
function MessageActions({ session, message, guild, onClose, onDraft, onTarget }) {
  const act = useAction(async (/** @type {() => Promise<unknown>} */ run) => {
    await run();
    onClose();
  });
  const draft = (/** @type {Draft['kind']} */ kind) => () => {
    onClose();
    onDraft({ kind, message });
  };
  if ((message.flags ?? 0) & flagEphemeral) return null;
  const own = message.author?.id === session.userID;
  const place = session.channel(message.channel_id);
  const canThread =
    place && hasThreads({ ...place, guild_id: place.guild?.id }) && !session.places.threads.has(message.id);
  return html`
    <${ReactionPicker} guild=${guild} busy=${act.busy}
      onPick=${(/** @type {Emoji} */ emoji) => act.run(() => react(session, message, emoji))} />
    <p class="toolbar">
      <button type="button" data-first onClick=${draft('reply')}><${Icon} name="reply" /> ${t.reply}</button>
      ${own && html`<button type="button" onClick=${draft('edit')}><${Icon} name="edit" /> ${t.edit}</button>`}
      ${
        canThread &&
        html`
          <button type="button" onClick=${() => onTarget({ threadOf: message })}>
            <${Icon} name="thread" /> ${t.createThread}
          </button>
        `
      }
      <button type="button" disabled=${act.busy} onClick=${() => act.run(() => removeMessage(session, message))}>
        <${Icon} name="trash" /> ${t.remove}
      </button>
      <button type="button" onClick=${() => onTarget({ user: message.author })}>
        <${Icon} name="user" /> ${t.menuOf(displayName(message.author))}
      </button>
    </p>
    <${Problem} error=${act.error} />
  `;
}

/**
 * PersonActions shows what can be done with a person that needs no app.
 * @param {{ session: Session, user: User, onMessage: (user: User) => unknown, onClose: () => unknown }} props
 */
function PersonActions({ session, user, onMessage, onClose }) {
  const name = displayName(user);
  const write = () => {
    onClose();
    onMessage(user);
  };
  return html`
    <p class="who-is">
      <${Avatar} name=${name} id=${user.id} bot=${user.bot} image=${avatarOf(user)} />
      <span><b><${Text} value=${name} max=${60} /></b> <${Text} class="note" value=${handle(user)} max=${60} /></span>
    </p>
    ${
      user.id !== session.userID &&
      html`
        <p class="toolbar">
          <button type="button" onClick=${write}><${Icon} name="mail" /> ${t.messageTo(name)}</button>
        </p>
      `
    }
  `;
}

/**
 * @typedef {object} TargetProps
 * @property {MenuTarget} target
 * @property {() => unknown} onClose
 * @property {(draft: Draft) => unknown} onDraft
 * @property {(opened: Opened) => unknown} onTarget
 * @property {(user: User) => unknown} onMessage opens the direct messages with a user
 */

/**
 * TargetMenu lists the commands for a user or a message, or the activities of a channel. For a message it has also
 * what a user can do with it.
 * @param {ChannelProps & TargetProps} props
 */
export function TargetMenu({ target, onDraft, onTarget, onMessage, ...props }) {
  const { session, guild, onClose } = props;
  if (target === 'activities') {
    return html`
      <${CommandMenu} ...${props} title=${t.activities} empty=${t.noActivities} type=${commandType.entryPoint}
        show=${activityOf} />
    `;
  }
  if ('user' in target) {
    const above = html`
      <${PersonActions} session=${session} user=${target.user} onMessage=${onMessage} onClose=${onClose} />
    `;
    return html`
      <${CommandMenu} ...${props} title=${t.appsFor(displayName(target.user))} empty=${t.noAppCommands}
        type=${commandType.user} target=${target.user.id} show=${commandOf} above=${above}>
        <p class="toolbar"><${CopyButton} text=${target.user.id} label=${t.copyID} /></p>
      <//>
    `;
  }
  const { message } = target;
  const above = html`
    <${MessageActions} session=${session} message=${message} guild=${guild} onClose=${onClose} onDraft=${onDraft}
      onTarget=${onTarget} />
  `;
  return html`
    <${CommandMenu} ...${props} above=${above} title=${t.messageFrom(displayName(message.author))}
      empty=${t.noAppCommands}
      type=${commandType.message} target=${message.id} show=${commandOf}>
      <p class="toolbar">
        <${CopyButton} text=${messageLink(message)} label=${t.copyLink} />
        <${CopyButton} text=${message.id} label=${t.copyID} />
      </p>
    <//>
  `;
}
