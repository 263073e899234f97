import type { Adjacency } from "./adjacency.ts";

/**
 * Kahn's algorithm, level by level. `topo` holds the tasks in order, `ordered` says how many; fewer than n means a cycle. Level l
 * (longest path of dependencies, counted in tasks) is `topo[levelPtr[l] .. levelPtr[l + 1])`.
 */
export function topologicalOrder(graph: Pick<Adjacency, "outPtr" | "out" | "inPtr">): {
  topo: Int32Array;
  levelPtr: Int32Array;
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
  // A task becomes free with the last of its dependencies, so what one level frees is the next.
  const starts = [0];
  for (let head = 0; head < end; ) {
    const levelEnd = end;
    for (; head < levelEnd; head++) {
      const task = topo[head]!;
      for (let edge = outPtr[task]!, last = outPtr[task + 1]!; edge < last; edge++) {
        const next = out[edge]!;
        const left = missing[next]! - 1;
        missing[next] = left;
        if (left === 0) topo[end++] = next;
      }
    }
    starts.push(levelEnd);
  }
  return { topo, levelPtr: Int32Array.from(starts), ordered: end };
}
