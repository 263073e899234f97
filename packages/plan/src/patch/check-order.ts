import { buildAdjacency } from "../graph/adjacency.ts";
import { EdgeList } from "../graph/edge-list.ts";
import { cycleAmong } from "../graph/find-cycle.ts";
import { topologicalOrder } from "../graph/topological-order.ts";
import { defineTask } from "../hashes/plan-hashes.ts";
import { IssueCode, type PlanIssue } from "../issue.ts";
import { valueText } from "../validation/value-text.ts";
import type { PatchFacts } from "./patch-facts.ts";
import type { RewrittenPlan } from "./rewrite-plan.ts";

/**
 * The plan after the patch has an order, and the tasks that were rewritten do what they did. All others are the same
 * objects, and their names stand for the same things, so nothing about them can have changed.
 */
export function checkOrder(facts: PatchFacts, after: RewrittenPlan): PlanIssue[] {
  const issues: PlanIssue[] = [];
  const cycle = cycleAfter(facts);
  if (cycle !== undefined) {
    const message = `With the patch tasks form a cycle, each needing the next: ${cycle.slice(0, 12).join(" -> ")}.`;
    issues.push({
      code: IssueCode.CYCLE,
      severity: "error",
      message,
      task_id: cycle[0]!,
      actual: cycle.join(" -> "),
    });
  }
  const { base } = facts;
  const before = (name: string): string | undefined => {
    const task = base.names.get(name);
    return task === undefined ? undefined : base.tasks[task]!.task_id;
  };
  for (const [number, task] of after.rewritten) {
    const old = base.tasks[number]!;
    if (old.arguments === task.arguments && old.parameters === task.parameters) continue;
    if (defineTask(old, before).hash === defineTask(task, facts.resolve).hash) continue;
    issues.push({
      code: IssueCode.PATCH_REGION,
      severity: "error",
      message: `The patch changes what ${valueText(old.task_id, 130)} does, which is outside the region: it reads several replaced tasks, and they cannot become one.`,
      task_id: old.task_id,
    });
  }
  return issues;
}

/** Ids along a cycle of the new plan. Old tasks keep their numbers, new ones follow. */
function cycleAfter(facts: PatchFacts): string[] | undefined {
  const { base, removed, renewed, added } = facts;
  const n = base.tasks.length;
  const number = new Map<string, number>();
  for (const id of added.keys()) number.set(id, n + number.size);
  for (const [task, id] of renewed) number.set(id, task);
  const numberOf = (id: string): number | undefined => number.get(id) ?? base.index.get(id);
  const edges = new EdgeList(base.all.from.length);
  const { from, to } = base.all;
  for (let edge = 0; edge < from.length; edge++) {
    const [source, target] = [from[edge]!, to[edge]!];
    if (removed.has(target)) continue;
    const replacement = removed.get(source);
    if (replacement === undefined) edges.add(source, target);
    else {
      const byReference = edge >= base.declaredEdges;
      const ids = new Set(byReference ? [replacement.output_from ?? ""] : []);
      if (!byReference || replacement.replaced_by.length === 0) for (const id of facts.after(source)) ids.add(id);
      for (const id of ids) {
        const next = numberOf(id);
        if (next !== undefined) edges.add(next, target);
      }
    }
  }
  for (const [id, dependencies] of facts.dependencies) {
    for (const dependency of dependencies) edges.add(numberOf(dependency)!, numberOf(id)!);
  }
  const columns = edges.columns();
  const graph = buildAdjacency(n + added.size, columns.from, columns.to);
  const { topo, ordered } = topologicalOrder(graph);
  if (ordered === n + added.size) return undefined;
  const ids = [...added.keys()];
  return cycleAmong(graph, topo, ordered).map((task) =>
    task >= n ? ids[task - n]! : (renewed.get(task) ?? base.tasks[task]!.task_id),
  );
}
