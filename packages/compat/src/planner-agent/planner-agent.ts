import { dialects } from "@planloom/plan";
import {
  checkPlannerAgentPlan,
  inferStepDependencies,
  PlannerAgentPlan,
  parsePlannerAgentPlan,
} from "@planloom/plan/internals";
import { plannerAgentRunError, writePlannerAgentResults } from "./results.ts";
import { extractStepTemplates, hasStepTemplate, resolveStepTemplates, validateStepTemplates } from "./templates.ts";
import { plannerAgentTools } from "./tools.ts";

/** The Planner Agent's dialect, and what its planner, resolver and executor did with plans. */
export const plannerAgent = {
  ...dialects.plannerAgent,
  /** A plan as it is written, as a zod schema. */
  planSchema: PlannerAgentPlan,
  parsePlan: parsePlannerAgentPlan,
  /** Its tools, which answer `{ success, data }`, as `defineTool` takes them. */
  tools: plannerAgentTools,
  /** Its checks on a plan as written: numbers in range, order, templates. */
  checkPlan: checkPlannerAgentPlan,
  /** A run's results in its form: `{ success, data }` for each step. */
  writeResults: writePlannerAgentResults,
  /** Why a plan did not run at all, in its words. */
  runError: plannerAgentRunError,
  hasTemplate: hasStepTemplate,
  extractTemplates: extractStepTemplates,
  inferDependencies: inferStepDependencies,
  resolveTemplates: resolveStepTemplates,
  validateTemplates: validateStepTemplates,
};
