import type { Edges } from "../layout/edges.ts";
import { neighbours } from "../layout/edges.ts";
import type { Attempt } from "./history.ts";

/** The tasks of the chain of dependencies whose attempts took longest together, the first first. O(tasks + edges + attempts). */
export function criticalPath(count: number, edges: Edges, attempts: readonly Attempt[], now: number): number[] {
  const work = new Float64Array(count);
  for (const { task, from, to = now } of attempts) work[task]! += Math.max(0, to - from);
  const before = neighbours(count, edges.to, edges.from);
  const after = neighbours(count, edges.from, edges.to);
  const open = Int32Array.from({ length: count }, (_, task) => before.ptr[task + 1]! - before.ptr[task]!);
  const order: number[] = [];
  for (let task = 0; task < count; task += 1) if (open[task] === 0) order.push(task);
  const length = new Float64Array(count);
  const previous = new Int32Array(count).fill(-1);
  let last = -1;
  for (let at = 0; at < order.length; at += 1) {
    const task = order[at]!;
    length[task]! += work[task]!;
    if (last === -1 || length[task]! > length[last]!) last = task;
    for (let edge = after.ptr[task]!; edge < after.ptr[task + 1]!; edge += 1) {
      const next = after.items[edge]!;
      if (length[task]! > length[next]! || previous[next] === -1) {
        length[next] = length[task]!;
        previous[next] = task;
      }
      open[next]! -= 1;
      if (open[next] === 0) order.push(next);
    }
  }
  const path: number[] = [];
  for (let task = last; task !== -1; task = previous[task]!) path.push(task);
  return path.reverse();
}
