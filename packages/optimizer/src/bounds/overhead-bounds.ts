import type { PlanView } from "@planloom/plan";
import { componentOf } from "../connected-components.ts";

/**
 * LB5: a connected plan is one part, or some quotient edge exists: `min(o + W, 2o + least w(u) + w(v) over edges)`. Of a
 * plan in several components each gives a bound; the largest counts. `undefined` without edges. O((n + m) α(n)).
 */
export function twoRoundsBound(view: PlanView, overheadMs: number): { ms: number; witness: string } | undefined {
  const { n, work, outPtr, out } = view;
  const component = componentOf(view);
  const total = new Float64Array(n);
  const pair = new Float64Array(n).fill(Number.POSITIVE_INFINITY);
  for (let v = 0; v < n; v++) {
    const root = component[v]!;
    total[root]! += work[v]!;
    for (let edge = outPtr[v]!; edge < outPtr[v + 1]!; edge++) {
      pair[root] = Math.min(pair[root]!, work[v]! + work[out[edge]!]!);
    }
  }
  let best: { ms: number; witness: string } | undefined;
  for (let root = 0; root < n; root++) {
    if (pair[root] === Number.POSITIVE_INFINITY) continue;
    const whole = overheadMs + total[root]!;
    const divided = 2 * overheadMs + pair[root]!;
    const ms = Math.min(whole, divided);
    if (best !== undefined && ms <= best.ms) continue;
    const witness = whole <= divided ? "connected tasks in one dispatch" : "two dispatches in a row";
    best = { ms, witness: `${witness}, around ${view.ids[root]}` };
  }
  return best;
}

/** LB6: with hard affinity a path pays an overhead at its start and at every change of class on it. O(n + m). */
export function affinityPathBound(view: PlanView, overheadMs: number): { ms: number; witness: string } {
  const end = new Float64Array(view.n);
  let best = { ms: 0, witness: "" };
  for (const v of view.topo) {
    let start = overheadMs;
    for (let edge = view.inPtr[v]!; edge < view.inPtr[v + 1]!; edge++) {
      const u = view.in[edge]!;
      start = Math.max(start, end[u]! + (view.affinity[u] === view.affinity[v] ? 0 : overheadMs));
    }
    end[v] = start + view.work[v]!;
    if (end[v]! > best.ms) best = { ms: end[v]!, witness: `a path to ${view.ids[v]} with its changes of class` };
  }
  return best;
}
