// The World page: records as tables and as a file and, in dev mode, the clock and injected faults.

/** @import { Application, User, WorldGuild } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
import { useState } from '/assets/vendor/hooks.js';
import { t } from './text.js';
import { html } from './ui.js';
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
  const changed = () => {
    setVersion((v) => v + 1);
    onChange();
  };
  return html`
    <main class="page world">
      <h1>${t.world}</h1>
      ${
        clients.settings.dev &&
        html`<div class="world-controls"><${ClockSection} /><${FaultsSection} applications=${applications} /></div>`
      }
      <div class="world-data">
        <${WorldTables} clients=${clients} people=${people} applications=${applications} guilds=${guilds}
          version=${version} onChange=${changed} />
        <${WorldFile} clients=${clients} version=${version} onChange=${changed} />
      </div>
    </main>
  `;
}
