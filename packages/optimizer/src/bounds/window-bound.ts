import { headLengths, type PlanView, upwardRanks } from "@planloom/plan";

export interface WindowBound {
  readonly ms: number;
  /** Tasks that start no earlier than this after the first overhead, and after which at least `tailMs` follow. */
  readonly headMs: number;
  readonly tailMs: number;
}

/** Task visits that the search for a window may take; windows beyond are left out, which only weakens the bound. */
const VISITS = 4_000_000;

/** Above this many tasks tails are distinguished by bucket only. */
const SORTED_TASKS = 20_000;
const BUCKETS = 1024;
const HEADS = 6;
const SLACK = 1 - 1e-9;

/**
 * LB3: `o + max over a, b of a + W{head ≥ a, tail ≥ b} / k + b`. None of these tasks can start before `o + a`, and after
 * the last of them ends b more is needed; in between there are k executors. Special case of Fernandez and Bussell 1973.
 * O(n + m + n · heads), with as many different heads as fit into a budget.
 */
export function windowBound(
  view: PlanView,
  executors: number,
  overheadMs: number,
  ranks: Float64Array = upwardRanks(view),
): WindowBound {
  const { n, work } = view;
  const head = headLengths(view);
  if (n > SORTED_TASKS) return roughWindow(work, head, ranks, executors, overheadMs);
  const tail = new Float64Array(n);
  for (let v = 0; v < n; v++) tail[v] = ranks[v]! - work[v]!;
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

/** Six heads, and tails rounded down to one of 1,024: a weaker bound, in O(n). */
function roughWindow(
  work: Float64Array,
  head: Float64Array,
  ranks: Float64Array,
  executors: number,
  overheadMs: number,
): WindowBound {
  const n = work.length;
  let longestHead = 0;
  let longestTail = 0;
  for (let v = 0; v < n; v++) {
    longestHead = Math.max(longestHead, head[v]!);
    longestTail = Math.max(longestTail, ranks[v]! - work[v]!);
  }
  // Heads up to half the longest. Rounding may take a task into the next row or bucket; therefore the slack below.
  const perHead = longestHead > 0 ? (2 * HEADS) / longestHead : 0;
  const perTail = longestTail > 0 ? BUCKETS / longestTail : 0;
  // Row `at` first holds the tasks between its head and the next, then all from its head on.
  const load = new Float64Array(HEADS * BUCKETS);
  for (let v = 0; v < n; v++) {
    const row = Math.min(HEADS - 1, (head[v]! * perHead) | 0);
    const bucket = Math.min(BUCKETS - 1, ((ranks[v]! - work[v]!) * perTail) | 0);
    load[row * BUCKETS + bucket]! += work[v]!;
  }
  for (let at = (HEADS - 1) * BUCKETS - 1; at >= 0; at--) load[at]! += load[at + BUCKETS]!;
  let best = { ms: 0, headMs: 0, tailMs: 0 };
  for (let at = 0; at < HEADS; at++) {
    const headMs = at === 0 ? 0 : (at / perHead) * SLACK;
    let sum = 0;
    for (let bucket = BUCKETS - 1; bucket >= 0; bucket--) {
      const own = load[at * BUCKETS + bucket]!;
      if (own === 0) continue;
      sum += own;
      const tailMs = bucket === 0 ? 0 : (bucket / perTail) * SLACK;
      const ms = headMs + sum / executors + tailMs;
      if (ms > best.ms) best = { ms, headMs, tailMs };
    }
  }
  return { ...best, ms: overheadMs + best.ms };
}
