import { planExecuteChecks, resumeLoopChecks } from "./loop/plan-execute.ts";
import { dryRunChecks } from "./operations/dry-run.ts";
import { forkChecks } from "./operations/fork-run.ts";
import { budgetChecks, scopeChecks, sharedBudgetChecks } from "./options/nested-checks.ts";
import { runOptionChecks } from "./options/run-option-table.ts";
import { resumeOptionChecks } from "./resume.ts";

/** What is checked of the options of each call, for whoever takes them on its behalf. */
export const runtimeChecks = {
  run: runOptionChecks,
  resume: resumeOptionChecks,
  fork: forkChecks,
  dryRun: dryRunChecks,
  planExecute: planExecuteChecks,
  resumePlanExecute: resumeLoopChecks,
  budgets: budgetChecks,
  sharedBudgets: sharedBudgetChecks,
  tenant: scopeChecks,
} as const;
