// The window of one person: channels, messages, people and the input line.

/** @import { CurrentUser, Message, User } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
/** @import { Opened } from './menus.js' */
/** @import { Point } from './press.js' */
/** @import { LoadedChannel } from './session.js' */
/** @import { Target } from './timeline.js' */
/** @import { Draft } from './writing.js' */
import { ActivityDialog } from './activity.js';
import { Channels, channelIcon, channelName, isVoice, typeText } from './channels.js';
import { Composer } from './composer.js';
import { locales } from './locales.js';
import { ActivitiesDialog, TargetMenu } from './menus.js';
import { ModalDialog } from './modal.js';
import { People } from './people.js';
import { PinsDialog } from './pins.js';
import { RecordDialog } from './record-dialog.js';
import { SearchSelect } from './search-select.js';
import { Session } from './session.js';
import { recall, remember, useAction, useStore } from './state.js';
import { t } from './text.js';
import { Forum, JoinButton, StartThread, ThreadsDialog } from './thread-views.js';
import { hasThreads, isForum, isThread } from './threads.js';
import { Timeline } from './timeline.js';
import { TypingLine } from './typing.js';
import { Empty, html, Icon, IconButton, Problem, Skeleton, Text } from './ui.js';
import { displayName, fullName } from './user.js';
import { useEffect, useState } from './vendor/hooks.js';

/**
 * useSession returns the session of a user, and null until it is open. It closes the session of the user before.
 * @param {Clients} clients
 * @param {string} userID
 */
function useSession(clients, userID) {
  const [session, setSession] = useState(/** @type {Session | null} */ (null));
  useEffect(() => {
    const opened = new Session(clients, userID);
    setSession(opened);
    return () => opened.close();
  }, [clients, userID]);
  return useStore(session?.userID === userID ? session : null);
}

/**
 * useChannel returns the selected channel, and loads its messages. If the user cannot see the selected channel, it
 * selects another one.
 * @param {Session | null} session
 * @param {string} key the key under which the browser keeps the channel
 * @param {string | undefined} linked the channel in the address
 */
function useChannel(session, key, linked) {
  const [stored, setStored] = useState(() => linked || recall(key));
  useEffect(() => {
    if (linked) setStored(linked);
  }, [linked]);
  const channel = session?.channel(stored);
  useEffect(() => {
    if (!session?.loaded || channel) return;
    const channels = [...session.guilds.values()].flatMap((g) => g.channels);
    const first = channels.find((c) => c.type === typeText) ?? session.directMessages[0];
    if (first) setStored(first.id);
  });
  useEffect(() => {
    if (session?.gateway.state === 'ready' && channel && !isForum(channel)) session.loadMessages(stored);
  }, [session, session?.gateway.state, stored, Boolean(channel)]);
  const select = (/** @type {string} */ id) => {
    remember(key, id);
    setStored(id);
  };
  return { id: stored, channel, select };
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
  return html`<${SearchSelect} label=${t.language} value=${locale} onValue=${change.run} choices=${locales} />`;
}

/** @typedef {'' | 'channels' | 'people'} Side the panel that a narrow window shows in place of the messages */

/**
 * @typedef {object} ChatProps
 * @property {Clients} clients
 * @property {Session | null} session
 * @property {LoadedChannel | undefined} channel
 * @property {Target | null} target the message that the user went to
 * @property {(message: string) => unknown} onJump goes to a message of the channel
 * @property {(opened: Opened) => unknown} onOpen
 * @property {(channel: string) => unknown} onChannel
 * @property {Draft | null} draft
 * @property {(draft: Draft | null) => unknown} onDraft
 */

/**
 * VoiceButton joins a voice channel or leaves it. There is no sound: others see who is there.
 * @param {{ session: Session, channel: LoadedChannel, guild: string }} props
 */
function VoiceButton({ session, channel, guild }) {
  const isIn = session.places.voiceOf(guild) === channel.id;
  const label = isIn ? t.leaveVoice : t.joinVoice;
  return html`
    <button type="button" class="small quiet" title="${label}. ${t.noSound}" aria-pressed=${isIn ? 'true' : 'false'}
      onClick=${() => session.gateway.joinVoice(guild, isIn ? null : channel.id)}>
      <${Icon} name="voice" /> <span class="name">${label}</span>
    </button>
  `;
}

/**
 * PlaceButtons are the buttons for the channel as a whole: its threads, pins, activities, voice and record.
 * @param {{ session: Session, channel: LoadedChannel, onOpen: (opened: Opened) => unknown }} props
 */
function PlaceButtons({ session, channel, onOpen }) {
  const guild = channel.guild?.id;
  const button = (
    /** @type {'threads' | 'pins' | 'activities' | 'record'} */ name,
    /** @type {string} */ icon,
    off = false,
  ) => {
    const label = { threads: t.threads, pins: t.pins, activities: t.activities, record: t.copyAs }[name];
    return html`
      <button type="button" class="small quiet" title=${label} disabled=${off} onClick=${() => onOpen(name)}>
        <${Icon} name=${icon} /> <span class="name">${label}</span>
      </button>
    `;
  };
  return html`
    <span class="buttons">
      ${guild && isVoice(channel) && html`<${VoiceButton} session=${session} channel=${channel} guild=${guild} />`}
      ${isThread(channel) && html`<${JoinButton} session=${session} thread=${channel} />`}
      ${hasThreads({ ...channel, guild_id: guild }) && button('threads', 'thread')}
      ${!isForum(channel) && button('pins', 'pin')}
      ${button('record', 'record', session.done.length === 0)}
      ${button('activities', 'play')}
    </span>
  `;
}

/** @param {ChatProps} props */
function ChatHeader({ session, channel, onOpen, onChannel }) {
  if (!(session && channel)) return html`<header><h2>${t.chat}</h2></header>`;
  const parent = isThread(channel) ? session.channel(channel.parent_id ?? '') : undefined;
  const back = () => html`
    <button type="button" class="link" onClick=${() => onChannel(parent?.id ?? '')}>
      <${Text} value=${parent && channelName(parent)} max=${40} />
    </button>
    <${Icon} name="right" size="small" />
  `;
  return html`
    <header>
      <h2>
        ${parent && back()}
        <${Icon} name=${channelIcon({ ...channel, guild_id: channel.guild?.id })} />
        <${Text} value=${channelName(channel)} max=${60} />
      </h2>
      <${Text} class="note" value=${channel.topic} max=${200} title=${channel.topic} />
      <${PlaceButtons} session=${session} channel=${channel} onOpen=${onOpen} />
    </header>
  `;
}

/**
 * NoChannel is shown while the channels are loaded, and for a person who has none.
 * @param {{ session: Session | null }} props
 */
function NoChannel({ session }) {
  if (!session?.loaded) return html`<div class="timeline"><${Skeleton} lines=${6} /></div>`;
  const action = html`<a class="button primary" href="#/world">${t.openWorld}</a>`;
  const name = session.me ? displayName(session.me) : '';
  return html`
    <div class="timeline">
      <${Empty} icon="chat" title=${t.noGuildTitle(name)} action=${action}>${t.noGuild}<//>
    </div>
  `;
}

/**
 * Conversation is the messages of a channel with the input line.
 * @param {ChatProps & { session: Session, channel: LoadedChannel }} props
 */
function Conversation({ clients, session, channel, target, onJump, onOpen, onChannel, draft, onDraft }) {
  const { id, guild } = channel;
  return html`
    <${Timeline} key=${id} clients=${clients} session=${session} channel=${id} guild=${guild} target=${target}
      onMenu=${(/** @type {Message} */ message, /** @type {Point} */ at) => onOpen({ message, at })}
      onPerson=${(/** @type {User} */ user, /** @type {Point} */ at) => onOpen({ user, at })}
      onChannel=${onChannel} onJump=${onJump} />
    <${TypingLine} session=${session} channel=${channel} />
    <${Composer} session=${session} channel=${id} guild=${guild} draft=${draft} onDraft=${onDraft} />
  `;
}

/** @param {ChatProps} props */
function Chat(props) {
  const { session, channel, onChannel } = props;
  const label = channel ? channelName(channel) : t.chat;
  const place = () => {
    if (!(session && channel)) return html`<${NoChannel} session=${session} />`;
    if (isForum(channel)) return html`<${Forum} session=${session} channel=${channel} onOpen=${onChannel} />`;
    return html`<${Conversation} ...${props} />`;
  };
  return html`
    <section class="chat" aria-label="${label} · ${session?.me ? displayName(session.me) : ''}">
      <${ChatHeader} ...${props} />
      <${Problem} error=${session?.error} />
      ${place()}
    </section>
  `;
}

/**
 * Dialogs shows the menu that the user opened, and the form or the activity that an app opened.
 * @typedef {object} DialogsProps
 * @property {Session} session
 * @property {LoadedChannel | undefined} channel
 * @property {Opened | null} opened
 * @property {(opened: Opened | null) => unknown} onOpen
 * @property {(draft: Draft) => unknown} onDraft
 * @property {(channel: string) => unknown} onChannel
 * @property {(message: string) => unknown} onJump
 */

/** @param {DialogsProps} props */
function OpenedDialog({ session, channel, opened, onOpen, onDraft, onChannel, onJump }) {
  const onClose = () => onOpen(null);
  const go = (/** @type {string} */ id) => {
    onClose();
    onChannel(id);
  };
  if (!opened) return null;
  if (opened === 'record') return html`<${RecordDialog} session=${session} onClose=${onClose} />`;
  if (!channel) return null;
  if (opened === 'threads') {
    return html`<${ThreadsDialog} session=${session} channel=${channel} onOpen=${go} onClose=${onClose} />`;
  }
  if (opened === 'pins') {
    const jump = (/** @type {Message} */ message) => {
      onClose();
      onJump(message.id);
    };
    return html`<${PinsDialog} session=${session} channel=${channel} onJump=${jump} onClose=${onClose} />`;
  }
  const { guild } = channel;
  if (opened === 'activities') {
    return html`<${ActivitiesDialog} session=${session} guild=${guild} channel=${channel.id} onClose=${onClose} />`;
  }
  if ('threadOf' in opened) {
    const message = opened.threadOf;
    return html`
      <${StartThread} session=${session} channel=${channel} message=${message} onOpen=${go} onClose=${onClose} />
    `;
  }
  const menuKey = `${'user' in opened} ${opened.at.x} ${opened.at.y}`;
  const onMessage = async (/** @type {User} */ user) => go(await session.openDirectMessage(user.id));
  return html`
    <${TargetMenu} key=${menuKey} session=${session} guild=${guild} channel=${channel.id} target=${opened}
      onClose=${onClose} onDraft=${onDraft} onTarget=${onOpen} onMessage=${onMessage} />
  `;
}

/** @param {DialogsProps} props */
function Dialogs(props) {
  const { session } = props;
  const { modal, activity } = session;
  return html`
    <${OpenedDialog} ...${props} />
    ${
      modal &&
      html`
        <${ModalDialog} key=${modal.id} modal=${modal} session=${session}
          guild=${session.channel(modal.channel_id)?.guild} />
      `
    }
    ${activity && html`<${ActivityDialog} key=${activity.instance_id} activity=${activity} session=${session} />`}
  `;
}

/**
 * @typedef {object} WindowProps
 * @property {Clients} clients
 * @property {User[]} people
 * @property {string} userID
 * @property {string} slot the name of the window: left or right
 * @property {{ channel?: string, message?: string }} link what the address names
 * @property {(userID: string) => unknown} onUser
 * @property {(channel: string) => unknown} onChannel
 * @property {object} [children] further controls beside the person
 */

/** @param {WindowProps & { session: Session | null, side: Side, onSide: (side: Side) => unknown }} props */
function WhoBar({ clients, people, userID, session, side, onSide, onUser, children }) {
  const state = session?.gateway.state;
  const toggle = (/** @type {Side} */ name) => () => onSide(side === name ? '' : name);
  return html`
    <div class="who">
      <${IconButton} icon="menu" class="for-channels" label=${t.channels} aria-expanded=${side === 'channels'}
        onClick=${toggle('channels')} />
      <${SearchSelect} label=${t.youAre} value=${userID} onValue=${onUser}
        choices=${people.map((p) => [p.id, fullName(p)])} />
      ${session && !clients.account && html`<${LanguageSelect} clients=${clients} session=${session} />`}
      <span class="state ${state}" role="status"><span>${state ? t.states[state] : ''}</span></span>
      <span class="buttons">
        ${children}
        <${IconButton} icon="users" class="for-people" label=${t.people} aria-expanded=${side === 'people'}
          onClick=${toggle('people')} />
      </span>
    </div>
  `;
}

/**
 * useJump returns the message that the user went to: the one in the address, or the last one that jump was called with.
 * @param {{ message?: string }} link
 */
function useJump({ message }) {
  const [target, setTarget] = useState(/** @type {Target | null} */ (null));
  const jump = (/** @type {string} */ id) => setTarget(id ? { id } : null);
  useEffect(() => {
    if (message) jump(message);
  }, [message]);
  return { target, jump };
}

/** @param {WindowProps} props */
export function ChatWindow(props) {
  const { clients, userID, slot, link, onChannel } = props;
  const session = useSession(clients, userID);
  const { id, channel, select } = useChannel(session, `channel.${slot}`, link.channel);
  const [opened, setOpened] = useState(/** @type {Opened | null} */ (null));
  const [side, setSide] = useState(/** @type {Side} */ (''));
  const [draft, setDraft] = useState(/** @type {Draft | null} */ (null));
  const { target, jump } = useJump(link);
  useEffect(() => setDraft(null), [userID, id]);
  const selectChannel = (/** @type {string} */ selected) => {
    jump('');
    if (session?.latest.has(selected)) session.returnToLatest(selected);
    select(selected);
    onChannel(selected);
    setSide('');
  };
  const label = (/** @type {string} */ name) => (slot === 'left' ? name : `${name} · ${t.secondPerson}`);
  const panels = () =>
    session &&
    html`
      <${People} clients=${clients} channel=${channel} session=${session}
        label=${label(t.people)}
        onMenu=${(/** @type {User} */ user, /** @type {Point} */ at) => setOpened({ user, at })} />
      <${Dialogs} session=${session} channel=${channel} opened=${opened} onOpen=${setOpened} onDraft=${setDraft}
        onChannel=${selectChannel} onJump=${jump} />
    `;
  return html`
    <div class="window ${side && `side-${side}`}" data-window=${slot}>
      <${WhoBar} ...${props} session=${session} side=${side} onSide=${setSide} />
      ${
        session
          ? html`<${Channels} session=${session} selected=${id} onSelect=${selectChannel} label=${label(t.channels)} />`
          : html`<div class="channels"></div>`
      }
      <${Chat} clients=${clients} session=${session} channel=${channel} target=${target} onJump=${jump}
        onOpen=${setOpened} onChannel=${selectChannel} draft=${draft} onDraft=${setDraft} />
      ${panels() ?? html`<div class="people"></div>`}
    </div>
  `;
}
