/**
 * Events, and the beginnings of paths, that discord-api-types does not describe: Discord documents them elsewhere or
 * not at all, or they are Bellhop's own.
 */
export const untyped = [
  '/lobbies',
  'LOBBY_',
  // The command picker of Discord's own client.
  '/applications/{application_id}/application-command-index',
  '/channels/{channel_id}/application-command-index',
  '/channels/{channel_id}/application-commands/search',
  '/guilds/{guild_id}/application-command-index',
  '/users/@me/application-command-index',
  'GUILD_APPLICATION_COMMAND_INDEX_UPDATE',
  // What the client of the invoking user gets.
  'APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE',
  'INTERACTION_CREATE of the invoking user',
  'INTERACTION_FAILURE',
  'INTERACTION_MODAL_CREATE',
  'INTERACTION_SUCCESS',
  // OAuth2 and OpenID Connect beyond the typed answers.
  '/oauth2/authorize',
  '/oauth2/device/authorize',
  '/oauth2/keys',
  '/oauth2/token/introspect',
  '/oauth2/token/revoke',
  '/oauth2/tokens',
  '/oauth2/userinfo',
  'RESUMED',
  // Games' accounts for players, and the counts of users of a scheduled event.
  '/partner-sdk/token',
  '/users/@me/account',
  '/guilds/{guild_id}/scheduled-events/{guild_scheduled_event_id}/users/counts',
  // Bellhop's own sessions of browsers.
  '/auth/sessions',
];

/**
 * Deviations that are right: the typings are narrower than what Discord sends. Each entry must match one. required.mjs
 * has the places where the typings are wider.
 */
export const accepted = [
  { deviation: /^10: \/d: has _trace/, why: 'Discord sends it for debugging' },
  { deviation: /^(7|11): \/d: must NOT be valid/, why: 'Discord sends "d": null' },
  {
    deviation: /(applications|oauth2|invites).* 200: .*: has (type|explicit_content_filter),/,
    why: "in Discord's OpenAPI description",
  },
  { deviation: /^GET \/oauth2\/@me 200: .*: has hook,/, why: "in the example of Discord's documentation" },
  {
    deviation: /^(GET \/guilds|\w+ \/.*invites|GUILD_|READY).*: has (nsfw|home_header|guild_id),/,
    why: "in Discord's OpenAPI description",
  },
  {
    deviation: /\/guilds\/\{guild_id\}\/commands.* 20[01]: .*: has (contexts|dm_permission|integration_types),/,
    why: "in Discord's OpenAPI description; a guild command shows them if the request had them",
  },
  {
    deviation: /: (\/message_snapshots\/\*\/message|\/\*\/source_channel)(\/\w+: is |: lacks sticker)/,
    why: 'the schema of a type that picks members of another has objects only, all of them required',
  },
  { deviation: /\/changes\/\*: is object, want integer/, why: 'the typings of changes lack the colors of a role' },
  { deviation: /: has topic,/, why: 'Discord sends the topic of voice channels' },
  { deviation: /channels?.* 200: .*: lacks name/, why: "Discord's direct message channels have no name" },
  {
    deviation: /(\/callback 200: \/interaction: has (channel|guild)_id|\/members\/@me 200: \/: has permissions),/,
    why: "in Discord's OpenAPI description",
  },
  { deviation: /: (has|lacks) (id_token|openid)|is "openid"/, why: 'OpenID Connect' },
  {
    deviation: /^READY: \/: has (_trace|feature_flags|geo_ordered_rtc_regions|guild_join_requests|presences),/,
    why: 'Discord sends these without documentation',
  },
  {
    deviation: /^READY: \/: has (private_channels|relationships|scopes|session_type|user_settings),/,
    why: 'Discord sends these without documentation',
  },
  { deviation: /^READY: (\/: lacks application|\/guilds\/\*: has )/, why: "a user's READY; the typings have a bot's" },
  {
    deviation: /^error: \/errors: is object, want string/,
    why: 'the typings have no errors of an item and its members',
  },
  { deviation: /^(interaction|INTERACTION_CREATE): \/channel: has permissions,/, why: 'documented for interactions' },
  { deviation: /^THREAD_MEMBERS_UPDATE: .*: has presence,/, why: 'documented for this event' },
  { deviation: /^(interaction|INTERACTION_CREATE): \/data: has (version|id),/, why: "in Discord's interactions" },
  {
    deviation: /^(interaction|INTERACTION_CREATE): \/data\/options\/.*value: is number, want string/,
    why: 'only the focused option of an autocomplete is a string',
  },
  { deviation: /^limited: \/: lacks (global|retry_after)/, why: 'the answer to a blocked address' },
  {
    deviation: /scheduled_event_id\}\/users 200: .*: has (response|user_id),/,
    why: "in Discord's OpenAPI description",
  },
  { deviation: /guild_scheduled_event_exceptions,/, why: "in Discord's OpenAPI description" },
  { deviation: /^error: \/: has (provider_\w+|user_id),/, why: 'documented for error 530010' },
  { deviation: /: has (name|description)_localized,/, why: 'documented for lists of commands' },
  { deviation: /event_webhooks_types\/\*: is "LOBBY_MESSAGE_/, why: 'documented as types of event webhooks' },
  { deviation: /^PRESENCE_UPDATE: \/activities\/\*: lacks id/, why: 'not in the documented activity, and unused' },
];

/**
 * Members that Discord's published OpenAPI description lacks. The service shows them because the typings, and so the
 * programs that use them, require them.
 */
export const beyondOpenAPI = [
  { type: 'APIGuild', member: 'hub_type', why: 'null: hubs of schools have a type' },
  { type: 'APIApplication', member: 'summary', why: 'deprecated, always empty' },
];
