// Checks @discordjs/rest, with Routes of discord-api-types and the definitions made by @discordjs/builders.
import { REST } from '@discordjs/rest';
import { Routes } from 'discord-api-types/v10';
import { build } from './lib/builders.mjs';
import { failure, line } from './lib/discordjs.mjs';
import { probe } from './lib/probe.mjs';

await probe({
  name: '@discordjs/rest',
  line,
  connect({ origin, application }, authorization) {
    const [authPrefix, token] = authorization.split(' ');
    const rest = new REST({ api: `${origin}/api`, version: '10', authPrefix }).setToken(token);

    const all = (guild) => (guild ? Routes.applicationGuildCommands(application, guild) : Routes.applicationCommands(application));
    const one = (guild, id) => (guild ? Routes.applicationGuildCommand(application, guild, id) : Routes.applicationCommand(application, id));
    return {
      overwrite: (guild, commands) => rest.put(all(guild), { body: commands.map(build) }),
      create: (guild, command) => rest.post(all(guild), { body: build(command) }),
      edit: (guild, id, change) => rest.patch(one(guild, id), { body: change }),
      remove: (guild, id) => rest.delete(one(guild, id)),
      get: (guild, id) => rest.get(one(guild, id)),
      list: (guild, locale) =>
        rest.get(all(guild), {
          query: new URLSearchParams(locale ? {} : { with_localizations: 'true' }),
          headers: locale ? { 'X-Discord-Locale': locale } : {},
        }),
      permit: (guild, id, permissions) => rest.put(Routes.applicationCommandPermissions(application, guild, id), { body: { permissions } }),
      permissions: (guild, id) => rest.get(Routes.applicationCommandPermissions(application, guild, id)),
      allPermissions: (guild) => rest.get(Routes.guildApplicationCommandsPermissions(application, guild)),
      failure,
    };
  },
});
