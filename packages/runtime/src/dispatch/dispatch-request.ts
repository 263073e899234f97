import {
  delegates,
  hasInnerTasks,
  isDecidedByConditions,
  type PlannerTask,
  resourcePin,
  type TaskData,
  withInnerTasks,
} from "@planloom/plan";
import { callKinds } from "../call-kinds.ts";
import { ConfirmPolicy } from "../confirm.ts";
import type { RunState } from "../core/run-state.ts";
import { TaskState } from "../core/task-state.ts";
import { nestedWithin } from "../nested-keeping.ts";
import { workerFields } from "../options/run/worker-fields.ts";
import type { ShellParts } from "../task-execution/shell-parts.ts";
import type { TaskTable } from "../task-execution/task-table.ts";
import type { DispatchRequest } from "./port/dispatcher.ts";

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
      const { for_each: _, when: __, join: ___, choose: ____, ...planned } = table.tasks[task]!;
      const bare = { arguments: {}, parameters: {}, convertor_code: null, dependencies: [] };
      return { ...planned, ...bare, status: "completed", output: table.outputs.get(task) };
    });
  const there = new Set([...given.map(({ task_id }) => task_id), ...open.map((task) => table.tasks[task]!.task_id)]);
  const tasks = open.map((task): PlannerTask => {
    const planned = table.tasks[task]!;
    // Only a task that does without some of what it depends on is dispatched while that is not completed.
    const dependencies = planned.dependencies.filter((id) => there.has(id));
    return {
      ...planned,
      ...(dependencies.length < planned.dependencies.length && { dependencies }),
      status: "pending",
    };
  });
  // What the whole plan gives may be outputs of tasks that are elsewhere.
  const { outputs: _, ...rest } = plan;
  return { ...rest, planned_tasks: [...given, ...tasks], completed_tasks: [], output_data: {} };
}

/** What a dispatcher gets in addition to the plan. */
export function requestRest(
  parts: ShellParts,
  open: readonly number[],
): Pick<DispatchRequest, "settings" | "approval" | "nested" | "lost_tasks" | "usage" | "asked" | "begun"> {
  const { settings, admission, cache, table, state, approvals, nestedRecords, lostTasks, earlier, begun, host } = parts;
  const ids = new Set(open.map((task) => state.view.ids[task] ?? ""));
  const { confirm } = settings;
  const gated =
    confirm !== "never" ||
    settings.approval.resources.length > 0 ||
    withInnerTasks(open.map((task) => table.tasks[task]!)).some(({ approval }) => approval);
  // The hash is how the elements that were completed are found again, also where another dispatcher executes the others.
  const hasLists = open.some((task) => table.tasks[task]!.for_each !== undefined);
  const usage = open.flatMap((task) => {
    const used = table.usage.get(task);
    return used === undefined ? [] : [[state.view.ids[task] ?? "", used] as const];
  });
  return {
    settings: {
      ...workerFields(settings),
      task_timeout_given: settings.taskTimeoutGiven,
      tells_errors: settings.onError !== undefined,
      takes_signals: host.waits.takesSignals,
      elements_at_once: finite(settings.concurrency),
      counts_usage: admission.paysForModelCalls,
      learns: admission.learns,
      asks:
        asksPeople(parts, open) ||
        mayWait(parts, open) ||
        cache !== undefined ||
        host.secrets !== undefined ||
        limitsCalls(settings) ||
        admission.shared !== undefined,
      cache: cache === undefined ? null : { resources: [...cache.resources], max_age_ms: finite(cache.maxAgeMs) },
    },
    approval: {
      resources: settings.approval.resources,
      ...(settings.approval.allow.length > 0 && { allow: settings.approval.allow }),
      // A function stays in its process, and so do the calls then.
      ...(confirm !== "never" && { confirm: typeof confirm === "function" ? ("writes" as const) : confirm }),
      answers: approvals.answers.all(),
      expires_after_ms: finite(settings.approval.expiresAfterMs),
      content_hashes:
        gated || cache !== undefined || hasLists
          ? Object.fromEntries(open.map((task) => [state.view.ids[task], approvals.contentHash(task)]))
          : {},
    },
    nested: nestedWithin(nestedRecords, new Set([...ids, ...open.flatMap((task) => continuedBy(table, task))])),
    ...(lostTasks.size > 0 && { lost_tasks: [...lostTasks].filter((key) => ids.has(outermostOf(key))) }),
    usage: Object.fromEntries(usage),
    asked: [...earlier.values()].filter(({ task_id }) => ids.has(task_id)),
    begun: begun.within(ids),
  };
}

/** The task of the run's own plan that a key of `lostTasks` is within. */
function outermostOf(key: string): string {
  return (JSON.parse(key) as string[])[0] ?? "";
}

/** The lists whose elements a task continues with, by id. */
function continuedBy(table: TaskTable, task: number): readonly string[] {
  return table.tasks[task]!.for_each?.continues ?? [];
}

/**
 * Whether a person may have to be asked about a call of these tasks: not where each of them names a tool that is known here and calls nothing itself, and
 * no known resource needs it. What an agent calls where it is executed is not known here.
 */
function asksPeople({ settings, table, registry }: ShellParts, open: readonly number[]): boolean {
  const { confirm, approval } = settings;
  const tasks = withInnerTasks(open.map((task) => table.tasks[task]!));
  if (approval.resources.length > 0 || tasks.some((task) => task.approval)) return true;
  if (confirm === "never") return false;
  const isKnown = (task: PlannerTask) => {
    const { kind, uid } = resourcePin(task);
    const found = kind === "tool" && uid !== undefined ? registry.find(kind, uid) : undefined;
    return found !== undefined && !delegates(found.executor, uid!);
  };
  const letsAllThrough = new ConfirmPolicy(confirm, new Set()).letsAllThrough(registry.resources);
  return !letsAllThrough || !tasks.every((task) => hasInnerTasks(task) || isDecidedByConditions(task) || isKnown(task));
}

/**
 * Whether something in these tasks may wait for a time or a signal, which the process of the run keeps: they do, or they may run plans of their own.
 */
function mayWait({ table, registry }: ShellParts, open: readonly number[]): boolean {
  return withInnerTasks(open.map((task) => table.tasks[task]!)).some((task) => {
    if (task.wait !== undefined || task.retry_until !== undefined) return true;
    if (hasInnerTasks(task) || isDecidedByConditions(task)) return false;
    const { kind, uid } = resourcePin(task);
    if (kind === undefined || callKinds[kind].runsTasks) return true;
    const found = uid === undefined ? undefined : registry.find(kind, uid);
    return found !== undefined && delegates(found.executor, found.resource.id);
  });
}

/** Whether calls are limited by more than how many there are at once. */
function limitsCalls({ budgets, guards, limits }: ShellParts["settings"]): boolean {
  const { kinds, resources, rates } = limits;
  return Boolean(budgets || guards) || kinds.size + resources.size + rates.size > 0;
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
