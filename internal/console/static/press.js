// The ways to open the menu of something: the right mouse button, the menu key, and a long press.

/** How long a press is that opens a menu, in milliseconds. */
const longPress = 500;

let timer = 0;

const endPress = () => clearTimeout(timer);

/**
 * hasOwnMenu reports whether the browser's own menu is of more use: on a link, in a text field, and on selected text.
 * @param {EventTarget | null} target
 */
const hasOwnMenu = (target) =>
  (target instanceof Element && Boolean(target.closest('a, input, textarea, select'))) ||
  getSelection()?.type === 'Range';

/**
 * menuHandlers returns the handlers of an element that has a menu.
 * @param {() => unknown} open
 */
export const menuHandlers = (open) => ({
  onContextMenu: (/** @type {Event} */ event) => {
    endPress();
    if (hasOwnMenu(event.target)) return;
    event.preventDefault();
    event.stopPropagation();
    open();
  },
  ontouchstart: (/** @type {TouchEvent} */ event) => {
    endPress();
    event.stopPropagation();
    if (event.touches.length === 1) timer = setTimeout(open, longPress);
  },
  ontouchmove: endPress,
  ontouchend: endPress,
  ontouchcancel: endPress,
});
