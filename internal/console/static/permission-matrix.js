// The matrix of commands and of what their overwrites name: a cell allows, denies, or leaves the default.

/** @import { CommandPermission, Explanation } from '../types/wire.js' */
/** @import { Child } from './vendor/preact.js' */
import { toError } from './state.js';
import { t } from './text.js';
import { toast } from './toast.js';
import { html, Icon, Input, Text } from './ui.js';
import { useRef, useState } from './vendor/hooks.js';

/** The types of overwrites. */
export const target = { role: 1, user: 2, channel: 3 };

/**
 * A row: a command, or all commands of an application. type is set for commands of the context menu, and needs is
 * default_member_permissions.
 * @typedef {object} Row
 * @property {string} id
 * @property {string} label
 * @property {string} [type]
 * @property {boolean} [isApp]
 * @property {string | null} [needs]
 * @property {CommandPermission[]} entries
 */

/**
 * A column: a role, a user or a channel.
 * @typedef {{ type: number, id: string, name: string }} Column
 */

/** @typedef {keyof typeof t.cellStates} CellState */

/** @type {Record<CellState, CellState>} */
const nextState = { default: 'allow', allow: 'deny', deny: 'default' };

/** @type {Record<CellState, string>} */
const icons = { default: 'minus', allow: 'check', deny: 'close' };

/** The columns that are shown at once. The filter finds the others. */
const maxColumns = 60;

/** How long a command waits for further clicks before it is saved, in milliseconds. */
const saveDelay = 500;

/**
 * @param {Row} row
 * @param {Column} column
 * @returns {CellState}
 */
function stateOf({ entries }, { type, id }) {
  const entry = entries.find((e) => e.type === type && e.id === id);
  if (!entry) return 'default';
  return entry.permission ? 'allow' : 'deny';
}

/**
 * withState returns the entries of a row with the state of one cell changed.
 * @param {CommandPermission[]} entries
 * @param {Column} column
 * @param {CellState} state
 */
function withState(entries, { type, id }, state) {
  const others = entries.filter((e) => e.type !== type || e.id !== id);
  return state === 'default' ? others : [...others, { id, type, permission: state === 'allow' }];
}

/**
 * useCells returns the rows as the user has changed them. set changes a cell, and saves its row a moment later, so that
 * a cell on its way from allowed to denied is saved once. A row that cannot be saved gets its stored cells back.
 * @param {Row[]} stored
 * @param {(id: string, entries: CommandPermission[]) => Promise<void>} save
 * @param {() => Promise<void>} reload
 */
export function useCells(stored, save, reload) {
  const [edited, setEdited] = useState(/** @type {Record<string, CommandPermission[]>} */ ({}));
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const timers = useRef(/** @type {Record<string, ReturnType<typeof setTimeout>>} */ ({}));
  const rows = stored.map((r) => ({
    ...r,
    entries: edited[r.id] ?? r.entries,
  }));
  const flush = async (/** @type {string} */ id, /** @type {CommandPermission[]} */ entries) => {
    setError(null);
    try {
      await save(id, entries);
      toast(t.saved);
    } catch (caught) {
      setError(toError(caught));
    }
    await reload();
    setEdited(({ [id]: now, ...rest }) => (now === entries || !now ? rest : { ...rest, [id]: now }));
  };
  const set = (/** @type {Row} */ row, /** @type {Column} */ column, /** @type {CellState} */ state) => {
    const entries = withState(row.entries, column, state);
    setEdited((all) => ({ ...all, [row.id]: entries }));
    clearTimeout(timers.current[row.id]);
    timers.current[row.id] = setTimeout(() => flush(row.id, entries), saveDelay);
  };
  return { rows, error, set };
}

/** @type {Record<string, [rows: number, columns: number]>} */
const moves = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/**
 * moveFocus moves the focus to the next cell in the direction of an arrow key.
 * @param {KeyboardEvent & { currentTarget: HTMLElement, target: HTMLElement }} event
 */
function moveFocus(event) {
  const move = moves[event.key];
  const cell = event.target.dataset.cell;
  if (!(move && cell)) return;
  const [row, column] = cell.split('-').map(Number);
  /** @type {HTMLElement | null} */
  const next = event.currentTarget.querySelector(`[data-cell="${row + move[0]}-${column + move[1]}"]`);
  event.preventDefault();
  next?.focus();
}

/** @param {{ explanation?: Explanation }} props */
function Result({ explanation }) {
  if (!explanation) return html`<span class="badge">…</span>`;
  return html`
    <span class="badge ${explanation.allowed ? 'good' : 'bad'}">${explanation.allowed ? t.allowed : t.denied}</span>
  `;
}

/**
 * ColumnHeads are two rows: the kinds of columns, and their names.
 * @param {{ columns: Column[], person: string }} props
 */
function ColumnHeads({ columns, person }) {
  const kinds = [target.role, target.channel, target.user].filter((kind) => columns.some((c) => c.type === kind));
  const names = /** @type {Record<number, string>} */ (t.targetGroups);
  return html`
    <thead>
      <tr>
        <td class="corner"></td>
        ${kinds.map(
          (kind) => html`
            <th key=${kind} scope="colgroup" class="first" colspan=${columns.filter((c) => c.type === kind).length}>
              <span>${names[kind]}</span>
            </th>
          `,
        )}
      </tr>
      <tr>
        <th scope="col" class="corner">${t.commandFor(person)}</th>
        ${columns.map(
          (c, i) => html`
            <th key="${c.type}.${c.id}" scope="col" class=${startsKind(columns, i)} title=${c.name}>
              <span><${Text} value=${c.name} max=${40} /></span>
            </th>
          `,
        )}
      </tr>
    </thead>
  `;
}

/**
 * startsKind returns the class of a column that is the first of its kind.
 * @param {Column[]} columns
 * @param {number} i
 */
const startsKind = (columns, i) => (columns[i].type === columns[i - 1]?.type ? '' : 'first');

/**
 * @typedef {object} MatrixProps
 * @property {Row[]} rows
 * @property {Column[]} columns
 * @property {string} person
 * @property {Map<string, Explanation>} decisions the decisions about the person, by command
 * @property {string} selected
 * @property {(id: string) => unknown} onSelect
 * @property {(row: Row, column: Column, state: CellState) => unknown} onCell
 * @property {Child} children further controls
 */

/**
 * PermissionMatrix shows one row for each command. One of its cells is in the tab order, the arrow keys move to the
 * others.
 * @param {MatrixProps} props
 */
export function PermissionMatrix({ rows, columns, person, decisions, selected, onSelect, onCell, children }) {
  const [filter, setFilter] = useState('');
  const [active, setActive] = useState('0-1');
  const matching = columns.filter((c) => c.name.toLowerCase().includes(filter.trim().toLowerCase()));
  const shown = matching.slice(0, maxColumns);
  const [row, column] = active.split('-').map(Number);
  const tabStop = row < rows.length && column <= shown.length ? active : shown.length ? '0-1' : '1-0';
  const focus = (/** @type {string} */ cell) => ({
    'data-cell': cell,
    tabindex: cell === tabStop ? 0 : -1,
    onFocus: () => setActive(cell),
  });
  const body = rows.map((r, y) => {
    const cells = shown.map((c, x) => {
      const state = stateOf(r, c);
      return html`
        <td key="${c.type}.${c.id}" class=${startsKind(shown, x)}>
          <button type="button" class="cell ${state}" aria-label=${t.cellLabel(r.label, c.name, t.cellStates[state])}
            title=${t.cellStates[state]} ...${focus(`${y}-${x + 1}`)} onClick=${() => onCell(r, c, nextState[state])}>
            <${Icon} name=${icons[state]} />
          </button>
        </td>
      `;
    });
    const name = html`<${Text} value=${r.label} max=${60} />`;
    const head = r.isApp
      ? html`<span class="name">${name}</span>`
      : html`
          <button type="button" class="link name" aria-pressed=${r.id === selected} ...${focus(`${y}-0`)}
            onClick=${() => onSelect(r.id)}>${name}</button>
          ${r.type && html`<span class="badge">${r.type}</span>`} <${Result} explanation=${decisions.get(r.id)} />
        `;
    return html`<tr key=${r.id} class=${r.id === selected ? 'selected' : ''}><th scope="row">${head}</th>${cells}</tr>`;
  });
  return html`
    <div class="line">
      <${Input} label=${t.findTarget} type="search" value=${filter} onValue=${setFilter} />
      ${children}
      ${matching.length > maxColumns && html`<p class="note">${t.columnsShown(maxColumns, matching.length)}</p>`}
      ${matching.length === 0 && html`<p class="note">${t.noMatch}</p>`}
    </div>
    <div class="scroll matrix" onKeyDown=${moveFocus}>
      <table class="table">
        <${ColumnHeads} columns=${shown} person=${person} />
        <tbody>${body}</tbody>
      </table>
    </div>
  `;
}
