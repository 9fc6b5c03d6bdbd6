// The components that every page uses.

/** @import { FieldError } from './http.js' */
/** @import { Child } from './vendor/preact.js' */
import { t } from './text.js';
import { useEffect, useId, useRef, useState } from './vendor/hooks.js';
import htm from './vendor/htm.js';
import { h } from './vendor/preact.js';

export const html = htm.bind(h);

/**
 * Further attributes of an element.
 * @typedef {Record<string, unknown>} Attributes
 */

/**
 * A choice of a select: its value and its label.
 * @typedef {[value: string, label: string]} SelectChoice
 */

/**
 * withoutDefault returns an event handler that calls a function in place of the browser's own reaction.
 * @param {() => unknown} handle
 */
export const withoutDefault = (handle) => (/** @type {Event} */ event) => {
  event.preventDefault();
  handle();
};

/**
 * Text shows text that others wrote: without markup, isolated from the direction of the text around it, and cut after
 * max characters.
 * @param {{ value: unknown, max?: number } & Attributes} props
 */
export function Text({ value, max = 4000, ...rest }) {
  const text = String(value ?? '');
  return html`<bdi ...${rest}>${text.length > max ? `${text.slice(0, max)}…` : text}</bdi>`;
}

/**
 * Icon is a symbol of icons/sprite.svg. It has no name for assistive technology: the text or the label beside it has.
 * @param {{ name: string, size?: 'small' | 'large' | '' }} props
 */
export function Icon({ name, size = '' }) {
  return html`
    <svg class="icon ${size}" aria-hidden="true" focusable="false"><use href="assets/icons/sprite.svg#${name}" /></svg>
  `;
}

/**
 * IconButton is a button with an icon alone. label is its name, which also shows while the pointer is over it.
 * @param {{ icon: string, label: string, onClick: () => unknown, class?: string } & Attributes} props
 */
export function IconButton({ icon, label, onClick, class: classes = 'quiet', ...rest }) {
  return html`
    <button type="button" class="only-icon ${classes}" aria-label=${label} title=${label} onClick=${onClick} ...${rest}>
      <${Icon} name=${icon} />
    </button>
  `;
}

/**
 * Empty is shown where a list has no entries: what is missing, why, and the one action that helps.
 * @param {{ icon: string, title: string, children?: Child, action?: Child }} props
 */
export function Empty({ icon, title, children, action }) {
  return html`
    <div class="empty">
      <${Icon} name=${icon} size="large" />
      <strong>${title}</strong>
      ${children && html`<p>${children}</p>`}
      ${action}
    </div>
  `;
}

/**
 * Skeleton takes the place of content that is loading.
 * @param {{ lines?: number }} props
 */
export function Skeleton({ lines = 3 }) {
  const bars = Array.from({ length: lines }, (_, i) => html`<span key=${i}></span>`);
  return html`<div class="skeleton" role="status" aria-label=${t.loading}>${bars}</div>`;
}

/**
 * @typedef {object} FieldProps
 * @property {Child} label
 * @property {string} [hint]
 * @property {string | null} [error]
 */

/**
 * The attributes that connect an input to its label, hint and error.
 * @typedef {{ id: string, 'aria-describedby'?: string, 'aria-invalid'?: 'true' }} InputAttributes
 */

/**
 * Field is a label, the input that children returns, a hint and an error.
 * @param {FieldProps & { children: (attributes: InputAttributes) => Child }} props
 */
export function Field({ label, hint, error, children }) {
  const id = useId();
  const describedBy = [hint && `${id}-h`, error && `${id}-e`].filter(Boolean).join(' ') || undefined;
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      ${children({ id, 'aria-describedby': describedBy, 'aria-invalid': error ? 'true' : undefined })}
      ${hint && html`<p class="hint" id="${id}-h">${hint}</p>`}
      ${error && html`<p class="error" id="${id}-e">${error}</p>`}
    </div>
  `;
}

/** @typedef {FieldProps & { value: string | number, onValue: (value: string) => unknown }} InputProps */

/** @typedef {Event & { currentTarget: HTMLInputElement }} InputEvent */

/** @param {InputProps & { type?: string } & Attributes} props */
export function Input({ label, hint, error, value, onValue, type = 'text', ...rest }) {
  const onInput = (/** @type {InputEvent} */ e) => onValue(e.currentTarget.value);
  return html`
    <${Field} label=${label} hint=${hint} error=${error}>
      ${(/** @type {InputAttributes} */ attributes) => html`
        <input type=${type} value=${value} onInput=${onInput} autocomplete="off" ...${attributes} ...${rest} />
      `}
    <//>
  `;
}

/** @param {InputProps & Attributes} props */
export function TextArea({ label, hint, error, value, onValue, ...rest }) {
  const onInput = (/** @type {InputEvent} */ e) => onValue(e.currentTarget.value);
  return html`
    <${Field} label=${label} hint=${hint} error=${error}>
      ${(/** @type {InputAttributes} */ attributes) => html`
        <textarea value=${value} onInput=${onInput} spellcheck=${false} ...${attributes} ...${rest}></textarea>
      `}
    <//>
  `;
}

/** @param {InputProps & { choices: SelectChoice[] } & Attributes} props */
export function Select({ label, hint, error, value, onValue, choices, ...rest }) {
  const onChange = (/** @type {InputEvent} */ e) => onValue(e.currentTarget.value);
  return html`
    <${Field} label=${label} hint=${hint} error=${error}>
      ${(/** @type {InputAttributes} */ attributes) => html`
        <select value=${value} onChange=${onChange} ...${attributes} ...${rest}>
          ${choices.map(([v, name]) => html`<option key=${v} value=${v} selected=${v === value}>${name}</option>`)}
        </select>
      `}
    <//>
  `;
}

/** @param {{ label: Child, value: boolean, onValue: (value: boolean) => unknown } & Attributes} props */
export function Checkbox({ label, value, onValue, ...rest }) {
  const id = useId();
  const onChange = (/** @type {InputEvent} */ e) => onValue(e.currentTarget.checked);
  return html`
    <div class="check">
      <input type="checkbox" id=${id} checked=${value} onChange=${onChange} ...${rest} />
      <label for=${id}>${label}</label>
    </div>
  `;
}

/**
 * focusAgain gives the focus again to the element that has it. The page is inert until a dialog is gone: an element
 * that got the focus before receives keys, but no text.
 */
function focusAgain() {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement) || element.closest('dialog')) return;
  element.blur();
  element.focus({ preventScroll: true });
}

/**
 * submitForm submits the form around the focus with Ctrl+Enter, as a click on its button does.
 * @param {KeyboardEvent} event
 */
function submitForm(event) {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  const form = event.target instanceof Element ? event.target.closest('form') : null;
  if (!form) return;
  event.preventDefault();
  /** @type {HTMLButtonElement | null} */ (form.querySelector('button:not([type="button"])'))?.click();
}

/**
 * Dialog is a modal dialog. The focus goes to the element with data-first, to its first input, or to its first button
 * after the one that closes it. Ctrl+Enter submits its form.
 * @param {{ title: string, onClose: () => unknown, children: Child, wide?: boolean }} props
 */
export function Dialog({ title, onClose, children, wide }) {
  const ref = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    const first =
      dialog?.querySelector('[data-first]') ??
      dialog?.querySelector('input, textarea, select') ??
      dialog?.querySelector('.content button');
    /** @type {HTMLElement | null | undefined} */ (first)?.focus();
    return () => {
      dialog?.close();
      requestAnimationFrame(focusAgain);
    };
  }, []);
  return html`
    <dialog ref=${ref} class=${wide ? 'wide' : ''} aria-labelledby=${id} onCancel=${withoutDefault(onClose)}
      onKeyDown=${submitForm}>
      <header>
        <h2 id=${id}><${Text} value=${title} /></h2>
        <${IconButton} icon="close" label=${t.close} onClick=${onClose} />
      </header>
      <div class="content">${children}</div>
    </dialog>
  `;
}

/**
 * inWords returns what an error of a field means: the words of the console for its code, or the message of the service.
 * @param {FieldError} error
 */
export const inWords = ({ code, message }) => /** @type {Record<string, string>} */ (t.rules)[code] ?? message;

/**
 * Problem shows an error with its field errors.
 * @param {{ error?: { message: string, fieldErrors?: FieldError[] } | null }} props
 */
export function Problem({ error }) {
  if (!error) return null;
  const items = error.fieldErrors?.map(
    (e) => html`
      <li key=${e.path + e.code}>
        <code>${e.path || '·'}</code> ${inWords(e)} <code class="rule-code">${e.code}</code>
      </li>
    `,
  );
  return html`
    <div class="problem" role="alert">
      <p><strong>${error.message}</strong></p>
      ${items?.length ? html`<ul>${items}</ul>` : null}
    </div>
  `;
}

export function Loading() {
  return html`<p class="busy" role="status">${t.loading}</p>`;
}

/**
 * Tabs is a list of tabs. The page shows the panel of the selected one.
 * @template {string} ID
 * @param {{ label: string, tabs: [id: ID, name: string][], selected: ID, onSelect: (id: ID) => unknown }} props
 */
export function Tabs({ label, tabs, selected, onSelect }) {
  const onKeyDown = (/** @type {KeyboardEvent & { currentTarget: HTMLElement }} */ e) => {
    const step = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;
    if (!step) return;
    e.preventDefault();
    const i = tabs.findIndex(([id]) => id === selected);
    const [next] = tabs[(i + step + tabs.length) % tabs.length];
    onSelect(next);
    /** @type {HTMLElement | null} */ (e.currentTarget.querySelector(`[data-tab="${next}"]`))?.focus();
  };
  return html`
    <div role="tablist" aria-label=${label} class="tabs" onKeyDown=${onKeyDown}>
      ${tabs.map(
        ([id, name]) => html`
          <button key=${id} type="button" role="tab" data-tab=${id} aria-selected=${id === selected ? 'true' : 'false'}
            tabindex=${id === selected ? 0 : -1} onClick=${() => onSelect(id)}>${name}</button>
        `,
      )}
    </div>
  `;
}

/**
 * CopyButton copies a text to the clipboard.
 * @param {{ text: string, label?: string }} props
 */
export function CopyButton({ text, label = t.copy }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return html`
    <button type="button" class="small" onClick=${copy}>
      <${Icon} name=${copied ? 'check' : 'copy'} /> ${copied ? t.copied : label}
    </button>
  `;
}
