import type { ReplanFailure } from "@planloom/controller";
import { applyPatch, IssueCode, type PlanPatch, type TaskData, verifyPatch } from "@planloom/plan";
import { checkOptions, ofJournal } from "../check-options.ts";
import { guardJournal } from "../edge/guard-journal.ts";
import { withoutTrace } from "../error-trace.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { invalid } from "../invalid-option.ts";
import type { Journal } from "../journal/journal.ts";
import { loadRun } from "../journal/load-run.ts";
import { revisionConflict, type StoredRevision } from "../ports/stored-revision.ts";
import { toStoredTime } from "../task-execution/task-timing.ts";
import { endsWithin } from "./ends-within.ts";

/** The plan of a recorded run with all of its revisions. */
export interface RecordedPlan {
  readonly run_id: string;
  /** With the status of each task, and the outputs of completed ones. */
  readonly plan: TaskData;
  /** Why tasks, elements of lists, and what is within these failed, by address (`fetch[42]`, `out[0]/in[1]`). */
  readonly failures: ReadonlyMap<string, ReplanFailure>;
  /** Outputs of completed elements of lists and of what is within them, by address. */
  readonly outputs: ReadonlyMap<string, unknown>;
}

export interface RecordedPlanOptions {
  readonly journal: Journal;
  /** Limit for one call of the journal, in milliseconds. @default 30_000 */
  readonly journalTimeoutMs?: number | undefined;
}

/**
 * The plan of a run with what its journal knows of each task.
 * @param runId the run's whole id.
 * @throws RuntimeError RUN_NOT_FOUND, JOURNAL_READ
 */
export async function recordedPlan(runId: string, options: RecordedPlanOptions): Promise<RecordedPlan> {
  checkOptions("`recordedPlan`", options, ofJournal);
  const journal = guardJournal(options.journal, options.journalTimeoutMs);
  const { run_id, plan } = await loadRun(journal, runId);
  const records = new Map((await journal.getTasks(run_id)).map((record) => [record.task_id, record]));
  const failures = new Map<string, ReplanFailure>();
  const outputs = new Map<string, unknown>();
  const planned_tasks = plan.planned_tasks.map((task) => {
    const record = records.get(task.task_id);
    if (record === undefined || task.status === "completed") return task;
    if (record.status === "failed" && record.error !== undefined) {
      failures.set(task.task_id, {
        ...withoutTrace(record.error),
        ...(record.uid !== undefined && { uid: record.uid }),
      });
    }
    return { ...task, status: record.status, ...(record.status === "completed" && { output: record.output }) };
  });
  if (plan.planned_tasks.some(({ for_each }) => for_each !== undefined)) {
    const within = endsWithin(await journal.getNestedTasks(run_id));
    for (const [address, output] of within.outputs) outputs.set(address, output);
    for (const [address, failure] of within.failures) failures.set(address, failure);
  }
  const completed_tasks = planned_tasks.filter(({ status }) => status === "completed").map(({ task_id }) => task_id);
  return { run_id, plan: { ...plan, planned_tasks, completed_tasks } as TaskData, failures, outputs };
}

/**
 * Changes the plan of a run that no process executes now; `resume` continues with the changed plan. Of two changes that were made
 * for one revision the second is refused.
 * @param runId the run's whole id.
 * @param patches one patch, or several, each for the plan after the one before: all of them are put in the plan, or none (a journal without `addRevisions` adds them one by one).
 * @returns the last of the revisions
 * @throws RuntimeError REVISION_CONFLICT, REVISION_REFUSED with the issues, RUN_LEASED while a live process runs it,
 *   RUN_NOT_FOUND
 */
export async function reviseRun(
  runId: string,
  patches: PlanPatch | readonly PlanPatch[],
  options: RecordedPlanOptions,
): Promise<StoredRevision> {
  checkOptions("`reviseRun`", options, ofJournal);
  const given = isPatchList(patches) ? patches : [patches];
  if (given.length === 0) throw invalid("patches", "a patch, or a list of at least one", patches);
  const journal = guardJournal(options.journal, options.journalTimeoutMs);
  const { run_id, plan: recorded } = await recordedPlan(runId, { journal });
  const revisions: StoredRevision[] = [];
  let plan = recorded;
  for (const patch of given) {
    checkPatch(run_id, plan, patch);
    if (given.length > 1) plan = applyPatch(plan, patch, { inputs: "any" });
    revisions.push({
      patch,
      causes: patch.replacements.map(({ task_id }) => ({ task_id, cause: "person" })),
      at: toStoredTime(performance.timeOrigin, performance.now()),
    });
  }
  if (given.length > 1 && journal.addRevisions !== undefined) await journal.addRevisions(run_id, revisions);
  else for (const revision of revisions) await journal.addRevision(run_id, revision);
  return revisions.at(-1)!;
}

function isPatchList(patches: PlanPatch | readonly PlanPatch[]): patches is readonly PlanPatch[] {
  return Array.isArray(patches);
}

/** @throws RuntimeError REVISION_CONFLICT, REVISION_REFUSED */
function checkPatch(run_id: string, plan: TaskData, patch: PlanPatch): void {
  const issues = verifyPatch(plan, patch, { inputs: "any" }).filter(({ severity }) => severity === "error");
  const [first] = issues;
  if (first?.code === IssueCode.PATCH_STALE && patch.plan_id === plan.task_id) {
    throw revisionConflict(run_id, patch.base, String(plan.metadata?.revision ?? ""));
  }
  if (first !== undefined) {
    const message = `The plan of run ${run_id} was not changed: ${first.message}`;
    throw new RuntimeError(RuntimeErrorCode.REVISION_REFUSED, message, { details: { issues } });
  }
}
