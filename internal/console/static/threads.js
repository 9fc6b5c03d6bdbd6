// Threads and the posts of forums: what a user does with them, and what events change.

/** @import { Channel, ThreadEvent } from '../types/wire.js' */
/** @import { Session } from './session.js' */
import { api } from './http.js';
import { multipart } from './writing.js';

/** Types of channels that have threads, or are threads. */
const announcementThread = 10;
const publicThread = 11;
const privateThread = 12;
const forums = new Set([15, 16]);

/** @param {Channel | undefined} channel */
export const isThread = (channel) =>
  Boolean(channel && channel.type >= announcementThread && channel.type <= privateThread);

/** @param {Channel | undefined} channel */
export const isForum = (channel) => Boolean(channel && forums.has(channel.type));

/** Text and announcement channels and forums have threads. @param {Channel} channel */
export const hasThreads = ({ type, guild_id: guild }) =>
  Boolean(guild) && (type === 0 || type === 5 || forums.has(type));

/**
 * threadsOf returns the known active threads of a channel, the newest first.
 * @param {Session} session
 * @param {string} parent
 */
export const threadsOf = (session, parent) =>
  [...session.places.threads.values()]
    .filter((c) => c.parent_id === parent && !c.thread_metadata?.archived)
    .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1));

/**
 * afterThreadEvent returns the threads after an event.
 * @param {Map<string, Channel>} threads
 * @param {ThreadEvent} event
 * @param {string} me the id of the user
 */
export function afterThreadEvent(threads, { name, data }, me) {
  const after = new Map(threads);
  const known = after.get(data.id);
  switch (name) {
    case 'THREAD_CREATE':
    case 'THREAD_UPDATE':
      after.set(data.id, { ...data, member: data.member ?? known?.member });
      break;
    case 'THREAD_DELETE':
      after.delete(data.id);
      break;
    case 'THREAD_LIST_SYNC':
      for (const thread of data.threads ?? []) after.set(thread.id, thread);
      break;
    case 'THREAD_MEMBER_UPDATE':
      if (known) after.set(data.id, { ...known, member: { user_id: me } });
      break;
    case 'THREAD_MEMBERS_UPDATE': {
      if (!known) break;
      const joined = data.added_members?.some((m) => m.user_id === me);
      const left = data.removed_member_ids?.includes(me);
      const member = left ? undefined : joined ? { user_id: me } : known.member;
      after.set(data.id, { ...known, member, member_count: data.member_count });
    }
  }
  return after;
}

/**
 * startThread creates a thread from a message or, without one, on its own. It returns the thread.
 * @param {Session} session
 * @param {string} channel
 * @param {string} name
 * @param {string} [message]
 */
export async function startThread(session, channel, name, message) {
  const path = `${api}/channels/${channel}${message ? `/messages/${message}` : ''}/threads`;
  /** @type {Channel} */
  const thread = await session.client.post(path, message ? { name } : { name, type: publicThread });
  return session.rememberThread(thread);
}

/**
 * A new post of a forum.
 * @typedef {{ name: string, content: string, tags: string[], files: File[] }} Post
 */

/**
 * startPost creates a post of a forum with its first message. It returns the thread.
 * @param {Session} session
 * @param {string} forum
 * @param {Post} post
 */
export async function startPost(session, forum, { name, content, tags, files }) {
  const body = { name, applied_tags: tags, message: { content } };
  /** @type {Channel} */
  const thread = await session.client.post(
    `${api}/channels/${forum}/threads`,
    files.length ? multipart(body, files) : body,
  );
  return session.rememberThread(thread);
}

/**
 * joinThread joins or leaves a thread.
 * @param {Session} session
 * @param {Channel} thread
 */
export async function joinThread(session, thread) {
  const method = thread.member ? 'DELETE' : 'PUT';
  await session.client.request(method, `${api}/channels/${thread.id}/thread-members/@me`);
  session.rememberThread({ ...thread, member: thread.member ? undefined : { user_id: session.userID } });
}

/**
 * archivedThreads returns the archived threads of a channel: the public ones, and the private ones of the user.
 * @param {Session} session
 * @param {Channel} channel
 * @returns {Promise<Channel[]>}
 */
export async function archivedThreads(session, channel) {
  const path = `${api}/channels/${channel.id}`;
  /** @type {{ threads: Channel[] }} */
  const open = await session.client.get(`${path}/threads/archived/public?limit=50`);
  if (channel.type !== 0) return open.threads;
  /** @type {{ threads: Channel[] }} */
  const own = await session.client.get(`${path}/users/@me/threads/archived/private?limit=50`);
  return [...open.threads, ...own.threads];
}
