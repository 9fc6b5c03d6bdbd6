// Commands as lines of text, such as /roll sides:6: how users paste them, how the composer recalls them, and how tests
// and scenarios name them.

/** @import { Option, OptionValue } from '../types/wire.js' */
/** @import { Entry, Leaf } from './options.js' */
/** @import { LoadedGuild, Session } from './session.js' */
/** @import { Word } from './words.js' */
import { defaultName, leaves, optionType, suggestions } from './options.js';
import { quote, splitLine } from './words.js';

/**
 * lineOf returns a command with its entries as a line, with the names that the app registered.
 * @param {Leaf} leaf
 * @param {Record<string, Entry>} entries by default name
 */
export function lineOf(leaf, entries) {
  const names = [leaf.command, ...leaf.path].map(defaultName);
  const values = leaf.options.flatMap((o) => {
    const entry = entries[defaultName(o)];
    const text = entryText(o, entry);
    return text === '' ? [] : [`${defaultName(o)}:${quote(text)}`];
  });
  return `/${[...names, ...values].join(' ')}`;
}

/**
 * entryText returns the value of an entry: of users, roles and channels the id, of choices the value.
 * @param {Option} option
 * @param {Entry | undefined} entry
 */
function entryText(option, entry) {
  if (option.type === optionType.attachment) return entry?.file ? '0' : '';
  return String(entry?.picked ?? entry?.text ?? '');
}

/**
 * readValue returns the entry of a value in a line. A value that is the name or the value of a suggestion picks it.
 * @param {Option} option
 * @param {string} text
 * @param {LoadedGuild | undefined} guild
 * @returns {Entry}
 */
function readValue(option, text, guild) {
  const plain = text.replace(/^<[@#]?[!&]?(\d+)>$/, '$1').replace(/^[@#](?=.)/, '');
  const same = (/** @type {OptionValue | undefined} */ v) => String(v).toLowerCase() === plain.toLowerCase();
  const found = suggestions(option, '', guild).find((s) => same(s.name) || same(s.value) || same(s.note));
  return found ? { text: found.name, picked: found.value } : { text };
}

/**
 * matchLeaf reports how many words of a line are the names of a command and its path; 0 if another command is meant.
 * @param {Leaf} leaf
 * @param {Word[]} words
 */
function matchLeaf(leaf, words) {
  const names = [leaf.command, ...leaf.path];
  const same = names.every((n, i) => {
    const word = words[i];
    const said = word?.option === undefined ? word?.value.toLowerCase() : undefined;
    return said === n.name.toLowerCase() || said === defaultName(n).toLowerCase();
  });
  return same ? names.length : 0;
}

/**
 * parseLine returns the command of a line with its entries, or null if the user has no such command in the channel.
 * @param {Session} session
 * @param {string} channel
 * @param {LoadedGuild | undefined} guild
 * @param {string} line
 * @returns {Promise<{ leaf: Leaf, entries: Record<string, Entry> } | null>}
 */
export async function parseLine(session, channel, guild, line) {
  const words = splitLine(line);
  if (words.length === 0) return null;
  const { application_commands: commands } = await session.search(channel, 1, words[0].value);
  const found = commands.flatMap(leaves).find((leaf) => matchLeaf(leaf, words) > 0);
  if (!found) return null;
  /** @type {Record<string, Entry>} */
  const entries = {};
  for (const { option: name, value } of words) {
    const option = name && found.options.find((o) => o.name === name || defaultName(o) === name);
    if (option) entries[defaultName(option)] = readValue(option, value, guild);
  }
  return { leaf: found, entries };
}
