// What a program needs that only plans: loaded in two thirds of the time of the whole. Nothing here executes anything.

export { HttpController, HybridController, LlmController, openaiModel } from "@planloom/controller";
export { EmbeddedController, type EmbeddedControllerOptions } from "@planloom/embedded";
export {
  IssueCode,
  Job,
  loadPlan,
  makeFolder,
  readFileWithin,
  renderAscii,
  savePlan,
  validatePlan,
  variableNames,
} from "@planloom/plan";
export { defineConfig } from "./define-config.ts";
export type { MemoryOptions } from "./memory/memory-options.ts";
export { PlanMemory, type PlanMemoryOptions, type RememberedOf } from "./memory/plan-memory.ts";
export { PlanService, type PlanServiceOptions } from "./plan-service.ts";
export { folderPlans } from "./plan-store.ts";
export { defaultLlmId, standInLlm } from "./stand-in-llm.ts";
