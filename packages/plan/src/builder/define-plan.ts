import { checkOptions } from "../check-options.ts";
import { parseRecord } from "../dialects/parse-record.ts";
import { PlanError, PlanErrorCode } from "../errors.ts";
import { canonicalJson } from "../hashes/canonical-json.ts";
import { hashText } from "../hashes/hash-value.ts";
import { isRecord } from "../json.ts";
import type { OptionChecks } from "../options/option-checks.ts";
import { TaskData } from "../records/task-data.ts";
import { prototypeKeys } from "../validation/prototype-keys.ts";
import { validatePlan } from "../validation/validate-plan.ts";
import { valueText } from "../validation/value-text.ts";
import { DraftPlan, invalid, taskFrom } from "./draft-plan.ts";
import type { DraftTask } from "./draft-task.ts";
import { nameTasks } from "./name-tasks.ts";
import type { PlanBuilder, PlanParts } from "./plan-builder.ts";
import { symbolicOf } from "./symbolic.ts";
import type { TypedPlan } from "./typed-plan.ts";
import type { TaskRef, ValueOf } from "./typed-reference.ts";
import { outermost, writeTasks } from "./write-tasks.ts";

const checks = {
  tools: "list",
  agents: "list",
  llms: "list",
  workflows: "list",
  id: "name",
  title: "text",
  variables: "object",
  metadata: "object",
} as const satisfies OptionChecks<PlanParts>;

/** What the function that defines a plan may return: a task, tasks by name, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function without `return` is one of them.
export type PlanResult = TaskRef<unknown> | { readonly [name: string]: TaskRef<unknown> } | void;

/** What `output_data` has for a result: `result` for a single task. */
export type OutputsOf<Result> =
  Result extends TaskRef<unknown>
    ? { readonly result: ValueOf<Result> }
    : Result extends { readonly [name: string]: TaskRef<unknown> }
      ? { readonly [Name in keyof Result]: ValueOf<Result[Name]> }
      : Readonly<Record<string, unknown>>;

/**
 * A plan that is written in TypeScript. Ids, arguments and results are typed by the schemas of what it calls; what is made is an ordinary
 * plan, which was validated.
 * @param parts what the plan can call, its title and its variables
 * @param define is called once. It makes the tasks, and returns the one whose output is `output_data.result`, or tasks by the names
 *   that their outputs have in `output_data`.
 * @throws PlanError INVALID with `details.issues` for what the types do not show: a text that a schema's pattern refuses, say; OPTION, DUPLICATE_TASK
 */
export function definePlan<const Parts extends PlanParts, Result extends PlanResult>(
  parts: Parts,
  define: (t: PlanBuilder<Parts>) => Result,
): TypedPlan<OutputsOf<Result>> {
  checkOptions("`definePlan`", parts, checks);
  if (typeof define !== "function")
    throw invalid(`Expected \`definePlan\` to be given a function, got ${valueText(define)}.`);
  const draft = new DraftPlan(parts);
  const returned: unknown = define(draft.builder() as unknown as PlanBuilder<Parts>);
  if (returned instanceof Promise)
    throw invalid(
      "Expected the function of `definePlan` to make the tasks at once, got a promise. It must not be async.",
    );
  draft.close();
  const { id, title, variables, metadata } = parts;
  const results = resultsOf(returned, draft);
  const names = nameTasks(draft.scope, Object.keys(variables ?? {}));
  const outputs = Object.fromEntries([...results].map(([name, task]) => [name, names.ids.get(task)!]));
  const given = {
    ...(title !== undefined && { title }),
    ...(variables !== undefined && { variables }),
    ...(metadata !== undefined && { metadata }),
    planned_tasks: writeTasks(draft.scope, names),
    ...(results.size > 0 && { outputs }),
  };
  const task_id = id ?? `plan-${hashText(canonicalJson(given)).slice(0, 12)}`;
  const lost = prototypeKeys(given);
  if (lost.length > 0) throw notValid(lost);
  const plan = parseRecord(TaskData, { ...given, task_id }, "what the builder was given to make a plan");
  for (const task of plan.planned_tasks) task.main_task_id = plan.task_id;
  const issues = validatePlan(plan, draft.resources).filter(({ severity }) => severity === "error");
  if (issues.length > 0) throw notValid(issues);
  return plan as TypedPlan<OutputsOf<Result>>;
}

/** The tasks that were returned, by the names of their outputs. */
function resultsOf(returned: unknown, draft: DraftPlan): Map<string, DraftTask> {
  if (returned === undefined) return new Map();
  const whole = taskFrom(returned);
  if (whole !== undefined) return new Map([["result", inPlan("result", whole, draft)]]);
  if (symbolicOf(returned) !== undefined || !isRecord(returned))
    throw invalid(
      "Expected the function of `definePlan` to return a task, tasks by name, or nothing. A part of an output cannot be returned.",
    );
  const results = new Map<string, DraftTask>();
  for (const [name, value] of Object.entries(returned)) {
    const task = taskFrom(value);
    if (task === undefined)
      throw invalid(
        `Expected the result "${name}" to be a task (what \`t.call\` or \`t.each\` gives), got ${valueText(symbolicOf(value)?.kind ?? value)}.`,
      );
    results.set(name, inPlan(name, task, draft));
  }
  return results;
}

function inPlan(name: string, task: DraftTask, { scope }: DraftPlan): DraftTask {
  if (task.scope === scope) return task;
  if (outermost(task.scope) !== scope)
    throw invalid(`The result "${name}" is a task of another plan. Return one that this function has made.`);
  throw invalid(`The result "${name}" is a task within a list. Return what \`t.each\` gives: the list of the results.`);
}

function notValid(issues: ReturnType<typeof validatePlan>): PlanError {
  const lines = issues.slice(0, 3).map(({ message }) => message);
  const more = issues.length > lines.length ? ` (and ${issues.length - lines.length} more)` : "";
  return new PlanError(PlanErrorCode.INVALID, `The plan is not valid: ${lines.join(" ")}${more}`, {
    details: { issues },
  });
}
