import { type Edges, type Neighbours, neighbours } from "./edges.ts";

/** Nodes in layers, each layer in the order in which it is drawn. Nodes from `count` on are bends of long edges. */
export interface OrderedLayers {
  readonly layers: readonly Int32Array[];
  /** Neighbours in the layer before, and in the layer after. */
  readonly before: Neighbours;
  readonly after: Neighbours;
  /** Number of nodes, bends included. */
  readonly total: number;
}

/** Of more bends than this many a node, long edges are not led around nodes: they would cost more than the nodes. */
const maxBendsPerNode = 4;
const minBends = 20_000;
const maxSweeps = 8;
/** Of more edges than this, fewer sweeps are made. */
const manyEdges = 20_000;

/**
 * Orders the nodes of each layer so that few edges cross: the barycentre method of Sugiyama, Tagawa and Toda (1981), down and up in turn, of
 * which the order with the fewest crossings is kept. O(sweeps (nodes + edges) log nodes).
 */
export function orderLayers(count: number, edges: Edges, layer: Int32Array): OrderedLayers {
  const { total, from, to, layerOf } = withBends(count, edges, layer);
  const before = neighbours(total, to, from);
  const after = neighbours(total, from, to);
  const depth = layerOf.reduce((most, each) => Math.max(most, each + 1), 0);
  const sizes = new Int32Array(depth);
  for (const each of layerOf) sizes[each]! += 1;
  let layers = Array.from(sizes, (size) => new Int32Array(size));
  const filled = new Int32Array(depth);
  for (let node = 0; node < total; node += 1) {
    const at = layerOf[node]!;
    layers[at]![filled[at]!++] = node;
  }
  const place = new Float64Array(total);
  const notePlaces = () => {
    for (const nodes of layers) for (let at = 0; at < nodes.length; at += 1) place[nodes[at]!] = at;
  };
  notePlaces();
  const sweeps = from.length > manyEdges ? maxSweeps / 2 : maxSweeps;
  let best = layers;
  let fewest = crossings(layers, before, place);
  for (let sweep = 0; sweep < sweeps && fewest > 0; sweep += 1) {
    layers = layers.map((nodes) => nodes.slice());
    const down = sweep % 2 === 0;
    for (let step = 1; step < depth; step += 1) {
      const nodes = layers[down ? step : depth - 1 - step]!;
      sortByBarycentre(nodes, down ? before : after, place);
    }
    const found = crossings(layers, before, place);
    if (found < fewest) {
      fewest = found;
      best = layers;
    }
  }
  return { layers: best, before, after, total };
}

/** Edges that pass layers get a bend in each of them. */
function withBends(count: number, { from, to }: Edges, layer: Int32Array) {
  let bends = 0;
  for (let edge = 0; edge < from.length; edge += 1) bends += Math.max(0, layer[to[edge]!]! - layer[from[edge]!]! - 1);
  const drawn = bends <= Math.max(minBends, count * maxBendsPerNode);
  const layerOf: number[] = Array.from(layer);
  const sources: number[] = [];
  const targets: number[] = [];
  for (let edge = 0; edge < from.length; edge += 1) {
    const end = to[edge]!;
    let node = from[edge]!;
    const span = layer[end]! - layer[node]!;
    if (span < 1 || (span > 1 && !drawn)) continue;
    for (let at = layer[node]! + 1; at < layer[end]!; at += 1) {
      const bend = layerOf.push(at) - 1;
      sources.push(node);
      targets.push(bend);
      node = bend;
    }
    sources.push(node);
    targets.push(end);
  }
  return { total: layerOf.length, from: sources, to: targets, layerOf: Int32Array.from(layerOf) };
}

/** Sorts a layer by the mean place of each node's neighbours; one without neighbours keeps its place. */
function sortByBarycentre(nodes: Int32Array, { ptr, items }: Neighbours, place: Float64Array): void {
  const wanted = new Map<number, number>();
  for (const node of nodes) {
    const first = ptr[node]!;
    const end = ptr[node + 1]!;
    let sum = 0;
    for (let edge = first; edge < end; edge += 1) sum += place[items[edge]!]!;
    wanted.set(node, first === end ? place[node]! : sum / (end - first));
  }
  nodes.sort((a, b) => wanted.get(a)! - wanted.get(b)! || place[a]! - place[b]!);
  for (let at = 0; at < nodes.length; at += 1) place[nodes[at]!] = at;
}

/** How many pairs of edges between neighbouring layers cross, by a binary indexed tree (Barth, Mutzel and Jünger 2004). O(edges log nodes). */
function crossings(layers: readonly Int32Array[], { ptr, items }: Neighbours, place: Float64Array): number {
  let count = 0;
  for (let at = 1; at < layers.length; at += 1) {
    const size = layers[at - 1]!.length;
    const tree = new Int32Array(size + 1);
    let seen = 0;
    for (const node of layers[at]!) {
      const ends = Array.from(items.subarray(ptr[node]!, ptr[node + 1]!), (each) => place[each]!).sort((a, b) => a - b);
      for (const end of ends) {
        let notAfter = 0;
        for (let index = end + 1; index > 0; index -= index & -index) notAfter += tree[index]!;
        count += seen - notAfter;
      }
      for (const end of ends) {
        for (let index = end + 1; index <= size; index += index & -index) tree[index]! += 1;
        seen += 1;
      }
    }
  }
  return count;
}
