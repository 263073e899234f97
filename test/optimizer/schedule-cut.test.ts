import { generateWorkload, generatorNames } from "@planloom/bench";
import { completeEnvironment, simulate, strategies, verify } from "@planloom/optimizer";
import type { PlanView } from "@planloom/plan";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cutSchedule } from "../../packages/optimizer/src/scheduling/cut-schedule.ts";
import { type Ordering, taskSchedule } from "../../packages/optimizer/src/scheduling/task-schedule.ts";
import { cases } from "../support/cases.ts";
import { dags, view } from "./dags.ts";

const orderings: readonly Ordering[] = ["heft", "cpop", "mcp", "etf", "dls", "peft"];

/** End of the list schedule of single tasks, and of its parts dispatched whole, both without overhead. */
function ends(graph: PlanView, executors: number, ordering: Ordering): { listMs: number; cutMs: number } {
  const environment = completeEnvironment(graph, { executors, overheadMs: 0 });
  const schedule = taskSchedule({ view: graph, executors, transfer: new Float64Array(graph.n) }, ordering);
  const partition = cutSchedule(graph, schedule, 0);
  expect(verify(graph, environment, partition)).toEqual([]);
  return { listMs: Math.max(0, ...schedule.endMs), cutMs: simulate(graph, environment, partition).makespanMs };
}

test("without overhead, parts that are dispatched whole never end after the list schedule that they are cut from", () => {
  fc.assert(
    fc.property(dags, fc.integer({ min: 1, max: 4 }), fc.constantFrom(...orderings), (dag, executors, ordering) => {
      const { listMs, cutMs } = ends(view(dag), executors, ordering);
      expect(cutMs).toBeLessThanOrEqual(listMs);
    }),
    { numRuns: cases(2_000) },
  );
});

test.each(generatorNames)(
  "so it is for plans of the family %s, and for the strategies that choose among such cuts",
  (family) => {
    const graph = generateWorkload(family, 60, 1).view;
    for (const executors of [2, 4]) {
      const environment = completeEnvironment(graph, { executors, overheadMs: 0 });
      for (const ordering of orderings) {
        const { listMs, cutMs } = ends(graph, executors, ordering);
        expect(cutMs).toBeLessThanOrEqual(listMs * (1 + 1e-12));
        const chosen = strategies
          .get(`schedule-cut-${ordering}`)!
          .propose(graph, environment, { seed: 0, deadlineMs: 1 });
        expect(simulate(graph, environment, chosen).makespanMs).toBeLessThanOrEqual(listMs * (1 + 1e-12));
      }
    }
  },
);

test("an input that another executor's part publishes late begins a part of its own", () => {
  const dag = { n: 7, from: [0, 0, 2, 3, 4], to: [3, 5, 6, 6, 6], work: [9, 9, 8, 4, 6, 5, 3] };
  for (const ordering of orderings) {
    const { listMs, cutMs } = ends(view(dag), 2, ordering);
    expect(cutMs).toBeLessThanOrEqual(listMs);
  }
});
