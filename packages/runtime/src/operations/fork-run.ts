import { checksWithout, newId, type OptionChecks } from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { guardJournal } from "../edge/guard-journal.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { registry } from "../executors/registry.ts";
import type { Journal, NestedRecord, StoredRun, TaskRecord } from "../journal/journal.ts";
import { asOwner, type LeaseOwner } from "../journal/lease.ts";
import { loadRun } from "../journal/load-run.ts";
import { checkTaskId } from "../journal/run-id.ts";
import { JsonCopyError, jsonCopy } from "../json-copy.ts";
import { checkNamedResources } from "../named-resources.ts";
import { type ResumeOptions, resume, resumeOptionChecks } from "../resume.ts";
import type { RunResult } from "../run-result.ts";
import { readSettings } from "../run-settings.ts";
import { missingSecrets, requireSecrets } from "../secrets/check-plan-secrets.ts";
import { storedClaim, withStoredOptions } from "../stored-options.ts";
import { begunCalls } from "../task-execution/begun-calls.ts";
import { checkLengths, type ForkPlace, forkPlace, isKept } from "./fork-place.ts";

export type ForkOptions = Omit<ResumeOptions, "ifDueBy" | "retryFailed"> & {
  /** Of the new run. @default a random id */
  readonly runId?: string | undefined;
  /** Replaces the arguments of `fromTask`. @default as they are */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  /** Fields of the metadata of the new run that replace those of the old one. @default none */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
};

/** What is checked of each option. */
export const forkChecks = {
  ...checksWithout(resumeOptionChecks, "ifDueBy", "retryFailed"),
  runId: "name",
  arguments: "object",
  metadata: "object",
} as const satisfies OptionChecks<ForkOptions>;

/**
 * Begins a new run that keeps what `runId` completed, except for `fromTask` and all that depends on it, and runs the rest.
 * The old run is not touched, and may even be running. Its metadata names the old run as `forked_from`.
 * @param runId the run's whole id.
 * @returns as `resume`; kept tasks are marked `recorded`.
 * @param fromTask a task; an element of one with `for_each` (`fetch[42]`), whose other elements are kept then; or a task or element within
 *   an element (`out[0]/in[1]`), whose neighbours are kept, too, as far as they do not depend on it.
 * @throws RuntimeError TASK_NOT_FOUND for a task that the plan does not have; RUN_NOT_FOUND, RUN_EXISTS, and as `resume`.
 */
export async function fork(runId: string, fromTask: string, options: ForkOptions): Promise<RunResult> {
  checkOptions("`fork`", options, forkChecks);
  checkTaskId(fromTask, "fromTask");
  const { runId: newRunId = newId(), arguments: given, metadata, ...resumeOptions } = options;
  const replaced = given && plainArguments(given);
  const journal = guardJournal(options.journal, options.journalTimeoutMs);
  const old = await loadRun(journal, runId);
  const place = forkPlace(old.run_id, old.plan, fromTask);
  const [again] = place.again as [ReadonlySet<string>];
  if (replaced !== undefined && (place.steps.length > 1 || place.steps[0]!.index !== undefined)) {
    const { task_id } = place.steps.at(-1)!.task;
    throw new RuntimeError(
      RuntimeErrorCode.INVALID_OPTION,
      `Expected no \`arguments\` with "${fromTask}": every element takes its arguments from task "${task_id}" of the plan. Fork from task "${place.steps[0]!.task.task_id}" to replace them.`,
      { details: { option: "arguments" } },
    );
  }
  const records = await journal.getTasks(old.run_id);
  const nested = await journal.getNestedTasks(old.run_id);
  checkLengths(old.run_id, place, records, nested);
  // Before the new run is written.
  await resumeOptions.shared?.checkRoom(resumeOptions.tenant ?? old.options.tenant);
  readSettings(withStoredOptions(resumeOptions, old));
  checkNamedResources(resumeOptions, registry(options.executors));
  checkNamedResources({ ...options.atLeast, executors: options.executors }, registry(options.executors));
  const rerun = old.plan.planned_tasks.filter(({ task_id }) => again.has(task_id));
  const changed = rerun.map((task) => ({
    ...task,
    ...(task.task_id === fromTask && replaced && { arguments: { ...replaced } }),
  }));
  requireSecrets(missingSecrets(changed, options.secrets), options.secrets);
  const now = new Date().toISOString();
  const forked: StoredRun = {
    run_id: newRunId,
    plan: {
      ...old.plan,
      planned_tasks: old.plan.planned_tasks.map((task) => ({
        ...task,
        ...(again.has(task.task_id) && task.status !== "pending" && { status: "pending" as const, output: {} }),
        ...(task.task_id === fromTask && replaced !== undefined && { arguments: { ...replaced } }),
      })),
    },
    options: {
      ...old.options,
      ...storedClaim(resumeOptions),
      metadata: { ...old.options.metadata, ...metadata, forked_from: { run_id: old.run_id, task_id: fromTask } },
    },
    status: "running",
    created_at: now,
    updated_at: now,
  };
  await asOwner((owner) => copyRun(journal, old.run_id, forked, { place, records, nested }, owner));
  return resume(newRunId, resumeOptions);
}

/** What the old run has, and where the new one begins. */
interface Copied {
  readonly place: ForkPlace;
  readonly records: readonly TaskRecord[];
  readonly nested: readonly NestedRecord[];
}

/** Writes the new run with what it keeps; it can be resumed from then on, also after a crash. */
async function copyRun(
  journal: Journal,
  oldId: string,
  forked: StoredRun,
  { place, records, nested }: Copied,
  owner: LeaseOwner,
): Promise<void> {
  await journal.createRun(forked, owner);
  const kept = records.filter(({ task_id, status }) => status === "completed" && isKept(place, [], task_id));
  // Times are those of another run's session.
  await journal.record(
    forked.run_id,
    owner,
    kept.map(({ timing: _, usage: __, ...record }) => record),
  );
  const within = keptWithin(place, kept, nested);
  if (within.length > 0) {
    await journal.recordNested(
      forked.run_id,
      owner,
      within.map(({ record: { timing: _, usage: __, ...record }, ...where }) => ({ ...where, record })),
    );
  }
  // Calls whose outcome is unknown: it stays so. What is executed again from here on was asked for.
  const begun = begunCalls(records, nested, await journal.getPendingUsage(oldId));
  const unknown = begun.filter(({ path, task_id }) => isKept(place, path, task_id));
  const usage = { calls: 0, tokens: 0, cost: 0, seconds: 0 };
  if (unknown.length > 0)
    await journal.beginCalls(
      forked.run_id,
      owner,
      unknown.map((call) => ({ ...call, usage })),
    );
  await journal.endRun(forked.run_id, owner, "shut_down");
}

/** What is completed and kept, and all that ended within it: of a completed list also the elements that failed or were skipped. */
function keptWithin(
  place: ForkPlace,
  kept: readonly TaskRecord[],
  nested: readonly NestedRecord[],
): readonly NestedRecord[] {
  const inside = nested.filter(({ path, record }) => {
    return record.status === "completed" && isKept(place, path, record.task_id);
  });
  const whole = new Set([
    ...kept.map(({ task_id }) => JSON.stringify([task_id])),
    ...inside.map(({ path, record }) => JSON.stringify([...path, record.task_id])),
  ]);
  return nested.filter(({ path, record }) => {
    if (record.status === "completed") return isKept(place, path, record.task_id);
    const ended = record.status === "failed" || record.status === "skipped";
    return ended && path.some((_, level) => whole.has(JSON.stringify(path.slice(0, level + 1))));
  });
}

/** As the journal has them. @throws RuntimeError INVALID_OPTION */
function plainArguments(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  try {
    return jsonCopy(given, { maxBytes: Number.POSITIVE_INFINITY, finite: true }).value as Readonly<
      Record<string, unknown>
    >;
  } catch (error) {
    if (!(error instanceof JsonCopyError)) throw error;
    throw new RuntimeError(RuntimeErrorCode.INVALID_OPTION, `Expected \`arguments\` to be JSON: ${error.message}`, {
      details: { option: "arguments" },
      cause: error,
    });
  }
}
