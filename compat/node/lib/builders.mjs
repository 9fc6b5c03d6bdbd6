// Builds definitions with @discordjs/builders.
import { ContextMenuCommandBuilder, SlashCommandBuilder } from '@discordjs/builders';
import { ApplicationCommandOptionType as Type } from 'discord-api-types/v10';
import { catalog } from './catalog.mjs';

// build builds a definition. The builders reject the invalid definition of the catalog, so build returns it unchanged.
export function build(definition) {
  if (definition.name === catalog.broken.name) return definition;
  if (definition.type !== 1) return common(new ContextMenuCommandBuilder().setType(definition.type), definition).toJSON();
  const builder = common(new SlashCommandBuilder(), definition);
  describe(builder, definition);
  if (definition.nsfw !== undefined) builder.setNSFW(definition.nsfw);
  definition.options?.forEach((option) => add(builder, option));
  return builder.toJSON();
}

function common(builder, definition) {
  builder.setName(definition.name).setNameLocalizations(definition.name_localizations ?? null);
  if (definition.default_member_permissions !== undefined) builder.setDefaultMemberPermissions(definition.default_member_permissions);
  if (definition.contexts) builder.setContexts(definition.contexts);
  if (definition.integration_types) builder.setIntegrationTypes(definition.integration_types);
  return builder;
}

function describe(builder, thing) {
  return builder.setDescription(thing.description).setDescriptionLocalizations(thing.description_localizations ?? null);
}

// adders has the method of a builder for each option type.
const adders = {
  [Type.Subcommand]: 'addSubcommand',
  [Type.SubcommandGroup]: 'addSubcommandGroup',
  [Type.String]: 'addStringOption',
  [Type.Integer]: 'addIntegerOption',
  [Type.Boolean]: 'addBooleanOption',
  [Type.User]: 'addUserOption',
  [Type.Channel]: 'addChannelOption',
  [Type.Role]: 'addRoleOption',
  [Type.Mentionable]: 'addMentionableOption',
  [Type.Number]: 'addNumberOption',
  [Type.Attachment]: 'addAttachmentOption',
};

function add(builder, option) {
  builder[adders[option.type]]((made) => {
    describe(made.setName(option.name).setNameLocalizations(option.name_localizations ?? null), option);
    option.options?.forEach((nested) => add(made, nested));
    if (option.required) made.setRequired(true);
    if (option.autocomplete) made.setAutocomplete(true);
    if (option.choices) made.addChoices(...option.choices);
    if (option.channel_types) made.addChannelTypes(...option.channel_types);
    if (option.min_value !== undefined) made.setMinValue(option.min_value);
    if (option.max_value !== undefined) made.setMaxValue(option.max_value);
    if (option.min_length !== undefined) made.setMinLength(option.min_length);
    if (option.max_length !== undefined) made.setMaxLength(option.max_length);
    return made;
  });
}
