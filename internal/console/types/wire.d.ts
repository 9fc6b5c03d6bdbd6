// The objects of the API as the console and its tests read and send them. Members that neither uses are left out.
// /openapi.json describes the complete objects.

/** A 64-bit id as a decimal string. */
export type Snowflake = string;

/** A moment in RFC 3339 form. */
export type Timestamp = string;

export interface User {
  id: Snowflake;
  username: string;
  global_name?: string | null;
  /** The hash of the image. */
  avatar?: string | null;
  bot?: boolean;
}

/** How a user is shown to others. */
export type Status = 'online' | 'idle' | 'dnd' | 'offline';

/** The user that a token belongs to. */
export interface CurrentUser extends User {
  locale: string;
}

export interface Role {
  id: Snowflake;
  name: string;
  permissions?: string;
}

export interface Member {
  user: User;
  nick?: string | null;
  roles?: Snowflake[];
}

/** A channel of a guild, a thread, or a direct message channel. Direct message channels have recipients. */
export interface Channel {
  id: Snowflake;
  type: number;
  guild_id?: Snowflake;
  name?: string | null;
  topic?: string | null;
  nsfw?: boolean;
  parent_id?: Snowflake | null;
  position?: number;
  permission_overwrites?: Overwrite[];
  recipients?: User[];
  /** Of a forum: what posts can be marked with. */
  available_tags?: { id: Snowflake; name: string }[];
  flags?: number;
  /** The next ones are of threads. member: the user has joined. */
  applied_tags?: Snowflake[];
  message_count?: number;
  member_count?: number;
  thread_metadata?: { archived: boolean; locked?: boolean; archive_timestamp?: Timestamp };
  member?: { user_id: Snowflake };
}

export interface Guild {
  id: Snowflake;
  name: string;
  owner_id?: Snowflake;
}

/** What the gateway adds to a guild: active threads, and who is in voice. */
export interface SessionGuild {
  id: Snowflake;
  threads?: Channel[];
  voice_states?: VoiceState[];
}

/** channel_id is null for a member who is not in voice. */
export interface VoiceState {
  guild_id?: Snowflake;
  user_id: Snowflake;
  channel_id: Snowflake | null;
}

/** The permissions that a channel allows and denies a role or a member, as bit sets. */
export interface Overwrite {
  id: Snowflake;
  allow?: string;
  deny?: string;
}

export interface Application {
  id: Snowflake;
  name: string;
  /** The hash of the image. */
  icon?: string | null;
  /** Only in the list of the admin API. */
  status?: AppStatus;
}

/** Whether an app can receive interactions. */
export interface AppStatus {
  state: 'online' | 'offline' | 'endpoint' | 'failing' | 'paused';
  detail?: string;
}

/** An application as the operator reads and writes it. */
export interface AdminApplication extends Application {
  owner: Snowflake;
  integration_types: number[];
  /** The privileged intents that are switched on. */
  intents?: string[];
  /** Only in the answer that makes it. */
  bot_token?: string;
}

/** The application that a token belongs to. */
export interface CurrentApplication extends Application {
  interactions_endpoint_url: string | null;
  event_webhooks_url: string | null;
  /** 1 off, 2 on, 3 switched off by the service. */
  event_webhooks_status: number;
  event_webhooks_types: string[];
  verify_key: string;
}

export type Localizations = Record<string, string> | null;

export interface Choice {
  name: string;
  name_localizations?: Localizations;
  value: string | number;
}

/** An option of a command. In an index, name is translated and name_default is the registered name. */
export interface Option {
  type: number;
  name: string;
  name_default?: string;
  name_localizations?: Localizations;
  description: string;
  description_localizations?: Localizations;
  required?: boolean;
  autocomplete?: boolean;
  choices?: Choice[];
  channel_types?: number[];
  min_value?: number;
  max_value?: number;
  min_length?: number;
  max_length?: number;
  options?: Option[];
}

/** A command as its owner writes it. */
export interface CommandDefinition {
  type?: number;
  name: string;
  name_localizations?: Localizations;
  description?: string;
  description_localizations?: Localizations;
  options?: Option[];
  default_member_permissions?: string | null;
  dm_permission?: boolean;
  contexts?: number[] | null;
  integration_types?: number[];
  nsfw?: boolean;
  handler?: number;
}

/** A registered command. */
export interface Command extends CommandDefinition {
  id: Snowflake;
  application_id: Snowflake;
  guild_id?: Snowflake;
  version: Snowflake;
  type: number;
  description: string;
}

/** A command in an index: name is translated and name_default is the registered name. */
export interface IndexedCommand extends Command {
  name_default?: string;
}

/** The commands that a user can invoke in a channel. */
export interface CommandIndex {
  application_commands: IndexedCommand[];
  applications: Application[];
}

/** One permission overwrite of a command. */
export interface CommandPermission {
  id: Snowflake;
  /** 1 role, 2 user, 3 channel. */
  type: number;
  permission: boolean;
}

/** The overwrites of a command, or of all commands of an application if id is the application's. */
export interface CommandPermissions {
  id: Snowflake;
  permissions: CommandPermission[];
}

export interface Attachment {
  id: Snowflake;
  filename: string;
  description?: string;
  content_type?: string;
  size: number;
  width?: number | null;
  height?: number | null;
  url: string;
}

export interface Embed {
  title?: string;
  description?: string;
  url?: string;
  timestamp?: Timestamp;
  color?: number;
  author?: { name: string };
  fields?: { name: string; value: string; inline?: boolean }[];
  image?: { url: string };
  thumbnail?: { url: string };
  footer?: { text: string };
}

/** A standard emoji, or a custom one with an id. */
export interface Emoji {
  id?: Snowflake | null;
  name?: string | null;
  animated?: boolean;
}

export interface SelectOption {
  label: string;
  value: string;
  description?: string;
  emoji?: Emoji;
  default?: boolean;
}

interface Media {
  url: string;
}

/** A component of a message or a modal. type says which members are set. */
export interface Component {
  type: number;
  id?: number;
  custom_id?: string;
  sku_id?: Snowflake;
  style?: number;
  label?: string;
  description?: string;
  placeholder?: string;
  emoji?: Emoji;
  url?: string;
  disabled?: boolean;
  required?: boolean;
  content?: string;
  name?: string;
  value?: string;
  default?: boolean;
  options?: SelectOption[];
  channel_types?: number[];
  min_values?: number;
  max_values?: number;
  min_length?: number;
  max_length?: number;
  accent_color?: number | null;
  component?: Component;
  components?: Component[];
  accessory?: Component;
  media?: Media;
  file?: Media;
  items?: { media?: Media; description?: string }[];
}

export interface Message {
  id: Snowflake;
  type: number;
  channel_id: Snowflake;
  guild_id?: Snowflake;
  application_id?: Snowflake;
  author: User;
  content: string;
  edited_timestamp?: Timestamp | null;
  flags?: number;
  nonce?: string;
  attachments?: Attachment[];
  embeds?: Embed[];
  components?: Component[];
  interaction?: { name?: string; user?: User };
  interaction_metadata?: InteractionMetadata;
  pinned?: boolean;
  /** The message that this one answers, or that a notice is about. */
  message_reference?: { message_id?: Snowflake; channel_id?: Snowflake };
  /** The message that this one answers; null: it is deleted. */
  referenced_message?: Message | null;
  reactions?: Reaction[];
  poll?: Poll;
  /** Of a notice about new members. */
  mentions?: User[];
}

/** A message that is pinned to its channel. */
export interface Pin {
  pinned_at: Timestamp;
  message: Message;
}

/** What an app sells. */
export interface SKU {
  id: Snowflake;
  type: number;
  name: string;
  flags: number;
}

export interface Entitlement {
  id: Snowflake;
  sku_id: Snowflake;
  consumed: boolean;
}

/** The reactions to a message with one emoji. */
export interface Reaction {
  count: number;
  /** Whether the user reacted. */
  me: boolean;
  emoji: Emoji;
}

/** A question with answers to vote for. */
export interface Poll {
  expiry?: Timestamp | null;
  allow_multiselect?: boolean;
  question: { text?: string };
  answers: { answer_id: number; poll_media: { text?: string; emoji?: Emoji } }[];
  results?: { is_finalized: boolean; answer_counts: { id: number; count: number; me_voted: boolean }[] };
}

/** The interaction that a message answers. */
export interface InteractionMetadata {
  id: Snowflake;
  /** 2 command, 3 component, 5 modal. */
  type: number;
  user?: User;
  /** Of a follow-up: the first answer. */
  original_response_message_id?: Snowflake;
}

/** An activity that a user launched. */
export interface Activity {
  application_id: Snowflake;
  instance_id: string;
  location?: { channel_id: Snowflake; guild_id?: Snowflake };
  nonce?: string;
}

/** A modal that an app opens. */
export interface Modal {
  id: Snowflake;
  nonce: string;
  channel_id: Snowflake;
  application_id?: Snowflake;
  application?: Application;
  custom_id: string;
  title: string;
  components: Component[];
}

export type OptionValue = string | number | boolean;

/** An option of an invocation, with its value or with the options of a subcommand. */
export interface InvocationOption {
  type: number;
  name: string;
  value?: OptionValue;
  focused?: boolean;
  options?: InvocationOption[];
}

/** A component of a submitted modal. */
export interface SubmittedComponent {
  type: number;
  id?: number;
  custom_id?: string;
  value?: string | boolean | null;
  values?: string[];
  component?: SubmittedComponent;
  components?: SubmittedComponent[];
}

export interface InvocationData {
  id?: Snowflake;
  version?: Snowflake;
  name?: string;
  type?: number;
  guild_id?: Snowflake;
  target_id?: Snowflake;
  options?: InvocationOption[];
  component_type?: number;
  custom_id?: string;
  values?: string[];
  components?: SubmittedComponent[];
  attachments?: { id: string; filename: string }[];
}

/** The body of POST /interactions: a user invokes a command, uses a component or submits a modal. */
export interface Invocation {
  /** 2 command, 3 component, 4 autocomplete, 5 modal. */
  type: number;
  application_id: Snowflake;
  channel_id: Snowflake;
  guild_id?: Snowflake;
  message_id?: Snowflake;
  message_flags?: number;
  session_id?: string;
  nonce?: string;
  data: InvocationData;
}

/** An interaction as an app receives it. */
export interface Interaction {
  id: Snowflake;
  /** 1 ping, 2 command, 3 component, 4 autocomplete, 5 modal. */
  type: number;
  data?: InvocationData;
}

export interface Lobby {
  id: Snowflake;
  metadata: Record<string, string> | null;
  members: LobbyMember[];
  linked_channel?: Channel | null;
}

export interface LobbyMember {
  id: Snowflake;
  metadata?: Record<string, string> | null;
  flags?: number;
  connected?: boolean;
}

/** The answer of GET /admin/v1/applications/{application_id}/lobbies. */
export interface LobbyList {
  now: Timestamp;
  lobbies: { lobby: Lobby; idle_timeout_seconds: number; ends_at: Timestamp | null }[];
}

/** A short-lived token. token_type is empty if the token needs no prefix. */
export interface Pass {
  token: string;
  token_type: string;
}

/** What a node knows about an app since it started. */
export interface AppHealth {
  now: Timestamp;
  /** null: never. */
  last_seen: Timestamp | null;
  sessions: number;
  /** The oldest first. */
  interactions: EndedInteraction[];
  /** Absent if the last event webhook did not fail. */
  event_failures?: { count: number; at: Timestamp; why: string };
}

/** An interaction that got its first answer or failed. */
export interface EndedInteraction {
  time: Timestamp;
  kind: string;
  result: 'answered' | 'deferred' | 'launched' | 'failed';
  detail?: string;
  took_ms: number;
}

export interface Quota {
  used: number;
  /** null: any number. */
  max: number | null;
}

/** A guild as the admin API shows it: owner is the id of a user. */
export interface WorldGuild extends Guild {
  owner: Snowflake;
  /** The permissions of @everyone, as a bit set. */
  everyone?: string;
}

/** A member of a guild as the admin API shows it: user is an id. */
export interface WorldMember {
  user: Snowflake;
  nick?: string;
  roles?: Snowflake[];
}

/** An installation of an application in a guild. */
export interface Install {
  application: Snowflake;
  scopes?: string[];
}

/** The secrets that applying a world file created, by the id of their owner. */
export interface AppliedWorld {
  bot_tokens: Record<Snowflake, string>;
  client_secrets: Record<Snowflake, string>;
  user_tokens: Record<Snowflake, string>;
}

/** The answer of GET /admin/v1/explain. */
export interface Explanation {
  allowed: boolean;
  reason: string;
  explanation: string;
  /** Where the decision was made. */
  level: 'command' | 'application' | 'default' | 'none';
  /** The overwrite that decided. */
  entry?: CommandPermission | null;
  missing?: string[] | null;
}

/** The answer of GET /admin/v1/explain/operation. */
export interface OperationExplanation {
  allowed: boolean;
  reason: string;
  explanation: string;
  missing: string[];
  /** The highest role of the acting member, if ranks decided. */
  role: RankedRole | null;
  /** The role that it was compared with. */
  against: RankedRole | null;
}

/** A role in the order of its guild. */
export interface RankedRole {
  id: Snowflake;
  name: string;
  position: number;
}

export interface Clock {
  now: Timestamp;
}

/** Something that happens at a time without a request. */
export interface Due {
  kind: 'lobby' | 'interaction';
  id: Snowflake;
  at: Timestamp;
}

/** A fault that the service injects. Exactly one of delay, status, rate_limit, drop and disconnect is set. */
export interface Fault {
  id?: number;
  method?: string;
  application?: Snowflake;
  /** The share of matching requests that fail, from 0 to 1. */
  share?: number;
  /** How many requests have failed. */
  struck?: number;
  route?: string;
  count?: number;
  delay?: string;
  status?: number;
  rate_limit?: number;
  drop?: string;
  disconnect?: number;
}

/** The recorded half of an exchange. cut says that body is not complete. */
export interface RecordedContent {
  headers?: Record<string, string>;
  body?: string;
  size: number;
  cut?: boolean;
}

/** One recorded request, delivery or gateway frame. */
export interface Exchange {
  id: string;
  time: Timestamp;
  kind: 'request' | 'delivery' | 'event' | 'frame' | 'outcome';
  application_id?: Snowflake;
  user_id?: Snowflake;
  interaction_id?: Snowflake;
  method?: string;
  route?: string;
  path?: string;
  status?: number;
  gap?: string;
  /** How an interaction ended. */
  outcome?: 'answered' | 'deferred' | 'launched' | 'failed';
  error?: string;
  signature_valid?: boolean;
  took_ms?: number;
  request?: RecordedContent;
  response?: RecordedContent;
}

/** The body of an error answer. */
export interface ErrorBody {
  message?: string;
  code?: number;
  errors?: ErrorTree;
}

/** Errors by the path of the value: _errors lists those of the value itself. */
export interface ErrorTree {
  [key: string]: ErrorTree | { code: string; message: string }[];
}

/** The members that GET /assets/settings.json can contain. */
export interface Settings {
  dev: boolean;
  version: string;
  sign_in?: string;
  operator_sign_in?: { name: string; url: string }[];
}

/** A frame that the gateway sends. */
export interface GatewayFrame {
  op: number;
  d: unknown;
  s?: number | null;
  t?: string | null;
}

/** The result of an interaction that the user's session receives. */
interface InteractionResult {
  id: Snowflake;
  nonce: string;
}

export type ReactionEventName =
  | 'MESSAGE_REACTION_ADD'
  | 'MESSAGE_REACTION_REMOVE'
  | 'MESSAGE_REACTION_REMOVE_EMOJI'
  | 'MESSAGE_REACTION_REMOVE_ALL';

/** A change of the reactions to a message. Only the first two have a user, and the last has no emoji. */
export interface ReactionEvent {
  channel_id: Snowflake;
  message_id: Snowflake;
  user_id?: Snowflake;
  emoji?: Emoji;
}

/** A user votes for an answer, or takes the vote back. */
export interface PollVoteEvent {
  channel_id: Snowflake;
  message_id: Snowflake;
  user_id: Snowflake;
  answer_id: number;
}

export interface TypingEvent {
  channel_id: Snowflake;
  user_id: Snowflake;
}

/** The members that a session asked for. presences has those who are not offline. */
export interface MembersChunk {
  members: Member[];
  presences?: { user: { id: Snowflake }; status: Status }[];
}

export interface ThreadEvent {
  name:
    | 'THREAD_CREATE'
    | 'THREAD_UPDATE'
    | 'THREAD_DELETE'
    | 'THREAD_LIST_SYNC'
    | 'THREAD_MEMBER_UPDATE'
    | 'THREAD_MEMBERS_UPDATE';
  /** The thread, or what changed in it. Only THREAD_LIST_SYNC has threads. */
  data: Channel & {
    threads?: Channel[];
    added_members?: { user_id: Snowflake }[];
    removed_member_ids?: Snowflake[];
  };
}

/** An event that the gateway dispatches to a user's session. */
export type GatewayEvent =
  | { name: 'READY'; data: { session_id: string; guilds: SessionGuild[] } }
  | { name: 'MESSAGE_CREATE' | 'MESSAGE_UPDATE' | 'MESSAGE_DELETE'; data: Message }
  | { name: 'MESSAGE_DELETE_BULK'; data: { ids: Snowflake[]; channel_id: Snowflake } }
  | { name: ReactionEventName; data: ReactionEvent }
  | { name: 'MESSAGE_POLL_VOTE_ADD' | 'MESSAGE_POLL_VOTE_REMOVE'; data: PollVoteEvent }
  | { name: 'TYPING_START'; data: TypingEvent }
  | { name: 'VOICE_STATE_UPDATE'; data: VoiceState }
  | { name: 'GUILD_MEMBERS_CHUNK'; data: MembersChunk }
  | ThreadEvent
  | { name: 'INTERACTION_SUCCESS'; data: InteractionResult }
  | { name: 'INTERACTION_FAILURE'; data: InteractionResult & { reason_code: number; reason?: string } }
  | { name: 'INTERACTION_MODAL_CREATE'; data: Modal }
  | { name: 'EMBEDDED_ACTIVITY_UPDATE_V2'; data: Activity }
  | { name: 'APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE'; data: { nonce: string; choices: Choice[] } }
  | { name: 'GUILD_APPLICATION_COMMAND_INDEX_UPDATE'; data: unknown }
  | ResourceEvent;

/** An event about a guild, a channel or a thread. data of channel events is the channel. */
export interface ResourceEvent {
  name:
    | 'RESUMED'
    | 'GUILD_CREATE'
    | 'GUILD_UPDATE'
    | 'GUILD_DELETE'
    | 'CHANNEL_CREATE'
    | 'CHANNEL_UPDATE'
    | 'CHANNEL_DELETE'
    | 'CHANNEL_PINS_UPDATE'
    | 'GUILD_AUDIT_LOG_ENTRY_CREATE';
  data: Channel;
}

/** An entry of the audit log. before and after have no secrets. */
export interface AuditEntry {
  id: Snowflake;
  time: string;
  actor: string;
  via?: string;
  address?: string;
  action: string;
  target: string;
  before?: object;
  after?: object;
}
