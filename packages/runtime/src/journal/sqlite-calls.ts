import type { CallRecord } from "./journal.ts";
import { parseCall } from "./legible.ts";
import { type ChainEntry, sealedText } from "./run-chain.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** @param texts model calls as JSON. @returns what the run's chain gains */
export function insertCalls(db: SqliteConnection, runId: string, texts: readonly string[]): ChainEntry[] {
  for (const text of texts) db.run("INSERT INTO model_calls (run_id, call) VALUES (?, ?)", runId, text);
  return texts.map((text) => sealedText("model_calls", "", text));
}

/** Model calls in the order in which they were recorded. @param purposes only those; absent: all */
export function readCalls(
  db: SqliteConnection,
  runId: string,
  purposes: readonly CallRecord["purpose"][] | undefined,
): CallRecord[] {
  const chosen =
    purposes === undefined ? "" : " AND json_extract(call, '$.purpose') IN (SELECT value FROM json_each(?))";
  const wanted = purposes === undefined ? [] : [JSON.stringify(purposes)];
  const text = `SELECT call FROM model_calls WHERE run_id = ?${chosen} ORDER BY rowid`;
  return db.all(text, runId, ...wanted).map(({ call }) => parseCall(String(call)));
}
