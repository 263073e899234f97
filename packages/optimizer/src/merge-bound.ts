import type { ExecutionEnvironment } from "./environment.ts";
import { type Quotient, quotientOrder } from "./quotient.ts";

/**
 * What the makespan is at least, in milliseconds, once two parts are one: the longest way to either of them, both, and the longest way from either. A step a
 * pair, so that few of the merges that a search thinks of have to be simulated. 0, which says nothing, where dispatch is not atomic and with slots.
 */
export function mergeBound(graph: Quotient, environment: ExecutionEnvironment): (p: number, q: number) => number {
  const { semantics, slots = 1, overheadMs } = environment;
  if (semantics !== "atomic" || slots !== 1) return () => 0;
  const { count, outPtr, out, work } = graph;
  const before = new Float64Array(count);
  const after = new Float64Array(count);
  const order = quotientOrder(graph);
  for (const p of order) {
    const end = before[p]! + overheadMs + work[p]!;
    for (let edge = outPtr[p]!; edge < outPtr[p + 1]!; edge++) {
      if (before[out[edge]!]! < end) before[out[edge]!] = end;
    }
  }
  for (let at = count - 1; at >= 0; at--) {
    const p = order[at]!;
    for (let edge = outPtr[p]!; edge < outPtr[p + 1]!; edge++) {
      const next = out[edge]!;
      after[p] = Math.max(after[p]!, after[next]! + overheadMs + work[next]!);
    }
  }
  const follows = new Set<number>();
  for (let p = 0; p < count; p++) {
    for (let edge = outPtr[p]!; edge < outPtr[p + 1]!; edge++) follows.add(p * count + out[edge]!);
  }
  return (p, q) => {
    const both = overheadMs + work[p]! + work[q]!;
    // Of two that follow each other, the way to the second leads through the first, which it then no longer waits for.
    if (follows.has(p * count + q)) return before[p]! + both + after[q]!;
    if (follows.has(q * count + p)) return before[q]! + both + after[p]!;
    // Where a longer way leads from one to the other, the merged part would wait for itself, which `verify` finds.
    return Math.max(before[p]!, before[q]!) + both + Math.max(after[p]!, after[q]!);
  };
}
