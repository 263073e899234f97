import { planViewFromEdges, viewWithCosts } from "@planloom/plan";
import { Limits } from "../../packages/runtime/src/core/limits.ts";
import { createRunState } from "../../packages/runtime/src/core/run-state.ts";
import { simulateAttempts } from "../../packages/runtime/src/core/simulate.ts";
import { layeredDag, mulberry32 } from "../support/layered-dag.ts";

const tasks = 200;
const workers = 8;
const seeds = 40;

export type UnequalRow = {
  /** What the plan says of the durations. */
  readonly estimates: string;
  /** Mean and worst ratio of the makespan to the lower bound over all plans. */
  readonly ratio: number;
  readonly worst: number;
};

const thousandths = (value: number) => Math.round(value * 1_000) / 1_000;

/**
 * How near the runtime's own core, which starts tasks by their longest remaining path, comes to the lower bound (longest path, or work over
 * workers) where tasks take unequal times: 1-10 ms, and one in ten 90-100 ms. In virtual time, so that a busy machine changes nothing.
 */
export function unequalLengths(width = 40): UnequalRow[] {
  const ratios = { none: [] as number[], rough: [] as number[], right: [] as number[] };
  for (let seed = 1; seed <= seeds; seed++) {
    const random = mulberry32(seed);
    const parents = layeredDag({ tasks, width, seed });
    const durations = parents.map(() => (random() < 0.9 ? 1 + random() * 9 : 90 + random() * 10));
    const edges = parents.flatMap((above, task) => above.map((parent) => [parent, task] as const));
    const view = planViewFromEdges({ n: tasks, from: edges.map(([from]) => from), to: edges.map(([, to]) => to) });
    const ends: number[] = [];
    for (const [task, above] of parents.entries())
      ends[task] = durations[task]! + Math.max(0, ...above.map((parent) => ends[parent]!));
    const bound = Math.max(...ends, durations.reduce((sum, each) => sum + each, 0) / workers);
    const estimates = {
      none: durations.map(() => 1_000),
      rough: durations.map((each) => each * Math.exp(random() * 2 - 1)),
      right: durations,
    };
    for (const [name, work] of Object.entries(estimates)) {
      const limits = new Limits({ concurrency: workers });
      const state = createRunState(viewWithCosts(view, { work: Float64Array.from(work) }), { limits });
      const { makespanMs } = simulateAttempts(state, {
        attempt: (task) => ({ ms: durations[task]!, fails: false }),
        retryAfterMs: () => undefined,
      });
      ratios[name as keyof typeof ratios].push(makespanMs / bound);
    }
  }
  const row = (estimates: string, all: readonly number[]): UnequalRow => ({
    estimates,
    ratio: thousandths(all.reduce((sum, each) => sum + each, 0) / all.length),
    worst: thousandths(Math.max(...all)),
  });
  return [
    row("none", ratios.none),
    row("up to 2.7 times too long or too short", ratios.rough),
    row("right", ratios.right),
  ];
}
