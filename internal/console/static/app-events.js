// The event webhooks of an application: where they go, and of which types.

/** @import { AppHealth, CurrentApplication } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
import { api } from './http.js';
import { useAction, useQuery } from './state.js';
import { t } from './text.js';
import { Moment } from './time.js';
import { Checkbox, html, Input, Problem, withoutDefault } from './ui.js';
import { useState } from './vendor/hooks.js';

/** The types that the service sends. */
const sent = [
  'APPLICATION_AUTHORIZED',
  'APPLICATION_DEAUTHORIZED',
  'ENTITLEMENT_CREATE',
  'ENTITLEMENT_UPDATE',
  'ENTITLEMENT_DELETE',
  'LOBBY_MESSAGE_CREATE',
  'LOBBY_MESSAGE_UPDATE',
  'LOBBY_MESSAGE_DELETE',
];

/** The statuses of event webhooks. */
const off = 1;
const on = 2;
const switchedOff = 3;

/** @param {{ status: number, failures: AppHealth['event_failures'] }} props */
function Note({ status, failures }) {
  if (status !== switchedOff && !failures) return null;
  return html`
    <p class="callout" role="status">
      ${status === switchedOff ? t.eventsSwitchedOff : t.eventsFail(failures?.count ?? 0)}
      ${failures && html`<br />${t.lastFailure}: <${Moment} at=${failures.at} /> ${failures.why}`}
    </p>
  `;
}

/**
 * EventWebhooks edits the event webhooks of an application.
 * @param {{ clients: Clients, app: string, current: CurrentApplication, onSaved: () => unknown }} props
 */
export function EventWebhooks({ clients, app, current, onSaved }) {
  const [edits, setEdits] = useState(/** @type {Partial<CurrentApplication>} */ ({}));
  const health = useQuery(
    /** @returns {Promise<AppHealth>} */ () => clients.operator.get(`/admin/v1/applications/${app}/health`),
    [clients, app],
  );
  const now = { ...current, ...edits };
  const set = (/** @type {Partial<CurrentApplication>} */ edit) => setEdits({ ...edits, ...edit });
  const save = useAction(async () => {
    const { event_webhooks_status: status, event_webhooks_types: types } = now;
    await clients.app(app).patch(`${api}/applications/@me`, {
      event_webhooks_url: now.event_webhooks_url || null,
      event_webhooks_status: status === on ? on : off,
      event_webhooks_types: types,
    });
    setEdits({});
    onSaved();
    health.reload();
  });
  const toggle = (/** @type {string} */ type, /** @type {boolean} */ wanted) => {
    const others = now.event_webhooks_types.filter((other) => other !== type);
    set({ event_webhooks_types: wanted ? [...others, type] : others });
  };
  const types = sent.map(
    (type) => html`
      <${Checkbox} key=${type} label=${type} value=${now.event_webhooks_types.includes(type)}
        onValue=${(/** @type {boolean} */ wanted) => toggle(type, wanted)} />
    `,
  );
  return html`
    <form onSubmit=${withoutDefault(save.run)}>
      <h3>${t.eventWebhooks}</h3>
      <${Note} status=${current.event_webhooks_status} failures=${health.value?.event_failures} />
      <${Input} label=${t.eventWebhooksURL} type="url" value=${now.event_webhooks_url ?? ''} hint=${t.eventWebhooksHint}
        onValue=${(/** @type {string} */ url) => set({ event_webhooks_url: url })} />
      <${Checkbox} label=${t.sendEvents} value=${now.event_webhooks_status === on} role="switch"
        onValue=${(/** @type {boolean} */ wanted) => set({ event_webhooks_status: wanted ? on : off })} />
      <fieldset><legend>${t.eventTypes}</legend>${types}</fieldset>
      <button class="primary" disabled=${save.busy}>${save.busy ? t.checkingEndpoint : t.saveEvents}</button>
      <${Problem} error=${save.error} />
    </form>
  `;
}
