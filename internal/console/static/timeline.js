// The messages of a channel, with the interactions that wait for an answer or failed, in the order of time.

/** @import { Component, Message } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
/** @import { LoadedGuild, Pending, Session } from './session.js' */
import { useEffect, useLayoutEffect, useRef, useState } from '/assets/vendor/hooks.js';
import { componentType } from './components.js';
import { PendingView } from './failure.js';
import { canReadHistory } from './history.js';
import { MessageView } from './message.js';
import { t } from './text.js';
import { Empty, html, Icon, Skeleton } from './ui.js';

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
    while (waiting.length && BigInt(waiting[0].after) < BigInt(message.id))
      all.push(/** @type {Pending} */ (waiting.shift()));
    all.push(message);
  }
  return [...all, ...waiting];
}

/**
 * useEnd keeps the end of the messages in view while the user is there, also when the messages or the room for them
 * change their height. away says that the user scrolled away from the end.
 * @param {string} channel
 * @param {number} count the number of entries
 */
function useEnd(channel, count) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const atEnd = useRef(true);
  const [away, setAway] = useState(false);
  const jump = () => {
    const e = box.current;
    if (e) e.scrollTop = e.scrollHeight;
    atEnd.current = true;
    setAway(false);
  };
  const onScroll = () => {
    const e = box.current;
    if (!e) return;
    atEnd.current = e.scrollHeight - e.scrollTop - e.clientHeight < nearEnd;
    setAway(!atEnd.current);
  };
  useLayoutEffect(() => {
    atEnd.current = true;
  }, [channel]);
  useLayoutEffect(() => {
    if (atEnd.current) jump();
  }, [channel, count]);
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
  return { box, onScroll, jump, away };
}

/**
 * useLinked scrolls to the message of a link, once it is loaded.
 * @param {string | undefined} linked
 * @param {Message[]} messages
 */
function useLinked(linked, messages) {
  const found = Boolean(linked && messages.some((m) => m.id === linked));
  useEffect(() => {
    if (!found) return;
    /** @type {HTMLElement | null} */
    const element = document.querySelector(`[data-message="${linked}"]`);
    element?.scrollIntoView({ block: 'center' });
    element?.focus({ preventScroll: true });
  }, [linked, found]);
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
 * @property {string} [linked] the message that the address names
 * @property {(message: Message) => unknown} onMenu
 */

/** @param {TimelineProps} props */
export function Timeline({ clients, session, channel, guild, linked, onMenu }) {
  const messages = session.messages.get(channel) ?? [];
  const pending = [...session.pending.values()].filter((p) => p.channel === channel);
  const entries = inOrder(messages, pending);
  const { box, onScroll, jump, away } = useEnd(channel, entries.length);
  useLinked(linked, messages);
  const onUse = (/** @type {Message} */ m, /** @type {Component} */ c, /** @type {string[] | undefined} */ values) =>
    sendComponent(session, m, c, values);
  const items = entries.map((e) =>
    'after' in e
      ? html`<${PendingView} key=${e.nonce} pending=${e} session=${session} clients=${clients} />`
      : html`
        <${MessageView} key=${e.id} message=${e} session=${session} guild=${guild} onUse=${onUse} onMenu=${onMenu}
          linked=${e.id === linked} />
      `,
  );
  return html`
    <div class="timeline-box">
      <div class="timeline" ref=${box} onScroll=${onScroll} role="log" aria-label=${t.messages} tabindex="0">
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
