// The field for the default permissions of a command: everyone, administrators only, or members with named permissions.

/** @import { SelectChoice } from './ui.js' */
import { permissionNames, permissionsOf, textToPermissions } from './bits.js';
import { SearchSelect } from './search-select.js';
import { t } from './text.js';
import { html, IconButton, Select } from './ui.js';
import { useState } from './vendor/hooks.js';

/** @typedef {'everyone' | 'administrators' | 'named'} Who */

/**
 * @typedef {object} PermissionFieldProps
 * @property {string | null} value a bit set; null: everyone
 * @property {(value: string | null) => unknown} onValue
 * @property {string} [error]
 */

/** @param {PermissionFieldProps} props */
export function PermissionField({ value, onValue, error }) {
  const [isNaming, setNaming] = useState(false);
  const names = permissionsOf(value);
  /** @type {Who} */
  const unnamed = value === null ? 'everyone' : 'administrators';
  const who = names.length > 0 || isNaming ? 'named' : unnamed;
  const setNames = (/** @type {string[]} */ next) => onValue(next.length ? textToPermissions(next.join(' ')) : '0');
  const setWho = (/** @type {string} */ next) => {
    setNaming(next === 'named');
    if (next !== 'named') onValue(next === 'everyone' ? null : '0');
  };
  /** @type {SelectChoice[]} */
  const whoChoices = [
    ['everyone', t.permittedEveryone],
    ['administrators', t.permittedAdministrators],
    ['named', t.permittedNamed],
  ];
  const others = permissionNames.filter((name) => name && !names.includes(name));
  const chips = names.map(
    (name) => html`
      <li key=${name} class="chip">
        ${name}
        <${IconButton} icon="close" class="quiet small" label=${t.removeNamed(name)}
          onClick=${() => setNames(names.filter((n) => n !== name))} />
      </li>
    `,
  );
  return html`
    <div class="permission-field line">
      <${Select} label=${t.defaultPermissions} value=${who} onValue=${setWho} choices=${whoChoices} error=${error} />
      ${
        who === 'named' &&
        html`
          <${SearchSelect} label=${t.addPermission} value=""
            choices=${[['', t.choose], ...others.map((name) => [name, name])]}
            onValue=${(/** @type {string} */ name) => setNames([...names, name])} />
          <ul class="chips">${chips}</ul>
        `
      }
    </div>
  `;
}
