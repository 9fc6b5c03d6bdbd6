/**
 * Events, and the beginnings of paths, that discord-api-types does not describe: Discord documents them elsewhere or
 * not at all, or they are Bellhop's own.
 */
export const untyped = new Set([
  '/lobbies',
  'LOBBY_CREATE',
  // The command picker of Discord's own client.
  '/applications/{application_id}/application-command-index',
  '/channels/{channel_id}/application-command-index',
  '/channels/{channel_id}/application-commands/search',
  '/guilds/{guild_id}/application-command-index',
  '/users/@me/application-command-index',
  'GUILD_APPLICATION_COMMAND_INDEX_UPDATE',
  // What the client of the invoking user gets.
  'APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE',
  'INTERACTION_FAILURE',
  'INTERACTION_MODAL_CREATE',
  'INTERACTION_SUCCESS',
  // OAuth2 and OpenID Connect beyond the typed answers.
  '/oauth2/authorize',
  '/oauth2/device/authorize',
  '/oauth2/keys',
  '/oauth2/token/revoke',
  '/oauth2/userinfo',
  'RESUMED',
]);

/** Deviations that are right: the typings are narrower than what Discord sends. Each entry must match one. */
export const accepted = [];
