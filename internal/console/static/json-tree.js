// JSON as a tree that folds, with a search and the path of each value.

import { t } from './text.js';
import { toast } from './toast.js';
import { html, Icon, Input, Text } from './ui.js';
import { useMemo, useState } from './vendor/hooks.js';

/** How many members of one object the tree shows. */
const maxMembers = 500;

/**
 * pathOf returns the path of a member.
 * @param {string} path of the object or array
 * @param {string | number} key
 */
function pathOf(path, key) {
  if (typeof key === 'number') return `${path}[${key}]`;
  if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path ? `${path}.${key}` : key;
}

/**
 * membersOf returns the members of an object or array, and null for other values.
 * @param {unknown} value
 * @returns {[key: string | number, value: unknown][] | null}
 */
function membersOf(value) {
  if (Array.isArray(value)) return value.map((v, i) => [i, v]);
  return value && typeof value === 'object' ? Object.entries(value) : null;
}

/**
 * findPaths returns the paths of the values that contain a text, and of the objects around them.
 * @param {unknown} value
 * @param {string} text in lower case
 */
function findPaths(value, text) {
  /** @type {Set<string>} */
  const around = new Set();
  let count = 0;
  /** @type {(value: unknown, path: string, key: string) => boolean} */
  const walk = (v, path, key) => {
    const members = membersOf(v);
    let found = key.toLowerCase().includes(text) || (!members && String(v).toLowerCase().includes(text));
    if (found) count++;
    for (const [k, member] of members ?? []) found = walk(member, pathOf(path, k), String(k)) || found;
    if (found) around.add(path);
    return found;
  };
  walk(value, '', '');
  return { around, count };
}

/** @param {{ text: string, query: string }} props */
function Marked({ text, query }) {
  const at = query ? text.toLowerCase().indexOf(query) : -1;
  if (at < 0) return html`<${Text} value=${text} />`;
  const end = at + query.length;
  return html`<bdi>${text.slice(0, at)}<mark>${text.slice(at, end)}</mark>${text.slice(end)}</bdi>`;
}

/** @param {string} path */
async function copyPath(path) {
  await navigator.clipboard.writeText(path);
  toast(t.copiedPath(path));
}

/** @typedef {{ query: string, around: Set<string> | null }} Search */

/** @param {{ name: string | number, path: string, query: string }} props */
function Key({ name, path, query }) {
  return html`
    <button type="button" class="key" title=${t.copyPath(path)} aria-label=${t.copyPath(path)}
      onClick=${() => copyPath(path)}><${Marked} text=${String(name)} query=${query} /></button>
  `;
}

/** @param {{ name: string | number, value: unknown, path: string, depth: number, search: Search }} props */
function Node({ name, value, path, depth, search }) {
  const [isOpen, setOpen] = useState(search.around ? search.around.has(path) : depth < 3);
  const members = membersOf(value);
  const key = html`<${Key} name=${name} path=${path} query=${search.query} />`;
  if (!members?.length) {
    const text = JSON.stringify(value);
    const kind = value === null ? 'null' : typeof value;
    return html`<li>${key}<span class="value ${kind}"><${Marked} text=${text} query=${search.query} /></span></li>`;
  }
  const size = Array.isArray(value) ? `[${members.length}]` : `{${members.length}}`;
  return html`
    <li>
      ${key}
      <button type="button" class="fold" aria-expanded=${isOpen ? 'true' : 'false'} onClick=${() => setOpen(!isOpen)}>
        <${Icon} name=${isOpen ? 'down' : 'right'} size="small" /> <span class="hidden">${path}</span> ${size}
      </button>
      ${isOpen && html`<${Members} members=${members} path=${path} depth=${depth + 1} search=${search} />`}
    </li>
  `;
}

/** @param {{ members: [string | number, unknown][], path: string, depth: number, search: Search }} props */
function Members({ members, path, depth, search }) {
  const shown = members.slice(0, maxMembers);
  return html`
    <ul>
      ${shown.map(([key, value]) => {
        const at = pathOf(path, key);
        return html`<${Node} key=${key} name=${key} value=${value} path=${at} depth=${depth} search=${search} />`;
      })}
      ${members.length > maxMembers && html`<li>${t.moreMembers(members.length - maxMembers)}</li>`}
    </ul>
  `;
}

/**
 * JSONTree shows an object or array as a tree. A click on a key copies its path.
 * @param {{ value: object, label: string }} props
 */
export function JSONTree({ value, label }) {
  const [text, setText] = useState('');
  const query = text.trim().toLowerCase();
  const found = useMemo(() => (query ? findPaths(value, query) : null), [value, query]);
  const search = { query, around: found?.around ?? null };
  return html`
    <div class="tree" role="group" aria-label=${label}>
      <div class="tree-search">
        <${Input} type="search" label=${t.searchIn(label)} placeholder=${t.search} value=${text} onValue=${setText} />
        <span class="hint" role="status">${found && t.matches(found.count)}</span>
      </div>
      <div class="tree-body" tabindex="0">
        <${Members} key=${query} members=${membersOf(value) ?? []} path="" depth=${0} search=${search} />
      </div>
    </div>
  `;
}
