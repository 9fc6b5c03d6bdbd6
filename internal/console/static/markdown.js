// What apps and people write, as nodes: a safe subset of what chat clients show. Nothing becomes markup that is not made here.
import {html, Text} from './ui.js';

// rules are tried in turn at every place; the first that fits wins.
const inline = [
  [/^\\([^\w\s])/, (m) => m[1]],
  [/^```(?:[\w+-]*\n)?([\s\S]+?)```/, (m) => html`<pre><code>${m[1]}</code></pre>`],
  [/^(`+)([\s\S]*?[^`])\1(?!`)/, (m) => html`<code>${m[2].trim()}</code>`],
  [/^\*\*([\s\S]+?)\*\*(?!\*)/, (m, c) => html`<strong>${parse(m[1], c)}</strong>`],
  [/^__([\s\S]+?)__(?!_)/, (m, c) => html`<u>${parse(m[1], c)}</u>`],
  [/^\*(?!\s)([^*]+?)\*(?!\*)/, (m, c) => html`<em>${parse(m[1], c)}</em>`],
  [/^_([^_]+?)_(?!\w)/, (m, c) => html`<em>${parse(m[1], c)}</em>`],
  [/^~~([\s\S]+?)~~/, (m, c) => html`<s>${parse(m[1], c)}</s>`],
  [/^\|\|([\s\S]+?)\|\|/, (m, c) => html`<span class="spoiler" tabindex="0">${parse(m[1], c)}</span>`],
  [/^<@!?(\d{1,20})>/, (m, c) => mention('@' + (c.user?.(m[1]) ?? m[1]))],
  [/^<@&(\d{1,20})>/, (m, c) => mention('@' + (c.role?.(m[1]) ?? m[1]))],
  [/^<#(\d{1,20})>/, (m, c) => mention('#' + (c.channel?.(m[1]) ?? m[1]))],
  [/^<\/([^:>]{1,100}):\d{1,20}>/, (m) => mention('/' + m[1])],
  [/^<t:(-?\d{1,13})(?::[tTdDfFR])?>/, (m) => html`<time>${moment(m[1])}</time>`],
  [/^<a?:(\w{2,32}):\d{1,20}>/, (m) => `:${m[1]}:`],
  [/^\[([^\]\n]{1,400})\]\((https?:\/\/[^\s()<>]{1,1000})\)/, (m, c) => link(m[2], parse(m[1], c))],
  [/^<(https?:\/\/[^\s<>]{1,1000})>/, (m) => link(m[1], m[1])],
  [/^https?:\/\/[^\s<>()]{1,1000}[^\s<>().,;:!?'"\]]/, (m) => link(m[0], m[0])],
];

const mention = (text) => html`<${Text} of=${text} most=${100} class="mention" />`;

const link = (to, shown) => html`<a href=${to} target="_blank" rel="noopener noreferrer nofollow" title=${to}>${shown}</a>`;

function moment(seconds) {
  const d = new Date(Number(seconds) * 1000);
  return Number.isNaN(d.getTime()) ? seconds : d.toLocaleString();
}

// parse returns the nodes of a text within one paragraph. It is bounded: what is nested too deeply stays as it is.
function parse(text, context) {
  if ((context.depth ?? 0) > 8) return [text];
  const inner = {...context, depth: (context.depth ?? 0) + 1};
  const nodes = [];
  let plain = '';
  for (let at = 0; at < text.length;) {
    const found = special.test(text[at]) && match(text.slice(at, at + 4200), inner);
    if (!found) {
      plain += text[at++];
      continue;
    }
    if (plain) nodes.push(plain);
    plain = '';
    nodes.push(found.node);
    at += found.length;
  }
  if (plain) nodes.push(plain);
  return nodes;
}

const special = /[\\`*_~|<[h]/;

function match(rest, context) {
  for (const [rule, make] of inline) {
    const m = rule.exec(rest);
    if (m) return {node: make(m, context), length: m[0].length};
  }
  return null;
}

// lines splits a text into blocks: headings, quotes, lists, small print and paragraphs.
function blocks(text) {
  const list = [];
  for (const line of text.split('\n')) {
    const m = /^(#{1,3}|-#|>|[-*]|\d{1,3}\.) (.*)$/.exec(line);
    const kind = m ? {'-#': 'small', '>': 'quote', '-': 'item', '*': 'item'}[m[1]] ?? (m[1][0] === '#' ? `h${m[1].length}` : 'number') : 'text';
    const body = m ? m[2] : line;
    const before = list.at(-1);
    if (before && before.kind === kind && ['text', 'quote', 'item', 'number'].includes(kind)) before.lines.push(body);
    else list.push({kind, lines: [body]});
  }
  return list;
}

const joined = (lines, c) => parse(lines.join('\n'), c);

function block({kind, lines}, c, i) {
  switch (kind) {
    case 'quote': return html`<blockquote key=${i}>${joined(lines, c)}</blockquote>`;
    case 'item': return html`<ul key=${i}>${lines.map((l) => html`<li>${parse(l, c)}</li>`)}</ul>`;
    case 'number': return html`<ol key=${i}>${lines.map((l) => html`<li>${parse(l, c)}</li>`)}</ol>`;
    case 'small': return html`<p key=${i}><small>${joined(lines, c)}</small></p>`;
    case 'h1': case 'h2': case 'h3': return html`<p key=${i} class="heading ${kind}">${joined(lines, c)}</p>`;
    default: return html`<p key=${i}>${joined(lines, c)}</p>`;
  }
}

// Markdown shows a text. context names people, roles and channels.
export function Markdown({of, context = {}, most = 6000}) {
  const text = String(of ?? '').slice(0, most);
  const parts = text.split(/(```[\s\S]*?```)/).filter((s) => s !== '');
  return html`<div class="markdown" dir="auto">${parts.flatMap((part, i) =>
    part.startsWith('```') && part.endsWith('```') && part.length > 6 ? [html`<div key=${i}>${parse(part, context)}</div>`] : blocks(part.replace(/^\n|\n$/g, '')).map((b, j) => block(b, context, `${i}.${j}`)))}</div>`;
}
