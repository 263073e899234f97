import { type ReportSink, ReportWriter } from "../dispatch/report-writer.ts";
import type { RunHost } from "../task-execution/run-host.ts";

export interface SubgraphRun extends Pick<RunHost, "onEvent" | "isHalted"> {
  /** Who is told what became of its tasks. */
  readonly reports: ReportSink;
}

/** A subgraph that is dispatched whole to this process: within the limits, budgets and guards of its run. */
export function subgraphHost(outer: RunHost, { reports, onEvent, isHalted }: SubgraphRun): RunHost {
  return {
    position: outer.position,
    keyPrefix: outer.keyPrefix,
    depth: outer.depth + 1,
    onEvent,
    // Subscribers of the run hear of its tasks as the run tells of them.
    feed: undefined,
    firstSeq: 0,
    // Its run reads them, and tells all that execute its subgraphs.
    readAnswers: undefined,
    rights: outer.rights,
    secrets: outer.secrets,
    // A drained run lets subgraphs that were dispatched come to their ends.
    drain: undefined,
    isHalted,
    abandoned: (call, slots) => outer.abandoned(call, slots),
    callRecorder: outer.callRecorder,
    writer: ({ prepared: { view }, table, startedAt }, onError) =>
      new ReportWriter({ view, table, startedAt }, reports, onError),
    nestedWriter: (...given) => outer.nestedWriter(...given),
    keepNested: (records) => outer.keepNested(records),
    keepCalls: (calls) => outer.keepCalls(calls),
    // A run whose subgraphs are dispatched whole does not change while it goes on.
    keepRevision: async () => {},
    open() {},
    settle: async () => undefined,
    end: async () => {},
    giveUp: async () => {},
    close() {},
  };
}
