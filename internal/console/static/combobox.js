// A text input with a list of suggestions.

/** @import { Ref, SetState } from './vendor/hooks.js' */
/** @import { InputEvent } from './ui.js' */
import { t } from './text.js';
import { html, Text } from './ui.js';
import { Avatar } from './user.js';
import { useEffect, useId, useLayoutEffect, useRef, useState } from './vendor/hooks.js';

/**
 * A suggestion. Suggestions with a group follow each other; a group has a heading with its picture.
 * @template V
 * @typedef {object} Item
 * @property {string | number} [key]
 * @property {V} value
 * @property {string} name
 * @property {string} [note]
 * @property {string} [icon]
 * @property {{ id: string, name: string, bot?: boolean, image?: string }} [group]
 */

/** @typedef {KeyboardEvent & { currentTarget: HTMLInputElement | HTMLTextAreaElement }} InputKeyEvent */

/**
 * The list of suggestions, while it is shown.
 * @template V
 * @typedef {object} List
 * @property {Item<V>[]} items
 * @property {number} active the index of the active item
 * @property {SetState<number>} setActive
 * @property {(item: Item<V>) => void} pick
 * @property {() => void} close
 */

/**
 * handleListKey reacts to a key while the list is shown. It reports whether the list alone uses the key.
 * @template V
 * @param {InputKeyEvent} event
 * @param {List<V>} list
 */
function handleListKey(event, { items, active, setActive, pick, close }) {
  switch (event.key) {
    case 'ArrowDown':
    case 'ArrowUp':
      event.preventDefault();
      setActive((active + (event.key === 'ArrowDown' ? 1 : items.length - 1)) % items.length);
      return true;
    case 'Enter':
      event.preventDefault();
      pick(items[Math.min(active, items.length - 1)]);
      return true;
    case 'Tab':
      if (!event.shiftKey && event.currentTarget.value !== '') pick(items[Math.min(active, items.length - 1)]);
      return false;
    case 'Escape':
      event.preventDefault();
      event.stopPropagation();
      close();
      return true;
    default:
      return false;
  }
}

/**
 * @template V
 * @param {{ id: string, item: Item<V>, active: boolean, onPick: (item: Item<V>) => void, onActive: () => void }} props
 */
function Suggestion({ id, item, active, onPick, onActive }) {
  const onMouseDown = (/** @type {MouseEvent} */ e) => {
    e.preventDefault();
    onPick(item);
  };
  return html`
    <div id=${id} role="option" aria-selected=${active ? 'true' : 'false'} class=${active ? 'at' : ''}
      onMouseDown=${onMouseDown} onMouseMove=${onActive}>
      ${item.icon && html`<span class="icon" aria-hidden="true">${item.icon}</span>`}
      <${Text} value=${item.name} max=${100} class="name" />
      ${item.note && html`<${Text} value=${item.note} max=${140} class="note" />`}
    </div>
  `;
}

/**
 * usePlacement shows the list above everything else, beside its input, where there is more room. So the edges of
 * scrolling parts do not cut it.
 * @param {Ref<HTMLElement | null>} input
 * @param {string} list the id of the list
 * @param {boolean} shown
 * @param {boolean} above whether the list opens above the input if there is room
 * @param {number} count the number of items
 */
function usePlacement(input, list, shown, above, count) {
  useLayoutEffect(() => {
    const element = document.getElementById(list);
    if (!(shown && element && count && input.current)) return undefined;
    const place = () => {
      const { top, bottom, left, width } = /** @type {HTMLElement} */ (input.current).getBoundingClientRect();
      const below = innerHeight - bottom;
      const up = above ? top > 160 || top > below : below < 240 && top > below;
      element.style.inset = up ? `auto auto ${innerHeight - top + 4}px auto` : `${bottom + 4}px auto auto auto`;
      element.style.maxHeight = `${Math.min(above ? 416 : 288, (up ? top : below) - 12)}px`;
      element.style.minWidth = `${Math.min(width, innerWidth - 16)}px`;
      element.style.left = `${Math.max(8, Math.min(left, innerWidth - element.offsetWidth - 8))}px`;
    };
    element.showPopover();
    place();
    addEventListener('scroll', place, true);
    addEventListener('resize', place);
    return () => {
      removeEventListener('scroll', place, true);
      removeEventListener('resize', place);
      if (element.isConnected) element.hidePopover();
    };
  }, [shown, count, above]);
}

/**
 * Suggestions shows the suggestions in their order. Those of a group are together below the heading of the group.
 * @template V
 * @param {{ list: string, items: Item<V>[], active: number, pick: (item: Item<V>) => void,
 *   setActive: SetState<number> }} props
 */
function Suggestions({ list, items, active, pick, setActive }) {
  const show = (/** @type {Item<V>} */ item, /** @type {number} */ i) => html`
    <${Suggestion} key=${item.key ?? item.value} id="${list}-${i}" item=${item} active=${i === active}
      onPick=${pick} onActive=${() => setActive(i)} />
  `;
  if (!items[0]?.group) return items.map(show);
  /** @type {Map<string, number[]>} */
  const groups = new Map();
  for (const [i, { group }] of items.entries()) {
    const id = group?.id ?? '';
    groups.set(id, [...(groups.get(id) ?? []), i]);
  }
  return [...groups].map(([id, places]) => {
    const { group } = items[places[0]];
    return html`
      <div key=${id} role="group" aria-label=${group?.name}>
        <p class="group" aria-hidden="true">
          <${Avatar} small name=${group?.name ?? ''} id=${id} bot=${group?.bot} image=${group?.image} />
          <${Text} value=${group?.name} max=${40} />
        </p>
        ${places.map((i) => show(items[i], i))}
      </div>
    `;
  });
}

/**
 * @template V
 * @typedef {object} ComboboxProps
 * @property {string} [id]
 * @property {string} value
 * @property {(value: string) => unknown} onValue
 * @property {Item<V>[]} items
 * @property {(item: Item<V>) => unknown} onPick
 * @property {(event: InputKeyEvent) => unknown} [onKey] called for keys that the list does not use
 * @property {boolean} [busy]
 * @property {boolean} [isStale] whether the items belong to an earlier value, so that Enter does not pick one
 * @property {string | null} [empty] shown if there are no items
 * @property {string} [label]
 * @property {string} [listLabel]
 * @property {string} [placeholder]
 * @property {string} [describedby]
 * @property {boolean} [invalid]
 * @property {boolean} [autofocus]
 * @property {boolean} [above] whether the list opens above the input
 * @property {boolean} [lines] whether the text can have several lines
 * @property {boolean} [selects] whether the text is selected with the focus, so that typing replaces it
 * @property {() => unknown} [onLeave] called when the input loses the focus
 */

/**
 * What the input of a combobox shows and reports.
 * @typedef {object} InputState
 * @property {Ref<HTMLInputElement | HTMLTextAreaElement | null>} ref
 * @property {string} list the id of the list
 * @property {boolean} shown whether the list is shown
 * @property {number} active
 * @property {(event: InputEvent) => void} onInput
 * @property {(event: InputEvent) => void} onFocus
 * @property {() => void} onBlur
 * @property {(event: InputKeyEvent) => void} onKeyDown
 */

/**
 * inputOf returns the input of a combobox. A text of several lines keeps the role of a text box, which its element must
 * have.
 * @template V
 * @param {ComboboxProps<V>} props
 * @param {InputState} state
 */
function inputOf(
  { id, items, label, describedby, invalid, value, placeholder, lines },
  { list, shown, active, ...on },
) {
  const attributes = {
    id,
    value,
    placeholder,
    autocomplete: 'off',
    spellcheck: false,
    'aria-controls': list,
    'aria-autocomplete': 'list',
    'aria-activedescendant': shown && items.length ? `${list}-${active}` : undefined,
    'aria-label': label,
    'aria-describedby': describedby,
    'aria-invalid': invalid ? 'true' : undefined,
    ...on,
  };
  if (lines) return html`<textarea rows="1" ...${attributes}></textarea>`;
  return html`<input type="text" role="combobox" aria-expanded=${shown ? 'true' : 'false'} ...${attributes} />`;
}

/**
 * Combobox is a text input with a list of suggestions. The keyboard alone is enough to use it.
 * @template V
 * @param {ComboboxProps<V>} props
 */
export function Combobox(props) {
  const { value, items, busy, empty, label, autofocus } = props;
  const ref = useRef(/** @type {HTMLInputElement | HTMLTextAreaElement | null} */ (null));
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const list = useId();
  const shown = open && (items.length > 0 || Boolean(busy || empty));
  useEffect(() => setActive(0), [items.length, value]);
  // A layout effect moves the focus before the next key event, so that no typed character is lost.
  useLayoutEffect(() => {
    if (autofocus) ref.current?.focus();
  }, [autofocus]);
  usePlacement(ref, list, shown, Boolean(props.above), items.length);
  useEffect(() => {
    if (shown) document.getElementById(`${list}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [active, shown]);
  const close = () => setOpen(false);
  const onFocus = (/** @type {InputEvent} */ e) => {
    setOpen(true);
    if (props.selects) e.currentTarget.select();
  };
  const onBlur = () => {
    close();
    props.onLeave?.();
  };
  const pick = (/** @type {Item<V>} */ item) => {
    close();
    props.onPick(item);
  };
  const onInput = (/** @type {InputEvent} */ e) => {
    setOpen(true);
    props.onValue(e.currentTarget.value);
  };
  const onKeyDown = (/** @type {InputKeyEvent} */ e) => {
    if (e.isComposing) return;
    const isLeaving = props.selects && e.key === 'Tab'; // nothing was typed: the choice stays
    if (shown && items.length > 0 && !isLeaving && !(props.isStale && e.key === 'Enter')) {
      if (handleListKey(e, { items, active, setActive, pick, close })) return;
    } else if (e.key === 'ArrowDown' && !open) {
      setOpen(true);
    }
    props.onKey?.(e);
  };
  const input = { ref, list, shown, active, onInput, onFocus, onBlur, onKeyDown };
  return html`
    <div class="combobox ${props.above ? 'above' : ''}">
      ${inputOf(props, input)}
      <div id=${list} role="listbox" tabindex=${props.lines ? 0 : undefined} popover="manual"
        aria-label=${props.listLabel ?? label ?? t.suggestions}
        hidden=${!shown}>
        <${Suggestions} list=${list} items=${items} active=${active} pick=${pick} setActive=${setActive} />
      </div>
      ${shown && items.length === 0 && html`<p class="none" role="status">${busy ? t.loading : empty}</p>`}
    </div>
  `;
}
