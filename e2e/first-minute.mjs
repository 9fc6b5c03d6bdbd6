// Measures the first minute: node first-minute.mjs prints the second at which each step was over, and saves screenshots
// in artifacts/. It fails if the answer of the app takes 60 seconds or more.

import { firstMinute } from './lib/minute.mjs';

const limit = 60;

const { steps, service, browser } = await firstMinute();
await browser.close();
await service.stop();
for (const { name, at } of steps) console.log(`${at.toFixed(1).padStart(6)} s  ${name}`);
const answered = steps.find((s) => s.name === 'the app has answered')?.at ?? limit;
console.log(`from an empty folder to an answer: ${answered.toFixed(1)} seconds`);
if (answered >= limit) process.exitCode = 1;
