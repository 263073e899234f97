import type { State } from "./search-state.ts";

/** Least bound first; of equal bounds the state with most tasks dispatched. */
export class StateQueue {
  readonly #items: State[] = [];

  push(state: State): void {
    const items = this.#items;
    let at = items.length;
    items.push(state);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!sooner(state, items[parent]!)) break;
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = state;
  }

  pop(): State | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && sooner(items[child + 1]!, items[child]!)) child++;
      if (!sooner(items[child]!, last)) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = last;
    return first;
  }
}

function sooner(left: State, right: State): boolean {
  if (left.bound !== right.bound) return left.bound < right.bound;
  return bits(left.set) > bits(right.set);
}

function bits(set: number): number {
  let count = 0;
  for (let left = set; left !== 0; left &= left - 1) count++;
  return count;
}
