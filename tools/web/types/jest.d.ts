// The globals of Jest that kit/node/test uses. Jest itself is installed only to run that test.

declare const afterAll: typeof import('./vitest.js').afterAll;
declare const beforeAll: typeof import('./vitest.js').beforeAll;
declare const beforeEach: typeof import('./vitest.js').beforeEach;
declare const expect: typeof import('./vitest.js').expect;
declare const test: typeof import('./vitest.js').test;
