// The Traffic page: interactions, requests, deliveries and gateway frames, live, with a list and a detail.

/** @import { Application, Exchange, User } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
/** @import { Parameters } from './address.js' */
/** @import { Summary } from './traffic-log.js' */
import { useCallback, useEffect, useMemo, useState } from '/assets/vendor/hooks.js';
import { useParameters } from './address.js';
import { useDebounced, useDeferred, useStore } from './state.js';
import { t } from './text.js';
import { Detail } from './traffic-detail.js';
import { download, toHAR } from './traffic-har.js';
import { LimitsDialog } from './traffic-limits.js';
import { TrafficList } from './traffic-list.js';
import { filterRows, TrafficLog } from './traffic-log.js';
import { Empty, html, Icon, Problem, Skeleton } from './ui.js';
import { fullName } from './user.js';

/** useTraffic returns the log of the page, which is open while the page is shown. */
function useTraffic() {
  const [log] = useState(() => new TrafficLog());
  useEffect(() => {
    log.open();
    return () => log.close();
  }, [log]);
  useStore(log);
  return log;
}

/**
 * ChipSelect is a filter with one of several values.
 * @param {{ label: string, value: string, choices: [string, string][], onValue: (value: string) => unknown }} props
 */
function ChipSelect({ label, value, choices, onValue }) {
  const onChange = (/** @type {Event & { currentTarget: HTMLSelectElement }} */ e) => onValue(e.currentTarget.value);
  return html`
    <select class="chip ${value && 'on'}" aria-label=${label} value=${value} onChange=${onChange}>
      <option value="">${label}</option>
      ${choices.map(([id, name]) => html`<option key=${id} value=${id} selected=${id === value}>${name}</option>`)}
    </select>
  `;
}

/** @param {{ label: string, isOn: boolean, onToggle: () => unknown }} props */
function Chip({ label, isOn, onToggle }) {
  return html`
    <button type="button" class="chip" aria-pressed=${isOn ? 'true' : 'false'} onClick=${onToggle}>${label}</button>
  `;
}

/**
 * @typedef {object} FiltersProps
 * @property {Parameters} parameters
 * @property {(changes: Parameters) => unknown} onChange
 * @property {[string, string][]} apps
 * @property {[string, string][]} people
 */

/** @param {FiltersProps} props */
function Filters({ parameters, onChange, apps, people }) {
  const { kind = '', status = '', app = '', person = '', text = '', show = '' } = parameters;
  const toggle = (/** @type {string} */ name, /** @type {string} */ value) =>
    onChange({ [name]: parameters[name] === value ? '' : value });
  const shown = show.split('.').filter(Boolean);
  const toggleShown = (/** @type {string} */ what) => {
    const next = shown.includes(what) ? shown.filter((s) => s !== what) : [...shown, what];
    onChange({ show: next.join('.') });
  };
  const onText = (/** @type {Event & { currentTarget: HTMLInputElement }} */ e) =>
    onChange({ text: e.currentTarget.value });
  const isFiltered = [kind, status, app, person, text, show].some(Boolean);
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) => onChange({ [name]: value });
  const none = { kind: '', status: '', app: '', person: '', text: '', show: '' };
  const clear = () => html`
    <button type="button" class="small quiet" onClick=${() => onChange(none)}>${t.clearFilters}</button>
  `;
  const chips = (/** @type {string} */ name, /** @type {Record<string, string>} */ choices) =>
    Object.entries(choices).map(
      ([value, label]) => html`
        <${Chip} key=${value} label=${label} isOn=${parameters[name] === value} onToggle=${() => toggle(name, value)} />
      `,
    );
  return html`
    <div class="filters" role="group" aria-label=${t.filter}>
      <label class="chip search"><${Icon} name="search" />
        <input type="search" aria-label=${t.filterText} placeholder=${t.filterText} value=${text} onInput=${onText} />
      </label>
      ${chips('kind', t.rowKinds)}
      ${chips('status', t.statusFilters)}
      <${ChipSelect} label=${t.application} value=${app} choices=${apps} onValue=${set('app')} />
      <${ChipSelect} label=${t.person} value=${person} choices=${people} onValue=${set('person')} />
      ${Object.entries(t.hiddenTraffic).map(
        ([what, label]) => html`
          <${Chip} key=${what} label=${label} isOn=${shown.includes(what)} onToggle=${() => toggleShown(what)} />
        `,
      )}
      ${isFiltered && clear()}
    </div>
  `;
}

/**
 * useTail follows new rows while the list is at its top and not paused. until is the number of the newest exchange to
 * show.
 * @param {TrafficLog} log
 */
function useTail(log) {
  const [paused, setPaused] = useState(false);
  const [stoppedAt, setStoppedAt] = useState(0);
  const stop = () => setStoppedAt((at) => at || Math.max(1, log.last));
  const onScrolled = useCallback((/** @type {boolean} */ atTop) => {
    if (atTop) setStoppedAt(0);
    else stop();
  }, []);
  const [pausedAt, setPausedAt] = useState(0);
  const togglePaused = () => {
    setPausedAt(paused ? 0 : Math.max(1, log.last));
    setPaused(!paused);
  };
  return { paused, togglePaused, onScrolled, until: pausedAt || stoppedAt || Number.POSITIVE_INFINITY };
}

/**
 * @typedef {object} ToolbarProps
 * @property {ReturnType<typeof useTail>} tail
 * @property {number} fresh number of new rows that are not shown
 * @property {() => unknown} onNewest
 * @property {() => unknown} onExport
 * @property {() => unknown} onLimits
 * @property {() => unknown} onClear
 */

/** @param {ToolbarProps} props */
function Toolbar({ tail, fresh, onNewest, onExport, onLimits, onClear }) {
  const { paused } = tail;
  return html`
    <div class="toolbar">
      <h1>${t.traffic}</h1>
      <button type="button" class="small" aria-pressed=${paused ? 'true' : 'false'} onClick=${tail.togglePaused}>
        <${Icon} name=${paused ? 'play' : 'pause'} /> ${paused ? t.resume : t.pause}
      </button>
      <span role="status">
        ${
          fresh > 0 &&
          html`
            <button type="button" class="small primary" onClick=${onNewest}>
              <${Icon} name="up" /> ${t.newRows(fresh)}
            </button>
          `
        }
      </span>
      <span class="end">
        <button type="button" class="small" onClick=${onLimits}>${t.limits}</button>
        <button type="button" class="small" onClick=${onExport}><${Icon} name="download" /> ${t.exportHAR}</button>
        <button type="button" class="small" onClick=${onClear}><${Icon} name="trash" /> ${t.clear}</button>
      </span>
    </div>
  `;
}

/**
 * @param {Application[]} applications
 * @param {User[]} people
 */
function useNames(applications, people) {
  return useMemo(() => {
    /** @type {[string, string][]} */
    const apps = applications.map((a) => [a.id, a.name]);
    /** @type {[string, string][]} */
    const users = people.map((p) => [p.id, fullName(p)]);
    const names = new Map([...users, ...apps]);
    const who = (/** @type {Summary} */ { app, user }) =>
      [...new Set([user, app].filter(Boolean))].map((id) => names.get(id) ?? id).join(' → ');
    return { apps, users, who };
  }, [applications, people]);
}

/** @param {{ clients: Clients, applications: Application[], people: User[] }} props */
export function Traffic({ clients, applications, people }) {
  const log = useTraffic();
  const [parameters, change] = useParameters();
  const [limits, setLimits] = useState(false);
  const tail = useTail(log);
  const names = useNames(applications, people);
  const { open = '', compare = '', kind, status, app, person, show } = parameters;
  const text = useDebounced(parameters.text ?? '', 150);
  const filter = { kind, status, app, person, show, text };
  const inputs = [log.rows, log.last, kind, status, app, person, show, text];
  const all = useMemo(() => filterRows(log.rows, filter), inputs);
  const rows = useMemo(
    () => (all[0]?.order > tail.until ? all.filter((r) => r.order <= tail.until) : all),
    [all, tail.until],
  );
  const selected = open ? log.row(open) : undefined;
  const detailed = useDeferred(open);
  const detail = detailed ? log.row(detailed) : undefined;
  const pinned = compare ? log.row(compare)?.exchanges.find((e) => e.id === compare) : undefined;
  const showNewest = () => {
    if (tail.paused) tail.togglePaused();
    const list = document.querySelector('.rows');
    if (list) list.scrollTop = 0;
    tail.onScrolled(true);
  };
  const select = useCallback((/** @type {string} */ id) => change({ open: id }), []);
  const exportHAR = () => {
    const exchanges = rows.flatMap((r) => r.exchanges);
    download('traffic.har', toHAR(exchanges, clients.settings.version));
  };
  const onPin = (/** @type {string} */ id) => change({ compare: id });
  const exchanges = () => log.rows.flatMap((/** @type {{ exchanges: Exchange[] }} */ r) => r.exchanges);
  return html`
    <main class="page traffic">
      <${Toolbar} tail=${tail} fresh=${all.length - rows.length} onNewest=${showNewest} onExport=${exportHAR}
        onLimits=${() => setLimits(true)} onClear=${() => log.clear()} />
      <${Filters} parameters=${parameters} onChange=${change} apps=${names.apps} people=${names.users} />
      <${Problem} error=${log.error} />
      <div class="panes ${detail ? 'with-detail' : ''}">
        <section class="list" aria-label=${t.trafficList}>
          <div class="row head" aria-hidden="true">
            <span>${t.time}</span><span>${t.kind}</span><span>${t.what}</span><span>${t.who}</span>
            <span>${t.status}</span><span class="took">${t.duration}</span>
          </div>
          ${!log.loaded && html`<${Skeleton} lines=${8} />`}
          ${log.loaded && rows.length === 0 && html`<${NoRows} isFiltered=${log.rows.length > 0} />`}
          ${
            rows.length > 0 &&
            html`
              <${TrafficList} rows=${rows} selected=${selected?.id ?? ''} pinned=${pinned ? log.row(compare)?.id : ''}
                who=${names.who} onSelect=${select} onScrolled=${tail.onScrolled} />
            `
          }
        </section>
        ${
          detail &&
          html`
            <section class="detail" aria-label=${t.details} tabindex="0">
              <${Detail} key=${detail.id} clients=${clients} row=${detail} step=${detailed} pinned=${pinned}
                onPin=${onPin} onOpen=${select} onClose=${() => change({ open: '' })} />
            </section>
          `
        }
      </div>
      ${limits && html`<${LimitsDialog} exchanges=${exchanges()} onClose=${() => setLimits(false)} />`}
    </main>
  `;
}

/** @param {{ isFiltered: boolean }} props */
function NoRows({ isFiltered }) {
  const action = html`<a class="button" href="#/play">${t.openPlay}</a>`;
  return html`
    <${Empty} icon="traffic" title=${isFiltered ? t.noMatchingTraffic : t.noTraffic} action=${!isFiltered && action}>
      ${isFiltered ? t.noMatchingTrafficHint : t.noTrafficHint}
    <//>
  `;
}
