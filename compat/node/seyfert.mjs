// Checks the REST handler of seyfert and its route proxy.
import { ApiHandler } from 'seyfert';
import { probe } from './lib/probe.mjs';

await probe({
  name: 'seyfert',
  line: ({ path, code, message }) => `${path} [${code}]: ${message}`,
  noLanguage: true,
  connect({ origin, application }, authorization) {
    const [type, token] = authorization.split(' ');
    const rest = new ApiHandler({ token, type, domain: origin });

    const all = (guild) => (guild ? rest.proxy.applications(application).guilds(guild) : rest.proxy.applications(application)).commands;
    return {
      overwrite: (guild, list) => all(guild).put({ body: list }),
      create: (guild, command) => all(guild).post({ body: command }),
      edit: (guild, id, change) => all(guild)(id).patch({ body: change }),
      remove: (guild, id) => all(guild)(id).delete(),
      get: (guild, id) => all(guild)(id).get(),
      list: (guild) => all(guild).get({ query: { with_localizations: true } }),
      permit: (guild, id, permissions) => all(guild)(id).permissions.put({ body: { permissions } }),
      permissions: (guild, id) => all(guild)(id).permissions.get(),
      allPermissions: (guild) => all(guild).permissions.get(),
      failure,
    };
  },
});

function failure({ metadata, ...error }) {
  if (!metadata?.response) throw error;
  const { status, response, detail } = metadata;
  return { status, code: response.code, lines: response.errors ? detail.split('\n').slice(2) : [] };
}
