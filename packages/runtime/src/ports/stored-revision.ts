import { applyPatch, PlanError, type PlanPatch, planRevision, type TaskData } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";

/** Why tasks were to be replaced. */
export type ReplanCause = "failure" | "output" | "marked" | "resource" | "deadline" | "budget" | "review" | "person";

/** A change of a run's plan. Revisions form a chain: each names the one it was made for in `patch.base`. Plain JSON. */
export interface StoredRevision {
  readonly patch: PlanPatch;
  readonly causes: readonly { readonly task_id: string; readonly cause: ReplanCause }[];
  /** When it took effect, milliseconds since the epoch, by the clock of the tasks' times. */
  readonly at: number;
  /** It made tasks of elements of lists, which were to be replaced at once: as long as they are not, they end as the elements did, and nothing is called. */
  readonly interim?: true;
}

/** The last revision of a chain. */
export function lastRevision(plan: Pick<TaskData, "metadata">, revisions: readonly StoredRevision[]): string {
  return revisions.at(-1)?.patch.patch_id ?? planRevision(plan);
}

/** @throws RuntimeError REVISION_CONFLICT when the revision was not made for the last one of the chain */
export function checkChain(runId: string, lastPatch: string, { patch }: StoredRevision): void {
  if (patch.base !== lastPatch) throw revisionConflict(runId, patch.base, lastPatch);
}

/** The plan was changed by another process first. */
export function revisionConflict(runId: string, expected: string, actual: string): RuntimeError {
  const name = (revision: string) => (revision === "" ? "the plan as it was begun" : `revision "${revision}"`);
  return new RuntimeError(
    RuntimeErrorCode.REVISION_CONFLICT,
    `The plan of run ${runId} was changed in the meantime: it is at ${name(actual)}, but this patch is for ${name(expected)}. Load the current plan and try again.`,
    { details: { run_id: runId, expected, actual } },
  );
}

/**
 * The plan after each revision, the first one before any. Each patch is verified again; statuses are those of the plan the
 * run was begun with, what a patch renews is pending.
 * @throws RuntimeError JOURNAL_READ for a chain that does not hold
 */
export function planVersions(runId: string, first: TaskData, revisions: readonly StoredRevision[]): TaskData[] {
  const versions = [first];
  for (const { patch } of revisions) {
    const plan = versions.at(-1)!;
    // A task is renewed only if it was done; its record says so, not the plan.
    const renewed = new Set(patch.renewed.map(({ task_id }) => task_id));
    const done = plan.planned_tasks.map((task) => {
      const status = renewed.has(task.task_id) || task.status === "completed" ? "completed" : "pending";
      return task.status === status ? task : ({ ...task, status } as const);
    });
    try {
      versions.push(applyPatch({ ...plan, planned_tasks: done }, patch, { inputs: "any" }));
    } catch (error) {
      if (!(error instanceof PlanError)) throw error;
      const message = `Revision "${patch.patch_id}" of run ${runId} cannot be applied: ${error.message}`;
      throw new RuntimeError(RuntimeErrorCode.JOURNAL_READ, message, { details: { run_id: runId }, cause: error });
    }
  }
  return versions;
}

/** A stored run with its plan as it is now; for journals. */
export function withRevisions<Run extends { readonly run_id: string; readonly plan: TaskData }>(
  run: Run,
  revisions: readonly StoredRevision[],
): Run & { readonly first_plan?: TaskData; readonly revisions?: readonly StoredRevision[] } {
  if (revisions.length === 0) return run;
  const plan = planVersions(run.run_id, run.plan, revisions).at(-1)!;
  return { ...run, plan, first_plan: run.plan, revisions };
}

/** Ids of the tasks that a patch takes out of the plan. */
export function replacedIds({ replacements, renewed }: PlanPatch): string[] {
  return [...replacements, ...renewed].map(({ task_id }) => task_id);
}

/** How many tasks more the plan has after a revision than before. */
export function tasksAddedBy({ patch }: Pick<StoredRevision, "patch">): number {
  return patch.tasks.length - patch.replacements.length;
}
