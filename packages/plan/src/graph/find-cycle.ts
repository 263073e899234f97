import { type Adjacency, buildAdjacency } from "./adjacency.ts";
import { topologicalOrder } from "./topological-order.ts";

/**
 * A cycle in a graph given by ids and each one's dependencies, or `undefined`.
 * @param dependencies per id, in the same order; names that are not ids are ignored. Of equal ids the last counts.
 * @returns ids, each depending on the next, the first repeated at the end; a self-dependency is `[a, a]`.
 */
export function findCycle(ids: readonly string[], dependencies: readonly (readonly string[])[]): string[] | undefined {
  const index = new Map<string, number>();
  for (let task = 0; task < ids.length; task++) index.set(ids[task]!, task);
  const from: number[] = [];
  const to: number[] = [];
  for (let task = 0; task < ids.length; task++) {
    for (const dependency of dependencies[task] ?? []) {
      const source = index.get(dependency);
      if (source === undefined) continue;
      from.push(source);
      to.push(index.get(ids[task]!)!);
    }
  }
  const adjacency = buildAdjacency(ids.length, Int32Array.from(from), Int32Array.from(to));
  const { topo, ordered } = topologicalOrder(adjacency);
  if (ordered === ids.length) return undefined;
  return cycleAmong(adjacency, topo, ordered).map((task) => ids[task]!);
}

/**
 * A cycle among the tasks that Kahn's algorithm left over. Each of them has a dependency that is left over too, so a
 * walk along those must come back to itself. Starts at the cycle's first task in plan order.
 */
export function cycleAmong(graph: Adjacency, topo: Int32Array, ordered: number): number[] {
  const n = graph.inPtr.length - 1;
  const done = new Uint8Array(n);
  for (let i = 0; i < ordered; i++) done[topo[i]!] = 1;
  const seenAt = new Int32Array(n).fill(-1);
  const walk: number[] = [];
  let task = done.indexOf(0);
  while (seenAt[task] === -1) {
    seenAt[task] = walk.length;
    walk.push(task);
    for (let edge = graph.inPtr[task]!; edge < graph.inPtr[task + 1]!; edge++) {
      const dependency = graph.in[edge]!;
      if (done[dependency] === 0) {
        task = dependency;
        break;
      }
    }
  }
  const cycle = walk.slice(seenAt[task]!);
  let start = 0;
  for (let i = 1; i < cycle.length; i++) if (cycle[i]! < cycle[start]!) start = i;
  const rotated = [...cycle.slice(start), ...cycle.slice(0, start)];
  return [...rotated, rotated[0]!];
}
