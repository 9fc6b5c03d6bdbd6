const select = ['min_values', 'max_values'];

/**
 * Members that Discord's published OpenAPI description requires and the typings have as optional, by the name of the
 * type. Gateway payloads and answers must have them.
 */
export const required = {
  APIUser: ['flags', 'primary_guild'],
  APIStringSelectComponent: select,
  APIBaseAutoPopulatedSelectMenuComponent: select,
  APIChannelSelectComponent: select,
  APIContainerComponent: ['accent_color', 'spoiler'],
  APIThumbnailComponent: ['description', 'spoiler'],
  APIMediaGalleryItem: ['description', 'spoiler'],
  APISeparatorComponent: ['divider', 'spacing'],
  APIFileComponent: ['name', 'size', 'spoiler'],
  APIUnfurledMediaItem: ['id', 'proxy_url', 'width', 'height', 'content_type'],
  APIEmbedField: ['inline'],
  APIApplication: ['eligible_oauth2_scopes'],
  APIInvite: ['guild_id'],
  APIGuild: ['nsfw', 'home_header', 'region'],
  APIGroupDMChannel: ['owner_id'],
  APIMessageComponentBaseInteractionData: ['id'],
  APIMessageStringSelectInteractionData: ['id'],
  APIMessageUserSelectInteractionData: ['id'],
};
