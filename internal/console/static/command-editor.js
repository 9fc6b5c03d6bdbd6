// The dialog that creates or edits a command: as a form and as JSON, with the errors that the service finds.

/** @import { Command, CommandDefinition } from '../types/wire.js' */
/** @import { Clients, FieldError } from './http.js' */
import { definitionOf } from './definition.js';
import { DefinitionForm } from './editor.js';
import { APIError } from './http.js';
import { Preview } from './preview.js';
import { toError, useAction } from './state.js';
import { t } from './text.js';
import { Dialog, html, Problem, TextArea, withoutDefault } from './ui.js';
import { useEffect, useState } from './vendor/hooks.js';

/**
 * Where commands are edited: the application, the guild or '' for global commands, and the path of the commands.
 * @typedef {{ clients: Clients, app: string, guild: string, path: string }} Scope
 */

/** @param {Scope} scope */
export const guildQuery = ({ guild }) => (guild ? `?guild_id=${guild}` : '');

/**
 * useDefinitionErrors returns the errors that the service finds in a definition, while the user edits it.
 * @param {Scope} scope
 * @param {CommandDefinition} definition
 */
function useDefinitionErrors(scope, definition) {
  const { clients, app, guild } = scope;
  const [errors, setErrors] = useState(/** @type {FieldError[]} */ ([]));
  useEffect(() => {
    let canceled = false;
    const check = async () => {
      const found = await definitionErrors(scope, definition);
      if (!canceled) setErrors(found);
    };
    const timer = setTimeout(check, 150);
    return () => {
      canceled = true;
      clearTimeout(timer);
    };
  }, [clients, app, guild, definition]);
  return errors;
}

/**
 * @param {Scope} scope
 * @param {CommandDefinition} definition
 * @returns {Promise<FieldError[]>}
 */
async function definitionErrors(scope, definition) {
  const path = `/admin/v1/applications/${scope.app}/commands/check${guildQuery(scope)}`;
  try {
    await scope.clients.operator.post(path, definition);
    return [];
  } catch (error) {
    if (error instanceof APIError && error.fieldErrors.length) return error.fieldErrors;
    return [{ path: '', code: '', message: toError(error).message }];
  }
}

/** @param {CommandDefinition} definition */
const toJSON = (definition) => JSON.stringify(definition, null, 2);

/**
 * useDefinition returns a definition that the user edits as a form and as JSON.
 * @param {CommandDefinition} initial
 */
function useDefinition(initial) {
  const [value, setValue] = useState(initial);
  const [text, setText] = useState(() => toJSON(initial));
  const [syntaxError, setSyntaxError] = useState(/** @type {string | null} */ (null));
  return {
    value,
    text,
    syntaxError,
    setDefinition: (/** @type {CommandDefinition} */ definition) => {
      setValue(definition);
      setText(toJSON(definition));
      setSyntaxError(null);
    },
    setJSON: (/** @type {string} */ json) => {
      setText(json);
      try {
        const parsed = JSON.parse(json);
        if (parsed === null || typeof parsed !== 'object') throw new Error(t.notAnObject);
        setValue(parsed);
        setSyntaxError(null);
      } catch (error) {
        setSyntaxError(toError(error).message);
      }
    },
  };
}

/**
 * CommandEditor creates a command, or edits the given one.
 * @param {{ scope: Scope, command: Command | null, onClose: (changed: boolean) => unknown }} props
 */
export function CommandEditor({ scope, command, onClose }) {
  const initial = command ? definitionOf(command) : { type: 1, name: '', description: '' };
  const { value, text, syntaxError, setDefinition, setJSON } = useDefinition(initial);
  const errors = useDefinitionErrors(scope, value);
  const cancel = () => onClose(false);
  const save = useAction(async () => {
    const client = scope.clients.app(scope.app);
    await (command ? client.patch(`${scope.path}/${command.id}`, value) : client.post(scope.path, value));
    onClose(true);
  });
  const problem = { message: t.errors(errors.length), fieldErrors: errors };
  const result = errors.length ? html`<${Problem} error=${problem} />` : html`<p class="good">✓ ${t.valid}</p>`;
  return html`
    <${Dialog} wide title=${command ? t.editNamed(command.name) : t.newCommand} onClose=${cancel}>
      <form onSubmit=${withoutDefault(save.run)}>
        <div class="split">
          <${DefinitionForm} value=${value} onValue=${setDefinition} errors=${errors} fixedType=${Boolean(command)} />
          <div>
            <${TextArea} label="JSON" rows="20" value=${text} onValue=${setJSON} error=${syntaxError} />
            <div role="status">${result}</div>
            <${Preview} definition=${value} />
          </div>
        </div>
        <${Problem} error=${save.error} />
        <footer>
          <button type="button" onClick=${cancel}>${t.cancel}</button>
          <button class="primary" disabled=${save.busy || syntaxError || errors.length > 0}>${t.save}</button>
        </footer>
      </form>
    <//>
  `;
}
