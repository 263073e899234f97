import { isRecord, RetryPolicy } from "@planloom/plan";
import { checkKeys } from "./check-keys.ts";
import { checkOptions } from "./check-options.ts";
import { invalid } from "./invalid-option.ts";
import { retryChecks } from "./options/nested-checks.ts";
import type { RunOptions } from "./options/run/run-options.ts";
import { runOptionChecks } from "./options/run-option-table.ts";
import type { BudgetOptions } from "./ports/budget.ts";
import { readClaim } from "./ports/run-claim.ts";
import { dispatchesSubgraphs } from "./ports/run-semantics.ts";
import { checkSecretsOption } from "./secrets/secrets.ts";
import { checkShared } from "./shared-limits/shared-limits.ts";
import { describe } from "./task-error.ts";

/**
 * Checks the options of a run before anything starts: for callers without types a misspelt `budgets` would limit nothing.
 * @throws RuntimeError INVALID_OPTION for an option that is unknown or of a wrong type
 */
export function checkRunOptions(options: Partial<RunOptions>): void {
  checkOptions("a run", options, runOptionChecks);
  checkSecretsOption(options.secrets);
  checkShared(options.shared, options.tenant);
  readClaim(options);
  checkRetries(options);
  checkDispatch(options);
}

function checkRetries({ retry, retryOn = {} }: Partial<RunOptions>): void {
  checkRetry("retry", retry);
  for (const [name, policy] of Object.entries(retryOn)) {
    if (policy !== false) checkRetry(`retryOn.${name}`, policy);
  }
}

const retryFields = {
  max_attempts: "an integer of at least 1",
  initial_delay_ms: "a number of at least 0",
  backoff_factor: "a number of at least 1",
  max_delay_ms: "a number of at least 0",
} as const satisfies Record<keyof RetryPolicy, string>;

function checkRetry(option: string, policy: unknown): void {
  checkKeys(option, policy, Object.keys(retryChecks));
  const [issue] = policy === undefined ? [] : (RetryPolicy.safeParse(policy).error?.issues ?? []);
  if (issue === undefined) return;
  const field = String(issue.path[0]) as keyof RetryPolicy;
  throw invalid(`${option}.${field}`, retryFields[field], (policy as RetryPolicy)[field]);
}

function checkDispatch({ semantics = "streaming", subgraphs, dispatcher, budgets }: Partial<RunOptions>): void {
  if (dispatchesSubgraphs(semantics) && subgraphs === undefined)
    throw invalid("subgraphs", `given where semantics is ${semantics}`, subgraphs);
  if (dispatcher !== undefined && !dispatchesSubgraphs(semantics))
    throw invalid("semantics", '"atomic" or "pipelined" where there is a dispatcher', semantics);
  if (subgraphs !== undefined) {
    for (const each of subgraphs as readonly unknown[]) checkSubgraph(each);
  }
  checkSubgraphBudgets(budgets, subgraphs);
}

function checkSubgraph(value: unknown): void {
  const whole =
    isRecord(value) &&
    typeof value.subgraph_id === "string" &&
    Array.isArray(value.tasks) &&
    Array.isArray(value.dependencies);
  if (!whole) throw invalid("subgraphs", "a list of { subgraph_id, tasks, dependencies }", value);
}

/** A budget of a subgraph that is not there would limit nothing; a resumed run has its subgraphs from the journal. */
function checkSubgraphBudgets(budgets: BudgetOptions | undefined, subgraphs: RunOptions["subgraphs"] = []): void {
  const ids = new Set(subgraphs.map(({ subgraph_id }) => subgraph_id));
  for (const id of Object.keys(budgets?.subgraphs ?? {})) {
    if (!ids.has(id)) throw invalid("budgets.subgraphs", `by ids of the subgraphs given (${describe([...ids])})`, id);
  }
}
