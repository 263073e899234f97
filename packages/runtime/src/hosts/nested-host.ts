import type { NestedPlace } from "../nested-keeping.ts";
import { nestedPlan } from "../task-execution/plan-position.ts";
import type { RunHost } from "../task-execution/run-host.ts";
import { withinRun } from "./within-run.ts";

export interface NestedRun extends Pick<RunHost, "keyPrefix" | "onEvent"> {
  readonly place: NestedPlace;
  /** The task that the plan is executed in. */
  readonly taskId: string;
}

/** A plan within a task: in no journal of its own, under the limits of the outermost run. */
export function nestedHost(outer: RunHost, { place, taskId, keyPrefix, onEvent }: NestedRun): RunHost {
  return {
    ...withinRun(outer),
    position: nestedPlan(place, outer.position.outerTaskOf(taskId)),
    keyPrefix,
    depth: outer.depth + 1,
    onEvent,
    drain: outer.drain,
    // Running tasks may end.
    isHalted: () => false,
    writer: ({ hashOf }, onError) => outer.nestedWriter(place, hashOf, onError),
  };
}
