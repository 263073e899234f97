import type { Reached } from "./dominance.ts";

/** Some parts dispatched. Times before the clock are set to the clock, since nothing starts before it any more. */
export interface State extends Reached {
  /** Tasks dispatched. */
  readonly set: number;
  readonly parent: State | undefined;
  /** The part that each executor ran last, 0 for none, and when it started. */
  readonly last: Int32Array;
  readonly lastStart: Float64Array;
  /** When the part of each dispatched task ends, if something waits for it; 0 otherwise. */
  readonly end: Float64Array;
  bound: number;
  /** The costlier bound has been taken into account. */
  tight: boolean;
  dominated: boolean;
}

/** Nothing dispatched on `count` executors. */
export function rootState(n: number, count: number): State {
  return {
    set: 0,
    part: 0,
    parent: undefined,
    count: 0,
    free: new Float64Array(count),
    last: new Int32Array(count),
    lastStart: new Float64Array(count),
    end: new Float64Array(n),
    release: new Float64Array(n),
    bound: 0,
    tight: false,
    dominated: false,
  };
}

/** A state that is looked at before it is kept: one for a search, written over each time. */
export class Trial {
  readonly free: Float64Array;
  readonly release: Float64Array;
  readonly #last: Int32Array;
  readonly #lastStart: Float64Array;
  readonly #end: Float64Array;

  constructor(n: number, count: number) {
    this.free = new Float64Array(count);
    this.release = new Float64Array(n);
    this.#last = new Int32Array(count);
    this.#lastStart = new Float64Array(count);
    this.#end = new Float64Array(n);
  }

  /** The executor of `parent` that is free first takes the part; its end goes in among the others. */
  place(parent: State, part: number, start: number, ended: number): void {
    const { free } = this;
    const last = this.#last;
    const lastStart = this.#lastStart;
    const count = free.length;
    let at = 0;
    for (let other = 1; other < count; other++, at++) {
      const time = Math.max(parent.free[other]!, start);
      if (time > ended) break;
      free[at] = time;
      last[at] = parent.last[other]!;
      lastStart[at] = parent.lastStart[other]!;
    }
    free[at] = ended;
    last[at] = part;
    lastStart[at] = start;
    for (at++; at < count; at++) {
      free[at] = Math.max(parent.free[at]!, start);
      last[at] = parent.last[at]!;
      lastStart[at] = parent.lastStart[at]!;
    }
  }

  /**
   * When the parts of `set` end for which something waits, and what waits for them.
   * @param after direct dependents of each task, as sets
   * @param direct its direct dependencies by the transitive reduction
   */
  follow(parent: State, part: number, start: number, ended: number, after: Int32Array, direct: Int32Array): void {
    const end = this.#end;
    const { release } = this;
    const set = parent.set | part;
    for (let v = 0; v < end.length; v++) {
      const waited = (set & (1 << v)) !== 0 && (after[v]! & ~set) !== 0;
      end[v] = !waited ? 0 : (part & (1 << v)) !== 0 ? ended : Math.max(parent.end[v]!, start);
    }
    for (let v = 0; v < end.length; v++) {
      let latest = 0;
      if ((set & (1 << v)) === 0) {
        for (let from = direct[v]! & set; from !== 0; from &= from - 1) {
          const u = 31 - Math.clz32(from & -from);
          if (end[u]! > latest) latest = end[u]!;
        }
      }
      release[v] = latest;
    }
  }

  /** A copy of the arrays of this, as the state that follows `parent`. */
  kept(parent: State, part: number, bound: number): State {
    return {
      set: parent.set | part,
      part,
      parent,
      count: parent.count + 1,
      free: this.free.slice(),
      last: this.#last.slice(),
      lastStart: this.#lastStart.slice(),
      end: this.#end.slice(),
      release: this.release.slice(),
      bound,
      tight: false,
      dominated: false,
    };
  }
}
