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
  const search = new ComponentSearch(view, labels, count);
  for (let root = 0; root < count; root++) search.from(root);
  return search.found;
}

/** The tasks of each group side by side; those of `group` lie between `pointer[group]` and `pointer[group + 1]`. */
function tasksByGroup(n: number, labels: Int32Array, count: number): { pointer: Int32Array; members: Int32Array } {
  const pointer = new Int32Array(count + 1);
  for (let v = 0; v < n; v++) pointer[labels[v]! + 1]!++;
  for (let group = 0; group < count; group++) pointer[group + 1]! += pointer[group]!;
  const cursor = pointer.slice(0, count);
  const members = new Int32Array(n);
  for (let v = 0; v < n; v++) members[cursor[labels[v]!]!++] = v;
  return { pointer, members };
}

class ComponentSearch {
  found: CyclicGroups | undefined;
  readonly #view: PlanView;
  readonly #labels: Int32Array;
  readonly #count: number;
  readonly #pointer: Int32Array;
  readonly #members: Int32Array;
  /** When each group was entered; -1 before. */
  readonly #index: Int32Array;
  /** The earliest group on the stack that each one is known to lead to. */
  readonly #low: Int32Array;
  readonly #onStack: Uint8Array;
  readonly #stack: Int32Array;
  /** The groups from the root to the one that is looked at. */
  readonly #path: Int32Array;
  /** The task of each group that is looked at, and its next edge. */
  readonly #member: Int32Array;
  readonly #edge: Int32Array;
  #components = 0;
  #entered = 0;
  #height = 0;

  constructor(view: PlanView, labels: Int32Array, count: number) {
    const { pointer, members } = tasksByGroup(view.n, labels, count);
    this.#view = view;
    this.#labels = labels;
    this.#count = count;
    this.#pointer = pointer;
    this.#members = members;
    this.#index = new Int32Array(count).fill(-1);
    this.#low = new Int32Array(count);
    this.#onStack = new Uint8Array(count);
    this.#stack = new Int32Array(count);
    this.#path = new Int32Array(count);
    this.#member = pointer.slice(0, count);
    this.#edge = new Int32Array(count);
  }

  /** Finds the components that can be reached from `root`, if it was not reached before. */
  from(root: number): void {
    if (this.#index[root] !== -1) return;
    const path = this.#path;
    const low = this.#low;
    path[0] = root;
    this.#enter(root);
    for (let depth = 0; depth >= 0; ) {
      const group = path[depth]!;
      const child = this.#nextChild(group);
      if (child !== -1) {
        path[++depth] = child;
        this.#enter(child);
        continue;
      }
      if (low[group] === this.#index[group]) this.#close(group);
      depth--;
      if (depth >= 0 && low[group]! < low[path[depth]!]!) low[path[depth]!] = low[group]!;
    }
  }

  #enter(group: number): void {
    this.#index[group] = this.#low[group] = this.#entered++;
    this.#stack[this.#height++] = group;
    this.#onStack[group] = 1;
  }

  /** The next group behind this one that was not entered, or -1; those on the stack are noted on the way. */
  #nextChild(group: number): number {
    const { outPtr, out } = this.#view;
    const labels = this.#labels;
    const index = this.#index;
    const low = this.#low;
    const member = this.#member;
    const edges = this.#edge;
    const end = this.#pointer[group + 1]!;
    while (member[group]! < end) {
      const v = this.#members[member[group]!]!;
      const last = outPtr[v + 1]!;
      for (let edge = Math.max(edges[group]!, outPtr[v]!); edge < last; edge++) {
        const target = labels[out[edge]!]!;
        if (index[target] === -1) {
          edges[group] = edge + 1;
          return target;
        }
        if (this.#onStack[target] === 1 && index[target]! < low[group]!) low[group] = index[target]!;
      }
      member[group]!++;
      edges[group] = 0;
    }
    return -1;
  }

  /** Takes the component of `group` from the stack, which is all above it. */
  #close(group: number): void {
    const stack = this.#stack;
    let start = this.#height - 1;
    while (stack[start] !== group) start--;
    if (this.#height - start > 1) {
      this.found ??= {
        component: new Int32Array(this.#count).fill(-1),
        first: Int32Array.from({ length: this.#count }, (_, each) => each),
      };
      for (let at = start; at < this.#height; at++) {
        this.found.component[stack[at]!] = this.#components;
        this.found.first[stack[at]!] = group;
      }
      this.#components++;
    }
    for (let at = start; at < this.#height; at++) this.#onStack[stack[at]!] = 0;
    this.#height = start;
  }
}
