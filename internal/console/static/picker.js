// The line in which users write a message, or type a slash and find a command.

/** @import { InputKeyEvent, Item } from './combobox.js' */
/** @import { Leaf } from './options.js' */
/** @import { Session } from './session.js' */
import { Combobox } from './combobox.js';
import { leafName, leaves } from './options.js';
import { toError, useDebounced } from './state.js';
import { t } from './text.js';
import { html, Problem } from './ui.js';
import { iconOf } from './user.js';
import { useEffect, useLayoutEffect, useState } from './vendor/hooks.js';

/** The most commands that the list shows. */
const maxCommands = 200;

/**
 * FoundCommands is the result of a query.
 * @typedef {{ query: string, items: Item<Leaf>[], busy: boolean, error?: Error }} FoundCommands
 */

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
  const index = name === '' ? session.allCommands(channel) : session.search(channel, 1, name);
  const { application_commands: commands, applications } = await index;
  const found = commands
    .filter((c) => (c.type ?? 1) === 1)
    .flatMap(leaves)
    .filter((leaf) => matchesPath(leaf, path));
  const items = found.map((leaf) => {
    const { id, application_id: applicationID } = leaf.command;
    const application = applications.find((a) => a.id === applicationID);
    const group = { id: applicationID, name: application?.name ?? '', bot: true, image: iconOf(application) };
    return { key: `${id}${leafName(leaf)}`, value: leaf, name: `/${leafName(leaf)}`, note: leaf.description, group };
  });
  return byGroup(items).slice(0, maxCommands);
}

/**
 * byGroup returns items with those of an application together. The application of the first item comes first.
 * @param {(Item<Leaf> & { group: { id: string } })[]} items
 */
function byGroup(items) {
  const order = [...new Set(items.map((item) => item.group.id))];
  return order.flatMap((id) => items.filter((item) => item.group.id === id));
}

/**
 * useCommands returns the commands that match a text.
 * @param {Session} session
 * @param {string} channel
 * @param {string} text
 */
function useCommands(session, channel, text) {
  const query = useDebounced(text, 60);
  const [found, setFound] = useState(/** @type {FoundCommands} */ ({ query: '', items: [], busy: false }));
  useEffect(() => {
    if (!query.startsWith('/')) {
      setFound({ query, items: [], busy: false });
      return undefined;
    }
    let canceled = false;
    setFound((f) => ({ ...f, busy: true }));
    findCommands(session, channel, query).then(
      (items) => canceled || setFound({ query, items, busy: false }),
      (error) => canceled || setFound({ query, items: [], busy: false, error: toError(error) }),
    );
    return () => {
      canceled = true;
    };
  }, [session, channel, query, session.commandsVersion]);
  return found;
}

/**
 * useEager picks the first command for a line on which Enter was pressed before its commands were found. Until then the
 * user may type on: that text belongs to the first option.
 * @param {PickerProps} props
 */
function useEager({ session, channel, text, onText, onPick }) {
  const [line, setLine] = useState('');
  const waits = line !== '' && text.startsWith(line);
  const found = useCommands(session, channel, waits ? line : text);
  const isCurrent = found.query === (waits ? line : text) && !found.busy;
  useLayoutEffect(() => {
    if (!(waits && isCurrent)) return;
    setLine('');
    if (found.items.length === 0) return;
    const typed = text.slice(line.length);
    onText(typed);
    onPick(found.items[0].value, typed.trim());
  }, [waits, isCurrent]);
  return { ...found, isCurrent, pickWhenFound: () => setLine(text) };
}

/**
 * @typedef {object} PickerProps
 * @property {Session} session
 * @property {string} channel
 * @property {string} text
 * @property {(text: string) => unknown} onText
 * @property {boolean} autofocus
 * @property {(leaf: Leaf, typed: string) => unknown} onPick typed is text for the first option
 * @property {(line: string) => unknown} onLine called for a line with options, which was pasted or typed
 * @property {(step: 1 | -1) => unknown} onRecall called to show an earlier or a later line
 * @property {(text: string) => unknown} onWrite called with a message
 * @property {(files: File[]) => unknown} onFiles called with files that were pasted
 */

/** @param {PickerProps} props */
export function CommandPicker(props) {
  const { text, onText, autofocus, onPick, onLine, onRecall, onWrite, onFiles } = props;
  const { items, busy, error, isCurrent, pickWhenFound } = useEager(props);
  const isCommand = text.startsWith('/');
  const onPaste = (/** @type {ClipboardEvent} */ e) => {
    const files = [...(e.clipboardData?.files ?? [])];
    if (files.length) {
      e.preventDefault();
      onFiles(files);
      return;
    }
    const pasted = e.clipboardData?.getData('text/plain').trim() ?? '';
    if (text !== '' || !/^\/\S+\s.*:/s.test(pasted)) return;
    e.preventDefault();
    onText(pasted);
    onLine(pasted);
  };
  const onEnter = () => {
    if (!isCommand) onWrite(text);
    else if (text.includes(':')) onLine(text);
    else if (!isCurrent) pickWhenFound();
  };
  const onKey = (/** @type {InputKeyEvent} */ e) => {
    if (e.key === 'Enter' && !e.shiftKey) {
      e.preventDefault();
      onEnter();
    }
    const step = e.key === 'ArrowUp' ? 1 : e.key === 'ArrowDown' ? -1 : 0;
    if (!step || isCommand || text.includes('\n')) return;
    e.preventDefault();
    onRecall(step);
  };
  return html`
    <div class="picker" onPaste=${onPaste}>
      <${Combobox} above lines label=${t.typeSlash} listLabel=${t.commands} placeholder=${t.writeHere} value=${text}
        onValue=${onText} items=${items} busy=${busy} isStale=${isCommand && !isCurrent}
        empty=${isCommand ? t.noCommand : null} onKey=${onKey}
        autofocus=${autofocus} onPick=${(/** @type {Item<Leaf>} */ item) => onPick(item.value, '')} />
      <${Problem} error=${error} />
    </div>
  `;
}
