// The commands of an application: as a list, in an editor, and replaced by a file.

/** @import { Command, CommandDefinition, Guild, Option, Quota } from '../types/wire.js' */
/** @import { Scope } from './command-editor.js' */
/** @import { Clients } from './http.js' */
import { CommandEditor, guildQuery } from './command-editor.js';
import { commandTypes, optionTypes, Plan, planReplace } from './definition.js';
import { api } from './http.js';
import { localesOf } from './preview.js';
import { SearchSelect } from './search-select.js';
import { useAction, useQuery } from './state.js';
import { t } from './text.js';
import { Dialog, Empty, html, Icon, Input, Problem, Skeleton, Text } from './ui.js';
import { useState } from './vendor/hooks.js';

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
        <${Text} class="note description" value=${description} max=${100} />
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
export function Commands({ clients, app, guilds }) {
  const [guild, setGuild] = useState('');
  const [edited, setEdited] = useState(/** @type {Command | 'new' | null} */ (null));
  const [text, setText] = useState('');
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
  const wanted = text.trim().toLowerCase();
  const found = commands.filter((c) => c.name.includes(wanted) || c.description?.toLowerCase().includes(wanted));
  const cards = found.map(
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
        <${SearchSelect} label=${t.scope} value=${guild} onValue=${setGuild}
          choices=${[['', t.global], ...guilds.map((g) => [g.id, g.name])]} />
        <${Input} label=${t.findCommand} type="search" value=${text} onValue=${setText} />
        <${ImportButton} onFile=${read.run} />
        ${newButton(commands.length > 0 || list.error ? '' : 'invisible')}
      </div>
      <p class="note">${quota.value ? t.quota(quota.value.used, quota.value.max) : '…'}</p>
      <p class="hint">${t.dropHere}</p>
      <${Problem} error=${list.error ?? remove.error ?? read.error} />
      ${list.busy && !list.value ? html`<${Skeleton} lines=${6} />` : html`<ul class="cards">${cards}</ul>`}
      ${list.value?.length === 0 && none()}
      ${commands.length > 0 && found.length === 0 && html`<p class="hint">${t.noMatch}</p>`}
      ${edited && editor()}
      ${file && html`<${ImportDialog} scope=${scope} current=${commands} file=${file} onClose=${onClose} />`}
    <//>
  `;
}
