// The installs, the privileged intents and the endpoints of an application.

/** @import { AdminApplication, CurrentApplication, Guild, Install } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
import { EventWebhooks } from './app-events.js';
import { api } from './http.js';
import { useAction, useQuery } from './state.js';
import { t } from './text.js';
import { toast } from './toast.js';
import { Checkbox, CopyButton, html, Input, Loading, Problem, Text, withoutDefault } from './ui.js';
import { useState } from './vendor/hooks.js';

/** @typedef {{ clients: Clients, app: string, guilds: Guild[] }} AppProps */

/** @param {AppProps} props */
export function Installs({ clients, app, guilds }) {
  const path = (/** @type {string} */ guild) => `/admin/v1/guilds/${guild}/installs`;
  const installs = useQuery(async () => {
    const perGuild = await Promise.all(
      guilds.map(async (guild) => {
        /** @type {Install[]} */
        const all = await clients.operator.get(path(guild.id));
        return all.filter((i) => i.application === app).map((i) => ({ ...i, guild }));
      }),
    );
    return perGuild.flat();
  }, [clients, app]);
  const install = useAction(async (/** @type {string} */ guild) => {
    await clients.operator.put(`${path(guild)}/${app}`, { scopes: ['bot', 'applications.commands'] });
    installs.reload();
  });
  const uninstall = useAction(async (/** @type {string} */ guild) => {
    await clients.operator.delete(`${path(guild)}/${app}`);
    installs.reload();
  });
  if (installs.busy && !installs.value) return html`<${Loading} />`;
  const found = installs.value ?? [];
  const missing = guilds.filter((g) => !found.some((i) => i.guild.id === g.id));
  const cards = found.map(
    ({ guild, scopes }) => html`
      <li key=${guild.id} class="card">
        <header>
          <b><${Text} value=${guild.name} max=${60} /></b> <span class="note">${(scopes ?? []).join(', ')}</span>
          <span class="buttons">
            <button type="button" class="small danger" onClick=${() => uninstall.run(guild.id)}>${t.uninstall}</button>
          </span>
        </header>
      </li>
    `,
  );
  return html`
    <section>
      <${Problem} error=${installs.error ?? install.error ?? uninstall.error} />
      <ul class="cards">${cards}</ul>
      ${missing.map(
        (g) => html`
          <button key=${g.id} type="button" onClick=${() => install.run(g.id)}>${t.installIn(g.name)}</button>
        `,
      )}
    </section>
  `;
}

/**
 * Intents switches the privileged intents of an application. The record is read again before it is written, so that
 * other changes stay.
 * @param {{ clients: Clients, app: string }} props
 */
export function Intents({ clients, app }) {
  const path = `/admin/v1/applications/${app}`;
  /** @type {() => Promise<AdminApplication>} */
  const read = () => clients.operator.get(path);
  const found = useQuery(read, [clients, app]);
  const [saving, setSaving] = useState(/** @type {Record<string, boolean>} */ ({}));
  const set = useAction(async (/** @type {string} */ name, /** @type {boolean} */ on) => {
    setSaving({ [name]: on });
    try {
      const { status: _, ...record } = await read();
      const others = (record.intents ?? []).filter((i) => i !== name);
      await clients.operator.put(path, { ...record, intents: on ? [...others, name] : others });
      toast(t.saved);
      await found.reload();
    } finally {
      setSaving({});
    }
  });
  const { value } = found;
  if (!value) return html`<${Loading} /><${Problem} error=${found.error} />`;
  const items = Object.entries(t.intentNames).map(
    ([name, [title, meaning]]) => html`
      <li key=${name} class="card intent">
        <${Checkbox} label=${title} value=${saving[name] ?? value.intents?.includes(name) ?? false} role="switch"
          disabled=${set.busy} onValue=${(/** @type {boolean} */ on) => set.run(name, on)} />
        <code>${name}</code>
        <p class="hint">${meaning}</p>
      </li>
    `,
  );
  return html`
    <section>
      <p class="hint">${t.intentsHint}</p>
      <${Problem} error=${set.error} />
      <ul class="cards">${items}</ul>
    </section>
  `;
}

/** @param {{ clients: Clients, app: string }} props */
export function Endpoint({ clients, app }) {
  const path = `${api}/applications/@me`;
  const application = useQuery(
    /** @returns {Promise<CurrentApplication>} */ () => clients.app(app).get(path),
    [clients, app],
  );
  const [url, setURL] = useState(/** @type {string | null} */ (null));
  const [saved, setSaved] = useState(false);
  const save = useAction(async () => {
    setSaved(false);
    await clients.app(app).patch(path, { interactions_endpoint_url: url || null });
    setSaved(true);
    application.reload();
  });
  if (!application.value) return html`<${Loading} /><${Problem} error=${application.error} />`;
  const { interactions_endpoint_url: current, verify_key: key } = application.value;
  return html`
    <form onSubmit=${withoutDefault(save.run)}>
      <${Input} label=${t.endpoint} type="url" value=${url ?? current ?? ''} onValue=${setURL} hint=${t.endpointHint} />
      <button class="primary" disabled=${save.busy}>${save.busy ? t.checkingEndpoint : t.save}</button>
      <div role="status">
        ${saved && html`<p class="good">✓ ${url ? t.endpointValid : t.gatewayDelivers}</p>`}
      </div>
      <${Problem} error=${save.error} />
      <p>${t.publicKey}: <code>${key}</code> <${CopyButton} text=${key} /></p>
    </form>
    <${EventWebhooks} clients=${clients} app=${app} current=${application.value} onSaved=${application.reload} />
  `;
}
