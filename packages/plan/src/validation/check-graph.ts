import { cycleAmong } from "../graph/find-cycle.ts";
import { IssueCode, type PlanIssue } from "../issue.ts";
import { nameCollisions } from "../references/task-names.ts";
import type { PlanFacts, PlanOrder } from "./plan-facts.ts";
import type { Repairs } from "./repairs.ts";
import { listText, valueText } from "./value-text.ts";

/** Duplicates, colliding names, unknown and self-dependencies, and one cycle with its path. O(tasks + edges). */
export function checkGraph(facts: PlanFacts, order: PlanOrder, repairs: Repairs): PlanIssue[] {
  const { tasks, index, malformedIds, intendedIds } = facts;
  const meant = [...intendedIds].slice(0, 10);
  const called = meant.length === 0 ? "" : `; tasks depend on ${listText(meant, 5)}, which no task is called`;
  const issues: PlanIssue[] = [];
  tasks.forEach(({ task_id }, number) => {
    if (index.get(task_id) === number && !malformedIds.has(task_id)) return;
    issues.push({
      code: IssueCode.DUPLICATE_TASK,
      severity: "error",
      message: `Expected task ids to be unique, got ${valueText(task_id, 130)} more than once${called}.`,
      task_id,
      argument_path: "task_id",
      ...(meant.length > 0 && { repair: { operation: "replace", candidates: meant } }),
    });
  });
  for (const { name, holders } of nameCollisions({ planned_tasks: [...tasks], variables: facts.variables })) {
    const task_id = holders.find((holder) => holder.task_id !== undefined)?.task_id;
    const listed = holders.map((holder) => `${holder.kind}${holder.task_id ? ` of ${valueText(holder.task_id)}` : ""}`);
    issues.push({
      code: IssueCode.NAME_COLLISION,
      severity: "error",
      message: `Expected each name to mean one thing, but ${valueText(name, 130)} is ${listed.slice(0, 5).join(" and ")}.`,
      ...(task_id !== undefined && { task_id }),
      actual: name,
    });
  }
  for (const [number, { task_id, dependencies }] of tasks.entries()) {
    for (const dependency of new Set(dependencies)) {
      if (dependency === task_id) {
        // Of an id that is there twice, the other may be meant.
        if (index.get(task_id) === number) issues.push(selfDependency(task_id, "dependencies"));
      } else if (!index.has(dependency) && !malformedIds.has(dependency)) {
        const near = repairs.nearestTask(dependency, number);
        issues.push({
          code: IssueCode.UNKNOWN_DEPENDENCY,
          severity: "error",
          message:
            `Task ${valueText(task_id, 130)} depends on ${valueText(dependency, 130)}, which is not a task of the plan` +
            `${near.likely ? `; did you mean ${valueText(near.likely, 130)}?` : "."}`,
          task_id,
          argument_path: "dependencies",
          from_task_id: dependency,
          actual: dependency,
          repair:
            near.names.length > 0
              ? { operation: "replace", candidates: near.names }
              : { operation: "remove", candidates: [dependency] },
        });
      }
    }
  }
  const cycle = cycleIssue(facts, order);
  if (cycle) issues.push(cycle);
  return issues;
}

function cycleIssue({ tasks }: PlanFacts, { graph, topo, ordered }: PlanOrder): PlanIssue | undefined {
  if (ordered === tasks.length) return undefined;
  const path = cycleAmong(graph, topo, ordered).map((task) => tasks[task]!.task_id);
  const shown = path.length > 12 ? [...path.slice(0, 10), `… ${path.length - 11} more`, path.at(-1)!] : path;
  return {
    code: IssueCode.CYCLE,
    severity: "error",
    message: `Tasks form a cycle, each needing the next: ${shown.join(" -> ")}. Remove one of these dependencies or references.`,
    task_id: path[0]!,
    actual: path.join(" -> "),
  };
}

export function selfDependency(task_id: string, argument_path: string): PlanIssue {
  return {
    code: IssueCode.SELF_DEPENDENCY,
    severity: "error",
    message: `Task ${valueText(task_id, 130)} depends on itself (\`${argument_path}\`).`,
    task_id,
    argument_path,
    from_task_id: task_id,
    repair: { operation: "remove", candidates: [task_id] },
  };
}
