/** Codes of `PlanIssue`. Stable; new ones may come. */
export const IssueCode = {
  /** A field has the wrong type or is missing; `argument_path` is its path in the record. */
  SCHEMA: "schema",
  /** A field of a plan file that nothing reads, `argument_path`; it is left out. */
  UNKNOWN_FIELD: "unknown_field",
  PLAN_EMPTY: "plan_empty",
  DUPLICATE_TASK: "duplicate_task",
  /** Two of task id, result variable, plan variable and `input` have one name. */
  NAME_COLLISION: "name_collision",
  UNKNOWN_DEPENDENCY: "unknown_dependency",
  SELF_DEPENDENCY: "self_dependency",
  /** `actual` is the path of the cycle, ids joined by " -> ". */
  CYCLE: "cycle",
  UNKNOWN_TOOL: "unknown_tool",
  UNKNOWN_AGENT: "unknown_agent",
  UNKNOWN_LLM: "unknown_llm",
  UNKNOWN_DSL: "unknown_dsl",
  /** No resource of this kind exists at all, or `execution_type` and `sub_type` are both open. */
  NO_RESOURCE: "no_resource",
  /** A resource's own schema cannot be read. */
  RESOURCE_SCHEMA: "resource_schema",
  /** A resource's own schema cannot be applied: for this value it would take too long, or it is too large for how it is written. */
  SCHEMA_BUDGET: "schema_budget",
  MISSING_ARGUMENT: "missing_argument",
  UNKNOWN_ARGUMENT: "unknown_argument",
  INVALID_ARGUMENT: "invalid_argument",
  REFERENCE_SYNTAX: "reference_syntax",
  UNKNOWN_REFERENCE: "unknown_reference",
  /** The source's output schema has no such path. */
  UNKNOWN_OUTPUT: "unknown_output",
  TYPE_MISMATCH: "type_mismatch",
  /** A `{"$secret": …}` whose name is malformed, or not among those that the run is given. */
  UNKNOWN_SECRET: "unknown_secret",
  /** A `{"$secret": …}` where none is filled in: in parameters, variables, or the arguments of what is no tool. */
  MISPLACED_SECRET: "misplaced_secret",
  /** A controller's plan says how its tasks are repeated or how long they may take where that is the run's to decide; it is left out. */
  RUN_POLICY: "run_policy",
  /** A condition on the plan as a whole, such as a budget. */
  BUDGET: "budget",
  /** The text of a model could not be read as a plan. */
  UNREADABLE: "unreadable",
  /** The planner says what it could not plan; the plan is otherwise usable. */
  UNRESOLVED: "unresolved",
  /** The planner says that its plan is right with little likelihood; `actual` is that number. */
  PROPOSAL: "proposal",
  /** A patch was made for another plan, or for another revision of it. */
  PATCH_STALE: "patch_stale",
  /** A patch touches what is outside its region, or takes what does not belong to it. */
  PATCH_REGION: "patch_region",
  /** What comes into the region or what its consumers need is not kept. */
  PATCH_BOUNDARY: "patch_boundary",
  /** A new task lacks a gate, a halt or a bound that what it takes the place of has, or names a secret that did not belong to its call. */
  PATCH_PROTECTION: "patch_protection",
  /** A new task has run already, or has not the lineage of what it replaces. */
  PATCH_TASK: "patch_task",
  /** The same call would be made a second time. */
  TASK_REPEATED: "task_repeated",
} as const;
export type IssueCode = (typeof IssueCode)[keyof typeof IssueCode];

/** A legal repair of an issue, so that a prompt can say exactly what to change. */
export interface Repair {
  /** What to do: replace the value, rename the key, add or remove something. */
  readonly operation: "replace" | "rename" | "add" | "remove";
  /** Legal values or sources, best first, at most 10. */
  readonly candidates: readonly unknown[];
}

/** Something wrong with a plan, as a value. */
export interface PlanIssue {
  readonly code: IssueCode;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly task_id?: string;
  /** Where in the task's `arguments` (or in the record): `filter.ids[0]`. */
  readonly argument_path?: string;
  /** The resource the issue is about: as the task names it where it is unknown. */
  readonly resource_id?: string;
  readonly from_task_id?: string;
  readonly output_path?: string;
  readonly expected?: string;
  readonly actual?: string;
  readonly repair?: Repair;
}
