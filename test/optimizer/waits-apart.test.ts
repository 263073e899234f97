import { ManualOptimizer } from "@planloom/optimizer";
import { type PlannerTask, TaskData } from "@planloom/plan";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../support/cases.ts";

const task = (task_id: string, dependencies: string[] = []) => ({
  task_id,
  execution_type: "tool" as const,
  tool_id: "t",
  dependencies,
  estimate_data: { duration_ms: 100 },
});
const wait = (task_id: string, dependencies: string[] = []) => ({ task_id, wait: { for_ms: 3_600_000 }, dependencies });

test("a wait is a subgraph of its own, holds no executor, and parts what comes before it from what comes after", () => {
  const plan = TaskData.parse({
    planned_tasks: [task("a"), task("b", ["a"]), wait("pause", ["b"]), task("c", ["pause"]), task("d", ["c", "a"])],
  });
  const { subgraphs, predictedMs } = new ManualOptimizer({ environment: { executors: 1, overheadMs: 10 } }).optimize(
    plan,
  );
  expect(subgraphs.map(({ tasks }) => tasks.map(({ task_id }) => task_id))).toEqual([
    ["a", "b"],
    ["pause"],
    ["c", "d"],
  ]);
  expect(predictedMs).toBe(430);
});

/** Plans whose every third task or so waits. */
const plans = fc
  .array(fc.record({ waits: fc.boolean(), before: fc.array(fc.nat({ max: 11 }), { maxLength: 3 }) }), { maxLength: 12 })
  .map((drawn) =>
    TaskData.parse({
      planned_tasks: drawn.map(({ waits, before }, number) => {
        const dependencies = [...new Set(before.filter((each) => each < number).map((each) => `t${each}`))];
        return waits && number % 3 === 1 ? wait(`t${number}`, dependencies) : task(`t${number}`, dependencies);
      }),
    }),
  );

test.for(["portfolio", "single", "components", "per-task"])(
  "no grouping of %s joins a wait, and none waits for itself",
  (strategy) => {
    fc.assert(
      fc.property(plans, (plan) => {
        const { subgraphs } = new ManualOptimizer({ strategy }).optimize(plan);
        const place = new Map<PlannerTask, number>();
        for (const [at, { tasks }] of subgraphs.entries()) {
          expect(tasks.length === 1 || tasks.every((each) => each.wait === undefined)).toBe(true);
          for (const each of tasks) place.set(each, at);
        }
        expect(place.size).toBe(plan.planned_tasks.length);
        // Subgraphs come in an order in which none waits for a later one.
        const byId = new Map(plan.planned_tasks.map((each) => [each.task_id, each]));
        for (const each of plan.planned_tasks)
          for (const id of each.dependencies) expect(place.get(byId.get(id)!)!).toBeLessThanOrEqual(place.get(each)!);
      }),
      { numRuns: cases(60) },
    );
  },
);
