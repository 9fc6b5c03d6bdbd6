// Finds the line of a value in a world file, for errors that name its path.

/**
 * entryOf splits a line of YAML in block style: how far it is indented, whether it begins items of lists, and its key.
 * @param {string} line
 */
function entryOf(line) {
  const [, space, dashes, rest] = /^( *)((?:- +|-$)*)(.*)$/.exec(line) ?? ['', '', '', '', ''];
  const key = /^(?:"([^"]*)"|'([^']*)'|([^\s:#{[][^:]*)):(?:\s|$)/.exec(rest);
  return { indent: space.length, dashes, rest, key: key && (key[1] ?? key[2] ?? key[3]) };
}

/** @typedef {{ indent: number, path: string, items: number, isItem: boolean }} Level */

/**
 * linesByPath returns the number of the line, from 1, at which each value of a file begins.
 * @param {string} text
 */
function linesByPath(text) {
  /** @type {Map<string, number>} */
  const found = new Map();
  /** @type {Level[]} */
  const levels = [{ indent: -1, path: '', items: 0, isItem: false }];
  const join = (/** @type {string} */ path, /** @type {string | number} */ key) => (path ? `${path}.${key}` : `${key}`);
  const last = () => /** @type {Level} */ (levels.at(-1));
  /** @type {(indent: number, path: string, line: number, isItem: boolean) => void} */
  const add = (indent, path, line, isItem) => {
    levels.push({ indent, path, items: 0, isItem });
    if (!found.has(path)) found.set(path, line);
  };
  text.split('\n').forEach((line, i) => {
    const { indent, dashes, rest, key } = entryOf(line);
    if (!dashes && (!rest || rest.startsWith('#'))) return;
    let at = indent;
    const isOver = (/** @type {Level} */ l) => l.indent > at || (l.indent === at && (l.isItem || !dashes));
    while (levels.length > 1 && isOver(last())) levels.pop(); // a list can be as far indented as its key
    for (const dash of dashes.match(/- *|-$/g) ?? []) {
      const list = last();
      add(at, join(list.path, list.items++), i + 1, true);
      at += dash.length;
    }
    if (key !== null) add(at, join(last().path, key), i + 1, false);
  });
  return found;
}

/**
 * lineOf returns the line of a value, or of the object around it if the value has no line of its own, or 0.
 * @param {string} text
 * @param {string} path such as users.0.name
 */
export function lineOf(text, path) {
  const lines = linesByPath(text);
  for (let at = path; at; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    const line = lines.get(at);
    if (line) return line;
  }
  return 0;
}
