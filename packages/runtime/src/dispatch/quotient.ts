import { PlanError, type PlanView, planViewFromEdges, type SubGraph } from "@planloom/plan";
import { invalid } from "../invalid-option.ts";
import type { RunOptions } from "../run-settings.ts";
import { readDispatchOrder } from "./dispatch-order.ts";

/** Subgraphs as tasks of a plan of their own. */
export interface Quotient {
  /** The graph of the subgraphs, by their numbers; the work of each is that of its tasks together, and the price of its dispatch. */
  readonly view: PlanView;
  /** Numbers of each subgraph's tasks, each after those it depends on. */
  readonly members: readonly (readonly number[])[];
  /** Number of each task's subgraph. */
  readonly part: Int32Array;
  /** Subgraphs of which the second waits for the first by its own word, whatever its tasks need. */
  readonly declared: readonly (readonly [number, number])[];
  /** The order of dispatch, where one is given. */
  readonly order?: Int32Array;
}

/**
 * Which subgraph waits for which: as the plan's own edges say, and as the subgraphs say beyond that. O(n + m).
 * @throws RuntimeError INVALID_OPTION unless every task is in exactly one subgraph, they do not wait for one another, and
 *   `dispatchOrder` agrees with that
 */
export function quotientOf(
  view: PlanView,
  subgraphs: readonly SubGraph[],
  {
    dispatchOrder,
    dispatchOverheadMs = 0,
    semantics,
  }: Pick<RunOptions, "dispatchOrder" | "dispatchOverheadMs" | "semantics"> = {},
): Quotient {
  if (!(Number.isFinite(dispatchOverheadMs) && dispatchOverheadMs >= 0)) {
    throw invalid("dispatchOverheadMs", "a finite number of at least 0", dispatchOverheadMs);
  }
  const part = new Int32Array(view.n).fill(-1);
  const numbers = new Map(subgraphs.map(({ subgraph_id }, number) => [subgraph_id, number]));
  if (numbers.size < subgraphs.length) throw invalid("subgraphs", "a list with unique ids", [...numbers.keys()]);
  for (const [number, { tasks }] of subgraphs.entries()) {
    for (const { task_id } of tasks) {
      const task = view.indexOf(task_id);
      if (task === -1) throw invalid("subgraphs", "a grouping of the plan's tasks", task_id);
      if (part[task] !== -1) throw invalid("subgraphs", "a grouping with every task in one subgraph", task_id);
      part[task] = number;
    }
  }
  const alone = part.indexOf(-1);
  if (alone !== -1) throw invalid("subgraphs", "a grouping of all tasks", view.ids[alone]);
  const members: number[][] = subgraphs.map(() => []);
  for (const task of semantics === "pipelined" ? listedOrder(view, subgraphs) : view.topo)
    members[part[task]!]!.push(task);
  const needed = edgesBetween(view, part, subgraphs.length);
  const declared = subgraphs.flatMap(({ dependencies }, to) =>
    dependencies.flatMap((id) => {
      const from = numbers.get(id);
      if (from === undefined) throw invalid("subgraphs", "a list whose dependencies are in it", id);
      return needed.has(from * subgraphs.length + to) ? [] : [[from, to] as const];
    }),
  );
  const ids = subgraphs.map(({ subgraph_id }) => subgraph_id);
  const quotient = { view: quotientView(view, part, ids, declared, dispatchOverheadMs), members, part, declared };
  return dispatchOrder === undefined
    ? quotient
    : { ...quotient, order: readDispatchOrder(quotient.view, dispatchOrder) };
}

/** All tasks, each after those of its subgraph that it depends on, and otherwise as the subgraphs list them. O(n + m) */
function listedOrder(view: PlanView, subgraphs: readonly SubGraph[]): number[] {
  const order: number[] = [];
  const nextEdge = view.inPtr.slice(0, view.n);
  for (const { tasks } of subgraphs) {
    const listed = tasks.map(({ task_id }) => view.indexOf(task_id));
    const left = new Set(listed);
    for (const task of listed) {
      const path = left.has(task) ? [task] : [];
      for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
        if (nextEdge[last]! < view.inPtr[last + 1]!) {
          const needed = view.in[nextEdge[last]!++]!;
          if (left.has(needed)) path.push(needed);
        } else {
          path.pop();
          left.delete(last);
          order.push(last);
        }
      }
    }
  }
  return order;
}

/** Which subgraph needs the output of which, or waits for it, as tasks say: `from * count + to`. */
function edgesBetween(view: PlanView, part: Int32Array, count: number): Set<number> {
  const edges = new Set<number>();
  for (let task = 0; task < view.n; task++) {
    for (let edge = view.outPtr[task]!; edge < view.outPtr[task + 1]!; edge++) {
      const to = part[view.out[edge]!]!;
      if (to !== part[task]) edges.add(part[task]! * count + to);
    }
  }
  return edges;
}

/**
 * Subgraphs as tasks of a plan. O(n + m)
 * @param part number of each task's subgraph
 * @param ids of the subgraphs
 * @throws RuntimeError INVALID_OPTION for subgraphs that wait for one another
 */
export function quotientView(
  view: PlanView,
  part: Int32Array,
  ids: readonly string[],
  declared: Quotient["declared"],
  overheadMs: number,
): PlanView {
  const count = ids.length;
  const edges = edgesBetween(view, part, count);
  const work = new Float64Array(count).fill(overheadMs);
  for (let task = 0; task < view.n; task++) {
    work[part[task]!]! += view.work[task]!;
  }
  for (const [from, to] of declared) edges.add(from * count + to);
  const pairs = [...edges];
  try {
    return planViewFromEdges({
      n: count,
      ids,
      from: pairs.map((edge) => Math.floor(edge / count)),
      to: pairs.map((edge) => edge % count),
      work: [...work],
    });
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    throw invalid(
      "subgraphs",
      "a grouping in which no subgraphs wait for one another",
      error.details.path ?? error.message,
    );
  }
}
