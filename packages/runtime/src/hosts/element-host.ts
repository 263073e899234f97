import type { NestedPlace } from "../nested-keeping.ts";
import type { RunHost } from "../task-execution/run-host.ts";
import { withinRun } from "./within-run.ts";

/**
 * The elements of a task with `for_each`: they are tasks of the plan as the task itself is, and are recorded in its place, as tasks within it
 * are. Their names are unique in the plan, so that keys and answers name them as its other tasks.
 */
export function elementHost(outer: RunHost, place: NestedPlace, taskId: string): RunHost {
  const { position } = outer;
  const outerTask = position.outerTaskOf(taskId);
  return {
    ...withinRun(outer),
    position: {
      path: place.path,
      repeats: place.repeats,
      // A process that asks another for its permits says of each call where it is.
      isNested: position.isNested || !outer.rights.areOwn,
      outerTaskOf: () => outerTask,
      named: () => ({ path: place.path, scope: place.scope() }),
    },
    keyPrefix: outer.keyPrefix,
    depth: outer.depth,
    onEvent: undefined,
    drain: outer.drain,
    isHalted: () => outer.isHalted(),
    writer: ({ hashOf }, onError) => outer.nestedWriter(place, hashOf, onError),
  };
}
