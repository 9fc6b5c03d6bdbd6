// The World page: the world file and, in dev mode, the clock and injected faults.

/** @import { AppliedWorld, Clock, Fault } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
import { useEffect, useState } from '/assets/vendor/hooks.js';
import { request } from './http.js';
import { useAction, useQuery } from './state.js';
import { t } from './text.js';
import { CopyButton, html, Input, Problem, Select, TextArea, withoutDefault } from './ui.js';

function ClockSection() {
  const clock = useQuery(/** @returns {Promise<Clock>} */ () => request('GET', '/_dev/clock'), []);
  const [duration, setDuration] = useState('15m');
  const move = useAction(async (/** @type {string} */ advance) => {
    await request('POST', '/_dev/clock', { advance });
    clock.reload();
  });
  useEffect(() => {
    const timer = setInterval(clock.reload, 1000);
    return () => clearInterval(timer);
  }, []);
  return html`
    <section aria-labelledby="clock">
      <h2 id="clock">${t.clock}</h2>
      <p><time class="clock">${clock.value ? new Date(clock.value.now).toLocaleString() : ''}</time></p>
      <form class="line" onSubmit=${withoutDefault(() => move.run(duration))}>
        ${['3s', '15m', '24h'].map(
          (d) => html`
            <button key=${d} type="button" onClick=${() => move.run(d)}>+ ${d}</button>
          `,
        )}
        <${Input} label=${t.advance} value=${duration} onValue=${setDuration} hint=${t.advanceHint} />
        <button class="primary" disabled=${move.busy}>${t.move}</button>
      </form>
      <${Problem} error=${move.error ?? clock.error} />
    </section>
  `;
}

/** @typedef {keyof typeof t.faultKinds} FaultKind */

/**
 * The values that the form offers first.
 * @type {Record<FaultKind, string>}
 */
const faultDefaults = { delay: '500ms', status: '503', rate_limit: '2', drop: 'before', disconnect: '4000' };

/**
 * newFault returns a fault. Its value is a number for some kinds, and disconnects have no count.
 * @param {FaultKind} kind
 * @param {string} value
 * @param {string} route
 * @param {string} count
 * @returns {Fault}
 */
function newFault(kind, value, route, count) {
  const isNumber = kind === 'status' || kind === 'rate_limit' || kind === 'disconnect';
  return {
    route: route || undefined,
    count: count && kind !== 'disconnect' ? Number(count) : undefined,
    [kind]: isNumber ? Number(value) : value,
  };
}

function FaultsSection() {
  const faults = useQuery(/** @returns {Promise<Fault[]>} */ () => request('GET', '/_dev/faults'), []);
  const [kind, setKind] = useState(/** @type {FaultKind} */ ('delay'));
  const [route, setRoute] = useState('');
  const [value, setValue] = useState(faultDefaults.delay);
  const [count, setCount] = useState('1');
  const add = useAction(async () => {
    await request('POST', '/_dev/faults', newFault(kind, value, route, count));
    faults.reload();
  });
  const clear = useAction(async () => {
    await request('DELETE', '/_dev/faults');
    faults.reload();
  });
  const selectKind = (/** @type {FaultKind} */ next) => {
    setKind(next);
    setValue(faultDefaults[next]);
  };
  const cards = faults.value?.map((f, i) => html`<li key=${i} class="card"><code>${JSON.stringify(f)}</code></li>`);
  return html`
    <section aria-labelledby="faults">
      <h2 id="faults">${t.faults}</h2>
      <form class="line" onSubmit=${withoutDefault(add.run)}>
        <${Select} label=${t.kind} value=${kind} onValue=${selectKind} choices=${Object.entries(t.faultKinds)} />
        <${Input} label=${t.value} value=${value} onValue=${setValue} />
        <${Input} label=${t.route} value=${route} onValue=${setRoute} hint=${t.routeHint} />
        <${Input} label=${t.count} type="number" value=${count} onValue=${setCount} />
        <button class="primary" disabled=${add.busy}>${t.add}</button>
        <button type="button" onClick=${clear.run}>${t.clear}</button>
      </form>
      <${Problem} error=${add.error ?? clear.error ?? faults.error} />
      ${cards?.length ? html`<ul class="cards">${cards}</ul>` : null}
    </section>
  `;
}

/**
 * NewSecrets shows the secrets that applying a world file created.
 * @param {{ applied: AppliedWorld }} props
 */
function NewSecrets({ applied }) {
  const { bot_tokens, client_secrets, user_tokens } = applied;
  const secrets = [bot_tokens, client_secrets, user_tokens].flatMap(Object.entries);
  const items = secrets.map(
    ([id, secret]) => html`
      <li key=${id}>${id}: <code class="secret">${secret}</code> <${CopyButton} text=${secret} /></li>
    `,
  );
  return html`
    <p class="good">✓ ${t.applied}</p>
    ${secrets.length > 0 && html`<p class="warning">${t.shownOnce}</p><ul>${items}</ul>`}
  `;
}

/** @param {{ clients: Clients, onChange: () => unknown }} props */
function WorldFile({ clients, onChange }) {
  const { settings, operator } = clients;
  const file = useQuery(
    /** @returns {Promise<string>} */
    () => (settings.dev ? request('GET', '/_dev/world') : operator.get('/admin/v1/world')),
    [clients],
  );
  const [edited, setEdited] = useState(/** @type {string | null} */ (null));
  const [applied, setApplied] = useState(/** @type {AppliedWorld | null} */ (null));
  const reload = async () => {
    setEdited(null);
    await file.reload();
    onChange();
  };
  const apply = useAction(async () => {
    const headers = { 'Content-Type': 'application/yaml' };
    setApplied(await operator.request('PUT', '/admin/v1/world', edited ?? file.value, headers));
    await reload();
  });
  const reset = useAction(async () => {
    await request('POST', '/_dev/reset');
    await reload();
  });
  const resetButton = html`
    <button type="button" class="danger" disabled=${reset.busy} onClick=${reset.run}>${t.reset}</button>
  `;
  return html`
    <section aria-labelledby="file">
      <h2 id="file">${t.worldFile}</h2>
      <${TextArea} label=${t.worldFile} hint=${t.worldHint} rows="28" class="code" value=${edited ?? file.value ?? ''}
        onValue=${setEdited} />
      <p class="line">
        <button type="button" class="primary" disabled=${apply.busy || edited === null} onClick=${apply.run}>
          ${t.apply}
        </button>
        <button type="button" disabled=${edited === null} onClick=${() => setEdited(null)}>${t.cancel}</button>
        ${settings.dev && resetButton}
      </p>
      <${Problem} error=${file.error ?? apply.error ?? reset.error} />
      <div role="status">${applied && html`<${NewSecrets} applied=${applied} />`}</div>
    </section>
  `;
}

/** @param {{ clients: Clients, onChange: () => unknown }} props */
export function World({ clients, onChange }) {
  return html`
    <main class="page">
      <h1>${t.world}</h1>
      ${clients.settings.dev && html`<${ClockSection} /><${FaultsSection} />`}
      <${WorldFile} clients=${clients} onChange=${onChange} />
    </main>
  `;
}
