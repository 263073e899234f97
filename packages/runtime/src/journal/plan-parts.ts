import type { TaskData } from "@planloom/plan";
import type { StoredOptions } from "./journal.ts";

/**
 * Characters of tasks in one row; one larger task has a row of its own. A plan of 100,000 tasks is 40 MB of text, which a database
 * would hold several times over on its way into one row.
 */
const partLength = 64 * 1024;

/** The plan without its tasks, and the options of its run, as JSON. */
export function planHead(plan: TaskData, options: StoredOptions): readonly [plan: string, options: string] {
  return [JSON.stringify({ ...plan, planned_tasks: [] }), JSON.stringify(options)];
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
