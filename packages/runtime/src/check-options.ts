import { isRecord, RetryPolicy } from "@planloom/plan";
import { checkNames } from "./check-call-options.ts";
import { checkFunction, checkKeys, checkRecord } from "./check-keys.ts";
import { invalid } from "./invalid-option.ts";
import type { OptionCheck, OptionRow } from "./options/option-row.ts";
import type { RunOptions } from "./options/run/run-options.ts";
import { optionNames, runOptionTable } from "./options/run-option-table.ts";
import type { BudgetOptions } from "./ports/budget.ts";
import { errorClasses } from "./ports/error-class.ts";
import { checkSecretsOption } from "./secrets/secrets.ts";
import { checkShared } from "./shared-limits/shared-limits.ts";
import { describe } from "./task-error.ts";

/**
 * Without types a misspelt `budgets` would limit nothing.
 * @throws RuntimeError INVALID_OPTION for an unknown option
 */
export function checkOptionNames(options: object): void {
  checkNames("a run", options, optionNames);
}

type Shapes = Partial<RunOptions>;

/** Names of the options whose shape is this one, by the table. */
const shaped = (check: OptionCheck) =>
  optionNames.filter((name) => (runOptionTable[name] as OptionRow).check === check);
const records = shaped("object");
const functions = shaped("function");
const signals = shaped("signal");

/**
 * Shapes of options that callers without types get wrong, told before anything starts. Ranges of numbers are checked where
 * they are read.
 * @throws RuntimeError INVALID_OPTION
 */
export function checkShapes(options: Shapes): void {
  if (!Array.isArray(options.executors)) throw invalid("executors", "a list of executors", options.executors);
  for (const name of records) checkRecord(name, options[name]);
  for (const name of functions) checkFunction(name, options[name]);
  const { journal, approval, cache } = options;
  for (const name of signals) {
    const signal = options[name] as Partial<AbortSignal> | null | undefined;
    if (signal !== undefined && typeof signal?.addEventListener !== "function")
      throw invalid(name, "an AbortSignal", signal);
  }
  if (journal !== undefined && typeof journal?.createRun !== "function")
    throw invalid("journal", "a journal (SqliteJournal.open(file), memoryJournal())", journal);
  checkSecretsOption(options.secrets);
  checkShared(options.shared, options.tenant);
  checkKeys("approval", approval, ["resources", "allow", "answers", "expiresAfterMs"]);
  checkKeys("cache", cache, ["resources", "store", "maxAgeMs", "timeoutMs"]);
  checkRetries(options);
  checkDispatch(options);
}

function checkRetries({ retry, retryOn = {} }: Shapes): void {
  checkRetry("retry", retry);
  checkKeys("retryOn", retryOn, errorClasses);
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
  checkKeys(option, policy, Object.keys(retryFields));
  const [issue] = policy === undefined ? [] : (RetryPolicy.safeParse(policy).error?.issues ?? []);
  if (issue === undefined) return;
  const field = String(issue.path[0]) as keyof RetryPolicy;
  throw invalid(`${option}.${field}`, retryFields[field], (policy as RetryPolicy)[field]);
}

function checkDispatch({ semantics = "streaming", subgraphs, dispatcher, budgets }: Shapes): void {
  if (semantics !== "streaming" && semantics !== "atomic")
    throw invalid("semantics", '"streaming" or "atomic"', semantics);
  if (semantics === "atomic" && subgraphs === undefined)
    throw invalid("subgraphs", "given where semantics is atomic", subgraphs);
  if (dispatcher !== undefined && typeof dispatcher?.dispatch !== "function")
    throw invalid("dispatcher", "a dispatcher ({ name, dispatch })", dispatcher);
  if (dispatcher !== undefined && semantics !== "atomic")
    throw invalid("semantics", '"atomic" where there is a dispatcher', semantics);
  if (subgraphs !== undefined) {
    if (!Array.isArray(subgraphs)) throw invalid("subgraphs", "a list of subgraphs", subgraphs);
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
function checkSubgraphBudgets(budgets: BudgetOptions | undefined, subgraphs: Shapes["subgraphs"] = []): void {
  const ids = new Set(subgraphs.map(({ subgraph_id }) => subgraph_id));
  for (const id of Object.keys(budgets?.subgraphs ?? {})) {
    if (!ids.has(id)) throw invalid("budgets.subgraphs", `by ids of the subgraphs given (${describe([...ids])})`, id);
  }
}
