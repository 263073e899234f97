const INSERTION = 48;
/** Most buckets of one pass: their counters have to stay in cache. */
const BUCKETS = 1 << 17;
const counters = new Int32Array(BUCKETS + 1);
let bucketOf = new Int32Array(0);

/**
 * Sorts `items` in place by falling `key`, equal keys in the order they came (stable). Keys are finite and not negative.
 * One pass into about as many buckets as there are items, equally wide over the range of the keys, then insertion within
 * them; a bucket that many keys crowd into is sorted as a list of its own. Expected O(n) for keys that spread, and at most
 * one more pass for every 2^17th part of the range that keys crowd in. Nearly sorted items, as ranks in topological order are, move
 * little, so that a million of them stay in cache.
 * @param spare of the length of `items`; overwritten.
 */
export function orderByFallingKey(items: Int32Array, key: Float64Array, spare: Int32Array): void {
  const n = items.length;
  if (n <= INSERTION) {
    insertion(items, key, 0, n);
    return;
  }
  let least = Number.POSITIVE_INFINITY;
  let most = 0;
  for (let at = 0; at < n; at++) {
    const own = key[items[at]!]!;
    if (own < least) least = own;
    if (own > most) most = own;
  }
  if (!(most > least)) return;
  const buckets = Math.min(BUCKETS, 1 << (32 - Math.clz32(n)));
  const scale = (buckets - 1) / (most - least);
  if (!Number.isFinite(scale)) {
    items.sort((left, right) => key[right]! - key[left]! || 0);
    return;
  }
  if (bucketOf.length < n) bucketOf = new Int32Array(n);
  const bucket = bucketOf;
  counters.fill(0, 0, buckets + 1);
  for (let at = 0; at < n; at++) {
    const own = ((most - key[items[at]!]!) * scale) | 0;
    bucket[at] = own;
    counters[own + 1]!++;
  }
  let largest = 0;
  for (let at = 1; at <= buckets; at++) {
    if (counters[at]! > largest) largest = counters[at]!;
    counters[at]! += counters[at - 1]!;
  }
  spare.set(items);
  for (let at = 0; at < n; at++) items[counters[bucket[at]!]!++] = spare[at]!;
  if (largest <= INSERTION) {
    insertion(items, key, 0, n);
    return;
  }
  // Each counter is now at the end of its bucket; the calls below overwrite them.
  const ends = counters.slice(0, buckets);
  let start = 0;
  for (const end of ends) {
    if (end - start > INSERTION) orderByFallingKey(items.subarray(start, end), key, spare.subarray(start, end));
    else insertion(items, key, start, end);
    start = end;
  }
}

function insertion(items: Int32Array, key: Float64Array, start: number, end: number): void {
  for (let at = start + 1; at < end; at++) {
    const item = items[at]!;
    const own = key[item]!;
    let hole = at;
    while (hole > start && key[items[hole - 1]!]! < own) {
      items[hole] = items[hole - 1]!;
      hole--;
    }
    items[hole] = item;
  }
}
