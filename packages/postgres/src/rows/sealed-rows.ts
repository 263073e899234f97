import {
  type ChainEnd,
  runColumns,
  runNotFound,
  type SealedRow,
  type SealedRun,
  taskColumns,
  taskKey,
} from "@planloom/runtime/journal-parts";
import type { Queryable } from "../connection/database.ts";
import { decodeText, encodeText } from "../connection/text.ts";
import { readRunRow } from "./runs.ts";

/** Columns whose texts are not JSON of ours, and so are stored with escapes. */
const escaped = new Set(["key", "base", "task_id", "input_hash", "uid", "skipped_because", "asked_hash"]);

/** Columns of each table that the checksums cover, in their order, and the order of its rows. */
const tables: Readonly<Record<string, { readonly columns: readonly string[]; readonly order?: string }>> = {
  plans: { columns: ["'' AS key", "plan", "options"] },
  plan_parts: { columns: ["part::text AS key", "tasks"], order: "part" },
  tasks: { columns: ["'' AS key", ...taskColumns], order: "number" },
  nested_tasks: { columns: ["key", "record"], order: "number" },
  answers: { columns: ["task_id AS key", "answer"], order: "number" },
  signals: { columns: ["id AS key", "signal"], order: "number" },
  revisions: { columns: ["patch_id AS key", "base", "revision"], order: "number" },
  replaced_tasks: { columns: ["task_id AS key"] },
  pending_usage: { columns: ["key", "pending"] },
  model_calls: { columns: ["'' AS key", "call"], order: "number" },
  events: { columns: ["'' AS key", "event"], order: "number" },
};

/**
 * All that is stored of a run, in the caller's transaction.
 * @param outputs whether large outputs are read, too. @throws RuntimeError RUN_NOT_FOUND
 */
export async function readSealedRun(
  on: Queryable,
  schema: string,
  runId: string,
  name: string,
  outputs: boolean,
): Promise<SealedRun> {
  const values = [encodeText(runId)];
  const row = await readRunRow(on, schema, runId);
  const [end] = await on.query<{ chain_length: number; chain_head: string; chain_key: string }>({
    text: `SELECT chain_length, chain_head, chain_key FROM ${schema}.heads WHERE run_id = $1`,
    values,
  });
  if (row === undefined || end === undefined) throw runNotFound(runId, name);
  const links = await on.query<SealedRow & object>({
    text: `SELECT link, entries, head FROM ${schema}.chain WHERE run_id = $1 ORDER BY link`,
    values,
  });
  const rows = new Map<string, SealedRow[]>();
  for (const [table, { columns, order }] of Object.entries(tables)) {
    const text = `SELECT ${columns.join(", ")} FROM ${schema}.${table} WHERE run_id = $1${order === undefined ? "" : ` ORDER BY ${order}`}`;
    const read = await on.query<Record<string, unknown>>({ text, values });
    rows.set(
      table,
      read.map((each) => decodedRow(table, each)),
    );
  }
  const large = outputs
    ? await on.query<Record<string, unknown>>({
        text: `SELECT task_id, output_blob, value FROM ${schema}.tasks LEFT JOIN ${schema}.blobs
          ON blobs.run_id = tasks.run_id AND blobs.hash = output_blob WHERE tasks.run_id = $1 AND output_blob IS NOT NULL`,
        values,
      })
    : [];
  return {
    runId,
    end: end satisfies ChainEnd,
    row: Object.fromEntries(runColumns.map((column) => [column, row[column]])),
    links: () => links,
    rows: (table) => rows.get(table) ?? [],
    outputs: () => large.map((each) => ({ ...each, task_id: decodeText(String(each.task_id)) })),
  };
}

function decodedRow(table: string, row: Record<string, unknown>): SealedRow {
  for (const [column, value] of Object.entries(row))
    if (escaped.has(column) && typeof value === "string") row[column] = decodeText(value);
  if (table === "tasks") row.key = taskKey(String(row.task_id), String(row.input_hash));
  return row;
}
