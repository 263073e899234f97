import { SerialLimits } from "../dispatch/open-limits.ts";
import type { DispatchContext, DispatchReply, DispatchRequest } from "../dispatch/port/dispatcher.ts";
import type { ReportSink } from "../dispatch/report-writer.ts";
import { subgraphHost } from "../hosts/subgraph-host.ts";
import type { RunHost } from "../task-execution/run-host.ts";
import { runnablePlan } from "../task-execution/runnable-plan.ts";
import type { NestedResult } from "../task-execution/shell-parts.ts";
import { waitingResults } from "../waiting/waiting-results.ts";
import { makeState } from "./make-state.ts";
import { restore } from "./restore-recorded.ts";
import type { Session } from "./session.ts";

/** The type of `execute`, which is a parameter here, since a plan that is executed may execute others. */
export type Execute = (session: Session, host: RunHost, signal: AbortSignal | undefined) => Promise<NestedResult>;

/** Runs one subgraph of a run that dispatches them whole in this process. */
export async function runSubgraphHere(
  outer: Session,
  host: RunHost,
  execute: Execute,
  { plan, input, in_order: inOrder }: DispatchRequest,
  { signal, onEvent }: Pick<DispatchContext, "signal" | "onEvent">,
  reports: ReportSink,
  isHalted: () => boolean,
): Promise<DispatchReply> {
  const { whole } = outer;
  const { settings, registry, bind, baseInput, approvals, earlier, approved } = outer.plan;
  const viewOfRun = outer.plan.runnable.view;
  const runnable = runnablePlan(plan);
  const limits = new SerialLimits(whole.family.limits);
  const hashOf = (taskId: string) => approvals.contentHash(viewOfRun.indexOf(taskId));
  const session: Session = {
    whole,
    plan: {
      runnable,
      settings,
      registry,
      bind,
      input,
      baseInput,
      ...makeState(runnable, settings, registry, limits, approvals.answers, { hashOf, inOrder }),
      earlier: new Map(earlier),
      approved,
      // Its run's results say so.
      subgraphOf: new Map(),
    },
    dispatch: undefined,
    replan: undefined,
    revisions: [],
  };
  const { table } = session.plan;
  for (const [number, { task_id, status, output }] of runnable.plan.planned_tasks.entries()) {
    if (status === "completed") restore(session, number, output);
    const before = outer.plan.table.usage.get(viewOfRun.indexOf(task_id));
    if (before !== undefined) table.usage.set(number, before);
  }
  const { result } = await execute(session, subgraphHost(host, { reports, onEvent, isHalted }), signal);
  return { results: waitingResults(result), usage: result.usage };
}
