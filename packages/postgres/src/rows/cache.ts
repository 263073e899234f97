import type { CachedOutput, CacheFilter } from "@planloom/runtime";
import { parseJson } from "@planloom/runtime/journal-parts";
import type { Queryable, Statement } from "../connection/database.ts";
import { decodeText, encodeText, keyOf } from "../connection/text.ts";

export async function readCached(on: Queryable, schema: string, key: string): Promise<CachedOutput | undefined> {
  const text = `SELECT output, stored_at, run_id FROM ${schema}.cache WHERE cache_key = $1`;
  const [row] = await on.query<{ output: string; stored_at: number; run_id: string | null }>({
    text,
    values: [keyOf(key)],
  });
  if (row === undefined) return undefined;
  const { output, stored_at, run_id } = row;
  return { output: parseJson(output), stored_at, ...(run_id !== null && { run_id: decodeText(run_id) }) };
}

/** @param output as JSON */
export function cacheStatement(
  schema: string,
  key: string,
  output: string,
  { stored_at, run_id }: Omit<CachedOutput, "output">,
): Statement {
  return {
    text: `INSERT INTO ${schema}.cache (cache_key, output, stored_at, run_id) VALUES ($1, $2, $3, $4)
      ON CONFLICT (cache_key) DO UPDATE SET output = excluded.output, stored_at = excluded.stored_at, run_id = excluded.run_id`,
    values: [keyOf(key), output, stored_at, run_id === undefined ? null : encodeText(run_id)],
  };
}

const condition = "($1::float8 IS NULL OR stored_at < $1) AND ($2::text IS NULL OR run_id = $2)";

/** @returns how many cached outputs there are, or were where they are deleted */
export async function purgeCached(
  on: Queryable,
  schema: string,
  { dryRun = false, storedBefore, runId }: CacheFilter,
): Promise<number> {
  const values = [storedBefore ?? null, runId === undefined ? null : encodeText(runId)];
  const text = dryRun
    ? `SELECT count(*) AS outputs FROM ${schema}.cache WHERE ${condition}`
    : `WITH gone AS (DELETE FROM ${schema}.cache WHERE ${condition} RETURNING 1) SELECT count(*) AS outputs FROM gone`;
  const [row] = await on.query<{ outputs: number }>({ text, values });
  return row?.outputs ?? 0;
}
