import { assembleRun, type RunRow } from "./assemble-run.ts";
import type { RunSummary, StoredRun } from "./journal.ts";
import type { ReadListOptions } from "./run-filter.ts";
import { checkRunId, runNotFound } from "./run-id.ts";
import { type ListedRow, newRunRow, statusColumn, summaryOfRow } from "./run-rows.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { readLiveLease } from "./sqlite-leases.ts";
import { lastRevision, readPlan, readRevisions } from "./sqlite-plans.ts";

/** @throws RuntimeError INVALID_OPTION for an invalid run id, RUN_NOT_FOUND */
export function readRunRow(db: SqliteConnection, runId: string): RunRow {
  checkRunId(runId);
  const row = db.get("SELECT * FROM runs WHERE run_id = ?", runId);
  if (row === undefined) throw runNotFound(runId, db.name, db);
  return row as unknown as RunRow;
}

/** @throws RuntimeError as `readRunRow` */
export function checkRunExists(db: SqliteConnection, runId: string): void {
  checkRunId(runId);
  if (db.get("SELECT 1 FROM runs WHERE run_id = ?", runId) === undefined) throw runNotFound(runId, db.name, db);
}

/** @throws RuntimeError as `readRunRow`; JOURNAL_CORRUPT where the plan has not as many tasks as it was written with */
export function readStoredRun(db: SqliteConnection, runId: string): StoredRun {
  return assembleRun(db.name, readRunRow(db, runId), readPlan(db, runId), readRevisions(db, runId));
}

/** As `readStoredRun`, with the plan and the options as they are `known` unless the plan has been changed since. */
export function readRunAgain(db: SqliteConnection, runId: string, known: StoredRun | undefined): StoredRun {
  if (known === undefined || (known.revisions?.at(-1)?.patch.patch_id ?? "") !== lastRevision(db, runId))
    return readStoredRun(db, runId);
  const { status, updated_at } = readRunRow(db, runId);
  return { ...known, status, updated_at };
}

/** Ids that begin so, in their order. */
export function findRunIds(db: SqliteConnection, prefix: string, limit: number): string[] {
  // Not ?1: Node.js 22 cannot bind numbered parameters.
  const text = "SELECT run_id FROM runs WHERE run_id >= ? AND substr(run_id, 1, length(?)) = ? ORDER BY run_id LIMIT ?";
  return db.all(text, prefix, prefix, prefix, limit).map(({ run_id }) => String(run_id));
}

/** The row of the run alone, in the caller's transaction. */
export function insertRun(db: SqliteConnection, run: StoredRun): void {
  const columns = "run_id, plan_id, title, tasks, status, created_at, updated_at, metadata, tenant";
  db.run(`INSERT INTO runs (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, ...newRunRow(run));
}

/** Newest first. SQLite filters by what is indexed; the rest is compared row by row, and tasks are counted only for runs that match. */
export function readRunList(db: SqliteConnection, options: ReadListOptions): RunSummary[] {
  const { limit, matches } = options;
  const { text, values } = listQuery(options);
  const runs: RunSummary[] = [];
  if (limit === 0) return runs;
  for (const read of db.each(text, ...values)) {
    const row = read as unknown as ListedRow;
    const run = summaryOfRow(row, () => readLiveLease(db, row.run_id) !== undefined);
    if (!matches(run)) continue;
    runs.push({ ...run, ...countTasks(db, row.run_id) });
    if (runs.length >= limit) break;
  }
  return runs;
}

function listQuery(options: ReadListOptions): { readonly text: string; readonly values: (string | number)[] } {
  const { before, statuses, planId, tenant, createdAfter, createdBefore, updatedAfter, updatedBefore } = options;
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const where = (condition: string, ...given: readonly (string | number | undefined)[]) => {
    if (given.some((value) => value === undefined)) return;
    conditions.push(condition);
    values.push(...(given as (string | number)[]));
  };
  where("(created_at < ? OR (created_at = ? AND rowid < ?))", before?.createdAt, before?.createdAt, before?.number);
  where("plan_id = ?", planId);
  if (tenant === null) conditions.push("tenant IS NULL");
  else where("tenant = ?", tenant);
  where("created_at >= ?", createdAfter);
  where("created_at < ?", createdBefore);
  where("updated_at >= ?", updatedAfter);
  where("updated_at < ?", updatedBefore);
  where("status IN (SELECT value FROM json_each(?))", statuses && JSON.stringify(statusColumn(statuses)));
  const columns = "rowid AS number, run_id, plan_id, title, tasks, status, created_at, updated_at, metadata, tenant";
  const filter = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
  return { text: `SELECT ${columns} FROM runs${filter} ORDER BY created_at DESC, rowid DESC`, values };
}

function countTasks(db: SqliteConnection, runId: string): { completed: number; failed: number } {
  const text = `SELECT count(DISTINCT iif(status = 'completed', task_id, NULL)) AS completed,
      count(DISTINCT iif(status = 'failed', task_id, NULL)) AS failed FROM tasks WHERE run_id = ?
      AND NOT EXISTS (SELECT 1 FROM replaced_tasks AS gone WHERE gone.run_id = tasks.run_id AND gone.task_id = tasks.task_id)`;
  return db.get(text, runId) as { completed: number; failed: number };
}

const tablesOfRuns = [
  "tasks",
  "nested_tasks",
  "model_calls",
  "pending_usage",
  "events",
  "answers",
  "waits",
  "signals",
  "signal_schemas",
  "revisions",
  "replaced_tasks",
  "plan_parts",
  "chain",
  "plans",
  "leases",
  "cache",
  "runs",
] as const;

/** In the caller's transaction: every row of the run, cached outputs that come from it, and large outputs that no other has. */
export function deleteRunRows(db: SqliteConnection, runId: string): void {
  // Up to format 8 a cached output did not say whose it is: one that is equal to an output of the run is taken for its own.
  db.run(
    `DELETE FROM cache WHERE run_id IS NULL AND output IN (
       SELECT coalesce(output, value) FROM tasks LEFT JOIN blobs ON hash = output_blob WHERE run_id = ?)`,
    runId,
  );
  for (const table of tablesOfRuns) db.run(`DELETE FROM ${table} WHERE run_id = ?`, runId);
  db.run("DELETE FROM blobs WHERE NOT EXISTS (SELECT 1 FROM tasks WHERE output_blob = hash)");
}
