// What a user sees of threads: lists, the form for a new one, and forums.

/** @import { Channel, Message } from '../types/wire.js' */
/** @import { LoadedChannel, Session } from './session.js' */
import { createdAt } from './ids.js';
import { useAction, useQuery } from './state.js';
import { t } from './text.js';
import { archivedThreads, isForum, joinThread, startPost, startThread, threadsOf } from './threads.js';
import { RelativeTime } from './time.js';
import { Dialog, Empty, html, Icon, Input, Problem, Skeleton, Text, TextArea, withoutDefault } from './ui.js';
import { useState } from './vendor/hooks.js';

const maxName = 100;

/** @typedef {{ session: Session, channel: LoadedChannel, onOpen: (id: string) => unknown }} PlaceProps */

/**
 * ThreadItems are threads as buttons that open them.
 * @param {{ threads: Channel[], channel: LoadedChannel, onOpen: (thread: Channel) => unknown }} props
 */
function ThreadItems({ threads, channel, onOpen }) {
  const tagNames = (/** @type {Channel} */ thread) =>
    (channel.available_tags ?? []).filter((tag) => thread.applied_tags?.includes(tag.id)).map((tag) => tag.name);
  const items = threads.map(
    (thread) => html`
      <li key=${thread.id}>
        <button type="button" onClick=${() => onOpen(thread)}>
          <${Icon} name="thread" size="small" />
          <span class="thread-name"><${Text} value=${thread.name} max=${maxName} /></span>
          ${tagNames(thread).map((name) => html`<${Text} key=${name} class="badge" value=${name} max=${20} />`)}
          <span class="note">
            ${t.messageCount(thread.message_count ?? 0)} · <${RelativeTime} date=${createdAt(thread.id)} />
          </span>
        </button>
      </li>
    `,
  );
  return html`<ul class="menu-list threads">${items}</ul>`;
}

/**
 * Archived lists the archived threads of a channel.
 * @param {PlaceProps} props
 */
function Archived({ session, channel, onOpen }) {
  const { value, error } = useQuery(() => archivedThreads(session, channel), [session, channel.id]);
  const open = (/** @type {Channel} */ thread) => onOpen(session.rememberThread(thread).id);
  if (error) return html`<${Problem} error=${error} />`;
  if (!value) return html`<${Skeleton} lines=${2} />`;
  if (value.length === 0) return html`<p class="note">${t.noArchived}</p>`;
  return html`<${ThreadItems} threads=${value} channel=${channel} onOpen=${open} />`;
}

/**
 * ThreadForm asks for the name of a new thread, and creates it from a message or on its own.
 * @param {PlaceProps & { message?: Message }} props
 */
function ThreadForm({ session, channel, message, onOpen }) {
  const [name, setName] = useState((message?.content ?? '').split('\n')[0].slice(0, maxName));
  const start = useAction(async () => {
    const thread = await startThread(session, channel.id, name.trim(), message?.id);
    onOpen(thread.id);
  });
  return html`
    <form class="line" onSubmit=${withoutDefault(start.run)}>
      <${Input} label=${t.threadName} value=${name} onValue=${setName} maxlength=${maxName} required />
      <button class="primary" disabled=${start.busy || !name.trim()}>${t.createThread}</button>
    </form>
    <${Problem} error=${start.error} />
  `;
}

/**
 * StartThread is the dialog that creates a thread from a message.
 * @param {PlaceProps & { message: Message, onClose: () => unknown }} props
 */
export const StartThread = ({ onClose, ...props }) => html`
  <${Dialog} title=${t.createThread} onClose=${onClose}><${ThreadForm} ...${props} /><//>
`;

/**
 * ThreadsDialog lists the active and the archived threads of a channel, and creates one.
 * @param {PlaceProps & { onClose: () => unknown }} props
 */
export function ThreadsDialog({ onClose, ...props }) {
  const { session, channel, onOpen } = props;
  const active = threadsOf(session, channel.id);
  const open = (/** @type {Channel} */ thread) => onOpen(thread.id);
  return html`
    <${Dialog} title=${t.threads} onClose=${onClose}>
      ${!isForum(channel) && html`<${ThreadForm} ...${props} />`}
      <h3>${t.activeThreads}</h3>
      ${
        active.length
          ? html`<${ThreadItems} threads=${active} channel=${channel} onOpen=${open} />`
          : html`<p class="note">${t.noThreads}</p>`
      }
      <h3>${t.archivedThreads}</h3>
      <${Archived} ...${props} />
    <//>
  `;
}

/**
 * JoinButton joins a thread or leaves it.
 * @param {{ session: Session, thread: Channel }} props
 */
export function JoinButton({ session, thread }) {
  const join = useAction(() => joinThread(session, thread));
  const label = thread.member ? t.leaveThread : t.joinThread;
  return html`
    <button type="button" class="small quiet" disabled=${join.busy} title=${label} onClick=${join.run}>
      <${Icon} name=${thread.member ? 'minus' : 'plus'} /> <span class="name">${label}</span>
    </button>
  `;
}

/**
 * PostForm writes a post of a forum: its title, its first message, tags and files.
 * @param {PlaceProps & { onClose: () => unknown }} props
 */
function PostForm({ session, channel, onOpen, onClose }) {
  const [post, setPost] = useState({
    name: '',
    content: '',
    tags: /** @type {string[]} */ ([]),
    files: /** @type {File[]} */ ([]),
  });
  const set = (/** @type {Partial<typeof post>} */ change) => setPost((p) => ({ ...p, ...change }));
  const create = useAction(async () => onOpen((await startPost(session, channel.id, post)).id));
  const toggle = (/** @type {string} */ id) =>
    set({ tags: post.tags.includes(id) ? post.tags.filter((tag) => tag !== id) : [...post.tags, id] });
  const chips = channel.available_tags?.map(
    ({ id, name }) => html`
      <button key=${id} type="button" class="chip" aria-pressed=${post.tags.includes(id) ? 'true' : 'false'}
        onClick=${() => toggle(id)}><${Text} value=${name} max=${20} /></button>
    `,
  );
  const onFiles = (/** @type {Event & { currentTarget: HTMLInputElement }} */ e) =>
    set({ files: [...(e.currentTarget.files ?? [])] });
  return html`
    <${Dialog} title=${t.newPost} onClose=${onClose}>
      <form onSubmit=${withoutDefault(create.run)}>
        <${Input} label=${t.postTitle} value=${post.name} maxlength=${maxName} required
          onValue=${(/** @type {string} */ name) => set({ name })} />
        <${TextArea} label=${t.firstMessage} value=${post.content} rows="4" maxlength="2000"
          onValue=${(/** @type {string} */ content) => set({ content })} />
        ${chips?.length ? html`<p class="chips" role="group" aria-label=${t.tags}>${chips}</p>` : null}
        <p><input type="file" multiple aria-label=${t.file} onChange=${onFiles} /></p>
        <${Problem} error=${create.error} />
        <footer>
          <button type="button" onClick=${onClose}>${t.cancel}</button>
          <button class="primary" disabled=${create.busy || !post.name.trim()}>${t.createPost}</button>
        </footer>
      </form>
    <//>
  `;
}

/**
 * Forum is a forum in the place of messages: its posts, and the way to a new one.
 * @param {PlaceProps} props
 */
export function Forum(props) {
  const { session, channel, onOpen } = props;
  const [writes, setWrites] = useState(false);
  const [showsArchived, setShowsArchived] = useState(false);
  const posts = threadsOf(session, channel.id);
  const open = (/** @type {Channel} */ thread) => onOpen(thread.id);
  return html`
    <div class="timeline forum" role="region" aria-label=${t.posts} tabindex="0">
      <p class="toolbar">
        <button type="button" class="primary" onClick=${() => setWrites(true)}>
          <${Icon} name="plus" /> ${t.newPost}
        </button>
        <button type="button" aria-pressed=${showsArchived ? 'true' : 'false'}
          onClick=${() => setShowsArchived(!showsArchived)}>${t.archivedThreads}</button>
      </p>
      ${
        posts.length
          ? html`<${ThreadItems} threads=${posts} channel=${channel} onOpen=${open} />`
          : html`<${Empty} icon="thread" title=${t.noPostsTitle}>${t.noPosts}<//>`
      }
      ${showsArchived && html`<h3>${t.archivedThreads}</h3><${Archived} ...${props} />`}
      ${writes && html`<${PostForm} ...${props} onClose=${() => setWrites(false)} />`}
    </div>
  `;
}
