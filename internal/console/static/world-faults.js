// Faults that requests meet on purpose, and how many requests each has met.

/** @import { Application, Fault } from '../types/wire.js' */
import { request } from './http.js';
import { SearchSelect } from './search-select.js';
import { useAction, useQuery } from './state.js';
import { t } from './text.js';
import { Empty, html, Icon, Input, Problem, Select, withoutDefault } from './ui.js';
import { useEffect, useState } from './vendor/hooks.js';

/** @typedef {keyof typeof t.faultKinds} FaultKind */

const faultKinds = /** @type {FaultKind[]} */ (Object.keys(t.faultKinds));

/**
 * The values that the form offers first.
 * @type {Record<FaultKind, string>}
 */
const faultDefaults = { delay: '500ms', status: '503', rate_limit: '2', drop: 'before', disconnect: '4000' };

/**
 * FaultForm is the content of the form.
 * @typedef {object} FaultForm
 * @property {FaultKind} kind
 * @property {string} value
 * @property {string} method
 * @property {string} route
 * @property {string} application
 * @property {string} count
 * @property {string} share in percent
 */

/**
 * newFault returns the fault of a form. Disconnects happen once and have no count.
 * @param {FaultForm} form
 * @returns {Fault}
 */
function newFault({ kind, value, method, route, application, count, share }) {
  const isNumber = kind === 'status' || kind === 'rate_limit' || kind === 'disconnect';
  return {
    method: method || undefined,
    route: route || undefined,
    application: application || undefined,
    count: count && kind !== 'disconnect' ? Number(count) : undefined,
    share: share ? Number(share) / 100 : undefined,
    [kind]: isNumber ? Number(value) : value,
  };
}

/** @param {Fault} fault */
function Effect({ count, struck = 0 }) {
  const done = count ? struck >= count : false;
  return html`
    <span class="badge ${done ? '' : 'warn'}" role="status">
      ${count ? t.effectOf(struck, count) : t.effect(struck)}
    </span>
    ${count && html`<progress max=${count} value=${struck} aria-label=${t.effectOf(struck, count)}></progress>`}
  `;
}

/** @param {{ fault: Fault }} props */
function FaultCard({ fault }) {
  const kind = faultKinds.find((k) => fault[k] !== undefined) ?? 'delay';
  return html`
    <li class="card">
      <strong>${t.faultKinds[kind]} ${String(fault[kind])}</strong>
      <p><code>${fault.method ?? t.anyMethod} ${fault.route ?? t.allRoutes}</code></p>
      <p><${Effect} ...${fault} /> ${fault.share && t.shareOf(Math.round(fault.share * 100))}</p>
    </li>
  `;
}

/** @param {{ applications: Application[] }} props */
export function FaultsSection({ applications }) {
  const faults = useQuery(/** @returns {Promise<Fault[]>} */ () => request('GET', '/_dev/faults'), []);
  const [form, setForm] = useState(
    /** @type {FaultForm} */ ({
      kind: 'delay',
      value: faultDefaults.delay,
      method: '',
      route: '',
      application: '',
      count: '1',
      share: '',
    }),
  );
  const set = (/** @type {keyof FaultForm} */ name) => (/** @type {string} */ value) =>
    setForm((f) => ({
      ...f,
      [name]: value,
      ...(name === 'kind' && { value: faultDefaults[/** @type {FaultKind} */ (value)] }),
    }));
  const add = useAction(async () => {
    await request('POST', '/_dev/faults', newFault(form));
    await faults.reload();
  });
  const clear = useAction(async () => {
    await request('DELETE', '/_dev/faults');
    await faults.reload();
  });
  useEffect(() => {
    const timer = setInterval(faults.reload, 1000);
    return () => clearInterval(timer);
  }, []);
  const apps = [['', t.allApps], ...applications.map((a) => [a.id, a.name])];
  const methods = [['', t.anyMethod], ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((m) => [m, m])];
  const list = faults.value ?? [];
  const nothing = faults.value ? { icon: 'done', title: t.noFaults } : { icon: 'clock', title: t.loading };
  const values =
    form.kind === 'drop'
      ? html`<${Select} label=${t.value} value=${form.value} onValue=${set('value')} choices=${t.dropChoices} />`
      : html`<${Input} label=${t.value} value=${form.value} onValue=${set('value')} hint=${t.faultHints[form.kind]} />`;
  return html`
    <section class="card" aria-labelledby="faults">
      <h2 id="faults"><${Icon} name="warning" /> ${t.faults}</h2>
      <form class="fault-form" onSubmit=${withoutDefault(add.run)}>
        <${Select} label=${t.kind} value=${form.kind} onValue=${set('kind')} choices=${Object.entries(t.faultKinds)} />
        ${values}
        <${Select} label=${t.method} value=${form.method} onValue=${set('method')} choices=${methods} />
        <${Input} label=${t.route} value=${form.route} onValue=${set('route')} hint=${t.routeHint} />
        <${SearchSelect} label=${t.application} value=${form.application} choices=${apps}
          onValue=${set('application')} />
        <${Input} label=${t.count} type="number" min="0" value=${form.count} onValue=${set('count')} />
        <${Input} label=${t.share} type="number" min="1" max="100" value=${form.share} onValue=${set('share')} />
        <p class="toolbar">
          <button class="primary" disabled=${add.busy}>${t.add}</button>
          <button type="button" disabled=${list.length === 0} onClick=${clear.run}>${t.clear}</button>
        </p>
      </form>
      <${Problem} error=${add.error ?? clear.error ?? faults.error} />
      ${list.length === 0 && !faults.error && html`<${Empty} ...${nothing} />`}
      <ul class="cards">${list.map((f) => html`<${FaultCard} key=${f.id} fault=${f} />`)}</ul>
    </section>
  `;
}
