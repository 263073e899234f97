import type { PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "../environment.ts";
import { SMALL_TASKS, smallGraph } from "../exact/small-graph.ts";
import { fromLabels, type Partition } from "../partition.ts";
import { GrowingPart } from "./executor-time.ts";

/** Pairs of ideals that are looked at. */
const PAIRS = 300_000;

/**
 * The division with the least executor time, fewest parts on ties, over all chains of order ideals. `undefined` for more
 * than 30 tasks, or when there are too many ideals, or none within the limits. O(pairs of nested ideals · n).
 */
export function idealDivision(view: PlanView, environment: ExecutionEnvironment): Partition | undefined {
  if (view.n > SMALL_TASKS) return undefined;
  const graph = smallGraph(view);
  const everything = 2 ** graph.n - 1;
  const best = new Map<number, { cost: number; parts: number; from: number }>([[0, { cost: 0, parts: 0, from: 0 }]]);
  const growing = new GrowingPart(view, environment);
  const bySize: number[][] = Array.from({ length: graph.n + 1 }, () => []);
  bySize[0]!.push(0);
  let pairs = 0;
  const relax = (ideal: number, part: number) => {
    growing.clear();
    let size = 0;
    for (let v = 0; v < graph.n; v++) if ((part & (1 << v)) !== 0) growing.add(graph.task[v]!);
    const next = ideal | part;
    const known = best.get(next);
    const start = best.get(ideal)!;
    const cost = start.cost + growing.cost();
    const parts = start.parts + 1;
    if (known === undefined) {
      for (let left = next; left !== 0; left &= left - 1) size++;
      bySize[size]!.push(next);
    }
    if (known === undefined || cost < known.cost || (cost === known.cost && parts < known.parts))
      best.set(next, { cost, parts, from: ideal });
  };
  const grow = (ideal: number, part: number, first: number): void => {
    for (let v = first; v < graph.n && pairs <= PAIRS; v++) {
      if (((ideal | part) & (1 << v)) !== 0 || (graph.before[v]! & ~(ideal | part)) !== 0) continue;
      pairs++;
      relax(ideal, part | (1 << v));
      grow(ideal, part | (1 << v), v + 1);
    }
  };
  for (const ideals of bySize) for (const ideal of ideals) grow(ideal, 0, 0);
  if (pairs > PAIRS || best.get(everything)?.cost === Number.POSITIVE_INFINITY) return undefined;
  const labels = new Int32Array(view.n);
  for (let ideal = everything; ideal !== 0; ) {
    const { from, parts } = best.get(ideal)!;
    for (let v = 0; v < graph.n; v++) if ((ideal & ~from & (1 << v)) !== 0) labels[graph.task[v]!] = parts - 1;
    ideal = from;
  }
  return fromLabels(labels);
}
