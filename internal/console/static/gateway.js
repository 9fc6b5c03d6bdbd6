// A person's session on the gateway: it says who is there, beats, hears, and comes back when it was cut off.
import {Store} from './ui.js';

const op = {dispatch: 0, heartbeat: 1, identify: 2, resume: 6, reconnect: 7, invalid: 9, hello: 10, ack: 11};

export class Gateway extends Store {
  // state is one of: connecting, ready, away, refused, closed.
  state = 'connecting';
  session = null;
  #caller;
  #hear;
  #socket = null;
  #seq = null;
  #beat = 0;
  #acked = true;
  #tries = 0;
  #again = 0;

  // hear is called with the name and the data of every event.
  constructor(caller, hear) {
    super();
    this.#caller = caller;
    this.#hear = hear;
    this.#connect();
  }

  close() {
    this.#set('closed');
    clearTimeout(this.#again);
    this.#drop(1000);
  }

  #set(state) {
    if (this.state === 'closed') return;
    this.state = state;
    this.changed();
  }

  #drop(code) {
    clearInterval(this.#beat);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(code);
  }

  async #connect() {
    let token;
    try {
      token = await this.#caller.header();
    } catch {
      return this.#retry();
    }
    if (this.state === 'closed') return;
    const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/gateway/?v=10&encoding=json`);
    this.#socket = socket;
    socket.onmessage = (e) => socket === this.#socket && this.#frame(JSON.parse(e.data), token);
    socket.onclose = (e) => {
      if (socket !== this.#socket) return;
      this.#drop();
      this.#closed(e.code);
    };
  }

  #closed(code) {
    if (code === 4004) this.#caller.forget();
    if (code === 4004 || code === 4007 || code === 1000) this.session = null;
    this.#set(code === 4004 && this.#tries > 2 ? 'refused' : 'away');
    this.#retry();
  }

  #retry() {
    if (this.state === 'closed') return;
    clearTimeout(this.#again);
    this.#again = setTimeout(() => this.#connect(), Math.min(500 * 2 ** this.#tries++, 15000));
  }

  #send(frame) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  #frame({op: kind, d, s, t}, token) {
    if (s) this.#seq = s;
    switch (kind) {
      case op.hello:
        this.#hello(d.heartbeat_interval, token);
        break;
      case op.heartbeat:
        this.#send({op: op.heartbeat, d: this.#seq});
        break;
      case op.ack:
        this.#acked = true;
        break;
      case op.reconnect:
        this.#drop(4200);
        this.#set('away');
        this.#retry();
        break;
      case op.invalid:
        this.session = null;
        this.#drop(1000);
        this.#set('away');
        this.#retry();
        break;
      case op.dispatch:
        this.#dispatch(t, d);
    }
  }

  #hello(interval, token) {
    this.#acked = true;
    clearInterval(this.#beat);
    this.#beat = setInterval(() => {
      if (!this.#acked) {
        this.#drop(4200);
        this.#closed(0);
        return;
      }
      this.#acked = false;
      this.#send({op: op.heartbeat, d: this.#seq});
    }, interval);
    if (this.session) {
      this.#send({op: op.resume, d: {token, session_id: this.session, seq: this.#seq ?? 0}});
      return;
    }
    this.#seq = null;
    this.#send({op: op.identify, d: {token, intents: 0, properties: {os: 'browser', browser: 'console', device: 'console'}}});
  }

  #dispatch(name, data) {
    if (name === 'READY') this.session = data.session_id;
    if (name === 'READY' || name === 'RESUMED') {
      this.#tries = 0;
      this.#set('ready');
    }
    this.#hear(name, data);
  }
}
