import { type ExecutionKind, executionKinds, kindRecord } from "../kinds/kinds.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import { withInnerTasks } from "./inner-tasks.ts";

/** A resource that a task names. */
export interface PinnedResource {
  readonly kind: ExecutionKind;
  readonly id: string;
}

/** The resources that the tasks name, those of lists included, each as often as it is named: who executes the tasks must have them. A task that names none is bound where it runs. */
export function pinnedResources(tasks: readonly PlannerTask[]): PinnedResource[] {
  return withInnerTasks(tasks).flatMap((task) => {
    const kind = executionKinds.find((each) => each === task.execution_type);
    const id = kind && kindRecord(kind).pin.read(task);
    return kind === undefined || id === undefined ? [] : [{ kind, id }];
  });
}
