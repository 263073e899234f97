import type { Partition } from "@planloom/optimizer";
import { type PlanView, planViewFromEdges, type TaskCosts, viewWithCosts } from "@planloom/plan";
import fc from "fast-check";

export interface Dag {
  readonly n: number;
  readonly from: number[];
  readonly to: number[];
  readonly work: number[];
}

/** Small acyclic graphs with whole-number work, so that sums are exact: edges go from lower to higher numbers. */
export const dags: fc.Arbitrary<Dag> = fc.integer({ min: 0, max: 12 }).chain((n) => {
  const pairs: [number, number][] = [];
  for (let to = 1; to < n; to++) for (let from = 0; from < to; from++) pairs.push([from, to]);
  return fc
    .record({
      edges: fc.subarray(pairs, { maxLength: Math.min(30, pairs.length) }),
      work: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: n, maxLength: n }),
    })
    .map(({ edges, work }) => ({ n, from: edges.map(([from]) => from), to: edges.map(([, to]) => to), work }));
});

export const environments = fc.record({
  semantics: fc.constantFrom("atomic" as const, "pipelined" as const, "streaming" as const),
  executors: fc.constantFrom(1, 2, 3, 8, Number.POSITIVE_INFINITY),
  overheadMs: fc.constantFrom(0, 1, 5, 50),
});

export function view(dag: Dag & { readonly ids?: readonly string[] }, costs: Partial<TaskCosts> = {}): PlanView {
  const { n, from, to, work, ids } = dag;
  return viewWithCosts(planViewFromEdges({ n, from, to, work, ids }), costs);
}

/** A partition with an acyclic quotient: a random cut of a topological order into runs. */
export function runs(dag: Dag, cuts: readonly boolean[]): Partition {
  const part = new Int32Array(dag.n);
  let count = 0;
  for (let v = 0; v < dag.n; v++) {
    if (v > 0 && (cuts[v] ?? true)) count++;
    part[v] = count;
  }
  return { part, count: dag.n === 0 ? 0 : count + 1 };
}

/** The same plan with its tasks in another order; `order[at]` is the old number of the task now at `at`. */
export function shuffle(dag: Dag, order: readonly number[]): Dag {
  const place = new Map(order.map((old, at) => [old, at]));
  return {
    n: dag.n,
    from: dag.from.map((v) => place.get(v)!),
    to: dag.to.map((v) => place.get(v)!),
    work: order.map((old) => dag.work[old]!),
  };
}
