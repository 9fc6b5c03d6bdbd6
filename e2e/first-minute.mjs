// Measures the first minute: node first-minute.mjs prints the second at which each step was over, and saves screenshots
// in artifacts/. It fails if an answer takes 60 seconds or more: of the demo app, and of the bot that bellhop init
// writes in each language.

import { firstMinute, initMinute } from './lib/minute.mjs';

const limit = 60;

/** @param {{ name: string, at: number }[]} steps */
function report(steps) {
  for (const { name, at } of steps) console.log(`${at.toFixed(1).padStart(6)} s  ${name}`);
  const answered = steps.find((s) => s.name.endsWith('has answered'))?.at ?? limit;
  if (answered < limit) return;
  console.log(`an answer took ${answered.toFixed(1)} seconds, want less than ${limit}`);
  process.exitCode = 1;
}

const { steps, service, browser } = await firstMinute();
await browser.close();
await service.stop();
report(steps);
for (const language of ['go', 'javascript', 'typescript', 'python']) report(await initMinute(language));
