// The World page: records as tables and as a file and, in dev mode, a panel with the clock and injected faults.

/** @import { Application, User, WorldGuild } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
import { t } from './text.js';
import { html, Icon } from './ui.js';
import { useState } from './vendor/hooks.js';
import { ClockSection } from './world-clock.js';
import { FaultsSection } from './world-faults.js';
import { WorldFile } from './world-file.js';
import { WorldTables } from './world-tables.js';

/**
 * @typedef {object} WorldProps
 * @property {Clients} clients
 * @property {User[]} people
 * @property {Application[]} applications
 * @property {WorldGuild[]} guilds
 * @property {() => unknown} onChange
 */

/** @param {WorldProps} props */
export function World({ clients, people, applications, guilds, onChange }) {
  const [version, setVersion] = useState(0);
  const [hidden, setHidden] = useState(() => localStorage.getItem('world-panel') === 'hidden');
  const { dev } = clients.settings;
  const toggle = () => {
    localStorage.setItem('world-panel', hidden ? '' : 'hidden');
    setHidden(!hidden);
  };
  const changed = () => {
    setVersion((v) => v + 1);
    onChange();
  };
  const toggleButton = html`
    <button type="button" class="end" aria-pressed=${hidden ? 'false' : 'true'} onClick=${toggle}>
      <${Icon} name="sliders" /> ${t.clockAndFaults}
    </button>
  `;
  const panel = html`
    <aside class="world-panel" aria-label=${t.clockAndFaults}>
      <${ClockSection} />
      <${FaultsSection} applications=${applications} />
    </aside>
  `;
  return html`
    <main class="page world">
      <div class="toolbar"><h1>${t.world}</h1>${dev && toggleButton}</div>
      <div class="world-columns ${dev && !hidden ? 'with-panel' : ''}">
        <div class="world-data">
          <${WorldTables} clients=${clients} people=${people} applications=${applications} guilds=${guilds}
            version=${version} onChange=${changed} />
          <${WorldFile} clients=${clients} version=${version} onChange=${changed} />
        </div>
        ${dev && !hidden && panel}
      </div>
    </main>
  `;
}
