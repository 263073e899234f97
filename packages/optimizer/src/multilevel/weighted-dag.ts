/**
 * A DAG with weights, as multilevel partitioning coarsens it: `weight` counts towards the balance, `cost[v]` is what it
 * costs if a vertex of another part reads v. Vertices are numbered in a topological order: edges go up.
 */
export interface WeightedDag {
  readonly n: number;
  readonly outPtr: Int32Array;
  readonly out: Int32Array;
  readonly inPtr: Int32Array;
  readonly in: Int32Array;
  readonly weight: Float64Array;
  readonly cost: Float64Array;
}

/** From an edge list with `from < to`; parallel edges are merged. O(n + m). */
export function weightedDag(
  n: number,
  from: Int32Array,
  to: Int32Array,
  weight: Float64Array,
  cost: Float64Array,
): WeightedDag {
  const byTarget = rows(n, to, from);
  const sorted = transposed(n, byTarget.pointer, byTarget.neighbour);
  let written = 0;
  const outPtr = new Int32Array(n + 1);
  for (let v = 0; v < n; v++) {
    let previous = -1;
    for (let edge = sorted.pointer[v]!; edge < sorted.pointer[v + 1]!; edge++) {
      const next = sorted.neighbour[edge]!;
      if (next !== previous) sorted.neighbour[written++] = next;
      previous = next;
    }
    outPtr[v + 1] = written;
  }
  const out = sorted.neighbour.slice(0, written);
  const incoming = transposed(n, outPtr, out);
  return { n, outPtr, out, inPtr: incoming.pointer, in: incoming.neighbour, weight, cost };
}

function rows(n: number, key: Int32Array, value: Int32Array) {
  const pointer = new Int32Array(n + 1);
  for (const each of key) pointer[each + 1]!++;
  for (let v = 0; v < n; v++) pointer[v + 1]! += pointer[v]!;
  const next = pointer.slice(0, n);
  const neighbour = new Int32Array(key.length);
  for (let at = 0; at < key.length; at++) neighbour[next[key[at]!]!++] = value[at]!;
  return { pointer, neighbour };
}

function transposed(n: number, pointer: Int32Array, neighbour: Int32Array) {
  const source = new Int32Array(neighbour.length);
  for (let v = 0; v < n; v++) source.fill(v, pointer[v]!, pointer[v + 1]!);
  return rows(n, neighbour, source);
}

/** The DAG whose vertices are groups of vertices, with the number of each vertex's group; `group` must be acyclic. O(n + m). */
export function contracted(
  dag: WeightedDag,
  group: Int32Array,
  groups: number,
): { dag: WeightedDag; place: Int32Array } {
  const from: number[] = [];
  const to: number[] = [];
  const waits = new Int32Array(groups);
  const followers: number[][] = Array.from({ length: groups }, () => []);
  for (let v = 0; v < dag.n; v++) {
    for (let edge = dag.outPtr[v]!; edge < dag.outPtr[v + 1]!; edge++) {
      const [source, target] = [group[v]!, group[dag.out[edge]!]!];
      if (source === target) continue;
      from.push(source);
      to.push(target);
      waits[target]!++;
      followers[source]!.push(target);
    }
  }
  const number = new Int32Array(groups);
  const queue: number[] = [];
  for (let each = 0; each < groups; each++) if (waits[each] === 0) queue.push(each);
  for (let read = 0; read < queue.length; read++) {
    number[queue[read]!] = read;
    for (const next of followers[queue[read]!]!) if (--waits[next]! === 0) queue.push(next);
  }
  if (queue.length < groups) throw new RangeError("Expected an acyclic contraction, got a cycle.");
  const weight = new Float64Array(groups);
  const cost = new Float64Array(groups);
  const place = group.map((each) => number[each]!);
  for (let v = 0; v < dag.n; v++) {
    weight[place[v]!]! += dag.weight[v]!;
    // What only the own group reads cannot be cut any more.
    for (let edge = dag.outPtr[v]!; edge < dag.outPtr[v + 1]!; edge++) {
      if (place[dag.out[edge]!] === place[v]) continue;
      cost[place[v]!]! += dag.cost[v]!;
      break;
    }
  }
  const renumbered = (list: number[]) => Int32Array.from(list, (each) => number[each]!);
  return { dag: weightedDag(groups, renumbered(from), renumbered(to), weight, cost), place };
}
