// The Apps page: the list of apps with their states, and the commands, installs, tokens and settings of one.

/** @import { Application, User, WorldGuild } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
import { useParameters } from './address.js';
import { Commands } from './app-commands.js';
import { NewApp } from './app-new.js';
import { Overview } from './app-overview.js';
import { Endpoint, Installs, Intents } from './app-settings.js';
import { Secrets } from './app-tokens.js';
import { useQuery } from './state.js';
import { t } from './text.js';
import { CopyButton, Empty, html, Icon, Input, Tabs, Text } from './ui.js';
import { AppState, Avatar, iconOf } from './user.js';
import { useEffect, useState } from './vendor/hooks.js';

const panels = { commands: Commands, installs: Installs, secrets: Secrets, intents: Intents, endpoint: Endpoint };

/** @type {[keyof typeof panels, string][]} */
const tabs = [
  ['commands', t.commands],
  ['installs', t.installs],
  ['secrets', t.secrets],
  ['intents', t.intents],
  ['endpoint', t.endpoint],
];

/** How often the states of the apps are loaded, in milliseconds. */
const interval = 5000;

/** A longer list of apps has a search. */
const longest = 12;

/** @param {{ apps: Application[], selected: string, tab: string }} props */
function AppList({ apps, selected, tab }) {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const found = apps.filter((a) => a.name.toLowerCase().includes(wanted) || a.id === wanted);
  const items = found.map(
    (a) => html`
      <li key=${a.id}>
        <a href="#/apps?app=${a.id}&tab=${tab}" aria-current=${a.id === selected ? 'page' : undefined}>
          <${Avatar} small bot name=${a.name} id=${a.id} image=${iconOf(a)} />
          <span class="app-name" title=${a.name}>
            <${Text} value=${a.name} max=${32} /> <${AppState} status=${a.status} />
          </span>
        </a>
      </li>
    `,
  );
  return html`
    <nav class="app-list" aria-label=${t.applications}>
      ${apps.length > longest && html`<${Input} label=${t.findApp} type="search" value=${text} onValue=${setText} />`}
      <ul>${items}</ul>
    </nav>
  `;
}

/**
 * @typedef {object} AppsProps
 * @property {Clients} clients
 * @property {Application[]} applications
 * @property {WorldGuild[]} guilds
 * @property {User[]} people
 * @property {() => unknown} onChange
 */

/** @param {AppsProps} props */
export function Apps({ clients, applications, guilds, people, onChange }) {
  const [parameters, setParameters] = useParameters();
  const [creating, setCreating] = useState(false);
  const tab = tabs.find(([name]) => name === parameters.tab)?.[0] ?? 'commands';
  const current = useQuery(() => clients.applications(), [clients, applications]);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || current.reload(), interval);
    return () => clearInterval(timer);
  }, [current.reload]);
  const known = current.value ?? applications;
  const app = known.find((a) => a.id === parameters.app) ?? known[0];
  const onClose = (/** @type {string} */ id) => {
    setCreating(false);
    if (!id) return;
    setParameters({ app: id, tab: 'commands' });
    onChange();
  };
  const newButton = html`
    <button type="button" class="primary" onClick=${() => setCreating(true)}>
      <${Icon} name="plus" /> ${t.newApp}
    </button>
  `;
  const none = () => html`<${Empty} icon="app" title=${t.noAppsTitle} action=${newButton}>${t.noApps}<//>`;
  const shown = () => html`
    <div class="apps-split">
      <${AppList} apps=${known} selected=${app.id} tab=${tab} />
      <div class="app">
        <header class="app-head">
          <h2><${Text} value=${app.name} max=${32} /></h2>
          <p class="note">${app.id} <${CopyButton} text=${app.id} label=${t.copyID} /></p>
        </header>
        <${Overview} key=${app.id} clients=${clients} app=${app} />
        <${Tabs} label=${t.apps} selected=${tab} tabs=${tabs}
          onSelect=${(/** @type {string} */ name) => setParameters({ app: app.id, tab: name })} />
        <div role="tabpanel" aria-label=${t[tab]}>
          <${panels[tab]} key=${app.id} clients=${clients} app=${app.id} guilds=${guilds} />
        </div>
      </div>
    </div>
  `;
  return html`
    <main class="page apps">
      <div class="toolbar"><h1>${t.apps}</h1><span class="end">${app && newButton}</span></div>
      ${app ? shown() : none()}
      ${creating && html`<${NewApp} clients=${clients} people=${people} guilds=${guilds} onClose=${onClose} />`}
    </main>
  `;
}
