import { isRecord, type PlannerTask, readElementId, readTime, resolveReferences } from "@planloom/plan";
import type { NestedRecord, TaskRecord } from "../../journal/journal.ts";
import type { StoredSignal } from "../../journal/stored-wait.ts";
import type { VerifyProblem } from "../verify-problem.ts";
import type { RecordedFlow } from "./check-branches.ts";
import { isSameJson } from "./same-json.ts";

/** Statuses of runs in which a wait may not be over yet. */
const mayWait: ReadonlySet<string> = new Set(["running", "waiting", "waiting_approval", "interrupted"]);

/**
 * Whether waits for a time lasted as the plan asks: until the very time, or for as long from the beginning of the run and of the waits before them; and none ended
 * after its run did. All of these are times of the wall clock; those of tasks are by another clock, and are not compared with them. A fork has waits of another run.
 */
export function checkWaits(
  { run, tasks, records, lookup }: RecordedFlow,
  dependencies: readonly (readonly string[])[],
): VerifyProblem[] {
  const isFork = run.options.metadata?.forked_from !== undefined;
  const beganMs = isFork ? Number.NEGATIVE_INFINITY : Date.parse(run.created_at);
  const endedMs = mayWait.has(run.status) ? Number.POSITIVE_INFINITY : Date.parse(run.updated_at);
  if (!tasks.some(({ wait }) => wait !== undefined)) return [];
  const problems: VerifyProblem[] = [];
  /** When all waits before a task were over. */
  const beforeMs = new Float64Array(tasks.length).fill(beganMs);
  for (const [number, dependents] of inOrder(tasks, dependencies)) {
    const task = tasks[number]!;
    const record = records.get(task.task_id);
    const waited = record?.status === "completed" ? waitedUntil(task, record) : undefined;
    let overMs = beforeMs[number]!;
    if (waited !== undefined) {
      const problem = waitProblem(task, waited, { beforeMs: overMs, endedMs }, lookup);
      if (problem !== undefined) problems.push({ code: "wait_wrong", task_id: task.task_id, message: problem });
      else overMs = Math.max(overMs, waited);
    }
    for (const next of dependents) beforeMs[next] = Math.max(beforeMs[next]!, overMs);
  }
  return problems;
}

/** Each task with what depends on it, after all that it depends on. O(tasks + dependencies) */
function* inOrder(
  tasks: readonly PlannerTask[],
  dependencies: readonly (readonly string[])[],
): Generator<readonly [number: number, dependents: readonly number[]]> {
  const numberOf = new Map(tasks.map(({ task_id }, number) => [task_id, number]));
  const dependents: number[][] = tasks.map(() => []);
  const missing = new Int32Array(tasks.length);
  for (const [number, needed] of dependencies.entries()) {
    for (const id of new Set(needed)) {
      const source = numberOf.get(id);
      if (source === undefined) continue;
      dependents[source]!.push(number);
      missing[number]!++;
    }
  }
  const free = tasks.flatMap((_, number) => (missing[number] === 0 ? [number] : []));
  for (const number of free) {
    yield [number, dependents[number]!];
    for (const next of dependents[number]!) if (--missing[next]! === 0) free.push(next);
  }
}

/** Milliseconds since the epoch; undefined for a task that does not wait for a time. */
function waitedUntil({ wait, for_each }: PlannerTask, { output }: TaskRecord): number | undefined {
  if (wait === undefined || wait.event !== undefined || for_each !== undefined) return undefined;
  const text = isRecord(output) ? output.waited_until : undefined;
  return typeof text === "string" ? Date.parse(text) : Number.NaN;
}

function waitProblem(
  { task_id, wait }: PlannerTask,
  waited: number,
  { beforeMs, endedMs }: { readonly beforeMs: number; readonly endedMs: number },
  lookup: RecordedFlow["lookup"],
): string | undefined {
  if (Number.isNaN(waited)) return `"${task_id}" waits for a time, and its output does not say which.`;
  if (waited > endedMs) return `The run ended, and "${task_id}" was to wait until ${new Date(waited).toISOString()}.`;
  const asked = resolved(wait!.until ?? wait!.for_ms, lookup);
  if (wait!.until !== undefined) {
    const until = typeof asked === "string" ? readTime(asked) : undefined;
    if (until === undefined || until === waited) return undefined;
    return `"${task_id}" was to wait until ${new Date(until).toISOString()}, and waited until ${new Date(waited).toISOString()}.`;
  }
  const forMs = typeof asked === "string" ? Number(asked) : asked;
  if (typeof forMs !== "number" || Number.isNaN(forMs) || waited >= beforeMs + forMs) return undefined;
  return `"${task_id}" was to wait for ${forMs} ms, and waited until ${new Date(waited).toISOString()}, which is less after what comes before it.`;
}

function resolved(value: unknown, lookup: RecordedFlow["lookup"]): unknown {
  try {
    return resolveReferences(value, lookup);
  } catch {
    return undefined;
  }
}

/**
 * Whether each signal was taken by one wait, which waited for it, and each wait for a signal gave what a signal said, or what the plan has for a deadline that passes.
 * O(signals + tasks + elements)
 */
export function checkSignals(
  { run, tasks, records, lookup }: RecordedFlow,
  nested: readonly NestedRecord[],
  signals: readonly StoredSignal[],
): VerifyProblem[] {
  const problems: VerifyProblem[] = [];
  const takenBy = new Map<string, StoredSignal>();
  const planned = new Map(tasks.map((task) => [task.task_id, task]));
  for (const signal of signals) {
    const { id, event, taken_by } = signal;
    if (taken_by === undefined) continue;
    const other = takenBy.get(taken_by);
    takenBy.set(taken_by, signal);
    if (other !== undefined)
      problems.push(wrong(taken_by, `"${taken_by}" took two signals, "${other.id}" and "${id}".`));
    const wait = planned.get(readElementId(taken_by)?.taskId ?? taken_by)?.wait;
    const asked = wait?.event === undefined ? undefined : resolved(wait.event, lookup);
    if (typeof asked === "string" && asked !== event)
      problems.push(wrong(taken_by, `"${taken_by}" waits for "${asked}", and took the signal "${id}" of "${event}".`));
  }
  // A fork kept what the signals of another run said.
  if (run.options.metadata?.forked_from !== undefined) return problems;
  const completed = (id: string, record: TaskRecord | undefined, { wait }: PlannerTask) => {
    if (record?.status !== "completed" || wait?.event === undefined) return;
    const signal = takenBy.get(id);
    if (signal !== undefined && isSameJson(signal.data, record.output)) return;
    if (signal === undefined && typeof wait.on_deadline === "object") return;
    const why =
      signal === undefined ? "no signal was taken by it" : `the signal "${signal.id}" that it took says something else`;
    problems.push(wrong(id, `"${id}" is completed, and ${why}.`));
  };
  for (const task of tasks) if (task.for_each === undefined) completed(task.task_id, records.get(task.task_id), task);
  for (const { path, record } of nested) {
    const list = path.length === 1 ? planned.get(path[0]!) : undefined;
    if (
      list?.for_each !== undefined &&
      list.for_each.tasks === undefined &&
      readElementId(record.task_id)?.taskId === list.task_id
    )
      completed(record.task_id, record, list);
  }
  return problems;
}

function wrong(task_id: string, message: string): VerifyProblem {
  return { code: "signal_wrong", task_id, message };
}
