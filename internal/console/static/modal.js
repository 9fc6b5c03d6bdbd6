// Modals of apps.

/** @import { Component, Modal, SubmittedComponent } from '../types/wire.js' */
/** @import { LoadedGuild, Session } from './session.js' */
import { componentType, menuItems, SelectMenu } from './components.js';
import { Markdown } from './markdown.js';
import { useAction } from './state.js';
import { t } from './text.js';
import { Checkbox, Dialog, Field, html, Input, Problem, Select, Text, TextArea, withoutDefault } from './ui.js';
import { useState } from './vendor/hooks.js';

const styleParagraph = 2;

/**
 * The value of an input. A text input uses text, a checkbox checked, a file upload files, and other inputs chosen.
 * @typedef {{ text: string, checked: boolean, files: File[], chosen: string[] }} Value
 */

/** @typedef {Component & { custom_id: string }} ModalInput */

/**
 * inputsOf returns the inputs of a modal. An input in a label gets the label and the description of the label.
 * @param {Component[]} components
 */
function inputsOf(components) {
  const inputs = components.flatMap((c) => {
    if (c.type === componentType.actionRow) return c.components ?? [];
    if (c.type !== componentType.label || !c.component) return [];
    return [{ ...c.component, label: c.label, description: c.description }];
  });
  return inputs.map((c) => ({ ...c, custom_id: c.custom_id ?? '' }));
}

/**
 * @param {ModalInput} input
 * @returns {Value}
 */
const initialValue = (input) => ({
  text: input.value ?? '',
  checked: Boolean(input.default),
  files: [],
  chosen: (input.options ?? []).filter((o) => o.default).map((o) => o.value),
});

/**
 * @typedef {object} ModalInputProps
 * @property {ModalInput} input
 * @property {Value} value
 * @property {(value: Partial<Value>) => unknown} onValue
 * @property {LoadedGuild} [guild]
 */

/** @param {{ input: ModalInput }} props */
function Label({ input }) {
  const optional = html` <span class="note">${t.optional}</span>`;
  return html`
    <${Text} value=${input.label ?? input.custom_id} max=${100} />
    ${input.required === false ? optional : null}
  `;
}

/** @param {ModalInputProps} props */
function TextInputView({ input, value, onValue }) {
  const attributes = {
    label: html`<${Label} input=${input} />`,
    hint: input.description,
    value: value.text,
    onValue: (/** @type {string} */ text) => onValue({ text }),
    placeholder: input.placeholder,
    required: input.required !== false,
    minlength: input.min_length,
    maxlength: input.max_length ?? 4000,
  };
  return input.style === styleParagraph
    ? html`<${TextArea} rows="5" ...${attributes} />`
    : html`<${Input} ...${attributes} />`;
}

/** @param {ModalInputProps} props */
function FileUpload({ input, onValue }) {
  const onChange = (/** @type {Event & { currentTarget: HTMLInputElement }} */ e) =>
    onValue({ files: [...(e.currentTarget.files ?? [])] });
  return html`
    <${Field} label=${html`<${Label} input=${input} />`} hint=${input.description}>
      ${(/** @type {object} */ attributes) => html`
        <input type="file" multiple=${(input.max_values ?? 1) > 1} required=${input.required !== false}
          onChange=${onChange} ...${attributes} />
      `}
    <//>
  `;
}

/** @param {ModalInputProps} props */
function RadioGroup({ input, value, onValue }) {
  const choices = [['', t.choose], ...(input.options ?? []).map((o) => [o.value, o.label])];
  return html`
    <${Select} label=${html`<${Label} input=${input} />`} hint=${input.description} value=${value.chosen[0] ?? ''}
      onValue=${(/** @type {string} */ v) => onValue({ chosen: v ? [v] : [] })} choices=${choices} />
  `;
}

/** @param {ModalInputProps} props */
function CheckboxGroup({ input, value: { chosen }, onValue }) {
  const toggle = (/** @type {string} */ value, /** @type {boolean} */ on) =>
    onValue({ chosen: on ? [...chosen, value] : chosen.filter((v) => v !== value) });
  return html`
    <fieldset>
      <legend><${Label} input=${input} /></legend>
      ${input.options?.map(
        (o) => html`
          <${Checkbox} key=${o.value} label=${o.label} value=${chosen.includes(o.value)}
            onValue=${(/** @type {boolean} */ on) => toggle(o.value, on)} />
        `,
      )}
    </fieldset>
  `;
}

/** @param {ModalInputProps} props */
function SelectInput({ input, value: { chosen }, onValue, guild }) {
  const items = menuItems(input, guild);
  const name = (/** @type {string} */ value) => items.find((item) => item.value === value)?.name ?? value;
  const use = (/** @type {Component} */ _, /** @type {string[]} */ values) => onValue({ chosen: values });
  return html`
    <fieldset>
      <legend><${Label} input=${input} /></legend>
      <p class="chosen">
        ${chosen.map((v) => html`<span key=${v} class="chip"><${Text} value=${name(v)} max=${100} /></span>`)}
      </p>
      <${SelectMenu} menu=${input} label=${input.label ?? input.custom_id} guild=${guild} onUse=${use} />
    </fieldset>
  `;
}

/** @param {ModalInputProps} props */
function ModalInputView(props) {
  const { input, value, onValue } = props;
  switch (input.type) {
    case componentType.textInput:
      return html`<${TextInputView} ...${props} />`;
    case componentType.fileUpload:
      return html`<${FileUpload} ...${props} />`;
    case componentType.checkbox:
      return html`
        <${Checkbox} label=${html`<${Label} input=${input} />`} value=${value.checked}
          onValue=${(/** @type {boolean} */ checked) => onValue({ checked })} />
      `;
    case componentType.radioGroup:
      return html`<${RadioGroup} ...${props} />`;
    case componentType.checkboxGroup:
      return html`<${CheckboxGroup} ...${props} />`;
    default:
      return html`<${SelectInput} ...${props} />`;
  }
}

/**
 * submission returns the components of a submitted modal and the files of its file uploads.
 * @param {Component[]} components
 * @param {Record<string, Value>} values by custom id
 */
function submission(components, values) {
  /** @type {File[]} */
  const files = [];
  /** @type {(input: Component) => SubmittedComponent} */
  const submitInput = ({ type, id, custom_id }) => {
    const value = values[custom_id ?? ''];
    switch (type) {
      case componentType.textInput:
        return { type, id, custom_id, value: value.text };
      case componentType.checkbox:
        return { type, id, custom_id, value: value.checked };
      case componentType.radioGroup:
        return { type, id, custom_id, value: value.chosen[0] ?? null };
      case componentType.fileUpload: {
        const first = files.length;
        files.push(...value.files);
        return { type, id, custom_id, values: value.files.map((_, i) => String(first + i)) };
      }
      default:
        return { type, id, custom_id, values: value.chosen };
    }
  };
  const submitted = components.map(({ type, id, component, components: inner }) => {
    if (type === componentType.label) return { type, id, component: component && submitInput(component) };
    if (type === componentType.actionRow) return { type, id, components: (inner ?? []).map(submitInput) };
    return { type, id };
  });
  return { components: submitted, files };
}

/**
 * fieldsOf returns the values of a form by custom id, without files and empty values.
 * @param {Record<string, Value>} values
 */
function fieldsOf(values) {
  const entries = Object.entries(values).map(([id, { text, checked, chosen }]) => [
    id,
    text || (chosen.length ? chosen : checked),
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value));
}

/** @param {{ modal: Modal, session: Session, guild?: LoadedGuild }} props */
export function ModalDialog({ modal, session, guild }) {
  const modalComponents = modal.components ?? [];
  const inputs = inputsOf(modalComponents);
  const [values, setValues] = useState(() => Object.fromEntries(inputs.map((c) => [c.custom_id, initialValue(c)])));
  const close = () => session.closeModal();
  const submit = useAction(async () => {
    const { components, files } = submission(modalComponents, values);
    const attachments = files.map((f, i) => ({ id: String(i), filename: f.name }));
    const invocation = {
      type: 5,
      application_id: modal.application?.id ?? modal.application_id ?? '',
      channel_id: modal.channel_id,
      guild_id: guild?.id,
      data: { id: modal.id, custom_id: modal.custom_id, components, attachments },
    };
    const step = { submit: { form: modal.title, fields: fieldsOf(values) } };
    await session.invoke(invocation, modal.title, { files, step });
    close();
  });
  const set = (/** @type {string} */ id, /** @type {Partial<Value>} */ value) =>
    setValues((all) => ({ ...all, [id]: { ...all[id], ...value } }));
  const texts = modalComponents.filter((c) => c.type === componentType.textDisplay);
  return html`
    <${Dialog} title=${modal.title} onClose=${close}>
      <form onSubmit=${withoutDefault(submit.run)}>
        ${texts.map((c, i) => html`<${Markdown} key=${i} text=${c.content} />`)}
        ${inputs.map(
          (c) => html`
            <${ModalInputView} key=${c.custom_id} input=${c} guild=${guild} value=${values[c.custom_id]}
              onValue=${(/** @type {Partial<Value>} */ value) => set(c.custom_id, value)} />
          `,
        )}
        <${Problem} error=${submit.error} />
        <p class="warning">${t.modalWarning(modal.application?.name ?? '')}</p>
        <footer>
          <button type="button" onClick=${close}>${t.cancel}</button>
          <button class="primary" disabled=${submit.busy}>${t.submit}</button>
        </footer>
      </form>
    <//>
  `;
}
