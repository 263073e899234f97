import { type Executor, newId, type ResourceCatalogue, TaskData } from "@planloom/plan";
import { defineExecutor, type RunOptions, type RunResult, run, TaskErrorCode, TaskFailure } from "@planloom/runtime";
import type { EarlyEvent } from "./early-event.ts";
import { EarlyTasks } from "./early-tasks.ts";
import type { PlanStream } from "./plan-stream.ts";

export interface RunPlanStreamOptions {
  readonly catalogue: ResourceCatalogue;
  /** As for `run`; `signal` is the one that ends all of it. */
  readonly run: RunOptions;
  /** Checks the whole plan; what it throws counts as a plan that is not valid. */
  readonly check: (plan: TaskData) => TaskData;
  readonly onEvent: (event: EarlyEvent) => void;
}

/** The task that represents the part of a plan which never came. */
const restId = "planning";

/**
 * Runs a plan while it is being written; see `EarlyTasks` for what may start. When the plan is whole, its run takes over: tasks that
 * were executed already get their outputs. When the plan never becomes valid and something was executed, the result ends `failed`: it
 * has the tasks that were completed and, last, one called `planning` that failed with the reason.
 * @throws what planning or `check` threw, when nothing was executed; as `run`
 */
export async function runPlanStream(stream: PlanStream, options: RunPlanStreamOptions): Promise<RunResult> {
  const { catalogue, check, onEvent } = options;
  const runId = options.run.runId ?? newId();
  const { executors, signal } = options.run;
  const early = new EarlyTasks({ runId, executors, catalogue, run: options.run, onEvent });
  try {
    const may = mayStartEarly(options.run);
    for await (const { task } of stream) if (may) early.add(task);
    const plan = check(await stream.plan);
    await early.handOver();
    const started = early.started;
    const metadata = started.length === 0 ? {} : { metadata: { ...options.run.metadata, started_early: started } };
    return await run(plan, {
      ...options.run,
      ...metadata,
      runId,
      executors: early.adopting(),
      pace: paceOf(early, options),
      // What was begun early ends by its own limits.
      ...(options.run.pace === undefined && { paceTimeoutMs: Number.POSITIVE_INFINITY }),
    });
  } catch (error) {
    // Every way out but the return: planning failed, or the run could not begin.
    const wasRunning = early.handedOver;
    await early.stop();
    if (wasRunning || early.started.length === 0 || signal?.aborted === true) throw error;
    return runWithout(error, early, { ...options.run, runId });
  }
}

/** What a budget, a guard or a rate counts must all be counted by the run itself; then everything waits for the whole plan. */
function mayStartEarly({ budgets, guards, limits, shared, tenant }: RunOptions): boolean {
  const counted = shared?.counts(tenant) ?? false;
  return budgets === undefined && guards === undefined && limits?.rates === undefined && !counted;
}

function paceOf(early: EarlyTasks, { run: { pace } }: RunPlanStreamOptions): () => Promise<unknown> | undefined {
  return () => {
    const own = early.pace();
    if (own === undefined || pace === undefined) return own ?? pace?.();
    // What was begun early has to be waited for in any case.
    return own.then(() => pace());
  };
}

/** The record of a run whose plan was never completed: it is written and reported like any other. */
function runWithout(error: unknown, early: EarlyTasks, options: RunOptions): Promise<RunResult> {
  const message = error instanceof Error ? error.message : String(error);
  const reason = `The plan was not completed: ${message}`;
  const rest: Executor = defineExecutor({
    kind: "tool",
    resources: () => [{ kind: "tool", id: restId, description: "The rest of a plan that never came." }],
    execute: () => Promise.reject(new TaskFailure(TaskErrorCode.FAILED, reason, { retryable: false })),
  });
  const plan = TaskData.parse({
    title: "A plan that was not completed",
    planned_tasks: [
      ...early.completed,
      { task_id: restId, description: "The rest of the plan", execution_type: "tool", tool_id: restId },
    ],
  });
  const metadata = { ...options.metadata, started_early: early.started };
  // Without Stage 2, which does not know that tool.
  return run(plan, { ...options, metadata, bind: undefined, executors: [...early.adopting(), rest] });
}
