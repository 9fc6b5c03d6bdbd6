// The parts of which every page is made.
import {h, render, Fragment} from './vendor/preact.js';
import {useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback, useId} from './vendor/hooks.js';
import htm from './vendor/htm.js';
import {t} from './text.js';

export const html = htm.bind(h);
export {h, render, Fragment, useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback, useId};

// useStore draws a component again whenever a store says that it changed.
export function useStore(store) {
  const [, again] = useState(0);
  useEffect(() => store?.listen(() => again((n) => n + 1)), [store]);
  return store;
}

// Store is something that can be listened to. Several changes in one turn are told once.
export class Store {
  #listeners = new Set();
  #due = false;

  listen(fn) {
    this.#listeners.add(fn);
    return () => this.#listeners.delete(fn);
  }

  changed() {
    if (this.#due) return;
    this.#due = true;
    queueMicrotask(() => {
      this.#due = false;
      for (const fn of this.#listeners) fn();
    });
  }
}

// useAsk asks for something and gives {value, error, busy, again}.
export function useAsk(ask, inputs) {
  const [state, set] = useState({busy: true});
  const turn = useRef(0);
  const again = useCallback(async () => {
    const mine = ++turn.current;
    set((s) => ({...s, busy: true}));
    try {
      const value = await ask();
      if (mine === turn.current) set({value, busy: false});
    } catch (error) {
      if (mine === turn.current) set({error, busy: false});
    }
  }, inputs);
  useEffect(() => {
    again();
    return () => turn.current++;
  }, inputs);
  return {...state, again};
}

// Text shows what others wrote: as text, apart from what surrounds it, and not longer than is good.
export function Text({of, most = 4000, ...rest}) {
  const text = String(of ?? '');
  return html`<bdi ...${rest}>${text.length > most ? text.slice(0, most) + '…' : text}</bdi>`;
}

export function Field({label, hint, error, children, ...rest}) {
  const id = useId();
  const about = [hint && `${id}-h`, error && `${id}-e`].filter(Boolean).join(' ') || undefined;
  const input = typeof children === 'function' ? children({id, 'aria-describedby': about, 'aria-invalid': error ? 'true' : undefined}) : children;
  return html`<div class="field" ...${rest}>
    <label for=${id}>${label}</label>
    ${input}
    ${hint && html`<p class="hint" id="${id}-h">${hint}</p>`}
    ${error && html`<p class="error" id="${id}-e">${error}</p>`}
  </div>`;
}

export function Input({label, hint, error, value, onValue, type = 'text', ...rest}) {
  return html`<${Field} label=${label} hint=${hint} error=${error}>${(a) => html`
    <input type=${type} value=${value} onInput=${(e) => onValue(e.currentTarget.value)} autocomplete="off" ...${a} ...${rest} />`}<//>`;
}

export function Area({label, hint, error, value, onValue, ...rest}) {
  return html`<${Field} label=${label} hint=${hint} error=${error}>${(a) => html`
    <textarea value=${value} onInput=${(e) => onValue(e.currentTarget.value)} spellcheck=${false} ...${a} ...${rest}></textarea>`}<//>`;
}

export function Select({label, hint, error, value, onValue, options, ...rest}) {
  return html`<${Field} label=${label} hint=${hint} error=${error}>${(a) => html`
    <select value=${value} onChange=${(e) => onValue(e.currentTarget.value)} ...${a} ...${rest}>
      ${options.map(([v, name]) => html`<option key=${v} value=${v} selected=${v === value}>${name}</option>`)}
    </select>`}<//>`;
}

export function Check({label, value, onValue, ...rest}) {
  const id = useId();
  return html`<div class="check"><input type="checkbox" id=${id} checked=${value} onChange=${(e) => onValue(e.currentTarget.checked)} ...${rest} />
    <label for=${id}>${label}</label></div>`;
}

// Dialog asks for attention until it is closed.
export function Dialog({title, onClose, children, wide}) {
  const ref = useRef();
  const id = useId();
  useEffect(() => {
    ref.current.showModal();
    return () => ref.current?.close();
  }, []);
  return html`<dialog ref=${ref} class=${wide ? 'wide' : ''} aria-labelledby=${id} onCancel=${(e) => { e.preventDefault(); onClose(); }}>
    <header><h2 id=${id}><${Text} of=${title} /></h2>
      <button type="button" class="quiet" onClick=${onClose} aria-label=${t.close}>✕</button></header>
    ${children}
  </dialog>`;
}

// Problem shows what went wrong, with every place that a fault was found in.
export function Problem({error}) {
  if (!error) return null;
  return html`<div class="problem" role="alert">
    <p><strong>${error.message}</strong></p>
    ${error.faults?.length > 0 && html`<ul>${error.faults.map((f) => html`<li key=${f.path + f.code}><code>${f.path || '·'}</code> ${f.message}</li>`)}</ul>`}
  </div>`;
}

export function Busy({label = t.loading}) {
  return html`<p class="busy" role="status">${label}</p>`;
}

// Combobox is a text field with suggestions below it, used by keyboard first. Items are {value, name, note, icon}.
export function Combobox({id, value, onValue, items, onPick, onKey, busy, empty, label, autofocus, describedby, invalid, listLabel, inputRef, placeholder, above}) {
  const own = useRef();
  const ref = inputRef ?? own;
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const list = useId();
  const shown = open && (items.length > 0 || busy || empty);
  useEffect(() => setAt(0), [items.length, value]);
  // At once, so that nothing that is typed falls between two fields.
  useLayoutEffect(() => { if (autofocus) ref.current?.focus(); }, [autofocus]);
  useEffect(() => {
    if (shown) document.getElementById(`${list}-${at}`)?.scrollIntoView({block: 'nearest'});
  }, [at, shown]);
  const pick = (item) => {
    setOpen(false);
    onPick(item);
  };
  const key = (e) => {
    if (e.isComposing) return;
    if (shown && items.length > 0) {
      if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
        e.preventDefault();
        setAt((at + (e.key === 'ArrowDown' ? 1 : items.length - 1)) % items.length);
        return;
      }
      if (e.key === 'Enter' || (e.key === 'Tab' && !e.shiftKey && value !== '')) {
        const item = items[Math.min(at, items.length - 1)];
        if (e.key === 'Enter') e.preventDefault();
        pick(item);
        if (e.key === 'Enter') return;
      }
      if (e.key === 'Escape') {
        e.preventDefault();
        e.stopPropagation();
        setOpen(false);
        return;
      }
    } else if (e.key === 'ArrowDown' && !open) {
      setOpen(true);
    }
    onKey?.(e);
  };
  return html`<div class="combobox ${above ? 'above' : ''}">
    <input ref=${ref} id=${id} type="text" role="combobox" aria-expanded=${shown ? 'true' : 'false'} aria-controls=${list} aria-autocomplete="list"
      aria-activedescendant=${shown && items.length ? `${list}-${at}` : undefined} aria-label=${label} aria-describedby=${describedby} aria-invalid=${invalid ? 'true' : undefined}
      value=${value} placeholder=${placeholder} autocomplete="off" spellcheck=${false}
      onInput=${(e) => { setOpen(true); onValue(e.currentTarget.value); }} onFocus=${() => setOpen(true)} onBlur=${() => setOpen(false)} onKeyDown=${key} />
    <ul id=${list} role="listbox" aria-label=${listLabel ?? label ?? t.suggestions} hidden=${!shown}>
      ${items.map((item, i) => html`<li key=${item.key ?? item.value} id="${list}-${i}" role="option" aria-selected=${i === at ? 'true' : 'false'} class=${i === at ? 'at' : ''}
        onMouseDown=${(e) => { e.preventDefault(); pick(item); }} onMouseMove=${() => setAt(i)}>
        ${item.icon && html`<span class="icon" aria-hidden="true">${item.icon}</span>`}<${Text} of=${item.name} most=${100} class="name" />${item.note && html`<${Text} of=${item.note} most=${140} class="note" />`}
      </li>`)}
    </ul>
    ${shown && items.length === 0 && html`<p class="none" role="status">${busy ? t.loading : empty}</p>`}
  </div>`;
}

// Tabs shows one of several views.
export function Tabs({label, tabs, at, onAt}) {
  const key = (e) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[e.key];
    if (!step) return;
    e.preventDefault();
    const i = tabs.findIndex(([id]) => id === at);
    const next = tabs[(i + step + tabs.length) % tabs.length][0];
    onAt(next);
    e.currentTarget.querySelector(`[data-tab="${next}"]`)?.focus();
  };
  return html`<div role="tablist" aria-label=${label} class="tabs" onKeyDown=${key}>
    ${tabs.map(([id, name]) => html`<button key=${id} type="button" role="tab" data-tab=${id} aria-selected=${id === at ? 'true' : 'false'}
      tabindex=${id === at ? 0 : -1} onClick=${() => onAt(id)}>${name}</button>`)}
  </div>`;
}

// Copy puts a text on the clipboard and says so.
export function Copy({text, label = t.copy}) {
  const [done, set] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    set(true);
    setTimeout(() => set(false), 1500);
  };
  return html`<button type="button" class="small" onClick=${copy}>${done ? t.copied : label}</button>`;
}

// useWork runs something that was asked for, once at a time, and keeps its error.
export function useWork(work) {
  const [state, set] = useState({busy: false});
  const run = async (...args) => {
    set({busy: true});
    try {
      const value = await work(...args);
      set({busy: false});
      return value;
    } catch (error) {
      set({busy: false, error});
      return undefined;
    }
  };
  return {...state, run, clear: () => set({busy: false})};
}
