'use strict';

// How users reply to an answer: with buttons, select menus and forms. Each function returns the members of a request to
// POST /_dev/invoke.

/** @import { Fields, Json, Message, Outcome } from '.' */

const button = 2;
const menus = [3, 5, 6, 7, 8]; // of texts, users, roles, mentionables and channels

/**
 * Presses a button.
 * @param {Outcome} outcome
 * @param {string} name its label, custom id or emoji
 */
function press(outcome, name) {
  const { message, component } = find(
    outcome,
    `button ${JSON.stringify(name)}`,
    (c) => c.type === button && [c.label, c.custom_id, c.emoji?.name].includes(name),
  );
  return use(message, component);
}

/**
 * Selects values in a menu.
 * @param {Outcome} outcome
 * @param {string} name its placeholder or custom id
 * @param {string[]} values
 */
function select(outcome, name, values) {
  const { message, component } = find(
    outcome,
    `select menu ${JSON.stringify(name)}`,
    (c) => menus.includes(c.type) && [c.placeholder, c.custom_id].includes(name),
  );
  return use(message, component, { values: optionValues(component, values) });
}

/**
 * Submits the form of an outcome.
 * @param {Outcome} outcome
 * @param {Fields} fields
 */
function submit({ modal, interaction }, fields) {
  if (!modal) throw new Error('the answer opened no form');
  const components = Object.entries(fields).map(([name, value]) => {
    const { type, custom_id, options } = field(modal, name);
    if (typeof value === 'string') return { type, custom_id, value };
    return { type, custom_id, values: optionValues({ options }, value) };
  });
  const data = { id: interaction.id, custom_id: modal.custom_id, components };
  return {
    in: interaction.channel_id,
    interaction: { type: 5, application_id: interaction.application_id, data },
  };
}

/**
 * @param {Message} message
 * @param {Json} component
 * @param {{ values?: string[] }} [more]
 */
function use(message, component, more) {
  const data = { component_type: component.type, custom_id: component.custom_id, ...more };
  const { application_id, id: message_id } = message;
  return { in: message.channel_id, interaction: { type: 3, application_id, message_id, data } };
}

/**
 * Returns the first component that matches, with its message.
 * @param {Outcome} outcome
 * @param {string} what
 * @param {(component: Json) => boolean} match
 */
function find(outcome, what, match) {
  for (const message of outcome.messages) {
    const component = walk(message.components ?? []).find(match);
    if (component) return { message, component };
  }
  throw new Error(`the messages of the answer have no ${what}`);
}

/**
 * Returns the field of a form with a label or a custom id.
 * @param {Json} form
 * @param {string} name
 */
function field(form, name) {
  const found = walk(form.components).find((c) => c.custom_id === name || c.label === name);
  if (!found) throw new Error(`the form ${JSON.stringify(form.title)} has no field ${JSON.stringify(name)}`);
  return found.component ?? found;
}

/**
 * Returns components at any depth, outer ones first.
 * @param {Json[]} components
 * @returns {Json[]}
 */
function walk(components) {
  return components.flatMap((c) => [
    c,
    ...walk([...(c.components ?? []), c.accessory, c.component].filter((inner) => inner)),
  ]);
}

/**
 * Returns the values of options by their labels. Other names are values or ids already.
 * @param {{ options?: { label: string, value: string }[] }} menu
 * @param {string[]} names
 */
function optionValues({ options = [] }, names) {
  return names.map((name) => options.find((o) => o.label === name)?.value ?? name);
}

module.exports = { press, select, submit };
