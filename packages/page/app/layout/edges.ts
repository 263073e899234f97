/** Edges of a graph whose nodes are numbers: edge `i` leads from `from[i]` to `to[i]`. */
export interface Edges {
  readonly from: ArrayLike<number>;
  readonly to: ArrayLike<number>;
}

/** Neighbours in rows: those of node `v` are `items[ptr[v]]` up to, not including, `items[ptr[v + 1]]`. */
export interface Neighbours {
  readonly ptr: Int32Array;
  readonly items: Int32Array;
}

/** The neighbours that edges lead to, by the node that they lead from. O(nodes + edges). */
export function neighbours(count: number, keys: ArrayLike<number>, values: ArrayLike<number>): Neighbours {
  const ptr = new Int32Array(count + 1);
  for (let edge = 0; edge < keys.length; edge += 1) ptr[keys[edge]! + 1]! += 1;
  for (let node = 0; node < count; node += 1) ptr[node + 1]! += ptr[node]!;
  const next = ptr.slice(0, count);
  const items = new Int32Array(keys.length);
  for (let edge = 0; edge < keys.length; edge += 1) items[next[keys[edge]!]!++] = values[edge]!;
  return { ptr, items };
}
