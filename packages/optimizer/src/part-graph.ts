import type { PlanView } from "@planloom/plan";
import type { Partition } from "./partition.ts";

/**
 * A partition as list scheduling reads it. Parts are renumbered so that `0, 1, …` is a topological order of the
 * quotient; edges stay the plan's own (several between two parts are not merged), which saves building a quotient.
 * The arrays may be longer than `count` and belong to the next call: copy what is to stay.
 */
export interface PartGraph {
  readonly count: number;
  /** New number of each task's part. */
  readonly label: Int32Array;
  /** The partition's own number of each new one. */
  readonly original: Int32Array;
  /** `members[memberPtr[p] .. memberPtr[p + 1])` are the tasks of part `p`, in a topological order of the plan. */
  readonly memberPtr: Int32Array;
  readonly members: Int32Array;
  /** `targets[targetPtr[p] .. targetEnd[p])` are the parts that wait for part `p`, one entry an edge of the plan. */
  readonly targetPtr: Int32Array;
  readonly targetEnd: Int32Array;
  readonly targets: Int32Array;
  /** Edges of the plan that enter each part from another. */
  readonly waits: Int32Array;
  /** Sum of the members' estimates. */
  readonly work: Float64Array;
  /** Longest remaining path of parts, each with its overhead, its own included. */
  readonly rank: Float64Array;
  /** Parts on the longest path; -1 where the parts wait for one another, and then nothing else here means anything. */
  readonly rounds: number;
}

/** Buffers are kept between calls up to this many tasks, for searches that simulate small plans by the thousand. */
const KEPT = 65_536;

interface Buffers {
  label: Int32Array;
  place: Int32Array;
  original: Int32Array;
  memberPtr: Int32Array;
  cursor: Int32Array;
  members: Int32Array;
  targetPtr: Int32Array;
  targetEnd: Int32Array;
  targets: Int32Array;
  waits: Int32Array;
  depth: Int32Array;
  work: Float64Array;
  rank: Float64Array;
}

let kept: Buffers | undefined;

function buffers({ n, out }: PlanView): Buffers {
  if (n <= KEPT && kept !== undefined) {
    if (kept.targets.length < out.length) kept.targets = new Int32Array(out.length);
    return kept;
  }
  const size = Math.max(n, KEPT);
  const made: Buffers = {
    label: new Int32Array(size),
    place: new Int32Array(size),
    original: new Int32Array(size),
    memberPtr: new Int32Array(size + 1),
    cursor: new Int32Array(size + 1),
    members: new Int32Array(size),
    targetPtr: new Int32Array(size),
    targetEnd: new Int32Array(size),
    targets: new Int32Array(out.length),
    waits: new Int32Array(size),
    depth: new Int32Array(size),
    work: new Float64Array(size),
    rank: new Float64Array(size),
  };
  if (n <= KEPT) kept = made;
  return made;
}

/**
 * Two sweeps over the edges. Most groupings number their parts topologically when parts count in order of their first
 * task in `view.topo`; that is checked on the way, and only where it fails the parts are ordered by Kahn's algorithm.
 * O(n + m).
 */
export function partGraph(view: PlanView, partition: Partition, overheadMs: number): PartGraph {
  const { n, topo } = view;
  const { part } = partition;
  const own = buffers(view);
  own.place.fill(-1, 0, n);
  let seen = 0;
  for (let at = 0; at < n; at++) {
    const p = part[topo[at]!]!;
    if (own.place[p] === -1) {
      own.original[seen] = p;
      own.place[p] = seen++;
    }
  }
  let rounds = build(view, part, seen, own, overheadMs);
  if (rounds === -1 && kahn(view, seen, own)) rounds = build(view, part, seen, own, overheadMs);
  return { ...own, count: seen, rounds };
}

/** Everything but the numbering; -1 if an edge goes back in it. */
function build(view: PlanView, part: Int32Array, count: number, own: Buffers, overheadMs: number): number {
  const { n, topo, outPtr, out } = view;
  const { label, place, memberPtr, members, cursor, targetPtr, targetEnd, targets, waits, depth, work, rank } = own;
  memberPtr.fill(0, 0, count + 1);
  waits.fill(0, 0, count);
  work.fill(0, 0, count);
  for (let v = 0; v < n; v++) {
    const p = place[part[v]!]!;
    label[v] = p;
    memberPtr[p + 1]!++;
  }
  for (let p = 0; p < count; p++) {
    cursor[p] = memberPtr[p]!;
    memberPtr[p + 1]! += memberPtr[p]!;
  }
  for (let at = 0; at < n; at++) {
    const v = topo[at]!;
    const p = label[v]!;
    members[cursor[p]!++] = v;
    work[p]! += view.work[v]!;
  }
  let rounds = 0;
  let written = 0;
  for (let p = count - 1; p >= 0; p--) {
    targetPtr[p] = written;
    let longest = 0;
    let deepest = 0;
    for (let at = memberPtr[p]!; at < memberPtr[p + 1]!; at++) {
      const v = members[at]!;
      for (let edge = outPtr[v]!, end = outPtr[v + 1]!; edge < end; edge++) {
        const q = label[out[edge]!]!;
        if (q === p) continue;
        if (q < p) return -1;
        waits[q]!++;
        targets[written++] = q;
        if (rank[q]! > longest) longest = rank[q]!;
        if (depth[q]! > deepest) deepest = depth[q]!;
      }
    }
    targetEnd[p] = written;
    rank[p] = longest + work[p]! + overheadMs;
    depth[p] = deepest + 1;
    if (deepest + 1 > rounds) rounds = deepest + 1;
  }
  return rounds;
}

/** Numbers the parts by Kahn's algorithm, unless they form a cycle; members stand by the numbers tried before. */
function kahn(view: PlanView, count: number, own: Buffers): boolean {
  const { outPtr, out, inPtr } = view;
  const { label, original, memberPtr, members, waits } = own;
  waits.fill(0, 0, count);
  for (let v = 0; v < view.n; v++) {
    for (let edge = inPtr[v]!; edge < inPtr[v + 1]!; edge++) {
      if (label[view.in[edge]!] !== label[v]) waits[label[v]!]!++;
    }
  }
  const order = new Int32Array(count);
  let written = 0;
  for (let p = 0; p < count; p++) if (waits[p] === 0) order[written++] = p;
  for (let read = 0; read < written; read++) {
    const p = order[read]!;
    for (let at = memberPtr[p]!; at < memberPtr[p + 1]!; at++) {
      const v = members[at]!;
      for (let edge = outPtr[v]!; edge < outPtr[v + 1]!; edge++) {
        const q = label[out[edge]!]!;
        if (q !== p && --waits[q]! === 0) order[written++] = q;
      }
    }
  }
  if (written < count) return false;
  const before = original.slice(0, count);
  for (let at = 0; at < written; at++) {
    original[at] = before[order[at]!]!;
    own.place[original[at]!] = at;
  }
  return true;
}
