import type { SubGraph } from "../records/sub-graph.ts";
import type { Canvas } from "./canvas.ts";

export interface TaskGroup {
  /** Absent: the plan is not grouped. */
  readonly heading?: string;
  /** Task numbers, in an order in which they can run. */
  readonly tasks: readonly number[];
}

/** Groups tasks by subgraph. The subgraphs are ordered so that every task comes after its dependencies, where such an order exists. */
export function groupTasks({ view, tasks, levels }: Canvas, subgraphs: readonly SubGraph[] | undefined): TaskGroup[] {
  const order = [...view.topo].sort((a, b) => levels[a]! - levels[b]! || a - b);
  if (!subgraphs) return [{ tasks: order }];
  const owner = new Map<string, number>();
  subgraphs.forEach((subgraph, number) => {
    for (const task of subgraph.tasks) if (!owner.has(task.task_id)) owner.set(task.task_id, number);
  });
  const members: number[][] = subgraphs.map(() => []);
  const rest: number[] = [];
  for (const task of order) (members[owner.get(tasks[task]!.task_id) ?? -1] ?? rest).push(task);
  const groups = inOrder(subgraphs).map((number) => ({
    heading: headingOf(subgraphs[number]!, members[number]!.length),
    tasks: members[number]!,
  }));
  if (rest.length > 0) groups.push({ heading: "in no subgraph", tasks: rest });
  // Subgraphs that need one another in a circle have no such order; then the plan's own order is shown.
  return isTopological(
    groups.flatMap((group) => group.tasks),
    view,
  )
    ? groups
    : [{ tasks: order }];
}

function headingOf({ subgraph_id, dependencies }: SubGraph, count: number): string {
  const after =
    dependencies.length > 0
      ? `, after ${dependencies.slice(0, 6).join(", ")}${dependencies.length > 6 ? ", …" : ""}`
      : "";
  return `${subgraph_id}: ${count} task${count === 1 ? "" : "s"}${after}`;
}

/** Kahn's algorithm over the declared dependencies; what is left over comes last as given. */
function inOrder(subgraphs: readonly SubGraph[]): number[] {
  const index = new Map(subgraphs.map(({ subgraph_id }, number) => [subgraph_id, number]));
  const missing = subgraphs.map(({ dependencies }) => new Set(dependencies.filter((id) => index.has(id))).size);
  const dependents: number[][] = subgraphs.map(() => []);
  subgraphs.forEach(({ dependencies }, number) => {
    for (const id of new Set(dependencies)) {
      const source = index.get(id);
      if (source !== undefined) dependents[source]!.push(number);
    }
  });
  const order = missing.flatMap((count, number) => (count === 0 ? [number] : []));
  for (let i = 0; i < order.length; i++) {
    for (const next of dependents[order[i]!]!) {
      missing[next]!--;
      if (missing[next] === 0) order.push(next);
    }
  }
  const placed = new Set(order);
  return [...order, ...subgraphs.flatMap((_, number) => (placed.has(number) ? [] : [number]))];
}

function isTopological(order: readonly number[], { n, inPtr, in: sources }: Canvas["view"]): boolean {
  const seen = new Uint8Array(n);
  for (const task of order) {
    for (let edge = inPtr[task]!; edge < inPtr[task + 1]!; edge++) if (seen[sources[edge]!] === 0) return false;
    seen[task] = 1;
  }
  return order.length === n;
}
