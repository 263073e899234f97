import { checkedAlike, executionKinds } from "@planloom/plan";
import { budgetUnits } from "../ports/amounts.ts";
import { errorClasses } from "../ports/error-class.ts";

// The names of what stands within options, so that a misspelt one is refused with them. Values are checked where they are read.

const budget = { options: checkedAlike(budgetUnits, "own") } as const;
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

export const limitChecks = {
  kinds: { options: checkedAlike(executionKinds, "own") },
  resources: "object",
  rates: { each: { limit: "own", intervalMs: "own" } },
} as const;

export const retryChecks = checkedAlike(["max_attempts", "initial_delay_ms", "backoff_factor", "max_delay_ms"], "own");

export const retryOnChecks = checkedAlike(errorClasses, "own");

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

/** What the runs of one tenant, or of all, may do together. */
export const scopeChecks = {
  concurrency: "count",
  limits: { options: limitChecks },
  budgets: { options: sharedBudgetChecks },
  maxRuns: "count",
  maxQueuedRuns: "wholeNumber",
} as const;
