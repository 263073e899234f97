/**
 * Puts a number and what it belongs to in place of the root of a binary heap, smallest number first, of `size` entries, and
 * lets it sink: down to a leaf along the smaller children, and back up as far as need be, which is hardly ever far, since what
 * comes in is larger than most. The smaller child is found without a branch, as the processor would guess it wrong every other
 * time; for that the place behind the last stays infinite. O(log size).
 * @param keys at least `size + 1` long.
 */
export function replaceRoot(keys: Float64Array, items: Int32Array, size: number, key: number, item: number): void {
  keys[size] = Number.POSITIVE_INFINITY;
  let at = 0;
  for (let child = 1; child < size; child = 2 * at + 1) {
    child += Number(keys[child + 1]! < keys[child]!);
    keys[at] = keys[child]!;
    items[at] = items[child]!;
    at = child;
  }
  rise(keys, items, at, key, item);
}

/** Puts a number in from a leaf, the next free place or one that has been left: up until its parent is no larger. O(log size). */
export function rise(keys: Float64Array, items: Int32Array, leaf: number, key: number, item: number): void {
  let at = leaf;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (keys[parent]! <= key) break;
    keys[at] = keys[parent]!;
    items[at] = items[parent]!;
    at = parent;
  }
  keys[at] = key;
  items[at] = item;
}
