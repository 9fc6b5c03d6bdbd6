// The bot token and the client secret of an application. In dev mode the bot token can be copied while it is valid.

/** @import { Clients } from './http.js' */
/** @import { Child } from './vendor/preact.js' */
import { serviceURL } from './base.js';
import { api, request } from './http.js';
import { useAction, useQuery } from './state.js';
import { t } from './text.js';
import { CopyButton, html, Problem } from './ui.js';
import { useState } from './vendor/hooks.js';

/** The bot tokens that this page made in dev mode, by application. @type {Map<string, string>} */
const made = new Map();

/**
 * rememberToken keeps a bot token until the page is closed, in dev mode alone.
 * @param {Clients} clients
 * @param {string} app
 * @param {string} token
 */
export function rememberToken({ settings }, app, token) {
  if (settings.dev) made.set(app, token);
}

/** forgetTokens forgets all tokens: a reset of the world makes them invalid. */
export const forgetTokens = () => made.clear();

/**
 * environment returns the variables that a bot needs, as lines for a shell.
 * @param {string} app
 * @param {string} token
 */
export const environment = (app, token) =>
  [
    `export BELLHOP_BASE_URL=${serviceURL(api)}`,
    `export BELLHOP_APPLICATION_ID=${app}`,
    `export BELLHOP_BOT_TOKEN=${token}`,
    '',
  ].join('\n');

/**
 * KnownToken copies the bot token that the service or this page knows.
 * @param {{ app: string }} props
 */
function KnownToken({ app }) {
  const found = useQuery(async () => {
    /** @type {{ token: string | null }} */
    const known = await request('GET', `/_dev/applications/${app}/bot-token`);
    return made.get(app) ?? known.token;
  }, [app]);
  const { value: token } = found;
  if (found.busy && token === undefined) return html`<p class="toolbar busy" role="status">${t.loading}</p>`;
  if (!token) return html`<p class="hint">${t.tokenUnknown}</p><${Problem} error=${found.error} />`;
  return html`
    <p class="toolbar">
      <code>${token.slice(0, 8)}…</code>
      <${CopyButton} text=${token} label=${t.copyToken} />
      <${CopyButton} text=${environment(app, token)} label=${t.copyEnvironment} />
    </p>
  `;
}

/**
 * Secret creates a new secret and shows it once.
 * @param {{ label: string, create: () => Promise<string>, known?: Child }} props
 */
function Secret({ label, create, known }) {
  const [secret, setSecret] = useState('');
  const replace = useAction(async () => setSecret(await create()));
  const shown = html`
    <p role="status"><code class="secret">${secret}</code> <${CopyButton} text=${secret} /></p>
    <p class="warning">${t.shownOnce}</p>
  `;
  return html`
    <div class="card">
      <header>
        <b>${label}</b>
        <span class="buttons">
          <button type="button" class="small danger" disabled=${replace.busy} onClick=${replace.run}>
            ${t.replace}
          </button>
        </span>
      </header>
      ${!secret && known}
      ${secret ? shown : html`<p class="hint">${t.replaceHint}</p>`}
      <${Problem} error=${replace.error} />
    </div>
  `;
}

/** @param {{ clients: Clients, app: string }} props */
export function Secrets({ clients, app }) {
  const create = async (/** @type {string} */ kind) => {
    /** @type {{ secret: string }} */
    const { secret } = await clients.operator.post(`/admin/v1/applications/${app}/${kind}`);
    return secret;
  };
  const newBotToken = async () => {
    const token = await create('bot-token');
    rememberToken(clients, app, token);
    return token;
  };
  const known = clients.settings.dev && html`<${KnownToken} app=${app} />`;
  return html`
    <section class="cards">
      <${Secret} label=${t.botToken} create=${newBotToken} known=${known} />
      <${Secret} label=${t.clientSecret} create=${() => create('client-secret')} />
    </section>
  `;
}
