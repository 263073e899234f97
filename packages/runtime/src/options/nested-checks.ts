import { type ExecutionKind, executionKinds, type OptionCheck } from "@planloom/plan";
import type { AdaptiveDispatchOptions } from "../ports/adaptive-dispatch.ts";
import type { BudgetUnit } from "../ports/amounts.ts";
import type { DispatchPrediction } from "../ports/dispatch-prediction.ts";
import type { ErrorClass } from "../ports/error-class.ts";

// The names of options within options, so that a misspelt one is refused with them. Values are checked where they are read.
// Nothing is imported but types: the command line reads the table for its help, before anything else is loaded.

/** Where runs are kept. */
export const isJournal = {
  method: "createRun",
  expected: "a journal (SqliteJournal.open(file), memoryJournal())",
} as const;

/** How subgraphs are regrouped during a run. */
export const adaptiveChecks = {
  estimatesMs: "object",
  toleranceMs: "nonNegative",
  patienceMs: "nonNegative",
} as const satisfies Record<keyof AdaptiveDispatchOptions, OptionCheck>;

/** What was predicted of dispatched subgraphs. */
export const predictionChecks = {
  predictedMs: { required: "nonNegative" },
  perTaskMs: { required: "nonNegative" },
  lowerBoundMs: "nonNegative",
} as const satisfies Record<keyof DispatchPrediction, OptionCheck>;

const budget = {
  options: { calls: "own", tokens: "own", cost: "own", seconds: "own" } satisfies Record<BudgetUnit, "own">,
} as const;
const sharedBudget = { options: { ...budget.options, perMs: "own" } } as const;

/** What may be spent by one run. */
export const budgetChecks = {
  run: budget,
  subgraphs: { each: budget.options },
  resources: { each: budget.options },
  trustPlanEstimates: "boolean",
} as const;

/** What may be spent by several runs. */
export const sharedBudgetChecks = { total: sharedBudget, resources: { each: sharedBudget.options } } as const;

/** A limit for each kind of resource. */
const kindLimits = Object.fromEntries(executionKinds.map((kind) => [kind, "own"])) as Readonly<
  Record<ExecutionKind, "own">
>;

export const limitChecks = {
  kinds: { options: kindLimits },
  resources: "object",
  rates: { each: { limit: "own", intervalMs: "own" } },
} as const;

export const retryChecks = {
  max_attempts: "own",
  initial_delay_ms: "own",
  backoff_factor: "own",
  max_delay_ms: "own",
} as const;

export const retryOnChecks = {
  timeout: "own",
  rate_limit: "own",
  network: "own",
  server: "own",
  client: "own",
  other: "own",
} as const satisfies Record<ErrorClass, "own">;

export const guardChecks = {
  discovery: "own",
  execution: "own",
  total: "own",
  perToolCap: "own",
  tools: "object",
  precondition: "function",
  groundedNumbers: "boolean",
  classify: "function",
} as const;

export const replanPolicyChecks = {
  on: "own",
  every: "own",
  maxReplans: "own",
  maxStalls: "own",
  scope: "own",
  recursive: "boolean",
  check: "function",
  deadlineMs: "own",
  approval: "own",
  timeoutMs: "own",
} as const;

export const cacheChecks = { resources: "own", store: "object", maxAgeMs: "own", timeoutMs: "own" } as const;

export const approvalChecks = { resources: "own", allow: "own", answers: "list", expiresAfterMs: "own" } as const;

/** What the runs of all may do together. */
export const scopeChecks = {
  concurrency: "count",
  limits: { options: limitChecks },
  budgets: { options: sharedBudgetChecks },
  maxRuns: "count",
  maxQueuedRuns: "wholeNumber",
} as const;

/** What the runs of one tenant may do together. */
export const tenantChecks = { ...scopeChecks, weight: "positive" } as const;
