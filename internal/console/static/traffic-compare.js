// Two exchanges side by side: the lines in which they differ.

/** @import { Exchange, RecordedContent } from '../types/wire.js' */
import { t } from './text.js';
import { parseBody } from './traffic-log.js';
import { html, Text } from './ui.js';
import { useMemo } from './vendor/hooks.js';

/** How many lines of a body are compared. */
const maxLines = 1200;

/** @param {RecordedContent | undefined} content */
function linesOf(content) {
  const body = content?.body ?? '';
  const value = parseBody(body);
  const text = value === undefined ? body : JSON.stringify(value, null, 2);
  return text ? text.split('\n').slice(0, maxLines) : [];
}

/** @param {Exchange} e */
const headLines = (e) => [
  `${e.method ?? ''} ${e.path ?? e.route ?? ''}`,
  `${t.status}: ${e.status ?? e.error ?? ''}`,
  ...Object.entries(e.request?.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
];

/** @typedef {{ sign: ' ' | '-' | '+', text: string }} Line */

/**
 * lengths returns a table: the length of the longest common sequence of a from i on and b from j on.
 * @param {string[]} a
 * @param {string[]} b
 */
function lengths(a, b) {
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    }
  }
  return table;
}

/**
 * diffLines returns the lines of two texts: those of both, only of the first and only of the second.
 * @param {string[]} a
 * @param {string[]} b
 * @returns {Line[]}
 */
export function diffLines(a, b) {
  const table = lengths(a, b);
  /** @type {Line[]} */
  const lines = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ sign: ' ', text: a[i] });
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && table[i + 1][j] >= table[i][j + 1])) {
      lines.push({ sign: '-', text: a[i++] });
    } else {
      lines.push({ sign: '+', text: b[j++] });
    }
  }
  return lines;
}

/** @type {Record<Line['sign'], string>} */
const classes = { ' ': '', '-': 'removed', '+': 'added' };

/** @param {{ title: string, a: string[], b: string[] }} props */
function Difference({ title, a, b }) {
  const lines = useMemo(() => diffLines(a, b), [a.join('\n'), b.join('\n')]);
  if (lines.length === 0) return null;
  const same = lines.every((l) => l.sign === ' ');
  return html`
    <section>
      <h3>${title}</h3>
      ${same && html`<p class="hint">${t.noChanges}</p>`}
      ${
        !same &&
        html`<pre class="difference" tabindex="0">${lines.map(
          (l, i) => html`<span key=${i} class=${classes[l.sign]}>${l.sign} <${Text} value=${l.text} />${'\n'}</span>`,
        )}</pre>`
      }
    </section>
  `;
}

/**
 * Compare shows in what two exchanges differ.
 * @param {{ first: Exchange, second: Exchange }} props
 */
export function Compare({ first, second }) {
  return html`
    <${Difference} title=${t.request} a=${headLines(first)} b=${headLines(second)} />
    <${Difference} title=${t.requestBody} a=${linesOf(first.request)} b=${linesOf(second.request)} />
    <${Difference} title=${t.responseBody} a=${linesOf(first.response)} b=${linesOf(second.response)} />
  `;
}
