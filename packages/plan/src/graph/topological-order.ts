import type { Adjacency } from "./adjacency.ts";

/** Kahn's algorithm. `topo` holds the tasks in order, `ordered` says how many; fewer than n means a cycle. */
export function topologicalOrder(graph: Pick<Adjacency, "outPtr" | "out" | "inPtr">): {
  topo: Int32Array;
  ordered: number;
} {
  const { outPtr, out, inPtr } = graph;
  const n = outPtr.length - 1;
  const missing = new Int32Array(n);
  const topo = new Int32Array(n);
  let end = 0;
  for (let task = 0; task < n; task++) {
    missing[task] = inPtr[task + 1]! - inPtr[task]!;
    if (missing[task] === 0) topo[end++] = task;
  }
  for (let head = 0; head < end; head++) {
    const task = topo[head]!;
    for (let edge = outPtr[task]!; edge < outPtr[task + 1]!; edge++) {
      const next = out[edge]!;
      missing[next] = missing[next]! - 1;
      if (missing[next] === 0) topo[end++] = next;
    }
  }
  return { topo, ordered: end };
}
