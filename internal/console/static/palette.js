// The command palette, which Ctrl+K opens, and the list of keys, which ? opens.

/** @import { Application, User } from '../types/wire.js' */
/** @import { Item } from './combobox.js' */
import { Combobox } from './combobox.js';
import { languages, otherLanguage, switchLanguage } from './language.js';
import { theme } from './look.js';
import { t } from './text.js';
import { Dialog, html } from './ui.js';
import { fullName } from './user.js';
import { useEffect, useState } from './vendor/hooks.js';

/** @typedef {'palette' | 'keys' | null} Overlay */

/** @typedef {Item<() => unknown>} Action */

/** @param {string} address */
const go = (address) => () => {
  location.hash = address;
};

/**
 * actionsFor returns everything that the palette offers.
 * @param {OverlayProps} props
 * @returns {Action[]}
 */
function actionsFor({ pages, people, applications, onOverlay }) {
  return [
    ...pages.map(({ name, title }) => ({ key: name, value: go(`#/${name}`), name: title, note: t.page })),
    ...people.map((p) => ({ key: p.id, value: go(`#/play?as=${p.id}`), name: fullName(p), note: t.actAs })),
    ...applications.map((a) => ({ key: a.id, value: go(`#/apps?app=${a.id}`), name: a.name, note: t.application })),
    { key: 'theme', value: () => theme.next(), name: t.changeTheme, note: t.setting },
    { key: 'language', value: switchLanguage, name: languages[otherLanguage], note: t.setting },
    { key: 'keys', value: () => onOverlay('keys'), name: t.keys, note: t.help },
  ];
}

/** @param {OverlayProps} props */
function Palette(props) {
  const [text, setText] = useState('');
  const words = text.toLowerCase().split(/\s+/);
  const matches = (/** @type {Action} */ { name, note }) => {
    const searched = `${name} ${note}`.toLowerCase();
    return words.every((w) => searched.includes(w));
  };
  const items = actionsFor(props).filter(matches).slice(0, 50);
  const onPick = (/** @type {Action} */ action) => {
    props.onOverlay(null);
    action.value();
  };
  return html`
    <${Dialog} title=${t.palette} onClose=${() => props.onOverlay(null)}>
      <div class="picker">
        <${Combobox} label=${t.palette} placeholder=${t.paletteHint} value=${text} onValue=${setText} items=${items}
          onPick=${onPick} empty=${t.noMatch} autofocus />
      </div>
    <//>
  `;
}

/** @param {{ onClose: () => unknown }} props */
function Keys({ onClose }) {
  const rows = t.keyList.map(
    ([keys, meaning]) => html`
      <tr key=${keys}>
        <td>${keys.split(' ').map((k) => html`<kbd key=${k}>${k}</kbd> `)}</td>
        <td>${meaning}</td>
      </tr>
    `,
  );
  return html`
    <${Dialog} title=${t.keys} onClose=${onClose}>
      <table class="table">
        <thead><tr><th>${t.key}</th><th>${t.meaning}</th></tr></thead>
        <tbody>${rows}</tbody>
      </table>
    <//>
  `;
}

/**
 * @typedef {object} OverlayProps
 * @property {{ name: string, title: string }[]} pages
 * @property {User[]} people
 * @property {Application[]} applications
 * @property {Overlay} overlay
 * @property {(overlay: Overlay) => unknown} onOverlay
 */

/** @param {EventTarget | null} target */
const takesText = (target) => target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);

/**
 * Overlays shows the palette or the list of keys, and listens to the keys that open them.
 * @param {OverlayProps} props
 */
export function Overlays(props) {
  const { overlay, onOverlay } = props;
  useEffect(() => {
    const onKeyDown = (/** @type {KeyboardEvent} */ e) => {
      const isPalette = (e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'k';
      const isHelp = e.key === '?' && !takesText(e.target);
      if (!(isPalette || isHelp) || document.querySelector('dialog[open]')) return;
      e.preventDefault();
      onOverlay(isPalette ? 'palette' : 'keys');
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [onOverlay]);
  if (overlay === 'palette') return html`<${Palette} ...${props} />`;
  return overlay === 'keys' ? html`<${Keys} onClose=${() => onOverlay(null)} />` : null;
}
