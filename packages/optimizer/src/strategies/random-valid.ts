import { fromLabels } from "../partition.ts";
import { seededRandom } from "../random.ts";
import type { RuleStrategy } from "../strategy.ts";

/**
 * A random chain of order ideals: a random topological order, cut at random into runs of about three tasks. The control
 * that every other strategy has to beat (a random scheduler is competitive in Dask: Böhm and Beránek, 2020). Depends on the
 * order in which the tasks are listed. O(n + m).
 */
export const randomValid: RuleStrategy = {
  name: "random-valid",
  version: "1",
  description: "a random topological order, cut at random",
  regards: [],
  deterministic: true,
  seeded: true,
  propose(view, _environment, { seed }) {
    const random = seededRandom(seed);
    const waits = Int32Array.from({ length: view.n }, (_, v) => view.inPtr[v + 1]! - view.inPtr[v]!);
    const free: number[] = [];
    for (let v = 0; v < view.n; v++) if (waits[v] === 0) free.push(v);
    const label = new Int32Array(view.n);
    for (let current = 0; free.length > 0; ) {
      const at = Math.floor(random() * free.length);
      const v = free[at]!;
      free[at] = free.at(-1)!;
      free.pop();
      if (random() < 1 / 3) current++;
      label[v] = Math.min(current, view.n - 1);
      for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
        if (--waits[view.out[edge]!]! === 0) free.push(view.out[edge]!);
      }
    }
    return fromLabels(label);
  },
};
