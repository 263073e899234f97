import type { RunSummary, StoredRun } from "@planloom/runtime";
import {
  assembleRun,
  type ChainEntry,
  checkRunId,
  type ListedRow,
  newRunRow,
  parseRevision,
  type ReadListOptions,
  type RunRow,
  runNotFound,
  statusColumn,
  summaryOfRow,
} from "@planloom/runtime/journal-parts";
import type { Queryable } from "../connection/database.ts";
import { decodeText, encodeText } from "../connection/text.ts";
import { type Heads, judgedColumns } from "../heads.ts";
import type { OutputCache } from "./output-cache.ts";
import { insertPlan, readPlan } from "./stored-plan.ts";

interface StoredRunRow extends RunRow {
  readonly metadata: string | null;
}

/** The row of a run, undefined where there is none. */
export async function readRunRow(on: Queryable, schema: string, runId: string): Promise<StoredRunRow | undefined> {
  const text = `SELECT run_id, plan_id, title, tasks, status, created_at, updated_at, certificate, metadata FROM ${schema}.runs WHERE run_id = $1`;
  const [row] = await on.query<StoredRunRow>({ name: "run", text, values: [encodeText(runId)] });
  return row && { ...row, run_id: runId, plan_id: decodeText(row.plan_id), title: decodeText(row.title) };
}

/** @throws RuntimeError INVALID_OPTION for an invalid id, RUN_NOT_FOUND */
export async function requireRunRow(on: Queryable, schema: string, runId: string, name: string): Promise<StoredRunRow> {
  checkRunId(runId);
  const row = await readRunRow(on, schema, runId);
  if (row === undefined) throw runNotFound(runId, name);
  return row;
}

/** In one state of the database. @throws as `requireRunRow`; RuntimeError JOURNAL_CORRUPT */
export async function readStoredRun(
  on: Queryable,
  schema: string,
  runId: string,
  name: string,
  outputs: OutputCache,
): Promise<StoredRun> {
  const row = await requireRunRow(on, schema, runId, name);
  const begun = await readPlan(on, schema, runId, outputs);
  const revisions = await on.query<{ revision: string }>({
    text: `SELECT revision FROM ${schema}.revisions WHERE run_id = $1 ORDER BY number`,
    values: [encodeText(runId)],
  });
  return assembleRun(
    name,
    row,
    begun,
    revisions.map(({ revision }) => parseRevision(revision)),
  );
}

/** The row of a run and its plan. @returns what was written of the plan, for the chain */
export async function insertRun(on: Queryable, schema: string, run: StoredRun): Promise<ChainEntry[]> {
  const [runId, planId, title, tasks, status, created, updated, metadata, tenant] = newRunRow(run);
  const id = encodeText(runId);
  await on.query({
    text: `INSERT INTO ${schema}.runs (run_id, plan_id, title, tasks, status, created_at, updated_at, metadata, tenant)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    values: [
      ...[id, encodeText(planId), encodeText(title), tasks, status, created, updated, metadata],
      tenant === null ? null : encodeText(tenant),
    ],
  });
  return insertPlan(on, schema, run);
}

/** The runs that dispatched subgraphs are belong to their run: they are not listed, and are deleted with it. */
function isNoSubgraph(schema: string, runs: string): string {
  return `NOT EXISTS (SELECT 1 FROM ${schema}.dispatches WHERE dispatches.run_id = ${runs}.run_id)`;
}

/** Ids that begin so, in their order. */
export async function findRunIds(on: Queryable, schema: string, prefix: string, limit: number): Promise<string[]> {
  const text = `SELECT run_id FROM ${schema}.runs WHERE starts_with(run_id, $1) AND run_id >= $1
    AND ${isNoSubgraph(schema, "runs")} ORDER BY run_id LIMIT $2`;
  const rows = await on.query<{ run_id: string }>({ text, values: [encodeText(prefix), limit] });
  return rows.map(({ run_id }) => decodeText(run_id));
}

type HeldRow = ListedRow & Parameters<Heads["judge"]>[0];

/** How many rows are read at once: more than a page has, since some may not match. */
const batchRows = 200;

/** Newest first. Postgres filters by what has a column; the rest is compared row by row, and tasks are counted only for runs that match. */
export async function readRunList(
  on: Queryable,
  schema: string,
  heads: Heads,
  options: ReadListOptions,
): Promise<RunSummary[]> {
  const { limit, matches } = options;
  const runs: Omit<RunSummary, "completed" | "failed">[] = [];
  let { before } = options;
  for (let isLast = limit === 0; !isLast; ) {
    const rows = await on.query<HeldRow>(listStatement(schema, { ...options, before }));
    isLast = rows.length < batchRows;
    for (const row of rows) {
      if (runs.length >= limit) break;
      const summary = summaryOf(row, heads);
      if (matches(summary)) runs.push(summary);
    }
    const last = rows.at(-1);
    if (last === undefined || runs.length >= limit) break;
    before = { createdAt: last.created_at, number: last.number };
  }
  const counts = await countTasks(
    on,
    schema,
    runs.map(({ run_id }) => run_id),
  );
  return runs.map((run) => ({ ...run, ...(counts.get(run.run_id) ?? { completed: 0, failed: 0 }) }));
}

function summaryOf(row: HeldRow, heads: Heads): Omit<RunSummary, "completed" | "failed"> {
  const { run_id, plan_id, title, tenant } = row;
  const decoded = { run_id: decodeText(run_id), plan_id: decodeText(plan_id), title: decodeText(title) };
  return summaryOfRow(
    { ...row, ...decoded, tenant: tenant === null ? null : decodeText(tenant) },
    () => heads.judge(row) !== undefined,
  );
}

function listStatement(schema: string, options: ReadListOptions) {
  const { before, statuses, planId, tenant, createdAfter, createdBefore, updatedAfter, updatedBefore } = options;
  const conditions: string[] = [isNoSubgraph(schema, "runs")];
  const values: unknown[] = [];
  const where = (condition: (place: string) => string, value: unknown) => {
    if (value !== undefined) conditions.push(condition(`$${values.push(value)}`));
  };
  if (before !== undefined) {
    values.push(before.createdAt, before.number);
    conditions.push("(runs.created_at, runs.number) < ($1, $2)");
  }
  where((place) => `runs.plan_id = ${place}`, planId === undefined ? undefined : encodeText(planId));
  if (tenant === null) conditions.push("runs.tenant IS NULL");
  else
    where(
      (place) => `left(runs.tenant, 200) = left(${place}, 200) AND runs.tenant = ${place}`,
      tenant === undefined ? undefined : encodeText(tenant),
    );
  where((place) => `runs.created_at >= ${place}`, createdAfter);
  where((place) => `runs.created_at < ${place}`, createdBefore);
  where((place) => `runs.updated_at >= ${place}`, updatedAfter);
  where((place) => `runs.updated_at < ${place}`, updatedBefore);
  where((place) => `runs.status = ANY (${place}::text[])`, statusColumn(statuses));
  const filter = `WHERE ${conditions.join(" AND ")}`;
  const text = `WITH page AS MATERIALIZED (
      SELECT * FROM ${schema}.runs ${filter} ORDER BY runs.created_at DESC, runs.number DESC LIMIT ${batchRows}
    ) SELECT page.number, page.run_id, plan_id, title, tasks, status, created_at, updated_at, metadata, tenant, ${judgedColumns(schema, "heads")}
    FROM page LEFT JOIN ${schema}.heads AS heads ON heads.run_id = page.run_id AND page.status = 'running'
    LEFT JOIN ${schema}.presences USING (presence) ORDER BY page.created_at DESC, page.number DESC`;
  return { text, values };
}

/** Tasks by status, without those that a revision has replaced. */
async function countTasks(on: Queryable, schema: string, runIds: readonly string[]) {
  if (runIds.length === 0) return new Map<string, { completed: number; failed: number }>();
  const text = `SELECT run_id, (count(DISTINCT task_key) FILTER (WHERE status = 'completed')) AS completed,
      (count(DISTINCT task_key) FILTER (WHERE status = 'failed')) AS failed FROM ${schema}.tasks
    WHERE run_id = ANY ($1::text[]) AND NOT EXISTS (SELECT 1 FROM ${schema}.replaced_tasks AS gone
      WHERE gone.run_id = tasks.run_id AND gone.task_key = tasks.task_key) GROUP BY run_id`;
  const rows = await on.query<{ run_id: string; completed: number; failed: number }>({
    text,
    values: [runIds.map(encodeText)],
  });
  return new Map(rows.map(({ run_id, completed, failed }) => [decodeText(run_id), { completed, failed }] as const));
}

const tablesOfRuns = [
  "tasks",
  "blobs",
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
  "cache",
  "orphans",
  "heads",
  "runs",
] as const;

/** In the caller's transaction: every row of the run, and of the runs that its dispatched subgraphs are. @returns the runs that are gone */
export async function deleteRunRows(on: Queryable, schema: string, runId: string): Promise<string[]> {
  const text = `DELETE FROM ${schema}.dispatches WHERE parent = $1 RETURNING run_id`;
  const subgraphs = await on.query<{ run_id: string }>({ text, values: [encodeText(runId)] });
  const gone = [encodeText(runId), ...subgraphs.map(({ run_id }) => run_id)];
  for (const table of tablesOfRuns)
    await on.query({ text: `DELETE FROM ${schema}.${table} WHERE run_id = ANY ($1::text[])`, values: [gone] });
  return gone.map(decodeText);
}

/** The tables of which a deleted run leaves many rows. */
const vacuumed = [
  "runs",
  "heads",
  "chain",
  "plans",
  "plan_parts",
  "tasks",
  "blobs",
  "nested_tasks",
  "events",
  "model_calls",
  "cache",
];

/** The statement that marks the space of deleted rows as free. */
export function vacuumText(schema: string): string {
  return `VACUUM ${vacuumed.map((table) => `${schema}.${table}`).join(", ")}`;
}
