import type { PlanView } from "@planloom/plan";

interface Parts {
  /** A number in `[0, count)` for every task. */
  readonly part: ArrayLike<number>;
  readonly count: number;
}

/**
 * Prompt tokens of every part without the base of a dispatch: those of its tasks, and once every foreign output that some
 * of them read. O(n + m).
 */
export function promptTokens(view: PlanView, parts: Parts): Float64Array {
  return amounts(view, parts, view.tokens, view.outTokens);
}

/** Bytes that every part holds before it ends: outputs of its tasks, and once every foreign output that some of them read. O(n + m). */
export function heldBytes(view: PlanView, parts: Parts): Float64Array {
  return amounts(view, parts, view.outBytes, view.outBytes);
}

/** @param own what a task adds to its part, and `read` what its output adds to each other part that reads it */
function amounts(view: PlanView, { part, count }: Parts, own: Float64Array, read: Float64Array): Float64Array {
  const sums = new Float64Array(count);
  const sentTo = new Int32Array(count).fill(-1);
  for (let v = 0; v < view.n; v++) {
    const home = part[v]!;
    sums[home]! += own[v]!;
    if (!(read[v]! > 0)) continue;
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
      const target = part[view.out[edge]!]!;
      if (target === home || sentTo[target] === v) continue;
      sentTo[target] = v;
      sums[target]! += read[v]!;
    }
  }
  return sums;
}
