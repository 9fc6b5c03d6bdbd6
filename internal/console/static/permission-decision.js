// The decision whether a person can use a command: the result, the reason as a sentence, and the steps.

/** @import { CommandPermission, Explanation } from '../types/wire.js' */
/** @import { Row } from './permission-matrix.js' */
/** @import { DecisionFacts } from './text.js' */
import { permissionsOf } from './bits.js';
import { t } from './text.js';
import { html, Icon, Skeleton } from './ui.js';

/** @typedef {keyof typeof t.decisionSteps} StepName */

/** @typedef {keyof typeof t.decisionStates} StepState */

/**
 * The steps of a decision in their order, with the reasons of decisions that they make, and what it means if they make
 * none. They are steps 2 to 12 of package permission. Step 5 is only for direct messages.
 * @type {[name: StepName, reasons: string[], otherwise: StepState][]}
 */
const order = [
  ['age', ['age-restricted'], 'passed'],
  ['context', ['wrong context', 'wrong type'], 'passed'],
  ['install', ['not installed'], 'passed'],
  ['thread', ['archived thread'], 'passed'],
  ['administrator', ['administrator'], 'silent'],
  ['needs', ['hidden channel', 'permission denied', 'missing permissions'], 'passed'],
  ['channels', ['channel denied'], 'passed'],
  ['command', ['allowed by an entry', 'member denied command'], 'silent'],
  ['app', ['member denied application'], 'silent'],
  ['defaults', ['allowed by default', 'denied by default'], 'passed'],
];

/** @type {Record<StepState, string>} */
const icons = {
  passed: 'check',
  silent: 'minus',
  allows: 'done',
  denies: 'failed',
  later: 'minus',
};

/**
 * stepsOf returns the steps of a decision with their states. The steps after the one that decided were not taken.
 * @param {Explanation} explanation
 * @returns {{ name: StepName, state: StepState }[]}
 */
function stepsOf({ allowed, reason, level }) {
  const made = order.findIndex(([, reasons]) => reasons.includes(reason) || reasons.includes(`${reason} ${level}`));
  return order.map(([name, , otherwise], i) => {
    if (i === made) return { name, state: allowed ? 'allows' : 'denies' };
    return { name, state: i < made ? otherwise : 'later' };
  });
}

/**
 * reasonOf returns the reason of a decision as a sentence.
 * @param {Explanation} explanation
 * @param {(entry: CommandPermission) => string} nameOf
 */
export function reasonOf({ reason, level, entry, missing, explanation }, nameOf) {
  const who = entry ? nameOf(entry) : '';
  const say = /** @type {Record<string, (facts: DecisionFacts) => string>} */ (t.decisions)[reason];
  return (
    say?.({
      who,
      ofApp: level === 'application',
      missing: t.listOf(missing ?? []),
    }) ?? explanation
  );
}

/** @param {{ needs: string | null | undefined }} props */
function DefaultPermissions({ needs }) {
  if (needs === null || needs === undefined) return html`<p class="note">${t.needsNothing}</p>`;
  if (needs === '0') return html`<p class="note">${t.needsAdministrator}</p>`;
  return html`
    <p class="note">${t.needsPermissions}</p>
    <ul class="chips">${permissionsOf(needs).map((name) => html`<li key=${name} class="chip">${name}</li>`)}</ul>
  `;
}

/**
 * @typedef {object} DecisionProps
 * @property {Row | undefined} row
 * @property {Explanation | undefined} explanation
 * @property {(entry: CommandPermission) => string} nameOf
 */

/** @param {DecisionProps} props */
export function Decision({ row, explanation, nameOf }) {
  if (!row) return html`<p>${t.noCommands}</p>`;
  if (!explanation) return html`<${Skeleton} lines=${6} />`;
  const { allowed, missing } = explanation;
  const steps = stepsOf(explanation).map(
    ({ name, state }) => html`
      <li key=${name} class=${state}>
        <${Icon} name=${icons[state]} />
        <span>${t.decisionSteps[name]}</span> <span class="note">${t.decisionStates[state]}</span>
      </li>
    `,
  );
  return html`
    <div role="status" class="callout ${allowed ? 'good' : 'refused'}">
      <strong>${allowed ? t.allowed : t.denied}</strong>: ${reasonOf(explanation, nameOf)}
    </div>
    ${
      missing?.length
        ? html`
            <p>${t.missing}:</p>
            <ul class="chips">${missing.map((name) => html`<li key=${name} class="chip">${name}</li>`)}</ul>
          `
        : null
    }
    <h3>${t.stepsOf}</h3>
    <ol class="steps">${steps}</ol>
    <${DefaultPermissions} needs=${row.needs} />
  `;
}
