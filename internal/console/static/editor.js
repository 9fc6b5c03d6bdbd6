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

/**
 * The path of a value in a definition.
 * @typedef {(string | number)[]} Path
 */

/**
 * Form changes values of the definition and returns the errors of values.
 * @typedef {object} Form
 * @property {(path: Path, value: unknown) => void} change undefined removes the value
 * @property {(path: Path) => string | undefined} error
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

/** @typedef {import('./translations.js').TranslationsProps['members']} TranslatedMembers */

/** @type {TranslatedMembers} */
const nameTexts = [['name_localizations', t.name]];

/** @type {TranslatedMembers} */
const allTexts = [...nameTexts, ['description_localizations', t.description]];

/** @typedef {{ form: Form, path: Path, option: Option }} OptionProps */

/** @param {OptionProps} props */
function LimitFields({ form, path, option }) {
  const field = (
    /** @type {'min_length' | 'max_length' | 'min_value' | 'max_value'} */ key,
    /** @type {string} */ label,
  ) =>
    html`
      <${Input} key=${key} type="number" label=${label} value=${option[key] ?? ''} error=${form.error([...path, key])}
        onValue=${(/** @type {string} */ text) => form.change([...path, key], toNumber(text))} />
    `;
  switch (option.type) {
    case optionType.string:
      return [field('min_length', t.minLength), field('max_length', t.maxLength)];
    case optionType.integer:
    case optionType.number:
      return [field('min_value', t.minValue), field('max_value', t.maxValue)];
    default:
      return null;
  }
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
  const legend = html`${optionTypes[type] ?? type} <b><${Text} value=${option.name ?? ''} max=${32} /></b>`;
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
    <fieldset class="node">
      <legend>${legend}</legend>
      <${ErrorText} message=${form.error(path)} />
      <div class="line">
        <${Select} label=${t.type} value=${String(type ?? optionType.string)} error=${form.error(field('type'))}
          onValue=${setType} choices=${typeChoices(optionTypes)} />
        <${TextField} form=${form} path=${field('name')} label=${t.name} value=${option.name} />
        <${TextField} form=${form} path=${field('description')} label=${t.description} value=${option.description} />
        <${LimitFields} form=${form} path=${path} option=${option} />
        ${!nests && required}
        ${hasChoices && autocomplete}
        <button type="button" class="small" onClick=${() => form.change(path, undefined)}>${t.remove}</button>
      </div>
      <${Translations} form=${form} path=${path} value=${option} members=${allTexts}
        onValue=${(/** @type {Option} */ o) => form.change(path, o)} />
      ${hasChoices && html`<${Choices} form=${form} path=${path} option=${option} />`}
      ${nests && html`<${OptionList} form=${form} path=${field('options')} options=${option.options ?? []} />`}
    </fieldset>
  `;
}

/** @param {{ form: Form, path: Path, options: Option[] }} props */
function OptionList({ form, path, options }) {
  const add = () => form.change(path, [...options, { type: optionType.string, name: '', description: '' }]);
  return html`
    <div class="options">
      <${ErrorText} message=${form.error(path)} />
      ${options.map((o, i) => html`<${OptionFields} key=${i} form=${form} path=${[...path, i]} option=${o} />`)}
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
  };
  const description = html`
    <${TextField} form=${form} path=${['description']} label=${t.description} value=${value.description} />
  `;
  return html`
    <div class="definition">
      <div class="line">
        <${Select} label=${t.type} value=${String(type)} disabled=${fixedType} error=${form.error(['type'])}
          onValue=${(/** @type {string} */ v) => form.change(['type'], Number(v))}
          choices=${typeChoices(commandTypes)} />
        <${TextField} form=${form} path=${['name']} label=${t.name} value=${value.name} />
        ${hasDescription && description}
        <${Checkbox} label=${t.nsfw} value=${Boolean(value.nsfw)}
          onValue=${(/** @type {boolean} */ on) => form.change(['nsfw'], on)} />
      </div>
      <${Translations} form=${form} path=${[]} value=${value} onValue=${onValue}
        members=${hasDescription ? allTexts : nameTexts} />
      <${PermissionField} value=${value.default_member_permissions ?? null}
        error=${form.error(['default_member_permissions'])}
        onValue=${(/** @type {string | null} */ bits) => form.change(['default_member_permissions'], bits)} />
      ${isChat && html`<${OptionList} form=${form} path=${['options']} options=${value.options ?? []} />`}
    </div>
  `;
}
