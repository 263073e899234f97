import type { Resource } from "@planloom/plan";
import { StepPlanner, type StepPlannerOptions } from "./step-planner.ts";
import { subPlanners } from "./sub-planners.ts";

/** Stage 2 for agents: which agent is sent which message. */
export class AgentsPlanner extends StepPlanner {
  constructor(options: StepPlannerOptions) {
    super(subPlanners.agent, options);
  }

  /** Sets the agents to choose from; other resources are left out. Returns their description. */
  prepareAgents(resources: readonly Resource[]): string {
    return this.prepare(resources);
  }
}
