import { headLengths, type PlanView, upwardRanks } from "@planloom/plan";

export interface WindowBound {
  readonly ms: number;
  /** Tasks that start no earlier than this after the first overhead, and after which at least `tailMs` follow. */
  readonly headMs: number;
  readonly tailMs: number;
}

/** Task visits that the search for a window may take; windows beyond are left out, which only weakens the bound. */
const VISITS = 4_000_000;

/**
 * LB3: `o + max over a, b of a + W{head ≥ a, tail ≥ b} / k + b`. None of these tasks can start before `o + a`, and after
 * the last of them ends b more is needed; in between there are k executors. Special case of Fernandez and Bussell 1973.
 * O(n · heads), with as many different heads as fit into a budget.
 */
export function windowBound(view: PlanView, executors: number, overheadMs: number): WindowBound {
  const { n, work } = view;
  const head = headLengths(view);
  const tail = upwardRanks(view).map((rank, v) => rank - work[v]!);
  const byTail = sortedBy(tail).reverse();
  const heads = Float64Array.from(new Set(head)).sort();
  const step = Math.max(1, Math.ceil((heads.length * n) / VISITS));
  let best = { ms: 0, headMs: 0, tailMs: 0 };
  for (let at = 0; at < heads.length; at += step) {
    const a = heads[at]!;
    let load = 0;
    for (let i = 0; i < n; i++) {
      const v = byTail[i]!;
      if (head[v]! < a) continue;
      load += work[v]!;
      const ms = a + load / executors + tail[v]!;
      if (ms > best.ms) best = { ms, headMs: a, tailMs: tail[v]! };
    }
  }
  return { ...best, ms: n === 0 ? 0 : overheadMs + best.ms };
}

function sortedBy(key: Float64Array): Int32Array {
  return Int32Array.from(key, (_, v) => v).sort((left, right) => key[left]! - key[right]!);
}
