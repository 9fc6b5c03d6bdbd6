// Dialogs that list commands: on a user, on a message, and activities.

/** @import { IndexedCommand, Message, User } from '../types/wire.js' */
/** @import { Child } from '../types/preact.js' */
/** @import { LoadedGuild, Session } from './session.js' */
/** @import { Draft } from './writing.js' */
import { defaultName } from './options.js';
import { useAction, useQuery } from './state.js';
import { t } from './text.js';
import { CopyButton, Dialog, html, Icon, Problem, Skeleton, Text } from './ui.js';
import { displayName } from './user.js';
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
  const items = commands.map(
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
 * CommandOf shows a command of a menu with its application.
 * @param {IndexedCommand} command
 * @param {string} application
 */
const commandOf = (command, application) => html`
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

/**
 * MessageActions shows the actions on a message that need no app.
 * @param {{ session: Session, message: Message, onClose: () => unknown, onDraft: (draft: Draft) => unknown }} props
 */
function MessageActions({ session, message, onClose, onDraft }) {
  const act = useAction(async (/** @type {() => Promise<unknown>} */ run) => {
    await run();
    onClose();
  });
  const draft = (/** @type {Draft['kind']} */ kind) => () => {
    onClose();
    onDraft({ kind, message });
  };
  if ((message.flags ?? 0) & flagEphemeral) return null;
  const emojis = quickEmojis.map(
    (name) => html`
      <button key=${name} type="button" class="quiet" aria-label=${t.reactWith(name)} disabled=${act.busy}
        onClick=${() => act.run(() => react(session, message, { name }))}>${name}</button>
    `,
  );
  const own = message.author?.id === session.userID;
  return html`
    <p class="toolbar reactions-quick">${emojis}</p>
    <p class="toolbar">
      <button type="button" onClick=${draft('reply')}><${Icon} name="reply" /> ${t.reply}</button>
      ${own && html`<button type="button" onClick=${draft('edit')}><${Icon} name="edit" /> ${t.edit}</button>`}
      <button type="button" disabled=${act.busy} onClick=${() => act.run(() => removeMessage(session, message))}>
        <${Icon} name="trash" /> ${t.remove}
      </button>
    </p>
    <${Problem} error=${act.error} />
  `;
}

/**
 * TargetMenu lists the commands for a user or a message, or the activities of a channel. For a message it has also
 * what a user can do with it.
 * @param {ChannelProps & { target: MenuTarget, onClose: () => unknown, onDraft: (draft: Draft) => unknown }} props
 */
export function TargetMenu({ target, onDraft, ...props }) {
  if (target === 'activities') {
    return html`
      <${CommandMenu} ...${props} title=${t.activities} empty=${t.noActivities} type=${commandType.entryPoint}
        show=${activityOf} />
    `;
  }
  if ('user' in target) {
    return html`
      <${CommandMenu} ...${props} title=${t.appsFor(displayName(target.user))} empty=${t.noAppCommands}
        type=${commandType.user} target=${target.user.id} show=${commandOf}>
        <p class="toolbar"><${CopyButton} text=${target.user.id} label=${t.copyID} /></p>
      <//>
    `;
  }
  const { message } = target;
  const above = html`
    <${MessageActions} session=${props.session} message=${message} onClose=${props.onClose} onDraft=${onDraft} />
  `;
  return html`
    <${CommandMenu} ...${props} above=${above} title=${t.appsFor(displayName(message.author))} empty=${t.noAppCommands}
      type=${commandType.message} target=${message.id} show=${commandOf}>
      <p class="toolbar">
        <${CopyButton} text=${messageLink(message)} label=${t.copyLink} />
        <${CopyButton} text=${message.id} label=${t.copyID} />
      </p>
    <//>
  `;
}
