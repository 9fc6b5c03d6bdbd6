// The steps of an interaction with a waterfall: invoke, checks, delivery, answer, follow-ups and events.

/** @import { Exchange } from '../types/wire.js' */
/** @import { Row, Summary } from './traffic-log.js' */
import { serviceURL } from './base.js';
import { useQuery } from './state.js';
import { t } from './text.js';
import { durationText } from './traffic-list.js';
import { frameName, outcomeTones, parseBody, payloadOf, startOf } from './traffic-log.js';
import { html, Icon, Problem, Skeleton, Text } from './ui.js';

/** @typedef {'invoke' | 'checks' | 'delivery' | 'answer' | 'followUp' | 'event' | 'outcome'} StepKind */

/**
 * Step is a part of an interaction.
 * @typedef {object} Step
 * @property {string} id
 * @property {StepKind} kind
 * @property {string} title
 * @property {number} start in milliseconds after the first step
 * @property {number} took in milliseconds
 * @property {Summary['tone']} tone
 * @property {Exchange} exchange
 */

/** @param {Exchange} e */
const isGood = ({ status = 0 }) => status >= 200 && status < 300;

/** @typedef {[kind: StepKind, title: string, offset: number, took: number, tone: Summary['tone']]} Part */

/**
 * framePart returns the step of a frame. A person's own session gets INTERACTION_CREATE too, also if no app does.
 * @param {Exchange} e
 * @returns {Part}
 */
function framePart(e) {
  if (e.route === 'INTERACTION_CREATE' && e.application_id) return ['delivery', frameName(e), 0, 0, ''];
  return ['event', frameName(e), 0, 0, e.route === 'INTERACTION_FAILURE' ? 'bad' : ''];
}

/**
 * partsOf returns the steps that an exchange consists of, with their offset from its start.
 * @param {Exchange} e
 * @returns {Part[]}
 */
function partsOf(e) {
  const took = e.took_ms ?? 0;
  const tone = isGood(e) ? 'good' : 'bad';
  const call = `${e.method} ${e.path ?? e.route ?? ''}`;
  if (e.kind === 'frame') return [framePart(e)];
  if (e.outcome) return [['outcome', t.outcomes[e.outcome], 0, 0, outcomeTones[e.outcome]]];
  if (e.kind === 'delivery') {
    const answer = t.answerTypes[parseBody(e.response?.body)?.type] ?? '';
    /** @type {Part} */
    const delivery = ['delivery', call, 0, took, tone];
    return e.response ? [delivery, ['answer', answer, took, 0, tone]] : [delivery];
  }
  if (e.route === '/interactions') {
    const checked = isGood(e) ? t.checksPassed : t.checksFailed(e.status ?? 0);
    return [
      ['invoke', call, 0, took, tone],
      ['checks', checked, took, 0, tone],
    ];
  }
  return [[e.route?.endsWith('/callback') ? 'answer' : 'followUp', call, 0, took, tone]];
}

/**
 * stepsOf returns the steps of an interaction in the order of time, and how long they took together.
 * @param {Row} row
 */
export function stepsOf(row) {
  const first = Math.min(...row.exchanges.map(startOf));
  /** @type {Step[]} */
  const steps = row.exchanges.flatMap((exchange) =>
    partsOf(exchange).map(([kind, title, offset, took, tone]) => {
      const start = startOf(exchange) - first + offset;
      return { id: `${exchange.id}-${kind}`, kind, title, start, took, tone, exchange };
    }),
  );
  const order = Object.keys(t.stepKinds);
  steps.sort((a, b) => a.start - b.start || order.indexOf(a.kind) - order.indexOf(b.kind));
  return { steps, total: Math.max(0.001, ...steps.map((s) => s.start + s.took)) };
}

/** @type {Record<StepKind, string>} */
const icons = {
  invoke: 'send',
  checks: 'shield',
  delivery: 'external',
  answer: 'reply',
  followUp: 'chat',
  event: 'bolt',
  outcome: 'check',
};

/**
 * @typedef {object} WaterfallProps
 * @property {Step[]} steps
 * @property {number} total
 * @property {string} selected id of the selected step
 * @property {(id: string) => unknown} onSelect
 */

/** @param {WaterfallProps} props */
export function Waterfall({ steps, total, selected, onSelect }) {
  const items = steps.map((s) => {
    const left = Math.min(99, (s.start / total) * 100);
    const bar = { left: `${left}%`, width: `${Math.max(1, Math.min(100 - left, (s.took / total) * 100))}%` };
    return html`
      <li key=${s.id}>
        <button type="button" class="step ${s.tone === 'bad' ? 'failed' : ''}" aria-pressed=${s.id === selected}
          onClick=${() => onSelect(s.id)}>
          <${Icon} name=${s.kind === 'outcome' && s.tone === 'bad' ? 'failed' : icons[s.kind]} />
          <span class="step-name">
            <b>${t.stepKinds[s.kind]}</b> <span class="step-title"><${Text} value=${s.title} max=${120} /></span>
          </span>
          <span class="track" aria-hidden="true"><span class="bar ${s.tone}" style=${bar}></span></span>
          <span class="number took">+${durationText(s.start) || t.milliseconds(0)}</span>
        </button>
      </li>
    `;
  });
  return html`<ol class="waterfall" aria-label=${t.stepsOf}>${items}</ol>`;
}

/** @typedef {{ allowed: boolean, explanation: string }} Decision */

/**
 * Checks shows what the service checked before it accepted an invocation, or why it refused it.
 * @param {{ row: Row, exchange: Exchange }} props
 */
export function Checks({ row, exchange }) {
  const { data, channel_id: channel } = payloadOf(row);
  const { user_id: user } = exchange;
  const refused = exchange.status && !isGood(exchange) ? parseBody(exchange.response?.body) : null;
  const canExplain = data?.name && channel && user;
  const decision = useQuery(async () => {
    if (!canExplain) return null;
    const name = (data.type ?? 1) === 1 ? `/${data.name}` : data.name;
    const query = new URLSearchParams({ as: user, in: channel, command: name });
    const response = await fetch(serviceURL(`/_dev/explain?${query}`));
    return response.ok ? /** @type {Promise<Decision>} */ (response.json()) : null;
  }, [exchange.id]);
  const list = () => html`
    <ul class="checks">
      ${t.checks.map((text) => html`<li key=${text}><${Icon} name="check" /> ${text}</li>`)}
    </ul>
  `;
  return html`
    <section>
      <h3>${t.stepKinds.checks}</h3>
      ${refused ? html`<div class="callout bad"><strong>${refused.message}</strong> (${refused.code})</div>` : list()}
      ${decision.busy && canExplain && html`<${Skeleton} lines=${1} />`}
      ${
        decision.value &&
        html`<p class=${decision.value.allowed ? 'good' : 'bad'}>${t.decisionNow} ${decision.value.explanation}</p>`
      }
      <${Problem} error=${decision.error} />
    </section>
  `;
}
