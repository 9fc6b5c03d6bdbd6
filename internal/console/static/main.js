// The frame: which page is shown, and who is signed in.
import {html, render, Problem, Busy, Input, useState, useEffect, useAsk, useWork} from './ui.js';
import {t} from './text.js';
import {Desk, Seat, open} from './http.js';
import {Play} from './play.js';
import {Apps} from './apps.js';
import {Permissions} from './permissions.js';
import {Lobbies} from './lobbies.js';
import {Traffic} from './traffic.js';
import {World} from './world.js';

const pages = {play: Play, apps: Apps, permissions: Permissions, lobbies: Lobbies, traffic: Traffic, world: World};

// developer pages exist with the dev controls alone.
const developer = new Set(['traffic']);

function usePage() {
  const read = () => location.hash.replace(/^#\/?/, '') || 'play';
  const [page, set] = useState(read);
  useEffect(() => {
    const moved = () => set(read());
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  return page in pages ? page : 'play';
}

function SignIn({onDone, settings}) {
  const [token, setToken] = useState('');
  const work = useWork(async () => {
    sessionStorage.setItem('operator', token.trim());
    try {
      await new Desk(settings).operator.get('/admin/v1/users?limit=1');
    } catch (e) {
      sessionStorage.removeItem('operator');
      throw e;
    }
    onDone();
  });
  return html`<main class="page sign-in"><h1>Bellhop</h1>
    <form onSubmit=${(e) => { e.preventDefault(); work.run(); }}>
      <${Input} label=${t.operatorToken} type="password" value=${token} onValue=${setToken} hint=${t.operatorHint} />
      <${Problem} error=${work.error} /><button class="primary" disabled=${work.busy || !token}>${t.signIn}</button>
    </form>
    ${settings.sign_in && html`<p><a class="button" href=${settings.sign_in}>${t.signInWith}</a></p>`}
  </main>`;
}

function Theme() {
  const [theme, set] = useState(() => localStorage.getItem('theme') ?? '');
  useEffect(() => {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    localStorage.setItem('theme', theme);
  }, [theme]);
  const next = {'': 'dark', dark: 'light', light: ''}[theme];
  return html`<button type="button" class="quiet" onClick=${() => set(next)}>${t.themes[theme]}</button>`;
}

// leave ends the session of whoever is here. Accounts sign out where they signed in.
function leave(desk) {
  sessionStorage.removeItem('operator');
  if (desk.me) location.assign(desk.settings.sign_in);
  else location.reload();
}

function Frame({desk}) {
  const wanted = usePage();
  const page = desk.me ? 'play' : wanted;
  const world = useAsk(async () => {
    if (desk.me) return {people: [desk.me], applications: [], guilds: []};
    const [people, applications, guilds] = await Promise.all([desk.all('/users'), desk.all('/applications'), desk.all('/guilds')]);
    return {people, applications, guilds};
  }, [desk]);
  useEffect(() => {
    document.title = `${t[page]} · Bellhop`;
  }, [page]);
  const Page = pages[page];
  const shown = Object.keys(pages).filter((p) => (desk.me ? p === 'play' : desk.settings.dev || !developer.has(p)));
  return html`<header class="frame">
      <a class="brand" href="#/play"><img src="/assets/icon.svg" alt="" width="24" height="24" /> Bellhop</a>
      <nav aria-label=${t.pages}><ul>${shown.map((p) => html`<li key=${p}><a href="#/${p}" aria-current=${p === page ? 'page' : undefined}>${t[p]}</a></li>`)}</ul></nav>
      <${Theme} />
      ${!desk.settings.dev && html`<button type="button" class="quiet" onClick=${() => leave(desk)}>${t.signOut}</button>`}
    </header>
    ${world.value ? html`<${Page} desk=${desk} people=${world.value.people} applications=${world.value.applications} guilds=${world.value.guilds} onChange=${world.again} />`
      : html`<main class="page"><h1>${t[page]}</h1>${world.error ? html`<${Problem} error=${world.error} />` : html`<${Busy} />`}</main>`}`;
}

function App({settings}) {
  const known = settings.dev || sessionStorage.getItem('operator');
  const [desk, set] = useState(() => (known ? new Desk(settings) : null));
  const seat = useAsk(() => (known ? null : Seat.enter(settings)), []);
  if (!desk && seat.busy) return html`<main class="page"><h1>Bellhop</h1><${Busy} /></main>`;
  if (!desk && seat.value) return html`<${Frame} desk=${seat.value} />`;
  return desk ? html`<${Frame} desk=${desk} />` : html`<${SignIn} settings=${settings} onDone=${() => set(new Desk(settings))} />`;
}

const root = document.getElementById('app');
open('GET', '/assets/settings.json').then(
  (settings) => render(html`<${App} settings=${settings} />`, root),
  (error) => render(html`<main class="page"><${Problem} error=${error} /></main>`, root),
);
