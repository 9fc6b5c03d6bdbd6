// Times of messages: relative ones that stay true, with the exact time on hover.

import { Store, useStore } from './state.js';
import { t } from './text.js';
import { html } from './ui.js';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Ticks notifies its listeners twice a minute. It has a timer only while there are listeners. */
class Ticks extends Store {
  #count = 0;
  #timer = 0;

  /**
   * listen starts the timer with the first listener, and ends it with the last.
   * @override
   * @param {() => void} listener
   * @returns {() => void}
   */
  listen(listener) {
    const stop = super.listen(listener);
    if (this.#count++ === 0) this.#timer = setInterval(() => this.changed(), 30 * second);
    return () => {
      stop();
      if (--this.#count === 0) clearInterval(this.#timer);
    };
  }
}

const ticks = new Ticks();

/**
 * relativeTime returns the distance of a moment from now in words. Moments that are more than a week away get a date.
 * @param {Date} date
 * @param {number} [now]
 */
export function relativeTime(date, now = Date.now()) {
  const distance = date.getTime() - now;
  const format = new Intl.RelativeTimeFormat(t.locale, { numeric: 'auto' });
  const size = Math.abs(distance);
  if (size < 45 * second) return t.now;
  if (size < hour) return format.format(Math.round(distance / minute), 'minute');
  if (size < day) return format.format(Math.round(distance / hour), 'hour');
  if (size < 7 * day) return format.format(Math.round(distance / day), 'day');
  return date.toLocaleDateString(t.locale);
}

/** @param {{ date: Date }} props */
export function RelativeTime({ date }) {
  useStore(ticks);
  return html`
    <time datetime=${date.toISOString()} title=${date.toLocaleString(t.locale)}>${relativeTime(date)}</time>
  `;
}
