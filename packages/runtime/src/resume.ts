import { type OptionChecks, planRevision } from "@planloom/plan";
import { checkOptions } from "./check-options.ts";
import { withRegroupings } from "./dispatch/regrouped-run.ts";
import { guardJournal } from "./edge/guard-journal.ts";
import { JournaledHost } from "./hosts/journaled-host.ts";
import type { Journal, StoredRun, TakenOver, TaskRecord } from "./journal/journal.ts";
import { asOwner } from "./journal/lease.ts";
import { loadRun } from "./journal/load-run.ts";
import { isLost, lostRecords, noteTriedAgain } from "./journal/lost-records.ts";
import { nestedRecordKey } from "./journal/pending-key.ts";
import { suspendedStatuses } from "./journal/run-filter.ts";
import { checkNamedResources } from "./named-resources.ts";
import { byNestedKey } from "./nested-keeping.ts";
import { isJournal } from "./options/nested-checks.ts";
import { runOptionChecks } from "./options/run-option-table.ts";
import { execute } from "./plan-execution/execute-session.ts";
import { firstSeq } from "./plan-execution/first-seq.ts";
import { letOutputsLeave, withOutputs } from "./plan-execution/large-outputs.ts";
import { restoreRecorded } from "./plan-execution/restore-recorded.ts";
import { makeSession } from "./plan-execution/session.ts";
import { revisionConflict } from "./ports/stored-revision.ts";
import { replacedTasks, withEarlierSessions } from "./replan/session-replan.ts";
import { outermostRun, type PlainData, withinSharedLimits } from "./run-entry.ts";
import type { RunResult } from "./run-result.ts";
import { type RunOptions, readSettings } from "./run-settings.ts";
import { missingSecrets, requireSecrets } from "./secrets/check-plan-secrets.ts";
import { checkShared } from "./shared-limits/shared-limits.ts";
import { withStoredOptions } from "./stored-options.ts";
import { type AtLeast, atLeastChecks } from "./stricter-options.ts";
import { holdAbandonedSlots } from "./task-execution/abandoned-slots.ts";
import { BegunCalls, begunCalls } from "./task-execution/begun-calls.ts";
import { withNestedPending, withPending } from "./task-execution/pending-usage.ts";
import { runnablePlan } from "./task-execution/runnable-plan.ts";
import { keepsWaits } from "./waiting/wait-keeper.ts";

export type ResumeOptions = Omit<RunOptions, "journal" | "runId" | "variables" | "input" | "metadata"> & {
  readonly journal: Journal;
  /**
   * What the program requires of every run: gates, limits, budgets, guards, time limits. For each of them that is not also given as an option
   * of this call, the stricter of this value and the one that the run was begun with holds. Gates are always added to those of the run.
   */
  readonly atLeast?: AtLeast | undefined;
  /**
   * Resumes the run only if a wait of it is due by then, in milliseconds since the epoch, as `resumeDue` does: of several processes that try, one
   * succeeds. @default in any case
   */
  readonly ifDueBy?: number | undefined;
  /**
   * Whether tasks and elements that failed or were skipped are tried again. Without that the run continues as if it had not stopped: they stay as they ended.
   * @default true, but false for a run that waits, for a person, a time or a signal, and with `ifDueBy`
   */
  readonly retryFailed?: boolean | undefined;
};

/** The checks of the options of `resume`. `runId`, `variables`, `input` and `metadata` are accepted and ignored: the journal has them. */
export const resumeOptionChecks = {
  ...runOptionChecks,
  journal: { required: isJournal },
  atLeast: { options: atLeastChecks },
  ifDueBy: "nonNegative",
  retryFailed: "boolean",
} as const satisfies OptionChecks<ResumeOptions>;

/**
 * Resumes a run from its journal, after a crash, a cancel, a drain or an answer, with the plan, variables and input it was begun with.
 * Completed tasks are not run again; failed and skipped ones are, unless the run waits (`retryFailed`). Options given here override those the run was begun with.
 * @param runId the run's whole id.
 * @throws RuntimeError RUN_NOT_FOUND, RUN_LEASED (another live process runs it), NOT_DUE (`ifDueBy`), and as `run`.
 */
export async function resume(runId: string, options: ResumeOptions): Promise<RunResult> {
  checkOptions("`resume`", options, resumeOptionChecks);
  return resumeChecked(runId, options);
}

/** As `resume`, with options that were checked. */
export async function resumeChecked(runId: string, options: ResumeOptions): Promise<RunResult> {
  checkShared(options.shared, options.tenant);
  const journal = guardJournal(options.journal, options.journalTimeoutMs);
  const stored = await loadRun(journal, runId);
  const tenant = options.tenant ?? (options.shared && stored.options.tenant);
  const turn = {
    priority: options.priority ?? stored.options.priority,
    weight: options.weight ?? stored.options.weight,
    deadline: options.deadline ?? stored.options.deadline,
  };
  return withinSharedLimits({ ...options, ...turn, tenant }, (waited) =>
    // While it waited, its plan may have been changed.
    continueRun(runId, { ...options, tenant, journal }, waited ? undefined : stored),
  );
}

/** What earlier sessions have left, asked for by the method of each. */
async function readTakenOver(journal: Journal, runId: string): Promise<TakenOver> {
  const pending = await journal.getPendingUsage(runId);
  const nested = await journal.getNestedTasks(runId);
  const answers = await journal.getAnswers(runId);
  const waits = keepsWaits(journal) ? await journal.getWaits(runId) : [];
  const isForSignal = waits.some(({ event }) => event !== undefined);
  const signals = isForSignal && keepsWaits(journal) ? await journal.getSignals(runId) : [];
  return { pending, nested, answers, waits, signals };
}

/**
 * Takes the run over from the journal and executes what is left. `openRun` takes its lease; `restoreRecorded` takes over what was completed;
 * `BegunCalls` are the calls that were under way when the earlier process died, about which `UnknownCalls` decides.
 */
async function continueRun(runId: string, options: ResumeOptions, loaded: StoredRun | undefined): Promise<RunResult> {
  const { ifDueBy, retryFailed, ...runOptions } = options;
  const { atLeast, journal } = runOptions;
  const stored = await withRegroupings(loaded ?? (await loadRun(journal, runId)), journal);
  const keepsLost = !(retryFailed ?? (ifDueBy === undefined && !suspendedStatuses.has(stored.status)));
  const merged = withStoredOptions(runOptions, stored);
  const runnable = runnablePlan(stored.plan, stored.options.variables, { stored: true });
  const missing = missingSecrets(runnable.plan.planned_tasks, options.secrets);
  if (missing.length > 0) {
    const records = await journal.getTasks(stored.run_id, { outputs: "small" });
    const isDone = (record: TaskRecord) => record.status === "completed" || (keepsLost && isLost(record));
    const done = new Set(records.filter(isDone).map(({ task_id }) => task_id));
    requireSecrets(
      missing.filter(({ task_id }) => !done.has(task_id)),
      options.secrets,
    );
  }
  const session = makeSession(
    stored.run_id,
    runnable,
    merged,
    readSettings(merged),
    (stored.options.input ?? {}) as PlainData,
    undefined,
    stored,
  );
  // What the run was begun with may have gone meanwhile; what is given now is there or misspelt.
  checkNamedResources(options, session.plan.registry);
  checkNamedResources({ ...atLeast, executors: options.executors }, session.plan.registry);
  return asOwner(async (owner) => {
    const openOptions = { known: stored, ...(ifDueBy !== undefined && { ifDueBy }) };
    const { run: opened, tasks, takenOver } = await journal.openRun(stored.run_id, owner, openOptions);
    if (planRevision(opened.plan) !== planRevision(stored.plan)) {
      await journal.endRun(stored.run_id, owner, stored.status === "running" ? "shut_down" : stored.status);
      throw revisionConflict(stored.run_id, planRevision(stored.plan), planRevision(opened.plan));
    }
    const {
      pending,
      nested: nestedTasks,
      answers,
      waits,
      signals,
    } = takenOver ?? (await readTakenOver(journal, stored.run_id));
    const known = { tasks, nested: nestedTasks, pending };
    // Resuming a run that has ended asks for another try of what was lost. Continuing one because something is due does not.
    if (!keepsLost) await noteTriedAgain(journal, stored.run_id, owner, known);
    const lost = keepsLost ? lostRecords(known) : { tasks: [], nested: [] };
    letOutputsLeave(session, journal);
    const records = await withOutputs(session, tasks, journal);
    // Where nothing counts, what is pending says only which calls were begun.
    const owed = session.whole.admission.countsUsage ? pending : [];
    restoreRecorded(session, withPending(records, owed), replacedTasks(stored), lost.tasks);
    const nested = withNestedPending(nestedTasks, owed);
    const begun = new BegunCalls(begunCalls(tasks, nestedTasks, pending));
    for (const { path, record } of nested) session.whole.admission.restoreNested(path[0]!, record);
    for (const answer of answers) session.plan.approvals.answers.add(answer);
    const replan = await withEarlierSessions(session.replan, stored, journal, { nested: nestedTasks, keepsLost });
    holdAbandonedSlots(journal, stored.run_id, session.whole.family);
    const lostTasks = new Set(lost.nested.map(nestedRecordKey));
    const whole = { ...session.whole, begun, nestedRecords: byNestedKey(nested), lostTasks, triesAgain: !keepsLost };
    const restored = { ...session, replan, whole };
    // What an earlier session claimed is put back where this one finds nothing to do, unless another one has ended since it was read.
    const earlier = opened.updated_at === stored.updated_at ? stored.certificate : undefined;
    const outermost = { ...outermostRun(session, merged), firstSeq: firstSeq(stored) };
    const host = new JournaledHost(outermost, { journal, owner }, earlier);
    host.waits.restore(waits, signals);
    return (await execute(restored, host, options.signal)).result;
  });
}
