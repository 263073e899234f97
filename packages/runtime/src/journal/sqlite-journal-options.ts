import type { OptionChecks } from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { type Durability, durabilities } from "./durability.ts";
import { readJournalKey } from "./journal-key.ts";

export interface SqliteJournalOptions {
  /** How long to wait for another process's lock, in milliseconds; the event loop is not blocked meanwhile. @default 5_000 */
  readonly busyTimeoutMs?: number;
  /** What a resolved write survives; see `Durability`. @default "sync" */
  readonly durability?: Durability;
  /** Keep events too, beside what became of tasks. @default false */
  readonly events?: boolean;
  /**
   * Secret of at least 16 characters that checksums are made with (HMAC-SHA-256), so that they cannot be made without it
   * again for rows that were changed. A run keeps the key it was begun with. @default the environment variable
   * PLANLOOM_JOURNAL_KEY; without either, checksums are plain SHA-256
   */
  readonly key?: string;
}

const checks = {
  busyTimeoutMs: "nonNegative",
  durability: "own",
  events: "boolean",
  key: "own",
} as const satisfies OptionChecks<SqliteJournalOptions>;

/** Options with their defaults. */
export type ReadSqliteOptions = Required<Omit<SqliteJournalOptions, "key">> & { readonly key: string | undefined };

/** @throws RuntimeError INVALID_OPTION */
export function readSqliteOptions(options: SqliteJournalOptions): ReadSqliteOptions {
  checkOptions("`SqliteJournal.open`", options, checks);
  const { busyTimeoutMs = 5_000, durability = "sync", events = false } = options;
  if (!durabilities.includes(durability)) {
    const message = `Expected \`durability\` to be one of ${durabilities.join(", ")}, got ${JSON.stringify(durability)}.`;
    throw new RuntimeError(RuntimeErrorCode.INVALID_OPTION, message, { details: { option: "durability" } });
  }
  return { busyTimeoutMs, durability, events, key: readJournalKey(options.key) };
}
