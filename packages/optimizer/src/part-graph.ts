import type { PlanView } from "@planloom/plan";
import { canonicalSequence } from "./canonical-order.ts";
import type { Partition } from "./partition.ts";
import { orderByFallingKey } from "./radix-order.ts";

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
  /** `members[memberPtr[p] .. memberPtr[p + 1])` are the tasks of part `p`, in the order of `Quotient.members`. */
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
  /** Whether parts are numbered by falling rank, ties as list scheduling breaks them. */
  readonly byRank: boolean;
  /** Parts on the longest path; -1 where the parts wait for one another, and then nothing else here means anything. */
  readonly rounds: number;
}

/**
 * Buffers are kept between calls up to this many tasks, for searches that simulate small plans by the thousand. Larger ones
 * are kept weakly, which is until the present turn of the event loop ends at least: a portfolio simulates in one.
 */
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

const empty: Buffers = {
  label: new Int32Array(0),
  place: new Int32Array(0),
  original: new Int32Array(0),
  memberPtr: new Int32Array(0),
  cursor: new Int32Array(0),
  members: new Int32Array(0),
  targetPtr: new Int32Array(0),
  targetEnd: new Int32Array(0),
  targets: new Int32Array(0),
  waits: new Int32Array(0),
  depth: new Int32Array(0),
  work: new Float64Array(0),
  rank: new Float64Array(0),
};
let kept: Buffers | undefined;
let recent: WeakRef<Buffers> | undefined;

function buffers({ n, out }: PlanView, count: number): Buffers {
  const known = n <= KEPT ? kept : recent?.deref();
  const own = known ?? { ...empty };
  if (known === undefined) {
    if (n <= KEPT) kept = own;
    else recent = new WeakRef(own);
  }
  if (own.label.length >= n && own.original.length >= count && own.targets.length >= out.length) return own;
  const tasks = n <= KEPT ? KEPT : n;
  const parts = n <= KEPT ? KEPT : count;
  own.label = integers(own.label, tasks);
  own.members = integers(own.members, tasks);
  own.cursor = integers(own.cursor, tasks);
  own.original = integers(own.original, parts);
  own.memberPtr = integers(own.memberPtr, parts + 1);
  own.targetPtr = integers(own.targetPtr, parts);
  own.targetEnd = integers(own.targetEnd, parts);
  own.targets = integers(own.targets, out.length);
  own.waits = integers(own.waits, parts);
  if (own.work.length < parts) own.work = new Float64Array(parts);
  if (own.rank.length < parts) own.rank = new Float64Array(parts);
  return own;
}

/** The array, or a new one where it is shorter than that. */
function integers(array: Int32Array, length: number): Int32Array {
  return array.length < length ? new Int32Array(length) : array;
}

/**
 * Two sweeps over the edges. Many groupings number their parts topologically; that is checked on the way, and only where it
 * fails the parts are ordered by Kahn's algorithm. O(n + m).
 */
export function partGraph(view: PlanView, partition: Partition, overheadMs: number): PartGraph {
  const { n } = view;
  const { part, count } = partition;
  const own = buffers(view, count);
  if (count === n) {
    const rounds = oneTaskEach(view, part, own, overheadMs);
    if (rounds !== -1) return { ...own, count: n, byRank: true, rounds };
  }
  own.depth = integers(own.depth, n <= KEPT ? KEPT : count);
  const { label, original } = own;
  for (let p = 0; p < count; p++) original[p] = p;
  const numbered = { ...own, label: part };
  const rounds = build(view, count, numbered, overheadMs);
  if (rounds !== -1) return { ...numbered, count, byRank: false, rounds };
  own.place = integers(own.place, n <= KEPT ? KEPT : count);
  if (!kahn(view, count, numbered, own.place)) return { ...numbered, count, byRank: false, rounds };
  for (let v = 0; v < n; v++) label[v] = own.place[part[v]!]!;
  return { ...own, count, byRank: false, rounds: build(view, count, own, overheadMs) };
}

/**
 * With one task a part, ranks need no quotient, and tasks can be numbered by them, so that what list scheduling looks at
 * next lies near what it looked at last. -1 if that is not a topological order: a task that takes no time may rank as its dependents do.
 */
function oneTaskEach(view: PlanView, part: Int32Array, own: Buffers, overheadMs: number): number {
  const { n, topo, levelPtr, inOrder, outPtr, out, inPtr } = view;
  const { label, original, memberPtr, members, cursor, targetPtr, targetEnd, targets, waits, work, rank } = own;
  const taskRank = work;
  let least = Number.POSITIVE_INFINITY;
  for (let at = n - 1; at >= 0; at--) {
    const v = inOrder ? at : topo[at]!;
    let longest = 0;
    for (let edge = outPtr[v]!, last = outPtr[v + 1]!; edge < last; edge++) {
      const behind = taskRank[out[edge]!]!;
      if (behind > longest) longest = behind;
    }
    taskRank[v] = longest + view.work[v]! + overheadMs;
    if (view.work[v]! < least) least = view.work[v]!;
  }
  const sequence = canonicalSequence(view);
  if (sequence !== undefined && !(least + overheadMs > 0)) return -1;
  members.set(sequence === undefined ? topo : sequence);
  orderByFallingKey(members.subarray(0, n), taskRank, cursor.subarray(0, n));
  for (let p = 0; p < n; p++) {
    const v = members[p]!;
    label[v] = p;
    original[p] = part[v]!;
    memberPtr[p] = p;
    rank[p] = taskRank[v]!;
    waits[p] = inPtr[v + 1]! - inPtr[v]!;
    targetPtr[p] = outPtr[v]!;
    targetEnd[p] = outPtr[v + 1]!;
  }
  memberPtr[n] = n;
  for (let p = 0; p < n; p++) work[p] = view.work[members[p]!]!;
  for (let edge = 0; edge < out.length; edge++) targets[edge] = label[out[edge]!]!;
  return levelPtr.length - 1;
}

/** Everything but the numbering, which is in `label`; -1 if an edge goes back in it. */
function build(view: PlanView, count: number, own: Buffers, overheadMs: number): number {
  const { n, topo, inOrder, outPtr, out } = view;
  const { label, memberPtr, members, cursor, targetPtr, targetEnd, targets, waits, depth, work, rank } = own;
  memberPtr.fill(0, 0, count + 1);
  waits.fill(0, 0, count);
  work.fill(0, 0, count);
  for (let v = 0; v < n; v++) memberPtr[label[v]! + 1]!++;
  for (let p = 0; p < count; p++) {
    cursor[p] = memberPtr[p]!;
    memberPtr[p + 1]! += memberPtr[p]!;
  }
  for (let at = 0; at < n; at++) {
    const v = inOrder ? at : topo[at]!;
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

/**
 * Numbers the parts by Kahn's algorithm, unless they form a cycle; members are ordered by the numbers tried before.
 * @param place receives the new number of each part.
 */
function kahn(view: PlanView, count: number, own: Buffers, place: Int32Array): boolean {
  const { outPtr, out, inPtr } = view;
  const { label, original, memberPtr, members, waits } = own;
  waits.fill(0, 0, count);
  for (let v = 0; v < view.n; v++) {
    const p = label[v]!;
    for (let edge = inPtr[v]!, last = inPtr[v + 1]!; edge < last; edge++) {
      if (label[view.in[edge]!] !== p) waits[p]!++;
    }
  }
  let written = 0;
  for (let p = 0; p < count; p++) if (waits[p] === 0) original[written++] = p;
  for (let read = 0; read < written; read++) {
    const p = original[read]!;
    place[p] = read;
    for (let at = memberPtr[p]!, end = memberPtr[p + 1]!; at < end; at++) {
      const v = members[at]!;
      for (let edge = outPtr[v]!, last = outPtr[v + 1]!; edge < last; edge++) {
        const q = label[out[edge]!]!;
        if (q !== p && --waits[q]! === 0) original[written++] = q;
      }
    }
  }
  return written === count;
}
