import type { PlanView } from "@planloom/plan";

/**
 * Cuts the groups of every cyclic component into runs of one topological order of their tasks, in place. The order stays
 * with a group as long as one of its tasks is free (Kahn's algorithm with a memory), so that runs are few; the first run of a
 * group keeps its label. O(n + m).
 * @param component of every group, or -1.
 * @returns the number of labels there are now.
 */
export function stickyRuns(view: PlanView, labels: Int32Array, component: Int32Array, count: number): number {
  const { n, inPtr, outPtr, out } = view;
  const original = labels.slice();
  const inCycle = (v: number) => component[original[v]!] !== -1;
  const waits = new Int32Array(n);
  /** Free tasks of each group, as lists through `nextFree`. */
  const free = new Int32Array(count).fill(-1);
  const nextFree = new Int32Array(n).fill(-1);
  /** Groups with free tasks; may name a group twice or one that has none left. */
  const waiting: number[] = [];
  const release = (v: number) => {
    const group = original[v]!;
    if (free[group] === -1) waiting.push(group);
    nextFree[v] = free[group]!;
    free[group] = v;
  };
  for (let v = 0; v < n; v++) {
    if (!inCycle(v)) continue;
    for (let edge = inPtr[v]!; edge < inPtr[v + 1]!; edge++) {
      if (component[original[view.in[edge]!]!] === component[original[v]!]) waits[v]!++;
    }
  }
  for (let at = n - 1; at >= 0; at--) {
    const v = view.topo[at]!;
    if (inCycle(v) && waits[v] === 0) release(v);
  }
  const used = new Uint8Array(count);
  let labelCount = count;
  for (let group = waiting.pop(); group !== undefined; group = waiting.pop()) {
    if (free[group] === -1) continue;
    const label = used[group] === 0 ? group : labelCount++;
    used[group] = 1;
    for (let v = free[group]!; v !== -1; v = free[group]!) {
      free[group] = nextFree[v]!;
      labels[v] = label;
      for (let edge = outPtr[v]!; edge < outPtr[v + 1]!; edge++) {
        const next = out[edge]!;
        if (component[original[next]!] === component[group] && --waits[next]! === 0) release(next);
      }
    }
  }
  return labelCount;
}
