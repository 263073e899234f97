/** A table whose rows the checksums of a run cover. */
export interface SealedTable {
  readonly name: string;
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
    order: "keyed",
    describe: () => "the plan's own fields or the run's options",
  },
  {
    name: "plan_parts",
    order: "keyed",
    describe: (key) => `part ${Number(key) + 1} of the plan's tasks`,
  },
  {
    name: "tasks",
    order: "keyed",
    describe: (key) => `the record of task "${taskOfKey(key)}"`,
    taskOf: taskOfKey,
  },
  {
    name: "nested_tasks",
    order: "keyed",
    describe: (key) => `the record of nested task ${key}`,
    taskOf: firstOfPath,
  },
  {
    name: "answers",
    order: "appended",
    describe: (key) => `an answer to the approval gate of "${key}"`,
    taskOf: (key) => key,
  },
  {
    name: "signals",
    order: "appended",
    describe: (key) => `signal "${key}"`,
  },
  {
    name: "revisions",
    order: "appended",
    describe: (key) => `revision "${key}" of the plan`,
  },
  {
    name: "replaced_tasks",
    order: "unordered",
    describe: (key) => `the note that task "${key}" was replaced`,
    taskOf: (key) => key,
  },
  {
    name: "pending_usage",
    order: "unordered",
    describe: (key) => `the call under way of ${key}`,
    taskOf: firstOfPath,
  },
  {
    name: "model_calls",
    order: "appended",
    describe: () => "a model call",
  },
  {
    name: "events",
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
