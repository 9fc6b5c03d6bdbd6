// The Lobbies page: live cards of the lobbies of an application.

/** @import { Application, LobbyList, User } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
/** @import { ListedLobby } from './lobby-editor.js' */
import { api } from './http.js';
import { EventList, LobbyCard } from './lobby-card.js';
import { LobbyEditor, nameOf } from './lobby-editor.js';
import { useHistory } from './lobby-history.js';
import { SearchSelect } from './search-select.js';
import { useAction, useQuery } from './state.js';
import { t } from './text.js';
import { Empty, html, Icon, Problem, Skeleton } from './ui.js';
import { useEffect, useState } from './vendor/hooks.js';

/**
 * useLobbies loads the lobbies of an application every second.
 * @param {Clients} clients
 * @param {string} app
 */
function useLobbies(clients, app) {
  const found = useQuery(async () => {
    /** @type {LobbyList} */
    const list = await clients.operator.get(`/admin/v1/applications/${app}/lobbies?limit=200`);
    return { now: Date.parse(list.now), lobbies: list.lobbies.map(({ lobby, ...rest }) => ({ ...lobby, ...rest })) };
  }, [clients, app]);
  useEffect(() => {
    const timer = setInterval(found.reload, 1000);
    return () => clearInterval(timer);
  }, [app]);
  return found;
}

/** @param {{ clients: Clients, applications: Application[], people: User[] }} props */
export function Lobbies({ clients, applications, people }) {
  const [app, setApp] = useState(applications[0]?.id ?? '');
  const [edited, setEdited] = useState(/** @type {ListedLobby | 'new' | null} */ (null));
  const found = useLobbies(clients, app);
  const events = useHistory(found.value, app, (id) => nameOf(people, id));
  const end = useAction(async (/** @type {ListedLobby} */ lobby) => {
    await clients.app(app).delete(`${api}/lobbies/${lobby.id}`);
    await found.reload();
  });
  const onClose = (/** @type {boolean} */ changed) => {
    setEdited(null);
    if (changed) found.reload();
  };
  const { now = 0, lobbies = [] } = found.value ?? {};
  const cards = lobbies.map(
    (l) => html`
      <${LobbyCard} key=${l.id} lobby=${l} now=${now} people=${people} onEdit=${setEdited} onEnd=${end.run}
        events=${events.filter((e) => e.lobby === l.id)} />
    `,
  );
  const ended = events.filter((e) => !lobbies.some((l) => l.id === e.lobby));
  const newButton = html`
    <button type="button" class="primary" disabled=${!app} onClick=${() => setEdited('new')}>
      <${Icon} name="plus" /> ${t.newLobby}
    </button>
  `;
  const editor = () => html`
    <${LobbyEditor} clients=${clients} app=${app} people=${people} lobby=${edited === 'new' ? null : edited}
      onClose=${onClose} />
  `;
  const hasNone = found.value && lobbies.length === 0;
  return html`
    <main class="page">
      <h1>${t.lobbies}</h1>
      <div class="line">
        <${SearchSelect} label=${t.application} value=${app} onValue=${setApp}
          choices=${applications.map((a) => [a.id, a.name])} />
        ${!hasNone && newButton}
      </div>
      <${Problem} error=${found.error ?? end.error} />
      ${!found.value && found.busy ? html`<${Skeleton} lines=${6} />` : null}
      ${hasNone && html`<${Empty} icon="lobby" title=${t.noLobbies} action=${newButton}>${t.noLobbiesHint}<//>`}
      <ul class="cards">${cards}</ul>
      ${
        ended.length > 0 &&
        html`
          <section aria-label=${t.endedLobbies}>
            <h2>${t.endedLobbies}</h2>
            <${EventList} events=${ended.map((e) => ({ ...e, text: `${e.lobby}: ${e.text}` }))} />
          </section>
        `
      }
      ${edited && editor()}
    </main>
  `;
}
