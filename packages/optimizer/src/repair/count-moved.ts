import type { Partition } from "../partition.ts";

/**
 * Tasks that are not where the candidate had them. A task stayed if its part is the largest piece of its group, and its group
 * the largest contribution to that part. O(n).
 * @param labels the candidate's groups, in `[0, labels.length)`.
 */
export function countMoved(labels: Int32Array, { part, count }: Partition, missing: readonly number[]): number {
  const n = labels.length;
  const pointer = new Int32Array(n + 1);
  for (let v = 0; v < n; v++) pointer[labels[v]! + 1]!++;
  for (let group = 0; group < n; group++) pointer[group + 1]! += pointer[group]!;
  const members = new Int32Array(n);
  const cursor = pointer.slice(0, n);
  for (let v = 0; v < n; v++) members[cursor[labels[v]!]!++] = v;

  const piece = new Int32Array(n);
  const share = new Int32Array(count);
  const shareSize = new Int32Array(count);
  const sizes = new Int32Array(count);
  for (let group = 0; group < n; group++) {
    const from = pointer[group]!;
    const to = pointer[group + 1]!;
    for (let at = from; at < to; at++) sizes[part[members[at]!]!]!++;
    let largest = 0;
    for (let at = from; at < to; at++) {
      const p = part[members[at]!]!;
      if (sizes[p]! > largest) {
        largest = sizes[p]!;
        piece[group] = p;
      }
      if (sizes[p]! > shareSize[p]!) {
        shareSize[p] = sizes[p]!;
        share[p] = group;
      }
      sizes[p] = 0;
    }
  }
  let moved = 0;
  for (let v = 0; v < n; v++) if (piece[labels[v]!] !== part[v] || share[part[v]!] !== labels[v]) moved++;
  for (const v of missing) if (piece[labels[v]!] === part[v] && share[part[v]!] === labels[v]) moved++;
  return moved;
}
