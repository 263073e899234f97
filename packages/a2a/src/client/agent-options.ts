import type { JsonSchema } from "planloom";
import type { EstimateData, OptionChecks } from "planloom/plan";
import { optionError } from "../check-options.ts";
import { type PushOptions, PushReceiver, pushChecks } from "./push-receiver.ts";

/** What one security scheme of a card is given: a key or token, a user and password, or a client of OAuth 2. */
export type Credential =
  | string
  | { readonly username: string; readonly password: string }
  | { readonly clientId: string; readonly clientSecret: string };

/** One agent to connect. */
export interface RemoteAgentOptions {
  /** Where it is: its origin, whose `/.well-known/agent-card.json` is read, or the URL of the card itself where it ends in `.json`. */
  readonly url: string;
  /** Sent with every request; for what the card does not describe. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** By the name of the security scheme on the card. */
  readonly credentials?: Readonly<Record<string, Credential>> | undefined;
  /** Public keys (JWK) of which one must have signed the card. @default signatures are not looked at */
  readonly keys?: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** Origins beside that of `url` which the card may name, and which then get messages and credentials. @default none */
  readonly origins?: readonly string[] | undefined;
  /** The schema of the input that the agent takes, where plans should know it. @default any object */
  readonly schema?: JsonSchema | undefined;
  /** The schema of its answers. @default unknown */
  readonly output?: JsonSchema | undefined;
  /** Whether it changes nothing outside. @default false */
  readonly readOnly?: boolean | undefined;
  /** May delete or overwrite existing data. @default false */
  readonly destructive?: boolean | undefined;
  /** What a call takes, for predictions and budgets. */
  readonly estimate?: EstimateData | undefined;
  /** May fail to connect without failing the others. @default false */
  readonly optional?: boolean | undefined;
  /** Not connected. @default false */
  readonly disabled?: boolean | undefined;
}

export const agentChecks = {
  url: { required: "name" },
  headers: "object",
  credentials: "object",
  keys: "list",
  origins: "texts",
  schema: "object",
  output: "object",
  readOnly: "boolean",
  destructive: "boolean",
  estimate: "object",
  optional: "boolean",
  disabled: "boolean",
} as const satisfies OptionChecks<RemoteAgentOptions>;

/** How all agents of a connection are talked to. */
export interface ConnectOptions {
  /** Ends the connecting; an established connection is ended by `close()`. */
  readonly signal?: AbortSignal | undefined;
  /** For each request but the one that a task waits for, in milliseconds. @default 30_000 */
  readonly requestTimeoutMs?: number | undefined;
  /** How long a broken connection may take to come back while an agent works on a task, in milliseconds. @default 60_000 */
  readonly reconnectMs?: number | undefined;
  /** Between two looks at a task of an agent that streams nothing, in milliseconds, at first; up to ten times as long later. @default 500 */
  readonly pollMs?: number | undefined;
  /** How old a card may be before a message is sent, in milliseconds; an older one is read again. @default 60_000 */
  readonly cardMaxAgeMs?: number | undefined;
  /** Of all that one task sends, in bytes. @default 16 MiB */
  readonly maxResultBytes?: number | undefined;
  /**
   * Takes pushes of agents that offer them: such an agent holds no stream open for a task, and is looked at when it has pushed, at the latest 60 times `pollMs` after the
   * last look. @default agents are listened to and looked at
   */
  readonly push?: PushOptions | undefined;
  readonly fetch?: typeof fetch | undefined;
}

export const connectChecks = {
  signal: "signal",
  requestTimeoutMs: "positive",
  reconnectMs: "positive",
  pollMs: "positive",
  cardMaxAgeMs: "positive",
  maxResultBytes: "positive",
  push: { options: pushChecks },
  fetch: "function",
} as const satisfies OptionChecks<ConnectOptions>;

/** `ConnectOptions` with their defaults. */
export interface LinkSettings {
  readonly requestTimeoutMs: number;
  readonly reconnectMs: number;
  readonly pollMs: number;
  readonly cardMaxAgeMs: number;
  readonly maxResultBytes: number;
  readonly receiver: PushReceiver | undefined;
  readonly fetch: typeof fetch;
}

/** @throws A2aError OPTION; the error of the port to listen on where it is taken */
export async function linkSettings(options: ConnectOptions): Promise<LinkSettings> {
  const maxResultBytes = options.maxResultBytes ?? 16 * 1024 * 1024;
  return {
    requestTimeoutMs: options.requestTimeoutMs ?? 30_000,
    reconnectMs: options.reconnectMs ?? 60_000,
    pollMs: options.pollMs ?? 500,
    cardMaxAgeMs: options.cardMaxAgeMs ?? 60_000,
    maxResultBytes,
    receiver: options.push && (await PushReceiver.open(options.push, maxResultBytes)),
    fetch: options.fetch ?? globalThis.fetch,
  };
}

/** Reads the URL of an agent. @throws A2aError OPTION */
export function agentUrl(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  if (url === undefined || !isWeb) {
    throw optionError(`${name}.url`, "an http or https URL such as https://agents.example.com", JSON.stringify(text));
  }
  if (url.username === "" && url.password === "") return url;
  throw optionError(
    `${name}.url`,
    "a URL without a user and password in it",
    "one; give them in `credentials` or `headers`",
  );
}
