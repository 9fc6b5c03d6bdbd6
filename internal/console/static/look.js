// The theme that the user chose. Without a choice the page follows the system.

import { Store } from './state.js';

/** @typedef {'' | 'dark' | 'light'} Theme */

/** @type {Record<Theme, Theme>} */
const next = { '': 'dark', dark: 'light', light: '' };

class ThemeStore extends Store {
  /** @type {Theme} */
  current = '';

  constructor() {
    super();
    const stored = localStorage.getItem('theme');
    this.#use(stored === 'dark' || stored === 'light' ? stored : '');
  }

  /** @param {Theme} theme */
  #use(theme) {
    this.current = theme;
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    this.changed();
  }

  next() {
    localStorage.setItem('theme', next[this.current]);
    this.#use(next[this.current]);
  }
}

export const theme = new ThemeStore();
