import { componentOf } from "../connected-components.ts";
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
