// Definitions of commands: as a tree to fill in, as JSON, and as the difference between two lists.
import {html, Text, Input, Select, Check, useMemo} from './ui.js';
import {t} from './text.js';

export const commandTypes = {1: 'CHAT_INPUT', 2: 'USER', 3: 'MESSAGE', 4: 'PRIMARY_ENTRY_POINT'};
export const optionTypes = {
  1: 'SUB_COMMAND', 2: 'SUB_COMMAND_GROUP', 3: 'STRING', 4: 'INTEGER', 5: 'BOOLEAN', 6: 'USER', 7: 'CHANNEL', 8: 'ROLE', 9: 'MENTIONABLE', 10: 'NUMBER', 11: 'ATTACHMENT',
};

// kept lists the members of a definition that its owner gives; the others are the service's.
const kept = ['name', 'name_localizations', 'description', 'description_localizations', 'options', 'default_member_permissions', 'dm_permission', 'contexts', 'integration_types', 'nsfw', 'type', 'handler'];

// bare returns a definition without what the service adds and without what says nothing.
export function bare(command) {
  return Object.fromEntries(kept.filter((k) => command[k] !== undefined && command[k] !== null).map((k) => [k, k === 'options' ? command.options.map(bareOption) : command[k]]));
}

function bareOption(o) {
  return Object.fromEntries(Object.entries(o).filter(([, v]) => v !== null && v !== undefined).map(([k, v]) => [k, k === 'options' ? v.map(bareOption) : v]));
}

// at returns a copy of a value with one place changed; undefined removes it.
function at(value, [key, ...rest], to) {
  const copy = Array.isArray(value) ? [...value] : {...value};
  if (rest.length) copy[key] = at(copy[key] ?? {}, rest, to);
  else if (to === undefined) Array.isArray(copy) ? copy.splice(key, 1) : delete copy[key];
  else copy[key] = to;
  return copy;
}

function faultAt(faults, path) {
  const name = path.join('.');
  return faults.filter((f) => f.path === name).map((f) => f.message).join(' ') || undefined;
}

const numeric = (v) => (v === '' ? undefined : Number(v));

function Limits({option, path, change, faults}) {
  const fields = {3: [['min_length', t.minLength], ['max_length', t.maxLength]], 4: [['min_value', t.minValue], ['max_value', t.maxValue]], 10: [['min_value', t.minValue], ['max_value', t.maxValue]]}[option.type] ?? [];
  return html`${fields.map(([key, label]) => html`<${Input} key=${key} type="number" label=${label} value=${option[key] ?? ''} error=${faultAt(faults, [...path, key])}
    onValue=${(v) => change([...path, key], numeric(v))} />`)}`;
}

function Choices({option, path, change, faults}) {
  if (![3, 4, 10].includes(option.type)) return null;
  const choices = option.choices ?? [];
  const value = (v) => (option.type === 3 ? v : numeric(v) ?? 0);
  return html`<details open=${choices.length > 0}><summary>${t.choices} (${choices.length})</summary>
    ${faultAt(faults, [...path, 'choices']) && html`<p class="error">${faultAt(faults, [...path, 'choices'])}</p>`}
    ${choices.map((c, i) => html`<div key=${i} class="line">
      <${Input} label=${t.name} value=${c.name} error=${faultAt(faults, [...path, 'choices', i, 'name'])} onValue=${(v) => change([...path, 'choices', i, 'name'], v)} />
      <${Input} label=${t.value} value=${c.value} error=${faultAt(faults, [...path, 'choices', i, 'value'])} onValue=${(v) => change([...path, 'choices', i, 'value'], value(v))} />
      <button type="button" class="small" aria-label=${t.remove} onClick=${() => change([...path, 'choices', i], undefined)}>✕</button></div>`)}
    <button type="button" class="small" onClick=${() => change([...path, 'choices'], [...choices, {name: '', value: option.type === 3 ? '' : 0}])}>+ ${t.choice}</button>
  </details>`;
}

// Option is one option and all below it.
function Option({option, path, change, faults}) {
  const nests = option.type === 1 || option.type === 2;
  const own = faultAt(faults, path);
  return html`<fieldset class="node"><legend>${optionTypes[option.type] ?? option.type} <b><${Text} of=${option.name ?? ''} most=${32} /></b></legend>
    ${own && html`<p class="error">${own}</p>`}
    <div class="line">
      <${Select} label=${t.type} value=${String(option.type ?? 3)} error=${faultAt(faults, [...path, 'type'])} onValue=${(v) => change([...path, 'type'], Number(v))} options=${Object.entries(optionTypes)} />
      <${Input} label=${t.name} value=${option.name ?? ''} error=${faultAt(faults, [...path, 'name'])} onValue=${(v) => change([...path, 'name'], v)} />
      <${Input} label=${t.description} value=${option.description ?? ''} error=${faultAt(faults, [...path, 'description'])} onValue=${(v) => change([...path, 'description'], v)} />
      <${Limits} option=${option} path=${path} change=${change} faults=${faults} />
      ${!nests && html`<${Check} label=${t.requiredField} value=${Boolean(option.required)} onValue=${(v) => change([...path, 'required'], v)} />`}
      ${[3, 4, 10].includes(option.type) && html`<${Check} label=${t.autocomplete} value=${Boolean(option.autocomplete)} onValue=${(v) => change([...path, 'autocomplete'], v || undefined)} />`}
      <button type="button" class="small" onClick=${() => change(path, undefined)}>${t.remove}</button>
    </div>
    <${Choices} option=${option} path=${path} change=${change} faults=${faults} />
    ${nests && html`<${Options} options=${option.options ?? []} path=${[...path, 'options']} change=${change} faults=${faults} />`}
  </fieldset>`;
}

function Options({options, path, change, faults}) {
  const own = faultAt(faults, path);
  return html`<div class="options">
    ${own && html`<p class="error">${own}</p>`}
    ${options.map((o, i) => html`<${Option} key=${i} option=${o} path=${[...path, i]} change=${change} faults=${faults} />`)}
    <button type="button" class="small" onClick=${() => change(path, [...options, {type: 3, name: '', description: ''}])}>+ ${t.option}</button>
  </div>`;
}

// Tree edits a definition field by field. Faults are shown where they are.
export function Tree({value, onValue, faults, fixed}) {
  const change = (path, to) => onValue(at(value, path, to));
  const chat = (value.type ?? 1) === 1;
  return html`<div class="tree">
    <div class="line">
      <${Select} label=${t.type} value=${String(value.type ?? 1)} disabled=${fixed} error=${faultAt(faults, ['type'])} onValue=${(v) => change(['type'], Number(v))} options=${Object.entries(commandTypes)} />
      <${Input} label=${t.name} value=${value.name ?? ''} error=${faultAt(faults, ['name'])} onValue=${(v) => change(['name'], v)} />
      ${(chat || value.type === 4) && html`<${Input} label=${t.description} value=${value.description ?? ''} error=${faultAt(faults, ['description'])} onValue=${(v) => change(['description'], v)} />`}
      <${Input} label=${t.defaultPermissions} value=${value.default_member_permissions ?? ''} error=${faultAt(faults, ['default_member_permissions'])}
        onValue=${(v) => change(['default_member_permissions'], v === '' ? null : v)} />
      <${Check} label=${t.nsfw} value=${Boolean(value.nsfw)} onValue=${(v) => change(['nsfw'], v)} />
    </div>
    ${chat && html`<${Options} options=${value.options ?? []} path=${['options']} change=${change} faults=${faults} />`}
  </div>`;
}

const same = (a, b) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

// changes lists the places in which two values differ, with what stands there.
function changes(before, after, path = '') {
  if (same(before, after)) return [];
  const both = (x) => x !== null && typeof x === 'object';
  if (!both(before) || !both(after) || Array.isArray(before) !== Array.isArray(after)) return [{path, before, after}];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((k) => changes(before[k], after[k], path ? `${path}.${k}` : k));
}

// plan says what replacing a list of commands with another would do.
export function plan(current, next) {
  const key = (c) => `${c.type ?? 1} ${c.name}`;
  const old = new Map(current.map((c) => [key(c), c]));
  const kept = next.map((c) => {
    const before = old.get(key(c));
    old.delete(key(c));
    if (!before) return {action: 'create', name: c.name, type: c.type ?? 1, changes: []};
    const list = changes(normal(before), normal(c));
    return {action: list.length ? 'change' : 'keep', name: c.name, type: c.type ?? 1, changes: list};
  });
  return [...kept, ...[...old.values()].map((c) => ({action: 'delete', name: c.name, type: c.type, changes: []}))];
}

const defaults = {type: 1, dm_permission: true, nsfw: false};

function normal(c) {
  const b = bare(c);
  for (const [k, v] of Object.entries(defaults)) if (b[k] === v) delete b[k];
  delete b.integration_types;
  if (b.description === '') delete b.description;
  return JSON.parse(JSON.stringify(b, (k, v) => (k === 'required' && v === false ? undefined : v)));
}

// Plan shows what would happen, before it does.
export function Plan({steps}) {
  const shown = useMemo(() => steps.filter((s) => s.action !== 'keep'), [steps]);
  if (shown.length === 0) return html`<p>${t.noChanges}</p>`;
  return html`<ul class="plan">${shown.map((s) => html`<li key=${s.action + s.type + s.name} class=${s.action}><b>${t.actions[s.action]}</b> ${commandTypes[s.type]} <${Text} of=${s.name} most=${40} />
    ${s.changes.length > 0 && html`<ul>${s.changes.map((c) => html`<li key=${c.path}><code>${c.path}</code>: <del><${Text} of=${JSON.stringify(c.before) ?? '—'} most=${200} /></del> → <ins><${Text} of=${JSON.stringify(c.after) ?? '—'} most=${200} /></ins></li>`)}</ul>`}</li>`)}</ul>`;
}
