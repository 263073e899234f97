import type { PlanIssue } from "../issue.ts";
import type { Resource, ResourceCatalogue } from "../ports/resource.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import type { Wait } from "../records/waiting.ts";
import { flowValues, hasFlowValues } from "../references/flow-values.ts";
import { validatePlan } from "../validation/validate-plan.ts";
import { catalogueOf } from "./check-calls.ts";
import type { PatchFacts } from "./patch-facts.ts";
import { visitReferredNames } from "./referred-names.ts";
import type { RewrittenPlan } from "./rewrite-plan.ts";

export interface DataflowOptions {
  readonly resources?: readonly Resource[] | ResourceCatalogue;
  readonly missingArguments?: "warning" | "error";
}

/**
 * What `validatePlan` says of the new tasks, and of those that read them where it did not say so before. Only these tasks
 * and their sources are looked at, so the cost does not grow with the plan.
 */
export function checkDataflow(facts: PatchFacts, after: RewrittenPlan, options: DataflowOptions): PlanIssue[] {
  const { base, added, removed, renewed } = facts;
  const catalogue = catalogueOf(options.resources);
  const variables = base.plan.variables;
  const judge = (tasks: readonly PlannerTask[], find: (name: string) => PlannerTask | undefined): PlanIssue[] => {
    const own = new Set(tasks.map(({ task_id }) => task_id));
    const sources = new Map<string, PlannerTask>();
    const visit = (name: string): void => {
      const source = find(name);
      if (source !== undefined && !own.has(source.task_id)) sources.set(source.task_id, source);
    };
    for (const task of tasks) {
      for (const id of task.dependencies) visit(id);
      visitReferredNames(task.parameters, visit);
      visitReferredNames(task.arguments, visit);
      if (hasFlowValues(task)) visitReferredNames(flowValues(task), visit);
    }
    const planned_tasks = [...[...sources.values()].map(asSource), ...tasks];
    const issues = validatePlan(
      { task_id: base.plan.task_id, planned_tasks, ...(variables !== undefined && { variables }) },
      catalogue,
      options.missingArguments === undefined ? {} : { missingArguments: options.missingArguments },
    );
    return issues.filter((issue) => own.has(subjectOf(issue) ?? ""));
  };
  const afterTask = (name: string): PlannerTask | undefined => {
    const id = facts.resolve(name);
    if (id === undefined) return undefined;
    const fresh = added.get(id) ?? renewedTasks.get(id);
    if (fresh !== undefined) return fresh;
    const task = base.index.get(id);
    return task === undefined ? undefined : (after.rewritten.get(task) ?? base.tasks[task]);
  };
  const renewedTasks = new Map([...renewed].map(([task, id]) => [id, after.rewritten.get(task)!]));
  const readers = new Set<number>();
  for (const source of [...removed.keys(), ...renewed.keys()]) {
    for (let edge = base.all.outPtr[source]!; edge < base.all.outPtr[source + 1]!; edge++) {
      const task = base.all.out[edge]!;
      if (!removed.has(task)) readers.add(task);
    }
  }
  const kept = [...readers].map((task) => after.rewritten.get(task) ?? base.tasks[task]!);
  const issues = judge([...added.values(), ...kept], afterTask);
  const aboutKept = issues.some((issue) => !added.has(subjectOf(issue) ?? ""));
  if (!aboutKept) return issues;
  const known = new Set(
    judge(
      [...readers].map((task) => base.tasks[task]!),
      (name) => {
        const task = base.names.get(name);
        return task === undefined ? undefined : base.tasks[task];
      },
    ).map((issue) => place(issue, renewed.get(base.index.get(subjectOf(issue) ?? "") ?? -1))),
  );
  return issues.filter((issue) => added.has(subjectOf(issue) ?? "") || !known.has(place(issue)));
}

/** A task of which only the output matters: what it needs itself is not asked here. */
function asSource(task: PlannerTask): PlannerTask {
  const { uid, sub_type } = task.parameters;
  const parameters = { ...(typeof uid === "string" && { uid }), ...(typeof sub_type === "string" && { sub_type }) };
  // With a conversion before it, an input is not held against the resource's schema.
  const { for_each, when: _, join: __, choose, wait, retry_until: ___, ...rest } = task;
  if (wait !== undefined) return { ...rest, dependencies: [], wait: bareWait(wait) };
  // Readers of a decision need only the names of its branches.
  const decision = choose && { choose: { ...choose, branches: choose.branches.map(({ name }) => ({ name })) } };
  const bare = { ...rest, ...decision, dependencies: [], arguments: {}, parameters, convertor_code: "$" };
  // What a list gives is a list, with any content.
  return for_each === undefined ? bare : { ...bare, for_each: { ...for_each, items: [] } };
}

/** A wait of the same output that refers to nothing. */
function bareWait({ event, schema, on_deadline }: Wait): Wait {
  if (event === undefined) return { for_ms: 0 };
  const gives =
    on_deadline === undefined || on_deadline === "fail" || on_deadline === "skip" ? on_deadline : { value: null };
  return {
    event: "event",
    ...(schema !== undefined && { schema }),
    ...(gives !== undefined && { timeout_ms: 0, on_deadline: gives }),
  };
}

/** The task of the plan that an issue is about, or in whose elements it is. */
function subjectOf({ task_id, within }: PlanIssue): string | undefined {
  return within ?? task_id;
}

function place(issue: PlanIssue, id = subjectOf(issue)): string {
  const { code, task_id, within, argument_path } = issue;
  return JSON.stringify([code, id, within === undefined ? undefined : task_id, argument_path]);
}
