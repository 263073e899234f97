import type { Resource } from "@planloom/plan";
import { StepPlanner, type StepPlannerOptions } from "./step-planner.ts";
import { subPlanners } from "./sub-planners.ts";

/** Stage 2 for tools and functions: which one is called with which arguments. */
export class ToolsPlanner extends StepPlanner {
  constructor(options: StepPlannerOptions) {
    super(subPlanners.tool, options);
  }

  /** Sets the tools to choose from; other resources are left out. Returns their description. */
  prepareTools(resources: readonly Resource[]): string {
    return this.prepare(resources);
  }
}
