// Checks the REST manager of discordeno. The service's address is set as its proxy.
import { createRestManager } from 'discordeno';
import { camel, snake } from './lib/keys.mjs';
import { probe } from './lib/probe.mjs';

await probe({
  name: 'discordeno',
  line: ({ path, code, message }) => `${path} ${code}: ${message}`,
  noDictionaries: true,
  noLanguage: true,
  noPermit: TypeError, // the library reads the list as names of permission bits
  noLimits: true, // the library leaves rate limits to the proxy
  connect({ origin, application, botToken }, authorization) {
    const rest = createRestManager({ token: botToken, applicationId: application, proxy: { baseUrl: `${origin}/api`, authorization } });

    const [, token] = authorization.split(' ');
    return {
      overwrite: async (guild, list) =>
        snake(guild ? await rest.upsertGuildApplicationCommands(guild, camel(list)) : await rest.upsertGlobalApplicationCommands(camel(list))),
      create: async (guild, command) =>
        snake(guild ? await rest.createGuildApplicationCommand(camel(command), guild) : await rest.createGlobalApplicationCommand(camel(command))),
      edit: async (guild, id, change) =>
        snake(guild ? await rest.editGuildApplicationCommand(id, guild, camel(change)) : await rest.editGlobalApplicationCommand(id, camel(change))),
      remove: (guild, id) => (guild ? rest.deleteGuildApplicationCommand(id, guild) : rest.deleteGlobalApplicationCommand(id)),
      get: async (guild, id) => snake(guild ? await rest.getGuildApplicationCommand(id, guild) : await rest.getGlobalApplicationCommand(id)),
      list: async (guild) => snake(guild ? await rest.getGuildApplicationCommands(guild) : await rest.getGlobalApplicationCommands()),
      permit: async (guild, id, permissions) => snake(await rest.editApplicationCommandPermissions(guild, id, token, permissions)),
      permissions: async (guild, id) => snake(await rest.getApplicationCommandPermission(guild, id)),
      allPermissions: async (guild) => snake(await rest.getApplicationCommandPermissions(guild)),
      failure,
    };
  },
});

// failure reads an error. The library returns the raw body.
function failure(error) {
  if (!error.cause?.body) throw error;
  const { code, errors } = JSON.parse(error.cause.body);
  return { status: error.cause.status, code, lines: errors ? lines(errors) : [] };
}

function lines(node, path = []) {
  return Object.entries(node).flatMap(([key, value]) =>
    (key === '_errors'
      ? value.map(({ code, message }) => `${path.join('.')} ${code}: ${message}`)
      : lines(value, [...path, key])));
}
