import type { Database } from "./connection/database.ts";
import type { Session } from "./connection/session.ts";
import type { Heads } from "./heads.ts";
import type { OutputCache } from "./rows/output-cache.ts";

/** What a dispatcher and a worker use of a journal beside its methods. */
export interface JournalInternals {
  readonly url: string;
  readonly schema: string;
  readonly database: Database;
  readonly session: Session;
  readonly heads: Heads;
  readonly leaseMs: number;
  readonly outputs: OutputCache;
}

const internals = new WeakMap<object, JournalInternals>();

export function keepInternals(journal: object, parts: JournalInternals): void {
  internals.set(journal, parts);
}

/** Undefined for what is not a `PostgresJournal`. */
export function internalsOf(journal: unknown): JournalInternals | undefined {
  return typeof journal === "object" && journal !== null ? internals.get(journal) : undefined;
}
