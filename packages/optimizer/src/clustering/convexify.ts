import type { PlanView } from "@planloom/plan";
import { canonicalOrder } from "../canonical-order.ts";
import { fromLabels, type Partition } from "../partition.ts";
import { PriorityHeap } from "../priority-heap.ts";

/**
 * Makes any clustering a partition with an acyclic quotient. Clusters that wait for one another (the strongly connected
 * components of the quotient, Tarjan 1972) are laid out in one topological order that stays in a cluster as long as it
 * can, and cut where the cluster changes. Segments of one topological order cannot form a cycle, and a cycle through
 * another cluster would have made that one part of the component, so one pass is enough. O(n + m + parts log parts).
 * @param labels any integers in `[0, n)`.
 */
export function convexify(view: PlanView, labels: Int32Array): Partition {
  const partition = fromLabels(labels);
  const component = components(view, partition);
  const size = new Int32Array(partition.count);
  for (let p = 0; p < partition.count; p++) size[component[p]!]!++;
  if (!size.some((parts) => parts > 1)) return partition;

  const { part } = partition;
  const { n } = view;
  const inside = (v: number) => size[component[part[v]!]!]! > 1;
  const waits = new Int32Array(n);
  const tie = canonicalOrder(view);
  for (let v = 0; v < n; v++) {
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
      const next = view.out[edge]!;
      if (component[part[v]!] === component[part[next]!]) waits[next]!++;
    }
  }
  // Free tasks by cluster; a cluster that still has some keeps the word.
  const free: number[][] = Array.from({ length: partition.count }, () => []);
  const first = new Int32Array(partition.count).fill(n);
  for (let v = 0; v < n; v++) first[part[v]!] = Math.min(first[part[v]!]!, tie[v]!);
  const clusters = new PriorityHeap((left, right) => first[left]! < first[right]!);
  const release = (v: number) => {
    const p = part[v]!;
    if (free[p]!.push(v) === 1) clusters.push(p);
  };
  for (let v = 0; v < n; v++) if (inside(v) && waits[v] === 0) release(v);
  const label = Int32Array.from(part);
  let next = partition.count;
  const result = new Int32Array(n);
  for (let v = 0; v < n; v++) if (!inside(v)) result[v] = label[v]!;
  for (let p = clusters.pop(); p !== undefined; p = clusters.pop()) {
    const segment = next++;
    for (let v = free[p]!.pop(); v !== undefined; v = free[p]!.pop()) {
      result[v] = segment;
      for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
        const target = view.out[edge]!;
        if (component[part[target]!] === component[p] && --waits[target]! === 0) {
          if (part[target] === p) free[p]!.push(target);
          else release(target);
        }
      }
    }
  }
  return renumber(result, next);
}

function renumber(labels: Int32Array, range: number): Partition {
  const number = new Int32Array(range).fill(-1);
  let count = 0;
  const part = labels.map((label) => {
    if (number[label] === -1) number[label] = count++;
    return number[label]!;
  });
  return { part, count };
}

/** The strongly connected component of every part, without recursion. */
function components(view: PlanView, { part, count }: Partition): Int32Array {
  const ptr = new Int32Array(count + 1);
  for (const p of part) ptr[p + 1]!++;
  for (let p = 0; p < count; p++) ptr[p + 1]! += ptr[p]!;
  const fill = ptr.slice(0, count);
  const tasks = new Int32Array(view.n);
  for (let v = 0; v < view.n; v++) tasks[fill[part[v]!]!++] = v;

  const component = new Int32Array(count).fill(-1);
  const found = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const taskAt = ptr.slice(0, count);
  const edgeAt = new Int32Array(count);
  const open: number[] = [];
  const path: number[] = [];
  let clock = 0;
  const enter = (p: number) => {
    found[p] = low[p] = clock++;
    edgeAt[p] = ptr[p]! < ptr[p + 1]! ? view.outPtr[tasks[ptr[p]!]!]! : 0;
    open.push(p);
    path.push(p);
  };
  /** The next part that `p` has an edge to, or -1. */
  const step = (p: number): number => {
    while (taskAt[p]! < ptr[p + 1]!) {
      const v = tasks[taskAt[p]!]!;
      while (edgeAt[p]! < view.outPtr[v + 1]!) {
        const q = part[view.out[edgeAt[p]!++]!]!;
        if (q !== p) return q;
      }
      taskAt[p]!++;
      if (taskAt[p]! < ptr[p + 1]!) edgeAt[p] = view.outPtr[tasks[taskAt[p]!]!]!;
    }
    return -1;
  };
  for (let root = 0; root < count; root++) {
    if (found[root] !== -1) continue;
    enter(root);
    while (path.length > 0) {
      const p = path[path.length - 1]!;
      const q = step(p);
      if (q === -1) {
        path.pop();
        if (path.length > 0) low[path[path.length - 1]!] = Math.min(low[path[path.length - 1]!]!, low[p]!);
        if (low[p] !== found[p]) continue;
        for (let member = open.pop()!; ; member = open.pop()!) {
          component[member] = p;
          if (member === p) break;
        }
      } else if (found[q] === -1) enter(q);
      else if (component[q] === -1) low[p] = Math.min(low[p]!, found[q]!);
    }
  }
  return component;
}
