import type { StoredRun } from "@planloom/runtime";
import {
  type ChainEntry,
  parseJson,
  planEntries,
  planFromRows,
  planHead,
  planParts,
} from "@planloom/runtime/journal-parts";
import type { Queryable } from "../connection/database.ts";
import { decodeText, encodeText } from "../connection/text.ts";
import { largeOutputs, type OutputReference, referenceOf, withOutputs, withoutOutputs } from "./given-outputs.ts";
import type { OutputCache } from "./output-cache.ts";

type Begun = Pick<StoredRun, "plan" | "options">;

/**
 * Writes the plan of a run and its options. A subgraph's plan names the large outputs that it is given, where the run that dispatched it has them; the row of such a plan is
 * a list of the plan without its tasks and of what it names. @returns what was written, for the chain
 */
export async function insertPlan(
  on: Queryable,
  schema: string,
  { run_id, plan, options }: StoredRun,
): Promise<ChainEntry[]> {
  const id = encodeText(run_id);
  const references = await referencesOf(on, schema, id, plan);
  const [bare, optionsText] = planHead(plan, options);
  const head = [references.length === 0 ? bare : `[${bare},${JSON.stringify(references)}]`, optionsText] as const;
  await on.query({
    text: `INSERT INTO ${schema}.plans (run_id, plan, options) VALUES ($1, $2, $3)`,
    values: [id, ...head],
  });
  const parts = [...planParts(withoutOutputs(plan, references))];
  await on.query({
    text: `INSERT INTO ${schema}.plan_parts (run_id, part, tasks)
      SELECT $1, part - 1, tasks FROM unnest($2::text[]) WITH ORDINALITY AS row (tasks, part)`,
    values: [id, parts],
  });
  return planEntries(head, parts);
}

/** @throws RuntimeError JOURNAL_CORRUPT */
export async function readPlan(on: Queryable, schema: string, runId: string, outputs: OutputCache): Promise<Begun> {
  const values = [encodeText(runId)];
  const [head] = await on.query<{ plan: string; options: string }>({
    text: `SELECT plan, options FROM ${schema}.plans WHERE run_id = $1`,
    values,
  });
  const rows = await on.query<{ tasks: string }>({
    text: `SELECT tasks FROM ${schema}.plan_parts WHERE run_id = $1 ORDER BY part`,
    values,
  });
  const parts = rows.map(({ tasks }) => tasks);
  if (head?.plan.startsWith("[") !== true) return planFromRows(head, parts);
  const [bare, references] = parseJson(head.plan) as readonly [object, readonly OutputReference[]];
  const begun = planFromRows({ ...head, plan: JSON.stringify(bare) }, parts);
  const [row] = await on.query<{ parent: string }>({
    text: `SELECT parent FROM ${schema}.dispatches WHERE run_id = $1`,
    values,
  });
  const texts = await outputs.read(on, decodeText(row?.parent ?? ""), references);
  return { ...begun, plan: withOutputs(begun.plan, references, texts) };
}

/** The large outputs of a subgraph's plan that the run which dispatched it has. */
async function referencesOf(on: Queryable, schema: string, id: string, plan: Begun["plan"]) {
  const large = largeOutputs(plan.planned_tasks);
  if (large.length === 0) return [];
  const rows = await on.query<{ hash: string }>({
    text: `SELECT hash FROM ${schema}.dispatches JOIN ${schema}.blobs ON blobs.run_id = dispatches.parent
      WHERE dispatches.run_id = $1 AND hash = ANY ($2::text[])`,
    values: [id, large.map(({ hash }) => hash)],
  });
  const there = new Set(rows.map(({ hash }) => hash));
  return large.filter(({ hash }) => there.has(hash)).map(referenceOf);
}
