// Checks the API calls of slash-create and its sync, which compares all fields of the commands with the registered list.
import assert from 'node:assert/strict';
import { Permissions, SlashCommand, SlashCreator } from 'slash-create';
import { answers } from './lib/answers.mjs';
import { catalog } from './lib/catalog.mjs';
import { probe } from './lib/probe.mjs';

await probe({
  name: 'slash-create',
  retriesOn429: true, // the library waits only after a 429
  line: ({ path, message }) => `${path}: ${message}`,
  noLanguage: true,
  noPermissions: true,
  connect({ origin, application }, authorization) {
    const creator = new SlashCreator({ applicationID: application, token: authorization, rest: { baseURL: `${origin}/api/v10` } });

    const { api } = creator;
    return {
      creator,
      overwrite: (guild, list) => api.updateCommands(list, guild),
      create: (guild, command) => api.createCommand(command, guild),
      edit: (guild, id, change) => api.updateCommand(id, change, guild),
      remove: (guild, id) => api.deleteCommand(id, guild),
      get: async (guild, id) => {
        // The library has no call for a single command.
        const found = (await api.getCommands(guild, true)).find((command) => command.id === id);
        return found ?? api.updateCommand(id, {}, guild);
      },
      list: (guild) => api.getCommands(guild, true),
      failure,
    };
  },
  extra: (session) => [
    ['sync writes nothing the second time', async () => {
      const { creator } = session.client;
      const writes = () => Object.entries(answers.count).reduce((sum, [answer, n]) => (answer.startsWith('GET') ? sum : sum + n), 0);
      creator.registerCommands([
        ...catalog.global.map((definition) => command(creator, definition)),
        ...catalog.guild.map((definition) => command(creator, definition, [session.config.guild])),
      ]);
      const start = writes();
      await creator.syncCommands({ skipGuildErrors: false });
      assert.equal(writes() - start, 2, 'one overwrite for each of the two scopes');
      await creator.syncCommands({ skipGuildErrors: false });
      assert.equal(writes() - start, 2, 'nothing to write the second time');
    }],
  ],
});

// command converts a definition to a command of the library.
function command(creator, definition, guildIDs) {
  return new (class extends SlashCommand {})(creator, {
    type: definition.type,
    name: definition.name,
    nameLocalizations: definition.name_localizations,
    description: definition.description,
    descriptionLocalizations: definition.description_localizations,
    requiredPermissions: permissionNames(definition.default_member_permissions),
    nsfw: definition.nsfw ?? false,
    contexts: definition.contexts ?? [],
    integrationTypes: definition.integration_types ?? [0, 1],
    dmPermission: definition.contexts?.includes(1) ?? true,
    options: definition.options?.map(complete),
    guildIDs,
  });
}

function permissionNames(bits) {
  return bits && Object.entries(Permissions.FLAGS).filter(([, bit]) => BigInt(bits) & bit).map(([name]) => name);
}

// complete adds null localizations to nested options and choices. The library adds them only to the options of the first
// level.
function complete(thing) {
  const whole = { ...thing, name_localizations: thing.name_localizations ?? null };
  if ('description' in thing) whole.description_localizations = thing.description_localizations ?? null;
  if (thing.options) whole.options = thing.options.map(complete);
  if (thing.choices) whole.choices = thing.choices.map(complete);
  return whole;
}

// failure reads an error. The library prints the path and the message of an entry, but not its code.
function failure(error) {
  if (!error.res) throw error;
  const { response, res } = error;
  return { status: res.status, code: response.code, lines: response.errors ? error.message.split('\n  ').slice(1) : [] };
}
