import type { OptionChecks } from "../options/option-checks.ts";
import type { ForEach, PlannerTaskInput } from "../records/planner-task.ts";
import type { RetryUntil, Wait } from "../records/waiting.ts";
import type { Expression } from "./expression.ts";
import type { Arguments, Reference } from "./typed-reference.ts";

/** Fields of a task that are written as the record has them. */
const recordFields = [
  "title",
  "description",
  "instructions",
  "thought",
  "retry",
  "timeout_ms",
  "on_failure",
  "approval",
  "join",
  "estimate_data",
  "mark_replan",
  "parameters",
] as const satisfies readonly (keyof PlannerTaskInput)[];

type RecordFields = { readonly [Field in (typeof recordFields)[number]]?: PlannerTaskInput[Field] };

/** What a task says beside its resource and its arguments. Fields of the record have its names and defaults; see `PlannerTask`. */
export interface TaskOptions extends RecordFields {
  /** @default the name of the resource, with a number where a task has it already */
  readonly id?: string;
  /** The task runs only where this is true: an expression, or a reference to such a value. Its output may be absent then, so its type has `undefined`. */
  readonly when?: Expression | Reference<boolean>;
  /** The call is made again until this is true of its output: `t.expression` over `output` and `polls`. Fields as in `RetryUntil`. */
  readonly retry_until?: Omit<RetryUntil, "condition"> & { readonly condition: Expression };
  /** What must be done first, in addition to the tasks that the arguments refer to. */
  readonly after?: readonly Reference<unknown>[];
}

const listFields = [
  "as",
  "concurrency",
  "on_failure",
  "failed_as",
  "max_items",
] as const satisfies readonly (keyof ForEach)[];

type ListFields = { readonly [Field in (typeof listFields)[number]]?: ForEach[Field] };

/** What a task waits for; see `Wait`. Durations may be references; times, events and keys these, or texts with references in them. */
export type WaitFor = {
  readonly [Field in keyof Wait]?: Field extends "schema" | "on_deadline"
    ? Wait[Field]
    : Arguments<Field extends "for_ms" | "timeout_ms" ? number : NonNullable<Wait[Field]>>;
};

/** What a task that waits says beside what it waits for. */
export type WaitOptions = Pick<TaskOptions, "id" | "title" | "description" | "when" | "join" | "after">;

export const waitOptionChecks = {
  id: "name",
  title: "text",
  description: "text",
  when: "own",
  join: ["all", "any", "none_failed"],
  after: "list",
} as const satisfies OptionChecks<WaitOptions>;

/** What a decision says beside its branches. */
export interface ChooseOptions<Else extends string = string>
  extends Pick<TaskOptions, "id" | "title" | "description" | "when" | "join" | "after"> {
  /** The branch that is taken where no condition is true. @default none: the task fails then */
  readonly else?: Else;
}

export const chooseOptionChecks = {
  id: "name",
  title: "text",
  description: "text",
  when: "own",
  join: ["all", "any", "none_failed"],
  after: "list",
  else: "name",
} as const satisfies OptionChecks<ChooseOptions>;

/** What a task with `for_each` says beside its list and what is done for each element; see `ForEach`. */
export interface EachOptions
  extends Pick<
      TaskOptions,
      "id" | "title" | "description" | "when" | "join" | "after" | "approval" | "retry" | "timeout_ms"
    >,
    ListFields {}

export const taskOptionChecks = {
  id: "name",
  title: "text",
  description: "text",
  instructions: "own",
  thought: "text",
  retry: "object",
  timeout_ms: "positive",
  on_failure: ["continue", "halt", "replan"],
  approval: ["required"],
  join: ["all", "any", "none_failed"],
  estimate_data: "own",
  mark_replan: "boolean",
  parameters: "object",
  when: "own",
  retry_until: "object",
  after: "list",
} as const satisfies OptionChecks<TaskOptions>;

/** Those of `t.decide`: a call with a branch for everything else. */
export const decideOptionChecks = { ...taskOptionChecks, else: "name" } as const satisfies OptionChecks<
  TaskOptions & Pick<ChooseOptions, "else">
>;

export const eachOptionChecks = {
  id: "name",
  title: "text",
  description: "text",
  when: "own",
  join: ["all", "any", "none_failed"],
  after: "list",
  approval: ["required"],
  retry: "object",
  timeout_ms: "positive",
  as: "name",
  concurrency: "count",
  on_failure: "own",
  failed_as: ["null", "error"],
  max_items: "count",
} as const satisfies OptionChecks<EachOptions>;

/** The fields of the record that a call or a list gives, with those that are left out left out. */
export function fieldsOf(options: TaskOptions | EachOptions, isList: boolean): Record<string, unknown> {
  const names: readonly string[] = isList ? recordFields.filter((name) => name !== "on_failure") : recordFields;
  return given(options, names);
}

/** The fields of `for_each` that a list gives. */
export function listFieldsOf(options: EachOptions): Record<string, unknown> {
  return given(options, listFields);
}

function given(options: object, names: readonly string[]): Record<string, unknown> {
  const entries = Object.entries(options).filter(([name, value]) => value !== undefined && names.includes(name));
  return Object.fromEntries(entries);
}
