// Checks the command manager of the discord.js Client. It works without a login once the application is set.
import assert from 'node:assert/strict';
import { Client, ClientApplication } from 'discord.js';
import { answers } from './lib/answers.mjs';
import { catalog } from './lib/catalog.mjs';
import { failure, line } from './lib/discordjs.mjs';
import { camel, snake } from './lib/keys.mjs';
import { probe } from './lib/probe.mjs';

await probe({
  name: 'discord.js',
  line,
  botTokenRefused: [401, 0], // the library sends the given token as a bearer token
  connect({ origin, application }, authorization) {
    const [authPrefix, token] = authorization.split(' ');
    const client = new Client({ intents: [], rest: { api: `${origin}/api`, authPrefix } });
    client.rest.setToken(token);
    client.application = new ClientApplication(client, { id: application });

    const { commands } = client.application;
    const whole = (guild, [id, permissions]) => ({ id, application_id: application, guild_id: guild, permissions });
    return {
      commands,
      overwrite: async (guild, list) => (await commands.set(list.map(camel), guild)).map(view),
      create: async (guild, command) => view(await commands.create(camel(command), guild)),
      edit: async (guild, id, change) => view(await commands.edit(id, camel(change), guild)),
      remove: (guild, id) => commands.delete(id, guild),
      // The library does not set the guild of a command that is fetched alone.
      get: async (guildId, id) => ({ ...view(await commands.fetch(id, { guildId, force: true, cache: false })), guild_id: guildId }),
      list: async (guildId, locale) => {
        commands.cache.clear(); // otherwise the library adds cached commands to the result
        return (await commands.fetch({ guildId, locale, withLocalizations: !locale, cache: false })).map(view);
      },
      // The library returns only the permission lists. Its set method requires the token of a user.
      permit: async (guild, command, permissions) => {
        const set = await commands.permissions.set({ guild, command, permissions, token });
        return whole(guild, [command, set]);
      },
      permissions: async (guild, command) => whole(guild, [command, await commands.permissions.fetch({ guild, command })]),
      allPermissions: async (guild) => [...await commands.permissions.fetch({ guild })].map((entry) => whole(guild, entry)),
      failure,
    };
  },
  extra: (session) => [
    ['sync by ApplicationCommand#equals writes nothing the second time', async () => {
      // The library compares with the given definition, so the definition has to contain the service's defaults.
      const wanted = catalog.global.map((command) => ({ integration_types: [0, 1], ...command }));
      assert.equal(await sync(session.client.commands, wanted), true);
      const before = answers.count['PUT 200'];
      assert.equal(await sync(session.client.commands, wanted), false);
      assert.equal(answers.count['PUT 200'], before);
      await session.client.overwrite(undefined, []);
    }],
  ],
});

// sync registers a list only if a command differs, as bots do when they start. It returns whether it registered the list.
async function sync(commands, wanted) {
  const present = await commands.fetch({ withLocalizations: true, cache: false });
  const same = present.size === wanted.length
    && wanted.every((definition) => present.some((command) => command.equals(definition, true)));
  if (!same) await commands.set(wanted);
  return !same;
}

// view converts a command of the library to the names of the API.
function view(command) {
  return {
    id: command.id,
    application_id: command.applicationId,
    guild_id: command.guildId,
    version: command.version,
    type: command.type,
    name: command.name,
    name_localizations: command.nameLocalizations,
    name_localized: command.nameLocalized,
    description: command.description,
    description_localizations: command.descriptionLocalizations,
    description_localized: command.descriptionLocalized,
    default_member_permissions: command.defaultMemberPermissions?.bitfield.toString(),
    dm_permission: command.dmPermission,
    nsfw: command.nsfw,
    contexts: command.contexts,
    integration_types: command.integrationTypes,
    handler: command.handler,
    options: snake(command.options),
  };
}
