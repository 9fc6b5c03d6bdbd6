// Interactions in the timeline that wait for an answer or failed.

/** @import { CommandPermission, Exchange, Explanation } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
/** @import { LoadedGuild, Pending, Session } from './session.js' */
import { APIError } from './http.js';
import { reasonOf } from './permission-decision.js';
import { target } from './permission-matrix.js';
import { useQuery } from './state.js';
import { t } from './text.js';
import { CopyButton, html, Icon, Text } from './ui.js';
import { fullName } from './user.js';

/**
 * What is known about a failure.
 * @typedef {object} Facts
 * @property {string} what
 * @property {number} [status]
 * @property {string} [body]
 * @property {{ path: string, message: string }[]} fields
 */

/**
 * findExchange returns the recorded request or delivery of a failed interaction. Only dev mode records them.
 * @param {Clients} clients
 * @param {Pending} pending
 */
async function findExchange(clients, { nonce, interaction }) {
  if (!clients.settings.dev) return undefined;
  /** @type {Exchange[]} */
  const list = await clients.operator.get('/_dev/requests?limit=200');
  const found = list.filter((e) =>
    interaction ? e.interaction_id === interaction : e.kind === 'request' && e.request?.body?.includes(`"${nonce}"`),
  );
  return found.find((e) => e.kind === 'delivery') ?? found[0];
}

/**
 * targetName returns the name of what an overwrite names. The role @everyone has the id of the guild.
 * @param {LoadedGuild | undefined} guild
 * @param {CommandPermission} entry
 */
function targetName(guild, { type, id }) {
  if (id === guild?.id) return '@everyone';
  const role = guild?.roles.find((r) => r.id === id);
  const channel = guild?.channels.find((c) => c.id === id);
  if (type === target.role) return role ? `@${role.name}` : id;
  if (type === target.channel) return channel ? `#${channel.name}` : t.allChannels;
  const member = guild?.members.find((m) => m.user.id === id);
  return fullName(member?.user ?? { id, username: id }, member?.nick);
}

/**
 * findReason returns why the person cannot use a command that the service refused, by the present permissions. Only an
 * operator can ask that.
 * @param {Clients} clients
 * @param {Session} session
 * @param {Pending} pending
 */
async function findReason(clients, session, { error, body }) {
  const isRefusal = error instanceof APIError && error.status >= 400 && error.status < 500;
  const { data, channel_id: channel, application_id: application, guild_id: guild = '' } = body;
  if (!(isRefusal && data.id && session.me) || clients.account) return undefined;
  const query = new URLSearchParams({ as: session.me.id, in: channel, command: data.id, application });
  /** @type {Explanation} */
  const decision = await clients.operator.get(`/admin/v1/explain?${query}`);
  if (decision.allowed) return undefined;
  return reasonOf(decision, (entry) => targetName(session.guilds.get(guild), entry));
}

/**
 * factsOf returns what is known about a failure: the answer of the service, or the app's answer and the reason.
 * @param {Pending} pending
 * @param {Exchange | undefined} exchange
 * @returns {Facts}
 */
function factsOf({ error, detail, reason = 1 }, exchange) {
  if (error instanceof APIError) {
    const body = error.body && JSON.stringify(error.body, null, 2);
    return { what: error.message, status: error.status, body, fields: error.fieldErrors };
  }
  const what = error?.message ?? detail ?? t.reasons[reason] ?? t.reasons[1];
  const delivery = exchange?.kind === 'delivery' ? exchange : undefined;
  return { what, status: delivery?.status, body: delivery?.response?.body, fields: [] };
}

/** @typedef {{ pending: Pending, session: Session, clients: Clients }} PendingProps */

/** @param {PendingProps} props */
function FailureCard({ pending, session, clients }) {
  const { label, nonce, interaction, step } = pending;
  const exchange = useQuery(() => findExchange(clients, pending), [nonce]).value;
  const reason = useQuery(() => findReason(clients, session, pending), [nonce]).value;
  const { what, status, body, fields } = factsOf(pending, exchange);
  const inTraffic = `#/traffic?${new URLSearchParams({ text: interaction ?? nonce })}`;
  const retry = () => session.retry(pending).catch(() => {}); // it becomes a card again
  return html`
    <div class="failure" role="alert" data-nonce=${nonce}>
      <header>
        <${Icon} name="failed" />
        <b><${Text} value=${t.didFail(label)} max=${160} /></b>
        ${status ? html`<span class="badge bad">${status}</span>` : null}
      </header>
      <p>${what}</p>
      ${reason && html`<p><b>${t.denied}</b>: ${reason}</p>`}
      ${step?.use && html`<p><code>${step.use}</code></p>`}
      ${
        fields.length > 0 &&
        html`<ul>${fields.map((f) => html`<li key=${f.path}><code>${f.path || '·'}</code> ${f.message}</li>`)}</ul>`
      }
      ${
        body &&
        html`
          <details>
            <summary>${t.body}</summary>
            <pre tabindex="0"><${Text} value=${body} max=${4000} /></pre>
          </details>
        `
      }
      <p class="toolbar">
        <button type="button" class="small" onClick=${retry}><${Icon} name="retry" /> ${t.tryAgain}</button>
        ${exchange && html`<a class="button small" href=${inTraffic}><${Icon} name="traffic" /> ${t.showInTraffic}</a>`}
        ${body && html`<${CopyButton} text=${body} label=${t.copyBody} />`}
        <button type="button" class="small quiet" onClick=${() => session.dismiss(nonce)}>${t.dismiss}</button>
      </p>
    </div>
  `;
}

/**
 * PendingView shows an interaction that waits for an answer, or the card of one that failed.
 * @param {PendingProps} props
 */
export function PendingView(props) {
  const { label, state } = props.pending;
  if (state === 'failed') return html`<${FailureCard} ...${props} />`;
  return html`<p class="pending busy" role="status"><b><${Text} value=${label} max=${120} /></b> ${t.waiting}</p>`;
}
