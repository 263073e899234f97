import type { WeightedDag } from "./weighted-dag.ts";

/**
 * Whole connected components, heaviest first, each into the part that is lightest so far: nothing is cut, and balanced
 * wherever components are small (plans of several tenants in one). O((n + m) α(n) + components parts).
 */
export function packComponents(dag: WeightedDag, parts: number): Int32Array {
  const component = componentOf(dag);
  const weight = new Float64Array(dag.n);
  for (let v = 0; v < dag.n; v++) weight[component[v]!]! += dag.weight[v]!;
  const roots = Array.from({ length: dag.n }, (_, v) => v).filter((v) => component[v] === v);
  roots.sort((left, right) => weight[right]! - weight[left]! || left - right);
  const load = new Float64Array(parts);
  const partOf = new Int32Array(dag.n);
  for (const root of roots) {
    let lightest = 0;
    for (let p = 1; p < parts; p++) if (load[p]! < load[lightest]!) lightest = p;
    partOf[root] = lightest;
    load[lightest]! += weight[root]!;
  }
  return component.map((root) => partOf[root]!);
}

/** The lowest vertex of the connected component of each vertex. */
export function componentOf(dag: WeightedDag): Int32Array {
  const parent = Int32Array.from({ length: dag.n }, (_, v) => v);
  const find = (start: number): number => {
    let v = start;
    while (parent[v] !== v) {
      parent[v] = parent[parent[v]!]!;
      v = parent[v]!;
    }
    return v;
  };
  for (let v = 0; v < dag.n; v++) {
    for (let edge = dag.outPtr[v]!; edge < dag.outPtr[v + 1]!; edge++) {
      const [left, right] = [find(v), find(dag.out[edge]!)];
      parent[Math.max(left, right)] = Math.min(left, right);
    }
  }
  return parent.map((_, v) => find(v));
}
