import type { RunHost } from "../task-execution/run-host.ts";

/** The members of a host that a plan within a run takes over from the host of that run. */
export type WithinRun = Pick<
  RunHost,
  | "feed"
  | "firstSeq"
  | "readAnswers"
  | "waits"
  | "waitHereMs"
  | "rights"
  | "secrets"
  | "abandoned"
  | "callRecorder"
  | "nestedWriter"
  | "keepNested"
  | "keepCalls"
  | "keptNested"
  | "keepRevision"
  | "open"
  | "settle"
  | "end"
  | "giveUp"
  | "close"
>;

/**
 * For a plan within a task and for a subgraph that is dispatched to this process: calls, secrets and records are the outer run's, which
 * alone opens and ends. The members are listed, so that a member that `RunHost` gains does not compile until each kind has answered.
 */
export function withinRun(outer: RunHost): WithinRun {
  return {
    // Subscribers of the run hear of its tasks from the run itself.
    feed: undefined,
    firstSeq: 0,
    // The outermost run reads them, for all that is within it.
    readAnswers: undefined,
    waits: outer.waits,
    waitHereMs: outer.waitHereMs,
    rights: outer.rights,
    secrets: outer.secrets,
    abandoned: (call, slots) => outer.abandoned(call, slots),
    callRecorder: outer.callRecorder,
    nestedWriter: (...given) => outer.nestedWriter(...given),
    keepNested: (records) => outer.keepNested(records),
    keepCalls: (calls) => outer.keepCalls(calls),
    keptNested: () => outer.keptNested(),
    // Only the outermost plan changes, and only while its tasks stream.
    keepRevision: async () => {},
    open() {},
    settle: async () => undefined,
    end: async () => {},
    giveUp: async () => {},
    close() {},
  };
}
