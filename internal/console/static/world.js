// World and clock: people and places as a file, the time, and what goes wrong on purpose.
import {html, Problem, Area, Input, Select, Copy, useState, useEffect, useAsk, useWork} from './ui.js';
import {t} from './text.js';
import {open} from './http.js';

function Clock() {
  const now = useAsk(() => open('GET', '/_dev/clock'), []);
  const [by, setBy] = useState('15m');
  const work = useWork(async (d) => {
    await open('POST', '/_dev/clock', {advance: d});
    now.again();
  });
  useEffect(() => {
    const timer = setInterval(now.again, 1000);
    return () => clearInterval(timer);
  }, []);
  return html`<section aria-labelledby="clock"><h2 id="clock">${t.clock}</h2>
    <p><time class="clock">${now.value ? new Date(now.value.now).toLocaleString() : ''}</time></p>
    <form class="line" onSubmit=${(e) => { e.preventDefault(); work.run(by); }}>
      ${['3s', '15m', '24h'].map((d) => html`<button key=${d} type="button" onClick=${() => work.run(d)}>+ ${d}</button>`)}
      <${Input} label=${t.advance} value=${by} onValue=${setBy} hint=${t.advanceHint} /><button class="primary" disabled=${work.busy}>${t.move}</button>
    </form><${Problem} error=${work.error ?? now.error} /></section>`;
}

function Faults() {
  const list = useAsk(() => open('GET', '/_dev/faults'), []);
  const [kind, setKind] = useState('delay');
  const [route, setRoute] = useState('');
  const [value, setValue] = useState('500ms');
  const [count, setCount] = useState('1');
  const add = useWork(async () => {
    const fault = {route: route || undefined, count: count && kind !== 'disconnect' ? Number(count) : undefined};
    fault[kind] = ['status', 'rate_limit', 'disconnect'].includes(kind) ? Number(value) : value;
    await open('POST', '/_dev/faults', fault);
    list.again();
  });
  const clear = useWork(async () => {
    await open('DELETE', '/_dev/faults');
    list.again();
  });
  const faults = list.value ?? [];
  return html`<section aria-labelledby="faults"><h2 id="faults">${t.faultsTitle}</h2>
    <form class="line" onSubmit=${(e) => { e.preventDefault(); add.run(); }}>
      <${Select} label=${t.kind} value=${kind} onValue=${(k) => { setKind(k); setValue({delay: '500ms', status: '503', rate_limit: '2', drop: 'before', disconnect: '4000'}[k]); }} options=${Object.entries(t.faultKinds)} />
      <${Input} label=${t.value} value=${value} onValue=${setValue} />
      <${Input} label=${t.route} value=${route} onValue=${setRoute} hint=${t.routeHint} />
      <${Input} label=${t.count} type="number" value=${count} onValue=${setCount} />
      <button class="primary" disabled=${add.busy}>${t.add}</button>
      <button type="button" onClick=${clear.run}>${t.clear}</button>
    </form>
    <${Problem} error=${add.error ?? clear.error ?? list.error} />
    ${faults.length > 0 && html`<ul class="cards">${faults.map((f, i) => html`<li key=${i} class="card"><code>${JSON.stringify(f)}</code></li>`)}</ul>`}
  </section>`;
}

export function World({desk, onChange}) {
  const found = useAsk(() => (desk.settings.dev ? open('GET', '/_dev/world') : desk.operator.get('/admin/v1/world')), [desk]);
  const [text, setText] = useState(null);
  const [made, setMade] = useState(null);
  const apply = useWork(async () => {
    setMade(await desk.operator.call('PUT', '/admin/v1/world', text ?? found.value, {'Content-Type': 'application/yaml'}));
    setText(null);
    await found.again();
    onChange();
  });
  const reset = useWork(async () => {
    await open('POST', '/_dev/reset');
    setText(null);
    await found.again();
    onChange();
  });
  const tokens = made ? [...Object.entries(made.bot_tokens), ...Object.entries(made.client_secrets), ...Object.entries(made.user_tokens)] : [];
  return html`<main class="page"><h1>${t.world}</h1>
    ${desk.settings.dev && html`<${Clock} /><${Faults} />`}
    <section aria-labelledby="file"><h2 id="file">${t.worldFile}</h2>
      <${Area} label=${t.worldFile} hint=${t.worldHint} rows="28" class="code" value=${text ?? found.value ?? ''} onValue=${setText} />
      <p class="line"><button type="button" class="primary" disabled=${apply.busy || text === null} onClick=${apply.run}>${t.apply}</button>
        <button type="button" disabled=${text === null} onClick=${() => setText(null)}>${t.cancel}</button>
        ${desk.settings.dev && html`<button type="button" class="danger" disabled=${reset.busy} onClick=${reset.run}>${t.reset}</button>`}</p>
      <${Problem} error=${found.error ?? apply.error ?? reset.error} />
      <div role="status">${made && html`<p class="good">✓ ${t.applied}</p>${tokens.length > 0 && html`<p class="warning">${t.shownOnce}</p>
        <ul>${tokens.map(([id, secret]) => html`<li key=${id}>${id}: <code class="secret">${secret}</code> <${Copy} text=${secret} /></li>`)}</ul>`}`}</div>
    </section></main>`;
}
