// Toasts: short messages about something that just happened. They disappear by themselves.

/** @import { Child } from './vendor/preact.js' */
import { Store, useStore } from './state.js';
import { t } from './text.js';
import { html, Icon, IconButton } from './ui.js';

const lifetime = 6000;
const maxToasts = 4;

/** @typedef {{ id: number, text: Child, bad: boolean }} Toast */

class ToastStore extends Store {
  /** @type {Toast[]} */
  list = [];
  #last = 0;

  /**
   * @param {Child} text
   * @param {boolean} bad
   */
  add(text, bad) {
    const id = ++this.#last;
    this.list = [...this.list, { id, text, bad }].slice(-maxToasts);
    this.changed();
    setTimeout(() => this.remove(id), lifetime);
  }

  /** @param {number} id */
  remove(id) {
    this.list = this.list.filter((toast) => toast.id !== id);
    this.changed();
  }
}

const toasts = new ToastStore();

/**
 * toast shows a text for a few seconds. bad says that something failed.
 * @param {Child} text
 * @param {{ bad?: boolean }} [options]
 */
export const toast = (text, { bad = false } = {}) => toasts.add(text, bad);

/** Toasts is the place of all toasts. Assistive technology reads what appears in it. */
export function Toasts() {
  const list = useStore(toasts)?.list ?? [];
  return html`
    <div class="toasts" role="status" aria-live="polite">
      ${list.map(
        ({ id, text, bad }) => html`
          <div key=${id} class="toast ${bad ? 'bad' : ''}">
            <${Icon} name=${bad ? 'failed' : 'done'} />
            <span>${text}</span>
            <${IconButton} icon="close" label=${t.dismiss} class="quiet small" onClick=${() => toasts.remove(id)} />
          </div>
        `,
      )}
    </div>
  `;
}
