import { planExecuteChecks, resumeLoopChecks } from "./loop/plan-execute.ts";
import { dryRunChecks } from "./operations/dry-run.ts";
import { forkChecks } from "./operations/fork-run.ts";
import { budgetChecks, scopeChecks, sharedBudgetChecks, tenantChecks } from "./options/nested-checks.ts";
import { runOptionChecks } from "./options/run-option-table.ts";
import { resumeOptionChecks } from "./resume.ts";

/** The checks of the options of each function of the runtime, for packages that take these options and pass them on. */
export const runtimeChecks = {
  run: runOptionChecks,
  resume: resumeOptionChecks,
  fork: forkChecks,
  dryRun: dryRunChecks,
  planExecute: planExecuteChecks,
  resumePlanExecute: resumeLoopChecks,
  budgets: budgetChecks,
  sharedBudgets: sharedBudgetChecks,
  scope: scopeChecks,
  tenant: tenantChecks,
} as const;
