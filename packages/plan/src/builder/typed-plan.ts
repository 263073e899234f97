import type { TaskData } from "../records/task-data.ts";

/** Where the types keep what a run of a plan gives. Nothing has this property at run time. */
declare const planOutput: unique symbol;

/** A plan whose `output_data` the compiler knows. At run time it is an ordinary plan. */
export type TypedPlan<Output> = TaskData & { readonly [planOutput]: Output };

/** What `output_data` of a completed run of the plan has. */
export type PlanOutput<Plan> = Plan extends { readonly [planOutput]: infer Output } ? Output : Record<string, unknown>;
