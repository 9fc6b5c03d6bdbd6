// The words of a command line. internal/api/dev/line.go parses the same lines; both pass the cases in
// internal/api/dev/testdata/lines.json.

/**
 * A word of a line: a name, or an option with its value.
 * @typedef {{ option?: string, value: string }} Word
 */

const pattern =
  /([^\p{White_Space}:"]+):(?:"((?:\\.|[^"\\])*)"|(\P{White_Space}*))|"((?:\\.|[^"\\])*)"|(\P{White_Space}+)/gsu;

/** @param {string} text */
const unescaped = (text) => text.replace(/\\(["\\])/g, '$1');

/**
 * splitLine splits a line into words. Values with spaces are in quotes; a backslash escapes a quote. A value may be
 * separated from its option by a space. A line that the service refuses is split too, so that the user can correct it.
 * @param {string} line
 * @returns {Word[]}
 */
export function splitLine(line) {
  /** @type {Word[]} */
  const words = [];
  let needsValue = false; // the last option has no value yet
  for (const [, option, quoted, bare, single, name] of line.replace(/^\p{White_Space}*\//u, '').matchAll(pattern)) {
    if (option !== undefined) {
      words.push({ option, value: quoted === undefined ? bare : unescaped(quoted) });
      needsValue = quoted === undefined && bare === '';
      continue;
    }
    const value = single === undefined ? name : unescaped(single);
    if (needsValue) words[words.length - 1].value = value;
    else words.push({ value });
    needsValue = false;
  }
  return words;
}

/**
 * quote returns a value as it is written in a line.
 * @param {string} text
 */
export const quote = (text) => (/^[^\p{White_Space}"]+$/u.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`);
