// The checks of the commands of one scope, global or guild. Each step depends on the steps before it.
import assert from 'node:assert/strict';
import { catalog, edited, localized, registered, under } from './catalog.mjs';

export function scopeSteps(session, name, guild, commands) {
  const scope = new Scope(session, guild, commands);
  const steps = [
    ['clear', () => scope.overwriteWithNothing()],
    ['overwrite', () => scope.overwrite()],
    ['overwrite again', () => scope.overwriteAgain()],
    ['list', () => scope.list()],
    ['list in German', () => scope.listInGerman()],
    ['get', () => scope.get()],
    ['create', () => scope.create()],
    ['create again', () => scope.createAgain()],
    ['create changed', () => scope.createChanged()],
    ['edit', () => scope.edit()],
    ['rename to a taken name', () => scope.renameToTaken()],
    ['delete', () => scope.remove()],
    ['broken definition', () => scope.broken()],
    ['broken definition in a list', () => scope.brokenInList()],
    ['overwrite with nothing', () => scope.overwriteWithNothing()],
  ];
  return steps
    .filter(([step]) => !(session.library.noLanguage && step === 'list in German'))
    .map(([step, run]) => [`${name}: ${step}`, run]);
}

class Scope {
  constructor(session, guild, commands) {
    this.session = session;
    this.guild = guild;
    this.commands = commands;
  }

  get client() {
    return this.session.client;
  }

  sends(commands) {
    return structuredClone(commands.map((command) => this.session.sends(command))); // some libraries modify their arguments
  }

  wanted(definition) {
    return this.session.shows(registered(this.session.sends(definition), this.session.config.application, this.guild));
  }

  async overwrite() {
    this.listed = await this.client.overwrite(this.guild, this.sends(this.commands));
    this.session.answered('PUT 200');
    this.session.match(this.listed, this.commands.map((command) => this.wanted(command)));
  }

  // overwriteAgain registers the same list, which changes nothing, not even a version.
  async overwriteAgain() {
    this.session.same(await this.client.overwrite(this.guild, this.sends(this.commands)), this.listed);
  }

  // list checks the list. It may contain more fields than the response to the overwrite, so only the ids and versions
  // come from that response.
  async list() {
    const wanted = this.asListed((command) => (this.session.library.noDictionaries ? localized(command) : command));
    this.session.same(await this.client.list(this.guild), wanted);
  }

  async listInGerman() {
    const wanted = this.asListed((command) => localized(command, 'de'));
    this.session.same(await this.client.list(this.guild, 'de'), wanted);
  }

  // asListed returns the expected commands with the registered ids and versions.
  asListed(view) {
    const shows = this.session.library.showsInList ?? ((command) => this.session.shows(command));
    return this.commands.map((command, i) => ({
      ...shows(view(registered(this.session.sends(command), this.session.config.application, this.guild))),
      id: this.listed[i].id,
      version: this.listed[i].version,
    }));
  }

  async get() {
    for (const wanted of this.asListed((command) => command)) {
      this.session.same(await this.client.get(this.guild, wanted.id), wanted);
    }
  }

  async create() {
    this.extra = await this.client.create(this.guild, ...this.sends([catalog.extra]));
    this.session.answered('POST 201');
    this.session.match([this.extra], [this.wanted(catalog.extra)]);
  }

  async createAgain() {
    const got = await this.client.create(this.guild, ...this.sends([catalog.extra]));
    this.session.answered('POST 200');
    this.session.same(got, this.extra);
  }

  async createChanged() {
    const changed = { ...catalog.extra, description: `${catalog.extra.description}!` };
    const got = await this.client.create(this.guild, ...this.sends([changed]));
    this.session.answered('POST 200');
    this.replaced(got, { ...this.extra, description: changed.description });
  }

  async edit() {
    const got = await this.client.edit(this.guild, this.extra.id, structuredClone(catalog.edited));
    this.session.answered('PATCH 200');
    this.replaced(got, this.session.shows(edited(this.extra)));
  }

  // replaced checks a response with a new version of the extra command.
  replaced(got, wanted) {
    assert.ok(BigInt(got.version) > BigInt(this.extra.version), `version ${got.version} after ${this.extra.version}`);
    this.session.same(got, { ...wanted, version: got.version });
    this.extra = got;
  }

  async renameToTaken() {
    await this.session.refused(() => this.client.edit(this.guild, this.extra.id, { name: 'ping' }), 400, 40041);
  }

  async remove() {
    await this.client.remove(this.guild, this.extra.id);
    this.session.answered('DELETE 204');
    await this.session.refused(() => this.client.get(this.guild, this.extra.id), 404, 10063);
  }

  async broken() {
    const create = () => this.client.create(this.guild, ...this.sends([catalog.broken]));
    await this.session.refused(create, 400, 50035, catalog.faults);
    await this.unchanged();
  }

  async brokenInList() {
    const overwrite = () => this.client.overwrite(this.guild, this.sends([catalog.extra, catalog.broken]));
    await this.session.refused(overwrite, 400, 50035, under('1', catalog.faults));
    await this.unchanged();
  }

  // unchanged checks that the registered list is the same as before.
  async unchanged() {
    const versions = (commands) => commands.map(({ id, version }) => ({ id, version }));
    assert.deepEqual(versions(await this.client.list(this.guild)), versions(this.listed));
  }

  async overwriteWithNothing() {
    assert.deepEqual(await this.client.overwrite(this.guild, []), []);
  }
}
