// Checks eris. The library requests HTTPS at port 443; the agent sends plain HTTP to the service's port instead.
import { Agent } from 'node:http';
import { Client, DiscordHTTPError, DiscordRESTError } from 'eris';
import { probe } from './lib/probe.mjs';

await probe({
  name: 'eris',
  line: ({ path, message }) => `${path}: ${message}`,
  noDictionaries: true,
  noLanguage: true,
  shows,
  showsInList: (command) => command, // the library returns the response unchanged
  connect({ origin, application }, authorization) {
    const { hostname, port } = new URL(origin);
    const agent = new Agent({ keepAlive: true });
    agent.protocol = 'https:';
    agent.defaultPort = port;
    const client = new Client(authorization, { restMode: true, rest: { domain: hostname, baseURL: '/api/v10', agent } });
    client.application = { id: application };

    return {
      overwrite: async (guild, list) =>
        (guild ? await client.bulkEditGuildCommands(guild, list.map(write)) : await client.bulkEditCommands(list.map(write))).map(view),
      create: async (guild, command) =>
        view(guild ? await client.createGuildCommand(guild, write(command)) : await client.createCommand(write(command))),
      edit: async (guild, id, change) =>
        view(guild ? await client.editGuildCommand(guild, id, write(change)) : await client.editCommand(id, write(change))),
      remove: (guild, id) => (guild ? client.deleteGuildCommand(guild, id) : client.deleteCommand(id)),
      get: (guild, id) => (guild ? client.getGuildCommand(guild, id) : client.getCommand(id)),
      list: (guild) => (guild ? client.getGuildCommands(guild) : client.getCommands()),
      permit: (guild, id, permissions) => client.editCommandPermissions(guild, id, permissions),
      permissions: (guild, id) => client.getCommandPermissions(guild, id),
      allPermissions: (guild) => client.getGuildCommandPermissions(guild),
      failure,
    };
  },
});

// write renames the default permissions to the library's name. The library sends the other fields unchanged.
function write({ default_member_permissions: defaultMemberPermissions, ...command }) {
  return { ...command, defaultMemberPermissions };
}

// shows removes the fields that the library's ApplicationCommand does not return: contexts, integration types and default
// permissions. It reads the permissions from a field that the API does not have.
function shows(command) {
  return { ...command, contexts: null, integration_types: null, default_member_permissions: null };
}

// view converts a command of the library to the names of the API.
function view(command) {
  return {
    id: command.id,
    application_id: command.applicationID,
    guild_id: command.guild?.id,
    version: command.version,
    type: command.type,
    name: command.name,
    name_localizations: command.nameLocalizations,
    description: command.description,
    description_localizations: command.descriptionLocalizations,
    default_permission: command.defaultPermission,
    default_member_permissions: command.defaultMemberPermissions?.allow.toString(),
    dm_permission: command.dmPermission,
    nsfw: command.nsfw,
    options: command.options,
  };
}

// failure reads an error. The library prints the path and the message of an entry, but not its code. For an error with
// code 0 it throws a DiscordHTTPError.
function failure(error) {
  const { response, res } = error;
  if (error instanceof DiscordHTTPError) return { status: error.code, code: response.code, lines: [] };
  if (!(error instanceof DiscordRESTError)) throw error;
  return {
    status: res.statusCode,
    code: error.code,
    lines: response.errors ? error.message.split('\n  ').slice(1) : [],
  };
}
