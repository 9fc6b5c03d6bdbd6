// Values of options: what can be typed, what it means, what is wrong with it. The service judges again.
import {t} from './text.js';
import {among} from './message.js';

export const kind = {sub: 1, group: 2, string: 3, integer: 4, boolean: 5, user: 6, channel: 7, role: 8, mentionable: 9, number: 10, attachment: 11};

export const defaultName = (o) => o.name_default ?? o.name;

// leaves returns every way to use a command: itself, or each of its subcommands.
export function leaves(command) {
  const options = command.options ?? [];
  if (!options.some((o) => o.type === kind.sub || o.type === kind.group)) return [{command, path: [], options, description: command.description}];
  return options.flatMap((o) => {
    if (o.type === kind.sub) return [{command, path: [o], options: o.options ?? [], description: o.description}];
    return (o.options ?? []).map((sub) => ({command, path: [o, sub], options: sub.options ?? [], description: sub.description}));
  });
}

export const leafName = (leaf) => [leaf.command, ...leaf.path].map((p) => p.name).join(' ');

const points = (s) => [...s].length;

function between(n, o) {
  if (o.min_value !== undefined && n < o.min_value) return t.atLeast(o.min_value);
  if (o.max_value !== undefined && n > o.max_value) return t.atMost(o.max_value);
  return null;
}

function number(text, o) {
  const n = Number(text);
  if (text.trim() === '' || !Number.isFinite(n) || Math.abs(n) > 2 ** 53) return {error: t.notANumber};
  return {value: n, error: between(n, o)};
}

function integer(text, o) {
  const n = Number(text);
  if (!/^\s*[+-]?\d+\s*$/.test(text) || !Number.isSafeInteger(n)) return {error: t.notAnInteger};
  return {value: n, error: between(n, o)};
}

function string(text, o) {
  const n = points(text);
  if (o.min_length !== undefined && n < o.min_length) return {value: text, error: t.atLeastLong(o.min_length)};
  if (n > (o.max_length ?? 6000)) return {value: text, error: t.atMostLong(o.max_length ?? 6000)};
  return {value: text};
}

// read returns the value of what was typed into an option: {value}, {error}, or {} when there is nothing.
export function read(o, entry) {
  if (o.type === kind.attachment) return entry?.file ? {value: entry.file} : {};
  if (!entry || (entry.text === '' && entry.picked === undefined)) return {};
  if (entry.picked !== undefined) return {value: entry.picked};
  if (o.choices?.length) {
    const named = o.choices.find((c) => c.name.toLowerCase() === entry.text.toLowerCase());
    return named ? {value: named.value} : {error: t.notAChoice};
  }
  switch (o.type) {
    case kind.string: return string(entry.text, o);
    case kind.integer: return integer(entry.text, o);
    case kind.number: return number(entry.text, o);
    case kind.boolean: return {error: t.trueOrFalse};
    default: return /^\d{1,20}$/.test(entry.text) ? {value: entry.text} : {error: t.pickOne};
  }
}

// suggestions returns what can be picked for an option without asking the app.
export function suggestions(o, text, session, guild) {
  const fits = (i) => i.name.toLowerCase().includes(text.toLowerCase());
  if (o.choices?.length) return o.choices.map((c) => ({value: c.value, name: c.name})).filter(fits);
  switch (o.type) {
    case kind.boolean: return [{value: true, name: t.yes}, {value: false, name: t.no}].filter(fits);
    case kind.user: return among(5, session, guild).filter(fits).slice(0, 25);
    case kind.role: return among(6, session, guild).filter(fits).slice(0, 25);
    case kind.mentionable: return among(7, session, guild).filter(fits).slice(0, 25);
    case kind.channel: return among(8, session, guild).filter((i) => !o.channel_types?.length || o.channel_types.includes(i.type)).filter(fits).slice(0, 25);
    default: return [];
  }
}

// body puts the options of a leaf into the form in which they are sent. values are by default name, focused names the one
// that suggestions are asked for.
export function body(leaf, values, focused) {
  const files = [];
  const options = leaf.options.flatMap((o) => {
    const name = defaultName(o);
    if (name === focused) return [{type: o.type, name, value: values[name]?.text ?? '', focused: true}];
    const {value} = read(o, values[name]);
    if (value === undefined) return [];
    if (o.type !== kind.attachment) return [{type: o.type, name, value}];
    files.push(value);
    return focused ? [] : [{type: o.type, name, value: files.length - 1}];
  });
  const nested = leaf.path.reduceRight((inner, p) => [{type: p.type, name: defaultName(p), options: inner}], options);
  const c = leaf.command;
  return {
    files,
    data: {
      id: c.id, version: c.version, name: defaultName(c), type: c.type, options: nested, guild_id: c.guild_id,
      attachments: files.map((f, i) => ({id: String(i), filename: f.name})),
    },
  };
}
