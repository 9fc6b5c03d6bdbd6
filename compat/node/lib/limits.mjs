// The checks on how a library gets along with rate limits.
import assert from 'node:assert/strict';

const burst = 12; // more lists than the service allows in two windows of a second each

export function limitSteps(session) {
  if (session.library.noLimits) return [];
  return [
    ['limits: a burst is served in the end', async () => {
      // The library is to wait as the headers tell it, or to try again.
      const began = Date.now();
      await Promise.all(Array.from({ length: burst }, () => session.client.list()));
      assert.ok(Date.now() - began > 1000, 'no limit was met');
    }],
  ];
}
