// The world file as text, with its faults at their lines.

/** @import { AppliedWorld } from '../types/wire.js' */
/** @import { Clients } from './http.js' */
/** @import { FieldError } from './http.js' */
import { forgetTokens } from './app-tokens.js';
import { APIError, request } from './http.js';
import { useAction, useQuery } from './state.js';
import { t } from './text.js';
import { CopyButton, html, Problem, TextArea } from './ui.js';
import { useEffect, useRef, useState } from './vendor/hooks.js';
import { lineOf } from './yaml-lines.js';

/**
 * NewSecrets shows the secrets that applying a world file created.
 * @param {{ applied: AppliedWorld }} props
 */
function NewSecrets({ applied }) {
  const { bot_tokens, client_secrets, user_tokens } = applied;
  const secrets = [bot_tokens, client_secrets, user_tokens].flatMap(Object.entries);
  const items = secrets.map(
    ([id, secret]) => html`
      <li key=${id}>${id}: <code class="secret">${secret}</code> <${CopyButton} text=${secret} /></li>
    `,
  );
  return html`
    <p class="good">✓ ${t.applied}</p>
    ${secrets.length > 0 && html`<p class="warning">${t.shownOnce}</p><ul>${items}</ul>`}
  `;
}

/** @typedef {FieldError & { line: number }} LineError */

/**
 * LineNumbers is the column of line numbers beside the text. Lines with an error are marked.
 * @param {{ text: string, errors: LineError[] }} props
 */
function LineNumbers({ text, errors }) {
  const marked = new Set(errors.map((e) => e.line));
  const numbers = text
    .split('\n')
    .map((_, i) => html`<span key=${i} class=${marked.has(i + 1) ? 'marked' : ''}>${i + 1}</span>`);
  return html`<div class="line-numbers" aria-hidden="true">${numbers}</div>`;
}

/**
 * LineErrors lists the errors. A click moves the cursor to the line.
 * @param {{ errors: LineError[], onSelect: (line: number) => unknown }} props
 */
function LineErrors({ errors, onSelect }) {
  const items = errors.map(
    (e) => html`
      <li key=${e.path + e.code}>
        <button type="button" class="link" disabled=${!e.line} onClick=${() => onSelect(e.line)}>
          ${e.line ? t.lineNumber(e.line) : e.path}
        </button>${' '}
        <code>${e.path}</code> ${e.message}
      </li>
    `,
  );
  return html`<div class="problem" role="alert"><strong>${t.errors(errors.length)}</strong><ul>${items}</ul></div>`;
}

/** @param {{ clients: Clients, version: number, onChange: () => unknown }} props */
export function WorldFile({ clients, version, onChange }) {
  const { settings, operator } = clients;
  const ref = useRef(/** @type {HTMLElement | null} */ (null));
  const file = useQuery(
    /** @returns {Promise<string>} */
    () => (settings.dev ? request('GET', '/_dev/world') : operator.get('/admin/v1/world')),
    [clients, version],
  );
  const [edited, setEdited] = useState(/** @type {string | null} */ (null));
  const [applied, setApplied] = useState(/** @type {AppliedWorld | null} */ (null));
  const text = edited ?? file.value ?? '';
  const apply = useAction(async () => {
    const headers = { 'Content-Type': 'application/yaml' };
    setApplied(await operator.request('PUT', '/admin/v1/world', text, headers));
    setEdited(null);
    onChange();
  });
  const reset = useAction(async () => {
    await request('POST', '/_dev/reset');
    forgetTokens();
    setEdited(null);
    onChange();
  });
  useEffect(apply.clear, [edited]);
  const fieldErrors = apply.error instanceof APIError ? apply.error.fieldErrors.filter((e) => e.path) : [];
  const errors = fieldErrors.map((e) => ({ ...e, line: lineOf(text, e.path) })).sort((a, b) => a.line - b.line);
  const select = (/** @type {number} */ line) => {
    const area = ref.current?.querySelector('textarea');
    if (!area) return;
    const start =
      text
        .split('\n')
        .slice(0, line - 1)
        .join('\n').length + (line > 1 ? 1 : 0);
    area.focus();
    area.setSelectionRange(start, start + text.split('\n')[line - 1].length);
    ref.current?.querySelector('.marked')?.scrollIntoView({ block: 'nearest' });
  };
  const resetButton = html`
    <button type="button" class="danger" disabled=${reset.busy} onClick=${reset.run}>${t.reset}</button>
  `;
  const rows = Math.max(12, text.split('\n').length + 1);
  return html`
    <section ref=${ref} class="world-file" aria-labelledby="file">
      <h2 id="file">${t.worldFile}</h2>
      <p class="toolbar">
        <button type="button" class="primary" disabled=${apply.busy || edited === null} onClick=${apply.run}>
          ${t.apply}
        </button>
        <button type="button" disabled=${edited === null} onClick=${() => setEdited(null)}>${t.cancel}</button>
        ${settings.dev && resetButton}
      </p>
      ${errors.length > 0 && html`<${LineErrors} errors=${errors} onSelect=${select} />`}
      <${Problem} error=${file.error ?? (errors.length === 0 ? apply.error : null) ?? reset.error} />
      <div role="status">${applied && edited === null && html`<${NewSecrets} applied=${applied} />`}</div>
      <div class="editor">
        <${LineNumbers} text=${text} errors=${errors} />
        <${TextArea} label=${t.worldFile} hint=${t.worldHint} rows=${rows} wrap="off" class="code" value=${text}
          onValue=${setEdited} aria-invalid=${errors.length > 0 ? 'true' : undefined} />
      </div>
    </section>
  `;
}
