// What a member may do to another member or to a role: the result, the reason as a sentence, and the compared roles.

/** @import { OperationExplanation, RankedRole, Role, WorldGuild, WorldMember } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
/** @import { RankFacts } from './text.js' */
/** @import { SelectChoice } from './ui.js' */
import { useParameters } from './address.js';
import { SearchSelect } from './search-select.js';
import { useQuery } from './state.js';
import { t } from './text.js';
import { html, Icon, Problem, Skeleton } from './ui.js';

/** @typedef {keyof typeof t.operations} Operation */

/** @typedef {keyof typeof t.rankSteps} StepName */

/**
 * The reasons of outcomes that each step makes. "owner" belongs to the rank, or to the permission if no ranks count.
 * @type {Record<StepName, string[]>}
 */
const reasons = {
  needs: ['permissions', 'administrator', 'missing permissions', 'timed out', 'not a member'],
  everyone: ['everyone role'],
  managed: ['managed role'],
  targetOwner: ['target owns the guild'],
  rank: ['owner', 'higher role', 'not above'],
  targetAdmin: ['target administrates'],
};

/**
 * The steps of each operation, in their order.
 * @type {Record<Operation, StepName[]>}
 */
const order = {
  kick: ['needs', 'targetOwner', 'rank'],
  ban: ['needs', 'targetOwner', 'rank'],
  timeout: ['needs', 'targetOwner', 'rank', 'targetAdmin'],
  nick: ['needs', 'targetOwner', 'rank'],
  mute: ['needs'],
  deafen: ['needs'],
  move: ['needs'],
  disconnect: ['needs'],
  flags: ['needs'],
  'give-role': ['needs', 'managed', 'rank'],
  'edit-role': ['needs', 'rank'],
  'delete-role': ['needs', 'everyone', 'managed', 'rank'],
};

const operations = /** @type {Operation[]} */ (Object.keys(order));

/** @param {Operation} operation */
const isOnRole = (operation) => operation.endsWith('-role');

/**
 * stepsOf returns the steps of an operation with their states. An allowed operation has passed all of them. Members
 * change their own nickname without rank.
 * @param {Operation} operation
 * @param {boolean} own whether the member acts on itself
 * @param {OperationExplanation} explanation
 * @returns {{ name: StepName, state: keyof typeof t.decisionStates }[]}
 */
function stepsOf(operation, own, { allowed, reason }) {
  /** @type {StepName[]} */
  const steps = own && operation === 'nick' ? ['needs'] : order[operation];
  const found = steps.findIndex((name) => reasons[name].includes(reason));
  const made = Math.max(found, 0);
  return steps.map((name, i) => {
    if (i === made) return { name, state: allowed ? 'allows' : 'denies' };
    return { name, state: allowed || i < made ? 'passed' : 'later' };
  });
}

const icons = { passed: 'check', silent: 'minus', allows: 'done', denies: 'failed', later: 'minus' };

/**
 * Ladder lists the two roles that were compared, the higher one first.
 * @param {{ explanation: OperationExplanation, by: string, on: string }} props
 */
function Ladder({ explanation: { allowed, role, against }, by, on }) {
  if (!(role && against)) return null;
  /** @param {RankedRole} ranked @param {string} whose */
  const rung = ({ name, position }, whose) => html`
    <li key=${whose}>
      <span class="chip">${atName(name)}</span> <span>${whose}</span>${' '}
      <span class="note">${t.rolePosition(position)}</span>
    </li>
  `;
  const own = rung(role, t.highestRoleOf(by));
  const other = rung(against, on ? t.highestRoleOf(on) : t.roleOfAction);
  const isTie = role.position === against.position && role.id !== against.id;
  return html`
    <h3>${t.comparedRoles}</h3>
    <ol class="ladder">${allowed ? [own, other] : [other, own]}</ol>
    ${isTie && html`<p class="note">${t.samePosition}</p>`}
  `;
}

/** @param {string} name */
const atName = (name) => (name.startsWith('@') ? name : `@${name}`);

/**
 * @typedef {object} AnswerProps
 * @property {Operation} operation
 * @property {string} by the name of the member who acts
 * @property {string} on the name of the target; empty: the target is a role
 * @property {boolean} own
 * @property {OperationExplanation} explanation
 */

/** @param {AnswerProps} props */
function Answer({ operation, by, on, own, explanation }) {
  const { allowed, reason, role, against, missing } = explanation;
  const say = /** @type {Record<string, (facts: RankFacts) => string>} */ (t.rankReasons)[reason];
  const facts = {
    by,
    on,
    role: atName(role?.name ?? ''),
    against: atName(against?.name ?? ''),
    missing: t.listOf(missing),
  };
  const steps = stepsOf(operation, own, explanation).map(
    ({ name, state }) => html`
      <li key=${name} class=${state}>
        <${Icon} name=${icons[state]} />
        <span>${t.rankSteps[name]}</span> <span class="note">${t.decisionStates[state]}</span>
      </li>
    `,
  );
  return html`
    <div role="status" class="callout ${allowed ? 'good' : 'refused'}">
      <strong>${allowed ? t.allowed : t.denied}</strong>: ${say?.(facts) ?? explanation.explanation}
    </div>
    <${Ladder} explanation=${explanation} by=${by} on=${on} />
    <h3>${t.stepsOf}</h3>
    <ol class="steps">${steps}</ol>
    ${operation === 'give-role' && html`<p class="note">${t.giveRoleHint}</p>`}
  `;
}

/**
 * pick returns the wanted value if the choices have it, otherwise the first.
 * @param {SelectChoice[]} choices
 * @param {string} [wanted]
 */
const pick = (choices, wanted) => (choices.find(([value]) => value === wanted) ?? choices[0])?.[0] ?? '';

/**
 * @typedef {object} RanksProps
 * @property {Clients} clients
 * @property {WorldGuild} guild
 * @property {Role[]} roles
 * @property {WorldMember[]} members
 * @property {(id: string) => string} nameOf
 */

/**
 * Ranks asks whether a member may do something to another member or to a role of a guild, and shows why.
 * @param {RanksProps} props
 */
export function Ranks({ clients, guild, roles, members, nameOf }) {
  const [parameters, setParameters] = useParameters();
  /** @type {SelectChoice[]} */
  const memberChoices = members.map((m) => [m.user, nameOf(m.user)]);
  /** @type {SelectChoice[]} */
  const roleChoices = [
    ...roles.map((r) => /** @type {SelectChoice} */ ([r.id, `@${r.name}`])),
    [guild.id, '@everyone'],
  ];
  /** @type {SelectChoice[]} */
  const actions = operations.map((o) => [o, t.operations[o]]);
  const operation = /** @type {Operation} */ (pick(actions, parameters.act));
  const by = pick(memberChoices, parameters.by);
  const on = pick(memberChoices, parameters.on || guild.owner);
  const role = pick(roleChoices, parameters.role);
  const query = new URLSearchParams({ operation, as: by, in: guild.id });
  if (isOnRole(operation)) query.set('role', role);
  else query.set('on', on);
  const question = query.toString();
  const found = useQuery(async () => {
    if (!by) return null;
    /** @type {OperationExplanation} */
    const explanation = await clients.operator.get(`/admin/v1/explain/operation?${question}`);
    return { question, explanation };
  }, [clients, question, roles, members]);
  if (!by) return null;
  const answer = found.value?.question === question ? found.value.explanation : null;
  return html`
    <section class="card ranks" aria-labelledby="ranks">
      <h2 id="ranks">${t.ranksTitle}</h2>
      <div class="line">
        <${SearchSelect} label=${t.actingMember} value=${by} choices=${memberChoices}
          onValue=${(/** @type {string} */ id) => setParameters({ by: id })} />
        <${SearchSelect} label=${t.action} value=${operation} choices=${actions}
          onValue=${(/** @type {string} */ act) => setParameters({ act })} />
        ${
          isOnRole(operation)
            ? html`
                <${SearchSelect} label=${t.targetRole} value=${role} choices=${roleChoices}
                  onValue=${(/** @type {string} */ id) => setParameters({ role: id })} />
              `
            : html`
                <${SearchSelect} label=${t.targetMember} value=${on} choices=${memberChoices}
                  onValue=${(/** @type {string} */ id) => setParameters({ on: id })} />
              `
        }
      </div>
      <${Problem} error=${found.error} />
      ${!(answer || found.error) && html`<${Skeleton} lines=${4} />`}
      ${
        answer &&
        html`
          <${Answer} operation=${operation} by=${nameOf(by)} on=${isOnRole(operation) ? '' : nameOf(on)}
            own=${by === on} explanation=${answer} />
        `
      }
    </section>
  `;
}
