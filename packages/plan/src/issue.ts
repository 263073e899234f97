/** Codes of `PlanIssue`. They are stable; new ones may be added. */
export const IssueCode = {
  /** A field has the wrong type or is missing; `argument_path` is its path in the record. */
  SCHEMA: "schema",
  /** A plan file has a field that nothing reads; `argument_path` names it. The field is left out. */
  UNKNOWN_FIELD: "unknown_field",
  PLAN_EMPTY: "plan_empty",
  DUPLICATE_TASK: "duplicate_task",
  /** The same name is used twice among task ids, result variables, plan variables and `input`. */
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
  /** A resource's own schema cannot be applied: it would take too long for this value, or it is too large. */
  SCHEMA_BUDGET: "schema_budget",
  MISSING_ARGUMENT: "missing_argument",
  UNKNOWN_ARGUMENT: "unknown_argument",
  INVALID_ARGUMENT: "invalid_argument",
  REFERENCE_SYNTAX: "reference_syntax",
  /** A condition, or `convertor_code`, that cannot be read as JSONata. */
  EXPRESSION_SYNTAX: "expression_syntax",
  UNKNOWN_REFERENCE: "unknown_reference",
  /** The source's output schema has no such path. */
  UNKNOWN_OUTPUT: "unknown_output",
  TYPE_MISMATCH: "type_mismatch",
  /** A task whose condition, or that of a task it needs, is always false, or a branch that is never chosen. */
  NEVER_RUNS: "never_runs",
  /** A decision by conditions (`choose`) that names no branch for the case that none is true. */
  NO_ELSE: "no_else",
  /** A task that runs although a dependency was skipped (`join`) refers to that dependency's output without `?`. */
  MAY_BE_SKIPPED: "may_be_skipped",
  /** A `{"$secret": …}` whose name is malformed, or not among those that the run is given. */
  UNKNOWN_SECRET: "unknown_secret",
  /** A `{"$secret": …}` in a place where secrets are not filled in: parameters, variables, or arguments of a task that is not a tool call. */
  MISPLACED_SECRET: "misplaced_secret",
  /** A controller's plan sets retries or time limits of its tasks, which only the run may decide. They are left out. */
  RUN_POLICY: "run_policy",
  /** A condition on the plan as a whole, such as a budget. */
  BUDGET: "budget",
  /** The text of a model could not be read as a plan. */
  UNREADABLE: "unreadable",
  /** The planner names a part of the goal that it could not plan; the plan is otherwise usable. */
  UNRESOLVED: "unresolved",
  /** The planner gives its plan a low probability of being right; `actual` is that number. */
  PROPOSAL: "proposal",
  /** A model was asked whether the plan does what the goal asks for, and gave no answer in time. */
  UNVERIFIED: "unverified",
  /** A patch was made for another plan, or for another revision of it. */
  PATCH_STALE: "patch_stale",
  /** A patch changes tasks outside its region, or uses a name or an id that does not belong to it. */
  PATCH_REGION: "patch_region",
  /** A patch loses a dependency of its region, or an output that tasks outside the region need. */
  PATCH_BOUNDARY: "patch_boundary",
  /** A new task lacks a gate, a halt or a limit of the task that it replaces, or names a secret that did not belong to its call. */
  PATCH_PROTECTION: "patch_protection",
  /** A new task claims to have run already, or does not have the lineage of the task that it replaces. */
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
  /** Of a task that is executed for each element of a list: the task of the plan in whose elements it is, at any depth. */
  readonly within?: string;
  /** The path within the task's `arguments` (or within the record), such as `filter.ids[0]`. */
  readonly argument_path?: string;
  /** The resource that the issue is about; if it is unknown, the name that the task has for it. */
  readonly resource_id?: string;
  readonly from_task_id?: string;
  readonly output_path?: string;
  readonly expected?: string;
  readonly actual?: string;
  readonly repair?: Repair;
}
