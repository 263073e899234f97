import type { Resource } from "@planloom/plan";
import { StepPlanner, type StepPlannerOptions } from "./step-planner.ts";
import { subPlanners } from "./sub-planners.ts";

/** Stage 2 for language models: which one infers on which input. */
export class LLMSelectorPlanner extends StepPlanner {
  constructor(options: StepPlannerOptions) {
    super(subPlanners.llm, options);
  }

  /** Sets the models to choose from; other resources are left out. Returns their description. */
  prepareLlms(resources: readonly Resource[]): string {
    return this.prepare(resources);
  }
}
