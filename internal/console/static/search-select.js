// A select that is searched by typing if its list is long.

/** @import { SelectChoice } from './ui.js' */
/** @import { Item } from './combobox.js' */
import { Combobox } from './combobox.js';
import { t } from './text.js';
import { Field, html, Select } from './ui.js';
import { useState } from './vendor/hooks.js';

/** A list with more choices is searched. */
const longest = 15;

/** How many matches are listed. */
const maxMatches = 50;

/**
 * @typedef {object} SearchSelectProps
 * @property {string} label
 * @property {string} [hint]
 * @property {string | null} [error]
 * @property {string} value
 * @property {(value: string) => unknown} onValue
 * @property {SelectChoice[]} choices
 */

/** @param {SearchSelectProps} props */
export const SearchSelect = (props) =>
  props.choices.length > longest ? html`<${Searched} ...${props} />` : html`<${Select} ...${props} />`;

/**
 * Searched is an input with the name of the selected choice. Typing lists the choices whose names contain the text, and
 * those whose values, such as ids, begin with it.
 * @param {SearchSelectProps} props
 */
function Searched({ label, hint, error, value, onValue, choices }) {
  const [typed, setTyped] = useState(/** @type {string | null} */ (null));
  const selected = choices.find(([v]) => v === value)?.[1] ?? '';
  const wanted = typed?.trim().toLowerCase() ?? '';
  const found = choices
    .filter(([v, name]) => name.toLowerCase().includes(wanted) || v.toLowerCase().startsWith(wanted))
    .sort(([a], [b]) => (typed === null ? Number(b === value) - Number(a === value) : 0)); // Enter keeps the choice
  const items = found.slice(0, maxMatches).map(([v, name]) => ({ key: v, value: v, name }));
  const pick = (/** @type {Item<string>} */ item) => {
    setTyped(null);
    onValue(item.value);
  };
  return html`
    <${Field} label=${label} hint=${hint} error=${error}>
      ${(/** @type {import('./ui.js').InputAttributes} */ attributes) => html`
        <${Combobox} id=${attributes.id} describedby=${attributes['aria-describedby']} listLabel=${label}
          invalid=${Boolean(error)} value=${typed ?? selected} onValue=${setTyped} items=${items} onPick=${pick}
          empty=${t.noMatch} onLeave=${() => setTyped(null)} selects=${typed === null} />
      `}
    <//>
  `;
}
