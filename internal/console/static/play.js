// The Play page: a chat window in which the operator acts as any user, and a signed-in user as themselves. The operator
// can open a second window beside it, as another user.

/** @import { User, WorldGuild } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
import { useParameters } from './address.js';
import { ChatWindow } from './chat-window.js';
import { recall, remember } from './state.js';
import { t } from './text.js';
import { Empty, html, IconButton } from './ui.js';
import { useEffect, useState } from './vendor/hooks.js';

/**
 * usePerson returns the person of a window: the one in the address, the last one of this tab, or another.
 * @param {User[]} people
 * @param {string} key
 * @param {string | undefined} linked
 * @param {number} otherwise the index of the person who is shown if there is no choice
 * @returns {[string | undefined, (id: string) => void]}
 */
function usePerson(people, key, linked, otherwise) {
  const [stored, setStored] = useState(() => linked || recall(key));
  useEffect(() => {
    if (linked) setStored(linked);
  }, [linked]);
  const known = people.some((p) => p.id === stored);
  const select = (/** @type {string} */ id) => {
    remember(key, id);
    setStored(id);
  };
  return [known ? stored : (people[otherwise] ?? people[0])?.id, select];
}

/** @param {EventTarget | null} target */
const takesText = (target) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** useSlash moves the focus to the input line when the user types a slash elsewhere on the page. */
function useSlash() {
  useEffect(() => {
    const onKeyDown = (/** @type {KeyboardEvent} */ e) => {
      if (e.key !== '/' || e.ctrlKey || e.metaKey || e.altKey || takesText(e.target)) return;
      if (document.querySelector('dialog[open]')) return;
      const window = document.activeElement?.closest('.window') ?? document.querySelector('.window');
      /** @type {HTMLTextAreaElement | null | undefined} */ (window?.querySelector('.picker textarea'))?.focus();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

/**
 * ownersFirst returns people with those who own a guild first: a person in no guild is no good choice to begin with.
 * @param {User[]} people
 * @param {WorldGuild[]} guilds
 */
function ownersFirst(people, guilds) {
  const owners = new Set(guilds.map((g) => g.owner));
  return [...people.filter((p) => owners.has(p.id)), ...people.filter((p) => !owners.has(p.id))];
}

/** @param {{ clients: Clients, people: User[], guilds: WorldGuild[] }} props */
export function Play({ clients, people, guilds }) {
  const [link, setLink] = useParameters();
  const ordered = ownersFirst(people, guilds);
  const [leftID, setLeft] = usePerson(ordered, 'person', link.as, 0);
  const [rightID, setRight] = usePerson(ordered, 'person.right', undefined, 1);
  const [split, setSplit] = useState(() => sessionStorage.getItem('split') === 'yes');
  useSlash();
  if (!leftID) {
    const action = html`<a class="button primary" href="#/world">${t.openWorld}</a>`;
    return html`
      <main class="page">
        <h1>${t.play}</h1>
        <${Empty} icon="users" title=${t.noPeopleTitle} action=${action}>${t.noPeople}<//>
      </main>
    `;
  }
  const toggleSplit = () => {
    sessionStorage.setItem('split', split ? '' : 'yes');
    setSplit(!split);
  };
  const selectLeft = (/** @type {string} */ as) => {
    setLeft(as);
    setLink({ as });
  };
  const splitButton = html`
    <${IconButton} icon="columns" class="quiet for-split" label=${t.splitView} aria-pressed=${split}
      onClick=${toggleSplit} />
  `;
  return html`
    <main class="play ${split ? 'two' : ''}">
      <h1 class="hidden">${t.play}</h1>
      <${ChatWindow} key="left" slot="left" clients=${clients} people=${people} userID=${leftID} link=${link}
        onUser=${selectLeft} onChannel=${(/** @type {string} */ channel) => setLink({ channel, message: '' })}>
        ${!clients.account && splitButton}
      <//>
      ${
        split &&
        html`
          <${ChatWindow} key="right" slot="right" clients=${clients} people=${people} userID=${rightID} link=${{}}
            onUser=${setRight} onChannel=${() => {}} />
        `
      }
    </main>
  `;
}
