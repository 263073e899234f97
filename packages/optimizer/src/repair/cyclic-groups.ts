import type { PlanView } from "@planloom/plan";

export interface CyclicGroups {
  /** For every group the number of the cyclic component it is in, or -1. */
  readonly component: Int32Array;
  /** For every group the representative of its component; outside of cycles the group itself. */
  readonly first: Int32Array;
}

/**
 * Groups that wait for one another: the strongly connected components of the quotient with more than one group (Tarjan
 * 1972, without recursion). `undefined` when there are none. O(n + m).
 */
export function cyclicGroups(view: PlanView, labels: Int32Array, count: number): CyclicGroups | undefined {
  const { n, outPtr, out } = view;
  const pointer = new Int32Array(count + 1);
  for (let v = 0; v < n; v++) pointer[labels[v]! + 1]!++;
  for (let group = 0; group < count; group++) pointer[group + 1]! += pointer[group]!;
  const cursor = pointer.slice(0, count);
  const members = new Int32Array(n);
  for (let v = 0; v < n; v++) members[cursor[labels[v]!]!++] = v;

  const index = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const onStack = new Uint8Array(count);
  const stack = new Int32Array(count);
  const path = new Int32Array(count);
  const member = pointer.slice(0, count);
  const edge = new Int32Array(count);
  let component: Int32Array | undefined;
  let first: Int32Array | undefined;
  let components = 0;
  let seen = 0;
  let height = 0;
  for (let root = 0; root < count; root++) {
    if (index[root] !== -1) continue;
    let depth = 0;
    path[0] = root;
    enter(root);
    while (depth >= 0) {
      const group = path[depth]!;
      let child = -1;
      while (child === -1 && member[group]! < pointer[group + 1]!) {
        const v = members[member[group]!]!;
        if (edge[group]! < outPtr[v]!) edge[group] = outPtr[v]!;
        if (edge[group]! >= outPtr[v + 1]!) {
          member[group]!++;
          edge[group] = 0;
          continue;
        }
        const target = labels[out[edge[group]!++]!]!;
        if (index[target] === -1) child = target;
        else if (onStack[target] === 1 && index[target]! < low[group]!) low[group] = index[target]!;
      }
      if (child !== -1) {
        path[++depth] = child;
        enter(child);
        continue;
      }
      if (low[group] === index[group]) {
        let size = 1;
        while (stack[height - size] !== group) size++;
        if (size > 1) {
          component ??= new Int32Array(count).fill(-1);
          first ??= Int32Array.from({ length: count }, (_, each) => each);
          for (let at = height - size; at < height; at++) {
            component[stack[at]!] = components;
            first[stack[at]!] = group;
          }
          components++;
        }
        for (let at = height - size; at < height; at++) onStack[stack[at]!] = 0;
        height -= size;
      }
      depth--;
      if (depth >= 0 && low[group]! < low[path[depth]!]!) low[path[depth]!] = low[group]!;
    }
  }
  return component === undefined || first === undefined ? undefined : { component, first };

  function enter(group: number): void {
    index[group] = low[group] = seen++;
    stack[height++] = group;
    onStack[group] = 1;
  }
}
