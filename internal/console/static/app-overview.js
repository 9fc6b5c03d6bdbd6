// The overview of an app: its status, when it was last seen, its gateway sessions, how its last interactions ended, and
// how many commands it has created today.

/** @import { AppHealth, Application, EndedInteraction, Quota } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
/** @import { Child } from './vendor/preact.js' */
import { useQuery } from './state.js';
import { t } from './text.js';
import { RelativeTime } from './time.js';
import { html, Problem } from './ui.js';
import { AppState } from './user.js';
import { useEffect } from './vendor/hooks.js';

/** How often the overview is loaded, in milliseconds. */
const interval = 3000;

/** The bars of the strip, which is as many interactions as the service keeps. */
const slots = 60;
const barHeight = 32;

/**
 * barOf returns the height of a bar: 1 ms is low, 3 s and failures are high.
 * @param {EndedInteraction} interaction
 */
function barOf({ result, took_ms: took }) {
  if (result === 'failed') return barHeight;
  return Math.round(4 + (barHeight - 8) * Math.min(1, Math.log10(1 + took) / Math.log10(3001)));
}

/** @param {number[]} sorted */
const median = (sorted) => sorted[Math.floor(sorted.length / 2)] ?? 0;

/**
 * HealthStrip has a bar for each of the last interactions, the newest at the end. Failures have the full height: a
 * color alone is not enough.
 * @param {{ interactions: EndedInteraction[] }} props
 */
function HealthStrip({ interactions }) {
  const answered = interactions.filter((i) => i.result !== 'failed');
  const middle = median(answered.map((i) => i.took_ms).sort((a, b) => a - b));
  const summary = interactions.length
    ? t.healthOf(answered.length, interactions.length, t.milliseconds(Math.round(middle)))
    : t.noInteractions;
  const first = slots - interactions.length;
  const bars = interactions.map((interaction, i) => {
    const height = barOf(interaction);
    const { kind, result, detail, took_ms: took } = interaction;
    return html`
      <rect key=${i} class=${result === 'failed' ? 'failed' : 'answered'} x=${(first + i) * 4} y=${barHeight - height}
        width="3" height=${height}>
        <title>${kind}: ${detail ?? result} (${t.milliseconds(Math.round(took))})</title>
      </rect>
    `;
  });
  return html`
    <svg class="strip" viewBox="0 0 ${slots * 4} ${barHeight}" preserveAspectRatio="none" role="img"
      aria-label=${summary}>
      <line x1="0" x2=${slots * 4} y1=${barHeight - 0.5} y2=${barHeight - 0.5} />
      ${bars}
    </svg>
    <p class="note">${summary}</p>
  `;
}

/**
 * QuotaGauge shows how many commands were created today.
 * @param {{ quota: Quota }} props
 */
function QuotaGauge({ quota: { used, max } }) {
  if (max === null) return null;
  return html`
    <meter min="0" max=${max} value=${used} low=${max * 0.75} high=${max * 0.95} optimum="0"
      aria-label=${t.createdToday}>${used}</meter>
  `;
}

/** @param {{ title: string, children: Child, wide?: boolean }} props */
function Fact({ title, children, wide }) {
  return html`<div class="fact ${wide ? 'wide-fact' : ''}"><dt>${title}</dt><dd>${children}</dd></div>`;
}

/**
 * Overview loads itself again every few seconds.
 * @param {{ clients: Clients, app: Application }} props
 */
export function Overview({ clients, app }) {
  const path = `/admin/v1/applications/${app.id}`;
  const found = useQuery(async () => {
    /** @type {[Application, AppHealth, Quota]} */
    const [{ status }, health, quota] = await Promise.all([
      clients.operator.get(path),
      clients.operator.get(`${path}/health`),
      clients.operator.get(`${path}/quota`),
    ]);
    return { status, health, quota };
  }, [clients, app.id]);
  useEffect(() => {
    const timer = setInterval(found.reload, interval);
    return () => clearInterval(timer);
  }, [app.id]);
  const { status = app.status, health, quota } = found.value ?? {};
  const lastSeen = health?.last_seen ? html`<${RelativeTime} date=${new Date(health.last_seen)} />` : t.neverSeen;
  const created = quota && html`<${QuotaGauge} quota=${quota} /> ${quota.max === null ? quota.used : t.ofMax(quota)}`;
  return html`
    <section class="overview" aria-label=${t.overview}>
      <dl>
        <${Fact} title=${t.status}>
          <${AppState} status=${status} />
          ${status?.detail && html`<span class="note">${status.detail}</span>`}
        <//>
        <${Fact} title=${t.lastSeen}>${health ? lastSeen : '…'}<//>
        <${Fact} title=${t.sessions}><span class="number">${health?.sessions ?? '…'}</span><//>
        <${Fact} title=${t.createdToday}>${created ?? '…'}<//>
        <${Fact} title=${t.lastInteractions} wide><${HealthStrip} interactions=${health?.interactions ?? []} /><//>
      </dl>
      <${Problem} error=${found.error} />
    </section>
  `;
}
