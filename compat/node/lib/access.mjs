// The checks of authentication and access.
import assert from 'node:assert/strict';
import { catalog, registered } from './catalog.mjs';

const unknownID = '900000000000000009'; // an id of the usual length that does not exist

export function accessSteps(session) {
  const { library, config } = session;
  const definition = () => structuredClone(session.sends(catalog.extra));
  return [
    ['access: bearer token', async () => {
      const client = await library.connect(config, `Bearer ${config.bearerToken}`);
      const made = await client.create(undefined, definition());
      session.answered('POST 201');
      session.match([made], [session.shows(registered(definition(), config.application))]);
      assert.deepEqual((await client.list()).map(({ id }) => id), [made.id]);
      await client.remove(undefined, made.id);
    }],
    ['access: wrong token', async () => {
      const client = await library.connect(config, `Bot ${config.botToken}x`);
      await session.refused(() => client.list(), 401, 0);
    }],
    ['access: unknown application', async () => {
      const client = await library.connect({ ...config, application: unknownID }, `Bot ${config.botToken}`);
      await session.refused(() => client.list(), 404, 10002);
    }],
    ['access: guild without the application', async () => {
      await session.refused(() => session.client.create(unknownID, definition()), 403, 50001);
    }],
  ];
}
