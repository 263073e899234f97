import { lowestTask } from "./small-graph.ts";

/** What of a state decides whether another with the same tasks dispatched can be better. */
export interface Reached {
  /** Parts dispatched. */
  readonly count: number;
  /** The part dispatched last, 0 for none. */
  readonly part: number;
  /** When each executor is free, ascending. */
  readonly free: Float64Array;
  /** When the last part that each waiting task depends on directly ends; 0 of other tasks. All that is to come depends on. */
  readonly release: Float64Array;
}

/** Rivals that a state is compared with: a list may grow long, and missing one costs a detour, not the proof. */
const COMPARED = 24;

/** The states of a search that are not known to be beaten by another state with the same tasks dispatched. */
export class Undominated<State extends Reached & { readonly set: number; dominated: boolean }> {
  readonly #bySet = new Map<number, State[]>();

  /** Whether one of the last states of `set` is no later in any respect; that one goes to the end, since it may do so again. */
  hasBetter(set: number, attempt: Reached): boolean {
    const rivals = this.#bySet.get(set);
    if (rivals === undefined) return false;
    const last = rivals.length - 1;
    for (let at = last, first = Math.max(0, rivals.length - COMPARED); at >= first; at--) {
      const rival = rivals[at]!;
      if (!noLater(rival, attempt) || !asFree(rival, attempt)) continue;
      rivals[at] = rivals[last]!;
      rivals[last] = rival;
      return true;
    }
    return false;
  }

  /** Keeps a state, and marks as dominated those of its rivals that it beats. */
  add(state: State): void {
    const rivals = this.#bySet.get(state.set);
    if (rivals === undefined) {
      this.#bySet.set(state.set, [state]);
      return;
    }
    for (let at = rivals.length - 1, last = Math.max(0, rivals.length - COMPARED); at >= last; at--) {
      const rival = rivals[at]!;
      if (!noLater(state, rival) || !asFree(state, rival)) continue;
      rival.dominated = true;
      rivals[at] = rivals.at(-1)!;
      rivals.pop();
    }
    rivals.push(state);
  }
}

function noLater(left: Reached, right: Reached): boolean {
  if (left.count > right.count) return false;
  for (let at = 0; at < left.free.length; at++) if (left.free[at]! > right.free[at]!) return false;
  for (let v = 0; v < left.release.length; v++) if (left.release[v]! > right.release[v]!) return false;
  return true;
}

/** With executors still unused, the order of parts that start at once must leave `left` as many choices as `right`. */
function asFree(left: Reached, right: Reached): boolean {
  if (left.free[0] !== 0 || left.part === 0) return true;
  let more = 0;
  for (let at = 0; at < left.free.length; at++) more += Number(left.free[at] === 0) - Number(right.free[at] === 0);
  return more > 0 || lowestTask(left.part) <= lowestTask(right.part);
}
