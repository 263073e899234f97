import type { PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "./environment.ts";
import { fromLabels, type Partition } from "./partition.ts";
import { quotient } from "./quotient.ts";
import { makespan } from "./simulate.ts";
import { verify } from "./verify.ts";

/** Merges tried from each grouping. */
const MERGES = 60;
/** Groupings of more parts are not merged one by one. */
const MOST_PARTS = 200;

/** The grouping with one part less at a time: the lightest part joins the one with which the plan ends first. O(parts) simulations a merge. */
export function* coarsened(view: PlanView, environment: ExecutionEnvironment, start: Partition): Generator<Partition> {
  let current: Partition = { part: start.part, count: start.count };
  for (let step = 0; step < MERGES && current.count > 1 && current.count <= MOST_PARTS; step++) {
    const graph = quotient(view, current);
    const lightest = graph.work.indexOf(Math.min(...graph.work));
    let best: { partition: Partition; makespanMs: number } | undefined;
    for (let p = 0; p < current.count; p++) {
      if (p === lightest) continue;
      const partition = fromLabels(current.part.map((own) => (own === lightest ? p : own)));
      const makespanMs = makespan(view, environment, partition);
      if (best !== undefined && makespanMs >= best.makespanMs) continue;
      if (verify(view, environment, partition).length === 0) best = { partition, makespanMs };
    }
    if (best === undefined) return;
    current = best.partition;
    yield current;
  }
}
