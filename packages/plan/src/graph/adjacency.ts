/** Both directions of a graph in compressed sparse rows; edges unique, neighbours ascending. */
export interface Adjacency {
  readonly outPtr: Int32Array;
  readonly out: Int32Array;
  readonly inPtr: Int32Array;
  readonly in: Int32Array;
}

/** Rows up to this length are sorted by insertion, longer ones by the engine. */
const SHORT_ROW = 24;

/**
 * Rows in both directions from an edge list, in O(n + m log d) for rows of length d. The rows of dependencies are sorted and
 * freed of duplicates; turning them round then gives ascending rows of dependents. Edges that come by ascending
 * target are rows already: each is sorted where it lies.
 */
export function buildAdjacency(n: number, from: Int32Array, to: Int32Array): Adjacency {
  return adjacencyOfRows(rowsByTarget(n, from, to));
}

/**
 * The same from rows: `neighbour[pointer[v] .. pointer[v + 1])` are the dependencies of task v, in any order, some perhaps twice.
 * Both arrays are taken over and changed.
 */
export function adjacencyOfRows(rows: Rows): Adjacency {
  const { pointer: inPtr, neighbour } = sortRows(rows);
  const { pointer: outPtr, neighbour: out } = transpose(inPtr, neighbour);
  return { outPtr, out, inPtr, in: neighbour };
}

export interface Rows {
  pointer: Int32Array;
  neighbour: Int32Array;
}

/** Counting sort: row r holds the source of every edge to r, in the order of the edges. */
function rowsByTarget(n: number, from: Int32Array, to: Int32Array): Rows {
  const pointer = new Int32Array(n + 1);
  let ascending = true;
  let previous = 0;
  for (let edge = 0; edge < to.length; edge++) {
    const target = to[edge]!;
    if (target < previous) ascending = false;
    previous = target;
    pointer[target + 1]!++;
  }
  for (let row = 0; row < n; row++) pointer[row + 1]! += pointer[row]!;
  if (ascending) return { pointer, neighbour: from.slice() };
  const next = pointer.slice(0, n);
  const neighbour = new Int32Array(to.length);
  for (let edge = 0; edge < to.length; edge++) neighbour[next[to[edge]!]!++] = from[edge]!;
  return { pointer, neighbour };
}

/** Sorts every row and drops duplicates, in place. */
function sortRows({ pointer, neighbour }: Rows): Rows {
  const n = pointer.length - 1;
  let end = 0;
  let start = 0;
  for (let row = 0; row < n; row++) {
    const last = pointer[row + 1]!;
    if (last - start > SHORT_ROW) neighbour.subarray(start, last).sort();
    else {
      for (let at = start + 1; at < last; at++) {
        const value = neighbour[at]!;
        let hole = at;
        while (hole > start && neighbour[hole - 1]! > value) {
          neighbour[hole] = neighbour[hole - 1]!;
          hole--;
        }
        neighbour[hole] = value;
      }
    }
    let previous = -1;
    for (let at = start; at < last; at++) {
      const value = neighbour[at]!;
      if (value !== previous) neighbour[end++] = value;
      previous = value;
    }
    pointer[row + 1] = end;
    start = last;
  }
  // Copied only where that frees a good part of it.
  return { pointer, neighbour: end < 0.8 * neighbour.length ? neighbour.slice(0, end) : neighbour.subarray(0, end) };
}

/** Rows are filled from their ends, so that the ends become the starts. */
function transpose(pointer: Int32Array, neighbour: Int32Array): Rows {
  const n = pointer.length - 1;
  const result = new Int32Array(n + 1);
  for (let at = 0; at < neighbour.length; at++) result[neighbour[at]!]!++;
  for (let row = 0, end = 0; row <= n; row++) {
    end += result[row]!;
    result[row] = end;
  }
  const turned = new Int32Array(neighbour.length);
  for (let row = n - 1, at = neighbour.length - 1; row >= 0; row--) {
    for (const start = pointer[row]!; at >= start; at--) {
      const to = neighbour[at]!;
      const place = result[to]! - 1;
      result[to] = place;
      turned[place] = row;
    }
  }
  return { pointer: result, neighbour: turned };
}
