import { setTimeout as sleep } from "node:timers/promises";
import { type Executor, PlannerTask } from "@planloom/plan";
import { type DispatchRequest, defineTool, toolExecutor } from "@planloom/runtime";
import { emptyDispatch } from "@planloom/runtime/journal-parts";

/** Names of runs that measure begin with it. */
export const probePrefix = "planloom.probe~";
const toolId = "planloom.probe";

/** What executes the tasks of a probe in any worker, whichever tools it has: they wait, as the tasks of plans mostly do. */
export function probeExecutors(): readonly Executor[] {
  const wait = defineTool({
    id: toolId,
    description: "Waits",
    idempotent: true,
    input: { type: "object" },
    execute: async (input, { signal }) => {
      const { ms } = input as { readonly ms: number };
      await sleep(ms, undefined, { signal });
      return null;
    },
  });
  return [toolExecutor([wait])];
}

export function isProbe({ run_id }: Pick<DispatchRequest, "run_id">): boolean {
  return run_id.startsWith(probePrefix);
}

/** A subgraph whose tasks follow each other and wait for so many milliseconds each. */
export function probeRequest(runId: string, subgraphId: string, tasks: number, taskMs: number): DispatchRequest {
  const { request } = emptyDispatch(new AbortController().signal);
  const planned_tasks = Array.from({ length: tasks }, (_, number) =>
    PlannerTask.parse({
      task_id: `t${number}`,
      execution_type: "tool",
      tool_id: toolId,
      arguments: { ms: taskMs },
      dependencies: number === 0 ? [] : [`t${number - 1}`],
    }),
  );
  return {
    ...request,
    run_id: runId,
    subgraph_id: subgraphId,
    plan: { ...request.plan, planned_tasks },
    settings: { ...request.settings, asks: false },
  };
}
