// The input of one option in the composer: a chip with a name and a value.

/** @import { Choice, Option } from '../types/wire.js' */
/** @import { InputKeyEvent, Item } from './combobox.js' */
/** @import { Entry } from './options.js' */
/** @import { LoadedGuild } from './session.js' */
import { Combobox } from './combobox.js';
import { optionType, suggestions } from './options.js';
import { useDebounced } from './state.js';
import { t } from './text.js';
import { html, IconButton, Text } from './ui.js';
import { useEffect, useId, useState } from './vendor/hooks.js';

/** @typedef {{ items: Item<Choice['value']>[], busy: boolean, failed?: boolean }} FoundChoices */

/**
 * useAutocomplete returns the choices that the app sends for an option while its input has the focus.
 * @param {Option} option
 * @param {Entry | undefined} entry
 * @param {(option: Option) => Promise<Choice[] | null>} autocomplete
 * @param {boolean} focused
 */
function useAutocomplete(option, entry, autocomplete, focused) {
  const text = useDebounced(entry?.text ?? '', 150);
  const [found, setFound] = useState(/** @type {FoundChoices} */ ({ items: [], busy: false }));
  useEffect(() => {
    if (!(option.autocomplete && focused)) return undefined;
    let canceled = false;
    const set = (/** @type {Choice[] | null} */ choices) => {
      if (canceled) return;
      const items = (choices ?? []).map(({ value, name }, key) => ({ key, value, name }));
      setFound({ items, busy: false, failed: !choices });
    };
    setFound((f) => ({ ...f, busy: true }));
    autocomplete(option).then(set, () => set(null));
    return () => {
      canceled = true;
    };
  }, [text, focused, option]);
  return found;
}

/** @param {{ id: string, describedby: string, invalid: boolean, onEntry: (entry: Entry) => unknown }} props */
function FileInput({ id, describedby, invalid, onEntry }) {
  const onChange = (/** @type {Event & { currentTarget: HTMLInputElement }} */ e) =>
    onEntry({ file: e.currentTarget.files?.[0] });
  return html`
    <input id=${id} type="file" aria-describedby=${describedby} aria-invalid=${invalid ? 'true' : undefined}
      onChange=${onChange} />
  `;
}

/**
 * @typedef {object} OptionFieldProps
 * @property {Option} option
 * @property {Entry} [entry]
 * @property {string | null} error
 * @property {string} describedby
 * @property {LoadedGuild} [guild]
 * @property {boolean} autofocus
 * @property {(option: Option) => Promise<Choice[] | null>} autocomplete
 * @property {(entry: Entry) => unknown} onEntry
 * @property {(event: InputKeyEvent) => unknown} onKey
 * @property {() => unknown} onFocus
 * @property {() => unknown} [onRemove]
 */

/**
 * OptionField is the chip of an option: its name and its value, in red while the value is wrong.
 * @param {OptionFieldProps} props
 */
export function OptionField(props) {
  const { option, entry, error, describedby, autofocus, autocomplete, onEntry, onKey, onRemove } = props;
  const id = useId();
  const [focused, setFocused] = useState(false);
  const fromApp = useAutocomplete(option, entry, autocomplete, focused);
  const text = entry?.text ?? '';
  const known = () => suggestions(option, entry?.picked === undefined ? text : '', props.guild);
  const items = option.autocomplete ? fromApp.items : known();
  const noMatch = option.autocomplete && !fromApp.busy && focused ? t.noMatch : null;
  const onPick = (/** @type {Item<Choice['value']>} */ item) => onEntry({ text: item.name, picked: item.value });
  const input =
    option.type === optionType.attachment
      ? html`<${FileInput} id=${id} describedby=${describedby} invalid=${Boolean(error)} onEntry=${onEntry} />`
      : html`
        <${Combobox} above id=${id} value=${text} items=${items} busy=${fromApp.busy} autofocus=${autofocus}
          describedby=${describedby} invalid=${Boolean(error)} listLabel=${t.valuesOf(option.name)}
          empty=${fromApp.failed ? t.noSuggestions : noMatch} onPick=${onPick} onKey=${onKey}
          onValue=${(/** @type {string} */ value) => onEntry({ text: value })} />
      `;
  const onFocusIn = () => {
    setFocused(true);
    props.onFocus();
  };
  return html`
    <div class="option ${error ? 'wrong' : ''}" onFocusIn=${onFocusIn} onFocusOut=${() => setFocused(false)}>
      <label for=${id}><${Text} value=${option.name} max=${32} /></label>
      ${input}
      ${
        onRemove &&
        html`
          <${IconButton} icon="close" class="small quiet" label=${t.removeOption(option.name)} onClick=${onRemove} />
        `
      }
    </div>
  `;
}
