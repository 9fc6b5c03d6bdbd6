// Who is typing: an indicator that ends by itself, and the user's own, which is sent while the user writes.

/** @import { TypingEvent } from '../types/wire.js' */
/** @import { LoadedChannel, Session } from './session.js' */
import { api } from './http.js';
import { t } from './text.js';
import { html, Text } from './ui.js';
import { nameIn } from './user.js';

/** How long an indicator lasts, and how often the user's own is sent, in milliseconds. */
const lasts = 10_000;
const every = 8_000;

/** The most names that the indicator shows. */
const maxNames = 3;

/** Typing knows who is typing in which channel. changed is called when that changes. */
export class Typing {
  /**
   * The timers that end indicators, by channel and user.
   * @type {Map<string, { channel: string, user: string, timer: number }>}
   */
  #typists = new Map();
  #sent = { channel: '', at: 0 };
  #changed;

  /** @param {() => void} changed */
  constructor(changed) {
    this.#changed = changed;
  }

  /** @param {TypingEvent} event */
  add({ channel_id: channel, user_id: user }) {
    this.#drop(channel, user);
    const timer = setTimeout(() => this.remove(channel, user), lasts);
    this.#typists.set(`${channel} ${user}`, { channel, user, timer });
    this.#changed();
  }

  /**
   * @param {string} channel
   * @param {string | undefined} user
   */
  remove(channel, user = '') {
    if (this.#drop(channel, user)) this.#changed();
  }

  /**
   * @param {string} channel
   * @param {string} user
   */
  #drop(channel, user) {
    clearTimeout(this.#typists.get(`${channel} ${user}`)?.timer);
    return this.#typists.delete(`${channel} ${user}`);
  }

  /**
   * usersIn returns the ids of the users who are typing in a channel.
   * @param {string} channel
   */
  usersIn(channel) {
    return [...this.#typists.values()].filter((typist) => typist.channel === channel).map((typist) => typist.user);
  }

  /**
   * send tells others that the user of a session is typing, unless it did so just now.
   * @param {Session} session
   * @param {string} channel
   */
  send(session, channel) {
    const now = Date.now();
    if (this.#sent.channel === channel && now - this.#sent.at < every) return;
    this.#sent = { channel, at: now };
    session.client.post(`${api}/channels/${channel}/typing`).catch(() => {}); // the message itself says what is wrong
  }

  /** sentMessage lets the next text in a channel show the indicator again. */
  sentMessage() {
    this.#sent = { channel: '', at: 0 };
  }

  close() {
    for (const { timer } of this.#typists.values()) clearTimeout(timer);
  }
}

/**
 * TypingLine names the users who are typing in a channel. It always takes its place, so that nothing moves.
 * @param {{ session: Session, channel: LoadedChannel }} props
 */
export function TypingLine({ session, channel }) {
  const people = [...(channel.recipients ?? []), ...(channel.guild?.members ?? []).map((m) => m.user)];
  const typists = session.typing.usersIn(channel.id).map((id) => people.find((p) => p.id === id));
  const names = typists.map((user) => nameIn(channel.guild, user));
  const shown = names.length > maxNames ? t.manyType : t.typing(names);
  return html`<p class="typing" role="status">${names.length > 0 && html`<${Text} value=${shown} max=${200} />`}</p>`;
}
