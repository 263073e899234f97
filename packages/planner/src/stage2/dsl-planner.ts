import type { Resource } from "@planloom/plan";
import { StepPlanner, type StepPlannerOptions } from "./step-planner.ts";
import { subPlanners } from "./sub-planners.ts";

/** Stage 2 for workflows: which one runs on which input, and which module's output is returned. */
export class DSLPlanner extends StepPlanner {
  constructor(options: StepPlannerOptions) {
    super(subPlanners.dsl, options);
  }

  /** Sets the workflows to choose from; other resources are left out. Returns their description. */
  prepareWorkflows(resources: readonly Resource[]): string {
    return this.prepare(resources);
  }
}
