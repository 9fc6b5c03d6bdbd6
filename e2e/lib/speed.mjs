// How long a page takes from an interaction to the next paint, as the browser measures it.

/** @import { Page } from 'playwright-core' */

/** Observes interactions. The shortest duration that the browser reports is 16 ms. */
const observe = `
  let worst = 0;
  new PerformanceObserver((list) => {
    for (const e of list.getEntries()) if (e.interactionId) worst = Math.max(worst, e.duration);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });
  globalThis.takeSlowest = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => {
    resolve(worst);
    worst = 0;
  }, 100)));
`;

/** In milliseconds. It is checked only with SPEED=1: whether a machine is fast is no property of the page. */
export const limit = process.env.SPEED ? 100 : Number.POSITIVE_INFINITY;
const maxRounds = 8;

/**
 * The interactions of a round, in their order.
 * @typedef {[name: string, act: (page: Page) => Promise<unknown>][]} Interactions
 */

/**
 * watch measures the interactions of a page. It is called before the page opens.
 * @param {Page} page
 */
export const watch = (page) => page.addInitScript(observe);

/**
 * slowest returns the duration of the slowest interaction since the last call, in milliseconds.
 * @param {Page} page
 * @returns {Promise<number>}
 */
const slowest = (page) => page.evaluate('globalThis.takeSlowest()');

/**
 * measure does the interactions, and returns their durations and the names of those that never painted within the
 * limit. Other programs on the machine can make any interaction slow, so the best of several rounds counts: a slow page
 * is slow in each round.
 * @param {Page} page
 * @param {Interactions} interactions
 * @param {(page: Page) => Promise<unknown>} [reset] called after each round
 */
export async function measure(page, interactions, reset = async () => {}) {
  /** @type {Map<string, number[]>} */
  const durations = new Map();
  const slow = () => [...durations].filter(([, all]) => Math.min(...all) >= limit).map(([name]) => name);
  await slowest(page);
  for (let round = 0; round < maxRounds && (round === 0 || slow().length > 0); round++) {
    for (const [name, act] of interactions) {
      await act(page);
      durations.set(name, [...(durations.get(name) ?? []), await slowest(page)]);
    }
    await reset(page);
  }
  const report = [...durations].map(([name, all]) => `${name} ${all}`).join('; ');
  return { report, slow: slow() };
}
