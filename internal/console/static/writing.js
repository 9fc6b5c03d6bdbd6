// What users do with messages of their own and of others: send, edit, delete and react.

/** @import { Emoji, Message, Reaction, ReactionEvent, ReactionEventName } from '../types/wire.js' */
/** @import { Session } from './session.js' */
import { api } from './http.js';

/**
 * What the input line writes, if it is not a new message: an answer to a message, or a new text for it.
 * @typedef {{ kind: 'reply' | 'edit', message: Message }} Draft
 */

/** @param {Message} message */
const pathOf = (message) => `${api}/channels/${message.channel_id}/messages/${message.id}`;

/**
 * multipart returns a form with a body and files.
 * @param {object} body
 * @param {File[]} files
 */
export function multipart(body, files) {
  const form = new FormData();
  form.append('payload_json', new Blob([JSON.stringify(body)], { type: 'application/json' }));
  for (const [i, file] of files.entries()) form.append(`files[${i}]`, file, file.name);
  return form;
}

/**
 * write sends the text of the input line: a new message, an answer, or a new text for a message.
 * @param {Session} session
 * @param {string} channel
 * @param {string} content
 * @param {Draft | null} draft
 * @param {File[]} files
 */
export function write(session, channel, content, draft, files) {
  if (draft?.kind === 'edit') return session.client.request('PATCH', pathOf(draft.message), { content });
  const reference = draft && { message_id: draft.message.id };
  const body = { content, message_reference: reference ?? undefined };
  const path = `${api}/channels/${channel}/messages`;
  return session.client.post(path, files.length ? multipart(body, files) : body);
}

/**
 * @param {Session} session
 * @param {Message} message
 */
export const removeMessage = (session, message) => session.client.request('DELETE', pathOf(message));

/**
 * emojiName returns the name of an emoji in a path.
 * @param {Emoji} emoji
 */
const emojiName = ({ id, name }) => encodeURIComponent(id ? `${name}:${id}` : (name ?? ''));

/**
 * react adds a reaction of the user, or removes it.
 * @param {Session} session
 * @param {Message} message
 * @param {Emoji} emoji
 */
export function react(session, message, emoji) {
  const mine = message.reactions?.some((r) => r.me && sameEmoji(r.emoji, emoji));
  return session.client.request(mine ? 'DELETE' : 'PUT', `${pathOf(message)}/reactions/${emojiName(emoji)}/@me`);
}

/**
 * @param {Emoji} a
 * @param {Emoji} b
 */
export const sameEmoji = (a, b) => (a.id || b.id ? a.id === b.id : a.name === b.name);

/**
 * withReaction returns the reactions of a message after an event.
 * @param {Reaction[]} reactions
 * @param {ReactionEventName} name
 * @param {ReactionEvent} event
 * @param {string} me the id of the user
 */
export function withReaction(reactions, name, { emoji, user_id: user }, me) {
  if (!emoji) return [];
  const others = reactions.filter((r) => !sameEmoji(r.emoji, emoji));
  if (name === 'MESSAGE_REACTION_REMOVE_EMOJI') return others;
  const step = name === 'MESSAGE_REACTION_ADD' ? 1 : -1;
  const old = reactions.find((r) => sameEmoji(r.emoji, emoji)) ?? { count: 0, me: false, emoji };
  const changed = { ...old, count: old.count + step, me: user === me ? step > 0 : old.me };
  if (changed.count <= 0) return others;
  return old.count ? reactions.map((r) => (r === old ? changed : r)) : [...reactions, changed];
}
