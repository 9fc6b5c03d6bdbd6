// State of pages: stores that components listen to, requests that load data, and actions that users start.

/** @import { APIError } from './http.js' */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from './vendor/hooks.js';

/**
 * Store notifies its listeners of changes. It notifies once for all changes of one task.
 */
export class Store {
  /** @type {Set<() => void>} */
  #listeners = new Set();
  #scheduled = false;

  /**
   * listen calls a function after every change, until the returned function is called.
   * @param {() => void} listener
   * @returns {() => void}
   */
  listen(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changed() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      for (const listener of this.#listeners) listener();
    });
  }
}

/**
 * useStore renders a component again when a store changes. A layout effect listens before another task can change the
 * store.
 * @template {Store} S
 * @param {S | null} store
 */
export function useStore(store) {
  const [, setRenders] = useState(0);
  useLayoutEffect(() => store?.listen(() => setRenders((n) => n + 1)), [store]);
  return store;
}

/**
 * toError returns a caught value as an error.
 * @param {unknown} caught
 * @returns {Error | APIError}
 */
export const toError = (caught) => (caught instanceof Error ? caught : new Error(String(caught)));

/**
 * @template T
 * @typedef {{ value?: T, error?: Error, busy: boolean }} QueryState
 */

/**
 * useQuery loads a value when the component mounts, when the inputs change and when reload is called. It ignores
 * answers of earlier loads.
 * @template T
 * @param {() => T | Promise<T>} load
 * @param {readonly unknown[]} inputs
 * @returns {QueryState<T> & { reload: () => Promise<void> }}
 */
export function useQuery(load, inputs) {
  const [state, setState] = useState(/** @type {QueryState<T>} */ ({ busy: true }));
  const latest = useRef(0);
  const reload = useCallback(async () => {
    const turn = ++latest.current;
    setState((s) => ({ ...s, busy: true }));
    try {
      const value = await load();
      if (turn === latest.current) setState({ value, busy: false });
    } catch (caught) {
      if (turn === latest.current) setState({ error: toError(caught), busy: false });
    }
  }, inputs);
  useEffect(() => {
    reload();
    return () => latest.current++;
  }, inputs);
  return { ...state, reload };
}

/** @typedef {{ busy: boolean, error?: Error }} ActionState */

/**
 * useAction returns run, which calls a function and keeps its error for display. clear removes the error.
 * @template {unknown[]} Args
 * @template T
 * @param {(...args: Args) => T | Promise<T>} action
 */
export function useAction(action) {
  const [state, setState] = useState(/** @type {ActionState} */ ({ busy: false }));
  /** @param {Args} args */
  const run = async (...args) => {
    setState({ busy: true });
    try {
      const value = await action(...args);
      setState({ busy: false });
      return value;
    } catch (caught) {
      setState({ busy: false, error: toError(caught) });
      return undefined;
    }
  };
  return { ...state, run, clear: () => setState({ busy: false }) };
}

/**
 * useDebounced returns a value after it did not change for a time.
 * @template T
 * @param {T} value
 * @param {number} milliseconds
 */
export function useDebounced(value, milliseconds) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}

/**
 * useDeferred returns a value one paint later. What is slow to render takes the deferred value, so that an interaction
 * shows its first effect at once.
 * @template T
 * @param {T} value
 */
export function useDeferred(value) {
  const [shown, setShown] = useState(value);
  useEffect(() => setShown(value), [value]); // effects run after the paint
  return shown;
}

/**
 * recall returns a value that remember stored: the one of this tab, else the last one of any tab.
 * @param {string} key
 */
export const recall = (key) => sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? '';

/**
 * remember stores a value for this tab, and as the first value of new tabs.
 * @param {string} key
 * @param {string} value
 */
export function remember(key, value) {
  sessionStorage.setItem(key, value);
  localStorage.setItem(key, value);
}
