// Checks the REST methods of the oceanic.js Client.
import { Client, DiscordRESTError } from 'oceanic.js';
import { camel, snake } from './lib/keys.mjs';
import { probe } from './lib/probe.mjs';

await probe({
  name: 'oceanic.js',
  line: ({ path, message }) => `${path}: ${message}`,
  connect({ origin, application }, authorization) {
    const client = new Client({ auth: authorization, rest: { baseURL: `${origin}/api/v10` } });

    const { applications } = client.rest;
    return {
      overwrite: async (guild, list) =>
        (guild
          ? await applications.bulkEditGuildCommands(application, guild, camel(list))
          : await applications.bulkEditGlobalCommands(application, camel(list))).map(view),
      create: async (guild, command) =>
        view(guild
          ? await applications.createGuildCommand(application, guild, camel(command))
          : await applications.createGlobalCommand(application, camel(command))),
      edit: async (guild, id, change) =>
        view(guild
          ? await applications.editGuildCommand(application, guild, id, camel(change))
          : await applications.editGlobalCommand(application, id, camel(change))),
      remove: (guild, id) =>
        (guild ? applications.deleteGuildCommand(application, guild, id) : applications.deleteGlobalCommand(application, id)),
      get: async (guild, id) =>
        view(guild ? await applications.getGuildCommand(application, guild, id) : await applications.getGlobalCommand(application, id)),
      list: async (guild, locale) => {
        const options = { withLocalizations: !locale, locale };
        return (guild
          ? await applications.getGuildCommands(application, guild, options)
          : await applications.getGlobalCommands(application, options)).map(view);
      },
      permit: async (guild, id, permissions) => snake(await applications.editGuildCommandPermissions(application, guild, id, { permissions })),
      permissions: async (guild, id) => snake(await applications.getGuildPermission(application, guild, id)),
      allPermissions: async (guild) => snake(await applications.getGuildPermissions(application, guild)),
      failure,
    };
  },
});

// view converts a command of the library to the names of the API.
function view(command) {
  return {
    id: command.id,
    application_id: command.applicationID,
    guild_id: command.guildID,
    version: command.version,
    type: command.type,
    name: command.name,
    name_localizations: command.nameLocalizations,
    name_localized: command.nameLocalized,
    description: command.description,
    description_localizations: command.descriptionLocalizations,
    description_localized: command.descriptionLocalized,
    default_member_permissions: command.defaultMemberPermissions?.allow.toString(),
    dm_permission: command.dmPermission,
    nsfw: command.nsfw,
    contexts: command.contexts,
    integration_types: command.integrationTypes,
    handler: command.handler,
    options: snake(command.options),
  };
}

// failure reads an error. The library prints the path and the message of an entry, but not its code.
function failure(error) {
  if (!(error instanceof DiscordRESTError)) throw error;
  return {
    status: error.status,
    code: error.code,
    lines: error.resBody.errors ? error.message.split('\n ').slice(1) : [],
  };
}
