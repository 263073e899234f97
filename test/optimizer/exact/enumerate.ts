import type { Dag } from "../dags.ts";

/**
 * The shortest makespan over all partitions with an acyclic quotient and all orders of dispatch, by plain enumeration:
 * restricted-growth strings, then every sequence of parts on executors under the rule that the next part starts once
 * its dependencies have ended, an executor is free and the part before it has started. Shares nothing with the optimizer.
 * @param fits whether a set of tasks may be a part. @default any may
 */
export function enumerateOptimum(
  dag: Dag,
  executors: number,
  overhead: number,
  fits: (set: number) => boolean = () => true,
): number {
  const { n, from, to, work } = dag;
  if (n === 0) return 0;
  const group: number[] = [];
  let best = Number.POSITIVE_INFINITY;

  const evaluate = (count: number): void => {
    const sets = new Array<number>(count).fill(0);
    group.forEach((p, v) => {
      sets[p]! |= 1 << v;
    });
    if (!sets.every(fits)) return;
    const needs: Set<number>[] = Array.from({ length: count }, () => new Set());
    const length = new Array<number>(count).fill(overhead);
    work.forEach((own, v) => {
      length[group[v]!]! += own;
    });
    from.forEach((u, edge) => {
      const [before, after] = [group[u]!, group[to[edge]!]!];
      if (before !== after) needs[after]!.add(before);
    });
    if (executors >= count) {
      const end = new Map<number, number>();
      const visit = (p: number, trail: readonly number[]): number => {
        if (trail.includes(p)) return Number.POSITIVE_INFINITY;
        const known = end.get(p);
        if (known !== undefined) return known;
        const value = Math.max(0, ...[...needs[p]!].map((q) => visit(q, [...trail, p]))) + length[p]!;
        end.set(p, value);
        return value;
      };
      best = Math.min(best, Math.max(...length.map((_, p) => visit(p, []))));
      return;
    }
    const ends = new Map<number, number>();
    const dispatch = (free: readonly number[], clock: number): void => {
      const so = Math.max(0, ...ends.values());
      if (so >= best) return;
      if (ends.size === count) {
        best = so;
        return;
      }
      for (let p = 0; p < count; p++) {
        if (ends.has(p) || ![...needs[p]!].every((q) => ends.has(q))) continue;
        const [first, ...others] = free;
        const start = Math.max(clock, first!, ...[...needs[p]!].map((q) => ends.get(q)!));
        ends.set(p, start + length[p]!);
        dispatch(
          [...others, start + length[p]!].sort((left, right) => left - right),
          start,
        );
        ends.delete(p);
      }
    };
    dispatch(new Array<number>(executors).fill(0), 0);
  };
  const assign = (v: number, count: number): void => {
    if (v === n) {
      evaluate(count);
      return;
    }
    for (let p = 0; p <= count; p++) {
      group[v] = p;
      assign(v + 1, Math.max(count, p + 1));
    }
  };
  assign(0, 0);
  return best;
}
