// The messages of a channel, with the interactions that wait for an answer or failed, in the order of time.

/** @import { Component, Message, User } from '../types/wire.js' */
/** @import { Child } from './vendor/preact.js' */
/** @import { Clients } from './http.js' */
/** @import { Point } from './press.js' */
/** @import { LoadedGuild, Pending, Session } from './session.js' */
import { componentType } from './components.js';
import { PendingView } from './failure.js';
import { canReadHistory } from './history.js';
import { MessageView } from './message.js';
import { compareIDs } from './message-list.js';
import { t } from './text.js';
import { toast } from './toast.js';
import { Empty, html, Icon, Skeleton } from './ui.js';
import { useEffect, useLayoutEffect, useRef, useState } from './vendor/hooks.js';

/** Scrolling this close to the end counts as being there, in pixels. */
const nearEnd = 48;

/**
 * inOrder returns messages and pending interactions in one list. An interaction follows the message that was the last
 * when it was sent.
 * @param {Message[]} messages
 * @param {Pending[]} pending
 * @returns {(Message | Pending)[]}
 */
function inOrder(messages, pending) {
  /** @type {(Message | Pending)[]} */
  const all = [];
  const waiting = [...pending];
  for (const message of messages) {
    while (waiting.length && compareIDs(waiting[0].after, message.id) < 0)
      all.push(/** @type {Pending} */ (waiting.shift()));
    all.push(message);
  }
  return [...all, ...waiting];
}

/** The most entries that are rendered, how many more a step shows, and how near to an edge it is made in pixels. */
const maxShown = 300;
const step = 100;
const nearEdge = 800;

/** The part that a channel begins with: about what is in view. The rest of a step follows after the first paint. */
const firstPart = { last: null, count: 15 };

/** @param {Message | Pending} entry */
const keyOf = (entry) => ('after' in entry ? entry.nonce : entry.id);

/**
 * The part of the entries that is rendered: count entries that end with the one that has the key last, or with the
 * newest.
 * @typedef {{ last: string | null, count: number }} Part
 */

/**
 * bounds returns the first and the last place of a part, the last one excluded.
 * @param {(Message | Pending)[]} entries
 * @param {Part} part
 */
function bounds(entries, { last, count }) {
  const found = last === null ? -1 : entries.findIndex((e) => keyOf(e) === last);
  const to = found < 0 ? entries.length : found + 1;
  return { from: Math.max(0, to - count), to };
}

/**
 * earlier and later return the part after a step to earlier or later entries. A part at its greatest size moves.
 * @param {(Message | Pending)[]} entries
 * @param {Part} part
 * @returns {Part}
 */
function earlier(entries, part) {
  const { from, to } = bounds(entries, part);
  if (from === 0) return part;
  const count = Math.min(maxShown, part.count + step);
  const last = part.count < maxShown ? part.last : keyOf(entries[Math.max(count, to - step) - 1]);
  return { last, count };
}

/**
 * @param {(Message | Pending)[]} entries
 * @param {Part} part
 * @returns {Part}
 */
function later(entries, part) {
  const to = bounds(entries, part).to + step;
  return { ...part, last: to >= entries.length ? null : keyOf(entries[to - 1]) };
}

/**
 * firstInView returns the first element of the box that is in view, with its place.
 * @param {HTMLElement | null} box
 */
function firstInView(box) {
  const edge = box?.getBoundingClientRect().top ?? 0;
  for (const element of box?.firstElementChild?.children ?? []) {
    const { top, bottom } = element.getBoundingClientRect();
    if (bottom > edge) return { element, top };
  }
  return null;
}

/**
 * usePart renders a part of the entries around what is in view. What is in view stays in its place when entries before
 * it appear or go. onFirst and onLast are called when the user comes to the first entry and to the last.
 * @param {(Message | Pending)[]} entries
 * @param {() => unknown} onFirst
 * @param {() => unknown} onLast
 */
function usePart(entries, onFirst, onLast) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const atEnd = useRef(true);
  const [part, setPart] = useState(/** @type {Part} */ (firstPart));
  const { from, to } = bounds(entries, part);
  const seen = atEnd.current ? null : firstInView(box.current);
  useLayoutEffect(() => {
    const e = box.current;
    if (seen?.element.isConnected && e) e.scrollTop += seen.element.getBoundingClientRect().top - seen.top;
  }, [from, to, entries.length]);
  useEffect(() => {
    if (part === firstPart) setPart((p) => (p === firstPart ? { last: null, count: step } : p));
  }, [part]);
  const extend = () => {
    const e = box.current;
    if (!e || atEnd.current) return;
    if (e.scrollTop < nearEdge && from > 0) setPart((p) => earlier(entries, p));
    else if (e.scrollTop < nearEdge) onFirst();
    if (e.scrollHeight - e.scrollTop - e.clientHeight >= nearEdge) return;
    if (to < entries.length) setPart((p) => later(entries, p));
    else onLast();
  };
  return { box, atEnd, from, to, extend, setPart };
}

/**
 * useEnd keeps the end of the messages in view while the user is there, also when the messages or the room for them
 * change their height. away says that the user scrolled away from the end. returns changes when the user asks for the
 * end.
 * @param {number} count the number of entries
 * @param {boolean} isLatest whether the last entry is the latest message
 * @param {number} returns
 * @param {ReturnType<typeof usePart>} part
 */
function useEnd(count, isLatest, returns, { box, atEnd, to, extend, setPart }) {
  const [away, setAway] = useState(false);
  const first = useRef(returns);
  const toEnd = () => {
    const e = box.current;
    if (e) e.scrollTop = e.scrollHeight;
  };
  useLayoutEffect(() => {
    if (returns === first.current) return;
    atEnd.current = true;
    setPart({ last: null, count: step });
    setAway(false);
    toEnd();
  }, [returns]);
  const onScroll = () => {
    const e = box.current;
    if (!e) return;
    atEnd.current = isLatest && to === count && e.scrollHeight - e.scrollTop - e.clientHeight < nearEnd;
    setAway(!atEnd.current);
    extend();
  };
  useLayoutEffect(() => {
    if (atEnd.current) toEnd();
  }, [count, to]);
  useEffect(() => {
    const e = box.current;
    const content = e?.firstElementChild;
    if (!(e && content)) return undefined;
    const observer = new ResizeObserver(() => {
      if (atEnd.current) e.scrollTop = e.scrollHeight;
    });
    observer.observe(e);
    observer.observe(content);
    return () => observer.disconnect();
  }, []);
  return { onScroll, away: away || !isLatest };
}

/**
 * A message that the user went to. Each time is another object.
 * @typedef {{ id: string }} Target
 */

/**
 * useTarget shows the message that the user went to, in the middle of the box. If it is not loaded, load is called.
 * @param {Target | null} target
 * @param {(Message | Pending)[]} entries
 * @param {ReturnType<typeof usePart>} part
 * @param {(message: string) => unknown} load
 */
function useTarget(target, entries, { box, atEnd, setPart }, load) {
  const [shown, setShown] = useState(/** @type {Target | null} */ (null));
  const at = target ? entries.findIndex((e) => keyOf(e) === target.id) : -1;
  const isKnown = at >= 0;
  useEffect(() => {
    if (!target || shown === target) return;
    if (!isKnown) {
      load(target.id);
      return;
    }
    atEnd.current = false;
    setPart({ last: keyOf(entries[Math.min(at + step / 2, entries.length - 1)]), count: step });
    setShown(target);
  }, [target, isKnown]);
  useLayoutEffect(() => {
    /** @type {HTMLElement | null | undefined} */
    const element = shown && box.current?.querySelector(`[data-message="${shown.id}"]`);
    element?.scrollIntoView({ block: 'center' });
    element?.focus({ preventScroll: true });
  }, [shown]);
}

/**
 * sendComponent sends the use of a component.
 * @param {Session} session
 * @param {Message} message
 * @param {Component} component
 * @param {string[]} [values]
 */
async function sendComponent(session, message, component, values) {
  const { type, custom_id, label, placeholder, emoji } = component;
  const name = label ?? placeholder ?? emoji?.name ?? custom_id ?? '';
  const invocation = {
    type: 3,
    application_id: message.application_id ?? message.author.id,
    channel_id: message.channel_id,
    guild_id: session.channel(message.channel_id)?.guild?.id,
    message_id: message.id,
    message_flags: message.flags ?? 0,
    data: { component_type: type, custom_id, values },
  };
  const step = type === componentType.button ? { press: name } : { select: { menu: name, values: values ?? [] } };
  await session.invoke(invocation, name || t.component, { step }).catch(() => {}); // the timeline shows the failure
}

/**
 * EmptyTimeline is the content of a channel without messages that the user can read.
 * @param {{ session: Session, channel: string }} props
 */
function EmptyTimeline({ session, channel }) {
  const loaded = session.channel(channel);
  if (loaded && !canReadHistory(loaded, session.userID)) {
    return html`<${Empty} icon="lock" title=${t.noHistory}>${t.noHistoryHint}<//>`;
  }
  if (!session.messages.has(channel)) return html`<${Skeleton} lines=${6} />`;
  return html`<${Empty} icon="chat" title=${t.noMessagesTitle}>${t.noMessages}<//>`;
}

/**
 * @typedef {object} TimelineProps
 * @property {Clients} clients
 * @property {Session} session
 * @property {string} channel
 * @property {LoadedGuild} [guild]
 * @property {Target | null} target
 * @property {(message: Message, at: Point) => unknown} onMenu
 * @property {(user: User, at: Point) => unknown} onPerson
 * @property {(message: string) => unknown} onJump goes to a message of the channel
 * @property {(channel: string) => unknown} onChannel
 */

/**
 * useMessageNodes returns a function that renders a message. It renders a message that has not changed only once: a
 * node that stays the same costs nothing.
 * @param {TimelineProps} props
 */
function useMessageNodes(props) {
  const { session, guild, target } = props;
  const nodes = useRef(/** @type {WeakMap<Message, { inputs: unknown[], node: Child }>} */ (new WeakMap()));
  const onUse = (/** @type {Message} */ m, /** @type {Component} */ c, /** @type {string[] | undefined} */ values) =>
    sendComponent(session, m, c, values);
  return (/** @type {Message} */ message) => {
    const thread = session.places.threads.get(message.id);
    const linked = message.id === target?.id;
    const inputs = [session, guild, thread, linked];
    const known = nodes.current.get(message);
    if (known?.inputs.every((input, i) => input === inputs[i])) return known.node;
    const node = html`
      <${MessageView} key=${message.id} ...${props} message=${message} thread=${thread} onUse=${onUse}
        linked=${linked} />
    `;
    nodes.current.set(message, { inputs, node });
    return node;
  };
}

/** @param {TimelineProps} props */
export function Timeline(props) {
  const { clients, session, channel, target } = props;
  const messages = session.messages.get(channel) ?? [];
  const pending = [...session.pending.values()].filter((p) => p.channel === channel);
  const entries = inOrder(messages, pending);
  const isLatest = !session.latest.has(channel);
  const part = usePart(
    entries,
    () => session.loadEarlier(channel),
    () => session.loadLater(channel),
  );
  const { onScroll, away } = useEnd(entries.length, isLatest, session.returns.get(channel) ?? 0, part);
  const messageNode = useMessageNodes(props);
  const jump = () => session.returnToLatest(channel);
  useTarget(target, entries, part, async (message) => {
    const found = await session.loadAround(channel, message).catch(() => false);
    if (!found) toast(t.deletedMessage, { bad: true });
  });
  const items = entries
    .slice(part.from, part.to)
    .map((e) =>
      'after' in e
        ? html`<${PendingView} key=${e.nonce} pending=${e} session=${session} clients=${clients} />`
        : messageNode(e),
    );
  return html`
    <div class="timeline-box">
      <div class="timeline" ref=${part.box} onScroll=${onScroll} role="log" aria-label=${t.messages} tabindex="0">
        <div class="timeline-content">
          ${items.length ? items : html`<${EmptyTimeline} session=${session} channel=${channel} />`}
        </div>
      </div>
      ${
        away &&
        html`<button type="button" class="jump" onClick=${jump}><${Icon} name="newest" /> ${t.jumpToNewest}</button>`
      }
    </div>
  `;
}
