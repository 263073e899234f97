import { PlanError, PlanErrorCode } from "../errors.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import type { TaskData } from "../records/task-data.ts";
import { collectReferences } from "../references/collect-references.ts";
import { tasksOf } from "../references/task-names.ts";
import { buildAdjacency } from "./adjacency.ts";
import { EdgeList } from "./edge-list.ts";
import { cycleAmong } from "./find-cycle.ts";
import { readCosts, type TaskCosts, unknownCosts } from "./task-costs.ts";
import { topologicalOrder } from "./topological-order.ts";

/**
 * An immutable snapshot of a plan's graph in typed arrays (compressed sparse rows): what every hot path runs on. Tasks
 * are numbers 0 … n-1 in plan order; the edge u → v says that v depends on u. Edges are unique; neighbours ascend.
 */
export interface PlanView extends TaskCosts {
  readonly n: number;
  /** Task ids in plan order. */
  readonly ids: readonly string[];
  /** Number of the task with this id, -1 if there is none. */
  indexOf(id: string): number;
  /** Dependents of v: `out[outPtr[v]]` up to, not including, `out[outPtr[v + 1]]`. */
  readonly outPtr: Int32Array;
  readonly out: Int32Array;
  /** Dependencies of v, likewise. */
  readonly inPtr: Int32Array;
  readonly in: Int32Array;
  /** A topological order: by level, within a level in the order in which tasks become free. */
  readonly topo: Int32Array;
}

export interface PlanEdges {
  /** How many tasks. */
  readonly n: number;
  /** Edge i goes from task `from[i]` (first) to task `to[i]` (depends on it). Duplicates are merged. */
  readonly from: ArrayLike<number>;
  readonly to: ArrayLike<number>;
  /** Milliseconds per task. @default DEFAULT_TASK_MS each */
  readonly work?: ArrayLike<number>;
  /** @default "0" … "n-1" */
  readonly ids?: readonly string[];
}

/**
 * The view of a plan or of its tasks, over the same edges as `effectiveDependencies` (declared plus implied by
 * references). O(tasks + edges + size of the arguments).
 * @throws PlanError DUPLICATE_TASK, UNKNOWN_DEPENDENCY, CYCLE (with the path in `details.path`).
 */
export function planView(plan: TaskData | readonly PlannerTask[]): PlanView {
  const tasks = tasksOf(plan);
  const ids = tasks.map((task) => task.task_id);
  const index = indexIds(ids);
  const variables = new Map<string, number>();
  for (let task = 0; task < tasks.length; task++) {
    const name = tasks[task]!.result_variable;
    if (name !== undefined && !index.has(name) && !variables.has(name)) variables.set(name, task);
  }
  const edges = new EdgeList(tasks.length * 2);
  for (let task = 0; task < tasks.length; task++) {
    const { dependencies, parameters, arguments: values } = tasks[task]!;
    for (let i = 0; i < dependencies.length; i++) {
      const source = index.get(dependencies[i]!);
      if (source === undefined) throw unknownDependency(ids[task]!, dependencies[i]!);
      edges.add(source, task);
    }
    for (const value of [parameters, values]) {
      if (isEmpty(value)) continue;
      for (const { reference } of collectReferences(value)) {
        const source = index.get(reference.name) ?? variables.get(reference.name);
        if (source !== undefined) edges.add(source, task);
      }
    }
  }
  const { from, to } = edges.columns();
  return assemble(ids, from, to, readCosts(tasks), index);
}

/**
 * The view of a graph given as integer edges.
 * @throws PlanError UNKNOWN_DEPENDENCY for an edge outside 0 … n-1, DUPLICATE_TASK, CYCLE.
 */
export function planViewFromEdges(edges: PlanEdges): PlanView {
  const { n, from, to, work } = edges;
  if (from.length !== to.length || (work && work.length !== n) || (edges.ids && edges.ids.length !== n)) {
    throw new PlanError(
      PlanErrorCode.INVALID,
      `Expected \`from\` and \`to\` of one length and \`work\`, \`ids\` of length ${n}.`,
      { details: { issues: [{ path: "from", message: `${from.length} from, ${to.length} to` }] } },
    );
  }
  const ids = edges.ids ?? Array.from({ length: n }, (_, task) => String(task));
  const sources = new Int32Array(from);
  const targets = new Int32Array(to);
  for (let edge = 0; edge < sources.length; edge++) {
    const [source, target] = [sources[edge]!, targets[edge]!];
    if (source < 0 || source >= n || from[edge] !== source)
      throw unknownDependency(String(to[edge]), String(from[edge]));
    if (target < 0 || target >= n || to[edge] !== target) throw unknownDependency(String(to[edge]), String(from[edge]));
  }
  const costs = unknownCosts(n);
  if (work) for (let task = 0; task < n; task++) costs.work[task] = work[task]!;
  return assemble(ids, sources, targets, costs, edges.ids ? indexIds(ids) : undefined);
}

/** Numbers by id. @throws PlanError DUPLICATE_TASK */
export function indexIds(ids: readonly string[]): Map<string, number> {
  const index = new Map<string, number>();
  for (let task = 0; task < ids.length; task++) {
    const id = ids[task]!;
    if (index.has(id)) {
      throw new PlanError(PlanErrorCode.DUPLICATE_TASK, `Expected task ids to be unique, got "${id}" twice.`, {
        details: { task_id: id },
      });
    }
    index.set(id, task);
  }
  return index;
}

/** Puts a view together from checked numbers. @throws PlanError CYCLE */
export function assemble(
  ids: readonly string[],
  from: Int32Array,
  to: Int32Array,
  costs: TaskCosts,
  index?: Map<string, number>,
): PlanView {
  const adjacency = buildAdjacency(ids.length, from, to);
  const { topo, ordered } = topologicalOrder(adjacency);
  if (ordered < ids.length) {
    const path = cycleAmong(adjacency, topo, ordered).map((task) => ids[task]!);
    throw new PlanError(PlanErrorCode.CYCLE, `Tasks form a cycle, each needing the next: ${path.join(" → ")}.`, {
      details: { path },
    });
  }
  let lookup = index;
  return {
    n: ids.length,
    ids,
    indexOf(id) {
      lookup ??= indexIds(ids);
      return lookup.get(id) ?? -1;
    },
    ...adjacency,
    topo,
    ...costs,
  };
}

function isEmpty(value: Record<string, unknown>): boolean {
  for (const _key in value) return false;
  return true;
}

function unknownDependency(task: string, dependency: string): PlanError {
  return new PlanError(
    PlanErrorCode.UNKNOWN_DEPENDENCY,
    `Expected every dependency to be a task of the plan, but task "${task}" depends on "${dependency}".`,
    { details: { task_id: task, dependency } },
  );
}
