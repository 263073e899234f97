import { z } from "zod";
import { PlannerTask } from "./planner-task.ts";

/** Tasks dispatched as one unit. Subgraphs form an acyclic quotient of the plan. */
export const SubGraph = z.object({
  /** Deterministic for a given plan and strategy. */
  subgraph_id: z.string().min(1),
  /** The plan's own task objects, not copies. */
  tasks: z.array(PlannerTask),
  /** Ids of the subgraphs that must end first. */
  dependencies: z.array(z.string()).default([]),
});
export type SubGraph = z.infer<typeof SubGraph>;
