import type { OptionChecks } from "@planloom/plan";
import { checkOptions, invalid, leaseTimeoutMs, readJournalKey } from "@planloom/runtime/journal-parts";
import { checkSchema } from "./connection/address.ts";

export interface PostgresJournalOptions {
  /** Schema of the database that the journal's tables are in; made where there is none. @default "planloom" */
  readonly schema?: string;
  /** Keep events too, beside what became of tasks. @default false */
  readonly events?: boolean;
  /**
   * Secret of at least 16 characters that checksums are made with (HMAC-SHA-256). A run keeps the key it was begun with.
   * @default the environment variable PLANLOOM_JOURNAL_KEY; without either, checksums are plain SHA-256
   */
  readonly key?: string;
  /** Most connections at once, beside the one that hears of other processes; at least 1. @default 4 */
  readonly maxConnections?: number;
  /**
   * How long a process that executes a run may give no sign of life, in milliseconds, while its connection is open (it hangs, or was stopped), before another one may take the run
   * over. One whose connection is gone is replaced after 3 seconds. The process says that it
   * lives four times as often, at least every 5 seconds. At least 2 seconds leave room for a busy machine. @default 30_000
   */
  readonly leaseMs?: number;
  /** How long the server may take to answer before its connection is closed, in milliseconds. @default 10_000 */
  readonly answerTimeoutMs?: number;
  /** For how long what a broken connection or a server that starts again kept from being done is tried again, in milliseconds. @default 20_000 */
  readonly patienceMs?: number;
}

const checks = {
  schema: "own",
  events: "boolean",
  key: "own",
  maxConnections: "own",
  leaseMs: "positive",
  answerTimeoutMs: "positive",
  patienceMs: "nonNegative",
} as const satisfies OptionChecks<PostgresJournalOptions>;

/** Options with their defaults. */
export type ReadJournalOptions = Required<Omit<PostgresJournalOptions, "key">> & { readonly key: string | undefined };

/** @throws RuntimeError INVALID_OPTION */
export function readOptions(options: PostgresJournalOptions): ReadJournalOptions {
  checkOptions("`PostgresJournal.open`", options, checks);
  const { schema = "planloom", events = false, maxConnections = 4 } = options;
  checkSchema(schema);
  if (!(Number.isInteger(maxConnections) && maxConnections >= 1))
    throw invalid("maxConnections", "an integer of at least 1", maxConnections);
  const { leaseMs = leaseTimeoutMs, answerTimeoutMs = 10_000, patienceMs = 20_000 } = options;
  return { schema, events, key: readJournalKey(options.key), maxConnections, leaseMs, answerTimeoutMs, patienceMs };
}
