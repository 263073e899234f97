import { newId } from "@planloom/plan";
import type { Admission } from "../admission/admission.ts";
import { type ReportSink, ReportWriter } from "../dispatch/report-writer.ts";
import type { WorkerLink } from "../dispatch/worker-link.ts";
import type { NestedKeeping } from "../nested-keeping.ts";
import { askedRights } from "../task-execution/call-rights.ts";
import { ownPlan } from "../task-execution/plan-position.ts";
import type { RunHost } from "../task-execution/run-host.ts";
import { briefWaitMs } from "../waiting/brief-wait.ts";
import type { RunWaits } from "../waiting/run-waits.ts";
import { NestedKeeper } from "./nested-keeper.ts";

export interface WorkerRun extends Pick<RunHost, "onEvent" | "drain"> {
  readonly runId: string;
  readonly link: WorkerLink;
  readonly admission: Admission;
  /** What outputs and workflows say is asked for. */
  readonly learns: boolean;
  readonly waits: RunWaits;
}

/** The host of a subgraph in a worker process. It asks the process of the run before each call, and reports each task when it ends. */
export function workerHost({ runId, link, admission, learns, waits, onEvent, drain }: WorkerRun): RunHost {
  const store: NestedKeeping = {
    journal: {
      recordNested: (_, __, records) => link.reportNested(records),
      recordCalls: (_, __, calls) => link.reportCalls(calls),
      // The process that permits a call writes what it may use.
      beginCalls: async () => {},
    },
    // Nothing here asks for a lease: the run's process holds it.
    owner: { token: newId(), host: "", pid: process.pid },
  };
  const keeper = new NestedKeeper(store, runId);
  const reports: ReportSink = { since: performance.now(), send: (report) => link.report(report) };
  return {
    position: ownPlan,
    keyPrefix: runId,
    depth: 0,
    onEvent,
    // Subscribers of the run ask in its process.
    feed: undefined,
    firstSeq: 0,
    // The run's process sends them as they come.
    readAnswers: undefined,
    waits,
    waitHereMs: briefWaitMs,
    rights: askedRights(learns ? link.calls : { ...link.calls, learn: () => {} }),
    secrets: link.secrets,
    drain,
    // The process that permits calls permits none then.
    isHalted: () => false,
    abandoned(call) {
      link.abandoned(call);
      return () => {};
    },
    callRecorder: keeper.callRecorder,
    writer: ({ runnable: { view }, table, startedAt }, onError) =>
      new ReportWriter({ view, table, startedAt }, reports, onError),
    nestedWriter: (...given) => keeper.writer(...given),
    keepNested: (records) => keeper.keepNested(records),
    keepCalls: (calls) => keeper.keepCalls(calls),
    keptNested: async () => [],
    keepRevision: async () => {},
    open() {},
    async settle() {
      await keeper.callRecorder.flush();
      return undefined;
    },
    end: async () => {},
    giveUp: async () => {},
    close() {
      waits.close();
      admission.close();
    },
  };
}
