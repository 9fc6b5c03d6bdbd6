// The commands that every compat program registers, and the expected results. See catalog/catalog.go.
import { readFileSync } from 'node:fs';

export const catalog = JSON.parse(readFileSync(new URL('../../catalog/catalog.json', import.meta.url), 'utf8'));

// edited applies the catalog's edit to a command.
export const edited = (command) => ({ ...command, ...catalog.edited });

// under returns the faults with a prefix before their paths, as the service reports them for a definition in a list.
export const under = (prefix, faults) => faults.map((fault) => ({ ...fault, path: `${prefix}.${fault.path}` }));

// registered returns the expected command after an application that supports both installation types has registered the
// definition, in a guild or globally.
export function registered(definition, application, guild) {
  const command = { ...definition, application_id: application, guild_id: guild };
  if (guild) {
    delete command.dm_permission;
    return command;
  }
  command.integration_types ??= [0, 1];
  command.dm_permission = !command.contexts || command.contexts.includes(1);
  return command;
}

// localized returns a command as a list in one language contains it. Without a translation its texts are the defaults.
export function localized(command, locale) {
  const shown = localizedPart(command, locale);
  shown.name_localized ??= command.name;
  shown.description_localized ??= command.description;
  return shown;
}

// localizedPart returns a command, an option or a choice in one language. A text without translations has no localized
// form.
function localizedPart(thing, locale) {
  const { name_localizations: names, description_localizations: descriptions, ...shown } = thing;
  if (names) shown.name_localized = names[locale] ?? thing.name;
  if (descriptions) shown.description_localized = descriptions[locale] ?? thing.description;
  shown.options = thing.options?.map((option) => localizedPart(option, locale));
  shown.choices = thing.choices?.map((choice) => localizedPart(choice, locale));
  return shown;
}

// normal removes empty members from a value, because libraries represent absent fields differently. It keeps the value of
// a choice. It also keeps a false dm_permission, because it differs from the absent one of a guild command.
export function normal(value) {
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value !== 'object' || value === null) return value;
  const kept = {};
  for (const [key, member] of Object.entries(value)) {
    if (key === 'value') kept[key] = member;
    else if (!empty(key, member)) kept[key] = normal(member);
  }
  return kept;
}

function empty(key, member) {
  if (member === undefined || member === null || member === '') return true;
  if (member === false) return key !== 'dm_permission';
  return typeof member === 'object' && Object.keys(member).length === 0;
}
