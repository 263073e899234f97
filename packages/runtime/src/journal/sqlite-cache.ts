import type { CachedOutput, CacheFilter } from "../cached-output.ts";
import { parseJson } from "./legible.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** Which cached outputs are meant. */
type Filter = Omit<CacheFilter, "dryRun">;

export function readCached(db: SqliteConnection, key: string): CachedOutput | undefined {
  const row = db.get("SELECT output, stored_at, run_id FROM cache WHERE key = ?", key);
  if (row === undefined) return undefined;
  const { run_id } = row;
  const cached = { output: parseJson(String(row.output)), stored_at: Number(row.stored_at) };
  return run_id === null ? cached : { ...cached, run_id: String(run_id) };
}

/** @param text the output as JSON, made before the transaction. */
export function insertCached(
  db: SqliteConnection,
  key: string,
  text: string,
  { stored_at, run_id }: Omit<CachedOutput, "output">,
): void {
  const insert = "INSERT OR REPLACE INTO cache (key, output, stored_at, run_id) VALUES (?, ?, ?, ?)";
  db.run(insert, key, text, stored_at, run_id ?? null);
}

export function countCached(db: SqliteConnection, filter: Filter): number {
  return Number(db.get(`SELECT count(*) AS cached FROM cache WHERE ${condition}`, ...valuesOf(filter))?.cached);
}

/** @returns how many were deleted. */
export function deleteCached(db: SqliteConnection, filter: Filter): number {
  const cached = countCached(db, filter);
  db.run(`DELETE FROM cache WHERE ${condition}`, ...valuesOf(filter));
  return cached;
}

const condition = "(? IS NULL OR stored_at < ?) AND (? IS NULL OR run_id = ?)";

function valuesOf({ storedBefore, runId }: Filter): (number | string | null)[] {
  return [storedBefore ?? null, storedBefore ?? null, runId ?? null, runId ?? null];
}
