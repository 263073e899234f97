import { newId, type OptionChecks, planRevision, type TaskDataInput } from "@planloom/plan";
import { anySignal } from "./any-signal.ts";
import { checkOptions } from "./check-call-options.ts";
import { checkVariables } from "./check-variables.ts";
import { guardJournal } from "./edge/guard-journal.ts";
import { RuntimeError, RuntimeErrorCode } from "./errors.ts";
import { JournaledHost } from "./hosts/journaled-host.ts";
import { type OutermostRun, unkeptHost } from "./hosts/unkept-host.ts";
import { invalid } from "./invalid-option.ts";
import type { Journal, StoredRun } from "./journal/journal.ts";
import { asOwner } from "./journal/lease.ts";
import { loadRun } from "./journal/load-run.ts";
import { JsonCopyError, jsonCopy } from "./json-copy.ts";
import { checkNamedResources } from "./named-resources.ts";
import { byNestedKey } from "./nested-keeping.ts";
import { isJournal } from "./options/nested-checks.ts";
import { runOptionChecks } from "./options/run-option-table.ts";
import { execute } from "./plan-execution/execute-session.ts";
import { firstSeq } from "./plan-execution/first-seq.ts";
import { letOutputsLeave, withOutputs } from "./plan-execution/large-outputs.ts";
import { makeSession, ownSecrets, restore, restoreRecorded, type Session } from "./plan-execution/session.ts";
import { withRunRules } from "./plan-run-rules.ts";
import { revisionConflict } from "./ports/stored-revision.ts";
import { replacedTasks, withEarlierCalls } from "./replan/session-replan.ts";
import { type RunOptions, readSettings, type Settings } from "./run-options.ts";
import type { RunResult } from "./run-result.ts";
import { missingSecrets, requireSecrets } from "./secrets/check-plan-secrets.ts";
import { checkShared } from "./shared-limits/shared-limits.ts";
import { storedOptions, withStoredOptions } from "./stored-options.ts";
import { type AtLeast, atLeastChecks } from "./stricter-options.ts";
import { BegunCalls, begunCalls } from "./task-execution/begun-calls.ts";
import { withNestedPending, withPending } from "./task-execution/pending-usage.ts";
import { type PreparedPlan, preparePlan } from "./task-execution/prepare-plan.ts";
import { holdStrays } from "./task-execution/stray-calls.ts";

/**
 * Runs every task of `plan` once its dependencies are completed; tasks whose status is `completed` already are not run
 * again. Settles when no task is running any more.
 * @returns results in plan order, with why the run ended. A failing task never rejects the call.
 * @throws RuntimeError for invalid input (INVALID_PLAN, INVALID_OPTION, DUPLICATE_RESOURCE), or for a journal that cannot
 *   be written (JOURNAL_*, RUN_EXISTS, LEASE_LOST): nothing more is started then, and what runs is waited for.
 */
export async function run(plan: TaskDataInput, options: RunOptions): Promise<RunResult> {
  return runPlan(plan, options, {});
}

/** As `run`, with values under the arguments of every task. For `executeModule`. */
export async function runPlan(
  given: TaskDataInput,
  called: RunOptions,
  { baseInput }: { readonly baseInput?: Readonly<Record<string, unknown>> },
): Promise<RunResult> {
  const options = withRunRules(called, given);
  const settings = readSettings(options);
  const prepared = preparePlan(given, options.variables && readData("variables", options.variables));
  checkVariables(given, prepared.plan, options.variables);
  const open = prepared.plan.planned_tasks.filter(({ status }) => status !== "completed");
  requireSecrets(missingSecrets(open, options.secrets), options.secrets);
  const input = readData("input", options.input ?? {});
  const runId = options.runId ?? newId();
  if (typeof runId !== "string" || runId === "") throw invalid("runId", "a text that is not empty", runId);
  return entered(options, () => begin({ runId, prepared, options, settings, input, baseInput }));
}

interface Beginning {
  readonly runId: string;
  readonly prepared: PreparedPlan;
  readonly options: RunOptions;
  readonly settings: Settings;
  readonly input: PlainData;
  readonly baseInput: PlainData | undefined;
}

async function begin({ runId, prepared, options, settings, input, baseInput }: Beginning): Promise<RunResult> {
  const session = makeSession(runId, prepared, options, settings, input, baseInput);
  checkNamedResources(options, session.plan.registry);
  for (const [number, task] of prepared.plan.planned_tasks.entries()) {
    if (task.status === "completed") restore(session, number, task.output);
  }
  const journal = options.journal && guardJournal(options.journal, options.journalTimeoutMs);
  const outermost = outermostRun(session, options);
  if (journal === undefined) return (await execute(session, unkeptHost(outermost), options.signal)).result;
  letOutputsLeave(session, journal);
  const now = new Date().toISOString();
  const stored: StoredRun = {
    run_id: runId,
    plan: prepared.plan,
    options: storedOptions(
      settings,
      prepared.plan.variables,
      input,
      options.metadata === undefined ? undefined : readData("metadata", options.metadata),
      options,
      session.replan?.registry,
    ),
    status: "running",
    created_at: now,
    updated_at: now,
  };
  return asOwner(async (owner) => {
    await journal.createRun(stored, owner);
    return (await execute(session, new JournaledHost(outermost, { journal, owner }), options.signal)).result;
  });
}

function outermostRun(session: Session, options: RunOptions): OutermostRun {
  const { runId, admission } = session.whole;
  const { onEvent, drain } = options;
  return { runId, admission, onEvent, drain, firstSeq: 0, secrets: ownSecrets(session, options) };
}

export type ResumeOptions = Omit<RunOptions, "journal" | "runId" | "variables" | "input" | "metadata"> & {
  readonly journal: Journal;
  /**
   * What the program asks of every run: gates, limits, budgets, guards, time limits. Where an option is not given here by itself, the
   * stricter of this and of what the run was begun with holds, item by item; gates are added up in any case.
   */
  readonly atLeast?: AtLeast | undefined;
};

/** What is checked of the options of a resumption. Options of a run that its journal has are taken and not used. */
export const resumeOptionChecks = {
  ...runOptionChecks,
  journal: { required: isJournal },
  atLeast: { options: atLeastChecks },
} as const satisfies OptionChecks<ResumeOptions>;

/**
 * Goes on with a run from its journal, with the plan, variables and input it was begun with. Tasks that were completed are
 * not run again; failed and skipped ones are. Options given here override those the run was begun with.
 * @param runId the run's whole id.
 * @throws RuntimeError RUN_NOT_FOUND, RUN_LEASED (another live process runs it), and as `run`.
 */
export async function resume(runId: string, options: ResumeOptions): Promise<RunResult> {
  checkOptions("`resume`", options, resumeOptionChecks);
  checkShared(options.shared, options.tenant);
  const journal = guardJournal(options.journal, options.journalTimeoutMs);
  const stored = await loadRun(journal, runId);
  const tenant = options.tenant ?? (options.shared && stored.options.tenant);
  return entered({ ...options, tenant }, (waited) =>
    // While it waited, its plan may have been changed.
    goOn(runId, { ...options, tenant, journal }, waited ? undefined : stored),
  );
}

async function goOn(runId: string, options: ResumeOptions, loaded: StoredRun | undefined): Promise<RunResult> {
  const { atLeast, journal } = options;
  const stored = loaded ?? (await loadRun(journal, runId));
  const merged = withStoredOptions(options, stored);
  const prepared = preparePlan(stored.plan, stored.options.variables, { stored: true });
  const missing = missingSecrets(prepared.plan.planned_tasks, options.secrets);
  if (missing.length > 0) {
    const records = await journal.getTasks(stored.run_id, { outputs: "small" });
    const done = new Set(records.filter(({ status }) => status === "completed").map(({ task_id }) => task_id));
    requireSecrets(
      missing.filter(({ task_id }) => !done.has(task_id)),
      options.secrets,
    );
  }
  const session = makeSession(
    stored.run_id,
    prepared,
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
    const { run: opened, tasks } = await journal.openRun(stored.run_id, owner);
    if (planRevision(opened.plan) !== planRevision(stored.plan)) {
      await journal.endRun(stored.run_id, owner, stored.status === "running" ? "shut_down" : stored.status);
      throw revisionConflict(stored.run_id, planRevision(stored.plan), planRevision(opened.plan));
    }
    const pending = await journal.getPendingUsage(stored.run_id);
    letOutputsLeave(session, journal);
    const records = await withOutputs(session, tasks, journal);
    // Where nothing counts, what is pending says only which calls were begun.
    const owed = session.whole.admission.countsUsage ? pending : [];
    restoreRecorded(session, withPending(records, owed), replacedTasks(stored));
    const nestedTasks = await journal.getNestedTasks(stored.run_id);
    const nested = withNestedPending(nestedTasks, owed);
    const begun = new BegunCalls(begunCalls(tasks, nestedTasks, pending));
    for (const { path, record } of nested) session.whole.admission.restoreNested(path[0]!, record);
    for (const answer of await journal.getAnswers(stored.run_id)) session.plan.approvals.answers.add(answer);
    const replan = await withEarlierCalls(session.replan, stored.run_id, journal);
    holdStrays(journal, stored.run_id, session.whole.pool);
    const known = { ...session, replan, whole: { ...session.whole, begun, nestedRecords: byNestedKey(nested) } };
    // What an earlier session claimed is put back where this one finds nothing to do, unless another one has ended since it was read.
    const earlier = opened.updated_at === stored.updated_at ? stored.certificate : undefined;
    const outermost = { ...outermostRun(session, merged), firstSeq: firstSeq(stored) };
    const host = new JournaledHost(outermost, { journal, owner }, earlier);
    return (await execute(known, host, options.signal)).result;
  });
}

/** Begins a run when those that it shares limits with let it. @throws RuntimeError QUEUE_FULL */
async function entered(
  { shared, tenant, signal, drain }: Pick<RunOptions, "shared" | "tenant" | "signal" | "drain">,
  work: (waited: boolean) => Promise<RunResult>,
): Promise<RunResult> {
  if (shared === undefined) return work(false);
  const { leave, waited } = await shared.enter(tenant, anySignal(signal, drain));
  try {
    return await work(waited);
  } finally {
    leave();
  }
}

type PlainData = Readonly<Record<string, unknown>>;

/** A copy of the caller's data as JSON. @throws RuntimeError INVALID_OPTION naming `option` */
function readData(option: "input" | "metadata" | "variables", data: PlainData): PlainData {
  try {
    return jsonCopy(data, { maxBytes: Number.POSITIVE_INFINITY }).value as PlainData;
  } catch (error) {
    if (!(error instanceof JsonCopyError)) throw error;
    throw new RuntimeError(RuntimeErrorCode.INVALID_OPTION, `Expected \`${option}\` to be JSON: ${error.message}`, {
      details: { option },
      cause: error,
    });
  }
}
