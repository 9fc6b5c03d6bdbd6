// The messages of a channel, the oldest first, and what events change in them.

/** @import { Message, Poll, PollVoteEvent, Reaction } from '../types/wire.js' */
/** @import { ReactionEvent, ReactionEventName } from '../types/wire.js' */
import { sameEmoji, withReaction } from './writing.js';

/** The most messages of a channel that a page keeps. It forgets the oldest. */
const maxMessages = 10_000;

/** The flag of messages that only one user sees. */
export const flagEphemeral = 1 << 6;

/**
 * compareIDs orders ids by the time at which they were made.
 * @param {string} a
 * @param {string} b
 */
export function compareIDs(a, b) {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : Number(a > b);
}

/**
 * withLatest returns the known messages with the latest messages from the service. It keeps ephemeral messages, which
 * the service does not store, and earlier ones if no messages can be missing between them.
 * @param {Message[]} known
 * @param {Message[]} latest
 * @param {boolean} all whether the channel has no earlier messages
 */
export function withLatest(known, latest, all) {
  const [first] = latest;
  const meets = Boolean(first) && !all && known.some((m) => m.id === first.id);
  const kept = known.filter((m) => (m.flags ?? 0) & flagEphemeral || (meets && compareIDs(m.id, first.id) < 0));
  const ids = new Set(latest.map((m) => m.id));
  return [...kept.filter((m) => !ids.has(m.id)), ...latest].sort((a, b) => compareIDs(a.id, b.id)).slice(-maxMessages);
}

/**
 * union returns the messages of several lists, each once. A message in a later list replaces one in an earlier list.
 * @param {...Message[]} lists
 */
export const union = (...lists) =>
  [...new Map(lists.flat().map((m) => [m.id, m])).values()].sort((a, b) => compareIDs(a.id, b.id)).slice(-maxMessages);

/**
 * meets reports whether two lists have a message in common, so that none is missing between them.
 * @param {Message[]} a
 * @param {Message[]} b
 */
export function meets(a, b) {
  const ids = new Set(a.map((m) => m.id));
  return b.some((m) => ids.has(m.id));
}

/**
 * withEarlier returns the messages with earlier ones before them, as far as there is room.
 * @param {Message[]} known
 * @param {Message[]} earlier
 */
export const withEarlier = (known, earlier) =>
  [...earlier.slice(-Math.max(0, maxMessages - known.length)), ...known].slice(-maxMessages);

/**
 * afterMessage returns the messages after one is new, changed or deleted.
 * @param {Message[]} list
 * @param {'MESSAGE_CREATE' | 'MESSAGE_UPDATE' | 'MESSAGE_DELETE'} name
 * @param {Message} message
 */
export function afterMessage(list, name, message) {
  if (name === 'MESSAGE_UPDATE') return list.map((m) => (m.id === message.id ? changed(m, message) : m));
  const others = list.filter((m) => m.id !== message.id);
  return name === 'MESSAGE_CREATE' ? [...others, message].slice(-maxMessages) : others;
}

/**
 * changed returns a message after a change. Events go to many users: what the user did stays as it was.
 * @param {Message} old
 * @param {Message} message
 */
function changed(old, message) {
  const mine = (/** @type {Reaction} */ r) => old.reactions?.find((o) => sameEmoji(o.emoji, r.emoji))?.me ?? r.me;
  const reactions = message.reactions?.map((r) => ({ ...r, me: mine(r) })) ?? old.reactions;
  const poll = message.poll && old.poll ? withOwnVotes(message.poll, old.poll) : (message.poll ?? old.poll);
  return { ...old, ...message, reactions, poll };
}

/**
 * @param {Poll} poll
 * @param {Poll} old
 */
function withOwnVotes(poll, old) {
  const voted = new Set(old.results?.answer_counts.filter((c) => c.me_voted).map((c) => c.id));
  const counts = poll.results?.answer_counts.map((c) => ({ ...c, me_voted: voted.has(c.id) }));
  return poll.results && counts ? { ...poll, results: { ...poll.results, answer_counts: counts } } : poll;
}

/**
 * @param {Message[]} list
 * @param {ReactionEventName} name
 * @param {ReactionEvent} event
 * @param {string} me the id of the user
 */
export const afterReaction = (list, name, event, me) =>
  list.map((m) =>
    m.id === event.message_id ? { ...m, reactions: withReaction(m.reactions ?? [], name, event, me) } : m,
  );

/**
 * afterVote returns the messages after a user voted in a poll, or took a vote back.
 * @param {Message[]} list
 * @param {PollVoteEvent} event
 * @param {1 | -1} step
 * @param {string} me the id of the user
 */
export const afterVote = (list, event, step, me) =>
  list.map((m) => (m.id === event.message_id && m.poll ? { ...m, poll: withVote(m.poll, event, step, me) } : m));

/**
 * @param {Poll} poll
 * @param {PollVoteEvent} event
 * @param {1 | -1} step
 * @param {string} me
 */
function withVote(poll, { answer_id: id, user_id: user }, step, me) {
  const results = poll.results ?? { is_finalized: false, answer_counts: [] };
  const old = results.answer_counts.find((c) => c.id === id) ?? { id, count: 0, me_voted: false };
  const voted = { ...old, count: Math.max(0, old.count + step), me_voted: user === me ? step > 0 : old.me_voted };
  const counts = [...results.answer_counts.filter((c) => c.id !== id), voted];
  return { ...poll, results: { ...results, answer_counts: counts } };
}
