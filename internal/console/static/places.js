// What only the gateway tells a user about guilds: active threads, who is in voice, and who is online.

/** @import { Channel, GatewayEvent, Member, SessionGuild, Status, ThreadEvent } from '../types/wire.js' */
import { afterThreadEvent } from './threads.js';

/** Places keeps what events say. Its maps are replaced, not changed. */
export class Places {
  /**
   * Threads that the user sees, by id.
   * @type {Map<string, Channel>}
   */
  threads = new Map();
  /**
   * The voice channels of members, by guild and user.
   * @type {Map<string, { user: string, channel: string }>}
   */
  voices = new Map();
  /**
   * The presences of people and bots, as far as they were asked for. Others are offline.
   * @type {Map<string, Status>}
   */
  presences = new Map();
  #me;

  /** @param {string} me the id of the user */
  constructor(me) {
    this.#me = me;
  }

  /**
   * handle takes an event, and reports whether it was one about places.
   * @param {GatewayEvent} event
   */
  handle(event) {
    switch (event.name) {
      case 'GUILD_MEMBERS_CHUNK':
        this.#onMembers(event.data);
        return true;
      case 'VOICE_STATE_UPDATE':
        this.#onVoice(event.data.guild_id ?? '', event.data);
        return true;
      case 'THREAD_CREATE':
      case 'THREAD_UPDATE':
      case 'THREAD_DELETE':
      case 'THREAD_LIST_SYNC':
      case 'THREAD_MEMBER_UPDATE':
      case 'THREAD_MEMBERS_UPDATE':
        this.threads = afterThreadEvent(this.threads, /** @type {ThreadEvent} */ (event), this.#me);
        return true;
      default:
        return false;
    }
  }

  /**
   * begin takes the guilds of a new gateway session.
   * @param {SessionGuild[]} guilds
   */
  begin(guilds) {
    this.threads = new Map();
    this.voices = new Map();
    for (const guild of guilds) this.addGuild(guild);
  }

  /** @param {SessionGuild} guild */
  addGuild({ id, threads = [], voice_states: voices = [] }) {
    this.threads = new Map([...this.threads, ...threads.map((c) => /** @type {const} */ ([c.id, c]))]);
    for (const v of voices) this.#onVoice(id, v);
  }

  /** @param {Channel} thread */
  addThread(thread) {
    this.threads = new Map(this.threads).set(thread.id, thread);
  }

  /**
   * voiceOf returns the voice channel in which the user is.
   * @param {string} guild
   */
  voiceOf(guild) {
    return this.voices.get(`${guild} ${this.#me}`)?.channel;
  }

  /**
   * @param {string} guild
   * @param {{ user_id: string, channel_id: string | null }} state
   */
  #onVoice(guild, { user_id: user, channel_id: channel }) {
    const key = `${guild} ${user}`;
    this.voices = new Map(this.voices);
    if (channel) this.voices.set(key, { user, channel });
    else this.voices.delete(key);
  }

  /** @param {{ members: Member[], presences?: { user: { id: string }, status: Status }[] }} chunk */
  #onMembers({ members, presences }) {
    if (!presences) return;
    const shown = new Map(presences.map((p) => [p.user.id, p.status]));
    this.presences = new Map(this.presences);
    for (const { user } of members) this.presences.set(user.id, shown.get(user.id) ?? 'offline');
  }
}
