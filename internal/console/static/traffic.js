// The Traffic page: interactions, requests, deliveries and gateway frames, live, with a list and a detail.

/** @import { Application, Exchange, User } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
/** @import { Summary } from './traffic-log.js' */
import { useParameters } from './address.js';
import { useDebounced, useDeferred, useStore } from './state.js';
import { t } from './text.js';
import { Detail } from './traffic-detail.js';
import { Filters } from './traffic-filters.js';
import { download, toHAR } from './traffic-har.js';
import { LimitsDialog } from './traffic-limits.js';
import { columnWidths, TrafficList } from './traffic-list.js';
import { filterRows, TrafficLog } from './traffic-log.js';
import { Empty, html, Icon, Problem, Skeleton } from './ui.js';
import { fullName } from './user.js';
import { useCallback, useEffect, useMemo, useState } from './vendor/hooks.js';

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
        <button type="button" class="small" title=${t.exportHAR} onClick=${onExport}>
          <${Icon} name="download" /> <span class="name">${t.exportHAR}</span>
        </button>
        <button type="button" class="small" title=${t.clear} onClick=${onClear}>
          <${Icon} name="trash" /> <span class="name">${t.clear}</span>
        </button>
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
  const widths = useMemo(() => columnWidths(rows, names.who), [rows, names.who]);
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
        <section class="list" aria-label=${t.trafficList} style=${widths}>
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
