import type { PlanView } from "@planloom/plan";

/**
 * The lowest vertex of the weakly connected component of each vertex. Union-find with path halving (Tarjan and van Leeuwen, 1984), O((n + m) α(n)).
 */
export function componentOf({ n, outPtr, out }: Pick<PlanView, "n" | "outPtr" | "out">): Int32Array {
  const parent = Int32Array.from({ length: n }, (_, v) => v);
  const find = (start: number): number => {
    let v = start;
    while (parent[v] !== v) {
      parent[v] = parent[parent[v]!]!;
      v = parent[v]!;
    }
    return v;
  };
  for (let v = 0; v < n; v++) {
    for (let edge = outPtr[v]!; edge < outPtr[v + 1]!; edge++) {
      const [left, right] = [find(v), find(out[edge]!)];
      parent[Math.max(left, right)] = Math.min(left, right);
    }
  }
  return parent.map((_, v) => find(v));
}
