import type { Confirm, Planloom, Resource } from "planloom";
import type { Logger } from "planloom/options";
import type { OptionChecks } from "planloom/plan";
import { optionError } from "../check-options.ts";
import type { PushRule } from "./push-target.ts";

/** What signs the card: a private key (JWK), and the id by which others know the public one. */
export interface CardKey {
  readonly key: Readonly<Record<string, unknown>>;
  readonly kid: string;
  /** @default "ES256" */
  readonly alg?: string | undefined;
}

export interface PlanAgentOptions {
  /** On the card. @default "Planloom" */
  readonly name?: string | undefined;
  /** On the card. @default what a Planloom does */
  readonly description?: string | undefined;
  /** On the card. @default "1" */
  readonly version?: string | undefined;
  /** Which resources are skills of the card; what is left out is still planned with. @default all */
  readonly publish?: ((resource: Resource) => boolean) | undefined;
  /** Signs the card. @default it is not signed */
  readonly sign?: CardKey | undefined;
  /** What requests bear in `Authorization`. @default none: everyone who reaches the agent may do everything */
  readonly token?: string | undefined;
  /** Which calls a person confirms: no person has seen the plan. @default what `planloom` says, else "writes" */
  readonly confirm?: Confirm | undefined;
  /**
   * Whether a message may answer what a person is asked (a confirmation, a gate). Without, a person answers at this end (`planloom approve`), and the
   * task waits in the state "auth required". @default false
   */
  readonly approveByMessage?: boolean | undefined;
  /** The tenant that the runs count for. @default none */
  readonly tenant?: string | undefined;
  /** Of a request body, in bytes. @default 16 MiB */
  readonly maxBodyBytes?: number | undefined;
  /** How long a request body may take to come, in milliseconds. @default 30_000 */
  readonly bodyTimeoutMs?: number | undefined;
  /** Clients that may listen to the answers of their messages at once; one more is refused (503, SERVER_TOO_MANY_LISTENERS). @default 2_000 */
  readonly maxListeners?: number | undefined;
  /** How many ended tasks are kept in memory for clients that ask; where there is a journal, older ones are read from it. @default 1_000 */
  readonly maxKeptTasks?: number | undefined;
  /**
   * Offers push notifications, and says where they may go: origins such as "https://crew.example.com", and "public" for any https address of the internet.
   * Addresses of this machine and of closed networks are pushed to only under an origin that is named. @default not offered
   */
  readonly push?: readonly string[] | undefined;
  /** Where errors are written that the client can do nothing about; the client gets the id of the line. @default the logger of `planloom` */
  readonly log?: Pick<Logger, "error"> | undefined;
}

export const planAgentChecks = {
  name: "name",
  description: "text",
  version: "name",
  publish: "function",
  sign: { options: { key: { required: "object" }, kid: { required: "name" }, alg: "name" } },
  token: "name",
  confirm: { either: [["writes", "destructive", "never"], "function"] },
  approveByMessage: "boolean",
  tenant: "name",
  maxBodyBytes: "positive",
  bodyTimeoutMs: "positive",
  maxListeners: "count",
  maxKeptTasks: "count",
  push: "texts",
  log: { method: "error", expected: "an object with a method `error`, such as a logger of pino" },
} as const satisfies OptionChecks<PlanAgentOptions>;

/** Where pushes may go. @throws A2aError OPTION for what is neither an origin nor "public" */
export function pushRule(push: readonly string[]): PushRule {
  const origins = push.filter((each) => each !== "public");
  const wrong = origins.find((each) => !(URL.canParse(each) && /^https?:/.test(each) && new URL(each).origin === each));
  if (wrong !== undefined) {
    throw optionError("push", 'origins such as "https://crew.example.com", or "public"', JSON.stringify(wrong));
  }
  return { origins: new Set(origins), isPublic: push.includes("public") };
}

/** @throws A2aError OPTION */
export function checkPlanloom(planloom: Planloom): void {
  if (typeof planloom?.draft === "function") return;
  throw optionError("planloom", "a Planloom", typeof planloom);
}
