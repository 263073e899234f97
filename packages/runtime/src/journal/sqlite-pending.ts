import type { PendingUsage } from "./journal.ts";
import { parsePending } from "./legible.ts";
import { pendingKey } from "./pending-key.ts";
import { type ChainEntry, sealedText } from "./run-chain.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** What calls that are under way may use, until a record says what they used. All but `expect` is called within a transaction. */
export class SqlitePending {
  readonly #db: SqliteConnection;
  /** Runs that have pending usage, or may have: records of their tasks have to settle it. */
  readonly #runs = new Set<string>();

  constructor(db: SqliteConnection) {
    this.#db = db;
  }

  /** Usage of the run is about to be written, or an earlier session has left some. */
  expect(runId: string): void {
    this.#runs.add(runId);
  }

  /** @param rows key and JSON of each. @returns what the run's chain gains */
  insert(runId: string, rows: readonly (readonly [key: string, text: string])[]): ChainEntry[] {
    const text = "INSERT OR REPLACE INTO pending_usage (run_id, key, pending) VALUES (?, ?, ?)";
    for (const [key, one] of rows) this.#db.run(text, runId, key, one);
    return rows.map(([key, one]) => sealedText("pending_usage", key, one));
  }

  /** A record says now what the task used. @param entries what the run's chain gains is added here */
  settle(runId: string, task: Pick<PendingUsage, "path" | "task_id">, entries: ChainEntry[]): void {
    if (this.#runs.has(runId)) this.settleKey(runId, pendingKey(task), entries);
  }

  /** The same by the key of what was pending. */
  settleKey(runId: string, key: string, entries: ChainEntry[]): void {
    if (!this.#runs.has(runId)) return;
    const text = "DELETE FROM pending_usage WHERE run_id = ? AND key = ? RETURNING key";
    if (this.#db.get(text, runId, key) !== undefined) entries.push(["pending_usage", key, ""]);
  }
}

export function readPending(db: SqliteConnection, runId: string): PendingUsage[] {
  const rows = db.all("SELECT pending FROM pending_usage WHERE run_id = ? ORDER BY key", runId);
  return rows.map(({ pending }) => parsePending(String(pending)));
}
