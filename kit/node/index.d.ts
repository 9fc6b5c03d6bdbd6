import type { RequestListener } from 'node:http';

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

export interface Answer<T = any> {
  status: number;
  headers: Headers;
  body: T;
}

export interface Message {
  id: string;
  channel_id: string;
  content: string;
  [member: string]: any;
}

export interface Outcome {
  outcome: 'answered' | 'deferred' | 'launched' | 'failed' | null;
  reason: string | null;
  interaction: any;
  response: { type: number; data?: any } | null;
  messages: Message[];
  choices: Suggestion[];
  modal: any;
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
  kind: 'request' | 'delivery' | 'frame';
  application_id?: string;
  user_id?: string;
  method?: string;
  route?: string;
  path?: string;
  status?: number;
  error?: string;
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

/** A command as it is typed, or in its parts. */
export type Use =
  | string
  | { name: string; type?: number; application?: string; options?: { name: string; value?: any }[]; target?: string };

export interface Options {
  /** Path of the binary; by default BELLHOP_BINARY, else "bellhop" on the PATH. */
  binary?: string;
  /** A world file as YAML or JSON text, or as an object; by default the demo world. */
  world?: string | object;
  /** "off", the default, or a file of rate limits. */
  limits?: string;
  /** Further flags of "bellhop dev". */
  args?: string[];
}

/** What the service refused. */
export class BellhopError extends Error {
  status: number;
  code?: number;
  body: any;
}

/** A running Bellhop. */
export class Bellhop implements AsyncDisposable {
  private constructor();
  readonly url: string;
  /** What a bot is told in place of the address it knows. */
  readonly baseURL: string;
  readonly gatewayURL: string;
  readonly adminToken?: string;
  readonly applications: Application[];
  readonly users: User[];
  readonly guilds: Guild[];
  /** The first application, or the one with an id or a name. */
  application(which?: string): Application;
  /** The first user, or the one with an id or a username. */
  user(which?: string): User;
  /** Makes a call and returns the answer, whatever it is. */
  fetch<T = any>(
    method: string,
    path: string,
    options?: { authorization?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Answer<T>>;
  /** Makes a call in an application's name and returns the body of its answer. */
  bot<T = any>(method: string, path: string, body?: unknown, which?: string): Promise<T>;
  /** Lets a person use a command and returns what the app answered. */
  invoke(as: string, where: string, command: Use, options?: { wait?: 'answer' | 'final' | 'none' }): Promise<Outcome>;
  /** Returns what the app suggests while an option is typed. */
  autocomplete(as: string, where: string, command: Use, option: string): Promise<Suggestion[]>;
  now(): Promise<Date>;
  /** Moves the service's clock, by "24h" or by milliseconds. */
  advance(by: string | number): Promise<Date>;
  /** Returns an access token without a browser. */
  token(options?: { application?: string; user?: string; scopes?: string[] }): Promise<string>;
  /** Returns what apps and people sent and received, the newest first. */
  requests(filter?: {
    application?: string;
    kind?: 'request' | 'delivery' | 'frame';
    route?: string;
    status?: string;
    since?: string;
    limit?: string;
  }): Promise<Exchange[]>;
  /** Returns a lobby of an application, or null when there is none. */
  lobby(id: string, application?: string): Promise<any | null>;
  /** Makes the service misbehave. */
  fault(fault: Fault): Promise<Required<Pick<Fault, 'id' | 'struck'>> & Fault>;
  clearFaults(): Promise<void>;
  /** Goes back to the world that the service started with. */
  reset(): Promise<void>;
  /** Serves an app that takes its interactions over HTTP, and tells the service its address. */
  connect(listener: RequestListener, application?: string): Promise<string>;
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a Bellhop on a port that the system picks. It ends with stop, or with this process. */
export function start(options?: Options): Promise<Bellhop>;

type Hook = (fn: () => Promise<void>) => unknown;

/** Starts one Bellhop for the tests of a file and resets it before each. */
export function withBellhop(
  hooks: { beforeAll: Hook; afterAll: Hook; beforeEach: Hook } | { before: Hook; after: Hook; beforeEach: Hook },
  options?: Options,
): Bellhop;
