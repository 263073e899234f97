import type { EstimateData, OptionChecks, RetryPolicy } from "@planloom/plan";
import { checkRunOptions } from "./check-run-options.ts";
import { type Confirm, readConfirm } from "./confirm.ts";
import { guardedRandom } from "./edge/guarded-random.ts";
import { invalid } from "./invalid-option.ts";
import {
  approvalChecks,
  budgetChecks,
  cacheChecks,
  guardChecks,
  limitChecks,
  replanPolicyChecks,
  retryChecks,
} from "./options/nested-checks.ts";
import { readDefaulted } from "./options/read-defaulted.ts";
import type { ApprovalOptions, GivenAnswer, RunOptions } from "./options/run/run-options.ts";
import type { DefaultedName, OptionName } from "./options/run-option-table.ts";
import { type BudgetOptions, checkBudgets } from "./ports/budget.ts";
import { type GuardPolicy, readGuardPolicy } from "./ports/guard-policy.ts";
import { type ReplanPolicy, type ReplanSettings, readReplanPolicy } from "./ports/replan-policy.ts";
import type { RetryOn } from "./ports/retry.ts";
import type { CacheOptions } from "./result-cache.ts";
import { type ReadLimits, type RunLimits, readLimits } from "./run-limits.ts";

export type {
  ApprovalOptions,
  FailedAttempt,
  GivenAnswer,
  OnUnknown,
  ResultOutputs,
  RunOptions,
} from "./options/run/run-options.ts";

// Options of a run after they were checked. The options themselves are in options/run/run-options.ts.

/** `true` where two sets of names are the same. */
type Same<A, B> = [A, B] extends [B, A] ? true : false;
// Does not compile where an option has no row in the table, or a row no option.
true satisfies Same<keyof RunOptions, OptionName>;
// Nor where an option has one within it that the table does not know.
approvalChecks satisfies OptionChecks<ApprovalOptions>;
budgetChecks satisfies OptionChecks<BudgetOptions>;
cacheChecks satisfies OptionChecks<CacheOptions>;
guardChecks satisfies OptionChecks<GuardPolicy>;
limitChecks satisfies OptionChecks<RunLimits>;
replanPolicyChecks satisfies OptionChecks<ReplanPolicy>;
retryChecks satisfies OptionChecks<RetryPolicy>;

/** The options whose default the table has, with that default where they are left out. */
type TableSettings = { readonly [Name in DefaultedName]: NonNullable<RunOptions[Name]> };

/** Options with their defaults in place. */
export interface Settings extends TableSettings {
  readonly limits: ReadLimits;
  readonly retryOn: RetryOn | undefined;
  readonly budgets: BudgetOptions | undefined;
  readonly guards: GuardPolicy | undefined;
  /** Whether the run says how long attempts may take. Where it does not, a model has its own limit. */
  readonly taskTimeoutGiven: boolean;
  readonly maxTaskTimeoutMs: number;
  readonly maxAttempts: number;
  readonly bindEstimate: EstimateData | undefined;
  readonly retry: RetryPolicy | undefined;
  readonly replan: ReplanSettings;
  /** False where the caller gave no policy. */
  readonly replanGiven: boolean;
  /** Undefined for the sum of the time limits of the tasks. */
  readonly dispatchTimeoutMs: number | undefined;
  readonly onError: RunOptions["onError"];
  readonly random: () => number;
  readonly confirm: Confirm;
  readonly approval: {
    readonly resources: readonly string[];
    readonly allow: readonly string[];
    readonly answers: readonly GivenAnswer[];
    readonly expiresAfterMs: number;
  };
}

/** @throws RuntimeError INVALID_OPTION */
export function readSettings(options: RunOptions): Settings {
  checkRunOptions(options);
  // Each value went through the check of its row.
  const read = readDefaulted(options) as TableSettings;
  if (options.budgets !== undefined) checkBudgets(options.budgets);
  return {
    ...read,
    limits: readLimits(options.limits, "limits"),
    retryOn: options.retryOn,
    budgets: options.budgets,
    guards: readGuardPolicy(options.guards),
    taskTimeoutGiven: options.taskTimeoutMs !== undefined,
    maxTaskTimeoutMs: options.maxTaskTimeoutMs ?? Math.max(read.taskTimeoutMs, 3_600_000),
    maxAttempts: options.maxAttempts ?? defaultMaxAttempts(options),
    bindEstimate: options.bindEstimate,
    retry: options.retry,
    replan: readReplanPolicy(options.replanPolicy ?? { on: [] }),
    replanGiven: options.replanPolicy !== undefined,
    dispatchTimeoutMs: options.dispatchTimeoutMs,
    onError: options.onError,
    random: options.random === undefined ? Math.random : guardedRandom(options.random),
    approval: readApproval(options.approval),
    confirm: readConfirm(options.confirm),
  };
}

/** A retry policy that the caller gives may exceed the default; one of a task may not. */
function defaultMaxAttempts({ retry, retryOn = {} }: RunOptions): number {
  const policies = [retry, ...Object.values(retryOn)].flatMap((policy) => (policy ? policy.max_attempts : []));
  return Math.max(10, ...policies);
}

function readApproval(options: ApprovalOptions = {}): Settings["approval"] {
  const { resources = [], allow = [], answers = [], expiresAfterMs = Number.POSITIVE_INFINITY } = options;
  if (!(typeof expiresAfterMs === "number" && expiresAfterMs > 0))
    throw invalid("approval.expiresAfterMs", "a number above 0", expiresAfterMs);
  for (const [name, ids] of Object.entries({ resources, allow })) {
    if (!Array.isArray(ids) || ids.some((id) => typeof id !== "string"))
      throw invalid(`approval.${name}`, "a list of ids", ids);
  }
  for (const given of answers) {
    const { task_id, content_hash, answer } = given;
    const whole = typeof task_id === "string" && typeof content_hash === "string";
    if (!whole || (answer !== "approve" && answer !== "deny"))
      throw invalid("approval.answers", "a list of { task_id, content_hash, answer: approve | deny }", given);
  }
  return { resources, allow, answers, expiresAfterMs };
}
