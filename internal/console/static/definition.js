// Definitions of commands: the names of their types, the members that their owners write, and the difference between
// two lists of commands.

/** @import { Command, CommandDefinition, Option } from '../types/wire.js' */
import { t } from './text.js';
import { html, Text } from './ui.js';

/** @type {Record<number, string>} */
export const commandTypes = { 1: 'CHAT_INPUT', 2: 'USER', 3: 'MESSAGE', 4: 'PRIMARY_ENTRY_POINT' };

/** @type {Record<number, string>} */
export const optionTypes = {
  1: 'SUB_COMMAND',
  2: 'SUB_COMMAND_GROUP',
  3: 'STRING',
  4: 'INTEGER',
  5: 'BOOLEAN',
  6: 'USER',
  7: 'CHANNEL',
  8: 'ROLE',
  9: 'MENTIONABLE',
  10: 'NUMBER',
  11: 'ATTACHMENT',
};

/**
 * The members of a definition that its owner writes. The service adds the others.
 * @type {(keyof CommandDefinition)[]}
 */
const ownMembers = [
  'name',
  'name_localizations',
  'description',
  'description_localizations',
  'options',
  'default_member_permissions',
  'dm_permission',
  'contexts',
  'integration_types',
  'nsfw',
  'type',
  'handler',
];

/**
 * definitionOf returns the definition of a command, without members that are null.
 * @param {CommandDefinition} command
 */
export function definitionOf(command) {
  const entries = ownMembers.map((key) => [key, command[key]]);
  const definition = /** @type {CommandDefinition} */ (withoutNulls(entries));
  if (definition.options) definition.options = definition.options.map(optionDefinition);
  return definition;
}

/**
 * @param {Option} option
 * @returns {Option}
 */
function optionDefinition(option) {
  const definition = /** @type {Option} */ (withoutNulls(Object.entries(option)));
  if (definition.options) definition.options = definition.options.map(optionDefinition);
  return definition;
}

/** @param {unknown[][]} entries */
const withoutNulls = (entries) => Object.fromEntries(entries.filter(([, v]) => v !== null && v !== undefined));

/** @typedef {{ path: string, before: unknown, after: unknown }} Change */

/** @typedef {keyof typeof t.actions} Action */

/** @typedef {{ action: Action, name: string, type: number, changes: Change[] }} Step */

/**
 * isNested reports whether a value is an object or an array.
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
const isNested = (value) => value !== null && typeof value === 'object';

/**
 * diff returns the differences between two JSON values.
 * @param {unknown} before
 * @param {unknown} after
 * @returns {Change[]}
 */
function diff(before, after, path = '') {
  if (JSON.stringify(before ?? null) === JSON.stringify(after ?? null)) return [];
  if (!(isNested(before) && isNested(after)) || Array.isArray(before) !== Array.isArray(after)) {
    return [{ path, before, after }];
  }
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((k) => diff(before[k], after[k], path ? `${path}.${k}` : k));
}

/**
 * planReplace returns the steps that replace one list of commands with another.
 * @param {Command[]} current
 * @param {CommandDefinition[]} next
 * @returns {Step[]}
 */
export function planReplace(current, next) {
  const key = (/** @type {CommandDefinition} */ c) => `${c.type ?? 1} ${c.name}`;
  const old = new Map(current.map((c) => [key(c), c]));
  const steps = next.map((c) => {
    const { name, type = 1 } = c;
    const before = old.get(key(c));
    old.delete(key(c));
    if (!before) return step('create', name, type, []);
    const changes = diff(comparable(before), comparable(c));
    return step(changes.length ? 'change' : 'keep', name, type, changes);
  });
  return [...steps, ...[...old.values()].map((c) => step('delete', c.name, c.type, []))];
}

/**
 * @param {Action} action
 * @param {string} name
 * @param {number} type
 * @param {Change[]} changes
 * @returns {Step}
 */
const step = (action, name, type, changes) => ({ action, name, type, changes });

/**
 * comparable returns a definition without members that have their default value.
 * @param {CommandDefinition} command
 */
function comparable(command) {
  const { integration_types: _, ...definition } = definitionOf(command);
  if (definition.type === 1) delete definition.type;
  if (definition.dm_permission === true) delete definition.dm_permission;
  if (definition.nsfw === false) delete definition.nsfw;
  if (definition.description === '') delete definition.description;
  return JSON.parse(JSON.stringify(definition, (key, v) => (key === 'required' && v === false ? undefined : v)));
}

/** @param {{ changes: Change[] }} props */
function ChangeList({ changes }) {
  if (changes.length === 0) return null;
  const items = changes.map(
    ({ path, before, after }) => html`
      <li key=${path}>
        <code>${path}</code>: <del><${Text} value=${JSON.stringify(before) ?? '—'} max=${200} /></del> →${' '}
        <ins><${Text} value=${JSON.stringify(after) ?? '—'} max=${200} /></ins>
      </li>
    `,
  );
  return html`<ul>${items}</ul>`;
}

/**
 * Plan shows the steps that change something.
 * @param {{ steps: Step[] }} props
 */
export function Plan({ steps }) {
  const shown = steps.filter((s) => s.action !== 'keep');
  if (shown.length === 0) return html`<p>${t.noChanges}</p>`;
  const items = shown.map(
    (s) => html`
      <li key=${s.action + s.type + s.name} class=${s.action}>
        <b>${t.actions[s.action]}</b> ${commandTypes[s.type]} <${Text} value=${s.name} max=${40} />
        <${ChangeList} changes=${s.changes} />
      </li>
    `,
  );
  return html`<ul class="plan">${items}</ul>`;
}
