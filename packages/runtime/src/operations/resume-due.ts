import { checksWithout, type OptionChecks } from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { guardJournal } from "../edge/guard-journal.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import type { Journal } from "../journal/journal.ts";
import { metadataMatcher, type RunFilter } from "../journal/run-filter.ts";
import type { DueRun } from "../journal/stored-wait.ts";
import { type ResumeOptions, resumeChecked, resumeOptionChecks } from "../resume.ts";
import type { RunResult } from "../run-result.ts";
import { requireWaits } from "../waiting/wait-keeper.ts";

export interface DueOptions {
  /** At most so many runs. @default 100 */
  readonly limit?: number | undefined;
  /** For so long the runs are given to no other process, in milliseconds: until then they should have been resumed. @default 60_000 */
  readonly holdMs?: number | undefined;
  /** Fields of the run's metadata with the values that they must have; other runs are left for other processes. @default any run */
  readonly withMetadata?: RunFilter["metadata"];
}

export const dueChecks = {
  limit: "count",
  holdMs: "positive",
  withMetadata: "object",
} as const satisfies OptionChecks<DueOptions>;

/**
 * Runs in which a wait is due or a signal has come, and that no process executes: due longest first. Each is given to one process; resume it with
 * `ifDueBy`, so that it is woken once even where this takes longer than `holdMs`.
 * @throws RuntimeError NO_WAITS, JOURNAL_*, INVALID_OPTION
 */
export async function claimDueRuns(
  given: DueOptions & { readonly journal: Journal; readonly journalTimeoutMs?: number | undefined },
): Promise<readonly DueRun[]> {
  checkOptions("`claimDueRuns`", given, { ...dueChecks, journal: "own", journalTimeoutMs: "own" });
  const { limit = 100, holdMs = 60_000, withMetadata: metadata } = given;
  metadataMatcher(metadata, "withMetadata");
  const journal = requireWaits(guardJournal(given.journal, given.journalTimeoutMs));
  return journal.claimDueRuns({ now: Date.now(), limit, holdMs, ...(metadata !== undefined && { metadata }) });
}

export interface ResumeDueOptions extends Omit<ResumeOptions, "ifDueBy" | "retryFailed">, DueOptions {
  /** How many runs are resumed at once. @default 4 */
  readonly runsAtOnce?: number | undefined;
}

const checks = {
  ...checksWithout(resumeOptionChecks, "retryFailed"),
  ...dueChecks,
  runsAtOnce: "count",
} as const satisfies OptionChecks<ResumeDueOptions & Pick<ResumeOptions, "ifDueBy">>;

/** A run that was woken: how it ended then, or why it could not be resumed. */
export type WokenRun = { readonly run_id: string; readonly due_at: number } & (
  | { readonly result: RunResult }
  | { readonly error: unknown }
);

/**
 * Resumes the runs in which something is due: a time that has come, a deadline that has passed, a signal. Several processes may do so at the same time: each
 * run is woken by one of them. A run that cannot be resumed is tried again by a later call, after `holdMs`.
 * @returns the runs that were woken, due longest first
 * @throws RuntimeError NO_WAITS, JOURNAL_*, INVALID_OPTION
 */
export async function resumeDue(given: ResumeDueOptions): Promise<readonly WokenRun[]> {
  checkOptions("`resumeDue`", given, checks);
  const { limit, holdMs, withMetadata, runsAtOnce = 4, ...options } = given;
  const { journal, journalTimeoutMs, signal } = options;
  const due = await claimDueRuns({ journal, journalTimeoutMs, limit, holdMs, withMetadata });
  return wakeRuns(due, runsAtOnce, signal, (runId, ifDueBy) => resumeChecked(runId, { ...options, ifDueBy }));
}

/** Resumes each run once, several at a time; those that another process was faster with are left out. */
export async function wakeRuns(
  due: readonly DueRun[],
  atOnce: number,
  signal: AbortSignal | undefined,
  resumeRun: (runId: string, ifDueBy: number) => Promise<RunResult>,
): Promise<readonly WokenRun[]> {
  const woken = new Array<WokenRun | undefined>(due.length).fill(undefined);
  let next = 0;
  const work = async () => {
    while (next < due.length && signal?.aborted !== true) {
      const place = next++;
      const { run_id, due_at } = due[place]!;
      try {
        woken[place] = { run_id, due_at, result: await resumeRun(run_id, Date.now()) };
      } catch (error) {
        if (!isOthers(error)) woken[place] = { run_id, due_at, error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, due.length) }, work));
  return woken.filter((each) => each !== undefined);
}

/** Another process has it, has woken it, or has deleted it. */
function isOthers(error: unknown): boolean {
  return error instanceof RuntimeError && othersCodes.has(error.code);
}

const othersCodes: ReadonlySet<string> = new Set([
  RuntimeErrorCode.NOT_DUE,
  RuntimeErrorCode.RUN_LEASED,
  RuntimeErrorCode.RUN_NOT_FOUND,
]);
