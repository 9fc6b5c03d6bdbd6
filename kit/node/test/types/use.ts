// Uses of the types. TypeScript checks this file; nothing runs it.
import { after, before, beforeEach } from 'node:test';
import { type Bellhop, BellhopError, type Outcome, start, withBellhop } from '../../index.js';

const shared: Bellhop = withBellhop({ before, after, beforeEach }, { world: { users: [] }, limits: 'off' });

export async function use(): Promise<string> {
  const own = await start({ binary: '/usr/bin/bellhop', world: 'users: []' });
  const outcome: Outcome = await own.invoke('bob', 'Lab/general', '/roll', { wait: 'final' });
  const [first] = await shared.autocomplete('bob', 'Lab/general', { name: 'roll' }, 'sides');
  const struck: number = (await own.fault({ drop: 'after', count: 1 })).struck;
  const when: Date = await own.advance(1000);
  // @ts-expect-error wait has three values
  await own.invoke('bob', 'Lab/general', '/roll', { wait: 'forever' });
  // @ts-expect-error drop has two values
  await own.fault({ drop: 'sometimes' });
  await own.stop();
  if (new BellhopError() instanceof Error) return `${outcome.messages[0]?.content}${first?.name}${struck}${when}`;
  return own.baseURL;
}
