import { assess, ManualOptimizer, planGraphs } from "@planloom/optimizer";
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
  // Three dispatches, one more for the wait when it is over, 400 ms of tasks, and the hour.
  expect(predictedMs).toBe(3_600_440);
});

test.for([
  { name: "one executor", environment: { executors: 1, overheadMs: 10 }, predictedMs: 3_602_440 },
  { name: "two executors", environment: { executors: 2, overheadMs: 10 }, predictedMs: 3_600_440 },
  { name: "outputs that travel", environment: { executors: 2, overheadMs: 10, latencyMs: 5 }, predictedMs: 3_600_450 },
])("what a run is predicted to take has its waits in it, and others use the executors meanwhile: $name", (given) => {
  const { environment, predictedMs } = given;
  const plan = TaskData.parse({
    planned_tasks: [
      task("a"),
      task("b", ["a"]),
      wait("pause", ["b"]),
      task("c", ["pause"]),
      task("d", ["c", "a"]),
      { ...task("x"), estimate_data: { duration_ms: 3_600_000 } },
      { ...task("y"), estimate_data: { duration_ms: 2_000 } },
    ],
  });
  const optimized = new ManualOptimizer({ environment }).optimize(plan);
  expect(optimized.predictedMs).toBe(predictedMs);
  expect(optimized.lowerBoundMs).toBeLessThanOrEqual(optimized.predictedMs);
  const { subgraphs, dispatchOrder } = optimized;
  expect(assess(plan, subgraphs, { environment, dispatchOrder }).makespanMs).toBe(optimized.predictedMs);
  const { subgraphs: quotient } = planGraphs(plan, optimized);
  expect(Math.max(...quotient.mapNodes((_, { endMs }) => endMs))).toBe(optimized.predictedMs);
});

test("a bound goes by the waits, and proves a grouping that only they make long", () => {
  const plan = TaskData.parse({ planned_tasks: [task("a"), wait("pause", ["a"]), task("b", ["pause"])] });
  const { boundBy, proved, predictedMs } = new ManualOptimizer({ environment: { overheadMs: 10 } }).optimize(plan);
  expect({ boundBy, proved, predictedMs }).toEqual({ boundBy: "LB10", proved: true, predictedMs: 3_600_240 });
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
        const { subgraphs, predictedMs, lowerBoundMs } = new ManualOptimizer({ strategy }).optimize(plan);
        expect(lowerBoundMs).toBeLessThanOrEqual(predictedMs);
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
