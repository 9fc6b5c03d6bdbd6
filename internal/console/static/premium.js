// Premium buttons: what an app sells, and the dialog in which a person buys it. Nothing is paid.

/** @import { Component, Entitlement, SKU } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
/** @import { LoadedGuild, Session } from './session.js' */
import { api, request } from './http.js';
import { useAction, useQuery } from './state.js';
import { t } from './text.js';
import { toast } from './toast.js';
import { Dialog, html, Icon, Problem, Text } from './ui.js';
import { useState } from './vendor/hooks.js';

const typeSubscription = 5;
const flagGuild = 1 << 7;

/**
 * Where a premium button is: who sees it, the app that sells, and the guild.
 * @typedef {object} Place
 * @property {Clients} clients
 * @property {Session} session
 * @property {string} application
 * @property {LoadedGuild} [guild]
 */

/** @type {WeakMap<Session, Map<string, Promise<SKU[]>>>} */
const offers = new WeakMap();

/**
 * offersOf returns what an app sells. It asks once for each session and app.
 * @param {Place} place
 * @returns {Promise<SKU[]>}
 */
function offersOf({ session, application }) {
  const known = offers.get(session) ?? new Map();
  offers.set(session, known);
  const asked = known.get(application) ?? session.client.get(`${api}/applications/${application}/skus`);
  known.set(application, asked);
  return asked;
}

/**
 * buy gives the person or the guild what a SKU offers.
 * @param {Place} place
 * @param {SKU} sku
 */
const buy = ({ session, application, guild }, sku) =>
  request('POST', '/_dev/purchases', {
    as: session.userID,
    application,
    sku: sku.id,
    ...(sku.flags & flagGuild && guild ? { guild: guild.id } : {}),
  });

/** @param {{ sku: SKU, place: Place, onClose: () => unknown }} props */
function Purchase({ sku, place, onClose }) {
  const { clients, session, application, guild } = place;
  const pay = useAction(async () => {
    await buy(place, sku);
    toast(t.bought(sku.name));
    onClose();
  });
  const owned = useQuery(
    /** @returns {Promise<Entitlement[]>} */
    () => session.client.get(`${api}/users/@me/applications/${application}/entitlements?sku_ids=${sku.id}`),
    [sku.id],
  );
  const forGuild = Boolean(sku.flags & flagGuild);
  const has = Boolean(owned.value?.some((e) => !e.consumed));
  const kind = sku.type === typeSubscription ? t.subscriptionFor(forGuild ? (guild?.name ?? '') : '') : t.oneTime;
  const button = () => html`
    <button type="button" class="primary" data-first disabled=${pay.busy || has} onClick=${pay.run}>${t.buy}</button>
  `;
  return html`
    <${Dialog} title=${sku.name} onClose=${onClose}>
      <p>${kind}</p>
      <p class="note">${clients.settings.dev ? t.nothingPaid : t.nothingSold}</p>
      ${has && html`<p class="note" role="status">${t.ownedAlready}</p>`}
      <${Problem} error=${pay.error ?? owned.error} />
      <p class="toolbar">
        ${clients.settings.dev && button()}
        <button type="button" onClick=${onClose}>${t.cancel}</button>
      </p>
    <//>
  `;
}

/**
 * PremiumButton shows what it sells. A press opens the dialog to buy it.
 * @param {{ button: Component, place?: Place }} props
 */
export function PremiumButton({ button, place }) {
  const [open, setOpen] = useState(false);
  const list = useQuery(() => (place ? offersOf(place) : []), [place?.session, place?.application]);
  const sku = list.value?.find((s) => s.id === button.sku_id);
  const dialog = () => html`<${Purchase} sku=${sku} place=${place} onClose=${() => setOpen(false)} />`;
  return html`
    <button type="button" class="component primary" disabled=${button.disabled || !sku} onClick=${() => setOpen(true)}>
      <${Icon} name="shop" /> <${Text} value=${sku?.name ?? t.premium} max=${80} />
    </button>
    ${open && sku && dialog()}
  `;
}
