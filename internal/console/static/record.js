// What a user did, as commands of curl and as tests in Go, JavaScript and Python.

/** @import { Done, Session, Step } from './session.js' */
import { serviceURL } from './base.js';
import { channelName } from './channels.js';

/** An expression of the target language inside a value. */
class Expression {
  /** @param {string} code */
  constructor(code) {
    this.code = code;
  }
}

/** @typedef {unknown} Value a value of JSON that can contain expressions */

/**
 * How a language writes the values that JSON has.
 * @typedef {object} Syntax
 * @property {string} yes
 * @property {string} no
 * @property {string} none
 * @property {string} list what opens a list
 * @property {string} object what opens an object
 * @property {string} end what closes a list
 */

/** @type {Record<'json' | 'javascript' | 'python' | 'go', Syntax>} */
const syntaxes = {
  json: { yes: 'true', no: 'false', none: 'null', list: '[', object: '{', end: ']' },
  javascript: { yes: 'true', no: 'false', none: 'null', list: '[', object: '{', end: ']' },
  python: { yes: 'True', no: 'False', none: 'None', list: '[', object: '{', end: ']' },
  go: { yes: 'true', no: 'false', none: 'nil', list: '[]any{', object: 'map[string]any{', end: '}' },
};

/**
 * write returns a value in the syntax of a language, on one line.
 * @param {Value} value
 * @param {Syntax} syntax
 * @returns {string}
 */
function write(value, syntax) {
  if (value instanceof Expression) return value.code;
  if (value === null || value === undefined) return syntax.none;
  if (typeof value === 'boolean') return value ? syntax.yes : syntax.no;
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `${syntax.list}${value.map((v) => write(v, syntax)).join(', ')}${syntax.end}`;
  const members = Object.entries(value).filter(([, v]) => v !== undefined);
  return `${syntax.object}${members.map(([k, v]) => `${JSON.stringify(k)}: ${write(v, syntax)}`).join(', ')}}`;
}

/**
 * placeOf returns how tests name a channel: by the names of guild and channel, or by the id.
 * @param {Session} session
 * @param {string} id
 */
export function placeOf(session, id) {
  const channel = session.channel(id);
  return channel?.guild ? `${channel.guild.name}/${channelName(channel)}` : id;
}

/**
 * lineOf returns the command of a step as a line, with its target after its name; empty for other steps.
 * @param {Step} step
 */
const lineOf = ({ use, on, launch }) => [use ?? launch, on].filter(Boolean).join(' ');

/**
 * A step as the body of POST /_dev/invoke.
 * @typedef {{ as: string, in: string, command?: string, interaction?: { [key: string]: Value }, wait?: string }} Call
 */

/**
 * How a language names the id of a message and the id of an interaction of an earlier step.
 * @typedef {object} Names
 * @property {(step: number, message: number) => string} message
 * @property {(step: number) => string} interaction
 */

/**
 * messageID returns the id of a message as an expression, if an earlier step got the message as an answer.
 * @param {Done[]} earlier
 * @param {string} id
 * @param {Names | undefined} names
 * @returns {Value}
 */
function messageID(earlier, id, names) {
  if (!names) return id;
  for (let i = earlier.length - 1; i >= 0; i--) {
    const at = earlier[i].answers.findIndex((m) => m.id === id);
    if (at >= 0) return new Expression(names.message(i + 1, at));
  }
  return id;
}

/**
 * callOf returns a step as the body of POST /_dev/invoke. With names, ids of earlier steps are expressions.
 * @param {Session} session
 * @param {Done[]} all
 * @param {number} index
 * @param {Names} [names]
 * @returns {Call}
 */
function callOf(session, all, index, names) {
  const { step, body, deferred } = all[index];
  const wait = deferred ? 'final' : undefined;
  const base = { as: session.me?.username ?? session.userID, in: placeOf(session, body.channel_id) };
  const line = lineOf(step);
  if (line) return { ...base, command: line, wait };
  const { type, application_id, message_id, message_flags } = body;
  const data = /** @type {{ [key: string]: Value }} */ (JSON.parse(JSON.stringify(body.data)));
  if (type === 5 && names && index > 0) data.id = new Expression(names.interaction(index));
  const message = message_id && messageID(all.slice(0, index), message_id, names);
  return { ...base, interaction: { type, application_id, message_id: message, message_flags, data }, wait };
}

/**
 * expectation returns the content that the app answered a step with, or an empty text.
 * @param {Done} done
 */
export const expectation = ({ answers }) => answers[0]?.content ?? '';

/** @param {string} text */
const shellQuote = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * asCurl returns the steps as commands for a shell.
 * @param {Session} session
 */
export function asCurl(session) {
  const lines = session.done.map((_, i) => {
    const body = write(/** @type {Value} */ (callOf(session, session.done, i)), syntaxes.json);
    return `curl -H 'Content-Type: application/json' -d ${shellQuote(body)} ${serviceURL('/_dev/invoke')}`;
  });
  return `${lines.join('\n')}\n`;
}

/**
 * usesLater reports whether a later step needs the answer of a step.
 * @param {string[]} codes the code of all steps
 * @param {number} index
 */
const usesLater = (codes, index) =>
  codes.slice(index + 1).some((code) => new RegExp(`\\bstep${index + 1}\\b`).test(code));

/**
 * asGo returns the steps as a test with package bellhoptest.
 * @param {Session} session
 */
export function asGo(session) {
  const names = {
    message: (/** @type {number} */ s, /** @type {number} */ m) => `step${s}.Messages[${m}].ID`,
    interaction: (/** @type {number} */ s) => `step${s}.Interaction.ID`,
  };
  const codes = session.done.map((_, i) => {
    const { as, in: place, command, interaction, wait } = callOf(session, session.done, i, names);
    const where = `${JSON.stringify(as)}, ${JSON.stringify(place)}`;
    if (command && !wait) return `srv.Invoke(t, ${where}, ${JSON.stringify(command)})`;
    const what = command ? `Command: ${JSON.stringify(command)}` : `Interaction: ${write(interaction, syntaxes.go)}`;
    const waits = wait ? `, Wait: ${JSON.stringify(wait)}` : '';
    return `srv.Use(t, client.Invocation{As: ${JSON.stringify(as)}, In: ${JSON.stringify(place)}, ${what}${waits}})`;
  });
  const lines = session.done.flatMap((done, i) => {
    const want = expectation(done);
    const name = `step${i + 1}`;
    if (!(want || usesLater(codes, i))) return [`\t${codes[i]}`];
    const check = [
      `\tif got, want := ${name}.Text(), ${JSON.stringify(want)}; got != want {`,
      '\t\tt.Errorf("got %q, want %q", got, want)',
      '\t}',
    ];
    return [`\t${name} := ${codes[i]}`, ...(want ? check : [])];
  });
  const imports = ['\t"testing"', '', '\t"github.com/bellhop/bellhop/bellhoptest"'];
  if (codes.some((c) => c.includes('client.'))) imports.push('\t"github.com/bellhop/bellhop/client"');
  return [
    'package mybot_test',
    '',
    'import (',
    ...imports,
    ')',
    '',
    'func TestConversation(t *testing.T) {',
    '\tsrv := bellhoptest.Start(t, bellhoptest.DemoWorld()) // connect your bot to srv here',
    ...lines,
    '}',
    '',
  ].join('\n');
}

/**
 * asJavaScript returns the steps as a test with the npm package bellhop-test.
 * @param {Session} session
 */
export function asJavaScript(session) {
  const names = {
    message: (/** @type {number} */ s, /** @type {number} */ m) => `step${s}.messages[${m}].id`,
    interaction: (/** @type {number} */ s) => `step${s}.interaction.id`,
  };
  const codes = session.done.map((_, i) => {
    const { wait, ...call } = callOf(session, session.done, i, names);
    const where = `${JSON.stringify(call.as)}, ${JSON.stringify(call.in)}`;
    const waits = wait ? `, { wait: ${JSON.stringify(wait)} }` : '';
    if (call.command) return `bellhop.invoke(${where}, ${JSON.stringify(call.command)}${waits})`;
    const body = write(/** @type {Value} */ ({ ...call, wait }), syntaxes.javascript);
    return `bellhop.fetch('POST', '/_dev/invoke', { body: ${body} })`;
  });
  const lines = session.done.flatMap((done, i) => {
    const want = expectation(done);
    const name = `step${i + 1}`;
    if (!(want || usesLater(codes, i))) return [`  await ${codes[i]};`];
    const target = lineOf(done.step) ? name : `{ body: ${name} }`;
    const check = `  assert.equal(${name}.messages[0].content, ${JSON.stringify(want)});`;
    return [`  const ${target} = await ${codes[i]};`, ...(want ? [check] : [])];
  });
  return [
    "import assert from 'node:assert/strict';",
    "import { after, before, beforeEach, test } from 'node:test';",
    "import { withBellhop } from 'bellhop-test';",
    '',
    'const bellhop = withBellhop({ beforeAll: before, afterAll: after, beforeEach });',
    '',
    "test('the conversation', async () => {",
    '  // connect your bot to bellhop.baseURL here',
    ...lines,
    '});',
    '',
  ].join('\n');
}

/**
 * asPython returns the steps as a test for pytest. It needs no other package.
 * @param {Session} session
 */
export function asPython(session) {
  const names = {
    message: (/** @type {number} */ s, /** @type {number} */ m) => `step${s}["messages"][${m}]["id"]`,
    interaction: (/** @type {number} */ s) => `step${s}["interaction"]["id"]`,
  };
  const codes = session.done.map((_, i) => {
    const call = /** @type {Value} */ (callOf(session, session.done, i, names));
    return `invoke(${write(call, syntaxes.python)})`;
  });
  const lines = session.done.flatMap((done, i) => {
    const want = expectation(done);
    const name = `step${i + 1}`;
    if (!(want || usesLater(codes, i))) return [`    ${codes[i]}`];
    const check = `    assert ${name}["messages"][0]["content"] == ${JSON.stringify(want)}`;
    return [`    ${name} = ${codes[i]}`, ...(want ? [check] : [])];
  });
  return [
    'import json',
    'import urllib.request',
    '',
    `BASE = ${JSON.stringify(serviceURL(''))}`,
    '',
    '',
    'def invoke(body):',
    '    data, headers = json.dumps(body).encode(), {"Content-Type": "application/json"}',
    '    request = urllib.request.Request(f"{BASE}/_dev/invoke", data, headers)',
    '    with urllib.request.urlopen(request, timeout=30) as answer:',
    '        return json.load(answer)',
    '',
    '',
    'def test_conversation():',
    ...lines,
    '',
  ].join('\n');
}

/**
 * asScenario returns the steps as a scenario file for "bellhop test".
 * @param {Session} session
 */
export function asScenario(session) {
  let place = '';
  const steps = session.done.map((done, i) => {
    const where = placeOf(session, done.body.channel_id);
    const as = i === 0 ? (session.me?.username ?? session.userID) : undefined;
    const moved = where === place ? undefined : where;
    place = where;
    const want = expectation(done);
    const expect = want ? { content: want } : undefined;
    return `      - ${write({ as, in: moved, ...done.step, expect }, syntaxes.json)}`;
  });
  return [
    'app:',
    '  run: ./my-bot # the command that starts your app',
    'scenarios:',
    '  - name: the conversation',
    '    steps:',
    ...steps,
    '',
  ].join('\n');
}
