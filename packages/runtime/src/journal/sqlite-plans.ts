import type { TaskData } from "@planloom/plan";
import { replacedIds, type StoredRevision, tasksAddedBy } from "../ports/stored-revision.ts";
import type { StoredOptions } from "./journal.ts";
import { parseRevision } from "./legible.ts";
import { planEntries, planFromRows, planHead, planParts } from "./plan-parts.ts";
import { revisionEntries } from "./revision-entries.ts";
import type { ChainEntry } from "./run-chain.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** In the caller's transaction: the plan without its tasks, and these in parts. @returns what was written, for the chain */
export function insertPlan(db: SqliteConnection, runId: string, plan: TaskData, options: StoredOptions): ChainEntry[] {
  const text = "INSERT INTO plans (run_id, plan, options) VALUES (?, ?, ?)";
  const head = planHead(plan, options);
  db.run(text, runId, ...head);
  const parts = [...planParts(plan)];
  for (const [part, tasks] of parts.entries())
    db.run("INSERT INTO plan_parts (run_id, part, tasks) VALUES (?, ?, ?)", runId, part, tasks);
  return planEntries(head, parts);
}

/** The plan as the run was begun with it. */
export function readPlan(db: SqliteConnection, runId: string): { plan: TaskData; options: StoredOptions } {
  const row = db.get("SELECT plan, options FROM plans WHERE run_id = ?", runId) as
    | { readonly plan: string; readonly options: string }
    | undefined;
  const parts = db.each("SELECT tasks FROM plan_parts WHERE run_id = ? ORDER BY part", runId);
  return planFromRows(row, textsOf(parts));
}

function* textsOf(rows: Iterable<{ readonly tasks?: unknown }>): Generator<string, void> {
  for (const { tasks } of rows) yield String(tasks);
}

/** Oldest first. */
export function readRevisions(db: SqliteConnection, runId: string): StoredRevision[] {
  const rows = db.all("SELECT revision FROM revisions WHERE run_id = ? ORDER BY rowid", runId);
  return rows.map(({ revision }) => parseRevision(String(revision)));
}

/** Empty for the plan as it was begun. */
export function lastRevision(db: SqliteConnection, runId: string): string {
  const row = db.get("SELECT patch_id FROM revisions WHERE run_id = ? ORDER BY rowid DESC LIMIT 1", runId);
  return String(row?.patch_id ?? "");
}

/** The revision that the run's plan is at; the one it was begun with may be of an earlier run. */
export function currentRevision(db: SqliteConnection, runId: string): string {
  const last = lastRevision(db, runId);
  if (last !== "") return last;
  const text = "SELECT coalesce(json_extract(plan, '$.metadata.revision'), '') AS revision FROM plans WHERE run_id = ?";
  return String(db.get(text, runId)?.revision ?? "");
}

/** @param text the revision as JSON. @returns what was written, for the chain; the row of the run has changed, too */
export function insertRevision(
  db: SqliteConnection,
  runId: string,
  { patch }: StoredRevision,
  text: string,
): ChainEntry[] {
  const insert = "INSERT INTO revisions (run_id, base, patch_id, revision) VALUES (?, ?, ?, ?)";
  db.run(insert, runId, patch.base, patch.patch_id, text);
  const replace = "INSERT OR IGNORE INTO replaced_tasks (run_id, task_id) VALUES (?, ?)";
  for (const id of replacedIds(patch)) db.run(replace, runId, id);
  const now = new Date().toISOString();
  const update = "UPDATE runs SET tasks = tasks + ?, updated_at = ? WHERE run_id = ?";
  db.run(update, tasksAddedBy({ patch }), now, runId);
  return revisionEntries(patch, text);
}
