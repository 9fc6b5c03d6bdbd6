// A person's view of the world: guilds, channels, messages, and what became of the commands they used.
import {Store} from './ui.js';
import {Gateway} from './gateway.js';
import {api} from './http.js';

// most is how many messages of a channel are kept.
const most = 300;
const ephemeral = 1 << 6;

let last = 0n;

// nonce returns a number that this page has not used before, in the form of an id.
function nonce() {
  const now = (BigInt(Date.now()) - 1420070400000n) << 22n;
  last = now > last ? now : last + 1n;
  return String(last);
}

export class Session extends Store {
  me = null;
  guilds = new Map(); // id → {id, name, channels, roles, members}
  directs = [];
  messages = new Map(); // channel → list, the oldest first
  pending = new Map(); // nonce → {label, channel, state, reason}
  modal = null;
  error = null;
  #waiting = new Map(); // nonce → function for suggestions
  #indexVersion = 0;

  constructor(desk, user) {
    super();
    this.desk = desk;
    this.user = user;
    this.caller = desk.person(user);
    this.gateway = new Gateway(this.caller, (name, data) => this.#heard(name, data));
    this.gateway.listen(() => this.changed());
    this.#load();
  }

  close() {
    this.gateway.close();
  }

  // index grows whenever the commands that can be used here may have changed.
  get index() {
    return this.#indexVersion;
  }

  async #load() {
    try {
      const [me, guilds, directs] = await Promise.all([
        this.caller.get(`${api}/users/@me`), this.caller.get(`${api}/users/@me/guilds`), this.caller.get(`${api}/users/@me/channels`),
      ]);
      this.speak(me);
      this.directs = directs;
      await Promise.all(guilds.map((g) => this.loadGuild(g.id)));
      this.error = null;
    } catch (error) {
      this.error = error;
    }
    this.changed();
  }

  // speak takes note of who this is, and of the language that is meant whatever the browser's is.
  speak(me) {
    this.me = me;
    this.caller.headers = {'X-Discord-Locale': me.locale};
    this.#indexVersion++;
    this.changed();
  }

  async loadGuild(id) {
    const at = `${api}/guilds/${id}`;
    try {
      const [guild, channels, roles, members] = await Promise.all([
        this.caller.get(at), this.caller.get(`${at}/channels`), this.caller.get(`${at}/roles`), this.caller.get(`${at}/members?limit=200`),
      ]);
      this.guilds.set(id, {...guild, channels, roles, members});
    } catch (error) {
      if (error.status === 403 || error.status === 404) this.guilds.delete(id);
      else this.error = error;
    }
    this.changed();
  }

  // openDirect opens the conversation with somebody and returns its id.
  async openDirect(user) {
    const channel = await this.caller.post(`${api}/users/@me/channels`, {recipient_id: user});
    if (!this.directs.some((d) => d.id === channel.id)) this.directs = [...this.directs, channel];
    this.changed();
    return channel.id;
  }

  channel(id) {
    for (const guild of this.guilds.values()) {
      const found = guild.channels.find((c) => c.id === id);
      if (found) return {...found, guild};
    }
    return this.directs.find((d) => d.id === id);
  }

  // open reads what was said in a channel before.
  async open(id) {
    try {
      const list = await this.caller.get(`${api}/channels/${id}/messages?limit=50`);
      const kept = (this.messages.get(id) ?? []).filter((m) => m.flags & ephemeral);
      this.messages.set(id, [...list.reverse(), ...kept].sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1)));
    } catch (error) {
      if (error.status !== 403 && error.status !== 404) this.error = error;
    }
    this.changed();
  }

  search(channel, type, query, limit = 25) {
    return this.caller.get(`${api}/channels/${channel}/application-commands/search?type=${type}&limit=${limit}&include_applications=true&query=${encodeURIComponent(query)}`);
  }

  // invoke sends an interaction. files are those of its attachments.
  async invoke(body, label, files = []) {
    const id = nonce();
    const full = {session_id: this.gateway.session ?? undefined, nonce: id, ...body};
    if (label) {
      this.pending.set(id, {nonce: id, label, channel: body.channel_id, state: 'sent'});
      this.changed();
    }
    try {
      await this.caller.post(`${api}/interactions`, files.length ? multipart(full, files) : full);
    } catch (error) {
      this.pending.delete(id);
      this.changed();
      throw error;
    }
    return id;
  }

  // suggest asks an app for suggestions. It gives null when none came in time.
  async suggest(body) {
    const id = await this.invoke(body, null);
    return new Promise((done) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        done(null);
      }, 4000);
      this.#waiting.set(id, (choices) => {
        clearTimeout(timer);
        done(choices);
      });
    });
  }

  dismiss(id) {
    this.pending.delete(id);
    this.changed();
  }

  forgetMessage(message) {
    this.#with(message.channel_id, (list) => list.filter((m) => m.id !== message.id));
  }

  closeModal() {
    this.modal = null;
    this.changed();
  }

  #with(channel, change) {
    this.messages.set(channel, change(this.messages.get(channel) ?? []).slice(-most));
    this.changed();
  }

  #settle(data, change) {
    const p = this.pending.get(data.nonce);
    if (p) this.pending.set(data.nonce, {...p, ...change});
    this.changed();
  }

  #heard(name, data) {
    switch (name) {
      case 'READY':
        this.#load();
        this.#indexVersion++;
        break;
      case 'MESSAGE_CREATE':
        if (data.nonce) this.pending.delete(data.nonce);
        this.#with(data.channel_id, (list) => [...list.filter((m) => m.id !== data.id), data]);
        break;
      case 'MESSAGE_UPDATE':
        this.#with(data.channel_id, (list) => list.map((m) => (m.id === data.id ? {...m, ...data} : m)));
        break;
      case 'MESSAGE_DELETE':
        this.#with(data.channel_id, (list) => list.filter((m) => m.id !== data.id));
        break;
      case 'INTERACTION_SUCCESS':
        this.#succeeded(data);
        break;
      case 'INTERACTION_FAILURE':
        this.#settle(data, {state: 'failed', reason: data.reason_code});
        this.#answer(data.nonce, null);
        break;
      case 'INTERACTION_MODAL_CREATE':
        this.pending.delete(data.nonce);
        this.modal = data;
        this.changed();
        break;
      case 'APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE':
        this.#answer(data.nonce, data.choices);
        break;
      case 'GUILD_APPLICATION_COMMAND_INDEX_UPDATE':
        this.#indexVersion++;
        this.changed();
        break;
      default:
        this.#moved(name, data);
    }
  }

  // A message may still be on its way, a component's answer may change one without saying for what: either way it is done.
  #succeeded(data) {
    if (this.pending.delete(data.nonce)) this.changed();
  }

  #answer(id, choices) {
    this.#waiting.get(id)?.(choices);
    this.#waiting.delete(id);
  }

  // moved reads anew what an event says has changed.
  #moved(name, data) {
    const guild = data?.guild_id ?? (name.startsWith('GUILD_') ? data?.id : undefined);
    if (name === 'GUILD_DELETE') {
      this.guilds.delete(data.id);
      this.changed();
    } else if (guild && /^(GUILD_|CHANNEL_|THREAD_)/.test(name)) {
      this.loadGuild(guild);
      this.#indexVersion++;
    } else if (name === 'CHANNEL_CREATE' && !this.directs.some((d) => d.id === data.id)) {
      this.directs = [...this.directs, data];
      this.changed();
    }
  }
}

function multipart(body, files) {
  const form = new FormData();
  form.append('payload_json', new Blob([JSON.stringify(body)], {type: 'application/json'}));
  files.forEach((f, i) => form.append(`files[${i}]`, f, f.name));
  return form;
}
