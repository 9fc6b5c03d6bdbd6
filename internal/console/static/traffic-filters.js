// The filters of the Traffic page: one row, and a menu with those that are used less.

/** @import { Parameters } from './address.js' */
import { SearchSelect } from './search-select.js';
import { t } from './text.js';
import { narrow } from './traffic-list.js';
import { html, Icon } from './ui.js';
import { useEffect, useRef, useState } from './vendor/hooks.js';

/** @param {{ label: string, isOn: boolean, onToggle: () => unknown }} props */
function Chip({ label, isOn, onToggle }) {
  return html`
    <button type="button" class="chip" aria-pressed=${isOn ? 'true' : 'false'} onClick=${onToggle}>${label}</button>
  `;
}

/** useNarrow reports whether the screen is narrow. */
function useNarrow() {
  const [is, setIs] = useState(narrow.matches);
  useEffect(() => {
    const onChange = () => setIs(narrow.matches);
    narrow.addEventListener('change', onChange);
    return () => narrow.removeEventListener('change', onChange);
  }, []);
  return is;
}

/**
 * useMenu opens and closes the menu. Escape and a click elsewhere close it.
 */
function useMenu() {
  const ref = useRef(/** @type {HTMLElement | null} */ (null));
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (!open) return undefined;
    const onKey = (/** @type {KeyboardEvent} */ e) => {
      if (e.key === 'Escape' && !e.defaultPrevented) setOpen(false);
    };
    const onPointer = (/** @type {PointerEvent} */ e) => {
      if (!ref.current?.contains(/** @type {Node} */ (e.target))) setOpen(false);
    };
    addEventListener('keydown', onKey);
    addEventListener('pointerdown', onPointer);
    return () => {
      removeEventListener('keydown', onKey);
      removeEventListener('pointerdown', onPointer);
    };
  }, [open]);
  return { ref, open, toggle: () => setOpen(!open) };
}

/**
 * @typedef {object} FiltersProps
 * @property {Parameters} parameters
 * @property {(changes: Parameters) => unknown} onChange
 * @property {[string, string][]} apps
 * @property {[string, string][]} people
 */

const none = { kind: '', status: '', app: '', person: '', text: '', show: '' };

/** @param {FiltersProps} props */
export function Filters({ parameters, onChange, apps, people }) {
  const { kind = '', status = '', app = '', person = '', text = '', show = '' } = parameters;
  const isNarrow = useNarrow();
  const menu = useMenu();
  const shown = show.split('.').filter(Boolean);
  const toggleShown = (/** @type {string} */ what) => {
    const next = shown.includes(what) ? shown.filter((s) => s !== what) : [...shown, what];
    onChange({ show: next.join('.') });
  };
  const onText = (/** @type {Event & { currentTarget: HTMLInputElement }} */ e) =>
    onChange({ text: e.currentTarget.value });
  const chip = (/** @type {'kind' | 'status'} */ name, /** @type {[string, string]} */ [value, label]) => html`
    <${Chip} key=${value} label=${label} isOn=${parameters[name] === value}
      onToggle=${() => onChange({ [name]: parameters[name] === value ? '' : value })} />
  `;
  const statuses = Object.entries(t.statusFilters);
  const first = [
    ...Object.entries(t.rowKinds).map((k) => chip('kind', k)),
    ...statuses.filter(([value]) => value === 'failed').map((s) => chip('status', s)),
  ];
  const rest = statuses.filter(([value]) => value !== 'failed').map((s) => chip('status', s));
  const hidden = Object.entries(t.hiddenTraffic).map(
    ([what, label]) => html`
      <${Chip} key=${what} label=${label} isOn=${shown.includes(what)} onToggle=${() => toggleShown(what)} />
    `,
  );
  const inMenu = [
    status && status !== 'failed',
    app,
    person,
    ...shown,
    isNarrow && kind,
    isNarrow && status === 'failed',
  ];
  const count = inMenu.filter(Boolean).length;
  const isFiltered = [kind, status, app, person, text, show].some(Boolean);
  return html`
    <div class="filters" role="group" aria-label=${t.filter} ref=${menu.ref}>
      <label class="chip search"><${Icon} name="search" />
        <input type="search" aria-label=${t.filterText} placeholder=${t.filterText} value=${text} onInput=${onText} />
      </label>
      ${!isNarrow && first}
      <button type="button" class="chip" aria-expanded=${menu.open ? 'true' : 'false'} onClick=${menu.toggle}>
        <${Icon} name="filter" size="small" /> ${t.moreFilters} ${count > 0 && html`<b class="count">${count}</b>`}
      </button>
      ${
        isFiltered &&
        html`
          <button type="button" class="small quiet only-icon" aria-label=${t.clearFilters} title=${t.clearFilters}
            onClick=${() => onChange(none)}><${Icon} name="close" /></button>
        `
      }
      ${
        menu.open &&
        html`
          <div class="filter-menu card" role="group" aria-label=${t.moreFilters}>
            ${isNarrow && html`<div class="chips">${first}</div>`}
            <div class="chips">${rest}</div>
            <${SearchSelect} label=${t.application} value=${app} choices=${[['', t.allApps], ...apps]}
              onValue=${(/** @type {string} */ value) => onChange({ app: value })} />
            <${SearchSelect} label=${t.person} value=${person} choices=${[['', t.everyPerson], ...people]}
              onValue=${(/** @type {string} */ value) => onChange({ person: value })} />
            <div class="chips">${hidden}</div>
          </div>
        `
      }
    </div>
  `;
}
