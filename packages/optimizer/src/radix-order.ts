const INSERTION = 48;
/** From here on three passes of 11 bits are cheaper than four of 8 with their smaller tables. */
const WIDE = 4096;
const histograms = new Int32Array(3 << 11);
let numbers = new Uint32Array(0);

/**
 * Sorts `items` in place by falling `key`, equal keys in the order they came (stable). Keys are finite and not negative.
 * Radix sort on the keys scaled to 32 bits of their range, then insertion where two keys were scaled to one number;
 * insertion alone below 48. O(n) but for keys that crowd in a 2^-32nd of the range, where a comparator takes over.
 * @param spare of the length of `items`; overwritten.
 */
export function orderByFallingKey(items: Int32Array, key: Float64Array, spare: Int32Array): void {
  if (items.length > INSERTION) radix(items, key, spare);
  if (!insertion(items, key)) items.sort((left, right) => key[right]! - key[left]! || 0);
}

/** Whether it got through; it gives up, leaving `items` a stable step further, when the order is far from done. */
function insertion(items: Int32Array, key: Float64Array): boolean {
  const n = items.length;
  let patience = Math.max(INSERTION * INSERTION, 16 * n);
  for (let at = 1; at < n; at++) {
    const item = items[at]!;
    const own = key[item]!;
    let hole = at;
    while (hole > 0 && key[items[hole - 1]!]! < own) {
      items[hole] = items[hole - 1]!;
      hole--;
    }
    items[hole] = item;
    patience -= at - hole;
    if (patience < 0) return false;
  }
  return true;
}

function radix(items: Int32Array, key: Float64Array, spare: Int32Array): void {
  const n = items.length;
  const [digits, bits] = n < WIDE ? [4, 8] : [3, 11];
  const buckets = 1 << bits;
  const mask = buckets - 1;
  let least = Number.POSITIVE_INFINITY;
  let most = 0;
  for (let at = 0; at < n; at++) {
    const own = key[items[at]!]!;
    if (own < least) least = own;
    if (own > most) most = own;
  }
  if (!(most > least)) return;
  if (numbers.length < key.length) numbers = new Uint32Array(key.length);
  const number = numbers;
  const scale = 4_294_967_295 / (most - least);
  histograms.fill(0, 0, digits * buckets);
  for (let at = 0; at < n; at++) {
    const item = items[at]!;
    let own = ((most - key[item]!) * scale) >>> 0;
    number[item] = own;
    for (let start = 0; start < digits * buckets; start += buckets) {
      histograms[start + (own & mask)]!++;
      own >>>= bits;
    }
  }
  let from = items;
  let to = spare;
  for (let digit = 0; digit < digits; digit++) {
    const start = digit * buckets;
    const shift = digit * bits;
    let sum = 0;
    for (let value = start; value < start + buckets; value++) {
      const size = histograms[value]!;
      histograms[value] = sum;
      sum += size;
    }
    for (let at = 0; at < n; at++) {
      const item = from[at]!;
      to[histograms[start + ((number[item]! >>> shift) & mask)]!++] = item;
    }
    [from, to] = [to, from];
  }
  if (from !== items) items.set(from);
}
