import { planRevision } from "@planloom/plan";
import type { StoredRevision } from "@planloom/runtime";
import { parsePlanRow, replacedIds, revisionEntries, tasksAddedBy } from "@planloom/runtime/journal-parts";
import { decodeText, encodeText, keyOf } from "../connection/text.ts";
import type { LockedRun } from "./locked-run.ts";

/** The revision that the run's plan is at; the one it was begun with may be of an earlier run. */
export async function currentRevision(run: LockedRun): Promise<string> {
  const [last] = await run.query<{ patch_id: string }>(
    `SELECT patch_id FROM ${run.schema}.revisions WHERE run_id = $1 ORDER BY number DESC LIMIT 1`,
  );
  if (last !== undefined) return decodeText(last.patch_id);
  const [begun] = await run.query<{ plan: string }>(`SELECT plan FROM ${run.schema}.plans WHERE run_id = $1`);
  return begun === undefined ? "" : planRevision(parsePlanRow(begun.plan));
}

/** @param text the revision as JSON */
export async function insertRevision(run: LockedRun, revision: StoredRevision, text: string): Promise<void> {
  const { schema } = run;
  const { patch } = revision;
  await run.query(
    `INSERT INTO ${schema}.revisions (run_id, base, patch_id, revision) VALUES ($1, $2, $3, $4)`,
    encodeText(patch.base),
    encodeText(patch.patch_id),
    text,
  );
  const ids = replacedIds(patch);
  await run.query(
    `INSERT INTO ${schema}.replaced_tasks (run_id, task_key, task_id)
      SELECT $1, task_key, task_id FROM unnest($2::text[], $3::text[]) AS gone (task_key, task_id) ON CONFLICT DO NOTHING`,
    ids.map(keyOf),
    ids.map(encodeText),
  );
  run.seal(...revisionEntries(patch, text));
  await run.query(
    `UPDATE ${schema}.runs SET tasks = tasks + $2, updated_at = $3 WHERE run_id = $1`,
    tasksAddedBy(revision),
    new Date().toISOString(),
  );
  await run.sealRow(["tasks", "updated_at"]);
}
