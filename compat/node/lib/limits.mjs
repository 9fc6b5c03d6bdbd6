// The checks on how a library gets along with rate limits.
import assert from 'node:assert/strict';
import { answers } from './answers.mjs';

// How long it takes until what others sent with the same identity no longer counts: the library cannot know of that.
const freshWindow = 1100;
const burst = 12; // more lists than the service allows in two windows of a second each

export function limitSteps(session) {
  if (session.library.noLimits) return [];
  return [
    ['limits: a burst is served in the end', async () => {
      // The library is to wait as the headers tell it, so that nothing is refused; one only tries again.
      await new Promise((resolve) => { setTimeout(resolve, freshWindow); });
      const refused = answers.count['GET 429'] ?? 0;
      const began = Date.now();
      await Promise.all(Array.from({ length: burst }, () => session.client.list()));
      assert.ok(Date.now() - began > 1000, 'no limit was met');
      if (!session.library.triesAgain) assert.equal((answers.count['GET 429'] ?? 0) - refused, 0, 'requests were refused');
    }],
  ];
}
