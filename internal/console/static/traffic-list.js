// The list of the Traffic page. It renders only the rows that are in view.

/** @import { Row } from './traffic-log.js' */
import { t } from './text.js';
import { formatted, Moment } from './time.js';
import { summaryOf } from './traffic-log.js';
import { html, Text } from './ui.js';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from './vendor/hooks.js';

/** Rows that are rendered above and below those in view. */
const overscan = 6;

/** Screens on which a row has two lines. */
export const narrow = matchMedia('(max-width: 40rem)');

/** useRowHeight returns the height of a row in pixels. On narrow screens a row has two lines. */
function useRowHeight() {
  const [height, setHeight] = useState(narrow.matches ? 52 : 32);
  useEffect(() => {
    const onChange = () => setHeight(narrow.matches ? 52 : 32);
    narrow.addEventListener('change', onChange);
    return () => narrow.removeEventListener('change', onChange);
  }, []);
  return height;
}

/** @param {number} took in milliseconds */
export const durationText = (took) => (took ? t.milliseconds(took < 10 ? took.toFixed(1) : Math.round(took)) : '');

/** How many rows decide the widths of the columns, and the bounds and steps of a width in characters. */
const [sample, shortest, longest, step] = [300, 12, 60, 4];

/**
 * columnWidths returns the widths of the columns What and Who as variables of CSS, from the content of the newest rows.
 * The widths grow in steps, so that a new row seldom changes them.
 * @param {Row[]} rows
 * @param {ItemProps['who']} who
 */
export function columnWidths(rows, who) {
  let [what, people] = [shortest, shortest];
  for (const row of rows.slice(0, sample)) {
    const summary = summaryOf(row);
    what = Math.max(what, summary.title.length);
    people = Math.max(people, who(summary).length);
  }
  const width = (/** @type {number} */ length) => `${Math.min(longest, Math.ceil(length / step) * step) / 2}rem`;
  return { '--what': width(what), '--who': width(people) };
}

/** @param {Date} date */
const clockTime = (date) => formatted(date, 'clock');

/**
 * @typedef {object} ItemProps
 * @property {Row} row
 * @property {number} index
 * @property {number} count
 * @property {number} height
 * @property {boolean} isSelected
 * @property {boolean} isPinned
 * @property {(summary: import('./traffic-log.js').Summary) => string} who
 * @property {(id: string) => unknown} onSelect
 */

/**
 * Item is a row in view. It renders again only if its content changes: Preact skips an element that is the same object
 * as before.
 * @param {ItemProps} props
 */
function Item({ row, index, count, height, isSelected, isPinned, who, onSelect }) {
  const summary = summaryOf(row);
  const inputs = [row, summary, index, count, height, isSelected, isPinned, who, onSelect];
  return useMemo(() => itemContent({ row, index, count, height, isSelected, isPinned, who, onSelect }), inputs);
}

/** @param {ItemProps} props */
function itemContent({ row, index, count, height, isSelected, isPinned, who, onSelect }) {
  const summary = summaryOf(row);
  const { time } = row.exchanges[0];
  return html`
    <div id="row-${row.id}" role="option" aria-selected=${isSelected ? 'true' : 'false'} aria-posinset=${index + 1}
      aria-setsize=${count} class="row ${row.kind} ${isPinned ? 'pinned' : ''}" onClick=${() => onSelect(row.id)}
      style=${{ transform: `translateY(${index * height}px)`, height: `${height}px` }}>
      <${Moment} at=${time} text=${clockTime} />
      <span class="badge">${summary.verb}</span>
      <span class="title"><${Text} value=${summary.title} max=${160} /></span>
      <span class="whose"><${Text} value=${who(summary)} max=${80} /></span>
      <span class="result">
        <span class="status ${summary.tone}">${summary.status}</span>
        ${summary.reason && html`<${Text} class="note why" value=${summary.reason} max=${160} />`}
      </span>
      <span class="took number">${durationText(summary.took)}</span>
    </div>
  `;
}

/**
 * @param {KeyboardEvent} e
 * @param {number} at index of the selected row, or -1
 * @param {number} page rows in view
 * @param {number} count
 */
function targetIndex({ key }, at, page, count) {
  /** @type {Record<string, number>} */
  const targets = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: count - 1,
  };
  return key in targets && count > 0 ? Math.min(count - 1, Math.max(0, targets[key])) : -1;
}

/**
 * @typedef {object} ListProps
 * @property {Row[]} rows the newest first
 * @property {string} selected id of the selected row
 * @property {string} pinned id of the row to compare with
 * @property {ItemProps['who']} who
 * @property {(id: string) => unknown} onSelect
 * @property {(atTop: boolean) => unknown} onScrolled
 */

/** @param {ListProps} props */
export function TrafficList({ rows, selected, pinned, who, onSelect, onScrolled }) {
  const ref = useRef(/** @type {HTMLDivElement | null} */ (null));
  const height = useRowHeight();
  const [view, setView] = useState({ first: 0, size: 20 });
  const measure = () => {
    const list = ref.current;
    if (!list) return;
    const first = Math.floor(list.scrollTop / height);
    const size = Math.ceil(list.clientHeight / height) + 1;
    setView((v) => (v.first === first && v.size === size ? v : { first, size }));
    onScrolled(list.scrollTop < height);
  };
  useLayoutEffect(() => {
    measure();
    const observer = new ResizeObserver(measure);
    if (ref.current) observer.observe(ref.current);
    return () => observer.disconnect();
  }, [height]);
  const at = rows.findIndex((r) => r.id === selected);
  const onKeyDown = (/** @type {KeyboardEvent} */ e) => {
    const target = targetIndex(e, at, view.size - 2, rows.length);
    const list = ref.current;
    if (target < 0 || !list) return;
    e.preventDefault();
    onSelect(rows[target].id);
    const top = target * height;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + height > list.scrollTop + list.clientHeight) list.scrollTop = top + height - list.clientHeight;
    measure(); // so that the selection and the scrolled list are one render; the scroll event comes later
  };
  const first = Math.max(0, view.first - overscan);
  // A row that enters the view takes the elements of one that leaves it.
  const slots = view.size + 2 * overscan;
  const shown = rows.slice(first, view.first + view.size + overscan);
  const isActiveShown = at >= first && at < first + shown.length;
  return html`
    <div ref=${ref} class="rows" role="listbox" tabindex="0" aria-label=${t.traffic} onScroll=${measure}
      onKeyDown=${onKeyDown} aria-activedescendant=${isActiveShown ? `row-${selected}` : undefined}>
      <div role="presentation" class="rows-all" style=${{ height: `${rows.length * height}px` }}>
        ${shown.map(
          (row, i) => html`
            <${Item} key=${(first + i) % slots} row=${row} index=${first + i} count=${rows.length} height=${height}
              who=${who} isSelected=${row.id === selected} isPinned=${row.id === pinned} onSelect=${onSelect} />
          `,
        )}
      </div>
    </div>
  `;
}
