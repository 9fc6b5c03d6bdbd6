// The part of Vitest that kit/node/test uses. Vitest itself is installed only to run that test.

type Hook = (fn: () => Promise<void>) => void;

export const afterAll: Hook;
export const beforeAll: Hook;
export const beforeEach: Hook;
export function expect(value: unknown): { toBe(expected: unknown): void; toMatch(expected: RegExp): void };
export function test(name: string, fn: () => Promise<void>): void;
