// The Apps page: an application's commands, installs, secrets and endpoint.

/** @import { Application, Command, CommandDefinition, CurrentApplication, Guild } from '../types/wire.js' */
/** @import { Install, Option, Quota } from '../types/wire.js' */
/** @import { Clients, FieldError } from './http.js' */
import { useEffect, useState } from '/assets/vendor/hooks.js';
import { useParameters } from './address.js';
import { Overview } from './app-overview.js';
import { commandTypes, definitionOf, optionTypes, Plan, planReplace } from './definition.js';
import { DefinitionForm } from './editor.js';
import { APIError, api } from './http.js';
import { localesOf, Preview } from './preview.js';
import { toError, useAction, useQuery } from './state.js';
import { t } from './text.js';
import {
  CopyButton,
  Dialog,
  Empty,
  html,
  Icon,
  Input,
  Loading,
  Problem,
  Select,
  Skeleton,
  Tabs,
  Text,
  TextArea,
  withoutDefault,
} from './ui.js';

/** @param {{ options?: Option[], root?: boolean }} props */
function OptionTree({ options, root }) {
  if (!options?.length) return null;
  const items = options.map(
    (o, i) => html`
      <li key=${i}>
        <div class="row">
          <b><${Text} value=${o.name} max=${32} /></b>
          <span class="badge info">${optionTypes[o.type] ?? o.type}</span>
          ${o.required && html`<span class="badge">${t.requiredField}</span>`}
          ${o.autocomplete && html`<span class="badge">${t.autocomplete}</span>`}
          <${Text} class="note" value=${o.description} max=${100} />
        </div>
        <${OptionTree} options=${o.options} />
      </li>
    `,
  );
  return html`<ul class=${root ? 'tree-list' : undefined}>${items}</ul>`;
}

/**
 * Locales lists the languages that a command has texts for.
 * @param {{ command: Command }} props
 */
function Locales({ command }) {
  const known = localesOf(command);
  if (known.length === 0) return null;
  return html`
    <span class="note"><${Icon} name="globe" size="small" /> <span class="hidden">${t.languages}</span></span>
    ${known.map(([code, name]) => html`<span key=${code} class="badge" title=${name}>${code}</span>`)}
  `;
}

/**
 * @typedef {object} CommandCardProps
 * @property {Command} command
 * @property {(command: Command) => unknown} onEdit
 * @property {(command: Command) => unknown} onDelete
 */

/** @param {CommandCardProps} props */
function CommandCard({ command, onEdit, onDelete }) {
  const { name, type, description, options } = command;
  return html`
    <li class="card">
      <header>
        <b>${type === 1 ? '/' : ''}<${Text} value=${name} max=${32} /></b>
        <span class="badge">${commandTypes[type]}</span> <${Locales} command=${command} />
        <${Text} class="note" value=${description} max=${100} />
        <span class="buttons">
          <button type="button" class="small" onClick=${() => onEdit(command)}
            aria-label=${t.editNamed(name)}>${t.edit}</button>
          <button type="button" class="small danger" onClick=${() => onDelete(command)}
            aria-label=${t.deleteNamed(name)}>${t.delete}</button>
        </span>
      </header>
      <${OptionTree} options=${options} root />
      <details><summary>JSON</summary><pre tabindex="0">${JSON.stringify(command, null, 2)}</pre></details>
    </li>
  `;
}

/**
 * Where commands are edited: the application, the guild or '' for global commands, and the path of the commands.
 * @typedef {{ clients: Clients, app: string, guild: string, path: string }} Scope
 */

/** @param {Scope} scope */
const guildQuery = ({ guild }) => (guild ? `?guild_id=${guild}` : '');

/**
 * useDefinitionErrors returns the errors that the service finds in a definition, while the user edits it.
 * @param {Scope} scope
 * @param {CommandDefinition} definition
 */
function useDefinitionErrors(scope, definition) {
  const { clients, app, guild } = scope;
  const [errors, setErrors] = useState(/** @type {FieldError[]} */ ([]));
  useEffect(() => {
    let canceled = false;
    const check = async () => {
      const found = await definitionErrors(scope, definition);
      if (!canceled) setErrors(found);
    };
    const timer = setTimeout(check, 150);
    return () => {
      canceled = true;
      clearTimeout(timer);
    };
  }, [clients, app, guild, definition]);
  return errors;
}

/**
 * @param {Scope} scope
 * @param {CommandDefinition} definition
 * @returns {Promise<FieldError[]>}
 */
async function definitionErrors(scope, definition) {
  const path = `/admin/v1/applications/${scope.app}/commands/check${guildQuery(scope)}`;
  try {
    await scope.clients.operator.post(path, definition);
    return [];
  } catch (error) {
    if (error instanceof APIError && error.fieldErrors.length) return error.fieldErrors;
    return [{ path: '', code: '', message: toError(error).message }];
  }
}

/** @param {CommandDefinition} definition */
const toJSON = (definition) => JSON.stringify(definition, null, 2);

/**
 * useDefinition returns a definition that the user edits as a form and as JSON.
 * @param {CommandDefinition} initial
 */
function useDefinition(initial) {
  const [value, setValue] = useState(initial);
  const [text, setText] = useState(() => toJSON(initial));
  const [syntaxError, setSyntaxError] = useState(/** @type {string | null} */ (null));
  return {
    value,
    text,
    syntaxError,
    setDefinition: (/** @type {CommandDefinition} */ definition) => {
      setValue(definition);
      setText(toJSON(definition));
      setSyntaxError(null);
    },
    setJSON: (/** @type {string} */ json) => {
      setText(json);
      try {
        const parsed = JSON.parse(json);
        if (parsed === null || typeof parsed !== 'object') throw new Error(t.notAnObject);
        setValue(parsed);
        setSyntaxError(null);
      } catch (error) {
        setSyntaxError(toError(error).message);
      }
    },
  };
}

/**
 * CommandEditor creates a command, or edits the given one.
 * @param {{ scope: Scope, command: Command | null, onClose: (changed: boolean) => unknown }} props
 */
function CommandEditor({ scope, command, onClose }) {
  const initial = command ? definitionOf(command) : { type: 1, name: '', description: '' };
  const { value, text, syntaxError, setDefinition, setJSON } = useDefinition(initial);
  const errors = useDefinitionErrors(scope, value);
  const cancel = () => onClose(false);
  const save = useAction(async () => {
    const client = scope.clients.app(scope.app);
    await (command ? client.patch(`${scope.path}/${command.id}`, value) : client.post(scope.path, value));
    onClose(true);
  });
  const problem = { message: t.errors(errors.length), fieldErrors: errors };
  const result = errors.length ? html`<${Problem} error=${problem} />` : html`<p class="good">✓ ${t.valid}</p>`;
  return html`
    <${Dialog} wide title=${command ? t.editNamed(command.name) : t.newCommand} onClose=${cancel}>
      <form onSubmit=${withoutDefault(save.run)}>
        <div class="split">
          <${DefinitionForm} value=${value} onValue=${setDefinition} errors=${errors} fixedType=${Boolean(command)} />
          <div>
            <${TextArea} label="JSON" rows="20" value=${text} onValue=${setJSON} error=${syntaxError} />
            <div role="status">${result}</div>
            <${Preview} definition=${value} />
          </div>
        </div>
        <${Problem} error=${save.error} />
        <footer>
          <button type="button" onClick=${cancel}>${t.cancel}</button>
          <button class="primary" disabled=${save.busy || syntaxError || errors.length > 0}>${t.save}</button>
        </footer>
      </form>
    <//>
  `;
}

/**
 * A file with a list of commands.
 * @typedef {{ name: string, commands: CommandDefinition[] }} CommandFile
 */

/**
 * @typedef {object} ImportDialogProps
 * @property {Scope} scope
 * @property {Command[]} current
 * @property {CommandFile} file
 * @property {(changed: boolean) => unknown} onClose
 */

/**
 * ImportDialog shows the difference to the commands of a file, and replaces all commands with them.
 * @param {ImportDialogProps} props
 */
function ImportDialog({ scope, current, file, onClose }) {
  const apply = useAction(async () => {
    await scope.clients.app(scope.app).put(scope.path, file.commands);
    onClose(true);
  });
  const steps = planReplace(current, file.commands);
  const unchanged = steps.every((s) => s.action === 'keep');
  return html`
    <${Dialog} wide title=${t.replaceWith(file.name)} onClose=${() => onClose(false)}>
      <${Plan} steps=${steps} />
      <${Problem} error=${apply.error} />
      <footer>
        <button type="button" onClick=${() => onClose(false)}>${t.cancel}</button>
        <button type="button" class="primary" disabled=${apply.busy || unchanged} onClick=${apply.run}>
          ${t.apply}
        </button>
      </footer>
    <//>
  `;
}

/**
 * readCommandFile reads a list of commands, an object with the list as commands, or one command.
 * @param {File} file
 * @returns {Promise<CommandFile>}
 */
async function readCommandFile(file) {
  const value = JSON.parse(await file.text());
  return { name: file.name, commands: Array.isArray(value) ? value : (value.commands ?? [value]) };
}

/**
 * DropZone takes files that the user drops on it.
 * @param {{ onFile: (file: File | undefined) => unknown, children: unknown }} props
 */
function DropZone({ onFile, children }) {
  const [over, setOver] = useState(false);
  const onDragOver = (/** @type {DragEvent} */ e) => {
    e.preventDefault();
    setOver(true);
  };
  const onDrop = (/** @type {DragEvent} */ e) => {
    e.preventDefault();
    setOver(false);
    onFile(e.dataTransfer?.files[0]);
  };
  return html`
    <section class=${over ? 'over' : ''} onDragOver=${onDragOver} onDragLeave=${() => setOver(false)} onDrop=${onDrop}>
      ${children}
    </section>
  `;
}

/** @param {{ onFile: (file: File | undefined) => unknown }} props */
function ImportButton({ onFile }) {
  const onChange = (/** @type {Event & { currentTarget: HTMLInputElement }} */ e) => {
    onFile(e.currentTarget.files?.[0]);
    e.currentTarget.value = '';
  };
  return html`
    <label class="button">
      ${t.importFile}
      <input type="file" class="hidden" accept="application/json,.json" onChange=${onChange} />
    </label>
  `;
}

/** @typedef {{ clients: Clients, app: string, guilds: Guild[] }} AppProps */

/** @param {AppProps} props */
function Commands({ clients, app, guilds }) {
  const [guild, setGuild] = useState('');
  const [edited, setEdited] = useState(/** @type {Command | 'new' | null} */ (null));
  const [file, setFile] = useState(/** @type {CommandFile | null} */ (null));
  const path = `${api}/applications/${app}${guild ? `/guilds/${guild}` : ''}/commands`;
  const scope = { clients, app, guild, path };
  const list = useQuery(
    /** @returns {Promise<Command[]>} */
    () => clients.app(app).get(`${path}?with_localizations=true`),
    [clients, app, guild],
  );
  const quota = useQuery(
    /** @returns {Promise<Quota>} */
    () => clients.operator.get(`/admin/v1/applications/${app}/quota${guildQuery(scope)}`),
    [clients, app, guild, list.value],
  );
  const remove = useAction(async (/** @type {Command} */ command) => {
    await clients.app(app).delete(`${path}/${command.id}`);
    list.reload();
  });
  const read = useAction(async (/** @type {File | undefined} */ f) => f && setFile(await readCommandFile(f)));
  const onClose = (/** @type {boolean} */ changed) => {
    setEdited(null);
    setFile(null);
    if (changed) list.reload();
  };
  const commands = list.value ?? [];
  const cards = commands.map(
    (c) => html`
      <${CommandCard} key=${c.id} command=${c} onEdit=${setEdited} onDelete=${remove.run} />
    `,
  );
  const newButton = (/** @type {string} */ classes) => html`
    <button type="button" class="primary ${classes}" onClick=${() => setEdited('new')}>
      <${Icon} name="plus" /> ${t.newCommand}
    </button>
  `;
  const none = () => html`
    <${Empty} icon="slash" title=${t.noCommands} action=${newButton('')}>${t.noCommandsHint}<//>
  `;
  const editor = () => html`
    <${CommandEditor} scope=${scope} command=${edited === 'new' ? null : edited} onClose=${onClose} />
  `;
  return html`
    <${DropZone} onFile=${read.run}>
      <div class="line">
        <${Select} label=${t.scope} value=${guild} onValue=${setGuild}
          choices=${[['', t.global], ...guilds.map((g) => [g.id, g.name])]} />
        <${ImportButton} onFile=${read.run} />
        ${newButton(commands.length > 0 || list.error ? '' : 'invisible')}
      </div>
      <p class="note">${quota.value ? t.quota(quota.value.used, quota.value.max) : '…'}</p>
      <p class="hint">${t.dropHere}</p>
      <${Problem} error=${list.error ?? remove.error ?? read.error} />
      ${list.busy && !list.value ? html`<${Skeleton} lines=${6} />` : html`<ul class="cards">${cards}</ul>`}
      ${list.value?.length === 0 && none()}
      ${edited && editor()}
      ${file && html`<${ImportDialog} scope=${scope} current=${commands} file=${file} onClose=${onClose} />`}
    <//>
  `;
}

/** @param {AppProps} props */
function Installs({ clients, app, guilds }) {
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
 * Secret creates a new secret and shows it once.
 * @param {{ label: string, create: () => Promise<{ secret: string }> }} props
 */
function Secret({ label, create }) {
  const [secret, setSecret] = useState('');
  const replace = useAction(async () => setSecret((await create()).secret));
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
      ${secret ? shown : html`<p class="hint">${t.replaceHint}</p>`}
      <${Problem} error=${replace.error} />
    </div>
  `;
}

/** @param {{ clients: Clients, app: string }} props */
function Secrets({ clients, app }) {
  const create = (/** @type {string} */ kind) => () => clients.operator.post(`/admin/v1/applications/${app}/${kind}`);
  return html`
    <section>
      <${Secret} label=${t.botToken} create=${create('bot-token')} />
      <${Secret} label=${t.clientSecret} create=${create('client-secret')} />
    </section>
  `;
}

/** @param {{ clients: Clients, app: string }} props */
function Endpoint({ clients, app }) {
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
  `;
}

const panels = { commands: Commands, installs: Installs, secrets: Secrets, endpoint: Endpoint };

/** @type {[keyof typeof panels, string][]} */
const tabs = [
  ['commands', t.commands],
  ['installs', t.installs],
  ['secrets', t.secrets],
  ['endpoint', t.endpoint],
];

/** @param {{ clients: Clients, applications: Application[], guilds: Guild[] }} props */
export function Apps({ clients, applications, guilds }) {
  const [parameters, setParameters] = useParameters();
  const tab = tabs.find(([name]) => name === parameters.tab)?.[0] ?? 'commands';
  const current = useQuery(() => clients.applications(), [clients, parameters.app, tab]); // the states change
  const known = current.value ?? applications;
  const app = known.find((a) => a.id === parameters.app) ?? known[0];
  if (!app) {
    const action = html`<a class="button primary" href="#/world">${t.openWorld}</a>`;
    return html`
      <main class="page">
        <h1>${t.apps}</h1>
        <${Empty} icon="app" title=${t.noAppsTitle} action=${action}>${t.noApps}<//>
      </main>
    `;
  }
  return html`
    <main class="page">
      <h1>${t.apps}</h1>
      <div class="line">
        <${Select} label=${t.application} value=${app.id}
          onValue=${(/** @type {string} */ id) => setParameters({ app: id })}
          choices=${known.map((a) => [a.id, a.name])} />
        <p class="note">${app.id} <${CopyButton} text=${app.id} label=${t.copyID} /></p>
      </div>
      <${Overview} key=${app.id} clients=${clients} app=${app} />
      <${Tabs} label=${t.apps} selected=${tab} onSelect=${(/** @type {string} */ name) => setParameters({ tab: name })}
        tabs=${tabs} />
      <div role="tabpanel" aria-label=${t[tab]}>
        <${panels[tab]} key=${app.id} clients=${clients} app=${app.id} guilds=${guilds} />
      </div>
    </main>
  `;
}
