import type { TaskData } from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { guardJournal } from "../edge/guard-journal.ts";
import { invalid } from "../invalid-option.ts";
import type { Journal, TaskRecord } from "../journal/journal.ts";

/** One task as it was executed. */
export interface RecordedTask {
  readonly id: string;
  /** Equal for tasks of the same resource. */
  readonly type: string;
  /** Seconds in its executor to the microsecond, all attempts together; 0 of a task that its condition left out. */
  readonly runtime: number;
  /** Ids of the tasks that it depended on. */
  readonly deps: readonly string[];
  /** Size of its output as JSON. */
  readonly outputBytes?: number;
  /** The prompt tokens of all its calls of models; absent where none were counted. */
  readonly promptTokens?: number;
}

/** Runs as a set of workloads, in the format `plan-workload/1` of the optimizer laboratory. Plain JSON. */
export interface RecordedWorkload {
  readonly format: "plan-workload/1";
  readonly name: string;
  readonly family: "recorded";
  readonly instances: readonly { readonly name: string; readonly tasks: readonly RecordedTask[] }[];
}

/**
 * Recorded runs as workloads: what depends on what, how long each task took, how large its output was and how many tokens it used. It holds no
 * input, output, description, error or time of day, and ids of tasks, resources and runs are numbers (`t1`, `c1`, `run-1`) unless `names` is
 * set. Runs that did not complete are passed over, since nobody knows how long their tasks would have taken; a nested plan is one task.
 * @param options.runs ids of runs, or the newest so many. @default 50
 * @param options.names keeps the ids of tasks, resources and runs. @default false
 * @returns the workloads, oldest run first, and how many runs were passed over.
 * @throws RuntimeError RUN_NOT_FOUND, INVALID_OPTION
 */
export async function recordedWorkload(
  given: Journal,
  options: {
    readonly runs?: number | readonly string[];
    readonly names?: boolean;
    readonly signal?: AbortSignal | undefined;
  } = {},
): Promise<{ readonly workload: RecordedWorkload; readonly passedOver: number }> {
  checkOptions("`recordedWorkload`", options, { runs: "own", names: "boolean", signal: "signal" });
  const { runs = 50, names = false, signal } = options;
  const isCount = Number.isInteger(runs) && Number(runs) >= 1;
  if (!isCount && !(Array.isArray(runs) && runs.every((id) => typeof id === "string"))) {
    throw invalid("runs", "an integer of at least 1 or a list of ids of runs", runs);
  }
  const journal = guardJournal(given);
  const ids =
    typeof runs === "number" ? (await journal.listRuns({ limit: runs })).map(({ run_id }) => run_id).reverse() : runs;
  const classes = new Map<string, string>();
  const instances: { name: string; tasks: RecordedTask[] }[] = [];
  let passedOver = 0;
  for (const id of ids) {
    signal?.throwIfAborted();
    const { plan, status } = await journal.getRun(id);
    const records = status === "completed" ? await journal.getTasks(id, { outputs: "small" }) : [];
    const tasks = recordedTasks(plan, records, names, classes);
    if (tasks === undefined) passedOver++;
    else instances.push({ name: names ? id : `run-${instances.length + 1}`, tasks });
  }
  return { workload: { format: "plan-workload/1", name: "recorded runs", family: "recorded", instances }, passedOver };
}

/** @returns `undefined` where a task has no record, or failed. */
function recordedTasks(
  plan: TaskData,
  records: readonly TaskRecord[],
  names: boolean,
  classes: Map<string, string>,
): RecordedTask[] | undefined {
  const recordOf = new Map(records.map((record) => [record.task_id, record]));
  const ids = new Map(plan.planned_tasks.map(({ task_id }, at) => [task_id, names ? task_id : `t${at + 1}`]));
  const tasks: RecordedTask[] = [];
  for (const { task_id, dependencies } of plan.planned_tasks) {
    const record = recordOf.get(task_id);
    if (record === undefined || (record.status !== "completed" && record.status !== "skipped")) return undefined;
    const { uid = "", duration_ms, output, output_bytes, usage } = record;
    if (!classes.has(uid)) classes.set(uid, names ? uid : `c${classes.size + 1}`);
    const bytes = output_bytes ?? (output === undefined ? undefined : Buffer.byteLength(JSON.stringify(output) ?? ""));
    tasks.push({
      id: ids.get(task_id)!,
      type: classes.get(uid)!,
      runtime: record.status === "skipped" ? 0 : Math.round(1000 * duration_ms) / 1e6,
      deps: dependencies.flatMap((id) => ids.get(id) ?? []),
      ...(bytes === undefined ? {} : { outputBytes: bytes }),
      ...(usage === undefined || usage.tokens === 0 ? {} : { promptTokens: usage.tokens }),
    });
  }
  return tasks.length === 0 ? undefined : tasks;
}
