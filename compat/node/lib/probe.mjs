// Takes a client library through everything that Bellhop serves and holds what the library shows against what it should
// show; the Go programs have the same checks in package probe. A program calls probe with a library:
//
//   name             its package
//   connect          (config, authorization) → a client; authorization is "Bot …" or "Bearer …"
//   line             (fault) → how the library prints an entry of the tree of errors
//   sends, shows     (command) → what the library can express of a definition, and show of a command; all by default
//   showsInList      shows for commands that are read rather than written
//   noDictionaries   it cannot ask for a list with all languages
//   noLanguage       it cannot ask for a list in one language
//   noPermissions    it has no calls for who may use a command
//   noPermit         the error with which its call that changes who may use a command fails by itself, sending nothing
//   botTokenRefused  [status, code] of changing who may use a command with the bot token
//   noLimits         it neither waits nor tries again when it meets a rate limit
//   extra            (session) → steps for this library alone, as [name, async function]
//
// A client has overwrite, create, edit, remove, get, list, permit, permissions, allPermissions and failure. A guild of
// undefined means the global commands.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { accessSteps } from './access.mjs';
import { answers } from './answers.mjs';
import { catalog, normal } from './catalog.mjs';
import { limitSteps } from './limits.mjs';
import { permissionSteps } from './permissions.mjs';
import { scopeSteps } from './scope.mjs';

export async function probe(library) {
  try {
    const session = new Session(library, readConfig());
    await session.run();
    console.log(JSON.stringify({
      library: library.name, version: version(library.name), steps: session.steps, answers: answers.count,
    }));
    process.exit(0); // libraries keep timers and connections
  } catch (error) {
    console.error(library.name, error);
    process.exit(1);
  }
}

class Session {
  steps = [];

  constructor(library, config) {
    this.library = library;
    this.config = config;
  }

  async run() {
    this.client = await this.library.connect(this.config, `Bot ${this.config.botToken}`);
    const steps = [
      ...scopeSteps(this, 'global', undefined, catalog.global),
      ...scopeSteps(this, 'guild', this.config.guild, catalog.guild),
      ...accessSteps(this),
      ...permissionSteps(this),
      ...limitSteps(this),
      ...(this.library.extra?.(this) ?? []),
    ];
    for (const [name, run] of steps) {
      try {
        await run();
      } catch (error) {
        throw new Error(name, { cause: error });
      }
      this.steps.push(name);
    }
  }

  sends(command) {
    return this.library.sends?.(command) ?? command;
  }

  shows(command) {
    return this.library.shows?.(command) ?? command;
  }

  // same checks that a library shows what it should.
  same(got, want) {
    assert.deepEqual(normal(got), normal(want));
  }

  // match is same for commands whose id and version only have to be there.
  match(got, want) {
    for (const command of got) {
      assert.match(command.id, /^\d{17,19}$/);
      assert.match(command.version, /^\d{17,19}$/);
    }
    this.same(got, want.map((command, i) => ({ ...command, id: got[i]?.id, version: got[i]?.version })));
  }

  answered(want) {
    assert.equal(answers.last, want);
  }

  // refused checks that a call is refused and what the library shows of it.
  async refused(call, status, code, faults = []) {
    let error;
    try {
      await call();
    } catch (thrown) {
      error = thrown;
    }
    assert.ok(error, 'not refused');
    const got = this.client.failure(error);
    assert.deepEqual(
      { ...got, lines: [...got.lines].sort() },
      { status, code, lines: faults.map(this.library.line).sort() },
      error.stack,
    );
  }
}

function readConfig() {
  const read = (name) => process.env[name] || assert.fail(`${name} is not set`);
  return {
    origin: read('BELLHOP_URL'),
    application: read('BELLHOP_APPLICATION_ID'),
    guild: read('BELLHOP_GUILD_ID'),
    botToken: read('BELLHOP_BOT_TOKEN'),
    bearerToken: read('BELLHOP_BEARER_TOKEN'),
    personToken: read('BELLHOP_PERSON_TOKEN'),
    channel: read('BELLHOP_CHANNEL_ID'),
    member: read('BELLHOP_MEMBER_ID'),
  };
}

const version = (name) =>
  JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;
