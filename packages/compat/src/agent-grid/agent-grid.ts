import { dialects, normaliseTask } from "@planloom/plan";
import { executionTypeSpellings } from "@planloom/plan/internals";
import { nextTask } from "./next-task.ts";

/** The Agents Planning System's dialect, and what its executor asked of plans. */
export const agentGrid = {
  ...dialects.agentGrid,
  /** One task in any of its spellings as a `PlannerTask`. */
  normaliseTask,
  /** Every spelling of an execution type that is read, and the kind it means. */
  executionTypes: executionTypeSpellings,
  nextTask,
};
