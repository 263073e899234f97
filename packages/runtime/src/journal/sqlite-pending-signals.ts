import type { SqliteConnection } from "./sqlite-connection.ts";
import { maxPendingSignals } from "./stored-wait.ts";
import { signalsFull } from "./wait-refusals.ts";

const maxKnown = 1_000;

/**
 * How many signals of a run no task has taken, at most. Counting them takes longer the more there are, so that it is done again only after another connection has
 * written to the file, and before a signal is refused. Called within a transaction.
 */
export class SqlitePendingSignals {
  readonly #db: SqliteConnection;
  /** By run. Those that were taken since are still in it. */
  readonly #known = new Map<string, number>();
  #version: unknown;

  constructor(db: SqliteConnection) {
    this.#db = db;
  }

  /** One more is written. @throws RuntimeError SIGNALS_FULL */
  add(runId: string): void {
    const version = this.#db.get("PRAGMA data_version")?.data_version;
    if (version !== this.#version || this.#known.size >= maxKnown) this.#known.clear();
    this.#version = version;
    let pending = this.#known.get(runId) ?? this.#count(runId);
    if (pending >= maxPendingSignals) pending = this.#count(runId);
    if (pending >= maxPendingSignals) throw signalsFull(runId);
    this.#known.set(runId, pending + 1);
  }

  #count(runId: string): number {
    const text = "SELECT count(*) AS pending FROM signals WHERE run_id = ? AND taken_by IS NULL";
    return Number(this.#db.get(text, runId)?.pending);
  }
}
