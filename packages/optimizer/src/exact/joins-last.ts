import type { PartLimits } from "./part-limits.ts";
import type { State } from "./search-state.ts";
import type { SmallGraph } from "./small-graph.ts";

/**
 * Whether the part had better been one with what its executor ran last: it waited for nothing that ended after that
 * began, and all that waits for that waits for the part as well, so one dispatch less delays nothing. Only where a dispatch costs something.
 */
export function joinsLast(graph: SmallGraph, limits: PartLimits, state: State, part: number, start: number): boolean {
  let reached = part;
  let needs = 0;
  for (let left = part; left !== 0; left &= left - 1) {
    const v = 31 - Math.clz32(left & -left);
    reached |= graph.reach[v]!;
    needs |= graph.before[v]!;
  }
  for (let at = 0; at < state.free.length && state.free[at]! <= start; at++) {
    const before = state.last[at]!;
    if (before === 0) continue;
    let waiting = 0;
    for (let left = before; left !== 0; left &= left - 1) waiting |= graph.after[31 - Math.clz32(left & -left)]!;
    if ((waiting & ~before & ~reached) !== 0) continue;
    let released = 0;
    for (let left = needs & ~part & ~before; left !== 0; left &= left - 1) {
      const u = 31 - Math.clz32(left & -left);
      if (state.end[u]! > released) released = state.end[u]!;
    }
    if (released <= state.lastStart[at]! && limits.fits(before | part)) return true;
  }
  return false;
}
