// The translations of a command, an option or a choice in the form of the editor: a line for each language.

/** @import { Localizations } from '../types/wire.js' */
/** @import { Form, Path } from './editor.js' */
import { locales } from './locales.js';
import { SearchSelect } from './search-select.js';
import { t } from './text.js';
import { html, Input } from './ui.js';
import { useState } from './vendor/hooks.js';

/** @typedef {{ name_localizations?: Localizations, description_localizations?: Localizations }} Translated */

/** @typedef {keyof Translated} Member */

/**
 * withText returns texts with the one of a language replaced, or removed if it is empty. It returns null if no text is
 * left: null also removes the texts of a command that is stored already.
 * @param {Localizations | undefined} texts
 * @param {string} code
 * @param {string} text
 * @returns {Localizations}
 */
function withText(texts, code, text) {
  const { [code]: _, ...others } = texts ?? {};
  const next = text ? { ...others, [code]: text } : others;
  return Object.keys(next).length ? next : null;
}

/**
 * @typedef {object} TranslationsProps
 * @property {Form} form
 * @property {Path} path of the command, option or choice
 * @property {Translated} value the command, option or choice
 * @property {(value: Translated) => unknown} onValue
 * @property {[member: Member, label: string][]} members what has translations
 */

/** @param {TranslationsProps} props */
export function Translations({ form, path, value, onValue, members }) {
  const [added, setAdded] = useState(/** @type {string[]} */ ([]));
  const has = (/** @type {string} */ code) => members.some(([member]) => value[member]?.[code] !== undefined);
  const isShown = (/** @type {string} */ code) => added.includes(code) || has(code);
  const shown = locales.filter(([code]) => isShown(code));
  const others = locales.filter(([code]) => !isShown(code));
  const change = (/** @type {Member} */ member, /** @type {string} */ code, /** @type {string} */ text) => {
    if (!added.includes(code)) setAdded([...added, code]); // an empty line stays
    onValue({ ...value, [member]: withText(value[member], code, text) });
  };
  const remove = (/** @type {string} */ code) => {
    setAdded(added.filter((a) => a !== code));
    const texts = members.filter(([member]) => value[member]);
    const changes = texts.map(([member]) => [member, withText(value[member], code, '')]);
    onValue({ ...value, ...Object.fromEntries(changes) });
  };
  const line = (/** @type {[string, string]} */ [code, language]) => html`
    <div key=${code} class="line">
      ${members.map(
        ([member, label]) => html`
          <${Input} key=${member} label=${t.inLanguage(label, language)} lang=${code}
            value=${value[member]?.[code] ?? ''} error=${form.error([...path, member, code])}
            onValue=${(/** @type {string} */ text) => change(member, code, text)} />
        `,
      )}
      <button type="button" class="small" aria-label=${t.removeLanguage(language)}
        onClick=${() => remove(code)}>✕</button>
    </div>
  `;
  return html`
    <details class="translations">
      <summary>${t.translations} (${shown.length})</summary>
      ${shown.map(line)}
      <${SearchSelect} label=${t.addLanguage} value="" choices=${[['', '…'], ...others]}
        onValue=${(/** @type {string} */ code) => setAdded([...added, code])} />
    </details>
  `;
}
