import type { OptionChecks } from "@planloom/plan";
import { cancellableRuns } from "../cancellable-runs.ts";
import { checkOptions, ofJournal } from "../check-options.ts";
import { guardJournal } from "../edge/guard-journal.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { invalid } from "../invalid-option.ts";
import type { CancelMode, Journal, StoredEvent, StoredRun } from "../journal/journal.ts";
import { asOwner, type LeaseOwner } from "../journal/lease.ts";
import { loadRun } from "../journal/load-run.ts";
import { openStatuses } from "../journal/run-filter.ts";
import type { StoredCertificate } from "../journal/stored-run.ts";
import { firstSeq } from "../plan-execution/first-seq.ts";
import { isStopped } from "../stop-reason.ts";

export interface CancelOptions {
  readonly journal: Journal;
  /** Limit for one call of the journal, in milliseconds. @default 30_000 */
  readonly journalTimeoutMs?: number | undefined;
  /**
   * `now` stops what runs, and the run ends as `cancelled`. `drain` lets running calls end and starts nothing more, and the run
   * ends as `drained`; of a run whose subgraphs go whole, each running subgraph ends.
   * @default "now"
   */
  readonly mode?: CancelMode;
}

const checks = { ...ofJournal, mode: "own" } as const satisfies OptionChecks<CancelOptions>;

export interface CancelledRun {
  readonly run_id: string;
  /**
   * `cancelled`, `drained`: it is. `requested`: the process that runs it was notified, in this process at once, in another with the next renewal
   * of its lease (within five seconds); it ends when what runs has stopped.
   */
  readonly state: "cancelled" | "drained" | "requested";
}

/**
 * Cancels or drains a run from outside: one that runs here or in another process, one that waits for approval, one that was interrupted.
 * What was completed is kept; `resume` continues with it all the same. A run that was drained or shut down is cancelled with `now`, so
 * that no program resumes it by itself.
 * @param runId the run's whole id.
 * @throws RuntimeError RUN_NOT_FOUND; NOT_RUNNING for a run that has ended
 */
export async function cancelRun(runId: string, options: CancelOptions): Promise<CancelledRun> {
  checkOptions("`cancelRun`", options, checks);
  const { mode = "now" } = options;
  const journal = guardJournal(options.journal, options.journalTimeoutMs);
  if (mode !== "now" && mode !== "drain") throw invalid("mode", '"now" or "drain"', mode);
  const run = await loadRun(journal, runId);
  const { run_id, status } = run;
  if (!openStatuses.has(status) || (mode === "drain" && isStopped(status))) {
    throw new RuntimeError(RuntimeErrorCode.NOT_RUNNING, `Run ${run_id} has ended already (${status}).`, {
      details: { run_id, status },
    });
  }
  const here = cancellableRuns.find(journal, run_id);
  if (here !== undefined) {
    here(mode);
    return { run_id, state: "requested" };
  }
  if (await journal.requestCancel(run_id, mode)) return { run_id, state: "requested" };
  // No process executes it: it waits, or its process is gone.
  const state = mode === "drain" ? "drained" : "cancelled";
  await asOwner(async (owner) => {
    await journal.openRun(run_id, owner);
    const certificate = await tellOfEnd(journal, run, owner, state);
    await journal.endRun(run_id, owner, state, certificate);
  });
  return { run_id, state };
}

/**
 * Keeps the last event of a run, for those who follow it, where the journal keeps events.
 * @returns the certificate, whose next session begins after that event
 */
async function tellOfEnd(
  journal: Journal,
  run: StoredRun,
  owner: LeaseOwner,
  endReason: "cancelled" | "drained",
): Promise<StoredCertificate | undefined> {
  const { run_id, certificate } = run;
  if (journal.storesEvents !== true || journal.addEvents === undefined) return certificate;
  const seq = firstSeq(run);
  const achievedMs = certificate?.achieved_ms ?? 0;
  const event: StoredEvent = {
    type: "run-end",
    endReason,
    achievedMs,
    runId: run_id,
    seq,
    at: 0,
    timestamp: Date.now(),
  };
  await journal.addEvents(run_id, owner, [event]);
  return certificate && { ...certificate, next_seq: seq + 1 };
}
