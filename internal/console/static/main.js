// The application: sign-in, navigation, and the page that the URL selects.

/** @import { Application, Settings, User, WorldGuild } from '../types/wire.js' */
/** @import { Component } from './vendor/preact.js' */
/** @import { Overlay } from './palette.js' */
import { pageInAddress } from './address.js';
import { serviceURL } from './base.js';
import { AccountClients, APIError, beginOperatorSession, Clients, request } from './http.js';
import { languages, otherLanguage, switchLanguage } from './language.js';
import { theme } from './look.js';
import { Overlays } from './palette.js';
import { toError, useAction, useQuery, useStore } from './state.js';
import { t } from './text.js';
import { Toasts } from './toast.js';
import { html, Icon, IconButton, Input, Problem, Skeleton, Text, withoutDefault } from './ui.js';
import { useEffect, useState } from './vendor/hooks.js';
import { render } from './vendor/preact.js';

/**
 * What pages let the user select.
 * @typedef {{ people: User[], applications: Application[], guilds: WorldGuild[] }} World
 */

/** @typedef {World & { clients: Clients, onChange: () => unknown }} PageProps */

/** @typedef {'play' | 'apps' | 'permissions' | 'lobbies' | 'traffic' | 'world' | 'audit'} PageName */

/**
 * How the code of each page is loaded: the first page appears before the code of the others is there.
 * @type {Record<PageName, () => Promise<Component<PageProps>>>}
 */
const loaders = {
  play: async () => (await import('./play.js')).Play,
  apps: async () => (await import('./apps.js')).Apps,
  permissions: async () => (await import('./permissions.js')).Permissions,
  lobbies: async () => (await import('./lobbies.js')).Lobbies,
  traffic: async () => (await import('./traffic.js')).Traffic,
  world: async () => (await import('./world.js')).World,
  audit: async () => (await import('./audit.js')).Audit,
};

/** The pages whose code is loaded. @type {Map<PageName, Component<PageProps>>} */
const pages = new Map();

/** @param {PageName} name */
async function loadPage(name) {
  if (!pages.has(name)) pages.set(name, await loaders[name]());
}

/** @type {Record<PageName, string>} */
const pageIcons = {
  play: 'chat',
  apps: 'app',
  permissions: 'shield',
  lobbies: 'lobby',
  traffic: 'traffic',
  world: 'world',
  audit: 'audit',
};

/** The chapter of the documentation for each page. @type {Record<PageName, string>} */
const chapters = {
  play: 'console.html',
  apps: 'clients.html',
  permissions: 'permissions.html',
  lobbies: 'lobbies.html',
  traffic: 'console.html#traffic',
  world: 'world.html',
  audit: 'admin.html#audit-log',
};

const pageNames = /** @type {PageName[]} */ (Object.keys(loaders));

/**
 * visiblePages returns the pages that a user can open. Traffic needs dev mode; users with an account see only Play.
 * @param {Clients} clients
 */
function visiblePages({ account, settings }) {
  if (account) return pageNames.filter((name) => name === 'play');
  return pageNames.filter((name) => settings.dev || name !== 'traffic');
}

/** pageName returns the name of the page in the fragment of the URL, and null if there is no such page. */
function pageName() {
  const name = pageInAddress() || 'play';
  return pageNames.find((n) => n === name) ?? null;
}

function usePageName() {
  const [name, setName] = useState(pageName);
  useEffect(() => {
    const onChange = () => setName(pageName());
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return name;
}

/** @param {{ settings: Settings, onDone: () => unknown }} props */
function SignIn({ settings, onDone }) {
  const [token, setToken] = useState('');
  const signIn = useAction(async () => {
    await beginOperatorSession(token.trim());
    onDone();
  });
  const wrong = signIn.error instanceof APIError && signIn.error.status === 401;
  return html`
    <main class="page sign-in">
      <section class="card">
        <header class="sign-in-head">
          <img src="assets/icon.svg" alt="" width="48" height="48" />
          <div>
            <h1>Bellhop</h1>
            <p class="note">${location.host}</p>
          </div>
        </header>
        ${
          settings.sign_in &&
          html`
            <p>${t.signInAsUser}</p>
            <p><a class="button primary" href=${serviceURL(settings.sign_in)}>${t.signInWithAccount}</a></p>
            <hr />
          `
        }
        <p>${t.signInAsOperator}</p>
        ${settings.operator_sign_in?.map(
          ({ name, url }) =>
            html`<p key=${url}><a class="button" href=${serviceURL(url)}>${t.signInWith(name)}</a></p>`,
        )}
        <form class="stacked" onSubmit=${withoutDefault(signIn.run)}>
          <${Input} label=${t.operatorToken} type="password" value=${token} onValue=${setToken}
            hint=${t.operatorHint} />
          <${Problem} error=${wrong ? { message: t.wrongToken } : signIn.error} />
          <button class=${settings.sign_in ? '' : 'primary'} disabled=${signIn.busy || !token}>${t.signIn}</button>
        </form>
      </section>
      <footer class="toolbar">
        <a href="docs/console.html#sign-in-and-safety">${t.help}</a>
        <span class="note">${t.version(settings.version)}</span>
        <span class="end">
          <${IconButton} icon="globe" label=${languages[otherLanguage]} lang=${otherLanguage}
            onClick=${switchLanguage} />
          <${ThemeButton} />
        </span>
      </footer>
    </main>
  `;
}

const themeIcons = { '': 'system', dark: 'moon', light: 'sun' };

function ThemeButton() {
  useStore(theme);
  const { current } = theme;
  return html`<${IconButton} icon=${themeIcons[current]} label=${t.themes[current]} onClick=${() => theme.next()} />`;
}

/**
 * signOut signs the operator out. Users with an account sign out where they signed in.
 * @param {Clients} clients
 */
async function signOut({ account, settings, operator }) {
  if (account && settings.sign_in) {
    location.assign(serviceURL(settings.sign_in));
    return;
  }
  await operator.delete('/admin/v1/session');
  location.reload();
}

/** @param {{ clients: Clients, current: PageName | null, onOverlay: (overlay: Overlay) => unknown }} props */
function Header({ clients, current, onOverlay }) {
  const links = visiblePages(clients).map(
    (name) => html`
      <li key=${name}>
        <a href="#/${name}" aria-current=${name === current ? 'page' : undefined} title=${t[name]}>
          <${Icon} name=${pageIcons[name]} /> <span class="name">${t[name]}</span>
        </a>
      </li>
    `,
  );
  const signOutButton = html`
    <button type="button" class="quiet" onClick=${() => signOut(clients)}>${t.signOut}</button>
  `;
  return html`
    <header class="frame">
      <a class="brand" href="#/play">
        <img src="assets/icon.svg" alt="" width="24" height="24" /> <span class="name">Bellhop</span>
      </a>
      <nav aria-label=${t.pages}><ul>${links}</ul></nav>
      <span class="buttons">
        <${IconButton} icon="search" label="${t.palette} (Ctrl+K)" onClick=${() => onOverlay('palette')} />
        <${IconButton} icon="keyboard" class="quiet for-keyboard" label="${t.keys} (?)"
          onClick=${() => onOverlay('keys')} />
        <${IconButton} icon="globe" label=${languages[otherLanguage]} lang=${otherLanguage} onClick=${switchLanguage} />
        <${ThemeButton} />
        <a class="button quiet only-icon" href="docs/${chapters[current ?? 'play']}" aria-label=${t.help}
          title=${t.help}>
          <${Icon} name="help" />
        </a>
      </span>
      ${!clients.settings.dev && signOutButton}
    </header>
  `;
}

/**
 * @param {Clients} clients
 * @returns {Promise<World>}
 */
async function loadWorld(clients) {
  if (clients.account) return { people: [clients.account], applications: [], guilds: [] };
  const [people, applications, guilds] = await Promise.all([clients.users(), clients.applications(), clients.guilds()]);
  return { people, applications, guilds };
}

/**
 * usePage returns a page when its code is loaded. Then it loads the code of the others, so that they open at once.
 * @param {PageName} name
 * @param {Clients} clients
 */
function usePage(name, clients) {
  const { error } = useQuery(() => loadPage(name), [name]);
  const page = pages.get(name);
  useEffect(() => {
    if (page) Promise.all(visiblePages(clients).map(loadPage)).catch(() => {});
  }, [clients, Boolean(page)]);
  return { page, error };
}

/** @param {{ clients: Clients }} props */
function Layout({ clients }) {
  const selected = usePageName();
  const name = clients.account ? 'play' : (selected ?? 'play');
  const isKnown = clients.account || selected;
  const { page, error } = usePage(name, clients);
  const world = useQuery(() => loadWorld(clients), [clients]);
  const [overlay, setOverlay] = useState(/** @type {Overlay} */ (null));
  useEffect(() => {
    document.title = `${isKnown ? t[name] : t.noPage} · Bellhop`;
  }, [name, isKnown]);
  const loading = () => html`
    <main class="page">
      <h1>${t[name]}</h1>
      ${world.error || error ? html`<${Problem} error=${world.error ?? error} />` : html`<${Skeleton} />`}
    </main>
  `;
  if (!isKnown) {
    return html`
      <${Header} clients=${clients} current=${null} onOverlay=${setOverlay} />
      <main class="page">
        <h1>${t.noPage}</h1>
        <p>${t.noPageHint} <code><${Text} value=${location.hash} max=${100} /></code></p>
        <p><a class="button primary" href="#/play">${t.openPlay}</a></p>
      </main>
    `;
  }
  return html`
    <${Header} clients=${clients} current=${name} onOverlay=${setOverlay} />
    ${world.value && page ? html`<${page} clients=${clients} ...${world.value} onChange=${world.reload} />` : loading()}
    <${Overlays} pages=${visiblePages(clients).map((visible) => ({ name: visible, title: t[visible] }))}
      people=${world.value?.people ?? []} applications=${world.value?.applications ?? []} overlay=${overlay}
      onOverlay=${setOverlay} />
    <${Toasts} />
  `;
}

/** @param {{ settings: Settings }} props */
function App({ settings }) {
  const [operator, setOperator] = useState(() => (settings.dev ? new Clients(settings) : null));
  const resumed = useQuery(async () => (await Clients.resume(settings)) ?? AccountClients.signIn(settings), []);
  if (!operator && resumed.busy) return html`<main class="page"><h1>Bellhop</h1><${Skeleton} /></main>`;
  const clients = operator ?? resumed.value;
  if (clients) return html`<${Layout} clients=${clients} />`;
  return html`<${SignIn} settings=${settings} onDone=${() => setOperator(new Clients(settings))} />`;
}

const root = /** @type {HTMLElement} */ (document.getElementById('app'));

loadPage(pageName() ?? 'play').catch(() => {}); // begins early; the page says what is wrong when it opens

request('GET', '/assets/settings.json').then(
  (/** @type {Settings} */ settings) => render(html`<${App} settings=${settings} />`, root),
  (error) => render(html`<main class="page"><${Problem} error=${toError(error)} /></main>`, root),
);
