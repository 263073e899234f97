import { readTime } from "@planloom/plan";
import { RunClaim } from "@planloom/plan/internals";
import { invalid } from "../invalid-option.ts";

/** Whose turn it is among the runs of one tenant that share limits. */
export interface TurnOptions {
  /** Calls of runs with a higher one go first. Every fourth turn goes by weight alone. @default 0 */
  readonly priority?: number | undefined;
  /** Its share of slots beside runs with as strong a claim, above 0: with 2 it gets twice the slot time of one with 1. @default 1 */
  readonly weight?: number | undefined;
  /**
   * When the run should have ended; of runs with the same priority the one with the earliest goes first, and one with none last. Nothing is cancelled when
   * it is over. A `Date`, milliseconds since the epoch, or ISO 8601 with a zone. @default none
   */
  readonly deadline?: Date | string | number | undefined;
}

/** @throws RuntimeError INVALID_OPTION */
export function readClaim({ priority = 0, weight = 1, deadline }: TurnOptions): RunClaim {
  if (typeof priority !== "number" || !Number.isFinite(priority))
    throw invalid("priority", "a number, higher for what goes first", priority);
  checkWeight("weight", weight);
  return new RunClaim({ priority, weight, deadlineMs: readDeadline(deadline) });
}

/** @throws RuntimeError INVALID_OPTION */
export function checkWeight(option: string, weight: unknown): void {
  if (typeof weight !== "number" || !(weight > 0) || weight === Number.POSITIVE_INFINITY)
    throw invalid(option, "a number above 0 that is not infinite", weight);
}

/** As milliseconds since the epoch; `Infinity` for none. @throws RuntimeError INVALID_OPTION */
export function readDeadline(deadline: TurnOptions["deadline"]): number {
  if (deadline === undefined) return Number.POSITIVE_INFINITY;
  const ms = typeof deadline === "string" ? (readTime(deadline) ?? Number.NaN) : timeOf(deadline);
  // Beyond what a `Date` can be there is no time that could be kept.
  if (!Number.isNaN(new Date(ms).getTime())) return ms;
  throw invalid(
    "deadline",
    "a Date, milliseconds since the epoch, or ISO 8601 with a date, a time and a zone (2026-12-01T09:00:00Z)",
    deadline,
  );
}

/** Without types anything comes: `Number` makes a time of null, too. */
function timeOf(deadline: unknown): number {
  return deadline instanceof Date || typeof deadline === "number" ? Number(deadline) : Number.NaN;
}
