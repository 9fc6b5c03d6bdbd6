// The state of a user's chat window: guilds, channels, messages, and the interactions that wait for an answer.

/** @import { Clients } from './http.js' */
/** @import { Activity, Channel, Choice, CommandIndex, CurrentUser, Emoji, Guild } from '../types/wire.js' */
/** @import { GatewayEvent, Invocation, Member, Message, Modal, ResourceEvent, Role } from '../types/wire.js' */
/** @import { PollVoteEvent, ReactionEvent, ReactionEventName, SessionGuild } from '../types/wire.js' */
import { Gateway } from './gateway.js';
import { APIError, api } from './http.js';
import { afterMessage, afterReaction, afterVote, meets, union, withEarlier, withLatest } from './message-list.js';
import { Places } from './places.js';
import { Store, toError } from './state.js';
import { Typing } from './typing.js';
import { multipart } from './writing.js';

const flagLoading = 1 << 7;
const pageSize = 50;

/** How many messages are loaded at once before, after and around those that are known. */
const step = 100;

/** The most members whose presences are asked for at once. */
const maxAsked = 100;
const autocompleteTimeout = 4000;

/** @typedef {Guild & { channels: Channel[], roles: Role[], members: Member[], emojis?: Emoji[] }} LoadedGuild */

/** @typedef {Channel & { guild?: LoadedGuild }} LoadedChannel */

/**
 * A step that the user did, as a scenario writes it: a command with its target, or the use of a component or a form.
 * @typedef {object} Step
 * @property {string} [use]
 * @property {string} [on]
 * @property {string} [launch]
 * @property {string} [press]
 * @property {{ menu: string, values: string[] }} [select]
 * @property {{ form: string, fields: Record<string, unknown> }} [submit]
 */

/**
 * An interaction that the app has not answered. It is shown after the message with the id after. If it failed, error,
 * reason or detail is set.
 * @typedef {object} Pending
 * @property {string} nonce
 * @property {string} label
 * @property {string} channel
 * @property {string} after
 * @property {'sent' | 'failed'} state
 * @property {Invocation} body
 * @property {File[]} files
 * @property {Step} [step]
 * @property {number} [reason]
 * @property {string} [detail]
 * @property {string} [interaction] the id, if the app got it
 * @property {Error | APIError} [error] the answer of the service
 */

/**
 * Something that the user did in this session.
 * deferred says that the app answered later.
 * @typedef {object} Done
 * @property {Step} step
 * @property {Invocation} body
 * @property {File[]} files
 * @property {Message[]} answers
 * @property {string} nonce
 * @property {boolean} [deferred]
 */

const maxDone = 200;

let lastNonce = 0n;

/** nextNonce returns an id that this page has not used before. */
function nextNonce() {
  const now = (BigInt(Date.now()) - 1420070400000n) << 22n;
  lastNonce = now > lastNonce ? now : lastNonce + 1n;
  return String(lastNonce);
}

/**
 * isHidden reports whether an error says that the user cannot see a resource.
 * @param {unknown} error
 */
const isHidden = (error) => error instanceof APIError && (error.status === 403 || error.status === 404);

export class Session extends Store {
  /** @type {CurrentUser | null} */
  me = null;
  /** @type {Map<string, LoadedGuild>} */
  guilds = new Map();
  /** @type {Channel[]} */
  directMessages = [];
  /**
   * Messages by channel, the oldest first.
   * @type {Map<string, Message[]>}
   */
  messages = new Map();
  /**
   * The latest messages of channels that show earlier ones, without those in between. The key is the channel.
   * @type {Map<string, Message[]>}
   */
  latest = new Map();
  /**
   * Counts how often the user asked for the latest messages, by channel.
   * @type {Map<string, number>}
   */
  returns = new Map();
  /**
   * Channels of which the first message is known.
   * @type {Set<string>}
   */
  complete = new Set();
  typing = new Typing(() => this.changed());
  /**
   * Unanswered interactions by nonce.
   * @type {Map<string, Pending>}
   */
  pending = new Map();
  /** @type {Modal | null} */
  modal = null;
  /**
   * The activity that the user launched last.
   * @type {Activity | null}
   */
  activity = null;
  /** @type {Error | null} */
  error = null;
  /** Says that the guilds and channels of the user are known. */
  loaded = false;
  /**
   * What the user did, the first first.
   * @type {Done[]}
   */
  done = [];
  /** Counts the changes of the commands that the user can invoke. */
  commandsVersion = 0;
  /**
   * Callbacks of autocomplete requests by nonce.
   * @type {Map<string, (choices: Choice[] | null) => void>}
   */
  #autocompletes = new Map();
  /** @type {Set<string>} */
  #loading = new Set();

  /**
   * @param {Clients} clients
   * @param {string} userID
   */
  constructor(clients, userID) {
    super();
    this.userID = userID;
    this.places = new Places(userID);
    this.client = clients.user(userID);
    this.gateway = new Gateway(this.client, (event) => this.#onEvent(event));
    this.gateway.listen(() => this.changed());
    this.#load();
  }

  close() {
    this.gateway.close();
    this.typing.close();
  }

  async #load() {
    try {
      /** @type {[CurrentUser, Guild[], Channel[]]} */
      const [me, guilds, directMessages] = await Promise.all([
        this.client.get(`${api}/users/@me`),
        this.client.get(`${api}/users/@me/guilds`),
        this.client.get(`${api}/users/@me/channels`),
      ]);
      this.setUser(me);
      this.directMessages = directMessages;
      await Promise.all(guilds.map((g) => this.#loadGuild(g.id)));
      this.loaded = true;
      this.error = null;
    } catch (error) {
      this.error = toError(error);
    }
    this.changed();
  }

  /**
   * setUser sets the user, and requests answers in the user's language instead of the browser's.
   * @param {CurrentUser} me
   */
  setUser(me) {
    this.me = me;
    this.client.headers = { 'X-Discord-Locale': me.locale };
    this.commandsVersion++;
    this.changed();
  }

  /** @param {string} id */
  async #loadGuild(id) {
    const path = `${api}/guilds/${id}`;
    try {
      /** @type {[Guild, Channel[], Role[], Member[]]} */
      const [guild, channels, roles, members] = await Promise.all([
        this.client.get(path),
        this.client.get(`${path}/channels`),
        this.client.get(`${path}/roles`),
        this.client.get(`${path}/members?limit=200`),
      ]);
      this.guilds.set(id, { ...guild, channels, roles, members });
    } catch (error) {
      if (isHidden(error)) this.guilds.delete(id);
      else this.error = toError(error);
    }
    this.changed();
  }

  /**
   * openDirectMessage opens the direct message channel with a user and returns its id.
   * @param {string} userID
   */
  async openDirectMessage(userID) {
    /** @type {Channel} */
    const channel = await this.client.post(`${api}/users/@me/channels`, { recipient_id: userID });
    this.#addDirectMessage(channel);
    return channel.id;
  }

  /** @param {Channel} channel */
  #addDirectMessage(channel) {
    if (!this.directMessages.some((d) => d.id === channel.id)) {
      this.directMessages = [...this.directMessages, channel];
    }
    this.changed();
  }

  /**
   * channel returns a channel, with its guild if it is in one.
   * @param {string} id
   * @returns {LoadedChannel | undefined}
   */
  channel(id) {
    for (const guild of this.guilds.values()) {
      const found = guild.channels.find((c) => c.id === id);
      if (found) return { ...found, guild };
    }
    const thread = this.places.threads.get(id);
    const guild = this.guilds.get(thread?.guild_id ?? '');
    if (thread && guild) return { ...thread, guild };
    return this.directMessages.find((d) => d.id === id);
  }

  /**
   * loadMessages loads the latest messages of a channel.
   * @param {string} id
   */
  async loadMessages(id) {
    try {
      /** @type {Message[]} */
      const list = await this.client.get(`${api}/channels/${id}/messages?limit=${pageSize}`);
      const all = list.length < pageSize;
      const lists = this.latest.has(id) ? this.latest : this.messages;
      if (all && lists === this.messages) this.complete.add(id);
      lists.set(id, withLatest(lists.get(id) ?? [], list.reverse(), all));
      this.#join(id);
    } catch (error) {
      if (!isHidden(error)) this.error = toError(error);
    }
    this.changed();
  }

  /**
   * loadEarlier loads messages before those that are known. It does nothing while it loads, and if there are none.
   * @param {string} id
   */
  async loadEarlier(id) {
    const [first] = this.messages.get(id) ?? [];
    if (!first || this.complete.has(id) || this.#loading.has(id)) return;
    this.#loading.add(id);
    try {
      /** @type {Message[]} */
      const list = await this.client.get(`${api}/channels/${id}/messages?limit=${step}&before=${first.id}`);
      if (this.messages.get(id)?.[0] !== first) return; // the channel shows another part now
      if (list.length < step) this.complete.add(id);
      this.messages.set(id, withEarlier(this.messages.get(id) ?? [], list.reverse()));
    } catch (error) {
      if (!isHidden(error)) this.error = toError(error);
    } finally {
      this.#loading.delete(id);
    }
    this.changed();
  }

  /**
   * loadAround makes a channel show the messages around one. It reports whether that one exists.
   * @param {string} id
   * @param {string} message
   */
  async loadAround(id, message) {
    /** @type {Message[]} */
    const list = await this.client.get(`${api}/channels/${id}/messages?limit=${step}&around=${message}`);
    if (!list.some((m) => m.id === message)) return false;
    const known = this.messages.get(id) ?? [];
    if (meets(known, list)) {
      this.messages.set(id, union(known, list));
    } else {
      if (!this.latest.has(id)) this.latest.set(id, known);
      this.messages.set(id, list.reverse());
      this.complete.delete(id);
    }
    this.#join(id);
    this.changed();
    return true;
  }

  /**
   * #join ends the gap before the latest messages of a channel, if the messages that it shows meet them.
   * @param {string} id
   */
  #join(id) {
    const latest = this.latest.get(id);
    const shown = this.messages.get(id) ?? [];
    if (!(latest && meets(shown, latest))) return;
    this.latest.delete(id);
    this.messages.set(id, union(shown, latest));
  }

  /**
   * loadLater loads messages after those that a channel shows, until they meet the latest ones.
   * @param {string} id
   */
  async loadLater(id) {
    const last = this.messages.get(id)?.at(-1);
    if (!(last && this.latest.has(id)) || this.#loading.has(id)) return;
    this.#loading.add(id);
    try {
      /** @type {Message[]} */
      const list = await this.client.get(`${api}/channels/${id}/messages?limit=${step}&after=${last.id}`);
      const shown = this.messages.get(id) ?? [];
      if (shown.at(-1)?.id !== last.id) return; // the channel shows another part now
      const isLast = list.length < step;
      this.messages.set(id, union(shown, list, (isLast && this.latest.get(id)) || []));
      if (isLast) this.latest.delete(id);
      this.#join(id);
    } catch (error) {
      if (!isHidden(error)) this.error = toError(error);
    } finally {
      this.#loading.delete(id);
    }
    this.changed();
  }

  /**
   * returnToLatest makes a channel show its latest messages again.
   * @param {string} id
   */
  returnToLatest(id) {
    const latest = this.latest.get(id);
    if (latest) {
      this.latest.delete(id);
      this.messages.set(id, latest);
      this.complete.delete(id);
    }
    this.returns.set(id, (this.returns.get(id) ?? 0) + 1);
    this.changed();
  }

  /**
   * rememberThread adds a thread that an answer of the service had. It returns the thread.
   * @param {Channel} thread
   */
  rememberThread(thread) {
    this.places.addThread(thread);
    this.changed();
    return thread;
  }

  /**
   * askPresences asks for the presences of the members of a guild. They arrive later.
   * @param {LoadedGuild} guild
   */
  askPresences({ id, members }) {
    const users = members.map((m) => m.user.id);
    for (let i = 0; i < users.length; i += maxAsked) {
      this.gateway.requestMembers({ guild_id: id, user_ids: users.slice(i, i + maxAsked), presences: true });
    }
  }

  /**
   * search returns the commands of a type that match a query and that the user can invoke in a channel.
   * @param {string} channel
   * @param {number} type
   * @param {string} query
   * @returns {Promise<CommandIndex>}
   */
  search(channel, type, query) {
    const parameters = `type=${type}&limit=25&include_applications=true&query=${encodeURIComponent(query)}`;
    return this.client.get(`${api}/channels/${channel}/application-commands/search?${parameters}`);
  }

  /**
   * allCommands returns the commands of all types that the user can invoke in a channel.
   * @param {string} channel
   * @returns {Promise<CommandIndex>}
   */
  allCommands(channel) {
    return this.client.get(`${api}/channels/${channel}/application-command-index`);
  }

  /**
   * invoke sends an interaction. It is pending until it is answered, and stays there if it fails.
   * @param {Invocation} body
   * @param {string} label
   * @param {{ files?: File[], step?: Step }} [options] the files of the attachments, and the step for the record
   */
  async invoke(body, label, { files = [], step } = {}) {
    const nonce = nextNonce();
    const { channel_id: channel } = body;
    this.returnToLatest(channel);
    const after = this.messages.get(channel)?.at(-1)?.id ?? '0';
    this.pending.set(nonce, { nonce, label, channel, after, state: 'sent', body, files, step });
    if (step) this.done = [...this.done, { step, body, files, nonce, answers: [] }].slice(-maxDone);
    this.changed();
    try {
      await this.#send(body, nonce, files);
    } catch (error) {
      this.#fail(nonce, { error: toError(error) });
      throw error;
    }
  }

  /**
   * @param {Invocation} body
   * @param {string} nonce
   * @param {File[]} [files]
   */
  #send(body, nonce, files = []) {
    const full = { ...body, session_id: this.gateway.sessionID ?? undefined, nonce };
    return this.client.post(`${api}/interactions`, files.length ? multipart(full, files) : full);
  }

  /**
   * retry sends a failed interaction again.
   * @param {Pending} pending
   */
  retry({ nonce, body, label, files, step }) {
    this.dismiss(nonce);
    return this.invoke(body, label, { files, step });
  }

  /**
   * autocomplete requests choices from an app. It returns null if the app does not send them in time.
   * @param {Invocation} body
   * @returns {Promise<Choice[] | null>}
   */
  async autocomplete(body) {
    const nonce = nextNonce();
    let timer = 0;
    try {
      /** @type {Promise<Choice[] | null>} */
      const choices = new Promise((resolve) => {
        this.#autocompletes.set(nonce, resolve); // before the request: the choices can arrive before its response
      });
      await this.#send(body, nonce);
      timer = setTimeout(() => this.#resolveAutocomplete(nonce, null), autocompleteTimeout);
      return await choices;
    } finally {
      clearTimeout(timer);
      this.#autocompletes.delete(nonce);
    }
  }

  /**
   * dismiss removes a pending interaction.
   * @param {string} nonce
   */
  dismiss(nonce) {
    this.pending.delete(nonce);
    this.changed();
  }

  /**
   * forgetMessage removes a message from this page only.
   * @param {Message} message
   */
  forgetMessage(message) {
    this.#updateMessages(message.channel_id, (list) => list.filter((m) => m.id !== message.id));
  }

  closeModal() {
    this.modal = null;
    this.changed();
  }

  /**
   * #updateMessages changes the messages of a channel. A new message belongs to the latest ones.
   * @param {string} channel
   * @param {(list: Message[]) => Message[]} update
   * @param {{ isNew?: boolean }} [options]
   */
  #updateMessages(channel, update, { isNew = false } = {}) {
    const latest = this.latest.get(channel);
    if (latest) this.latest.set(channel, update(latest));
    if (!(latest && isNew)) this.messages.set(channel, update(this.messages.get(channel) ?? []));
    this.changed();
  }

  /** @param {GatewayEvent} event */
  #onEvent(event) {
    switch (event.name) {
      case 'READY':
        this.places.begin(event.data.guilds);
        this.#load();
        this.commandsVersion++;
        break;
      case 'MESSAGE_CREATE':
      case 'MESSAGE_UPDATE':
      case 'MESSAGE_DELETE':
        this.#onMessage(event.name, event.data);
        break;
      case 'MESSAGE_DELETE_BULK':
        this.#updateMessages(event.data.channel_id, (list) => list.filter((m) => !event.data.ids.includes(m.id)));
        break;
      case 'MESSAGE_REACTION_ADD':
      case 'MESSAGE_REACTION_REMOVE':
      case 'MESSAGE_REACTION_REMOVE_EMOJI':
      case 'MESSAGE_REACTION_REMOVE_ALL':
        this.#onReaction(event.name, event.data);
        break;
      case 'MESSAGE_POLL_VOTE_ADD':
      case 'MESSAGE_POLL_VOTE_REMOVE':
        this.#onVote(event.name, event.data);
        break;
      case 'INTERACTION_SUCCESS':
        // The message can arrive later, and a component's answer can change a message without the nonce.
        this.dismiss(event.data.nonce);
        break;
      case 'INTERACTION_FAILURE':
        this.#fail(event.data.nonce, {
          reason: event.data.reason_code,
          detail: event.data.reason,
          interaction: event.data.id,
        });
        this.#resolveAutocomplete(event.data.nonce, null);
        break;
      case 'INTERACTION_MODAL_CREATE':
        this.modal = event.data;
        this.dismiss(event.data.nonce);
        break;
      case 'EMBEDDED_ACTIVITY_UPDATE_V2':
        this.activity = event.data;
        this.dismiss(event.data.nonce ?? '');
        break;
      case 'APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE':
        this.#resolveAutocomplete(event.data.nonce, event.data.choices);
        break;
      case 'GUILD_APPLICATION_COMMAND_INDEX_UPDATE':
        this.commandsVersion++;
        this.changed();
        break;
      default:
        this.#onOther(event);
    }
  }

  /** @param {GatewayEvent} event */
  #onOther(event) {
    if (event.name === 'TYPING_START') {
      if (event.data.user_id !== this.userID) this.typing.add(event.data);
    } else if (this.places.handle(event)) {
      this.changed();
    } else {
      this.#onResource(/** @type {ResourceEvent} */ (event));
    }
  }

  /**
   * @param {'MESSAGE_CREATE' | 'MESSAGE_UPDATE' | 'MESSAGE_DELETE'} name
   * @param {Message} message
   */
  #onMessage(name, message) {
    if (name === 'MESSAGE_CREATE' && message.nonce) this.pending.delete(message.nonce);
    this.#answered(message);
    if (name === 'MESSAGE_CREATE') this.typing.remove(message.channel_id, message.author?.id);
    const isNew = name === 'MESSAGE_CREATE';
    this.#updateMessages(message.channel_id, (list) => afterMessage(list, name, message), { isNew });
  }

  /**
   * @param {ReactionEventName} name
   * @param {ReactionEvent} event
   */
  #onReaction(name, event) {
    this.#updateMessages(event.channel_id, (list) => afterReaction(list, name, event, this.userID));
  }

  /**
   * @param {'MESSAGE_POLL_VOTE_ADD' | 'MESSAGE_POLL_VOTE_REMOVE'} name
   * @param {PollVoteEvent} event
   */
  #onVote(name, event) {
    const step = name === 'MESSAGE_POLL_VOTE_ADD' ? 1 : -1;
    this.#updateMessages(event.channel_id, (list) => afterVote(list, event, step, this.userID));
  }

  /**
   * #answered adds a message to the step that it answers. A message that changed replaces the one before.
   * @param {Message} message
   */
  #answered(message) {
    const last = this.done.at(-1);
    const step = message.nonce ? this.done.find((d) => d.nonce === message.nonce) : last;
    if (!step || step.body.application_id !== (message.application_id ?? message.author?.id)) return;
    if ((message.flags ?? 0) & flagLoading) step.deferred = true;
    const known = step.answers.some((m) => m.id === message.id);
    const replaced = step.answers.map((m) => (m.id === message.id ? { ...m, ...message } : m));
    step.answers = known ? replaced : [...step.answers, message];
  }

  /** forgetDone begins the record of what the user did again. */
  forgetDone() {
    this.done = [];
    this.changed();
  }

  closeActivity() {
    this.activity = null;
    this.changed();
  }

  /**
   * @param {string} nonce
   * @param {Partial<Pending>} why
   */
  #fail(nonce, why) {
    const pending = this.pending.get(nonce);
    if (pending) this.pending.set(nonce, { ...pending, ...why, state: 'failed' });
    this.changed();
  }

  /**
   * @param {string} nonce
   * @param {Choice[] | null} choices
   */
  #resolveAutocomplete(nonce, choices) {
    this.#autocompletes.get(nonce)?.(choices);
  }

  /**
   * #onResource loads a guild again after a change of the guild or of one of its channels.
   * @param {ResourceEvent} event
   */
  #onResource({ name, data }) {
    if (name === 'CHANNEL_PINS_UPDATE' || name === 'GUILD_AUDIT_LOG_ENTRY_CREATE') return;
    const guild = data?.guild_id ?? (name.startsWith('GUILD_') ? data?.id : undefined);
    if (name === 'GUILD_CREATE') this.places.addGuild(/** @type {SessionGuild} */ (/** @type {unknown} */ (data)));
    if (name === 'GUILD_DELETE') {
      this.guilds.delete(data.id);
      this.changed();
    } else if (guild && /^(GUILD_|CHANNEL_)/.test(name)) {
      this.#loadGuild(guild);
      this.commandsVersion++;
    } else if (name === 'CHANNEL_CREATE') {
      this.#addDirectMessage(data);
    }
  }
}
