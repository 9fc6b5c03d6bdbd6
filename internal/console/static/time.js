// Times: local ones in one format, and relative ones that stay true. Each has the exact instant on hover.

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

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const units = [
  ['year', 365 * day],
  ['month', 30 * day],
  ['day', day],
  ['hour', hour],
  ['minute', minute],
  ['second', second],
];

/**
 * distance returns the distance of a moment from now in words.
 * @param {Date} date
 * @param {number} [now]
 */
export function distance(date, now = Date.now()) {
  const size = date.getTime() - now;
  const [unit, length] = units.find(([, l]) => Math.abs(size) >= l) ?? units[units.length - 1];
  return new Intl.RelativeTimeFormat(t.locale, { numeric: 'auto' }).format(Math.round(size / length), unit);
}

/**
 * The styles of the timestamps of markdown.
 * @type {Record<string, Intl.DateTimeFormatOptions>}
 */
const styles = {
  t: { timeStyle: 'short' },
  T: { timeStyle: 'medium' },
  clock: { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
  d: { dateStyle: 'short' },
  D: { dateStyle: 'long' },
  f: { dateStyle: 'long', timeStyle: 'short' },
  F: { dateStyle: 'full', timeStyle: 'short' },
  exact: { dateStyle: 'medium', timeStyle: 'medium' },
};

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/**
 * formatted returns a moment in local time. All styles count 24 hours.
 * @param {Date} date
 * @param {string} [style]
 */
export function formatted(date, style = 'exact') {
  const format = formats.get(style) ?? new Intl.DateTimeFormat(t.locale, { hourCycle: 'h23', ...styles[style] });
  formats.set(style, format);
  return format.format(date);
}

/**
 * relativeTime returns the distance of a moment from now in words. Moments that are more than a week away get a date.
 * @param {Date} date
 * @param {number} [now]
 */
export function relativeTime(date, now = Date.now()) {
  const size = Math.abs(date.getTime() - now);
  if (size < minute) return t.now;
  return size < 7 * day ? distance(date, now) : date.toLocaleDateString(t.locale);
}

/**
 * Moment shows a moment, by default with date and time, and the exact instant on hover. text returns another form,
 * which is computed again as time goes by.
 * @param {{ at: Date | string, text?: (date: Date) => string, class?: string }} props
 */
export function Moment({ at, text = formatted, class: className }) {
  useStore(ticks);
  const date = new Date(at);
  const exact = Number.isNaN(date.getTime()) ? '' : date.toISOString();
  return html`<time class=${className} datetime=${exact} title=${exact}>${exact ? text(date) : String(at)}</time>`;
}

/** @param {{ date: Date }} props */
export const RelativeTime = ({ date }) => html`<${Moment} at=${date} text=${relativeTime} />`;
