/** The best division of independent tasks among equal executors. */
export interface Packing {
  /** When the last executor ends. */
  readonly value: number;
  /** No division ends earlier; equal to `value` unless the search was cut off. */
  readonly bound: number;
  /** The executor of each task, in the order given. */
  readonly executor: readonly number[];
  /** Assignments tried. */
  readonly nodes: number;
}

/**
 * Least makespan of independent tasks (P||Cmax, minimum makespan multiprocessor scheduling), by depth-first branch and bound:
 * longest task first, to the least loaded executor first, executors with the same load taken for one. A branch ends where more
 * executor time lies idle than a better division can afford. Where all runtimes are integers so is the makespan, which often
 * ends the search at the first perfect division. Exponential; `nodes` assignments are tried at most.
 * @param executors at least 1, finite.
 */
export function packing(work: readonly number[], executors: number, nodes: number): Packing {
  const n = work.length;
  const order = work.map((_, at) => at).sort((left, right) => work[right]! - work[left]!);
  const sizes = order.map((at) => work[at]!);
  const total = sizes.reduce((sum, own) => sum + own, 0);
  const grain = sizes.every((own) => Number.isInteger(own)) ? 1 : 0;
  const shared = total / executors;
  let bound = Math.max(sizes[0] ?? 0, grain === 1 ? Math.ceil(shared - 1e-6) : shared);
  // Of the k + 1 longest two share an executor.
  if (n > executors) bound = Math.max(bound, sizes[executors - 1]! + sizes[executors]!);
  const load = new Float64Array(executors);
  const chosen = new Int32Array(n);
  let best = Number.POSITIVE_INFINITY;
  let division: Int32Array = chosen;
  let tried = 0;

  /** @param idle executor time that no task left fits into any more. */
  const assign = (at: number, highest: number): void => {
    if (at === n) {
      best = highest;
      division = chosen.slice();
      return;
    }
    const own = sizes[at]!;
    const least = sizes[n - 1]!;
    const target = Number.isFinite(best) ? best - Math.max(grain, best * 1e-12) : best;
    if (Number.isFinite(target)) {
      let idle = 0;
      for (let e = 0; e < executors; e++) if (load[e]! + least > target) idle += target - load[e]!;
      if (idle > target * executors - total) return;
    }
    const seen: number[] = [];
    for (;;) {
      let e = -1;
      for (let other = 0; other < executors; other++) {
        if ((e === -1 || load[other]! < load[e]!) && !seen.includes(load[other]!)) e = other;
      }
      if (e === -1) return;
      const before = load[e]!;
      // Loads come in ascending order, so no further one has room either. The first division is greedy.
      if (before + own >= best - (Number.isFinite(best) ? grain / 2 : 0) || best <= bound || tried++ >= nodes) return;
      seen.push(before);
      load[e] = before + own;
      chosen[at] = e;
      assign(at + 1, Math.max(highest, load[e]!));
      load[e] = before;
    }
  };
  assign(0, 0);
  const executor: number[] = new Array(n).fill(0);
  order.forEach((task, at) => {
    executor[task] = division[at]!;
  });
  return {
    value: n === 0 ? 0 : best,
    bound: tried >= nodes ? bound : Math.max(bound, n === 0 ? 0 : best),
    executor,
    nodes: tried,
  };
}
