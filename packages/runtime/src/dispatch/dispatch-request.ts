import type { PlannerTask, TaskData } from "@planloom/plan";
import type { RunState } from "../core/run-state.ts";
import { TaskState } from "../core/task-state.ts";
import type { Settings } from "../run-options.ts";
import type { TaskTable } from "../shell/task-table.ts";
import type { DispatchRequest } from "./dispatcher.ts";

/**
 * A plan of the open tasks of a subgraph alone. What they need of others goes along as completed tasks that hold nothing
 * but their output, so that references find their values.
 */
export function subPlan(plan: TaskData, open: readonly number[], state: RunState, table: TaskTable): TaskData {
  const { inPtr, in: sources } = state.view;
  const own = new Set(open);
  const needed = new Set<number>();
  for (const task of open) {
    for (let edge = inPtr[task]!; edge < inPtr[task + 1]!; edge++) {
      if (!own.has(sources[edge]!)) needed.add(sources[edge]!);
    }
  }
  const given = [...needed]
    .filter((task) => state.state[task] === TaskState.COMPLETED)
    .map((task): PlannerTask => {
      const planned = table.tasks[task]!;
      const bare = { arguments: {}, parameters: {}, convertor_code: null, dependencies: [] };
      return { ...planned, ...bare, status: "completed", output: table.outputs[task] };
    });
  const tasks = open.map((task): PlannerTask => ({ ...table.tasks[task]!, status: "pending" }));
  return { ...plan, planned_tasks: [...given, ...tasks], completed_tasks: [], output_data: {} };
}

export function requestSettings(settings: Settings): DispatchRequest["settings"] {
  const { taskTimeoutMs, retry, retryOn, onFailure, maxOutputBytes, abortGraceMs } = settings;
  return {
    task_timeout_ms: Number.isFinite(taskTimeoutMs) ? taskTimeoutMs : null,
    retry: retry ?? null,
    retry_on: retryOn ?? null,
    on_failure: onFailure,
    max_output_bytes: maxOutputBytes,
    abort_grace_ms: abortGraceMs,
  };
}
