// The preview of a definition: how the picker shows it in each language.

/** @import { Choice, CommandDefinition, IndexedCommand, Localizations, Option } from '../types/wire.js' */
import { locales } from './locales.js';
import { leafName, leaves } from './options.js';
import { t } from './text.js';
import { html, Icon, Text } from './ui.js';
import { useState } from './vendor/hooks.js';

/**
 * @typedef {object} Named
 * @property {Localizations} [name_localizations]
 * @property {Localizations} [description_localizations]
 * @property {Option[]} [options]
 * @property {Choice[]} [choices]
 */

/**
 * localesOf returns the languages for which a definition has texts, in the order of the service's list.
 * @param {Named} named
 */
export function localesOf(named) {
  const found = new Set();
  const collect = (/** @type {Named} */ n) => {
    for (const texts of [n.name_localizations, n.description_localizations]) {
      for (const code of Object.keys(texts ?? {})) found.add(code);
    }
    for (const inner of [...listOf(n.options), ...listOf(n.choices)]) collect(inner);
  };
  collect(named);
  return locales.filter(([code]) => found.has(code));
}

/**
 * listOf returns a list of a definition. A definition that a person is typing can have anything in its place.
 * @template T
 * @param {T[] | undefined} value
 * @returns {T[]}
 */
const listOf = (value) => (Array.isArray(value) ? value.filter((v) => v !== null && typeof v === 'object') : []);

/** The language that the service tries when a text has no translation. @type {Record<string, string>} */
const fallbacks = { 'en-US': 'en-GB', 'en-GB': 'en-US', 'es-419': 'es-ES' };

/**
 * @param {Localizations | undefined} texts
 * @param {string} code
 */
const translation = (texts, code) => texts?.[code] ?? texts?.[fallbacks[code]];

/**
 * localized returns a definition or an option with its texts in a language. A text without a translation stays.
 * @template {{ name: string, description?: string } & Named} T
 * @param {T} named
 * @param {string} code
 * @returns {T}
 */
function localized(named, code) {
  return {
    ...named,
    name: translation(named.name_localizations, code) ?? named.name,
    description: translation(named.description_localizations, code) ?? named.description,
    options: listOf(named.options).map((o) => localized(o, code)),
    choices: listOf(named.choices).map((c) => ({ ...c, name: translation(c.name_localizations, code) ?? c.name })),
  };
}

/** @param {{ option: Option }} props */
function OptionChip({ option: { name, required, choices } }) {
  const values = listOf(choices).map((c) => c.name);
  return html`
    <li class="chip">
      <${Text} value=${name || '…'} max=${32} />${required ? '' : ` ${t.optional}`}
      ${values.length > 0 && html`<span class="note"><${Text} value=${values.join(' · ')} max=${80} /></span>`}
    </li>
  `;
}

/** @param {{ command: IndexedCommand }} props */
function PickerRows({ command }) {
  return leaves(command).map(
    (leaf, i) => html`
      <div key=${i} class="preview-command">
        <b>/<${Text} value=${leafName(leaf) || '…'} max=${100} /></b>
        ${' '}<span class="note"><${Text} value=${leaf.description ?? ''} max=${100} /></span>
        <ul class="chips">${listOf(leaf.options).map((o, n) => html`<${OptionChip} key=${n} option=${o} />`)}</ul>
      </div>
    `,
  );
}

/** @param {{ definition: CommandDefinition }} props */
export function Preview({ definition }) {
  const [chosen, setChosen] = useState('');
  const known = localesOf(definition);
  const code = known.some(([c]) => c === chosen) ? chosen : '';
  const shown = /** @type {IndexedCommand} */ (localized(definition, code));
  const languages = [['', t.defaultLanguage], ...known].map(
    ([c, name]) => html`
      <button key=${c} type="button" class="chip" lang=${c || undefined} aria-pressed=${c === code}
        onClick=${() => setChosen(c)}>${name}</button>
    `,
  );
  const inMenu = html`
    <p class="preview-command"><${Icon} name="more" /> <b><${Text} value=${shown.name || '…'} max=${32} /></b></p>
  `;
  return html`
    <section class="preview" aria-label=${t.preview}>
      <h3>${t.preview}</h3>
      <div class="chips" role="group" aria-label=${t.language}>${languages}</div>
      ${(definition.type ?? 1) === 1 ? html`<${PickerRows} command=${shown} />` : inMenu}
    </section>
  `;
}
