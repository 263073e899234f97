import { type ReportSink, ReportWriter } from "../dispatch/report-writer.ts";
import type { RunHost } from "../task-execution/run-host.ts";
import { briefWaitMs } from "../waiting/brief-wait.ts";
import { withinRun } from "./within-run.ts";

export interface SubgraphRun extends Pick<RunHost, "onEvent" | "isHalted"> {
  /** Gets the results of its tasks. */
  readonly reports: ReportSink;
}

/** A subgraph that is dispatched whole to this process: within the limits, budgets and guards of its run. */
export function subgraphHost(outer: RunHost, { reports, onEvent, isHalted }: SubgraphRun): RunHost {
  return {
    ...withinRun(outer),
    waitHereMs: briefWaitMs,
    position: outer.position,
    keyPrefix: outer.keyPrefix,
    depth: outer.depth + 1,
    onEvent,
    // A drained run lets dispatched subgraphs end.
    drain: undefined,
    isHalted,
    writer: ({ runnable: { view }, table, startedAt }, onError) =>
      new ReportWriter({ view, table, startedAt }, reports, onError),
  };
}
