import type { Neighbours } from "./edges.ts";
import type { OrderedLayers } from "./order-layers.ts";

const sweeps = 6;

/**
 * Where each node lies across the layers: near the middle of its neighbours, in the order of its layer and at least its own distance from the
 * next. Layer by layer, to and fro, the places with the least squared distances are found by pooling adjacent violators (Ayer et al. 1955).
 * O(sweeps (nodes + edges)).
 * @param extent how much room a node takes across the layers, the gap to the next included
 * @returns the middle of each node
 */
export function placeNodes(
  { layers, before, after, total }: OrderedLayers,
  extent: (node: number) => number,
): Float64Array {
  const middle = new Float64Array(total);
  for (const nodes of layers) {
    let at = 0;
    for (const node of nodes) {
      middle[node] = at + extent(node) / 2;
      at += extent(node);
    }
    for (const node of nodes) middle[node]! -= at / 2;
  }
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    const down = sweep % 2 === 0;
    for (let step = 0; step < layers.length; step += 1) {
      const nodes = layers[down ? step : layers.length - 1 - step]!;
      placeLayer(nodes, sweep === sweeps - 1 ? [before, after] : [down ? before : after], middle, extent);
    }
  }
  return middle;
}

function placeLayer(
  nodes: Int32Array,
  sides: readonly Neighbours[],
  middle: Float64Array,
  extent: (node: number) => number,
): void {
  // Without the room that the nodes before it take, a node may be anywhere that is not before the last: that is isotonic regression.
  const offsets = new Float64Array(nodes.length);
  let offset = 0;
  const blocks: { sum: number; size: number }[] = [];
  for (let at = 0; at < nodes.length; at += 1) {
    const node = nodes[at]!;
    if (at > 0) offset += (extent(nodes[at - 1]!) + extent(node)) / 2;
    offsets[at] = offset;
    let block = { sum: meanPlace(node, sides, middle) - offset, size: 1 };
    for (let last = blocks.at(-1); last !== undefined && mean(last) > mean(block); last = blocks.at(-1)) {
      block = { sum: block.sum + last.sum, size: block.size + last.size };
      blocks.pop();
    }
    blocks.push(block);
  }
  let at = 0;
  for (const block of blocks) {
    for (let each = 0; each < block.size; each += 1, at += 1) middle[nodes[at]!] = mean(block) + offsets[at]!;
  }
}

const mean = ({ sum, size }: { readonly sum: number; readonly size: number }) => sum / size;

function meanPlace(node: number, sides: readonly Neighbours[], middle: Float64Array): number {
  let sum = 0;
  let count = 0;
  for (const { ptr, items } of sides) {
    for (let edge = ptr[node]!; edge < ptr[node + 1]!; edge += 1) {
      sum += middle[items[edge]!]!;
      count += 1;
    }
  }
  return count === 0 ? middle[node]! : sum / count;
}
