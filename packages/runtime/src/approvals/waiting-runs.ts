import type { OptionChecks } from "@planloom/plan";
import { checkOptions, ofJournal } from "../check-options.ts";
import { guardJournal } from "../edge/guard-journal.ts";
import { RuntimeError } from "../errors.ts";
import type { Journal, RunSummary } from "../journal/journal.ts";
import type { RunFilter } from "../journal/run-filter.ts";
import type { WaitingCall } from "../journal/waiting-call.ts";
import { waitingFor } from "./approvals.ts";

export interface WaitingRunsOptions extends Omit<RunFilter, "status"> {
  readonly journal: Journal;
  /** How long one call of the journal may take, in milliseconds. @default 30_000 */
  readonly journalTimeoutMs?: number | undefined;
}

const checks = {
  ...ofJournal,
  planId: "own",
  tenant: "own",
  title: "own",
  metadata: "own",
  createdAfter: "time",
  createdBefore: "time",
  updatedAfter: "time",
  updatedBefore: "time",
} as const satisfies OptionChecks<WaitingRunsOptions>;

/** A run that waits for a person. */
export interface WaitingRun {
  readonly run: RunSummary;
  /** The calls that people are asked about, as `waitingFor` lists them, without those that are answered already. Empty where the run cannot be read. */
  readonly calls: readonly WaitingCall[];
  /** Why the run cannot be read. Other runs are listed all the same. */
  readonly error?: RuntimeError;
}

/**
 * Everything that waits for a person, in all runs of a journal that fit the conditions: the newest run first. A run may still be running
 * while a task of it waits.
 * @throws RuntimeError INVALID_OPTION, JOURNAL_*
 */
export async function waitingRuns(options: WaitingRunsOptions): Promise<readonly WaitingRun[]> {
  checkOptions("`waitingRuns`", options, checks);
  const { journal: given, journalTimeoutMs, ...filter } = options;
  const journal = guardJournal(given, journalTimeoutMs);
  const runs = await journal.listRuns({
    ...filter,
    status: ["waiting_approval", "running", "interrupted"],
    limit: Number.POSITIVE_INFINITY,
  });
  const waiting: WaitingRun[] = [];
  for (const run of runs) {
    try {
      const calls = (await waitingFor(run.run_id, { journal })).filter(({ answer }) => answer === undefined);
      if (calls.length > 0) waiting.push({ run, calls });
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error;
      // Deleted meanwhile.
      if (error.code !== "RUNTIME_RUN_NOT_FOUND") waiting.push({ run, calls: [], error });
    }
  }
  return waiting;
}
