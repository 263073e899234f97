import type { OptionChecks } from "@planloom/plan";
import { checkRecord } from "../check-keys.ts";
import { checkOptions, ofJournal } from "../check-options.ts";
import { guardJournal } from "../edge/guard-journal.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { invalid } from "../invalid-option.ts";
import { everyRun } from "../journal/every-run.ts";
import type { Journal, RunSummary } from "../journal/journal.ts";
import { openStatuses, type RunFilter, runStatuses } from "../journal/run-filter.ts";

export interface PruneOptions {
  readonly journal: Journal;
  /** Runs whose last change (their end, as a rule) is longer ago are deleted, in milliseconds. @default no run is too old */
  readonly olderThanMs?: number | undefined;
  /** How many of the newest runs stay; those beyond are deleted. @default any number stays */
  readonly keep?: number | undefined;
  /** Which runs are looked at; others are neither counted nor deleted. @default those that have ended: none that could be resumed */
  readonly filter?: RunFilter | undefined;
  /** Cached outputs that were stored longer ago are deleted, in milliseconds; 0 is all. @default `olderThanMs` */
  readonly cacheOlderThanMs?: number | undefined;
  /** Says what would be deleted and deletes nothing. @default false */
  readonly dryRun?: boolean | undefined;
  /** The present, in milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Limit for one call of the journal, in milliseconds. @default 30_000 */
  readonly journalTimeoutMs?: number | undefined;
}

/** A run that was to be deleted and was not. */
export interface KeptRun {
  readonly run_id: string;
  /** `RUNTIME_RUN_LEASED`: a live process runs it. */
  readonly code: string;
  readonly message: string;
}

export interface PruneResult {
  /** What was deleted, or would be; newest first. */
  readonly deleted: readonly RunSummary[];
  readonly kept: readonly KeptRun[];
  /** Cached outputs that were deleted, or would be, in addition to those of deleted runs. */
  readonly cached: number;
}

const checks = {
  ...ofJournal,
  olderThanMs: "own",
  keep: "own",
  filter: "own",
  cacheOlderThanMs: "own",
  dryRun: "boolean",
  now: "function",
  signal: "signal",
} as const satisfies OptionChecks<PruneOptions>;
const ended = runStatuses.filter((status) => !openStatuses.has(status));

/**
 * Deletes old runs, with all that comes from them. Each limit holds on its own: a run goes if it is too old, or if enough
 * newer ones stay. Runs that are executed, wait for approval or were interrupted are left alone, unless `filter.status` names them.
 * @throws RuntimeError INVALID_OPTION without any limit; JOURNAL_* when the journal cannot be written, which leaves what was
 *   deleted before deleted; rejects with the signal's reason.
 */
export async function pruneRuns(options: PruneOptions): Promise<PruneResult> {
  checkLimits(options);
  const { olderThanMs, keep, filter = {}, dryRun = false, now = Date.now, signal } = options;
  const journal = guardJournal(options.journal, options.journalTimeoutMs);
  const meant: RunSummary[] = [];
  if (olderThanMs !== undefined || keep !== undefined) {
    // As text: an age beyond the epoch makes no run too old.
    const oldest = olderThanMs === undefined ? "" : new Date(Math.max(0, now() - olderThanMs)).toISOString();
    let looked = 0;
    for await (const run of everyRun(journal, { ...filter, status: filter.status ?? ended })) {
      signal?.throwIfAborted();
      looked++;
      if (run.updated_at < oldest || looked > (keep ?? Number.POSITIVE_INFINITY)) meant.push(run);
    }
  }
  const deleted: RunSummary[] = [];
  const kept: KeptRun[] = [];
  for (const run of dryRun ? [] : meant) {
    signal?.throwIfAborted();
    try {
      await journal.deleteRun(run.run_id, { compact: false });
      deleted.push(run);
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error;
      const { code, message } = error;
      if (code === RuntimeErrorCode.RUN_LEASED) kept.push({ run_id: run.run_id, code, message });
      // Another process deleted it meanwhile.
      else if (code !== RuntimeErrorCode.RUN_NOT_FOUND) throw error;
    }
  }
  const cached = await purgeCache({ ...options, journal }, now());
  if (!dryRun) await journal.compact?.();
  return { deleted: dryRun ? meant : deleted, kept, cached };
}

async function purgeCache(options: PruneOptions, now: number): Promise<number> {
  const { journal, olderThanMs, cacheOlderThanMs = olderThanMs, dryRun } = options;
  if (cacheOlderThanMs === undefined) return 0;
  const storedBefore = cacheOlderThanMs === 0 ? undefined : now - cacheOlderThanMs;
  return (await journal.purgeCache?.({ storedBefore, dryRun })) ?? 0;
}

function checkLimits(options: PruneOptions): void {
  checkOptions("`pruneRuns`", options, checks);
  checkRecord("filter", options.filter);
  for (const name of ["olderThanMs", "cacheOlderThanMs"] as const) {
    const limit = options[name];
    if (limit !== undefined && !(Number.isFinite(limit) && limit >= 0))
      throw invalid(name, "a number of milliseconds of at least 0", limit);
  }
  const { keep, olderThanMs, cacheOlderThanMs } = options;
  if (keep !== undefined && !(Number.isInteger(keep) && keep >= 0))
    throw invalid("keep", "an integer of at least 0", keep);
  if (keep === undefined && olderThanMs === undefined && cacheOlderThanMs === undefined)
    throw invalid(
      "olderThanMs",
      "given, or `keep`, or `cacheOlderThanMs`: without a limit nothing would be deleted",
      undefined,
    );
}
