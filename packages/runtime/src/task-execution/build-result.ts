import type { PlannerTask, PlanView, TaskData } from "@planloom/plan";
import { storedQuestion } from "../approvals/question.ts";
import type { RunState } from "../core/run-state.ts";
import { TaskState } from "../core/task-state.ts";
import type { EndReason } from "../events.ts";
import { outputNames } from "../ports/plan-outputs.ts";
import type { RunResult, TaskResult, Usage } from "../run-result.ts";
import { TaskErrorCode } from "../task-error.ts";
import { certify } from "./certificate.ts";
import type { TaskTable } from "./task-table.ts";

export interface ResultParts {
  readonly runId: string;
  readonly plan: TaskData;
  readonly view: PlanView;
  /** Number in the run of each task, in plan order. @default their places in the plan */
  readonly numbers: readonly number[] | undefined;
  readonly state: RunState;
  readonly table: TaskTable;
  readonly endReason: EndReason;
  readonly achievedMs: number;
  readonly usage: Usage;
  /** Id of each task's subgraph, where there is a grouping. */
  readonly subgraphOf: ReadonlyMap<string, string>;
  /** Of a task in which something waits. */
  contentHash(task: number): string;
}

/** Puts the result together; the plan handed in is not touched. */
export function buildResult(parts: ResultParts): RunResult {
  const { runId, plan, view, numbers, state, table, endReason, achievedMs, usage } = parts;
  const now = new Date().toISOString();
  const results: TaskResult[] = [];
  const tasks: PlannerTask[] = [];
  const completed: string[] = [];
  const outputs: [string, unknown][] = [];
  const stored: string[] = [];
  const namesOf = outputNames(plan, view);
  for (let place = 0; place < view.n; place++) {
    const number = numbers?.[place] ?? place;
    const task = table.tasks[number]!;
    const made = taskResult(number, state, table, parts.subgraphOf.get(task.task_id));
    const waits = made.status === "waiting_approval" && made.content_hash === undefined;
    const result = waits ? { ...made, content_hash: parts.contentHash(number) } : made;
    results.push(result);
    if (result.status === "completed") {
      completed.push(task.task_id);
      const isStored = result.output_bytes !== undefined;
      if (isStored) stored.push(task.task_id);
      const done: PlannerTask = { ...task, status: "completed", last_update_time: now };
      if (!isStored) done.output = result.output;
      tasks.push(done);
      if (!isStored) for (const name of namesOf(task, place)) outputs.push([name, result.output]);
    } else tasks.push({ ...task, status: result.status, last_update_time: now });
  }
  // In the order in which the plan names them, else in plan order.
  const named = plan.outputs === undefined ? outputs : inOrderOf(Object.keys(plan.outputs), new Map(outputs));
  // fromEntries defines own properties of any name, also `__proto__`.
  const outputData: Record<string, unknown> = Object.fromEntries(named);
  return {
    run_id: runId,
    end_reason: endReason,
    plan: {
      ...plan,
      planned_tasks: tasks,
      completed_tasks: completed,
      output_data: outputData,
      status: planStatus[endReason],
      update_time: now,
    },
    results,
    output_data: outputData,
    ...(stored.length > 0 && { stored_outputs: stored }),
    certificate: certify(state, table, achievedMs),
    usage,
  };
}

function inOrderOf(names: readonly string[], outputs: ReadonlyMap<string, unknown>): [string, unknown][] {
  return names.flatMap((name) => (outputs.has(name) ? [[name, outputs.get(name)]] : []));
}

const planStatus = {
  completed: "done",
  failed: "failed",
  cancelled: "cancelled",
  drained: "in_progress",
  shut_down: "in_progress",
  waiting_approval: "in_progress",
  waiting: "in_progress",
  budget: "failed",
  denied: "cancelled",
  round_limit: "failed",
  stalled: "failed",
} as const satisfies Record<EndReason, TaskData["status"]>;

const statusOf: Readonly<Record<number, TaskResult["status"]>> = {
  [TaskState.WAITING]: "pending",
  [TaskState.READY]: "pending",
  [TaskState.DELAYED]: "pending",
  [TaskState.GATED]: "waiting_approval",
  [TaskState.ASLEEP]: "waiting",
  [TaskState.COMPLETED]: "completed",
  [TaskState.FAILED]: "failed",
  [TaskState.SKIPPED]: "skipped",
};

/** The result of one task as far as it is known. */
export function taskResult(
  number: number,
  state: RunState,
  table: TaskTable,
  subgraph: string | undefined,
): TaskResult {
  const status = statusOf[state.state[number]!] ?? "cancelled";
  const step = table.prepared[number]?.step;
  const question = status === "waiting_approval" ? table.questions.get(number) : undefined;
  const input = step?.input_data ?? question?.input;
  const uid = step?.uid ?? question?.uid ?? table.uids[number];
  const error = table.errors[number];
  const blame = state.blame[number]!;
  const started = table.startedMs[number]!;
  const attempts = state.attempts[number]!;
  const result: { -readonly [Key in keyof TaskResult]: TaskResult[Key] } = {
    task_id: table.tasks[number]!.task_id,
    status,
    attempts: Number.isNaN(started) ? 0 : attempts,
    started_ms: Number.isNaN(started) ? 0 : started,
    duration_ms: table.durationMs[number]!,
  };
  if (uid !== undefined) result.uid = uid;
  if (input !== undefined) result.input = input;
  if (step?.plan !== undefined) result.plan = step.plan;
  const storedBytes = table.outputs.storedBytes(number);
  if (status === "completed" && storedBytes !== undefined) result.output_bytes = storedBytes;
  else if (status === "completed") result.output = table.outputs.get(number);
  else if (error !== undefined) result.error = error;
  if (status === "skipped" && blame !== -1 && blame !== number) result.skipped_because = table.tasks[blame]!.task_id;
  if (table.recorded[number] === 1) result.recorded = true;
  const elements = table.elements.get(number);
  if (elements !== undefined) result.elements = elements.counts;
  if (table.cached.has(number)) result.cached = true;
  const wait = status === "waiting" ? table.sleeping.get(number) : undefined;
  if (wait !== undefined) result.wait = wait;
  if (subgraph !== undefined) result.subgraph_id = subgraph;
  if (question !== undefined && error?.code !== TaskErrorCode.WAITING) {
    result.content_hash = question.content_hash;
    result.question = storedQuestion(question);
  }
  return result;
}
