import { type Edges, neighbours } from "./edges.ts";

/**
 * The layer of each node: the number of nodes before it on the longest path to it, so that every edge leads to a later layer. A node without
 * predecessors is put right before its first successor, which makes its edges short. Nodes on a cycle are put after all others. O(nodes + edges).
 */
export function layerGraph(count: number, { from, to }: Edges): Int32Array {
  const successors = neighbours(count, from, to);
  const open = new Int32Array(count);
  for (let edge = 0; edge < to.length; edge += 1) open[to[edge]!]! += 1;
  const isSource = Array.from(open, (degree) => degree === 0);
  const order = new Int32Array(count);
  let last = 0;
  for (let node = 0; node < count; node += 1) if (open[node] === 0) order[last++] = node;
  const layer = new Int32Array(count);
  for (let at = 0; at < last; at += 1) {
    const node = order[at]!;
    for (let edge = successors.ptr[node]!; edge < successors.ptr[node + 1]!; edge += 1) {
      const next = successors.items[edge]!;
      layer[next] = Math.max(layer[next]!, layer[node]! + 1);
      open[next]! -= 1;
      if (open[next] === 0) order[last++] = next;
    }
  }
  const deepest = layer.reduce((most, each) => Math.max(most, each), 0);
  for (let node = 0; node < count; node += 1) if (open[node]! > 0) layer[node] = deepest + 1;
  for (let node = 0; node < count; node += 1) {
    const first = successors.ptr[node]!;
    const end = successors.ptr[node + 1]!;
    if (!isSource[node] || first === end) continue;
    let nearest = Number.POSITIVE_INFINITY;
    for (let edge = first; edge < end; edge += 1) nearest = Math.min(nearest, layer[successors.items[edge]!]!);
    layer[node] = nearest - 1;
  }
  return layer;
}
