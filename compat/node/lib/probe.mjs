// Calls every endpoint of Bellhop that a client library supports and checks the results. The Go programs have the same
// checks in package probe. A program calls probe with a library:
//
//   name             name of the package
//   connect          (config, authorization) → client; authorization is "Bot …" or "Bearer …"
//   line             (fault) → the entry of the error tree as the library prints it
//   sends            (command) → the definition without the fields that the library cannot send; optional
//   shows            (command) → the command without the fields that the library cannot return; optional
//   showsInList      like shows, for commands that the library reads
//   noDictionaries   the library cannot request a list with all languages
//   noLanguage       the library cannot request a list in one language
//   noPermissions    the library has no methods for permissions
//   noPermit         the error of the library's method to edit permissions, which fails before it sends a request
//   botTokenRefused  [status, code] of an edit of permissions with the bot token
//   noLimits         the library neither waits for rate limits nor retries
//   retriesOn429     the library ignores rate limit headers and retries after a 429
//   extra            (session) → further steps for this library, as [name, async function]
//
// A client has overwrite, create, edit, remove, get, list, permit, permissions, allPermissions and failure. The
// guild is undefined for global commands.
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

  // same compares results, ignoring empty members.
  same(got, want) {
    assert.deepEqual(normal(got), normal(want));
  }

  // match compares commands. Ids and versions must exist, but may have any value.
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

  // refused checks that a call fails, and the error that the library throws.
  async refused(call, status, code, faults = []) {
    let error;
    try {
      await call();
    } catch (thrown) {
      error = thrown;
    }
    assert.ok(error, 'the call succeeded, want an error');
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
    userToken: read('BELLHOP_USER_BEARER_TOKEN'),
    channel: read('BELLHOP_CHANNEL_ID'),
    member: read('BELLHOP_MEMBER_ID'),
  };
}

const version = (name) =>
  JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;
