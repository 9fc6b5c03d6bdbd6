// Menus that open at the pointer, or at the button that opens them.

/** @import { Child } from './vendor/preact.js' */
/** @import { Point } from './press.js' */
import { html, Icon, Text } from './ui.js';
import { useId, useLayoutEffect, useRef } from './vendor/hooks.js';

/** The least distance of a menu from the edges of the window, in pixels. */
const margin = 8;

/**
 * placeAt moves a menu to a point. Where there is no room below the point, the menu opens above it.
 * @param {HTMLElement} menu
 * @param {Point} at
 */
function placeAt(menu, { x, y, over = 0 }) {
  const { offsetWidth: width, offsetHeight: height } = menu;
  const fits = y + height + margin <= innerHeight;
  const above = y - over - height;
  const top = fits || above < margin ? Math.min(y, innerHeight - height - margin) : above;
  menu.style.left = `${Math.max(margin, Math.min(x, innerWidth - width - margin))}px`;
  menu.style.top = `${Math.max(margin, top)}px`;
}

/** @type {Record<string, (at: number, last: number) => number>} */
const steps = {
  ArrowDown: (at, last) => (at === last ? 0 : at + 1),
  ArrowUp: (at, last) => (at <= 0 ? last : at - 1),
  Home: () => 0,
  End: (_, last) => last,
};

/**
 * moveFocus moves the focus to another action of a menu. In a text field only the vertical arrows do.
 * @param {KeyboardEvent & { currentTarget: HTMLElement }} event
 */
function moveFocus(event) {
  const step = steps[event.key];
  const inText = event.target instanceof HTMLInputElement;
  if (!step || (inText && !event.key.startsWith('Arrow'))) return;
  /** @type {HTMLElement[]} */
  const actions = [...event.currentTarget.querySelectorAll('button:not(:disabled), input')].filter(
    (e) => e instanceof HTMLElement,
  );
  event.preventDefault();
  const at = actions.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  actions[step(at, actions.length - 1)]?.focus();
}

/**
 * PopupMenu is a menu with the actions for one thing. The arrow keys move between them. It closes with Escape, with a
 * click outside, and when the focus leaves it. The page around it stays usable, so that the browser computes no styles
 * again. title is its name for assistive technology.
 * @param {{ title: string, at: Point, onClose: () => unknown, children: Child }} props
 */
export function PopupMenu({ title, at, onClose, children }) {
  const ref = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const id = useId();
  useLayoutEffect(() => {
    const menu = /** @type {HTMLDialogElement} */ (ref.current);
    const place = () => placeAt(menu, at);
    const onToggle = (/** @type {ToggleEvent} */ e) => e.newState === 'closed' && onClose();
    menu.showPopover();
    place();
    const first = menu.querySelector('[data-first]') ?? menu.querySelector('button');
    /** @type {HTMLElement | null} */ (first)?.focus({ preventScroll: true });
    const observer = new ResizeObserver(place); // commands that arrive later make the menu higher
    observer.observe(menu);
    menu.addEventListener('toggle', onToggle);
    addEventListener('resize', place);
    return () => {
      observer.disconnect();
      menu.removeEventListener('toggle', onToggle);
      removeEventListener('resize', place);
      menu.hidePopover(); // the focus goes back to where it was
    };
  }, []);
  const onFocusOut = (/** @type {FocusEvent & { currentTarget: HTMLElement }} */ e) => {
    const isOutside = e.relatedTarget instanceof Node && !e.currentTarget.contains(e.relatedTarget);
    if (isOutside && e.currentTarget.matches(':popover-open')) onClose();
  };
  return html`
    <dialog ref=${ref} class="popup" popover="auto" aria-labelledby=${id} onKeyDown=${moveFocus}
      onfocusout=${onFocusOut}>
      <h2 class="hidden" id=${id}>${title}</h2>
      ${children}
    </dialog>
  `;
}

/**
 * @typedef {object} MenuItemProps
 * @property {string} icon
 * @property {string} label
 * @property {() => unknown} onClick
 * @property {boolean} [first] whether the item gets the focus when the menu opens
 * @property {boolean} [disabled]
 * @property {boolean} [danger]
 */

/** @param {MenuItemProps} props */
export const MenuItem = ({ icon, label, onClick, first, disabled, danger }) => html`
  <button type="button" class="item ${danger ? 'danger' : ''}" data-first=${first ? true : undefined}
    disabled=${disabled} onClick=${onClick}>
    <${Icon} name=${icon} size="small" /> <${Text} value=${label} max=${80} />
  </button>
`;
