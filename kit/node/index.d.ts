import type { RequestListener } from 'node:http';

/** JSON of any shape. Tests read the members that they expect. */
// biome-ignore lint/suspicious/noExplicitAny: casts in every test would hide what the test is about.
export type Json = any;

export interface Application {
  id: string;
  name: string;
  bot_token?: string;
  client_secret?: string;
}

export interface User {
  id: string;
  username: string;
  token?: string;
}

export interface Guild {
  id: string;
  name: string;
  channels: { id: string; name: string }[];
}

export interface Answer<T = Json> {
  status: number;
  headers: Headers;
  body: T;
}

export interface Message {
  id: string;
  channel_id: string;
  content: string;
  [member: string]: Json;
}

export interface Outcome {
  outcome: 'answered' | 'deferred' | 'launched' | 'failed' | null;
  reason: string | null;
  interaction: Json;
  response: { type: number; data?: Json } | null;
  messages: Message[];
  choices: Suggestion[];
  modal: Json;
  timings_ms: { checked: number; delivered: number; answered: number };
}

export interface Suggestion {
  name: string;
  value: string | number;
}

export interface Fault {
  id?: number;
  method?: string;
  route?: string;
  application?: string;
  delay?: string;
  status?: number;
  rate_limit?: number;
  drop?: 'before' | 'after';
  disconnect?: number;
  count?: number;
  share?: number;
  seed?: number;
  struck?: number;
}

export interface Exchange {
  id: string;
  time: string;
  kind: 'request' | 'delivery' | 'event' | 'frame' | 'outcome';
  application_id?: string;
  user_id?: string;
  method?: string;
  route?: string;
  path?: string;
  status?: number;
  error?: string;
  /** The operation of Discord that the service does not have. */
  gap?: string;
  took_ms?: number;
  request?: Content;
  response?: Content;
}

export interface Content {
  headers?: Record<string, string>;
  body?: string;
  size: number;
  cut?: boolean;
}

/** A command as text, such as "/roll sides:6", or as an object. */
export type Use =
  | string
  | { name: string; type?: number; application?: string; options?: { name: string; value?: Json }[]; target?: string };

/** What to wait for: the first answer (the default), also a deferred one, or nothing. */
export interface Wait {
  wait?: 'answer' | 'final' | 'none';
}

/** What a person does in a channel: the members of POST /_dev/say. Without one of the actions it is a new message. */
export interface Action {
  content?: string;
  reply_to?: string;
  files?: { name: string; content: string | Uint8Array<ArrayBuffer> }[];
  /** The message to act on. */
  message?: string;
  react?: string;
  unreact?: string;
  edit?: string;
  delete?: boolean;
  /** The answers of a poll, from 1. An empty list takes the vote back. */
  vote?: number[];
  typing?: boolean;
  /** How long to collect what apps send to the channel, such as "2s". */
  wait?: string;
  [member: string]: Json;
}

export interface Said {
  /** Null after a deletion and for typing; Json, so that tests need no check for null. */
  message: Json;
  answers: Message[];
}

/** What a person does in a guild: the members of POST /_dev/members. */
export interface MemberAction {
  join?: boolean;
  leave?: boolean;
  /** Null removes the nickname. */
  nick?: string | null;
  /** A voice channel such as Lab/voice. Null leaves it. */
  voice?: string | null;
  /** A status, or an object with status and activities. It is the presence in all guilds. */
  presence?: string | { status: string; activities?: Json[] };
}

/** The fields of a form, by label or custom id: a text, or the values of a select menu. */
export type Fields = Record<string, string | string[]>;

export interface Options {
  /** Path of the binary; by default BELLHOP_BINARY, else the binary of package bellhop. */
  binary?: string;
  /** A world file as YAML or JSON text, or as an object; by default the demo world. */
  world?: string | object;
  /** "off", the default, or a file of rate limits. */
  limits?: string;
  /** Further flags of "bellhop dev". */
  args?: string[];
  /**
   * What stop does if the bot has called operations of Discord that the service does not have: "list", the default,
   * prints them, "fail" throws.
   */
  gaps?: 'list' | 'fail';
}

/** An error answer of the service. */
export class BellhopError extends Error {
  status: number;
  code?: number;
  body: Json;
}

/** A running Bellhop. */
export class Bellhop implements AsyncDisposable {
  private constructor();
  readonly url: string;
  /** The base URL of the API, for bots and clients. */
  readonly baseURL: string;
  readonly gatewayURL: string;
  readonly adminToken?: string;
  readonly applications: Application[];
  readonly users: User[];
  readonly guilds: Guild[];
  /** Returns the first application, or the one with an id or a name. */
  application(which?: string): Application;
  /** Returns the first user, or the one with an id or a username. */
  user(which?: string): User;
  /** Sends a request and returns the answer, whatever its status is. */
  fetch<T = Json>(
    method: string,
    path: string,
    options?: { authorization?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Answer<T>>;
  /** Sends a request with the bot token of an application and returns the body of the answer. */
  bot<T = Json>(method: string, path: string, body?: unknown, which?: string): Promise<T>;
  /** Invokes a command as a user and returns what the app answered. */
  invoke(as: string, where: string, command: Use, options?: Wait): Promise<Outcome>;
  /** Returns the choices that the app sends while a user types an option. */
  autocomplete(as: string, where: string, command: Use, option: string): Promise<Suggestion[]>;
  /** Presses a button of an answer, by its label, custom id or emoji. */
  press(as: string, outcome: Outcome, button: string, options?: Wait): Promise<Outcome>;
  /** Selects values in a menu of an answer, by its placeholder or custom id. Values are labels or values of options. */
  select(as: string, outcome: Outcome, menu: string, values: string[], options?: Wait): Promise<Outcome>;
  /** Submits the form that an answer opened. Fields are named by label or custom id. */
  submit(as: string, outcome: Outcome, fields: Fields, options?: Wait): Promise<Outcome>;
  /** Does what a person does in a channel. A text is a new message. */
  say(as: string, where: string, what: string | Action): Promise<Said>;
  /**
   * Joins or leaves a guild as a person, or changes the nickname there. The member is null if the person is not a
   * member.
   */
  member(as: string, guild: string, what: MemberAction): Promise<{ member: Json }>;
  /** Waits until a user sees a message in a channel that matches. A message shows its reactions and edits. */
  waitFor(
    as: string,
    where: string,
    match: string | ((message: Message) => boolean),
    options?: { timeout?: number },
  ): Promise<Message>;
  now(): Promise<Date>;
  /** Moves the service's clock, by "24h" or by milliseconds. It resolves after the work that became due. */
  advance(by: string | number): Promise<Date>;
  /** Returns an access token without a browser. */
  token(options?: { application?: string; user?: string; scopes?: string[] }): Promise<string>;
  /** Returns recorded requests, deliveries and gateway frames, the newest first. */
  requests(filter?: {
    application?: string;
    kind?: 'request' | 'delivery' | 'frame';
    route?: string;
    status?: string;
    since?: string;
    limit?: string;
  }): Promise<Exchange[]>;
  /** Returns a lobby of an application, or null if there is none. */
  lobby(id: string, application?: string): Promise<Json>;
  /** Injects a fault. */
  fault(fault: Fault): Promise<Required<Pick<Fault, 'id' | 'struck'>> & Fault>;
  clearFaults(): Promise<void>;
  /** Resets the service to the world that it started with. */
  reset(): Promise<void>;
  /** Replaces the global commands of an application by those of a JSON or YAML file. */
  push(file: string, application?: string): Promise<void>;
  /** Serves an app that receives interactions over HTTP, and sets its address as the endpoint of an application. */
  connect(listener: RequestListener, application?: string): Promise<string>;
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a Bellhop on a port that the system picks. It ends with stop, or with this process. */
export function start(options?: Options): Promise<Bellhop>;

type Hook = (fn: () => Promise<void>) => unknown;

/** Starts one Bellhop for the tests of a file and resets it before each test. */
export function withBellhop(
  hooks: { beforeAll: Hook; afterAll: Hook; beforeEach: Hook } | { before: Hook; after: Hook; beforeEach: Hook },
  options?: Options,
): Bellhop;
