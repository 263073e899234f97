import type { NestedPlace } from "../nested-keeping.ts";
import { nestedPlan } from "../task-execution/plan-position.ts";
import type { RunHost } from "../task-execution/run-host.ts";

export interface NestedRun extends Pick<RunHost, "keyPrefix" | "onEvent"> {
  readonly place: NestedPlace;
  /** The task that the plan is executed in. */
  readonly taskId: string;
}

/** A plan within a task: in no journal of its own, under the limits of the outermost run. */
export function nestedHost(outer: RunHost, { place, taskId, keyPrefix, onEvent }: NestedRun): RunHost {
  return {
    position: nestedPlan(place, outer.position.outerTaskOf(taskId)),
    keyPrefix,
    depth: outer.depth + 1,
    onEvent,
    // Subscribers of the run hear of it as progress of its task.
    feed: undefined,
    firstSeq: 0,
    // The outermost run reads them, for all that is nested in it.
    readAnswers: undefined,
    rights: outer.rights,
    secrets: outer.secrets,
    drain: outer.drain,
    // What runs may come to its end.
    isHalted: () => false,
    abandoned: (call, slots) => outer.abandoned(call, slots),
    callRecorder: outer.callRecorder,
    writer: ({ hashOf }, onError) => outer.nestedWriter(place, hashOf, onError),
    nestedWriter: (...given) => outer.nestedWriter(...given),
    keepNested: (records) => outer.keepNested(records),
    keepCalls: (calls) => outer.keepCalls(calls),
    // Only the outermost plan changes.
    keepRevision: async () => {},
    open() {},
    settle: async () => undefined,
    end: async () => {},
    giveUp: async () => {},
    close() {},
  };
}
