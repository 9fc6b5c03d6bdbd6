// The input line of a channel, for messages and commands. A slash opens the list of commands; a chosen command becomes
// a row of chips, one for each option.

/** @import { Option } from '../types/wire.js' */
/** @import { InputKeyEvent } from './combobox.js' */
/** @import { Entry, Leaf } from './options.js' */
/** @import { Point } from './press.js' */
/** @import { LoadedGuild, Session } from './session.js' */
/** @import { Draft } from './writing.js' */
import { lineOf, parseLine } from './line.js';
import { OptionField } from './option-field.js';
import { defaultName, entryError, invocationData, leafName } from './options.js';
import { CommandPicker } from './picker.js';
import { PollForm } from './poll-form.js';
import { MenuItem, PopupMenu } from './popup.js';
import { below } from './press.js';
import { useAction } from './state.js';
import { t } from './text.js';
import { html, Icon, IconButton, Problem, Text, withoutDefault } from './ui.js';
import { nameIn } from './user.js';
import { useEffect, useId, useRef, useState } from './vendor/hooks.js';
import { write } from './writing.js';

const maxLines = 50;
const maxFiles = 10;

/** @param {{ options: Option[], onAdd: (option: Option) => unknown }} props */
function MoreOptions({ options, onAdd }) {
  return options.map(
    (o) => html`
      <button key=${defaultName(o)} type="button" class="small quiet" title=${o.description} onClick=${() => onAdd(o)}>
        + <${Text} value=${o.name} max=${32} />
      </button>
    `,
  );
}

/**
 * The entries of the options of a command. open lists the default names of the options that have a chip, and added is
 * the one that gets the focus.
 * @param {Leaf} leaf
 * @param {Record<string, Entry>} given
 * @param {string} [typing] the default name of the option in which the user types already
 */
function useEntries(leaf, given, typing) {
  const [entries, setEntries] = useState(given);
  const [open, setOpen] = useState(() =>
    leaf.options.filter((o) => o.required || given[defaultName(o)]).map(defaultName),
  );
  const unfilled = open.find((name) => !given[name]);
  const added = useRef(/** @type {string | undefined} */ (typing ?? unfilled ?? open[open.length - 1]));
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
 * @property {Record<string, Entry>} given the first entries, by default name
 * @property {string} [typing] the default name of the option in which the user types already
 * @property {(entries: Record<string, Entry>) => unknown} onSend
 * @property {() => unknown} onCancel
 */

/**
 * useForm returns the state of the form of a command: its entries, the option with the focus, and what is wrong.
 * @param {CommandFormProps} props
 */
function useForm({ leaf, given, typing, onSend }) {
  const fields = useEntries(leaf, given, typing);
  const [submitted, setSubmitted] = useState(false);
  const [at, setAt] = useState('');
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const focus = (/** @type {string} */ selector) =>
    /** @type {HTMLElement | null | undefined} */ (form.current?.querySelector(selector))?.focus();
  const errorOf = (/** @type {Option} */ o, missing = submitted ? t.required : null) =>
    entryError(o, fields.entries[defaultName(o)], missing);
  const send = () => {
    setSubmitted(true);
    const wrong = fields.shown.findIndex((o) => errorOf(o, t.required));
    if (wrong < 0) onSend(fields.entries);
    else focus(`.option:nth-of-type(${wrong + 1}) input`);
  };
  return { ...fields, form, focus, errorOf, send, at, setAt };
}

/**
 * CommandForm is a command as a row of chips, and sends it.
 * @param {CommandFormProps} props
 */
function CommandForm(props) {
  const { session, channel, guild, leaf, onCancel } = props;
  const { entries, added, shown, hidden, set, add, remove, form, focus, errorOf, send, at, setAt } = useForm(props);
  const about = useId();
  useEffect(() => {
    if (shown.length === 0) focus('button.primary');
  }, []);
  const autocomplete = (/** @type {Option} */ o) =>
    session.autocomplete({
      type: 4,
      application_id: leaf.command.application_id,
      channel_id: channel,
      guild_id: guild?.id,
      data: invocationData(leaf, entries, defaultName(o)).data,
    });
  const onKey = (/** @type {Option} */ o, /** @type {InputKeyEvent} */ e) => {
    const back = e.key === 'Backspace' && e.currentTarget.value === '';
    if (back || e.key === 'Enter') e.preventDefault();
    if (e.key === 'Enter') send();
    if (!back) return;
    if (o.required) onCancel();
    else {
      remove(o);
      focus('.option input, button.primary');
    }
  };
  const chips = shown.map(
    (o) => html`
      <${OptionField} key=${defaultName(o)} option=${o} entry=${entries[defaultName(o)]} guild=${guild}
        error=${errorOf(o)} autofocus=${added.current === defaultName(o)} describedby=${about}
        autocomplete=${autocomplete} onKey=${(/** @type {InputKeyEvent} */ e) => onKey(o, e)}
        onFocus=${() => setAt(defaultName(o))} onEntry=${(/** @type {Entry} */ entry) => set(o, entry)}
        onRemove=${o.required ? undefined : () => remove(o)} />
    `,
  );
  const current = shown.find((o) => defaultName(o) === at);
  const error = current && errorOf(current);
  return html`
    <form ref=${form} class="command-form" onSubmit=${withoutDefault(send)}
      onKeyDown=${(/** @type {KeyboardEvent} */ e) => e.key === 'Escape' && onCancel()} aria-label="/${leafName(leaf)}">
      <p class=${error ? 'error' : 'hint'} id=${about} role="status">
        ${error ?? html`<${Text} value=${current?.description ?? leaf.description} max=${100} />`}
      </p>
      <div class="command-line">
        <b class="chip command"><${Text} value="/${leafName(leaf)}" max=${110} /></b>
        ${chips}
        <${MoreOptions} options=${hidden} onAdd=${add} />
        <span class="buttons">
          <button type="button" class="quiet" onClick=${onCancel}>${t.cancel}</button>
          <button class="primary"><${Icon} name="send" /> ${t.send}</button>
        </span>
      </div>
    </form>
  `;
}

/**
 * useLines returns the lines that the user sent in this tab, the last first, and a function that adds one.
 * @param {string} user
 * @returns {[string[], (line: string) => void]}
 */
function useLines(user) {
  const key = `lines.${user}`;
  const [lines, setLines] = useState(() => /** @type {string[]} */ (JSON.parse(sessionStorage.getItem(key) ?? '[]')));
  const add = (/** @type {string} */ line) => {
    const next = [line, ...lines.filter((l) => l !== line)].slice(0, maxLines);
    sessionStorage.setItem(key, JSON.stringify(next));
    setLines(next);
  };
  return [lines, add];
}

/**
 * A command with the entries of its options. typing is the default name of the option in which the user types already.
 * @typedef {{ leaf: Leaf, entries: Record<string, Entry>, typing?: string }} Chosen
 */

/**
 * useComposer returns the state of the input line: the text, or the chosen command.
 * @param {Session} session
 * @param {string} channel
 * @param {LoadedGuild} [guild]
 */
function useComposer(session, channel, guild) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(/** @type {Chosen | null} */ (null));
  const [sent, setSent] = useState(0);
  const [lines, addLine] = useLines(session.userID);
  const recalled = useRef(-1);
  const clear = () => {
    setChosen(null);
    setText('');
    setSent((n) => n + 1);
    recalled.current = -1;
  };
  useEffect(() => setChosen(null), [channel]);
  const send = async (/** @type {Chosen} */ { leaf, entries }) => {
    const line = lineOf(leaf, entries);
    addLine(line);
    clear();
    const { data, files } = invocationData(leaf, entries);
    const base = { application_id: leaf.command.application_id, channel_id: channel, guild_id: guild?.id };
    const label = `/${leafName(leaf)}`;
    await session.invoke({ type: 2, ...base, data }, label, { files, step: { use: line } }).catch(() => {}); // a card
  };
  const open = (/** @type {Chosen} */ command) => {
    if (command.leaf.options.length === 0) send(command);
    else setChosen(command);
  };
  const pick = (/** @type {Leaf} */ leaf, /** @type {string} */ typed) => {
    const first = typed && leaf.options.length ? defaultName(leaf.options[0]) : undefined;
    open({ leaf, entries: first ? { [first]: { text: typed } } : {}, typing: first });
    if (typed && !first) setText(typed);
  };
  const read = useAction(async (/** @type {string} */ line) => {
    const command = await parseLine(session, channel, guild, line);
    if (command) setChosen(command.leaf.options.length ? command : null);
    setText(command && command.leaf.options.length === 0 ? line : '');
  });
  const recall = (/** @type {1 | -1} */ step) => {
    const next = Math.max(-1, Math.min(lines.length - 1, recalled.current + step));
    recalled.current = next;
    if (next >= 0) read.run(lines[next]);
  };
  return { text, setText, chosen, sent, clear, pick, send, read, recall };
}

/**
 * useWriting returns what the input line needs for messages: the files of the next one, and a function that sends it.
 * @param {ComposerProps} props
 * @param {(text: string) => unknown} setText
 * @param {() => unknown} clear
 */
function useWriting({ session, channel, draft, onDraft }, setText, clear) {
  const [files, setFiles] = useState(/** @type {File[]} */ ([]));
  useEffect(() => {
    if (draft?.kind === 'edit') setText(draft.message.content);
  }, [draft]);
  useEffect(() => setFiles([]), [channel]);
  const sending = useAction(async (/** @type {string} */ text) => {
    if (text.trim() === '' && files.length === 0) return;
    if (draft?.kind !== 'edit') session.returnToLatest(channel);
    await write(session, channel, text, draft, files);
    session.typing.sentMessage();
    setFiles([]);
    onDraft(null);
    clear();
  });
  const add = (/** @type {Iterable<File>} */ more) => setFiles((all) => [...all, ...more].slice(0, maxFiles));
  const remove = (/** @type {File} */ file) => setFiles((all) => all.filter((f) => f !== file));
  return { files, add, remove, sending };
}

/**
 * DraftLine shows what the next message answers or changes, and its files.
 * @param {{ draft: Draft | null, guild?: LoadedGuild, onCancel: () => unknown, files: File[],
 *   onRemove: (file: File) => unknown }} props
 */
function DraftLine({ draft, guild, onCancel, files, onRemove }) {
  const name = draft ? nameIn(guild, draft.message.author) : '';
  const chips = files.map(
    (file) => html`
      <span class="chip" key=${file.name + file.size}>
        <${Icon} name="file" size="small" /> <${Text} value=${file.name} max=${40} />
        <${IconButton} icon="close" class="small quiet" label=${t.removeFile(file.name)}
          onClick=${() => onRemove(file)} />
      </span>
    `,
  );
  if (!draft && files.length === 0) return null;
  return html`
    <p class="draft" role="status">
      ${draft && html`<span>${draft.kind === 'edit' ? t.editing : t.replyingTo(name)}</span>`}
      ${draft && html`<${IconButton} icon="close" class="small quiet" label=${t.cancel} onClick=${onCancel} />`}
      ${chips}
    </p>
  `;
}

/**
 * AddButton opens a menu with what a message can have beside its text.
 * @param {{ session: Session, channel: string, onFiles: (files: Iterable<File>) => unknown }} props
 */
function AddButton({ session, channel, onFiles }) {
  const [menu, setMenu] = useState(/** @type {Point | null} */ (null));
  const [asks, setAsks] = useState(false);
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const close = () => setMenu(null);
  const chooseFiles = () => {
    close();
    input.current?.click();
  };
  const onChange = (/** @type {Event & { currentTarget: HTMLInputElement }} */ e) => {
    onFiles([...(e.currentTarget.files ?? [])]);
    e.currentTarget.value = '';
  };
  const ask = () => {
    close();
    setAsks(true);
  };
  const items = () => html`
    <${PopupMenu} title=${t.addToMessage} at=${menu} onClose=${close}>
      <${MenuItem} first icon="upload" label=${t.attachFiles} onClick=${chooseFiles} />
      <${MenuItem} icon="poll" label=${t.createPoll} onClick=${ask} />
    <//>
  `;
  return html`
    <${IconButton} icon="plus" label=${t.addToMessage} aria-haspopup="dialog" aria-expanded=${menu ? 'true' : 'false'}
      onClick=${(/** @type {MouseEvent} */ e) => setMenu(below(e))} />
    <input ref=${input} type="file" multiple hidden aria-label=${t.attachFiles} onChange=${onChange} />
    ${menu && items()}
    ${asks && html`<${PollForm} session=${session} channel=${channel} onClose=${() => setAsks(false)} />`}
  `;
}

/**
 * @typedef {object} ComposerProps
 * @property {Session} session
 * @property {string} channel
 * @property {LoadedGuild} [guild]
 * @property {Draft | null} draft
 * @property {(draft: Draft | null) => unknown} onDraft
 */

/**
 * Composer is the input line of a channel. After the first command it takes the focus again.
 * @param {ComposerProps} props
 */
export function Composer(props) {
  const { session, channel, guild, draft, onDraft } = props;
  const { text, setText, chosen, sent, clear, pick, send, read, recall } = useComposer(session, channel, guild);
  const { files, add, remove, sending } = useWriting(props, setText, clear);
  const cancelDraft = () => {
    if (draft?.kind === 'edit') setText('');
    onDraft(null);
  };
  const onText = (/** @type {string} */ typed) => {
    setText(typed);
    if (typed.trim() && !typed.startsWith('/')) session.typing.send(session, channel);
  };
  const onDrop = (/** @type {DragEvent} */ e) => {
    if (!e.dataTransfer?.files.length) return;
    e.preventDefault();
    add(e.dataTransfer.files);
  };
  const leaf = chosen?.leaf;
  const form = () => html`
    <${CommandForm} key=${leaf && leafName(leaf) + leaf.command.id} session=${session} channel=${channel}
      guild=${guild} leaf=${leaf} given=${chosen?.entries} typing=${chosen?.typing} onCancel=${clear}
      onSend=${(/** @type {Record<string, Entry>} */ entries) => leaf && send({ leaf, entries })} />
  `;
  const picker = () => html`
    <div class="composer-line">
      <${AddButton} session=${session} channel=${channel} onFiles=${add} />
      <${CommandPicker} key="${channel}.${sent}.${draft?.message.id}" session=${session} channel=${channel}
        autofocus=${sent > 0 || Boolean(draft)}
        text=${text} onText=${onText} onLine=${read.run} onRecall=${recall} onWrite=${sending.run} onFiles=${add}
        onPick=${pick} />
    </div>
  `;
  const onKeyDown = (/** @type {KeyboardEvent} */ e) => e.key === 'Escape' && draft && cancelDraft();
  return html`
    <div class="composer" onDrop=${onDrop} onDragOver=${(/** @type {DragEvent} */ e) => e.preventDefault()}
      onKeyDown=${onKeyDown}>
      <${DraftLine} draft=${draft} guild=${guild} onCancel=${cancelDraft} files=${files} onRemove=${remove} />
      <${Problem} error=${sending.error} />
      ${chosen ? form() : picker()}
    </div>
  `;
}
