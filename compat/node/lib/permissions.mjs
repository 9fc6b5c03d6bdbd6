// The checks of the permissions of a command in the guild. Each step depends on the steps before it.
import assert from 'node:assert/strict';
import { answers } from './answers.mjs';
import { catalog } from './catalog.mjs';

const unknownID = '900000000000000009'; // an id of the usual length that does not exist

export function permissionSteps(session) {
  if (session.library.noPermissions) return [];
  const permissions = new Permissions(session);
  const steps = session.library.noPermit ? permissions.readSteps() : permissions.steps();
  return steps.map(([step, run]) => [`permissions: ${step}`, run]);
}

class Permissions {
  constructor(session) {
    const { guild, member, channel } = session.config;
    this.session = session;
    this.guild = guild;
    this.list = [
      { id: guild, type: 1, permission: false }, // everyone
      { id: member, type: 2, permission: true },
      { id: channel, type: 3, permission: true },
    ];
  }

  steps() {
    return [
      ['none', () => this.none()],
      ['edit', () => this.edit()],
      ['get', () => this.get()],
      ['list', () => this.all()],
      ['edit again', () => this.editAgain()],
      ['with the bot token', () => this.withBotToken()],
      ['unknown member', () => this.unknownMember()],
      ['edit with nothing', () => this.editWithNothing()],
      ['deleted with the command', () => this.deleted((list) => this.permit(list))],
    ];
  }

  // readSteps returns the steps for a library that can read permissions but not edit them.
  readSteps() {
    return [
      ['none', () => this.none()],
      ['edit fails by itself', () => this.editFails()],
      ['get', async () => {
        await this.put(this.list);
        await this.get();
      }],
      ['list', () => this.all()],
      ['deleted with the command', () => this.deleted((list) => this.put(list))],
    ];
  }

  get client() {
    return this.session.client;
  }

  // set returns the permissions of the command with the given entries.
  set(permissions) {
    return { id: this.command, application_id: this.session.config.application, guild_id: this.guild, permissions };
  }

  async none() {
    const { library, config } = this.session;
    this.user = await library.connect(config, `Bearer ${config.userToken}`); // the token of a user who can edit permissions
    this.command = (await this.client.create(this.guild, structuredClone(this.session.sends(catalog.extra)))).id;
    await this.shown(null);
  }

  async edit() {
    const got = await this.permit(this.list);
    this.session.answered('PUT 200');
    assert.deepEqual(got, this.set(this.list));
    await this.stored(this.list);
  }

  async get() {
    for (const client of [this.client, this.user]) {
      assert.deepEqual(await client.permissions(this.guild, this.command), this.set(this.list));
    }
  }

  async all() {
    for (const client of [this.client, this.user]) {
      assert.deepEqual(await client.allPermissions(this.guild), [this.set(this.list)]);
    }
  }

  // editAgain replaces the permissions.
  async editAgain() {
    this.list = [{ ...this.list[1], permission: false }];
    assert.deepEqual(await this.permit(this.list), this.set(this.list));
    await this.shown(this.list);
  }

  // withBotToken checks that a bot token cannot edit permissions.
  async withBotToken() {
    const [status, code] = this.session.library.botTokenRefused ?? [403, 20001];
    await this.session.refused(() => this.client.permit(this.guild, this.command, []), status, code);
    await this.shown(this.list);
  }

  async unknownMember() {
    const list = [{ id: unknownID, type: 2, permission: false }];
    await this.session.refused(() => this.permit(list), 400, 10013);
    await this.shown(this.list);
  }

  async editWithNothing() {
    assert.deepEqual(await this.permit([]), this.set([]));
    await this.shown(null);
  }

  // deleted deletes the command and checks that its permissions are deleted too.
  async deleted(put) {
    await put(this.list);
    await this.shown(this.list);
    await this.client.remove(this.guild, this.command);
    assert.deepEqual(await this.client.allPermissions(this.guild), []);
  }

  // shown checks the permissions that the library returns and those that the service returns.
  async shown(list) {
    assert.deepEqual(await this.client.allPermissions(this.guild), list ? [this.set(list)] : []);
    if (!list) return this.session.refused(() => this.client.permissions(this.guild, this.command), 404, 10066);
    assert.deepEqual(await this.client.permissions(this.guild, this.command), this.set(list));
    return this.stored(list);
  }

  // permit replaces the permissions of the command with the library.
  permit(list) {
    return this.user.permit(this.guild, this.command, structuredClone(list));
  }

  // editFails checks that the edit method of the library fails and sends no request.
  async editFails() {
    const sent = { ...answers.count };
    await assert.rejects(this.permit(this.list), this.session.library.noPermit);
    assert.deepEqual(answers.count, sent);
  }

  // stored checks the permissions that the service returns without the library.
  async stored(list) {
    assert.deepEqual(await this.request('GET', `Bot ${this.session.config.botToken}`), this.set(list));
  }

  // put sets the permissions without the library.
  async put(permissions) {
    const got = await this.request('PUT', `Bearer ${this.session.config.userToken}`, JSON.stringify({ permissions }));
    assert.deepEqual(got, this.set(permissions));
  }

  async request(method, authorization, body) {
    const { origin, application } = this.session.config;
    const path = `/api/v10/applications/${application}/guilds/${this.guild}/commands/${this.command}/permissions`;
    const answer = await fetch(origin + path, { method, body, headers: { authorization, 'content-type': 'application/json' } });
    return answer.json();
  }
}
