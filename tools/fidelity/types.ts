// The types of discord-api-types for each answer and event of the service. The names of the members of Answers are
// those of the service's routes, with the status. check.mjs makes JSON Schemas of these interfaces.
import type * as D from 'discord-api-types/v10';

type Commands = D.RESTGetAPIApplicationCommandsResult;
type Command = D.RESTGetAPIApplicationCommandResult;
type GuildCommands = D.RESTGetAPIApplicationGuildCommandsResult;
type GuildCommand = D.RESTGetAPIApplicationGuildCommandResult;
type CommandPermissions = D.RESTGetAPIApplicationCommandPermissionsResult;
type CallbackResponse = D.RESTPostAPIInteractionCallbackWithResponseResult;
type InterestedUsers = D.RESTGetAPIGuildScheduledEventUsersResult;
type RoleConnection = D.RESTGetAPICurrentUserApplicationRoleConnectionResult;
type RoleConnectionRecords = D.RESTGetAPIApplicationRoleConnectionMetadataResult;
type Message = D.RESTGetAPIChannelMessageResult;
type Webhook = D.RESTGetAPIWebhookResult;
type Threads = D.RESTGetAPIChannelUsersThreadsArchivedResult;

interface Post extends D.APIThreadChannel {
  message: Message;
}

export interface Answers {
  'GET /applications/@me 200': D.RESTGetCurrentApplicationResult;
  'PATCH /applications/@me 200': D.RESTPatchCurrentApplicationResult;
  'GET /applications/{application_id} 200': D.RESTGetCurrentApplicationResult;
  'PATCH /applications/{application_id} 200': D.RESTPatchCurrentApplicationResult;
  'GET /applications/{application_id}/activity-instances/{instance} 200': D.RESTGetAPIApplicationActivityInstanceResult;

  'GET /applications/{application_id}/commands 200': Commands;
  'PUT /applications/{application_id}/commands 200': D.RESTPutAPIApplicationCommandsResult;
  'POST /applications/{application_id}/commands 200': D.RESTPostAPIApplicationCommandsResult;
  'POST /applications/{application_id}/commands 201': D.RESTPostAPIApplicationCommandsResult;
  'GET /applications/{application_id}/commands/{command_id} 200': Command;
  'PATCH /applications/{application_id}/commands/{command_id} 200': D.RESTPatchAPIApplicationCommandResult;
  'GET /applications/{application_id}/guilds/{guild_id}/commands 200': GuildCommands;
  'PUT /applications/{application_id}/guilds/{guild_id}/commands 200': D.RESTPutAPIApplicationGuildCommandsResult;
  'POST /applications/{application_id}/guilds/{guild_id}/commands 200': D.RESTPostAPIApplicationGuildCommandsResult;
  'POST /applications/{application_id}/guilds/{guild_id}/commands 201': D.RESTPostAPIApplicationGuildCommandsResult;
  'GET /applications/{application_id}/guilds/{guild_id}/commands/{command_id} 200': GuildCommand;
  'PATCH /applications/{application_id}/guilds/{guild_id}/commands/{command_id} 200': GuildCommand;
  'GET /applications/{application_id}/guilds/{guild_id}/commands/permissions 200': CommandPermissions[];
  'GET /applications/{application_id}/guilds/{guild_id}/commands/{command_id}/permissions 200': CommandPermissions;
  'PUT /applications/{application_id}/guilds/{guild_id}/commands/{command_id}/permissions 200': CommandPermissions;

  'GET /channels/{channel_id} 200': D.RESTGetAPIChannelResult;
  'GET /guilds/{guild_id}/preview 200': D.RESTGetAPIGuildPreviewResult;
  'GET /guilds/{guild_id}/integrations 200': D.RESTGetAPIGuildIntegrationsResult;
  'GET /guilds/{guild_id}/onboarding 200': D.RESTGetAPIGuildOnboardingResult;
  'GET /guilds/{guild_id}/vanity-url 200': D.RESTGetAPIGuildVanityUrlResult;
  'GET /guilds/{guild_id}/widget 200': D.RESTGetAPIGuildWidgetSettingsResult;
  'GET /guilds/{guild_id}/regions 200': D.RESTGetAPIGuildVoiceRegionsResult;
  'GET /applications/{application_id}/skus 200': D.RESTGetAPISKUsResult;
  'GET /applications/{application_id}/entitlements 200': D.RESTGetAPIEntitlementsResult;
  'POST /applications/{application_id}/entitlements 200': D.RESTPostAPIEntitlementResult;
  'GET /applications/{application_id}/entitlements/{entitlement_id} 200': D.RESTGetAPIEntitlementResult;
  'GET /users/@me/applications/{application_id}/entitlements 200': D.RESTGetAPIEntitlementsResult;
  'GET /skus/{sku_id}/subscriptions 200': D.RESTGetAPISKUSubscriptionsResult;
  'GET /skus/{sku_id}/subscriptions/{subscription_id} 200': D.RESTGetAPISKUSubscriptionResult;
  'GET /applications/{application_id}/role-connections/metadata 200': RoleConnectionRecords;
  'PUT /applications/{application_id}/role-connections/metadata 200': RoleConnectionRecords;
  'GET /users/@me/applications/{application_id}/role-connection 200': RoleConnection;
  'PUT /users/@me/applications/{application_id}/role-connection 200': RoleConnection;
  'GET /guilds/{guild_id}/scheduled-events 200': D.RESTGetAPIGuildScheduledEventsResult;
  'POST /guilds/{guild_id}/scheduled-events 200': D.RESTPostAPIGuildScheduledEventResult;
  'GET /guilds/{guild_id}/scheduled-events/{guild_scheduled_event_id} 200': D.RESTGetAPIGuildScheduledEventResult;
  'PATCH /guilds/{guild_id}/scheduled-events/{guild_scheduled_event_id} 200': D.RESTPatchAPIGuildScheduledEventResult;
  'GET /guilds/{guild_id}/scheduled-events/{guild_scheduled_event_id}/users 200': InterestedUsers;
  'GET /voice/regions 200': D.RESTGetAPIVoiceRegionsResult;
  'GET /channels/{channel_id}/messages 200': D.RESTGetAPIChannelMessagesResult;
  'GET /channels/{channel_id}/messages/{message_id} 200': Message;
  'POST /channels/{channel_id}/messages 200': Message;
  'PATCH /channels/{channel_id}/messages/{message_id} 200': Message;
  'GET /channels/{channel_id}/messages/{message_id}/reactions/{emoji} 200': D.APIUser[];
  'GET /channels/{channel_id}/polls/{message_id}/answers/{answer_id} 200': D.RESTGetAPIPollAnswerVotersResult;
  'POST /channels/{channel_id}/polls/{message_id}/expire 200': D.RESTPostAPIPollExpireResult;
  'POST /channels/{channel_id}/typing 200': { message_send_cooldown_ms: number };
  'GET /channels/{channel_id}/messages/pins 200': D.RESTGetAPIChannelMessagesPinsResult;
  'GET /channels/{channel_id}/pins 200': Message[];
  'PATCH /channels/{channel_id} 200': D.RESTPatchAPIChannelResult;
  'DELETE /channels/{channel_id} 200': D.RESTDeleteAPIChannelResult;
  'POST /channels/{channel_id}/messages/{message_id}/crosspost 200': Message;
  'POST /channels/{channel_id}/followers 200': D.RESTPostAPIChannelFollowersResult;
  'POST /channels/{channel_id}/webhooks 200': D.RESTPostAPIChannelWebhookResult;
  'GET /channels/{channel_id}/webhooks 200': Webhook[];
  'POST /channels/{channel_id}/messages/{message_id}/threads 201': D.RESTPostAPIChannelMessagesThreadsResult;
  'POST /channels/{channel_id}/threads 201': D.RESTPostAPIChannelThreadsResult | Post;
  'GET /channels/{channel_id}/threads/archived/public 200': Threads;
  'GET /channels/{channel_id}/threads/archived/private 200': Threads;
  'GET /channels/{channel_id}/users/@me/threads/archived/private 200': Threads;
  'GET /guilds/{guild_id}/threads/active 200': Threads;
  'GET /channels/{channel_id}/thread-members 200': D.APIThreadMember[];
  'GET /channels/{channel_id}/thread-members/{user_id} 200': D.APIThreadMember;
  'GET /channels/{channel_id}/thread-members/@me 200': D.APIThreadMember;
  'GET /gateway 200': D.RESTGetAPIGatewayResult;
  'GET /gateway/bot 200': D.RESTGetAPIGatewayBotResult;
  'GET /guilds/{guild_id} 200': D.RESTGetAPIGuildResult;
  'GET /guilds/{guild_id}/prune 200': D.RESTGetAPIGuildPruneCountResult;
  'POST /guilds/{guild_id}/prune 200': D.RESTPostAPIGuildPruneResult;
  'PATCH /guilds/{guild_id} 200': D.RESTPatchAPIGuildResult;
  'GET /guilds/{guild_id}/audit-logs 200': D.RESTGetAPIAuditLogResult;
  'GET /channels/{channel_id}/invites 200': D.RESTGetAPIChannelInvitesResult;
  'POST /channels/{channel_id}/invites 200': D.RESTPostAPIChannelInviteResult;
  'GET /guilds/{guild_id}/invites 200': D.RESTGetAPIGuildInvitesResult;
  'DELETE /invites/{code} 200': D.RESTDeleteAPIInviteResult;
  'POST /guilds/{guild_id}/channels 201': D.RESTPostAPIGuildChannelResult;
  'GET /guilds/{guild_id}/channels 200': D.APIChannel[];
  'GET /guilds/{guild_id}/members 200': D.RESTGetAPIGuildMembersResult;
  'GET /guilds/{guild_id}/members/search 200': D.RESTGetAPIGuildMembersSearchResult;
  'GET /guilds/{guild_id}/members/{user_id} 200': D.RESTGetAPIGuildMemberResult;
  'GET /guilds/{guild_id}/bans 200': D.RESTGetAPIGuildBansResult;
  'GET /guilds/{guild_id}/bans/{user_id} 200': D.RESTGetAPIGuildBanResult;
  'POST /guilds/{guild_id}/bulk-ban 200': D.RESTPostAPIGuildBulkBanResult;
  'GET /guilds/{guild_id}/roles/member-counts 200': Record<string, number>;
  'POST /guilds/{guild_id}/roles 200': D.RESTPostAPIGuildRoleResult;
  'PATCH /guilds/{guild_id}/roles 200': D.RESTPatchAPIGuildRolePositionsResult;
  'PATCH /guilds/{guild_id}/roles/{role_id} 200': D.RESTPatchAPIGuildRoleResult;
  'PATCH /guilds/{guild_id}/members/{user_id} 200': D.RESTPatchAPIGuildMemberResult;
  'PUT /guilds/{guild_id}/members/{user_id} 201': D.APIGuildMember;
  'GET /guilds/{guild_id}/voice-states/@me 200': D.RESTGetAPIGuildVoiceStateCurrentMemberResult;
  'GET /guilds/{guild_id}/voice-states/{user_id} 200': D.RESTGetAPIGuildVoiceStateUserResult;
  'PATCH /guilds/{guild_id}/members/@me 200': D.RESTPatchAPICurrentGuildMemberResult;
  'PATCH /guilds/{guild_id}/members/@me/nick 200': D.RESTPatchAPICurrentGuildMemberNicknameResult;
  'GET /guilds/{guild_id}/roles 200': D.RESTGetAPIGuildRolesResult;
  'GET /guilds/{guild_id}/emojis 200': D.RESTGetAPIGuildEmojisResult;
  'GET /guilds/{guild_id}/emojis/{emoji_id} 200': D.RESTGetAPIGuildEmojiResult;
  'POST /guilds/{guild_id}/emojis 201': D.RESTPostAPIGuildEmojiResult;
  'PATCH /guilds/{guild_id}/emojis/{emoji_id} 200': D.RESTPatchAPIGuildEmojiResult;
  'GET /guilds/{guild_id}/stickers 200': D.RESTGetAPIGuildStickersResult;
  'GET /guilds/{guild_id}/soundboard-sounds 200': D.RESTGetAPIGuildSoundboardSoundsResult;
  'GET /soundboard-default-sounds 200': D.RESTGetAPISoundboardDefaultSoundsResult;
  'GET /sticker-packs 200': D.RESTGetStickerPacksResult;
  'GET /applications/{application_id}/emojis 200': { items: D.APIEmoji[] };
  'GET /applications/{application_id}/emojis/{emoji_id} 200': D.APIEmoji;
  'POST /applications/{application_id}/emojis 201': D.APIEmoji;
  'PATCH /applications/{application_id}/emojis/{emoji_id} 200': D.APIEmoji;
  'GET /guilds/{guild_id}/roles/{role_id} 200': D.RESTGetAPIGuildRoleResult;

  'POST /interactions/{interaction_id}/{interaction_token}/callback 200': CallbackResponse;
  'POST /webhooks/{webhook_id}/{webhook_token} 200': D.RESTPostAPIInteractionFollowupResult;
  'GET /webhooks/{webhook_id}/{webhook_token}/messages/{message} 200': Message;
  'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/{message} 200': Message;
  'GET /webhooks/{webhook_id} 200': Webhook;
  'PATCH /webhooks/{webhook_id} 200': Webhook;
  'GET /webhooks/{webhook_id}/{webhook_token} 200': D.RESTGetAPIWebhookWithTokenResult;
  'PATCH /webhooks/{webhook_id}/{webhook_token} 200': D.RESTPatchAPIWebhookWithTokenResult;
  'GET /guilds/{guild_id}/webhooks 200': Webhook[];

  'GET /invites/{code} 200': D.RESTGetAPIInviteResult;
  'POST /invites/{code} 200': D.RESTGetAPIInviteResult;
  'GET /oauth2/@me 200': D.RESTGetAPIOAuth2CurrentAuthorizationResult;
  'GET /oauth2/applications/@me 200': D.RESTGetAPIOAuth2CurrentApplicationResult;
  'POST /oauth2/token 200': D.RESTPostOAuth2AccessTokenResult | D.RESTPostOAuth2ClientCredentialsResult;

  'GET /users/@me 200': D.RESTGetAPICurrentUserResult;
  'PATCH /users/@me 200': D.RESTPatchAPICurrentUserResult;
  'GET /users/@me/channels 200': (D.APIDMChannel | D.APIGroupDMChannel)[];
  'POST /users/@me/channels 200': D.APIDMChannel | D.APIGroupDMChannel;
  'GET /users/@me/guilds 200': D.RESTGetAPICurrentUserGuildsResult;
  'GET /users/@me/guilds/{guild_id}/member 200': D.RESTGetCurrentUserGuildMemberResult;
  'GET /users/{user_id} 200': D.RESTGetAPIUserResult;
}

// Failures is the body of every answer with a status of 400 or more, and of 429.
export interface Failures {
  error: D.RESTError;
  limited: D.RESTRateLimit;
  oauth2: { error: string; error_description?: string };
}

// Events are the data of gateway events by name.
export interface Events {
  APPLICATION_COMMAND_PERMISSIONS_UPDATE: D.GatewayApplicationCommandPermissionsUpdateDispatchData;
  INVITE_CREATE: D.GatewayInviteCreateDispatchData;
  INVITE_DELETE: D.GatewayInviteDeleteDispatchData;
  CHANNEL_CREATE: D.GatewayChannelCreateDispatchData;
  CHANNEL_UPDATE: D.GatewayChannelUpdateDispatchData;
  CHANNEL_DELETE: D.GatewayChannelDeleteDispatchData;
  ENTITLEMENT_CREATE: D.GatewayEntitlementCreateDispatchData;
  ENTITLEMENT_UPDATE: D.GatewayEntitlementUpdateDispatchData;
  ENTITLEMENT_DELETE: D.GatewayEntitlementDeleteDispatchData;
  SUBSCRIPTION_CREATE: D.GatewaySubscriptionCreateDispatchData;
  SUBSCRIPTION_UPDATE: D.GatewaySubscriptionUpdateDispatchData;
  GUILD_CREATE: D.GatewayGuildCreateDispatchData;
  GUILD_UPDATE: D.GatewayGuildUpdateDispatchData;
  GUILD_EMOJIS_UPDATE: D.GatewayGuildEmojisUpdateDispatchData;
  GUILD_DELETE: D.GatewayGuildDeleteDispatchData;
  GUILD_INTEGRATIONS_UPDATE: D.GatewayGuildIntegrationsUpdateDispatchData;
  GUILD_AUDIT_LOG_ENTRY_CREATE: D.GatewayGuildAuditLogEntryCreateDispatchData;
  GUILD_BAN_ADD: D.GatewayGuildBanAddDispatchData;
  GUILD_BAN_REMOVE: D.GatewayGuildBanRemoveDispatchData;
  GUILD_MEMBER_ADD: D.GatewayGuildMemberAddDispatchData;
  GUILD_MEMBER_UPDATE: D.GatewayGuildMemberUpdateDispatchData;
  GUILD_MEMBER_REMOVE: D.GatewayGuildMemberRemoveDispatchData;
  GUILD_MEMBERS_CHUNK: D.GatewayGuildMembersChunkDispatchData;
  GUILD_ROLE_CREATE: D.GatewayGuildRoleCreateDispatchData;
  GUILD_ROLE_UPDATE: D.GatewayGuildRoleUpdateDispatchData;
  GUILD_ROLE_DELETE: D.GatewayGuildRoleDeleteDispatchData;
  INTEGRATION_CREATE: D.GatewayIntegrationCreateDispatchData;
  INTEGRATION_UPDATE: D.GatewayIntegrationUpdateDispatchData;
  INTEGRATION_DELETE: D.GatewayIntegrationDeleteDispatchData;
  INTERACTION_CREATE: D.GatewayInteractionCreateDispatchData;
  MESSAGE_CREATE: D.GatewayMessageCreateDispatchData;
  MESSAGE_UPDATE: D.GatewayMessageUpdateDispatchData;
  MESSAGE_DELETE: D.GatewayMessageDeleteDispatchData;
  MESSAGE_DELETE_BULK: D.GatewayMessageDeleteBulkDispatchData;
  MESSAGE_REACTION_ADD: D.GatewayMessageReactionAddDispatchData;
  MESSAGE_REACTION_REMOVE: D.GatewayMessageReactionRemoveDispatchData;
  GUILD_SCHEDULED_EVENT_CREATE: D.GatewayGuildScheduledEventCreateDispatchData;
  GUILD_SCHEDULED_EVENT_DELETE: D.GatewayGuildScheduledEventDeleteDispatchData;
  GUILD_SCHEDULED_EVENT_UPDATE: D.GatewayGuildScheduledEventUpdateDispatchData;
  PRESENCE_UPDATE: D.GatewayPresenceUpdateDispatchData;
  RATE_LIMITED: D.GatewayRateLimitedDispatchData;
  READY: D.GatewayReadyDispatchData;
  THREAD_CREATE: D.GatewayThreadCreateDispatchData;
  THREAD_UPDATE: D.GatewayThreadUpdateDispatchData;
  THREAD_DELETE: D.GatewayThreadDeleteDispatchData;
  THREAD_LIST_SYNC: D.GatewayThreadListSyncDispatchData;
  THREAD_MEMBERS_UPDATE: D.GatewayThreadMembersUpdateDispatchData;
  USER_UPDATE: D.GatewayUserUpdateDispatchData;
  VOICE_SERVER_UPDATE: D.GatewayVoiceServerUpdateDispatchData;
  VOICE_STATE_UPDATE: D.GatewayVoiceStateUpdateDispatchData;
  WEBHOOKS_UPDATE: D.GatewayWebhooksUpdateDispatchData;
}

// Frames are the gateway payloads that are no events, by opcode.
export interface Frames {
  '1': D.GatewayHeartbeatRequest;
  '7': D.GatewayReconnect;
  '9': D.GatewayInvalidSession;
  '10': D.GatewayHello;
  '11': D.GatewayHeartbeatAck;
}

// Deliveries are the bodies that apps with an endpoint URL get.
export interface Deliveries {
  interaction: D.APIInteraction | D.APIPingInteraction;
}
