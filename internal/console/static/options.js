// Options of a command: the values that can be entered, suggestions, and the body of an invocation. The service checks
// all values again.

/** @import { IndexedCommand, InvocationData, InvocationOption, Option, OptionValue } from '../types/wire.js' */
/** @import { Item } from './combobox.js' */
/** @import { LoadedGuild } from './session.js' */
import { allowsChannel, componentType, guildItems } from './components.js';
import { t } from './text.js';

/** Types of options. */
export const optionType = {
  subCommand: 1,
  subCommandGroup: 2,
  string: 3,
  integer: 4,
  boolean: 5,
  user: 6,
  channel: 7,
  role: 8,
  mentionable: 9,
  number: 10,
  attachment: 11,
};

/**
 * The input of an option: a text, the value of a picked suggestion with its text, or a file.
 * @typedef {{ text?: string, picked?: OptionValue, file?: File }} Entry
 */

/**
 * A command that can be invoked: a command without subcommands, or one subcommand. path are the group and subcommand.
 * @typedef {{ command: IndexedCommand, path: Option[], options: Option[], description: string }} Leaf
 */

/**
 * The value of an entry, or what is wrong with it. Neither is set if the entry is empty.
 * @typedef {{ value?: OptionValue, error?: string | null }} Reading
 */

/**
 * defaultName returns the registered name of a command or an option. Its name can be a translation.
 * @param {{ name: string, name_default?: string }} named
 */
export const defaultName = (named) => named.name_default ?? named.name;

/**
 * leaves returns the command, or each of its subcommands.
 * @param {IndexedCommand} command
 * @returns {Leaf[]}
 */
export function leaves(command) {
  const { options = [], description } = command;
  const nests = options.some((o) => o.type === optionType.subCommand || o.type === optionType.subCommandGroup);
  if (!nests) return [{ command, path: [], options, description }];
  const leaf = (/** @type {Option[]} */ ...path) => {
    const last = path[path.length - 1];
    return { command, path, options: last.options ?? [], description: last.description };
  };
  return options.flatMap((o) =>
    o.type === optionType.subCommand ? [leaf(o)] : (o.options ?? []).map((sub) => leaf(o, sub)),
  );
}

/** @param {Leaf} leaf */
export const leafName = (leaf) => [leaf.command, ...leaf.path].map((p) => p.name).join(' ');

/**
 * @param {number} n
 * @param {Option} option
 */
function rangeError(n, option) {
  if (option.min_value !== undefined && n < option.min_value) return t.atLeast(option.min_value);
  if (option.max_value !== undefined && n > option.max_value) return t.atMost(option.max_value);
  return null;
}

/**
 * @param {string} text
 * @param {Option} option
 * @returns {Reading}
 */
function readNumber(text, option) {
  const n = Number(text);
  if (text.trim() === '' || !Number.isFinite(n) || Math.abs(n) > 2 ** 53) return { error: t.notANumber };
  return { value: n, error: rangeError(n, option) };
}

/**
 * @param {string} text
 * @param {Option} option
 * @returns {Reading}
 */
function readInteger(text, option) {
  const n = Number(text);
  if (!(/^\s*[+-]?\d+\s*$/.test(text) && Number.isSafeInteger(n))) return { error: t.notAnInteger };
  return { value: n, error: rangeError(n, option) };
}

/**
 * readString counts code points, as the service does.
 * @param {string} text
 * @param {Option} option
 * @returns {Reading}
 */
function readString(text, option) {
  const { min_length: min = 0, max_length: max = 6000 } = option;
  const { length } = [...text];
  if (length < min) return { value: text, error: t.atLeastLong(min) };
  if (length > max) return { value: text, error: t.atMostLong(max) };
  return { value: text };
}

/**
 * readEntry returns the value of an entry of an option, except of an attachment option.
 * @param {Option} option
 * @param {Entry | undefined} entry
 * @returns {Reading}
 */
function readEntry(option, entry) {
  if (entry?.picked !== undefined) return { value: entry.picked };
  const text = entry?.text ?? '';
  if (text === '') return {};
  if (option.choices?.length) {
    const choice = option.choices.find((c) => c.name.toLowerCase() === text.toLowerCase());
    return choice ? { value: choice.value } : { error: t.notAChoice };
  }
  switch (option.type) {
    case optionType.string:
      return readString(text, option);
    case optionType.integer:
      return readInteger(text, option);
    case optionType.number:
      return readNumber(text, option);
    case optionType.boolean:
      return { error: t.trueOrFalse };
    default:
      return /^\d{1,20}$/.test(text) ? { value: text } : { error: t.pickOne };
  }
}

/**
 * entryError returns what is wrong with an entry, or null. missing is the error of a required option without a value.
 * @param {Option} option
 * @param {Entry | undefined} entry
 * @param {string | null} missing
 */
export function entryError(option, entry, missing) {
  if (option.type === optionType.attachment) return option.required && !entry?.file ? missing : null;
  const { value, error } = readEntry(option, entry);
  if (error) return error;
  return option.required && value === undefined ? missing : null;
}

/**
 * suggestions returns the suggestions for an option that the console knows without asking the app.
 * @param {Option} option
 * @param {string} text
 * @param {LoadedGuild | undefined} guild
 * @returns {Item<OptionValue>[]}
 */
export function suggestions(option, text, guild) {
  const matches = (/** @type {Item<OptionValue>} */ item) => item.name.toLowerCase().includes(text.toLowerCase());
  const fromGuild = (/** @type {number} */ type) => guildItems(type, guild).filter(matches).slice(0, 25);
  if (option.choices?.length) return option.choices.map(({ value, name }) => ({ value, name })).filter(matches);
  switch (option.type) {
    case optionType.boolean:
      return [
        { value: true, name: t.yes },
        { value: false, name: t.no },
      ].filter(matches);
    case optionType.user:
      return fromGuild(componentType.userSelect);
    case optionType.role:
      return fromGuild(componentType.roleSelect);
    case optionType.mentionable:
      return fromGuild(componentType.mentionableSelect);
    case optionType.channel:
      return guildItems(componentType.channelSelect, guild)
        .filter((item) => allowsChannel(option.channel_types, item) && matches(item))
        .slice(0, 25);
    default:
      return [];
  }
}

/**
 * invocationData returns the data of an invocation and its files. For autocomplete, focused is the default name of the
 * option that the user types.
 * @param {Leaf} leaf
 * @param {Record<string, Entry>} entries by default name
 * @param {string} [focused]
 * @returns {{ data: InvocationData, files: File[] }}
 */
export function invocationData({ command, path, options }, entries, focused) {
  /** @type {File[]} */
  const files = [];
  /** @type {InvocationOption[]} */
  const values = options.flatMap((o) => {
    const { type } = o;
    const name = defaultName(o);
    const entry = entries[name];
    if (name === focused) return [{ type, name, value: entry?.text ?? '', focused: true }];
    if (type === optionType.attachment) {
      if (!entry?.file) return [];
      files.push(entry.file);
      return focused ? [] : [{ type, name, value: files.length - 1 }];
    }
    const { value } = readEntry(o, entry);
    return value === undefined ? [] : [{ type, name, value }];
  });
  const nested = path.reduceRight((inner, p) => [{ type: p.type, name: defaultName(p), options: inner }], values);
  const { id, version, type, guild_id } = command;
  const attachments = files.map((f, i) => ({ id: String(i), filename: f.name }));
  return { files, data: { id, version, name: defaultName(command), type, options: nested, guild_id, attachments } };
}
