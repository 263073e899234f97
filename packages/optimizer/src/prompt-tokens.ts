import type { PlanView } from "@planloom/plan";
import type { Partition } from "./partition.ts";

/**
 * Prompt tokens of every part without the base of a dispatch: those of its tasks, and once every foreign output that some
 * of them read. O(n + m).
 */
export function promptTokens(view: PlanView, { part, count }: Partition): Float64Array {
  const tokens = new Float64Array(count);
  const sentTo = new Int32Array(count).fill(-1);
  for (let v = 0; v < view.n; v++) {
    tokens[part[v]!]! += view.tokens[v]!;
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
      const target = part[view.out[edge]!]!;
      if (target === part[v] || sentTo[target] === v) continue;
      sentTo[target] = v;
      tokens[target]! += view.outTokens[v]!;
    }
  }
  return tokens;
}
