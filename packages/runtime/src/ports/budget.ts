import { checkKeys, checkRecord } from "../check-keys.ts";
import { invalid } from "../invalid-option.ts";
import { type Budget, budgetUnits } from "./amounts.ts";

/** What a run, its subgraphs and its resources may use at most. */
export interface BudgetOptions {
  /** The budget of the run, with the plans nested in it and its earlier sessions. */
  readonly run?: Budget;
  /** By `subgraph_id`. */
  readonly subgraphs?: Readonly<Record<string, Budget>>;
  /** By id of the resource, as `limits.resources`. */
  readonly resources?: Readonly<Record<string, Budget>>;
  /**
   * Whether `estimate_data` of tasks is reserved in place of what their executors estimate, lower amounts too. Only for plans that
   * you wrote yourself: a model's plan could then spend more than the budget with every call that runs at once.
   * @default false: it may raise what is reserved, but never lower it
   */
  readonly trustPlanEstimates?: boolean;
}

/** @throws RuntimeError INVALID_OPTION */
export function checkBudgets(options: BudgetOptions): void {
  checkKeys("budgets", options, ["run", "subgraphs", "resources", "trustPlanEstimates"]);
  const { run, subgraphs, resources, trustPlanEstimates } = options;
  if (trustPlanEstimates !== undefined && typeof trustPlanEstimates !== "boolean")
    throw invalid("budgets.trustPlanEstimates", "true or false", trustPlanEstimates);
  checkRecord("budgets.subgraphs", subgraphs);
  checkRecord("budgets.resources", resources);
  if (run !== undefined) checkBudget("budgets.run", run);
  for (const [id, budget] of Object.entries(subgraphs ?? {})) checkBudget(`budgets.subgraphs.${id}`, budget);
  for (const [id, budget] of Object.entries(resources ?? {})) checkBudget(`budgets.resources.${id}`, budget);
}

/** @param others names of what else it may have @throws RuntimeError INVALID_OPTION */
export function checkBudget(option: string, budget: Budget, others: readonly string[] = []): void {
  checkKeys(option, budget, [...budgetUnits, ...others]);
  for (const unit of budgetUnits) {
    const limit = budget[unit];
    if (limit !== undefined && !(typeof limit === "number" && limit >= 0)) {
      throw invalid(`${option}.${unit}`, "a number of at least 0", limit);
    }
  }
}
