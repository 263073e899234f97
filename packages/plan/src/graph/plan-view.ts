import { PlanError, PlanErrorCode } from "../errors.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import type { TaskData } from "../records/task-data.ts";
import { collectReferences } from "../references/collect-references.ts";
import { tasksOf } from "../references/task-names.ts";
import { type Adjacency, buildAdjacency } from "./adjacency.ts";
import { EdgeList } from "./edge-list.ts";
import { cycleAmong } from "./find-cycle.ts";
import { IdIndex } from "./id-index.ts";
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
  /**
   * Level l of the plan is `topo[levelPtr[l]]` up to, not including, `topo[levelPtr[l + 1]]`: tasks with l others on the longest
   * path before them.
   */
  readonly levelPtr: Int32Array;
  /** Plan order is a topological order itself: every task stands behind its dependencies. Sweeps in it run through memory in order. */
  readonly inOrder: boolean;
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
  const n = tasks.length;
  const ids = new Array<string>(n);
  for (let task = 0; task < n; task++) ids[task] = tasks[task]!.task_id;
  const index = new IdIndex(ids);
  const variables = new Map<string, number>();
  let edgeCount = 0;
  for (let task = 0; task < n; task++) {
    const { result_variable: name, dependencies } = tasks[task]!;
    edgeCount += dependencies.length;
    if (name !== undefined && !variables.has(name) && index.indexOf(name) === -1) variables.set(name, task);
  }
  const edges = new EdgeList(edgeCount);
  for (let task = 0; task < n; task++) {
    const { dependencies, parameters, arguments: values } = tasks[task]!;
    for (let i = 0; i < dependencies.length; i++) {
      const source = index.indexOf(dependencies[i]!);
      if (source === -1) throw unknownDependency(ids[task]!, dependencies[i]!);
      edges.add(source, task);
    }
    if (!isEmpty(parameters)) addImplied(parameters, task, index, variables, edges);
    if (!isEmpty(values)) addImplied(values, task, index, variables, edges);
  }
  const { from, to } = edges.columns();
  return assemble(ids, from, to, readCosts(tasks), index);
}

function addImplied(
  value: unknown,
  task: number,
  index: IdIndex,
  variables: ReadonlyMap<string, number>,
  edges: EdgeList,
): void {
  for (const { reference } of collectReferences(value)) {
    const named = index.indexOf(reference.name);
    const source = named === -1 ? variables.get(reference.name) : named;
    if (source !== undefined) edges.add(source, task);
  }
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
  const sources = integers(from);
  const targets = integers(to);
  for (let edge = 0; edge < sources.length; edge++) {
    const source = sources[edge]!;
    const target = targets[edge]!;
    if (source < 0 || source >= n || target < 0 || target >= n || from[edge] !== source || to[edge] !== target) {
      throw unknownDependency(String(to[edge]), String(from[edge]));
    }
  }
  const costs = unknownCosts(n);
  if (work) for (let task = 0; task < n; task++) costs.work[task] = work[task]!;
  return assemble(edges.ids ?? n, sources, targets, costs, edges.ids && new IdIndex(edges.ids));
}

function integers(list: ArrayLike<number>): Int32Array {
  return list instanceof Int32Array ? list : new Int32Array(list);
}

/**
 * Puts a view together from checked numbers.
 * @param tasks their ids; or how many there are, with ids "0", "1", … that are made when first asked for.
 * @throws PlanError CYCLE
 */
export function assemble(
  tasks: readonly string[] | number,
  from: Int32Array,
  to: Int32Array,
  costs: TaskCosts,
  index?: IdIndex,
): PlanView {
  const n = typeof tasks === "number" ? tasks : tasks.length;
  const adjacency = buildAdjacency(n, from, to);
  const { topo, levelPtr, ordered } = topologicalOrder(adjacency);
  let named = typeof tasks === "number" ? undefined : tasks;
  const ids = () => {
    named ??= Array.from({ length: n }, (_, task) => String(task));
    return named;
  };
  if (ordered < n) {
    const path = cycleAmong(adjacency, topo, ordered).map((task) => ids()[task]!);
    throw new PlanError(PlanErrorCode.CYCLE, `Tasks form a cycle, each needing the next: ${path.join(" → ")}.`, {
      details: { path },
    });
  }
  let lookup = index;
  return {
    n,
    get ids() {
      return ids();
    },
    indexOf(id) {
      lookup ??= new IdIndex(ids());
      return lookup.indexOf(id);
    },
    ...adjacency,
    topo,
    levelPtr,
    inOrder: standsInOrder(adjacency),
    ...costs,
  };
}

/** Rows ascend, so the last dependency of a task is the one to look at. */
function standsInOrder({ inPtr, in: neighbours }: Adjacency): boolean {
  for (let task = 0; task + 1 < inPtr.length; task++) {
    const end = inPtr[task + 1]!;
    if (end > inPtr[task]! && neighbours[end - 1]! > task) return false;
  }
  return true;
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
