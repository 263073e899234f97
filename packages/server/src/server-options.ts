import type { Planloom, PlanStore } from "planloom";
import type { OptionChecks } from "planloom/plan";
import type { RateLimitOptions } from "./access/rate-limit.ts";
import type { TokenOptions } from "./access/tokens.ts";
import { ServerError, ServerErrorCode } from "./errors.ts";
import type { Log } from "./log.ts";
import type { ServerStore } from "./stores/server-store.ts";

/** The home of a tenant: what its tokens see, and all that they see. */
export interface TenantHome {
  /** With the tenant's journal, its tools and no others. */
  readonly planloom: Planloom;
  /** @default in memory */
  readonly plans?: PlanStore;
  /** @default in memory */
  readonly store?: ServerStore;
}

export interface ServerOptions {
  /** Saved plans. @default in memory */
  readonly plans?: PlanStore;
  /** Answers by idempotency key, and samples of the controller. @default in memory */
  readonly store?: ServerStore;
  /** Who may make requests. Without any, everyone who reaches the server may do everything. @default none */
  readonly tokens?: readonly TokenOptions[];
  /**
   * The name under which answers and signals of people are kept where a server has no tokens and the request does not say who it is from;
   * `planloom serve` gives the account that runs it. @default "anonymous"
   */
  readonly anonymousName?: string;
  /** Homes of tenants by name; a token with `tenant` sees that home alone. @default none */
  readonly tenants?: Readonly<Record<string, TenantHome>>;
  /** Names of the server in the header `Host`, beside those of this machine. @default none without tokens; any with tokens */
  readonly allowedHosts?: readonly string[];
  /** Origins whose pages may make requests: `https://board.example`. `"*"` is all. @default the server's own */
  readonly cors?: readonly string[];
  /** Largest body in bytes. @default 8 MiB */
  readonly maxBodyBytes?: number;
  /** How long a body may take to come, in milliseconds. @default 30_000 */
  readonly bodyTimeoutMs?: number;
  /** Requests in a time, of each token, or of each address where there are no tokens. @default unlimited */
  readonly rateLimit?: RateLimitOptions;
  /** Limit of one answer of the controller's two endpoints, in milliseconds. @default 120_000, or the model's own limit where that is more */
  readonly controllerTimeoutMs?: number;
  /** How often a stream on which nothing happens is sent a comment, in milliseconds. @default 15_000 */
  readonly heartBeatMs?: number;
  /** Clients that may listen to events at once, of the server itself and of each tenant; of more it is SERVER_TOO_MANY_LISTENERS. @default 2_000 */
  readonly maxListeners?: number;
  /** Whether `start` continues the runs that a server began and the last process left, and wakes those that are due. @default true */
  readonly resumeRuns?: boolean;
  /** The path under which it is mounted: `/planloom`. @default "" */
  readonly basePath?: string;
  /** Where it writes what happens; a `pino` logger fits. @default the `logger` of the instance, else nowhere */
  readonly log?: Log;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
}

export const serverChecks = {
  plans: "object",
  store: "object",
  tokens: "list",
  anonymousName: "name",
  tenants: "object",
  allowedHosts: "texts",
  cors: "texts",
  maxBodyBytes: "positive",
  bodyTimeoutMs: "positive",
  rateLimit: { options: { limit: "positive", intervalMs: "positive" } },
  controllerTimeoutMs: "positive",
  heartBeatMs: "positive",
  maxListeners: "count",
  resumeRuns: "boolean",
  basePath: "own",
  log: "object",
  now: "function",
} as const satisfies OptionChecks<ServerOptions>;

/** @throws ServerError OPTION */
export function checkBasePath(basePath: unknown): string {
  if (basePath === undefined || basePath === "") return "";
  if (typeof basePath === "string" && /^(?:\/[\w.~-]+)+$/.test(basePath)) return basePath;
  const message = `Expected \`basePath\` to be a path that begins with "/" and does not end with one, got ${JSON.stringify(basePath)}.`;
  throw new ServerError(ServerErrorCode.OPTION, message, { details: { option: "basePath" } });
}
