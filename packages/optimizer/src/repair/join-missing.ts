import type { PlanView } from "@planloom/plan";

/**
 * Puts tasks without a group into the group of a dependency, in place, wherever no cycle can come of it: the group comes
 * last among those of the task's dependencies, and before those of its dependents, in one topological order of the groups.
 * Every join leaves that order one. O(n + m).
 * @param labels of an acyclic quotient, in `[0, count)`.
 */
export function joinMissing(view: PlanView, labels: Int32Array, missing: readonly number[], count: number): void {
  const place = groupPlaces(view, labels, count);
  const wanted = new Uint8Array(view.n);
  for (const v of missing) wanted[v] = 1;
  for (const v of view.topo) {
    if (wanted[v] === 0) continue;
    let last = -1;
    for (let edge = view.inPtr[v]!; edge < view.inPtr[v + 1]!; edge++) {
      const group = labels[view.in[edge]!]!;
      if (last === -1 || place[group]! > place[last]!) last = group;
    }
    if (last === -1) continue;
    let fits = true;
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]! && fits; edge++) {
      fits = place[labels[view.out[edge]!]!]! >= place[last]!;
    }
    if (fits) labels[v] = last;
  }
}

function groupPlaces(view: PlanView, labels: Int32Array, count: number): Int32Array {
  const { n, outPtr, out } = view;
  const pointer = new Int32Array(count + 1);
  const waits = new Int32Array(count);
  for (let v = 0; v < n; v++) {
    pointer[labels[v]! + 1]!++;
    for (let edge = outPtr[v]!; edge < outPtr[v + 1]!; edge++) {
      if (labels[out[edge]!] !== labels[v]) waits[labels[out[edge]!]!]!++;
    }
  }
  for (let group = 0; group < count; group++) pointer[group + 1]! += pointer[group]!;
  const cursor = pointer.slice(0, count);
  const members = new Int32Array(n);
  for (let v = 0; v < n; v++) members[cursor[labels[v]!]!++] = v;
  const place = new Int32Array(count);
  const order = new Int32Array(count);
  let written = 0;
  for (let group = 0; group < count; group++) if (waits[group] === 0) order[written++] = group;
  for (let read = 0; read < written; read++) {
    const group = order[read]!;
    place[group] = read;
    for (let at = pointer[group]!; at < pointer[group + 1]!; at++) {
      const v = members[at]!;
      for (let edge = outPtr[v]!; edge < outPtr[v + 1]!; edge++) {
        const target = labels[out[edge]!]!;
        if (target !== group && --waits[target]! === 0) order[written++] = target;
      }
    }
  }
  return place;
}
