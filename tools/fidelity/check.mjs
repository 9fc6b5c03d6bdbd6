// Compares recorded traffic of the service with the typings of discord-api-types.
//
//	node check.mjs FOLDER
//
// The folder has files of JSON lines as `bellhop dev --record` writes them. Each answer, delivery and gateway payload
// is validated against the JSON Schema of its type in types.ts. The program prints every kind of deviation once, with
// the number of times it was seen, and exits with code 1 if one of them is not in accepted.mjs.
import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { accepted, beyondOpenAPI, untyped } from './accepted.mjs';
import { Validator } from './validator.mjs';

const folder = process.argv[2];
if (!folder) {
  console.error('use: node check.mjs FOLDER');
  process.exit(2);
}

const validator = new Validator(new URL('types.ts', import.meta.url).pathname);
/** Deviations by text. @type {Map<string, { count: number, example: string }>} */
const deviations = new Map();
/** Routes and events without a type. @type {Set<string>} */
const unknown = new Set();
const seen = new Set();
const counts = { validated: 0, different: 0, untyped: 0, cut: 0 };

for (const file of readdirSync(folder)) {
  if (file.endsWith('.jsonl')) {
    for await (const line of createInterface({ input: createReadStream(join(folder, file)) })) {
      check(JSON.parse(line));
    }
  }
}
process.exit(report());

/** Validates one recorded entry. */
function check(entry) {
  const sent = entry.kind === 'delivery' ? entry.request : entry.response;
  if (!sent?.body || (entry.kind === 'frame' && entry.method !== 'sent')) {
    return;
  }
  if (sent.cut) {
    counts.cut++;
    return;
  }
  const type = sent.headers?.['Content-Type'] ?? 'application/json';
  if (type !== 'application/json' || !/^[{["]/.test(sent.body)) {
    return; // close frames of the gateway among others
  }
  const [group, name, value] = subject(entry, JSON.parse(sent.body));
  if (untyped.some((start) => (group === 'Answers' ? name.includes(` ${start}`) : name.startsWith(start)))) {
    counts.untyped++;
    return;
  }
  counts.validated++;
  const same = `${group} ${name} ${JSON.stringify(value).replace(/\d+/g, '0')}`;
  if (seen.has(same)) {
    return;
  }
  seen.add(same);
  counts.different++;
  const errors = validator.validate(group, name, value);
  if (!errors) {
    unknown.add(name);
    return;
  }
  for (const error of errors) {
    const text = `${name}: ${error}`;
    const known = deviations.get(text) ?? { count: 0, example: JSON.stringify(value) };
    known.count++;
    deviations.set(text, known);
  }
}

/** Returns the interface of types.ts that an entry belongs to, its member, and the value to validate. */
function subject(entry, body) {
  switch (entry.kind) {
    case 'delivery':
      return ['Deliveries', 'interaction', body];
    case 'frame':
      if (body.t === 'INTERACTION_CREATE' && body.d.nonce !== undefined) {
        return ['Events', 'INTERACTION_CREATE of the invoking user', body.d];
      }
      return body.t ? ['Events', body.t, body.d] : ['Frames', String(body.op), body];
    default:
      if (entry.status === 429) {
        return ['Failures', 'limited', body];
      }
      if (entry.status >= 400) {
        return ['Failures', typeof body.error === 'string' ? 'oauth2' : 'error', body];
      }
      return ['Answers', `${entry.method} ${entry.route} ${entry.status}`, body];
  }
}

/** Prints the deviations. Returns the exit code. */
function report() {
  const used = new Set();
  let failed = 0;
  for (const [text, { count, example }] of [...deviations].sort()) {
    const rule = accepted.find((a) => a.deviation.test(text));
    if (rule) {
      used.add(rule);
      continue;
    }
    failed++;
    console.log(`${text} (${count})\n    ${example.length > 400 ? `${example.slice(0, 400)}…` : example}`);
  }
  for (const name of unknown) {
    failed++;
    console.log(`${name}: types.ts has no type for it`);
  }
  for (const rule of accepted.filter((a) => !used.has(a))) {
    failed++;
    console.log(`accepted.mjs: no deviation matches ${rule.deviation}`);
  }
  for (const { type, member } of beyondOpenAPI.filter((b) => !validator.requires(b.type, b.member))) {
    failed++;
    console.log(`accepted.mjs: ${type} no longer requires ${member}`);
  }
  if (counts.validated === 0) {
    failed++;
    console.log(`${folder} has no recorded traffic`);
  }
  console.log(
    `fidelity: ${counts.validated} payloads validated, ${counts.different} of them different, ` +
      `${counts.untyped} without typings, ${counts.cut} too long; ${failed} new deviations, ` +
      `${used.size} accepted kinds`,
  );
  return failed > 0 ? 1 : 0;
}
