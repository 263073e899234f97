import type { NestedPlace } from "../nested-keeping.ts";
import { nestedPlan } from "../task-execution/plan-position.ts";
import type { RunHost } from "../task-execution/run-host.ts";
import { withinRun } from "./within-run.ts";

export interface NestedRun extends Pick<RunHost, "keyPrefix" | "onEvent"> {
  readonly place: NestedPlace;
  /** The task that the plan is executed in. */
  readonly taskId: string;
  /** The tasks are the plan's own, of an element of a list: nobody decided on them while the run was in progress. */
  readonly isPlanned: boolean;
}

/** A plan within a task: in no journal of its own, under the limits of the outermost run. */
export function nestedHost(outer: RunHost, { place, taskId, keyPrefix, onEvent, isPlanned }: NestedRun): RunHost {
  const position = nestedPlan(place, outer.position.outerTaskOf(taskId));
  return {
    ...withinRun(outer),
    position: isPlanned ? { ...position, isNested: outer.position.isNested } : position,
    keyPrefix,
    depth: outer.depth + 1,
    onEvent,
    drain: outer.drain,
    // Running tasks may end.
    isHalted: () => false,
    writer: ({ hashOf }, onError) => outer.nestedWriter(place, hashOf, onError),
  };
}
