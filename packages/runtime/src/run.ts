import { newId, type TaskDataInput, type TypedPlan } from "@planloom/plan";
import { checkVariables } from "./check-variables.ts";
import { guardJournal } from "./edge/guard-journal.ts";
import { JournaledHost } from "./hosts/journaled-host.ts";
import { unkeptHost } from "./hosts/unkept-host.ts";
import { invalid } from "./invalid-option.ts";
import type { StoredRun } from "./journal/journal.ts";
import { asOwner } from "./journal/lease.ts";
import { checkNamedResources } from "./named-resources.ts";
import { execute } from "./plan-execution/execute-session.ts";
import { letOutputsLeave } from "./plan-execution/large-outputs.ts";
import { restore } from "./plan-execution/restore-recorded.ts";
import { makeSession } from "./plan-execution/session.ts";
import { withRunRules } from "./plan-run-rules.ts";
import { outermostRun, type PlainData, readData, withinSharedLimits } from "./run-entry.ts";
import type { RunResult, TypedRunResult } from "./run-result.ts";
import { type RunOptions, readSettings, type Settings } from "./run-settings.ts";
import { missingSecrets, requireSecrets } from "./secrets/check-plan-secrets.ts";
import { storedOptions } from "./stored-options.ts";
import { type RunnablePlan, runnablePlan } from "./task-execution/runnable-plan.ts";

/**
 * Runs every task of `plan` once its dependencies are completed; tasks whose status is `completed` already are not run
 * again. Settles when no task is running any more.
 * @returns results in plan order, with why the run ended. A failing task never rejects the call.
 * @throws RuntimeError for invalid input (INVALID_PLAN, INVALID_OPTION, DUPLICATE_RESOURCE), or for a journal that cannot
 *   be written (JOURNAL_*, RUN_EXISTS, LEASE_LOST): nothing more is started then, and what runs is waited for.
 */
export async function run<Output>(plan: TypedPlan<Output>, options: RunOptions): Promise<TypedRunResult<Output>>;
export async function run(plan: TaskDataInput, options: RunOptions): Promise<RunResult>;
export async function run(plan: TaskDataInput, options: RunOptions): Promise<RunResult> {
  return runPlan(plan, options, {});
}

/** As `run`, with values that every task gets unless its own arguments have them (`baseInput`). For `executeModule`. */
export async function runPlan(
  given: TaskDataInput,
  called: RunOptions,
  { baseInput }: { readonly baseInput?: Readonly<Record<string, unknown>> },
): Promise<RunResult> {
  const options = withRunRules(called, given);
  const settings = readSettings(options);
  const runnable = runnablePlan(given, options.variables && readData("variables", options.variables));
  checkVariables(given, runnable.plan, options.variables);
  const open = runnable.plan.planned_tasks.filter(({ status }) => status !== "completed");
  requireSecrets(missingSecrets(open, options.secrets), options.secrets);
  const input = readData("input", options.input ?? {});
  const runId = options.runId ?? newId();
  if (typeof runId !== "string" || runId === "") throw invalid("runId", "a text that is not empty", runId);
  return withinSharedLimits(options, () => beginRun({ runId, runnable, options, settings, input, baseInput }));
}

interface NewRun {
  readonly runId: string;
  readonly runnable: RunnablePlan;
  readonly options: RunOptions;
  readonly settings: Settings;
  readonly input: PlainData;
  readonly baseInput: PlainData | undefined;
}

/** Makes the session of a new run, creates the run in the journal if there is one, and executes it. */
async function beginRun({ runId, runnable, options, settings, input, baseInput }: NewRun): Promise<RunResult> {
  const session = makeSession(runId, runnable, options, settings, input, baseInput);
  checkNamedResources(options, session.plan.registry);
  for (const [number, task] of runnable.plan.planned_tasks.entries()) {
    if (task.status === "completed") restore(session, number, task.output);
  }
  const journal = options.journal && guardJournal(options.journal, options.journalTimeoutMs);
  const outermost = outermostRun(session, options);
  if (journal === undefined) return (await execute(session, unkeptHost(outermost), options.signal)).result;
  letOutputsLeave(session, journal);
  const now = new Date().toISOString();
  const stored: StoredRun = {
    run_id: runId,
    plan: runnable.plan,
    options: storedOptions(
      settings,
      runnable.plan.variables,
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
