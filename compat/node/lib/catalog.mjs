// The commands that every compat program registers and what is to be seen of them afterwards; see catalog/catalog.go.
import { readFileSync } from 'node:fs';

export const catalog = JSON.parse(readFileSync(new URL('../../catalog/catalog.json', import.meta.url), 'utf8'));

// edited returns a command with the catalog's edit made.
export const edited = (command) => ({ ...command, ...catalog.edited });

// under returns faults with a longer path, as they are reported for a definition inside a list.
export const under = (prefix, faults) => faults.map((fault) => ({ ...fault, path: `${prefix}.${fault.path}` }));

// registered returns what is to be seen of a definition once an application that supports both installation types has
// registered it, globally or in a guild.
export function registered(definition, application, guild) {
  const command = { ...definition, application_id: application, guild_id: guild };
  if (guild) {
    delete command.contexts;
    delete command.integration_types;
    delete command.dm_permission;
    return command;
  }
  command.integration_types ??= [0, 1];
  command.dm_permission = !command.contexts || command.contexts.includes(1);
  return command;
}

// localized returns what a list in one language shows of a command, an option or a choice.
export function localized(thing, locale) {
  const { name_localizations: names, description_localizations: descriptions, ...shown } = thing;
  shown.name_localized = names?.[locale];
  shown.description_localized = descriptions?.[locale];
  shown.options = thing.options?.map((option) => localized(option, locale));
  shown.choices = thing.choices?.map((choice) => localized(choice, locale));
  return shown;
}

// normal returns a value without what is empty: libraries differ in how they show what is not there. The value of a
// choice stays as it is, and so does a false dm_permission, which commands of a guild do not have at all.
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
