import { checkOptions } from "../check-options.ts";
import { PlanError, PlanErrorCode } from "../errors.ts";
import type { OptionChecks } from "../options/option-checks.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import type { TaskData } from "../records/task-data.ts";
import { collectReferences } from "../references/collect-references.ts";
import { flowValues, hasFlowValues } from "../references/flow-values.ts";
import { tasksOf } from "../references/task-names.ts";
import { type Adjacency, adjacencyOfRows, buildAdjacency } from "./adjacency.ts";
import { checkLengths, costsOfColumns } from "./cost-columns.ts";
import { cycleAmong } from "./find-cycle.ts";
import { IdIndex } from "./id-index.ts";
import { RowList } from "./row-list.ts";
import { readCosts, type TaskCosts } from "./task-costs.ts";
import { topologicalOrder } from "./topological-order.ts";

/**
 * An immutable snapshot of a plan's graph in typed arrays (compressed sparse rows): what every hot path runs on. Tasks
 * are numbers 0 … n-1 in plan order; the edge u → v says that v depends on u. Edges are unique; neighbours ascend.
 *
 * A class, since the engine looks the fields of a literal with a getter up by name, which every loop over a view would pay for.
 * `viewWithCosts` makes one with other costs.
 */
export class PlanView implements TaskCosts {
  readonly n: number;
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
  /** Plan order is a topological order itself: every task comes after its dependencies. Sweeps in plan order then read memory in order. */
  readonly inOrder: boolean;
  readonly work: Float64Array;
  readonly tokens: Float64Array;
  readonly outBytes: Float64Array;
  readonly outTokens: Float64Array;
  readonly failProb: Float64Array;
  readonly affinity: Int32Array;
  readonly #names: Names;

  constructor(n: number, names: Names, graph: PlanOrder, costs: TaskCosts) {
    this.n = n;
    this.#names = names;
    this.outPtr = graph.outPtr;
    this.out = graph.out;
    this.inPtr = graph.inPtr;
    this.in = graph.in;
    this.topo = graph.topo;
    this.levelPtr = graph.levelPtr;
    this.inOrder = graph.inOrder;
    this.work = costs.work;
    this.tokens = costs.tokens;
    this.outBytes = costs.outBytes;
    this.outTokens = costs.outTokens;
    this.failProb = costs.failProb;
    this.affinity = costs.affinity;
  }

  /** Task ids in plan order. */
  get ids(): readonly string[] {
    return this.#names.ids;
  }

  /** Number of the task with this id, -1 if there is none. */
  indexOf(id: string): number {
    return this.#names.indexOf(id);
  }
}

type PlanOrder = Pick<PlanView, "outPtr" | "out" | "inPtr" | "in" | "topo" | "levelPtr" | "inOrder">;

interface Names {
  readonly ids: readonly string[];
  indexOf(id: string): number;
}

class TaskNames implements Names {
  readonly #make: () => readonly string[];
  #ids: readonly string[] | undefined;
  #index: IdIndex | undefined;

  constructor(count: number, ids: PlanEdges["ids"], index: IdIndex | undefined) {
    if (typeof ids === "object") this.#ids = ids;
    this.#make = typeof ids === "function" ? ids : () => Array.from({ length: count }, (_, task) => String(task));
    this.#index = index;
  }

  get ids(): readonly string[] {
    this.#ids ??= this.#make();
    return this.#ids;
  }

  indexOf(id: string): number {
    this.#index ??= new IdIndex(this.ids);
    return this.#index.indexOf(id);
  }
}

export interface PlanEdges {
  /** How many tasks. */
  readonly n: number;
  /** Edge i goes from task `from[i]` (first) to task `to[i]` (depends on it). Duplicates are merged. */
  readonly from: ArrayLike<number>;
  readonly to: ArrayLike<number>;
  /** Milliseconds per task. @default DEFAULT_TASK_MS each */
  readonly work?: ArrayLike<number>;
  /** The other costs of `TaskCosts`, each of one entry a task. @default 0 each */
  readonly tokens?: ArrayLike<number> | undefined;
  readonly outBytes?: ArrayLike<number> | undefined;
  readonly outTokens?: ArrayLike<number> | undefined;
  readonly failProb?: ArrayLike<number> | undefined;
  readonly affinity?: ArrayLike<number> | undefined;
  /** Unique; a function is called when they are first asked for, and its ids are not checked before. @default "0" … "n-1" */
  readonly ids?: readonly string[] | (() => readonly string[]) | undefined;
}

/**
 * The view of a plan or of its tasks, over the same edges as `effectiveDependencies` (declared plus implied by
 * references). O(tasks + edges + size of the arguments).
 * @throws PlanError INVALID, DUPLICATE_TASK, UNKNOWN_DEPENDENCY, CYCLE (with the path in `details.path`).
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
  const rows = new RowList(n, edgeCount);
  for (let task = 0; task < n; task++) {
    const { dependencies, parameters, arguments: values } = tasks[task]!;
    for (let i = 0; i < dependencies.length; i++) {
      const source = index.indexOf(dependencies[i]!);
      if (source === -1) throw unknownDependency(ids[task]!, dependencies[i]!);
      rows.add(source);
    }
    if (!isEmpty(parameters)) addImplied(parameters, index, variables, rows);
    if (!isEmpty(values)) addImplied(values, index, variables, rows);
    if (hasFlowValues(tasks[task]!)) addImplied(flowValues(tasks[task]!), index, variables, rows);
    rows.nextTask();
  }
  return assemble(ids, adjacencyOfRows(rows.rows()), readCosts(tasks), index);
}

function addImplied(value: unknown, index: IdIndex, variables: ReadonlyMap<string, number>, rows: RowList): void {
  for (const { reference } of collectReferences(value)) {
    const named = index.indexOf(reference.name);
    const source = named === -1 ? variables.get(reference.name) : named;
    if (source !== undefined) rows.add(source);
  }
}

const edgeChecks = {
  n: { required: "wholeNumber" },
  from: "own",
  to: "own",
  work: "own",
  tokens: "own",
  outBytes: "own",
  outTokens: "own",
  failProb: "own",
  affinity: "own",
  ids: "own",
} as const satisfies OptionChecks<PlanEdges>;

/**
 * The view of a graph given as integer edges.
 * @throws PlanError OPTION for an unknown field, INVALID for a cost that is NaN or below 0, UNKNOWN_DEPENDENCY for an edge outside 0 … n-1, DUPLICATE_TASK, CYCLE.
 */
export function planViewFromEdges(edges: PlanEdges): PlanView {
  checkOptions("`planViewFromEdges`", edges, edgeChecks);
  const { n, from, to } = edges;
  if (
    !Number.isSafeInteger(n) ||
    from?.length === undefined ||
    from.length !== to?.length ||
    (typeof edges.ids === "object" && edges.ids.length !== n)
  ) {
    throw new PlanError(
      PlanErrorCode.INVALID,
      `Expected \`from\` and \`to\` of one length and \`ids\` of length ${n}.`,
      { details: { issues: [{ path: "from", message: `${from?.length} from, ${to?.length} to` }] } },
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
  const costs = costsOfColumns(n, edges);
  const index = typeof edges.ids === "object" ? new IdIndex(edges.ids) : undefined;
  return assemble({ n, ids: edges.ids }, buildAdjacency(n, sources, targets), costs, index);
}

function integers(list: ArrayLike<number>): Int32Array {
  return list instanceof Int32Array ? list : new Int32Array(list);
}

/**
 * Puts a view together from checked numbers.
 * @param tasks their ids; or how many there are, with ids that are made when first asked for
 * @throws PlanError CYCLE
 */
export function assemble(
  tasks: readonly string[] | Pick<PlanEdges, "n" | "ids">,
  adjacency: Adjacency,
  costs: TaskCosts,
  index?: IdIndex,
): PlanView {
  const { n, ids } = "n" in tasks ? tasks : { n: tasks.length, ids: tasks };
  const names = new TaskNames(n, ids, index);
  const { topo, levelPtr, ordered } = topologicalOrder(adjacency);
  if (ordered < n) {
    const path = cycleAmong(adjacency, topo, ordered).map((task) => names.ids[task]!);
    throw new PlanError(PlanErrorCode.CYCLE, `Tasks form a cycle, each needing the next: ${path.join(" → ")}.`, {
      details: { path },
    });
  }
  return new PlanView(n, names, { ...adjacency, topo, levelPtr, inOrder: isInTopologicalOrder(adjacency) }, costs);
}

/**
 * The same plan with other costs, each of one entry a task.
 * @throws PlanError INVALID for a column of another length.
 */
export function viewWithCosts(view: PlanView, costs: Partial<TaskCosts>): PlanView {
  checkLengths(view.n, costs);
  const { work, tokens, outBytes, outTokens, failProb, affinity } = view;
  return new PlanView(view.n, view, view, { work, tokens, outBytes, outTokens, failProb, affinity, ...costs });
}

/** Rows ascend, so the last dependency of a task is the one to look at. */
function isInTopologicalOrder({ inPtr, in: neighbours }: Adjacency): boolean {
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
