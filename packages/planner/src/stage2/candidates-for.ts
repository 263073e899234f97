import type { ExecutionKind, Resource, ResourceCatalogue } from "@planloom/plan";
import { PlannerError, PlannerErrorCode } from "../errors.ts";
import { closestIds } from "./closest-ids.ts";
import { subPlanners } from "./sub-planners.ts";

/**
 * The resources that may execute a task: the pinned one, else all of its kind, else (kind not decided) all.
 *
 * @throws PlannerError RESOURCE_UNKNOWN when the pin names nothing, RESOURCES_EMPTY when there is nothing to choose from.
 */
export function candidatesFor(
  catalogue: ResourceCatalogue,
  kind: ExecutionKind | undefined,
  pin: string | undefined,
  taskId: string | undefined,
): readonly Resource[] {
  const all = kind === undefined ? catalogue.all : catalogue.ofKind(kind);
  const noun = kind === undefined ? "resource" : subPlanners[kind].noun;
  const who = taskId === undefined ? "The task" : `Task "${taskId}"`;
  if (pin !== undefined) {
    const kinds = kind === undefined ? catalogue.kindsOf(pin) : [kind];
    const found = kinds.map((each) => catalogue.find(each, pin)).find((resource) => resource !== undefined);
    if (found !== undefined) return [found];
    const candidates = closestIds(
      pin,
      all.map(({ id }) => id),
    );
    throw new PlannerError(
      PlannerErrorCode.RESOURCE_UNKNOWN,
      `${who} is for the ${noun} "${pin}", which is not known.${candidates.length === 0 ? "" : ` Known: ${candidates.join(", ")}.`}`,
      { details: { uid: pin, kind, candidates, ...(taskId === undefined ? {} : { task_id: taskId }) } },
    );
  }
  if (all.length === 0) {
    throw new PlannerError(
      PlannerErrorCode.RESOURCES_EMPTY,
      `${who} needs a resource of kind ${noun}, and none is known. Pass one among the resources, or plan without this kind of task.`,
      { details: { kind, ...(taskId === undefined ? {} : { task_id: taskId }) } },
    );
  }
  return all;
}
