// The input line of a channel. A slash opens the list of commands; a chosen command becomes a form with its options.

/** @import { Choice, Option } from '../types/wire.js' */
/** @import { InputKeyEvent, Item } from './combobox.js' */
/** @import { Entry, Leaf } from './options.js' */
/** @import { LoadedGuild, Session } from './session.js' */
import { useEffect, useId, useLayoutEffect, useRef, useState } from '/assets/vendor/hooks.js';
import { Combobox } from './combobox.js';
import { defaultName, entryError, invocationData, leafName, leaves, optionType, suggestions } from './options.js';
import { toError, useAction, useDebounced } from './state.js';
import { t } from './text.js';
import { html, Problem, Text, withoutDefault } from './ui.js';

/** @typedef {{ items: Item<Leaf>[], busy: boolean, error?: Error }} FoundCommands */

/**
 * matchesPath reports whether the words after a command begin the names of its group and subcommand.
 * @param {Leaf} leaf
 * @param {string[]} words
 */
const matchesPath = (leaf, words) =>
  words.every((word, i) => word === '' || (leaf.path[i]?.name ?? '').startsWith(word.toLowerCase()));

/**
 * findCommands returns the commands that match a text that begins with a slash.
 * @param {Session} session
 * @param {string} channel
 * @param {string} text
 */
async function findCommands(session, channel, text) {
  const [name, ...path] = text.slice(1).trimStart().split(/\s+/);
  const { application_commands: commands, applications } = await session.search(channel, 1, name);
  const found = commands.flatMap(leaves).filter((leaf) => matchesPath(leaf, path));
  return found.slice(0, 50).map((leaf) => {
    const { id, application_id: applicationID } = leaf.command;
    const application = applications.find((a) => a.id === applicationID)?.name ?? '';
    const note = `${leaf.description} · ${application}`;
    return { key: `${id}${leafName(leaf)}`, value: leaf, name: `/${leafName(leaf)}`, note };
  });
}

/**
 * useCommands returns the commands that match a text.
 * @param {Session} session
 * @param {string} channel
 * @param {string} text
 */
function useCommands(session, channel, text) {
  const query = useDebounced(text, 60);
  const [found, setFound] = useState(/** @type {FoundCommands} */ ({ items: [], busy: false }));
  useEffect(() => {
    if (!query.startsWith('/')) {
      setFound({ items: [], busy: false });
      return undefined;
    }
    let canceled = false;
    setFound((f) => ({ ...f, busy: true }));
    findCommands(session, channel, query).then(
      (items) => canceled || setFound({ items, busy: false }),
      (error) => canceled || setFound({ items: [], busy: false, error: toError(error) }),
    );
    return () => {
      canceled = true;
    };
  }, [session, channel, query, session.commandsVersion]);
  return found;
}

/** @param {{ session: Session, channel: string, autofocus: boolean, onPick: (leaf: Leaf) => unknown }} props */
function CommandPicker({ session, channel, autofocus, onPick }) {
  const [text, setText] = useState('');
  const { items, busy, error } = useCommands(session, channel, text);
  const isCommand = text.startsWith('/');
  return html`
    <div class="picker">
      <${Combobox} above label=${t.typeSlash} listLabel=${t.commands} placeholder=${t.typeSlash} value=${text}
        onValue=${setText} items=${items} busy=${busy} empty=${isCommand ? t.noCommand : null}
        autofocus=${autofocus} onPick=${(/** @type {Item<Leaf>} */ item) => onPick(item.value)} />
      <${Problem} error=${error} />
      ${text !== '' && !isCommand && html`<p class="hint" role="status">${t.onlySlash}</p>`}
    </div>
  `;
}

/** @typedef {{ items: Item<Choice['value']>[], busy: boolean, failed?: boolean }} FoundChoices */

/**
 * useAutocomplete returns the choices that the app sends for an option while its input has the focus.
 * @param {Option} option
 * @param {Entry | undefined} entry
 * @param {(option: Option) => Promise<Choice[] | null>} autocomplete
 * @param {boolean} focused
 */
function useAutocomplete(option, entry, autocomplete, focused) {
  const text = useDebounced(entry?.text ?? '', 150);
  const [found, setFound] = useState(/** @type {FoundChoices} */ ({ items: [], busy: false }));
  useEffect(() => {
    if (!(option.autocomplete && focused)) return undefined;
    let canceled = false;
    const set = (/** @type {Choice[] | null} */ choices) => {
      if (canceled) return;
      const items = (choices ?? []).map(({ value, name }, key) => ({ key, value, name }));
      setFound({ items, busy: false, failed: !choices });
    };
    setFound((f) => ({ ...f, busy: true }));
    autocomplete(option).then(set, () => set(null));
    return () => {
      canceled = true;
    };
  }, [text, focused, option]);
  return found;
}

/** @param {{ id: string, describedby: string, invalid: boolean, onEntry: (entry: Entry) => unknown }} props */
function FileInput({ id, describedby, invalid, onEntry }) {
  const onChange = (/** @type {Event & { currentTarget: HTMLInputElement }} */ e) =>
    onEntry({ file: e.currentTarget.files?.[0] });
  return html`
    <input id=${id} type="file" aria-describedby=${describedby} aria-invalid=${invalid ? 'true' : undefined}
      onChange=${onChange} />
  `;
}

/**
 * @typedef {object} OptionFieldProps
 * @property {Option} option
 * @property {Entry} [entry]
 * @property {string | null} error
 * @property {LoadedGuild} [guild]
 * @property {boolean} autofocus
 * @property {(option: Option) => Promise<Choice[] | null>} autocomplete
 * @property {(entry: Entry) => unknown} onEntry
 * @property {(event: InputKeyEvent) => unknown} onKey
 * @property {() => unknown} [onRemove]
 */

/**
 * OptionField is the input of an option, with its label, suggestions and error.
 * @param {OptionFieldProps} props
 */
function OptionField({ option, entry, error, guild, autofocus, autocomplete, onEntry, onKey, onRemove }) {
  const id = useId();
  const [focused, setFocused] = useState(false);
  const fromApp = useAutocomplete(option, entry, autocomplete, focused);
  const text = entry?.text ?? '';
  const items = option.autocomplete
    ? fromApp.items
    : suggestions(option, entry?.picked === undefined ? text : '', guild);
  const noMatch = option.autocomplete && !fromApp.busy && focused ? t.noMatch : null;
  const describedby = `${id}-d${error ? ` ${id}-e` : ''}`;
  const onPick = (/** @type {Item<Choice['value']>} */ item) => onEntry({ text: item.name, picked: item.value });
  const input =
    option.type === optionType.attachment
      ? html`<${FileInput} id=${id} describedby=${describedby} invalid=${Boolean(error)} onEntry=${onEntry} />`
      : html`
        <${Combobox} above id=${id} value=${text} items=${items} busy=${fromApp.busy} autofocus=${autofocus}
          describedby=${describedby} invalid=${Boolean(error)} listLabel=${t.valuesOf(option.name)}
          empty=${fromApp.failed ? t.noSuggestions : noMatch} onPick=${onPick} onKey=${onKey}
          onValue=${(/** @type {string} */ value) => onEntry({ text: value })} />
      `;
  return html`
    <div class="option ${error ? 'wrong' : ''}" onFocusIn=${() => setFocused(true)}
      onFocusOut=${() => setFocused(false)}>
      <label for=${id}>
        <${Text} value=${option.name} max=${32} />
        ${option.required ? html`<span aria-hidden="true">*</span>` : ''}
      </label>
      ${input}
      ${
        onRemove &&
        html`
          <button type="button" class="small quiet" aria-label=${t.removeOption(option.name)}
            onClick=${onRemove}>✕</button>
        `
      }
      <p class="hint" id="${id}-d"><${Text} value=${option.description} max=${100} /></p>
      ${error && html`<p class="error" id="${id}-e">${error}</p>`}
    </div>
  `;
}

/** @param {{ options: Option[], onAdd: (option: Option) => unknown }} props */
function MoreOptions({ options, onAdd }) {
  if (options.length === 0) return null;
  const buttons = options.map(
    (o) => html`
      <button key=${defaultName(o)} type="button" class="small" title=${o.description} onClick=${() => onAdd(o)}>
        + <${Text} value=${o.name} max=${32} />
      </button>
    `,
  );
  return html`<p class="more">${t.more}: ${buttons}</p>`;
}

/**
 * The entries of the options of a command. open lists the default names of the options that have a field, and added is
 * the one that gets the focus.
 * @param {Leaf} leaf
 */
function useEntries(leaf) {
  const [entries, setEntries] = useState(/** @type {Record<string, Entry>} */ ({}));
  const [open, setOpen] = useState(() => leaf.options.filter((o) => o.required).map(defaultName));
  const added = useRef(/** @type {string | undefined} */ (open[0]));
  const byName = new Map(leaf.options.map((o) => [defaultName(o), o]));
  return {
    entries,
    added,
    shown: open.flatMap((name) => byName.get(name) ?? []),
    hidden: leaf.options.filter((o) => !open.includes(defaultName(o))),
    set: (/** @type {Option} */ o, /** @type {Entry} */ entry) =>
      setEntries((all) => ({ ...all, [defaultName(o)]: entry })),
    add: (/** @type {Option} */ o) => {
      added.current = defaultName(o);
      setOpen([...open, defaultName(o)]);
    },
    remove: (/** @type {Option} */ o) => {
      setOpen(open.filter((name) => name !== defaultName(o)));
      setEntries(({ [defaultName(o)]: _, ...others }) => others);
    },
  };
}

/**
 * @typedef {object} CommandFormProps
 * @property {Session} session
 * @property {string} channel
 * @property {LoadedGuild} [guild]
 * @property {Leaf} leaf
 * @property {() => unknown} onDone called after the command was sent or canceled
 */

/**
 * CommandForm has a field for each option of a command, and sends the command.
 * @param {CommandFormProps} props
 */
function CommandForm({ session, channel, guild, leaf, onDone }) {
  const { entries, added, shown, hidden, set, add, remove } = useEntries(leaf);
  const [submitted, setSubmitted] = useState(false);
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const focus = (/** @type {string} */ selector) =>
    /** @type {HTMLElement | null | undefined} */ (form.current?.querySelector(selector))?.focus();
  useLayoutEffect(() => {
    if (shown.length === 0) focus('button.primary');
  }, []);
  const errorOf = (/** @type {Option} */ o, /** @type {string | null} */ missing) =>
    entryError(o, entries[defaultName(o)], missing);
  const base = { application_id: leaf.command.application_id, channel_id: channel, guild_id: guild?.id };
  const send = useAction(async () => {
    setSubmitted(true);
    if (shown.some((o) => errorOf(o, t.required))) {
      focus('[aria-invalid="true"], .option input');
      return;
    }
    const { data, files } = invocationData(leaf, entries);
    await session.invoke({ type: 2, ...base, data }, `/${leafName(leaf)}`, files);
    onDone();
  });
  const autocomplete = (/** @type {Option} */ o) =>
    session.autocomplete({ type: 4, ...base, data: invocationData(leaf, entries, defaultName(o)).data });
  const onKey = (/** @type {InputKeyEvent} */ e) => {
    const back = e.key === 'Backspace' && e.currentTarget.value === '';
    if (back || e.key === 'Enter') e.preventDefault();
    if (back || e.key === 'Escape') onDone();
    if (e.key === 'Enter') send.run();
  };
  const fields = shown.map(
    (o) => html`
      <${OptionField} key=${defaultName(o)} option=${o} entry=${entries[defaultName(o)]} guild=${guild}
        error=${errorOf(o, submitted ? t.required : null)} autofocus=${added.current === defaultName(o)}
        autocomplete=${autocomplete} onKey=${onKey} onEntry=${(/** @type {Entry} */ entry) => set(o, entry)}
        onRemove=${o.required ? undefined : () => remove(o)} />
    `,
  );
  return html`
    <form ref=${form} class="command-form" onSubmit=${withoutDefault(send.run)}
      onKeyDown=${(/** @type {KeyboardEvent} */ e) => e.key === 'Escape' && onDone()} aria-label="/${leafName(leaf)}">
      <div class="line">
        <b class="chip">/<${Text} value=${leafName(leaf)} max=${110} /></b>
        ${fields}
        <span class="buttons">
          <button class="primary" disabled=${send.busy}>${t.send}</button>
          <button type="button" onClick=${onDone}>${t.cancel}</button>
        </span>
      </div>
      <${MoreOptions} options=${hidden} onAdd=${add} />
      <p class="hint"><${Text} value=${leaf.description} max=${100} /></p>
      <${Problem} error=${send.error} />
    </form>
  `;
}

/**
 * Composer is the input line of a channel. After the first command it takes the focus again.
 * @param {{ session: Session, channel: string, guild?: LoadedGuild }} props
 */
export function Composer({ session, channel, guild }) {
  const [leaf, setLeaf] = useState(/** @type {Leaf | null} */ (null));
  const [commands, setCommands] = useState(0);
  useEffect(() => setLeaf(null), [channel]);
  const onDone = () => {
    setLeaf(null);
    setCommands(commands + 1);
  };
  const form = () =>
    leaf &&
    html`
      <${CommandForm} key=${leafName(leaf) + leaf.command.id} session=${session} channel=${channel} guild=${guild}
        leaf=${leaf} onDone=${onDone} />
    `;
  const picker = () => html`
    <${CommandPicker} key="${channel}.${commands}" session=${session} channel=${channel} autofocus=${commands > 0}
      onPick=${setLeaf} />
  `;
  return html`<div class="composer">${leaf ? form() : picker()}</div>`;
}
