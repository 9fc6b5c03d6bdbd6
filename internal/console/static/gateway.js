// A user's session on the gateway.

/** @import { Client } from './http.js' */
/** @import { GatewayEvent, GatewayFrame } from '../types/wire.js' */
import { serviceURL } from './base.js';
import { Store } from './state.js';

const op = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  voiceState: 4,
  resume: 6,
  reconnect: 7,
  requestMembers: 8,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
};

const closeNormal = 1000;
const closeReconnect = 4200;
const closeAuthenticationFailed = 4004;
const closeInvalidSequence = 4007;

/** @typedef {'connecting' | 'ready' | 'reconnecting' | 'refused' | 'closed'} GatewayState */

/** Gateway identifies, sends heartbeats, reports events, and resumes its session after a disconnect. */
export class Gateway extends Store {
  /** @type {GatewayState} */
  state = 'connecting';
  /** @type {string | null} */
  sessionID = null;
  #client;
  #onEvent;
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {number | null} */
  #sequence = null;
  #heartbeatTimer = 0;
  #acknowledged = true;
  #attempts = 0;
  #reconnectTimer = 0;

  /**
   * @param {Client} client
   * @param {(event: GatewayEvent) => void} onEvent
   */
  constructor(client, onEvent) {
    super();
    this.#client = client;
    this.#onEvent = onEvent;
    this.#connect();
  }

  close() {
    this.#setState('closed');
    clearTimeout(this.#reconnectTimer);
    this.#disconnect(closeNormal);
  }

  /**
   * requestMembers asks for members of a guild. The answer is the event GUILD_MEMBERS_CHUNK.
   * @param {{ guild_id: string, user_ids: string[], presences: boolean }} request
   */
  requestMembers(request) {
    if (this.state === 'ready') this.#send({ op: op.requestMembers, d: request });
  }

  /**
   * joinVoice joins a voice channel, or with null leaves the one of a guild.
   * @param {string} guild
   * @param {string | null} channel
   */
  joinVoice(guild, channel) {
    this.#send({
      op: op.voiceState,
      d: { guild_id: guild, channel_id: channel, self_mute: false, self_deaf: false },
    });
  }

  /** @param {GatewayState} state */
  #setState(state) {
    if (this.state === 'closed') return;
    this.state = state;
    this.changed();
  }

  /** @param {number} [code] */
  #disconnect(code) {
    clearInterval(this.#heartbeatTimer);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(code);
  }

  async #connect() {
    /** @type {string} */
    let token;
    try {
      token = await this.#client.authorization();
    } catch {
      this.#reconnect();
      return;
    }
    if (this.#isClosed()) return;
    const socket = new WebSocket(serviceURL('/gateway/?v=10&encoding=json').replace(/^http/, 'ws'));
    this.#socket = socket;
    socket.onmessage = (message) => {
      if (socket === this.#socket) this.#onFrame(JSON.parse(message.data), token);
    };
    socket.onclose = (event) => {
      if (socket !== this.#socket) return;
      this.#disconnect();
      this.#onClose(event.code);
    };
  }

  #isClosed() {
    return this.state === 'closed';
  }

  /** @param {number} code */
  #onClose(code) {
    const unauthorized = code === closeAuthenticationFailed;
    if (unauthorized) this.#client.forgetToken();
    if (unauthorized || code === closeInvalidSequence || code === closeNormal) this.sessionID = null;
    this.#setState(unauthorized && this.#attempts > 2 ? 'refused' : 'reconnecting');
    this.#reconnect();
  }

  #reconnect() {
    if (this.#isClosed()) return;
    clearTimeout(this.#reconnectTimer);
    this.#reconnectTimer = setTimeout(() => this.#connect(), Math.min(500 * 2 ** this.#attempts++, 15000));
  }

  /** @param {object} frame */
  #send(frame) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  /**
   * @param {GatewayFrame} frame
   * @param {string} token
   */
  #onFrame(frame, token) {
    if (frame.s) this.#sequence = frame.s;
    switch (frame.op) {
      case op.hello:
        this.#onHello(/** @type {{ heartbeat_interval: number }} */ (frame.d).heartbeat_interval, token);
        break;
      case op.heartbeat:
        this.#send({ op: op.heartbeat, d: this.#sequence });
        break;
      case op.heartbeatAck:
        this.#acknowledged = true;
        break;
      case op.reconnect:
        this.#startOver(closeReconnect);
        break;
      case op.invalidSession:
        this.sessionID = null;
        this.#startOver(closeNormal);
        break;
      case op.dispatch:
        this.#onDispatch(/** @type {GatewayEvent} */ ({ name: frame.t, data: frame.d }));
    }
  }

  /** @param {number} code */
  #startOver(code) {
    this.#disconnect(code);
    this.#setState('reconnecting');
    this.#reconnect();
  }

  /**
   * @param {number} interval
   * @param {string} token
   */
  #onHello(interval, token) {
    this.#acknowledged = true;
    clearInterval(this.#heartbeatTimer);
    this.#heartbeatTimer = setInterval(() => this.#heartbeat(), interval);
    if (this.sessionID) {
      this.#send({ op: op.resume, d: { token, session_id: this.sessionID, seq: this.#sequence ?? 0 } });
      return;
    }
    this.#sequence = null;
    const properties = { os: 'browser', browser: 'console', device: 'console' };
    this.#send({ op: op.identify, d: { token, intents: 0, properties } });
  }

  /** #heartbeat sends a heartbeat, or reconnects if the service did not acknowledge the one before. */
  #heartbeat() {
    if (!this.#acknowledged) {
      this.#disconnect(closeReconnect);
      this.#onClose(0);
      return;
    }
    this.#acknowledged = false;
    this.#send({ op: op.heartbeat, d: this.#sequence });
  }

  /** @param {GatewayEvent} event */
  #onDispatch(event) {
    if (event.name === 'READY') this.sessionID = event.data.session_id;
    if (event.name === 'READY' || event.name === 'RESUMED') {
      this.#attempts = 0;
      this.#setState('ready');
    }
    this.#onEvent(event);
  }
}
