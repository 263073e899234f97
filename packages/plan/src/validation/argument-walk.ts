import type { PlanIssue } from "../issue.ts";
import type { PathSegment } from "../references/reference.ts";
import type { PlanFacts, TaskReferences } from "./plan-facts.ts";
import type { Repairs } from "./repairs.ts";
import type { ValidationOptions } from "./validation-options.ts";

/** What the walk through one task's arguments carries along. */
export interface ArgumentWalk {
  readonly task: number;
  readonly taskId: string;
  readonly references: TaskReferences;
  readonly facts: PlanFacts;
  readonly repairs: Repairs;
  readonly options: ValidationOptions;
  readonly issues: PlanIssue[];
  /** Where the walk is; grows and shrinks with it. */
  readonly path: PathSegment[];
}
