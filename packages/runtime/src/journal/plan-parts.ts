import type { TaskData } from "@planloom/plan";
import type { StoredOptions } from "./journal.ts";
import { IllegibleRow, parsePlanRow, parseRecord, parseTasksRow } from "./legible.ts";
import { type ChainEntry, rowDigest } from "./run-chain.ts";

/**
 * Characters of tasks in one row; one larger task has a row of its own. A plan of 100,000 tasks is 40 MB of text, which a database
 * would hold several times over on its way into one row.
 */
const partLength = 64 * 1024;

/** The plan without its tasks, and the options of its run, as JSON. */
export function planHead(plan: TaskData, options: StoredOptions): readonly [plan: string, options: string] {
  return [JSON.stringify({ ...plan, planned_tasks: [] }), JSON.stringify(options)];
}

/** What the chain of a run gains with its plan. @param parts those of `planParts` */
export function planEntries(head: readonly [plan: string, options: string], parts: readonly string[]): ChainEntry[] {
  return [
    ["plans", "", rowDigest("plans", "", head)],
    ...parts.map((tasks, part): ChainEntry => {
      return ["plan_parts", String(part), rowDigest("plan_parts", String(part), [tasks])];
    }),
  ];
}

/**
 * A plan of its rows, and the options of its run. Up to format 7 of SQLite files the head contained the tasks.
 * @param parts lists of tasks as JSON, in their order. @throws RuntimeError JOURNAL_CORRUPT for what cannot be read
 */
export function planFromRows(
  head: { readonly plan: string; readonly options: string } | undefined,
  parts: Iterable<string>,
): { readonly plan: TaskData; readonly options: StoredOptions } {
  if (head === undefined) throw new IllegibleRow("nothing", "the plan of a run");
  const plan = parsePlanRow(head.plan);
  for (const tasks of parts) for (const task of parseTasksRow(tasks)) plan.planned_tasks.push(task);
  return { plan, options: parseRecord<StoredOptions>(head.options) };
}

/** The tasks of a plan as JSON lists, one a row. */
export function* planParts(plan: TaskData): Generator<string, void> {
  let texts: string[] = [];
  let length = 0;
  for (const task of plan.planned_tasks) {
    const text = JSON.stringify(task);
    if (length + text.length > partLength && texts.length > 0) {
      yield `[${texts.join(",")}]`;
      texts = [];
      length = 0;
    }
    texts.push(text);
    length += text.length;
  }
  if (texts.length > 0) yield `[${texts.join(",")}]`;
}
