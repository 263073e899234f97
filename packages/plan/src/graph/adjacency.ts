/** Both directions of a graph in compressed sparse rows; edges unique, neighbours ascending. */
export interface Adjacency {
  readonly outPtr: Int32Array;
  readonly out: Int32Array;
  readonly inPtr: Int32Array;
  readonly in: Int32Array;
}

/**
 * Rows in both directions from an edge list, in O(n + m). Transposing twice sorts: rows filled in ascending order of
 * the other end are ascending, so that a duplicate stands beside its twin.
 */
export function buildAdjacency(n: number, from: Int32Array, to: Int32Array): Adjacency {
  const byTarget = groupBy(n, to, from);
  const sorted = transpose(n, byTarget.pointer, byTarget.neighbour);
  const { pointer: outPtr, neighbour: out } = dropDuplicates(n, sorted.pointer, sorted.neighbour);
  const { pointer: inPtr, neighbour } = transpose(n, outPtr, out);
  return { outPtr, out, inPtr, in: neighbour };
}

interface Rows {
  pointer: Int32Array;
  neighbour: Int32Array;
}

/** Counting sort: row r holds `value[i]` of every i with `key[i] = r`. */
function groupBy(n: number, key: Int32Array, value: Int32Array): Rows {
  const pointer = new Int32Array(n + 1);
  for (let i = 0; i < key.length; i++) pointer[key[i]! + 1]!++;
  for (let row = 0; row < n; row++) pointer[row + 1]! += pointer[row]!;
  const next = pointer.slice(0, n);
  const neighbour = new Int32Array(key.length);
  for (let i = 0; i < key.length; i++) neighbour[next[key[i]!]!++] = value[i]!;
  return { pointer, neighbour };
}

function transpose(n: number, pointer: Int32Array, neighbour: Int32Array): Rows {
  const result = new Int32Array(n + 1);
  for (let i = 0; i < neighbour.length; i++) result[neighbour[i]! + 1]!++;
  for (let row = 0; row < n; row++) result[row + 1]! += result[row]!;
  const next = result.slice(0, n);
  const turned = new Int32Array(neighbour.length);
  for (let row = 0; row < n; row++) {
    for (let i = pointer[row]!; i < pointer[row + 1]!; i++) turned[next[neighbour[i]!]!++] = row;
  }
  return { pointer: result, neighbour: turned };
}

function dropDuplicates(n: number, pointer: Int32Array, neighbour: Int32Array): Rows {
  const result = new Int32Array(n + 1);
  let end = 0;
  for (let row = 0; row < n; row++) {
    let previous = -1;
    for (let i = pointer[row]!; i < pointer[row + 1]!; i++) {
      const value = neighbour[i]!;
      if (value !== previous) neighbour[end++] = value;
      previous = value;
    }
    result[row + 1] = end;
  }
  return { pointer: result, neighbour: end === neighbour.length ? neighbour : neighbour.slice(0, end) };
}
