// The clock of the service: it moves by presets, by a duration, or until the next thing falls due.

/** @import { Clock, Due } from '../types/wire.js' */
import { request } from './http.js';
import { useAction, useQuery } from './state.js';
import { t } from './text.js';
import { Moment } from './time.js';
import { html, Icon, Input, Problem, Skeleton, withoutDefault } from './ui.js';
import { useEffect, useState } from './vendor/hooks.js';

const presets = /** @type {const} */ (['3s', '15m', '24h']);

/** @returns {Promise<{ clock: Clock, due: Due[] }>} */
async function readClock() {
  /** @type {[Clock, Due[]]} */
  const [clock, due] = await Promise.all([request('GET', '/_dev/clock'), request('GET', '/_dev/due')]);
  return { clock, due };
}

/**
 * until returns the duration to a moment, as the service reads it. One millisecond more makes sure that it has come.
 * @param {string} now
 * @param {string} at
 */
const until = (now, at) => `${Math.max(0, Date.parse(at) - Date.parse(now)) + 1}ms`;

/** @param {number} milliseconds */
function durationText(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const parts = [
    Math.floor(seconds / 86400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ];
  const first = parts.findIndex((n) => n > 0);
  if (first < 0) return t.dueNow;
  return parts
    .map((n, i) => (n > 0 && i < first + 2 ? `${n} ${t.timeUnits[i]}` : ''))
    .filter(Boolean)
    .join(' ');
}

/** @param {{ now: string, due: Due[] }} props */
function DueList({ now, due }) {
  if (due.length === 0) return html`<p class="hint">${t.nothingDue}</p>`;
  const distance = (/** @type {Date} */ at) => durationText(at.getTime() - Date.parse(now));
  const items = due.slice(0, 8).map(
    (d) => html`
      <li key=${d.kind + d.id}>
        <span class="badge">${t.dueKinds[d.kind]}</span> <code>${d.id}</code>
        <${Moment} class="end number" at=${d.at} text=${distance} />
      </li>
    `,
  );
  return html`<ol class="due" aria-label=${t.fallsDue}>${items}</ol>`;
}

export function ClockSection() {
  const read = useQuery(readClock, []);
  const [duration, setDuration] = useState('15m');
  const move = useAction(async (/** @type {string} */ advance) => {
    await request('POST', '/_dev/clock', { advance });
    await read.reload();
  });
  useEffect(() => {
    const timer = setInterval(read.reload, 1000);
    return () => clearInterval(timer);
  }, []);
  const { clock, due = [] } = read.value ?? {};
  const next = due[0];
  return html`
    <section class="card" aria-labelledby="clock">
      <h2 id="clock"><${Icon} name="clock" /> ${t.clock}</h2>
      <p>${clock ? html`<${Moment} class="clock" at=${clock.now} />` : '…'}</p>
      <div class="toolbar">
        ${presets.map(
          (d) => html`
            <button key=${d} type="button" disabled=${move.busy} onClick=${() => move.run(d)}>${t.presets[d]}</button>
          `,
        )}
        <button type="button" disabled=${move.busy || !next || !clock}
          onClick=${() => next && clock && move.run(until(clock.now, next.at))}>${t.untilNext}</button>
      </div>
      <form class="line" onSubmit=${withoutDefault(() => move.run(duration))}>
        <${Input} label=${t.advance} value=${duration} onValue=${setDuration} hint=${t.advanceHint} />
        <button class="primary" disabled=${move.busy}>${t.move}</button>
      </form>
      <${Problem} error=${move.error ?? read.error} />
      <h3>${t.fallsDue}</h3>
      <div class="due-box">
        ${clock ? html`<${DueList} now=${clock.now} due=${due} />` : html`<${Skeleton} lines=${1} />`}
      </div>
    </section>
  `;
}
