// The state of a user's chat window: guilds, channels, messages, and the interactions that wait for an answer.

/** @import { Clients } from './http.js' */
/** @import { Channel, Choice, CommandIndex, CurrentUser, Guild, Invocation, Member } from '../types/wire.js' */
/** @import { GatewayEvent, Message, Modal, ResourceEvent, Role } from '../types/wire.js' */
import { Gateway } from './gateway.js';
import { APIError, api } from './http.js';
import { Store, toError } from './state.js';

const maxMessages = 300;
const flagEphemeral = 1 << 6;
const autocompleteTimeout = 4000;

/** @typedef {Guild & { channels: Channel[], roles: Role[], members: Member[] }} LoadedGuild */

/** @typedef {Channel & { guild?: LoadedGuild }} LoadedChannel */

/**
 * An interaction that the app has not answered. reason, or detail, is set if it failed.
 * @typedef {{ nonce: string, label: string, channel: string, state: 'sent' | 'failed', reason?: number,
 *   detail?: string }} Pending
 */

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
   * Unanswered interactions by nonce.
   * @type {Map<string, Pending>}
   */
  pending = new Map();
  /** @type {Modal | null} */
  modal = null;
  /** @type {Error | null} */
  error = null;
  /** Counts the changes of the commands that the user can invoke. */
  commandsVersion = 0;
  /**
   * Callbacks of autocomplete requests by nonce.
   * @type {Map<string, (choices: Choice[] | null) => void>}
   */
  #autocompletes = new Map();

  /**
   * @param {Clients} clients
   * @param {string} userID
   */
  constructor(clients, userID) {
    super();
    this.userID = userID;
    this.client = clients.user(userID);
    this.gateway = new Gateway(this.client, (event) => this.#onEvent(event));
    this.gateway.listen(() => this.changed());
    this.#load();
  }

  close() {
    this.gateway.close();
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
    return this.directMessages.find((d) => d.id === id);
  }

  /**
   * loadMessages loads the latest messages of a channel. It keeps ephemeral messages, which the service does not store.
   * @param {string} id
   */
  async loadMessages(id) {
    try {
      /** @type {Message[]} */
      const list = await this.client.get(`${api}/channels/${id}/messages?limit=50`);
      const kept = (this.messages.get(id) ?? []).filter((m) => (m.flags ?? 0) & flagEphemeral);
      const all = [...list.reverse(), ...kept].sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
      this.messages.set(id, all);
    } catch (error) {
      if (!isHidden(error)) this.error = toError(error);
    }
    this.changed();
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
   * invoke sends an interaction and returns its nonce. With a label, the interaction is pending until it is answered.
   * @param {Invocation} body
   * @param {string | null} label
   * @param {File[]} [files] the files of the attachments
   */
  async invoke(body, label, files = []) {
    const nonce = nextNonce();
    const full = { session_id: this.gateway.sessionID ?? undefined, nonce, ...body };
    if (label) {
      this.pending.set(nonce, { nonce, label, channel: body.channel_id, state: 'sent' });
      this.changed();
    }
    try {
      await this.client.post(`${api}/interactions`, files.length ? multipart(full, files) : full);
    } catch (error) {
      this.dismiss(nonce);
      throw error;
    }
    return nonce;
  }

  /**
   * autocomplete requests choices from an app. It returns null if the app does not send them in time.
   * @param {Invocation} body
   * @returns {Promise<Choice[] | null>}
   */
  async autocomplete(body) {
    const nonce = await this.invoke(body, null);
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#autocompletes.delete(nonce);
        resolve(null);
      }, autocompleteTimeout);
      this.#autocompletes.set(nonce, (choices) => {
        clearTimeout(timer);
        resolve(choices);
      });
    });
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
   * @param {string} channel
   * @param {(list: Message[]) => Message[]} update
   */
  #updateMessages(channel, update) {
    this.messages.set(channel, update(this.messages.get(channel) ?? []).slice(-maxMessages));
    this.changed();
  }

  /** @param {GatewayEvent} event */
  #onEvent(event) {
    switch (event.name) {
      case 'READY':
        this.#load();
        this.commandsVersion++;
        break;
      case 'MESSAGE_CREATE':
      case 'MESSAGE_UPDATE':
      case 'MESSAGE_DELETE':
        this.#onMessage(event.name, event.data);
        break;
      case 'INTERACTION_SUCCESS':
        // The message can arrive later, and a component's answer can change a message without the nonce.
        this.dismiss(event.data.nonce);
        break;
      case 'INTERACTION_FAILURE':
        this.#fail(event.data.nonce, event.data.reason_code, event.data.reason);
        this.#resolveAutocomplete(event.data.nonce, null);
        break;
      case 'INTERACTION_MODAL_CREATE':
        this.modal = event.data;
        this.dismiss(event.data.nonce);
        break;
      case 'APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE':
        this.#resolveAutocomplete(event.data.nonce, event.data.choices);
        break;
      case 'GUILD_APPLICATION_COMMAND_INDEX_UPDATE':
        this.commandsVersion++;
        this.changed();
        break;
      default:
        this.#onResource(event);
    }
  }

  /**
   * @param {'MESSAGE_CREATE' | 'MESSAGE_UPDATE' | 'MESSAGE_DELETE'} name
   * @param {Message} message
   */
  #onMessage(name, message) {
    if (name === 'MESSAGE_CREATE' && message.nonce) this.pending.delete(message.nonce);
    this.#updateMessages(message.channel_id, (list) => {
      if (name === 'MESSAGE_UPDATE') return list.map((m) => (m.id === message.id ? { ...m, ...message } : m));
      const others = list.filter((m) => m.id !== message.id);
      return name === 'MESSAGE_CREATE' ? [...others, message] : others;
    });
  }

  /**
   * @param {string} nonce
   * @param {number} reason
   * @param {string} [detail] the reason as the service tells it
   */
  #fail(nonce, reason, detail) {
    const pending = this.pending.get(nonce);
    if (pending) this.pending.set(nonce, { ...pending, state: 'failed', reason, detail });
    this.changed();
  }

  /**
   * @param {string} nonce
   * @param {Choice[] | null} choices
   */
  #resolveAutocomplete(nonce, choices) {
    this.#autocompletes.get(nonce)?.(choices);
    this.#autocompletes.delete(nonce);
  }

  /**
   * #onResource loads a guild again after a change of the guild or of one of its channels.
   * @param {ResourceEvent} event
   */
  #onResource({ name, data }) {
    const guild = data?.guild_id ?? (name.startsWith('GUILD_') ? data?.id : undefined);
    if (name === 'GUILD_DELETE') {
      this.guilds.delete(data.id);
      this.changed();
    } else if (guild && /^(GUILD_|CHANNEL_|THREAD_)/.test(name)) {
      this.#loadGuild(guild);
      this.commandsVersion++;
    } else if (name === 'CHANNEL_CREATE') {
      this.#addDirectMessage(data);
    }
  }
}

/**
 * @param {Invocation} body
 * @param {File[]} files
 */
function multipart(body, files) {
  const form = new FormData();
  form.append('payload_json', new Blob([JSON.stringify(body)], { type: 'application/json' }));
  for (const [i, file] of files.entries()) form.append(`files[${i}]`, file, file.name);
  return form;
}
