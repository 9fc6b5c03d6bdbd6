// The ways to open the menu of something: the right mouse button, the menu key, a long press, and a button.

/** How long a press is that opens a menu, in milliseconds. */
const longPress = 500;

/** The distance between an element and its menu, in pixels. */
const gap = 4;

/**
 * A place in the window, in pixels from its corner. over is the height of the element above it, which a menu that opens
 * upwards does not cover.
 * @typedef {{ x: number, y: number, over?: number }} Point
 */

let timer = 0;

/** Whether the touch that has not ended opened a menu. */
let opened = false;

const endPress = () => clearTimeout(timer);

/**
 * hasOwnMenu reports whether the browser's own menu is of more use: on a link, in a text field, and on selected text.
 * @param {EventTarget | null} target
 */
const hasOwnMenu = (target) =>
  (target instanceof Element && Boolean(target.closest('a, input, textarea, select'))) ||
  getSelection()?.type === 'Range';

/**
 * below returns the place below the element of an event.
 * @param {Event} event
 * @returns {Point}
 */
export function below({ currentTarget }) {
  const { left, bottom, height } = /** @type {Element} */ (currentTarget).getBoundingClientRect();
  return { x: left, y: bottom + gap, over: height + 2 * gap };
}

/**
 * pointOf returns the place of the pointer. The menu key has no pointer: then it is the place below the element.
 * @param {MouseEvent} event
 * @returns {Point}
 */
const pointOf = (event) => (event.clientX || event.clientY ? { x: event.clientX, y: event.clientY } : below(event));

/**
 * menuHandlers returns the handlers of an element that has a menu. open gets the place at which the menu opens.
 * @param {(at: Point) => unknown} open
 */
export const menuHandlers = (open) => ({
  onContextMenu: (/** @type {MouseEvent} */ event) => {
    endPress();
    if (hasOwnMenu(event.target)) return;
    event.preventDefault();
    event.stopPropagation();
    open(pointOf(event));
  },
  ontouchstart: (/** @type {TouchEvent} */ event) => {
    endPress();
    opened = false;
    event.stopPropagation();
    if (event.touches.length !== 1) return;
    const { clientX: x, clientY: y } = event.touches[0];
    timer = setTimeout(() => {
      opened = true;
      open({ x, y });
    }, longPress);
  },
  ontouchmove: endPress,
  ontouchend: (/** @type {TouchEvent} */ event) => {
    endPress();
    if (opened) event.preventDefault(); // the end of the press does not click what is below the finger now
  },
  ontouchcancel: endPress,
});
