// The form that edits the definition of a command field by field.

/** @import { Choice, CommandDefinition, Option } from '../types/wire.js' */
/** @import { FieldError } from './http.js' */
/** @import { SelectChoice } from './ui.js' */
import { commandTypes, optionTypes } from './definition.js';
import { optionType } from './options.js';
import { PermissionField } from './permission-field.js';
import { t } from './text.js';
import { Translations } from './translations.js';
import { Checkbox, html, Input, inWords, Select, Text } from './ui.js';
import { useRef, useState } from './vendor/hooks.js';

/**
 * The path of a value in a definition.
 * @typedef {(string | number)[]} Path
 */

/**
 * Form changes values of the definition and returns the errors of values.
 * @typedef {object} Form
 * @property {(path: Path, value: unknown) => void} change undefined removes the value
 * @property {(path: Path) => string | undefined} error
 * @property {(path: Path) => boolean} hasErrors whether the value at a path or a part of it is wrong
 */

/**
 * withValue returns a copy of a JSON value with the value at a path replaced, or removed if it is undefined.
 * @param {any} root a JSON value of any shape, as the path says
 * @param {Path} path
 * @param {unknown} value
 * @returns {any}
 */
function withValue(root, [key, ...rest], value) {
  const copy = Array.isArray(root) ? [...root] : { ...root };
  if (rest.length) copy[key] = withValue(copy[key] ?? {}, rest, value);
  else if (value !== undefined) copy[key] = value;
  else if (Array.isArray(copy)) copy.splice(Number(key), 1);
  else delete copy[key];
  return copy;
}

/** @param {string} text */
const toNumber = (text) => (text === '' ? undefined : Number(text));

/**
 * @param {Record<number, string>} types
 * @returns {SelectChoice[]}
 */
const typeChoices = (types) => Object.entries(types);

/** @param {{ message: string | undefined }} props */
const ErrorText = ({ message }) => message && html`<p class="error">${message}</p>`;

/**
 * TextField edits the text at a path.
 * @param {{ form: Form, path: Path, label: string, value?: string }} props
 */
function TextField({ form, path, label, value = '' }) {
  return html`
    <${Input} label=${label} value=${value} error=${form.error(path)}
      onValue=${(/** @type {string} */ text) => form.change(path, text)} />
  `;
}

/** The longest description of a command or an option. */
const longestDescription = 100;

/**
 * DescriptionField edits a description over the whole width, and counts its characters.
 * @param {{ form: Form, path: Path, value?: string }} props
 */
function DescriptionField({ form, path, value = '' }) {
  const length = [...value].length;
  return html`
    <div class="description-field">
      <${TextField} form=${form} path=${path} label=${t.description} value=${value} />
      <span class="note number ${length > longestDescription ? 'bad' : ''}" aria-hidden="true">
        ${length}/${longestDescription}
      </span>
    </div>
  `;
}

/** @typedef {import('./translations.js').TranslationsProps['members']} TranslatedMembers */

/** @type {TranslatedMembers} */
const nameTexts = [['name_localizations', t.name]];

/** @type {TranslatedMembers} */
const allTexts = [...nameTexts, ['description_localizations', t.description]];

/** @typedef {{ form: Form, path: Path, option: Option }} OptionProps */

/**
 * LimitFields edits the bounds of a value or of its length, on one line.
 * @param {OptionProps} props
 */
function LimitFields({ form, path, option }) {
  const isText = option.type === optionType.string;
  if (!isText && option.type !== optionType.integer && option.type !== optionType.number) return null;
  const field = (
    /** @type {'min_length' | 'max_length' | 'min_value' | 'max_value'} */ key,
    /** @type {string} */ label,
  ) =>
    html`
      <${Input} key=${key} type="number" label=${label} value=${option[key] ?? ''} error=${form.error([...path, key])}
        onValue=${(/** @type {string} */ text) => form.change([...path, key], toNumber(text))} />
    `;
  return html`
    <div class="bounds">
      ${
        isText
          ? [field('min_length', t.minLength), field('max_length', t.maxLength)]
          : [field('min_value', t.minValue), field('max_value', t.maxValue)]
      }
    </div>
  `;
}

/** @param {{ form: Form, path: Path, choice: Choice, toValue: (text: string) => string | number }} props */
function ChoiceFields({ form, path, choice, toValue }) {
  return html`
    <div class="line">
      <${TextField} form=${form} path=${[...path, 'name']} label=${t.name} value=${choice.name} />
      <${Input} label=${t.value} value=${choice.value} error=${form.error([...path, 'value'])}
        onValue=${(/** @type {string} */ text) => form.change([...path, 'value'], toValue(text))} />
      <button type="button" class="small" aria-label=${t.remove}
        onClick=${() => form.change(path, undefined)}>✕</button>
    </div>
    <${Translations} form=${form} path=${path} value=${choice} members=${nameTexts}
      onValue=${(/** @type {Choice} */ c) => form.change(path, c)} />
  `;
}

/** @param {OptionProps} props */
function Choices({ form, path, option }) {
  const choices = option.choices ?? [];
  const list = [...path, 'choices'];
  const isString = option.type === optionType.string;
  const toValue = (/** @type {string} */ text) => (isString ? text : (toNumber(text) ?? 0));
  const add = () => form.change(list, [...choices, { name: '', value: isString ? '' : 0 }]);
  return html`
    <details open=${choices.length > 0}>
      <summary>${t.choices} (${choices.length})</summary>
      <${ErrorText} message=${form.error(list)} />
      ${choices.map(
        (c, i) => html`
          <${ChoiceFields} key=${i} form=${form} path=${[...list, i]} choice=${c} toValue=${toValue} />
        `,
      )}
      <button type="button" class="small" onClick=${add}>+ ${t.choice}</button>
    </details>
  `;
}

/** @param {OptionProps} props */
function OptionFields({ form, path, option }) {
  const { type } = option;
  const nests = type === optionType.subCommand || type === optionType.subCommandGroup;
  const hasChoices = type === optionType.string || type === optionType.integer || type === optionType.number;
  const field = (/** @type {string} */ key) => [...path, key];
  const setType = (/** @type {string} */ value) => form.change(field('type'), Number(value));
  const required = html`
    <${Checkbox} label=${t.requiredField} value=${Boolean(option.required)}
      onValue=${(/** @type {boolean} */ on) => form.change(field('required'), on)} />
  `;
  const autocomplete = html`
    <${Checkbox} label=${t.autocomplete} value=${Boolean(option.autocomplete)}
      onValue=${(/** @type {boolean} */ on) => form.change(field('autocomplete'), on || undefined)} />
  `;
  return html`
    <${ErrorText} message=${form.error(path)} />
    <div class="name-and-type">
      <${Select} label=${t.type} value=${String(type ?? optionType.string)} error=${form.error(field('type'))}
        onValue=${setType} choices=${typeChoices(optionTypes)} />
      <${TextField} form=${form} path=${field('name')} label=${t.name} value=${option.name} />
    </div>
    <${DescriptionField} form=${form} path=${field('description')} value=${option.description} />
    <div class="line">
      <${LimitFields} form=${form} path=${path} option=${option} />
      ${!nests && required}
      ${hasChoices && autocomplete}
    </div>
    <${Translations} form=${form} path=${path} value=${option} members=${allTexts}
      onValue=${(/** @type {Option} */ o) => form.change(path, o)} />
    ${hasChoices && html`<${Choices} form=${form} path=${path} option=${option} />`}
    ${nests && html`<${OptionList} form=${form} path=${field('options')} options=${option.options ?? []} />`}
  `;
}

/**
 * OptionRow is an option as a row with its name, type and description, which opens into its fields. A new option is
 * open.
 * @param {OptionProps & { onMove: (() => unknown) | null }} props
 */
function OptionRow({ form, path, option, onMove }) {
  const [open, setOpen] = useState(!option.name);
  const { name = '', type, description } = option;
  const hasError = form.hasErrors(path);
  const onToggle = (/** @type {Event & { currentTarget: HTMLDetailsElement }} */ e) => setOpen(e.currentTarget.open);
  return html`
    <details class="option-row ${hasError ? 'wrong' : ''}" open=${open} onToggle=${onToggle}>
      <summary>
        <span class="option-name"><${Text} value=${name || t.unnamed} max=${32} /></span>
        <span class="badge info">${optionTypes[type] ?? type}</span>
        ${option.required && html`<span class="badge">${t.requiredField}</span>`}
        ${hasError && html`<span class="badge bad">${t.wrong}</span>`}
        <${Text} class="note" value=${description ?? ''} max=${100} />
      </summary>
      <div class="option-body">
        ${open && html`<${OptionFields} form=${form} path=${path} option=${option} />`}
        <p class="toolbar">
          ${onMove && html`<button type="button" class="small" onClick=${onMove}>${t.moveUp}</button>`}
          <button type="button" class="small danger" aria-label=${name ? t.removeOption(name) : t.remove}
            onClick=${() => form.change(path, undefined)}>${t.remove}</button>
        </p>
      </div>
    </details>
  `;
}

/**
 * useKeys returns a key for each entry of a list, so that a row keeps its state when others move or go.
 * @param {number} count
 */
function useKeys(count) {
  const ref = useRef({ keys: /** @type {number[]} */ ([]), next: 0 });
  const { current } = ref;
  while (current.keys.length < count) current.keys.push(current.next++);
  return current;
}

/** @param {{ form: Form, path: Path, options: Option[] }} props */
function OptionList({ form, path, options }) {
  const list = useKeys(options.length);
  const add = () => form.change(path, [...options, { type: optionType.string, name: '', description: '' }]);
  /** @type {Form} */
  const rows = {
    ...form,
    change: (changed, value) => {
      if (value === undefined && changed.length === path.length + 1) list.keys.splice(Number(changed.at(-1)), 1);
      form.change(changed, value);
    },
  };
  const moveUp = (/** @type {number} */ i) => {
    list.keys.splice(i - 1, 0, ...list.keys.splice(i, 1));
    const next = [...options];
    next.splice(i - 1, 0, ...next.splice(i, 1));
    form.change(path, next);
  };
  return html`
    <div class="options">
      <${ErrorText} message=${form.error(path)} />
      ${options.map(
        (o, i) => html`
          <${OptionRow} key=${list.keys[i]} form=${rows} path=${[...path, i]} option=${o}
            onMove=${i > 0 ? () => moveUp(i) : null} />
        `,
      )}
      <button type="button" class="small" onClick=${add}>+ ${t.option}</button>
    </div>
  `;
}

/**
 * @typedef {object} DefinitionFormProps
 * @property {CommandDefinition} value
 * @property {(value: CommandDefinition) => unknown} onValue
 * @property {FieldError[]} errors
 * @property {boolean} fixedType
 */

/**
 * DefinitionForm edits a definition. It shows each error at its field.
 * @param {DefinitionFormProps} props
 */
export function DefinitionForm({ value, onValue, errors, fixedType }) {
  const type = value.type ?? 1;
  const isChat = type === 1;
  const hasDescription = isChat || type === 4;
  /** @type {Form} */
  const form = {
    change: (path, to) => onValue(withValue(value, path, to)),
    error: (path) => {
      const name = path.join('.');
      const own = errors.filter((e) => e.path === name);
      return own.map((e) => `${inWords(e)} (${e.code})`).join(' ') || undefined;
    },
    hasErrors: (path) => errors.some((e) => `${e.path}.`.startsWith(`${path.join('.')}.`)),
  };
  const description = html`
    <${DescriptionField} form=${form} path=${['description']} value=${value.description} />
  `;
  return html`
    <div class="definition">
      <div class="name-and-type">
        <${Select} label=${t.type} value=${String(type)} disabled=${fixedType} error=${form.error(['type'])}
          onValue=${(/** @type {string} */ v) => form.change(['type'], Number(v))}
          choices=${typeChoices(commandTypes)} />
        <${TextField} form=${form} path=${['name']} label=${t.name} value=${value.name} />
      </div>
      ${hasDescription && description}
      <div class="line">
        <${PermissionField} value=${value.default_member_permissions ?? null}
          error=${form.error(['default_member_permissions'])}
          onValue=${(/** @type {string | null} */ bits) => form.change(['default_member_permissions'], bits)} />
        <${Checkbox} label=${t.nsfw} value=${Boolean(value.nsfw)}
          onValue=${(/** @type {boolean} */ on) => form.change(['nsfw'], on)} />
      </div>
      <${Translations} form=${form} path=${[]} value=${value} onValue=${onValue}
        members=${hasDescription ? allTexts : nameTexts} />
      ${isChat && html`<h3>${t.options}</h3>`}
      ${isChat && html`<${OptionList} form=${form} path=${['options']} options=${value.options ?? []} />`}
    </div>
  `;
}
