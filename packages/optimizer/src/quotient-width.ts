import { type Quotient, quotientOrder } from "./quotient.ts";

/** Above this many parts only the largest level is counted. */
const EXACT_PARTS = 400;

/**
 * Most parts of which none depends on another, directly or not: by Dilworth's theorem all parts less a maximum matching of
 * the reachability relation (Fulkerson 1956; matching by augmenting paths, Kuhn 1955). O(parts³) at worst, up to 400 parts.
 */
export function quotientWidth(graph: Quotient): number {
  const { count, outPtr, out } = graph;
  const order = quotientOrder(graph);
  if (count > EXACT_PARTS) return largestLevel(graph, order);
  const reach: Set<number>[] = Array.from({ length: count }, () => new Set());
  for (let at = count - 1; at >= 0; at--) {
    const p = order[at]!;
    for (let edge = outPtr[p]!; edge < outPtr[p + 1]!; edge++) {
      reach[p]!.add(out[edge]!);
      for (const far of reach[out[edge]!]!) reach[p]!.add(far);
    }
  }
  const matchedTo = new Int32Array(count).fill(-1);
  let matched = 0;
  for (let p = 0; p < count; p++) {
    const seen = new Uint8Array(count);
    const augment = (from: number): boolean => {
      for (const to of reach[from]!) {
        if (seen[to] === 1) continue;
        seen[to] = 1;
        if (matchedTo[to] === -1 || augment(matchedTo[to]!)) {
          matchedTo[to] = from;
          return true;
        }
      }
      return false;
    };
    if (augment(p)) matched++;
  }
  return count - matched;
}

function largestLevel({ count, outPtr, out }: Quotient, order: Int32Array): number {
  const level = new Int32Array(count);
  const size = new Int32Array(count);
  let largest = 0;
  for (const p of order) {
    largest = Math.max(largest, ++size[level[p]!]!);
    for (let edge = outPtr[p]!; edge < outPtr[p + 1]!; edge++)
      level[out[edge]!] = Math.max(level[out[edge]!]!, level[p]! + 1);
  }
  return largest;
}
