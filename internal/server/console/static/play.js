// The Play page: a chat window in which the operator acts as any user, and a signed-in user as themselves.

/** @import { Channel, Component, CurrentUser, IndexedCommand, Message, User } from '../types/wire.js' */
/** @import { Child } from '../types/preact.js' */
/** @import { Clients } from './http.js' */
/** @import { LoadedChannel, LoadedGuild, Pending } from './session.js' */
import { useEffect, useRef, useState } from '/assets/vendor/hooks.js';
import { Composer } from './composer.js';
import { locales } from './locales.js';
import { MessageView } from './message.js';
import { ModalDialog } from './modal.js';
import { defaultName } from './options.js';
import { Session } from './session.js';
import { toError, useAction, useQuery, useStore } from './state.js';
import { t } from './text.js';
import { Dialog, html, Loading, Problem, Select, Text } from './ui.js';
import { AppState, Avatar, displayName } from './user.js';

/** Types of commands. */
const commandType = { user: 2, message: 3, entryPoint: 4 };

const typeText = 0;
const typeVoice = 2;

/** The types of channels that have messages: text, voice, announcement, threads, stage, forum and media. */
const messageChannelTypes = new Set([typeText, typeVoice, 5, 10, 11, 12, 13, 15, 16]);

/**
 * useSession returns the session of a user, and null until it is open. It closes the session of the user before.
 * @param {Clients} clients
 * @param {string | undefined} userID
 */
function useSession(clients, userID) {
  const [session, setSession] = useState(/** @type {Session | null} */ (null));
  useEffect(() => {
    if (!userID) return undefined;
    const opened = new Session(clients, userID);
    setSession(opened);
    return () => opened.close();
  }, [clients, userID]);
  return useStore(session?.userID === userID ? session : null);
}

/** @param {Channel} channel */
const channelName = ({ name, recipients }) => name ?? (recipients ?? []).map(displayName).join(', ');

/** @param {{ channel: Channel, icon: string, selected: boolean, onSelect: (id: string) => unknown }} props */
function ChannelButton({ channel, icon, selected, onSelect }) {
  return html`
    <li>
      <button type="button" aria-current=${selected ? 'true' : undefined} onClick=${() => onSelect(channel.id)}>
        <span aria-hidden="true">${icon}</span> <${Text} value=${channelName(channel)} max=${60} />
        ${channel.nsfw ? html` <span class="badge">18+</span>` : ''}
      </button>
    </li>
  `;
}

/** @param {{ session: Session, selected: string, onSelect: (id: string) => unknown }} props */
function Channels({ session, selected, onSelect }) {
  const button = (/** @type {Channel} */ c, /** @type {string} */ icon) => html`
    <${ChannelButton} key=${c.id} channel=${c} icon=${icon} selected=${c.id === selected} onSelect=${onSelect} />
  `;
  const guildButtons = (/** @type {LoadedGuild} */ guild) =>
    guild.channels
      .filter((c) => messageChannelTypes.has(c.type))
      .map((c) => button(c, c.type === typeVoice ? '♪' : '#'));
  return html`
    <nav class="channels" aria-label=${t.channels}>
      ${[...session.guilds.values()].map(
        (g) => html`
          <section key=${g.id}>
            <h2><${Text} value=${g.name} max=${60} /></h2>
            <ul>${guildButtons(g)}</ul>
          </section>
        `,
      )}
      <section>
        <h2>${t.directMessages}</h2>
        <ul>${session.directMessages.map((c) => button(c, '@'))}</ul>
      </section>
    </nav>
  `;
}

/** @param {{ pending: Pending, session: Session }} props */
function PendingView({ pending, session }) {
  const { label, state, reason = 1, detail, nonce } = pending;
  const failed = state === 'failed';
  const failure = html`
    ${t.interactionFailed}: ${detail ?? t.reasons[reason] ?? t.reasons[1]}${' '}
    <button type="button" class="link" onClick=${() => session.dismiss(nonce)}>${t.dismiss}</button>
  `;
  return html`
    <div class="pending ${failed ? 'failed' : ''}" role=${failed ? 'alert' : 'status'}>
      <b><${Text} value=${label} max=${120} /></b> ${failed ? failure : t.waiting}
    </div>
  `;
}

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
 */

/**
 * CommandMenu lists the commands of a type, and invokes the one that the user chooses.
 * @param {ChannelProps & CommandMenuProps} props
 */
function CommandMenu({ session, channel, guild, title, empty, type, target, show, onClose }) {
  const found = useQuery(() => session.search(channel, type, ''), [session, channel, type]);
  const invoke = useAction(async (/** @type {IndexedCommand} */ c) => {
    const { id, version, guild_id } = c;
    const data = { id, version, name: defaultName(c), type, target_id: target, guild_id, options: [] };
    const invocation = { type: 2, application_id: c.application_id, channel_id: channel, guild_id: guild?.id, data };
    await session.invoke(invocation, c.name);
    onClose();
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
      ${found.busy ? html`<${Loading} />` : null}
      <${Problem} error=${found.error ?? invoke.error} />
      ${found.value && (items.length ? html`<ul class="menu-list">${items}</ul>` : html`<p>${empty}</p>`)}
    <//>
  `;
}

/**
 * A user or a message, and the type of commands that can be used on it.
 * @typedef {{ type: number, target: string, name: string }} Target
 */

/**
 * ContextMenu lists the commands that can be used on a user or a message.
 * @param {ChannelProps & { target: Target, onClose: () => unknown }} props
 */
function ContextMenu({ target: { type, target, name }, ...props }) {
  const show = (/** @type {IndexedCommand} */ command, /** @type {string} */ application) => html`
    <b><${Text} value=${command.name} max=${32} /></b>
    <${Text} class="note" value=${application} max=${60} />
  `;
  return html`
    <${CommandMenu} ...${props} title=${t.appsFor(name)} empty=${t.noAppCommands} type=${type} target=${target}
      show=${show} />
  `;
}

/**
 * ActivityMenu lists the activities that can be launched.
 * @param {ChannelProps & { onClose: () => unknown }} props
 */
function ActivityMenu(props) {
  const show = (/** @type {IndexedCommand} */ command, /** @type {string} */ application) => html`
    <b><${Text} value=${application || command.name} max=${60} /></b>
    <${Text} class="note" value=${command.name} max=${32} />
  `;
  return html`
    <${CommandMenu} ...${props} title=${t.activities} empty=${t.noActivities} type=${commandType.entryPoint}
      show=${show} />
  `;
}

/**
 * @typedef {object} PeopleProps
 * @property {Clients} clients
 * @property {LoadedGuild} [guild]
 * @property {Session} session
 * @property {(user: User) => unknown} onMenu
 * @property {(user: User) => unknown} onMessage
 */

/**
 * useAppStates returns the apps with their states. It asks again when an invocation begins or ends and when commands
 * change. Users who signed in with an account get none.
 * @param {Clients} clients
 * @param {Session} session
 */
function useAppStates(clients, session) {
  const waiting = [...session.pending.values()].map((p) => p.nonce + p.state).join(' ');
  const load = async () => (clients.account ? [] : clients.applications());
  const apps = useQuery(load, [clients, waiting, session.commandsVersion]).value ?? [];
  return new Map(apps.map((a) => [a.id, a.status]));
}

/** @param {PeopleProps} props */
function People({ clients, guild, session, onMenu, onMessage }) {
  const states = useAppStates(clients, session);
  const items = guild?.members.map(({ user, nick }) => {
    const name = displayName(user);
    const messageButton = html`
      <button type="button" class="small quiet" aria-label=${t.messageTo(name)}
        onClick=${() => onMessage(user)}>✉</button>
    `;
    return html`
      <li key=${user.id}>
        <${Avatar} small name=${name} id=${user.id} bot=${user.bot} status=${states.get(user.id)} />
        <span class="person">
          <${Text} value=${nick ?? name} max=${40} />
          <${AppState} status=${states.get(user.id)} />
        </span>
        <span class="buttons">
          ${user.id !== session.userID && messageButton}
          <button type="button" class="small quiet" aria-haspopup="menu" aria-label=${t.appsFor(name)}
            onClick=${() => onMenu(user)}>⋯</button>
        </span>
      </li>
    `;
  });
  return html`
    <aside class="people" aria-label=${t.people}>
      <h2>${t.people}</h2>
      <ul>${items}</ul>
    </aside>
  `;
}

/** @param {ChannelProps & { onMenu: (message: Message) => unknown }} props */
function Timeline({ session, channel, guild, onMenu }) {
  const messages = session.messages.get(channel) ?? [];
  const pending = [...session.pending.values()].filter((p) => p.channel === channel);
  const [errors, setErrors] = useState(/** @type {Record<string, string>} */ ({}));
  const end = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [channel, messages.length, pending.length]);
  /** @type {(message: Message, component: Component, values?: string[]) => Promise<void>} */
  const onUse = async (message, component, values) => {
    const { type, custom_id, label, placeholder } = component;
    setErrors({});
    try {
      const invocation = {
        type: 3,
        application_id: message.application_id ?? message.author.id,
        channel_id: channel,
        guild_id: guild?.id,
        message_id: message.id,
        message_flags: message.flags ?? 0,
        data: { component_type: type, custom_id, values },
      };
      await session.invoke(invocation, label ?? placeholder ?? custom_id ?? null);
    } catch (error) {
      setErrors({ [message.id]: toError(error).message });
    }
  };
  return html`
    <div class="timeline" role="log" aria-label=${t.messages} tabindex="0">
      ${messages.length === 0 && pending.length === 0 && html`<p class="note">${t.noMessages}</p>`}
      ${messages.map(
        (m) => html`
          <${MessageView} key=${m.id} message=${m} session=${session} guild=${guild} onUse=${onUse} onMenu=${onMenu}
            error=${errors[m.id]} />
        `,
      )}
      ${pending.map((p) => html`<${PendingView} key=${p.nonce} pending=${p} session=${session} />`)}
      <div ref=${end}></div>
    </div>
  `;
}

/**
 * LanguageSelect changes the language of the user of a session.
 * @param {{ clients: Clients, session: Session }} props
 */
function LanguageSelect({ clients, session }) {
  const change = useAction(async (/** @type {string} */ locale) => {
    const path = `/admin/v1/users/${session.userID}`;
    /** @type {CurrentUser} */
    const user = await clients.operator.get(path);
    await clients.operator.put(path, { ...user, locale });
    session.setUser({ ...(session.me ?? user), locale });
  });
  const locale = session.me?.locale ?? 'en-US';
  return html`<${Select} label=${t.language} value=${locale} onValue=${change.run} choices=${locales} />`;
}

/**
 * @typedef {object} ChatProps
 * @property {Session | null} session
 * @property {LoadedChannel | undefined} channel
 * @property {(target: Target) => unknown} onMenu
 * @property {() => unknown} onActivities
 */

/** @param {ChatProps} props */
function Chat({ session, channel, onMenu, onActivities }) {
  const guild = channel?.guild;
  const title = () => channel && html`${guild ? '#' : '@'} <${Text} value=${channelName(channel)} max=${60} />`;
  const onMessageMenu = (/** @type {Message} */ m) =>
    onMenu({ type: commandType.message, target: m.id, name: displayName(m.author) });
  return html`
    <section class="chat" aria-label=${channel?.name ?? t.chat}>
      <header>
        <h2>${title() ?? t.chat}</h2>
        <${Text} class="note" value=${channel?.topic} max=${120} />
        ${channel && html`<button type="button" class="small" onClick=${onActivities}>▶ ${t.activities}</button>`}
      </header>
      <${Problem} error=${session?.error} />
      ${
        session && channel
          ? html`
            <${Timeline} session=${session} channel=${channel.id} guild=${guild} onMenu=${onMessageMenu} />
            <${Composer} session=${session} channel=${channel.id} guild=${guild} />
          `
          : html`<${Loading} />`
      }
    </section>
  `;
}

/**
 * useChannel returns the id of the selected channel and the channel, and loads its messages. If the user cannot see the
 * selected channel, it selects another one.
 * @param {Session | null} session
 */
function useChannel(session) {
  const [id, setID] = useState(() => localStorage.getItem('channel') ?? '');
  const channel = session?.channel(id);
  useEffect(() => {
    if (!session?.me || channel) return;
    const channels = [...session.guilds.values()].flatMap((g) => g.channels);
    const first = channels.find((c) => c.type === typeText) ?? session.directMessages[0];
    if (first) setID(first.id);
  });
  useEffect(() => {
    if (session?.gateway.state === 'ready' && channel) session.loadMessages(id);
  }, [session, session?.gateway.state, id, Boolean(channel)]);
  const select = (/** @type {string} */ selected) => {
    localStorage.setItem('channel', selected);
    setID(selected);
  };
  return { id, channel, select };
}

/** @param {ChannelProps & { target: Target | 'activities' | null, onClose: () => unknown }} props */
function Dialogs({ session, guild, channel, target, onClose }) {
  const props = { session, guild, channel, onClose };
  const { modal } = session;
  return html`
    ${target === 'activities' && html`<${ActivityMenu} ...${props} />`}
    ${target && target !== 'activities' && html`<${ContextMenu} ...${props} target=${target} />`}
    ${
      modal &&
      html`
        <${ModalDialog} key=${modal.id} modal=${modal} session=${session}
          guild=${session.channel(modal.channel_id)?.guild} />
      `
    }
  `;
}

/** @param {{ clients: Clients, people: User[] }} props */
export function Play({ clients, people }) {
  const [storedID, setStoredID] = useState(() => localStorage.getItem('person') ?? '');
  const userID = people.some((p) => p.id === storedID) ? storedID : people[0]?.id;
  const session = useSession(clients, userID);
  const { id: channelID, channel, select } = useChannel(session);
  const [target, setTarget] = useState(/** @type {Target | 'activities' | null} */ (null));
  const [showChannels, setShowChannels] = useState(false); // on narrow screens
  if (!userID) return html`<main class="page"><h1>${t.play}</h1><p>${t.noPeople}</p></main>`;
  const guild = channel?.guild;
  const state = session?.gateway.state;
  const selectUser = (/** @type {string} */ id) => {
    localStorage.setItem('person', id);
    setStoredID(id);
  };
  const selectChannel = (/** @type {string} */ id) => {
    select(id);
    setShowChannels(false);
  };
  const onMenu = (/** @type {User} */ user) =>
    setTarget({ type: commandType.user, target: user.id, name: displayName(user) });
  const onMessage = async (/** @type {User} */ user) =>
    session && selectChannel(await session.openDirectMessage(user.id));
  return html`
    <main class="play ${showChannels ? 'side' : ''}">
      <h1 class="hidden">${t.play}</h1>
      <div class="who">
        <button type="button" class="only-narrow" aria-expanded=${showChannels}
          onClick=${() => setShowChannels(!showChannels)}>☰ ${t.channels}</button>
        <${Select} label=${t.youAre} value=${userID} onValue=${selectUser}
          choices=${people.map((p) => [p.id, p.global_name ?? p.username])} />
        ${session && !clients.account && html`<${LanguageSelect} clients=${clients} session=${session} />`}
        <span class="state ${state}" role="status">${state ? t.states[state] : ''}</span>
      </div>
      ${session && html`<${Channels} session=${session} selected=${channelID} onSelect=${selectChannel} />`}
      <${Chat} session=${session} channel=${channel} onMenu=${setTarget}
        onActivities=${() => setTarget('activities')} />
      ${
        session &&
        html`
          <${People} clients=${clients} guild=${guild} session=${session} onMenu=${onMenu} onMessage=${onMessage} />
          <${Dialogs} session=${session} guild=${guild} channel=${channelID} target=${target}
            onClose=${() => setTarget(null)} />
        `
      }
    </main>
  `;
}
