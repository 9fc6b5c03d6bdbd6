// Markdown of messages, as nodes: a safe subset of the markdown of chat clients. Text never becomes markup.

/** @import { Child } from './vendor/preact.js' */
import { EmojiView } from './emoji.js';
import { distance, formatted, Moment } from './time.js';
import { html, Text } from './ui.js';

/**
 * Functions that return the names of mentioned ids. depth counts the levels of nested markdown.
 * @typedef {object} MentionNames
 * @property {(id: string) => string | undefined} [user]
 * @property {(id: string) => string | undefined} [role]
 * @property {(id: string) => string | null | undefined} [channel]
 * @property {number} [depth]
 */

/** @typedef {[pattern: RegExp, render: (match: RegExpExecArray, names: MentionNames) => Child]} Rule */

const maxDepth = 8;

/** The longest text that a rule looks at. */
const maxMatch = 4200;

/** The characters at which a rule can match. */
const special = /[\\`*_~|<[h]/;

/**
 * The rules of inline markdown. The first that matches wins.
 * @type {Rule[]}
 */
const rules = [
  [/^\\([^\w\s])/, (m) => m[1]],
  [/^```(?:[\w+-]*\n)?([\s\S]+?)```/, (m) => html`<pre><code>${m[1]}</code></pre>`],
  [/^(`+)([\s\S]*?[^`])\1(?!`)/, (m) => html`<code>${m[2].trim()}</code>`],
  [/^\*\*([\s\S]+?)\*\*(?!\*)/, (m, names) => html`<strong>${parse(m[1], names)}</strong>`],
  [/^__([\s\S]+?)__(?!_)/, (m, names) => html`<u>${parse(m[1], names)}</u>`],
  [/^\*(?!\s)([^*]+?)\*(?!\*)/, (m, names) => html`<em>${parse(m[1], names)}</em>`],
  [/^_([^_]+?)_(?!\w)/, (m, names) => html`<em>${parse(m[1], names)}</em>`],
  [/^~~([\s\S]+?)~~/, (m, names) => html`<s>${parse(m[1], names)}</s>`],
  [/^\|\|([\s\S]+?)\|\|/, (m, names) => html`<span class="spoiler" tabindex="0">${parse(m[1], names)}</span>`],
  [/^<@!?(\d{1,20})>/, (m, names) => mention(`@${names.user?.(m[1]) ?? m[1]}`)],
  [/^<@&(\d{1,20})>/, (m, names) => mention(`@${names.role?.(m[1]) ?? m[1]}`)],
  [/^<#(\d{1,20})>/, (m, names) => mention(`#${names.channel?.(m[1]) ?? m[1]}`)],
  [/^<\/([^:>]{1,100}):\d{1,20}>/, (m) => mention(`/${m[1]}`)],
  [/^<t:(-?\d{1,13})(?::([tTdDfFR]))?>/, (m) => timestamp(m[1], m[2])],
  [/^<a?:(\w{2,32}):(\d{1,20})>/, (m) => html`<${EmojiView} emoji=${{ name: m[1], id: m[2] }} />`],
  [/^\[([^\]\n]{1,400})\]\((https?:\/\/[^\s()<>]{1,1000})\)/, (m, names) => link(m[2], parse(m[1], names))],
  [/^<(https?:\/\/[^\s<>]{1,1000})>/, (m) => link(m[1], m[1])],
  [/^https?:\/\/[^\s<>()]{1,1000}[^\s<>().,;:!?'"\]]/, (m) => link(m[0], m[0])],
];

/** @param {string} text */
const mention = (text) => html`<${Text} value=${text} max=${100} class="mention" />`;

/**
 * @param {string} url
 * @param {Child} content
 */
const link = (url, content) =>
  html`<a href=${url} target="_blank" rel="noopener noreferrer nofollow" title=${url}>${content}</a>`;

/**
 * timestamp shows a moment in one of the styles of markdown. R is relative.
 * @param {string} seconds
 * @param {string} [style]
 */
function timestamp(seconds, style = 'f') {
  const date = new Date(Number(seconds) * 1000);
  if (Number.isNaN(date.getTime())) return seconds;
  return html`<${Moment} at=${date} text=${() => (style === 'R' ? distance(date) : formatted(date, style))} />`;
}

/**
 * parse returns the nodes of inline markdown. Markdown that is nested too deeply stays text.
 * @param {string} text
 * @param {MentionNames} names
 * @returns {Child[]}
 */
function parse(text, names) {
  const depth = names.depth ?? 0;
  if (depth > maxDepth) return [text];
  const inner = { ...names, depth: depth + 1 };
  /** @type {Child[]} */
  const nodes = [];
  let plain = '';
  for (let i = 0; i < text.length; ) {
    const found = special.test(text[i]) && match(text.slice(i, i + maxMatch), inner);
    if (!found) {
      plain += text[i++];
      continue;
    }
    if (plain) nodes.push(plain);
    plain = '';
    nodes.push(found.node);
    i += found.length;
  }
  if (plain) nodes.push(plain);
  return nodes;
}

/**
 * match returns the node of the first rule that matches the beginning of a text.
 * @param {string} text
 * @param {MentionNames} names
 */
function match(text, names) {
  for (const [pattern, render] of rules) {
    const m = pattern.exec(text);
    if (m) return { node: render(m, names), length: m[0].length };
  }
  return null;
}

/**
 * A block of lines.
 * @typedef {{ kind: string, lines: string[] }} Block
 */

/** @type {Record<string, string>} */
const blockKinds = { '#': 'h1', '##': 'h2', '###': 'h3', '-#': 'small', '>': 'quote', '-': 'item', '*': 'item' };

/** The kinds of blocks that take more than one line. */
const joinable = ['text', 'quote', 'item', 'number'];

/**
 * splitBlocks splits a text into headings, quotes, lists, small print and paragraphs.
 * @param {string} text
 */
function splitBlocks(text) {
  /** @type {Block[]} */
  const blocks = [];
  for (const line of text.split('\n')) {
    const m = /^(#{1,3}|-#|>|[-*]|\d{1,3}\.) (.*)$/.exec(line);
    const kind = m ? (blockKinds[m[1]] ?? 'number') : 'text';
    const content = m ? m[2] : line;
    const previous = blocks.at(-1);
    if (previous?.kind === kind && joinable.includes(kind)) previous.lines.push(content);
    else blocks.push({ kind, lines: [content] });
  }
  return blocks;
}

/**
 * @param {Block} block
 * @param {MentionNames} names
 * @param {string} key
 */
function renderBlock({ kind, lines }, names, key) {
  const content = () => parse(lines.join('\n'), names);
  const items = () => lines.map((line) => html`<li>${parse(line, names)}</li>`);
  switch (kind) {
    case 'quote':
      return html`<blockquote key=${key}>${content()}</blockquote>`;
    case 'item':
      return html`<ul key=${key}>${items()}</ul>`;
    case 'number':
      return html`<ol key=${key}>${items()}</ol>`;
    case 'small':
      return html`<p key=${key}><small>${content()}</small></p>`;
    case 'h1':
    case 'h2':
    case 'h3':
      return html`<p key=${key} class="heading ${kind}">${content()}</p>`;
    default:
      return html`<p key=${key}>${content()}</p>`;
  }
}

/**
 * Markdown shows a text with its markdown.
 * @param {{ text?: string, names?: MentionNames, max?: number }} props
 */
export function Markdown({ text, names = {}, max = 6000 }) {
  const parts = String(text ?? '')
    .slice(0, max)
    .split(/(```[\s\S]*?```)/)
    .filter((part) => part !== '');
  const nodes = parts.flatMap((part, i) => {
    const isCode = part.startsWith('```') && part.endsWith('```') && part.length > 6;
    if (isCode) return [html`<div key=${i}>${parse(part, names)}</div>`];
    return splitBlocks(part.replace(/^\n|\n$/g, '')).map((block, j) => renderBlock(block, names, `${i}.${j}`));
  });
  return html`<div class="markdown" dir="auto">${nodes}</div>`;
}
