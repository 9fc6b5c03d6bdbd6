// Checks that the library respects rate limits.
import assert from 'node:assert/strict';
import { answers } from './answers.mjs';

// The time in milliseconds after which earlier requests of other clients with the same token no longer count. The library
// does not know about them.
const freshWindow = 1100;
const burst = 12; // list requests: more than the limit of two windows of one second

export function limitSteps(session) {
  if (session.library.noLimits) return [];
  return [
    ['limits: a burst is served in the end', async () => {
      // The library must wait as the headers say, so that no request gets 429. A library with retriesOn429 may get some.
      await new Promise((resolve) => { setTimeout(resolve, freshWindow); });
      const refused = answers.count['GET 429'] ?? 0;
      const began = Date.now();
      await Promise.all(Array.from({ length: burst }, () => session.client.list()));
      assert.ok(Date.now() - began > 1000, 'the limit did not slow the requests down');
      if (!session.library.retriesOn429) assert.equal((answers.count['GET 429'] ?? 0) - refused, 0, 'responses with 429');
    }],
  ];
}
