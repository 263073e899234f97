import type { NestedPlace } from "../nested-keeping.ts";

/** Where a plan is within the run that it belongs to. */
export interface PlanPosition {
  /** Ids of the tasks it is in, from the outside in; none for the run's own plan, whole or in part. */
  readonly path: readonly string[];
  /**
   * Which calls it is within of tasks whose calls are repeated (`retry_until`); empty for first calls. What an earlier call did is not done for a
   * later one.
   */
  readonly repeats: string;
  readonly isNested: boolean;
  /** The task of the run's own plan that task `taskId` of this plan is, or is in. */
  outerTaskOf(taskId: string): string;
  /** As records and calls of its tasks name it. */
  named(): { readonly path: readonly string[]; readonly scope?: string };
}

const ownName = { path: [] };

/** The run's own plan, whole or in part. */
export const ownPlan: PlanPosition = {
  path: ownName.path,
  repeats: "",
  isNested: false,
  outerTaskOf: (taskId) => taskId,
  named: () => ownName,
};

/** A plan that is executed within task `outerTaskId` of the run's own plan, or within a task nested in that. */
export function nestedPlan({ path, repeats, scope }: NestedPlace, outerTaskId: string): PlanPosition {
  return { path, repeats, isNested: true, outerTaskOf: () => outerTaskId, named: () => ({ path, scope: scope() }) };
}
