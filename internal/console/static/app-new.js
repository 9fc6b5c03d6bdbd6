// The dialog that creates an application.

/** @import { AdminApplication, User, WorldGuild } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
import { environment, rememberToken } from './app-tokens.js';
import { newID } from './ids.js';
import { SearchSelect } from './search-select.js';
import { useAction } from './state.js';
import { t } from './text.js';
import { Checkbox, CopyButton, Dialog, html, Input, Problem, withoutDefault } from './ui.js';
import { fullName } from './user.js';
import { useState } from './vendor/hooks.js';

/**
 * @typedef {object} NewAppProps
 * @property {Clients} clients
 * @property {User[]} people
 * @property {WorldGuild[]} guilds
 * @property {(app: string) => unknown} onClose is called with the id of the new application, or with an empty text
 */

/** @param {NewAppProps} props */
export function NewApp({ clients, people, guilds, onClose }) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [owner, setOwner] = useState(people[0]?.id ?? '');
  const [guild, setGuild] = useState(guilds[0]?.id ?? '');
  const [forUsers, setForUsers] = useState(false);
  const [made, setMade] = useState(/** @type {AdminApplication | null} */ (null));
  const create = useAction(async () => {
    const { operator } = clients;
    const id = newID();
    const types = forUsers ? [0, 1] : [0];
    const body = { name, owner, description: description || undefined, integration_types: types };
    /** @type {AdminApplication} */
    const app = await operator.put(`/admin/v1/applications/${id}`, body);
    rememberToken(clients, id, app.bot_token ?? '');
    setMade(app);
    const scopes = ['bot', 'applications.commands'];
    if (guild) await operator.put(`/admin/v1/guilds/${guild}/installs/${id}`, { scopes });
  });
  if (made) {
    const lines = environment(made.id, made.bot_token ?? '');
    return html`
      <${Dialog} title=${t.appMade(made.name)} onClose=${() => onClose(made.id)}>
        <p>${t.appMadeHint}</p>
        <pre class="code" tabindex="0">${lines}</pre>
        <p class="warning">${t.shownOnce}</p>
        <${Problem} error=${create.error} />
        <footer>
          <${CopyButton} text=${lines} label=${t.copyEnvironment} />
          <button type="button" class="primary" onClick=${() => onClose(made.id)}>${t.done}</button>
        </footer>
      <//>
    `;
  }
  const names = people.map((p) => [p.id, fullName(p)]);
  const installs = [['', t.installNowhere], ...guilds.map((g) => [g.id, g.name])];
  return html`
    <${Dialog} title=${t.newApp} onClose=${() => onClose('')}>
      <form class="stacked" onSubmit=${withoutDefault(create.run)}>
        <${Input} label=${t.name} value=${name} onValue=${setName} maxlength="32" required />
        <${Input} label=${t.description} value=${description} onValue=${setDescription} maxlength="400" />
        <${SearchSelect} label=${t.owner} value=${owner} onValue=${setOwner} choices=${names} />
        <${SearchSelect} label=${t.installInGuild} value=${guild} onValue=${setGuild} choices=${installs} />
        <${Checkbox} label=${t.installForUsers} value=${forUsers} onValue=${setForUsers} />
        <${Problem} error=${create.error} />
        <footer>
          <button type="button" onClick=${() => onClose('')}>${t.cancel}</button>
          <button class="primary" disabled=${create.busy || !name.trim() || !owner}>${t.create}</button>
        </footer>
      </form>
    <//>
  `;
}
