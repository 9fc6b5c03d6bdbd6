// The menus of users and messages, and the list of activities.

/** @import { Application, Emoji, IndexedCommand, Message, User } from '../types/wire.js' */
/** @import { Child } from './vendor/preact.js' */
/** @import { Point } from './press.js' */
/** @import { LoadedGuild, Session } from './session.js' */
/** @import { InputEvent } from './ui.js' */
/** @import { Draft } from './writing.js' */
import { serviceURL } from './base.js';
import { EmojiView, emojiText } from './emoji.js';
import { defaultName } from './options.js';
import { setPinned } from './pins.js';
import { MenuItem, PopupMenu } from './popup.js';
import { useAction, useQuery } from './state.js';
import { t } from './text.js';
import { hasThreads } from './threads.js';
import { toast } from './toast.js';
import { Dialog, html, Problem, Skeleton, Text, withoutDefault } from './ui.js';
import { Avatar, avatarOf, handle, iconOf, nameIn } from './user.js';
import { useState } from './vendor/hooks.js';
import { react, removeMessage } from './writing.js';

/** Types of commands. */
const commandType = { user: 2, message: 3, entryPoint: 4 };

/**
 * A channel, with its guild if it is in one.
 * @typedef {{ session: Session, channel: string, guild?: LoadedGuild }} ChannelProps
 */

/**
 * @typedef {object} AppCommandsProps
 * @property {string} empty
 * @property {number} type
 * @property {string} [target] the user or message that the command is used on
 * @property {(command: IndexedCommand, application: Application | undefined) => Child} show
 * @property {() => unknown} onClose
 */

/**
 * AppCommands lists the commands of a type, and invokes the one that the user chooses.
 * @param {ChannelProps & AppCommandsProps} props
 */
function AppCommands({ session, channel, guild, empty, type, target, show, onClose }) {
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
        <button type="button" class="item" disabled=${invoke.busy} onClick=${() => invoke.run(c)}>
          ${show(
            c,
            applications.find((a) => a.id === c.application_id),
          )}
        </button>
      </li>
    `,
  );
  return html`
    ${found.busy ? html`<${Skeleton} lines=${2} />` : null}
    <${Problem} error=${found.error} />
    ${found.value && (items.length ? html`<ul class="menu-list">${items}</ul>` : html`<p class="note">${empty}</p>`)}
  `;
}

/**
 * messageLink returns the address of a message in the console.
 * @param {Message} message
 */
const messageLink = ({ channel_id: channel, id }) =>
  `${serviceURL('/')}#/play?${new URLSearchParams({ channel, message: id })}`;

/**
 * What a menu belongs to, and the place at which it opens.
 * @typedef {({ user: User } | { message: Message }) & { at: Point }} MenuTarget
 */

/**
 * What a window shows above the chat: a menu, the activities, the record, the threads or the pins of the channel, or
 * the form for a thread that begins with a message.
 * @typedef {MenuTarget | 'activities' | 'record' | 'threads' | 'pins' | { threadOf: Message }} Opened
 */

/**
 * commandOf shows a command of a menu with its application.
 * @param {IndexedCommand} command
 * @param {Application | undefined} application
 */
const commandOf = (command, application) => html`
  <${Avatar} small bot name=${application?.name ?? ''} id=${command.application_id} image=${iconOf(application)} />
  <span class="two-lines">
    <${Text} value=${command.name} max=${32} />
    <${Text} class="note" value=${application?.name} max=${60} />
  </span>
`;

/**
 * @param {IndexedCommand} command
 * @param {Application | undefined} application
 */
const activityOf = (command, application) => html`
  <b><${Text} value=${application?.name || command.name} max=${60} /></b>
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
 * @typedef {object} MenuProps
 * @property {Session} session
 * @property {string} channel
 * @property {LoadedGuild} [guild]
 * @property {() => unknown} onClose
 * @property {(draft: Draft) => unknown} onDraft
 * @property {(opened: Opened) => unknown} onTarget opens another menu or dialog
 * @property {(user: User) => unknown} onMessage opens the direct messages with a user
 */

/**
 * copyThen copies a text, says so, and calls a function.
 * @param {string} text
 * @param {() => unknown} then
 */
async function copyThen(text, then) {
  await navigator.clipboard.writeText(text);
  toast(t.copied);
  then();
}

/**
 * MessageActions shows the actions on a message that need no app.
 * @param {MenuProps & { message: Message, at: Point }} props
 */
function MessageActions({ session, message, guild, at, onClose, onDraft, onTarget }) {
  const act = useAction(async (/** @type {() => Promise<unknown>} */ run) => {
    await run();
    onClose();
  });
  const draft = (/** @type {Draft['kind']} */ kind) => () => {
    onClose();
    onDraft({ kind, message });
  };
  const isStored = !((message.flags ?? 0) & flagEphemeral);
  const own = message.author?.id === session.userID;
  const place = session.channel(message.channel_id);
  const canThread =
    place && hasThreads({ ...place, guild_id: place.guild?.id }) && !session.places.threads.has(message.id);
  const pinLabel = message.pinned ? t.unpin : t.pin;
  const changes = () => html`
    <${ReactionPicker} guild=${guild} busy=${act.busy}
      onPick=${(/** @type {Emoji} */ emoji) => act.run(() => react(session, message, emoji))} />
    <${MenuItem} first icon="reply" label=${t.reply} onClick=${draft('reply')} />
    ${own && html`<${MenuItem} icon="edit" label=${t.edit} onClick=${draft('edit')} />`}
    ${
      canThread &&
      html`<${MenuItem} icon="thread" label=${t.createThread} onClick=${() => onTarget({ threadOf: message })} />`
    }
    <${MenuItem} icon="pin" label=${pinLabel} disabled=${act.busy}
      onClick=${() => act.run(() => setPinned(session, message, !message.pinned))} />
  `;
  return html`
    ${isStored && changes()}
    <${MenuItem} icon="link" label=${t.copyLink} onClick=${() => copyThen(messageLink(message), onClose)} />
    <${MenuItem} icon="copy" label=${t.copyID} onClick=${() => copyThen(message.id, onClose)} />
    <${MenuItem} icon="user" label=${t.menuOf(nameIn(guild, message.author))}
      onClick=${() => onTarget({ user: message.author, at })} />
    ${
      isStored &&
      html`
        <${MenuItem} danger icon="trash" label=${t.remove} disabled=${act.busy}
          onClick=${() => act.run(() => removeMessage(session, message))} />
      `
    }
    <${Problem} error=${act.error} />
  `;
}

/**
 * MessageMenu is the menu of a message: what a user can do with it, and the commands of apps for it.
 * @param {MenuProps & { message: Message, at: Point }} props
 */
const MessageMenu = (props) => html`
  <${PopupMenu} title=${t.messageFrom(nameIn(props.guild, props.message.author))} at=${props.at}
    onClose=${props.onClose}>
    <${MessageActions} ...${props} />
    <hr />
    <${AppCommands} ...${props} empty=${t.noAppCommands} type=${commandType.message} target=${props.message.id}
      show=${commandOf} />
  <//>
`;

/**
 * UserMenu is the menu of a person or an app.
 * @param {MenuProps & { user: User, at: Point }} props
 */
function UserMenu(props) {
  const { session, guild, user, at, onMessage, onClose } = props;
  const name = nameIn(guild, user);
  const write = () => {
    onClose();
    onMessage(user);
  };
  return html`
    <${PopupMenu} title=${t.appsFor(name)} at=${at} onClose=${onClose}>
      <p class="who-is">
        <${Avatar} name=${name} id=${user.id} bot=${user.bot} image=${avatarOf(user)} />
        <span class="two-lines">
          <b><${Text} value=${name} max=${60} /></b>
          <${Text} class="note" value=${handle(user, name)} max=${60} />
        </span>
      </p>
      ${user.id !== session.userID && html`<${MenuItem} icon="mail" label=${t.messageTo(name)} onClick=${write} />`}
      <${MenuItem} icon="copy" label=${t.copyID} onClick=${() => copyThen(user.id, onClose)} />
      <hr />
      <${AppCommands} ...${props} empty=${t.noAppCommands} type=${commandType.user} target=${user.id}
        show=${commandOf} />
    <//>
  `;
}

/**
 * TargetMenu is the menu of a message or a user.
 * @param {MenuProps & { target: MenuTarget }} props
 */
export const TargetMenu = ({ target, ...props }) =>
  'user' in target ? html`<${UserMenu} ...${props} ...${target} />` : html`<${MessageMenu} ...${props} ...${target} />`;

/**
 * ActivitiesDialog lists the activities of a channel.
 * @param {ChannelProps & { onClose: () => unknown }} props
 */
export const ActivitiesDialog = (props) => html`
  <${Dialog} title=${t.activities} onClose=${props.onClose}>
    <${AppCommands} ...${props} empty=${t.noActivities} type=${commandType.entryPoint} show=${activityOf} />
  <//>
`;
