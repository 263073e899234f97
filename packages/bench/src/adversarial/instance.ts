import type { ExecutionEnvironment } from "@planloom/optimizer";
import type { Random } from "@planloom/optimizer/internals";
import { type PlanView, planViewFromEdges } from "@planloom/plan";

/** A small plan and environment as the adversary changes them. Edges go from lower to higher numbers. */
export interface Instance {
  readonly work: readonly number[];
  /** `edges[u * n + v]` for u < v. */
  readonly edges: readonly boolean[];
  readonly executors: number;
  readonly overheadMs: number;
}

/** Tasks of 100 to 1000 ms, as PISA's weights of 0.1 to 1. */
const LEAST_MS = 100;
const MOST_MS = 1000;

/** Of how many tasks the plans are, and on how many executors they run. */
export interface InstanceRange {
  readonly tasks: readonly [least: number, most: number];
  readonly executors: readonly [least: number, most: number];
}

/** As PISA's. */
export const smallInstances: InstanceRange = { tasks: [4, 8], executors: [2, 4] };

/** A random plan; of more than eight tasks, sparser ones as well. */
export function randomInstance(random: Random, range: InstanceRange = smallInstances): Instance {
  const n = between(random, range.tasks);
  const density = range.tasks[1] <= 8 ? 0.35 : (0.35 * random() * 8) / n;
  const edges = Array.from({ length: n * n }, (_, at) => Math.floor(at / n) < at % n && random() < density);
  const work = Array.from({ length: n }, () => weight(random));
  return { work, edges, executors: between(random, range.executors), overheadMs: Math.round(random() * MOST_MS) };
}

function between(random: Random, [least, most]: readonly [number, number]): number {
  return least + Math.floor(random() * (most - least + 1));
}

/** One of PISA's moves: an edge more or less, another runtime, another overhead, another number of executors. */
export function perturbed(instance: Instance, random: Random, range: InstanceRange = smallInstances): Instance {
  const n = instance.work.length;
  const choice = random();
  if (choice < 0.45) {
    const u = Math.floor(random() * (n - 1));
    const v = u + 1 + Math.floor(random() * (n - 1 - u));
    return { ...instance, edges: instance.edges.with(u * n + v, !instance.edges[u * n + v]) };
  }
  if (choice < 0.85) {
    const v = Math.floor(random() * n);
    const step = Math.round((random() - 0.5) * 400);
    const work = Math.min(MOST_MS, Math.max(LEAST_MS, instance.work[v]! + step));
    return { ...instance, work: instance.work.with(v, work) };
  }
  if (choice < 0.95) {
    const overheadMs = Math.min(MOST_MS, Math.max(0, instance.overheadMs + Math.round((random() - 0.5) * 400)));
    return { ...instance, overheadMs };
  }
  return { ...instance, executors: between(random, range.executors) };
}

/** What strategies take. */
export function posed({ work, edges, executors, overheadMs }: Instance): {
  view: PlanView;
  environment: ExecutionEnvironment;
} {
  const n = work.length;
  const from: number[] = [];
  const to: number[] = [];
  edges.forEach((there, at) => {
    if (!there) return;
    from.push(Math.floor(at / n));
    to.push(at % n);
  });
  const view = planViewFromEdges({ n, from, to, work });
  return { view, environment: { semantics: "atomic", executors, overheadMs } };
}

function weight(random: Random): number {
  return LEAST_MS + Math.floor(random() * (MOST_MS - LEAST_MS));
}
