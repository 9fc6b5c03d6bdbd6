// The records of the world as tables whose cells can be edited in place.

/** @import { Application, User, WorldGuild } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
import { permissionsToText, textToPermissions } from './bits.js';
import { newID } from './ids.js';
import { SearchSelect } from './search-select.js';
import { useAction, useQuery } from './state.js';
import { t } from './text.js';
import { toast } from './toast.js';
import { Empty, html, Icon, IconButton, Problem, Skeleton, Tabs } from './ui.js';
import { fullName } from './user.js';
import { useState } from './vendor/hooks.js';

/** @typedef {'text' | 'number' | 'flag' | 'list' | 'bits'} CellKind */

/** @typedef {Record<string, any>} WorldRecord */

/**
 * Table describes the records of one kind.
 * @typedef {object} Table
 * @property {(guild: string) => string} path
 * @property {string} key the member that identifies a record
 * @property {[name: string, kind: CellKind][]} columns
 * @property {boolean} [inGuild]
 * @property {(id: string) => WorldRecord} [create] the members of a new record
 */

/** @typedef {keyof typeof t.worldTables} TableName */

/** @type {Record<TableName, Table>} */
const tables = {
  people: {
    path: () => '/users',
    key: 'id',
    columns: [
      ['username', 'text'],
      ['global_name', 'text'],
      ['locale', 'text'],
      ['email', 'text'],
      ['minor', 'flag'],
    ],
    create: (id) => ({ username: `user-${id.slice(-4)}` }),
  },
  guilds: {
    path: () => '/guilds',
    key: 'id',
    columns: [
      ['name', 'text'],
      ['owner', 'text'],
      ['preferred_locale', 'text'],
      ['everyone', 'bits'],
    ],
  },
  roles: {
    inGuild: true,
    path: (guild) => `/guilds/${guild}/roles`,
    key: 'id',
    columns: [
      ['name', 'text'],
      ['permissions', 'bits'],
      ['position', 'number'],
      ['hoist', 'flag'],
      ['mentionable', 'flag'],
    ],
    create: () => ({ name: 'new role' }),
  },
  channels: {
    inGuild: true,
    path: (guild) => `/guilds/${guild}/channels`,
    key: 'id',
    columns: [
      ['name', 'text'],
      ['type', 'number'],
      ['topic', 'text'],
      ['parent', 'text'],
      ['nsfw', 'flag'],
    ],
    create: () => ({ name: 'new-channel' }),
  },
  members: {
    inGuild: true,
    path: (guild) => `/guilds/${guild}/members`,
    key: 'user',
    columns: [
      ['nick', 'text'],
      ['roles', 'list'],
    ],
  },
  installs: {
    inGuild: true,
    path: (guild) => `/guilds/${guild}/installs`,
    key: 'application',
    columns: [
      ['scopes', 'list'],
      ['permissions', 'bits'],
    ],
  },
};

/**
 * toText returns a value as the text of a cell.
 * @param {unknown} value
 * @param {CellKind} kind
 */
function toText(value, kind) {
  if (value === undefined || value === null) return '';
  if (kind === 'bits') return permissionsToText(String(value));
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/**
 * fromText returns the value of a cell. It is undefined for no text.
 * @param {string} text
 * @param {CellKind} kind
 */
function fromText(text, kind) {
  if (text.trim() === '') return kind === 'bits' ? '0' : undefined;
  if (kind === 'number') return Number(text);
  if (kind === 'bits') return textToPermissions(text) ?? '0';
  return kind === 'list' ? text.split(/[\s,]+/).filter(Boolean) : text;
}

/** The widest cell, in characters. */
const longestCell = 32;

/**
 * @typedef {object} CellProps
 * @property {string} label
 * @property {unknown} value
 * @property {CellKind} kind
 * @property {(value: unknown) => unknown} onValue
 */

/** @param {CellProps} props */
function Cell({ label, value, kind, onValue }) {
  const text = toText(value, kind);
  if (kind === 'flag') {
    const onChange = (/** @type {Event & { currentTarget: HTMLInputElement }} */ e) => onValue(e.currentTarget.checked);
    return html`<input type="checkbox" aria-label=${label} checked=${Boolean(value)} onChange=${onChange} />`;
  }
  const onChange = (/** @type {Event & { currentTarget: HTMLInputElement }} */ e) => {
    if (e.currentTarget.value !== text) onValue(fromText(e.currentTarget.value, kind));
  };
  const size = Math.min(longestCell, Math.max(8, text.length));
  return html`
    <input class="cell ${kind}" size=${size} aria-label=${label} value=${text} title=${text} onChange=${onChange} />
  `;
}

/**
 * @typedef {object} TablesProps
 * @property {Clients} clients
 * @property {WorldGuild[]} guilds
 * @property {User[]} people
 * @property {Application[]} applications
 * @property {number} version changes when the file was applied
 * @property {() => unknown} onChange
 */

/** @param {TablesProps} props */
export function WorldTables({ clients, guilds, people, applications, version, onChange }) {
  const [name, setName] = useState(/** @type {TableName} */ ('people'));
  const [selectedGuild, setGuild] = useState('');
  const guild = guilds.find((g) => g.id === selectedGuild)?.id ?? guilds[0]?.id ?? '';
  const table = tables[name];
  const path = `/admin/v1${table.path(guild)}`;
  const { operator } = clients;
  const records = useQuery(
    /** @returns {Promise<WorldRecord[]>} */
    async () => (table.inGuild && !guild ? [] : operator.get(`${path}?limit=1000`)),
    [clients, path, version],
  );
  const afterChange = async () => {
    await records.reload();
    onChange();
  };
  const save = useAction(async (/** @type {WorldRecord} */ record) => {
    const { [table.key]: id, ...members } = record;
    try {
      await operator.put(`${path}/${id}`, members);
      toast(t.saved);
    } finally {
      await afterChange();
    }
  });
  const remove = useAction(async (/** @type {string} */ id) => {
    await operator.delete(`${path}/${id}`);
    await afterChange();
  });
  /** @type {Map<string, string>} */
  const names = new Map(
    /** @type {[string, string][]} */ ([
      ...people.map((p) => [p.id, fullName(p)]),
      ...applications.map((a) => [a.id, a.name]),
    ]),
  );
  /** @type {[TableName, string][]} */
  const tabs = /** @type {[TableName, string][]} */ (Object.entries(t.worldTables));
  const guildChoices = guilds.map((g) => [g.id, g.name]);
  const others = name === 'members' ? people : applications;
  const absent = others.filter((o) => !records.value?.some((r) => r[table.key] === o.id));
  const add = (/** @type {string} */ id) => save.run({ [table.key]: id, ...table.create?.(id) });
  return html`
    <section aria-labelledby="tables">
      <h2 id="tables">${t.records}</h2>
      <${Tabs} label=${t.records} tabs=${tabs} selected=${name} onSelect=${setName} />
      <div class="line">
        ${
          table.inGuild &&
          html`<${SearchSelect} label=${t.guild} value=${guild} onValue=${setGuild} choices=${guildChoices} />`
        }
        ${
          table.create &&
          html`
            <button type="button" onClick=${() => add(newID())}><${Icon} name="plus" /> ${t.add}</button>
          `
        }
        ${
          !table.create &&
          table.inGuild &&
          html`
            <${SearchSelect} label=${t.addRecord} value="" onValue=${add}
              choices=${[['', t.choose], ...absent.map((o) => [o.id, names.get(o.id)])]} />
          `
        }
      </div>
      <${Problem} error=${save.error ?? remove.error ?? records.error} />
      <div class="records-box">
        ${!records.value && html`<${Skeleton} lines=${5} />`}
        ${records.value?.length === 0 && html`<${Empty} icon="world" title=${t.noRecords} />`}
        ${
          records.value &&
          records.value.length > 0 &&
          html`
            <${RecordTable} table=${table} records=${records.value} names=${names} onSave=${save.run}
              onRemove=${remove.run} />
          `
        }
      </div>
    </section>
  `;
}

/**
 * @typedef {object} RecordTableProps
 * @property {Table} table
 * @property {WorldRecord[]} records
 * @property {Map<string, string>} names
 * @property {(record: WorldRecord) => unknown} onSave
 * @property {(id: string) => unknown} onRemove
 */

/** @param {RecordTableProps} props */
function RecordTable({ table, records, names, onSave, onRemove }) {
  const titles = [table.key, ...table.columns.map(([column]) => column)];
  const rows = records.map((record) => {
    const id = record[table.key];
    const shown = record.username ?? names.get(id) ?? record.name ?? id;
    const cells = table.columns.map(([column, kind]) => {
      const onValue = (/** @type {unknown} */ value) => onSave({ ...record, [column]: value });
      const label = t.cellOf(column, shown);
      return html`
        <td key=${column}><${Cell} label=${label} value=${record[column]} kind=${kind} onValue=${onValue} /></td>
      `;
    });
    return html`
      <tr key=${id}>
        <th scope="row" title=${id}>${table.key === 'id' ? html`<code>${id}</code>` : shown}</th>
        ${cells}
        <td><${IconButton} icon="trash" label=${t.deleteNamed(shown)} onClick=${() => onRemove(id)} /></td>
      </tr>
    `;
  });
  return html`
    <div class="scroll records" tabindex="0">
      <table class="table">
        <thead>
          <tr>
            ${titles.map((title) => html`<th key=${title} scope="col">${title}</th>`)}
            <th scope="col"><span class="hidden">${t.delete}</span></th>
          </tr>
        </thead>
        <tbody>${rows}</tbody>
      </table>
    </div>
  `;
}
