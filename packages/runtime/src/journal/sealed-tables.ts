/** A table whose rows the checksums of a run cover. */
export interface SealedTable {
  readonly name: string;
  /** Gives `key` and the values that are covered, for one run id, in the order in which they were written. */
  readonly rows: string;
  /** `appended`: rows are only ever added. `keyed`: a later row of a key replaces the one before. `unordered`: likewise, and the order is the store's own. */
  readonly order: "appended" | "keyed" | "unordered";
  /** The row of this key, for people. */
  describe(key: string): string;
  /** The task that a row is about. */
  taskOf?(key: string): string | undefined;
}

/** Columns of `runs` that are covered, each by itself, so that a message can name it. */
export const runColumns = [
  "plan_id",
  "title",
  "tasks",
  "status",
  "created_at",
  "updated_at",
  "certificate",
  "metadata",
] as const;

/** Columns of `tasks` that are covered, in the order in which they are hashed. */
export const taskColumns = [
  "task_id",
  "input_hash",
  "status",
  "uid",
  "attempts",
  "started_at",
  "duration_ms",
  "skipped_because",
  "input",
  "output",
  "output_blob",
  "error",
  "usage",
  "timing",
  "asked_hash",
  "question",
] as const;

/** Key of a row of `tasks`: one task may have records of several inputs. */
export function taskKey(taskId: string, inputHash: string): string {
  return `${inputHash.slice(0, 12)} ${taskId}`;
}

const taskOfKey = (key: string) => key.slice(key.indexOf(" ") + 1);

export const sealedTables: readonly SealedTable[] = [
  {
    name: "plans",
    rows: "SELECT '' AS key, plan, options FROM plans WHERE run_id = ?",
    order: "keyed",
    describe: () => "the plan's own fields or the run's options",
  },
  {
    name: "plan_parts",
    rows: "SELECT CAST(part AS TEXT) AS key, tasks FROM plan_parts WHERE run_id = ? ORDER BY part",
    order: "keyed",
    describe: (key) => `part ${Number(key) + 1} of the plan's tasks`,
  },
  {
    name: "tasks",
    rows: `SELECT substr(input_hash, 1, 12) || ' ' || task_id AS key, ${taskColumns.join(", ")} FROM tasks WHERE run_id = ? ORDER BY rowid`,
    order: "keyed",
    describe: (key) => `the record of task "${taskOfKey(key)}"`,
    taskOf: taskOfKey,
  },
  {
    name: "nested_tasks",
    rows: "SELECT key, record FROM nested_tasks WHERE run_id = ? ORDER BY rowid",
    order: "keyed",
    describe: (key) => `the record of nested task ${key}`,
    taskOf: firstOfPath,
  },
  {
    name: "answers",
    rows: "SELECT coalesce(iif(json_valid(answer), json_extract(answer, '$.task_id'), ''), '') AS key, answer FROM answers WHERE run_id = ? ORDER BY rowid",
    order: "appended",
    describe: (key) => `an answer to the approval gate of "${key}"`,
    taskOf: (key) => key,
  },
  {
    name: "signals",
    rows: "SELECT id AS key, signal FROM signals WHERE run_id = ? ORDER BY rowid",
    order: "appended",
    describe: (key) => `signal "${key}"`,
  },
  {
    name: "revisions",
    rows: "SELECT patch_id AS key, base, revision FROM revisions WHERE run_id = ? ORDER BY rowid",
    order: "appended",
    describe: (key) => `revision "${key}" of the plan`,
  },
  {
    name: "replaced_tasks",
    rows: "SELECT task_id AS key FROM replaced_tasks WHERE run_id = ?",
    order: "unordered",
    describe: (key) => `the note that task "${key}" was replaced`,
    taskOf: (key) => key,
  },
  {
    name: "pending_usage",
    rows: "SELECT key, pending FROM pending_usage WHERE run_id = ?",
    order: "unordered",
    describe: (key) => `the call under way of ${key}`,
    taskOf: firstOfPath,
  },
  {
    name: "model_calls",
    rows: "SELECT '' AS key, call FROM model_calls WHERE run_id = ? ORDER BY rowid",
    order: "appended",
    describe: () => "a model call",
  },
  {
    name: "events",
    rows: "SELECT '' AS key, event FROM events WHERE run_id = ? ORDER BY rowid",
    order: "appended",
    describe: () => "an event",
  },
];

/** Keys of nested records are lists of ids as JSON, the outermost first. */
function firstOfPath(key: string): string | undefined {
  try {
    const [first] = JSON.parse(key) as unknown[];
    return typeof first === "string" ? first : undefined;
  } catch {
    return undefined;
  }
}
