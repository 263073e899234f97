import { TaskData } from "@planloom/plan";
import fc from "fast-check";
import { defineTool, Planloom } from "planloom";
import type { Dispatcher, DispatchRequest, TaskReport } from "planloom/runtime";
import { expect, test } from "vitest";
import { type Dag, dags } from "../optimizer/dags.ts";
import { enumerateOptimum } from "../optimizer/exact/enumerate.ts";
import { cases } from "../support/cases.ts";
import { fakeTime } from "../support/fake-time.ts";

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const idOf = (task: number) => `t${task}`;

/** Executes each subgraph as a worker does: a dispatch has its cost, then its tasks follow one another. */
function exactDispatcher(
  { executors, overheadMs }: { executors: number; overheadMs: number },
  { costMs, tookMs }: { costMs: (dispatch: number) => number; tookMs: (id: string) => number },
): Dispatcher {
  let dispatches = 0;
  return {
    name: "exact",
    prepare: async () => ({ overheadMs, overheadP95Ms: overheadMs, measured: 1, executors }),
    async dispatch({ plan }: DispatchRequest, { report }) {
      await sleep(costMs(dispatches++));
      const open = plan.planned_tasks.filter(({ status }) => status !== "completed");
      const done = new Set(plan.planned_tasks.filter((task) => !open.includes(task)).map(({ task_id }) => task_id));
      while (open.length > 0) {
        const next = open.findIndex(({ dependencies }) => dependencies.every((id) => done.has(id)));
        const [{ task_id } = { task_id: "" }] = open.splice(next, 1);
        await sleep(tookMs(task_id));
        done.add(task_id);
        const result = {
          ...{ task_id, status: "completed", output: null, attempts: 1 },
          ...{ started_ms: 0, duration_ms: tookMs(task_id) },
        } as TaskReport["result"];
        await report({ result });
      }
      return { results: [], usage: { attempts: 0, input_tokens: 0, output_tokens: 0 } };
    },
  };
}

/** The longest path and the work that executors share, each with one dispatch; by recursion over the edges, sharing nothing with what is tested. */
function pathAndArea({ n, from, to }: Dag, tookMs: (id: string) => number, executors: number, overheadMs: number) {
  const lasts = (task: number): number =>
    tookMs(idOf(task)) + Math.max(0, ...from.flatMap((before, edge) => (before === task ? [lasts(to[edge]!)] : [])));
  const tasks = Array.from({ length: n }, (_, task) => task);
  const path = Math.max(0, ...tasks.map(lasts));
  const area = tasks.reduce((sum, task) => sum + tookMs(idOf(task)), 0) / executors;
  return overheadMs + Math.max(path, area);
}

async function runGrouped(dag: Dag, executors: number, overheadMs: number, ran: { cost?: number[]; took?: number[] }) {
  const planned_tasks = dag.work.map((duration_ms, task) => ({
    ...{ task_id: idOf(task), execution_type: "tool", tool_id: "work", estimate_data: { duration_ms } },
    dependencies: dag.to.flatMap((after, edge) => (after === task ? [idOf(dag.from[edge]!)] : [])),
  }));
  const tookMs = (id: string) => (ran.took ?? dag.work)[Number(id.slice(1))]!;
  const costMs = (dispatch: number) => ran.cost?.[dispatch % ran.cost.length] ?? overheadMs;
  const work = defineTool({ id: "work", description: "", execute: () => null });
  using _ = fakeTime();
  await using planloom = new Planloom({
    tools: [work],
    dispatch: { to: exactDispatcher({ executors, overheadMs }, { costMs, tookMs }) },
  });
  const { grouping, certificate, end_reason } = await planloom.run(TaskData.parse({ planned_tasks }));
  expect(end_reason).toBe("completed");
  return { grouping: grouping!, certificate, tookMs };
}

const plans = dags.filter(({ n, work }) => n > 0 && n <= 6 && work.some((ms) => ms > 0));
const executorCounts = fc.constantFrom(1, 2, 3);
const overheads = fc.constantFrom(0, 1, 5, 20);

test("where tasks and dispatches take what was said, the bound is between path and work and the shortest grouping, and the run takes no less", async () => {
  await fc.assert(
    fc.asyncProperty(plans, executorCounts, overheads, async (dag, executors, overheadMs) => {
      const { grouping, certificate, tookMs } = await runGrouped(dag, executors, overheadMs, {});
      const { lower_bound_ms, predicted_ms, achieved } = grouping;
      expect(lower_bound_ms).toBeGreaterThanOrEqual(pathAndArea(dag, tookMs, executors, overheadMs) - 1e-6);
      expect(lower_bound_ms).toBeLessThanOrEqual(enumerateOptimum(dag, executors, overheadMs) + 1e-6);
      expect(achieved!.achieved_ms).toBeCloseTo(predicted_ms, 6);
      // That of the prediction may be an optimum that a search has proved.
      expect(achieved!.lower_bound_ms).toBeLessThanOrEqual(lower_bound_ms + 1e-6);
      expect(achieved!.lower_bound_ms).toBeGreaterThanOrEqual(pathAndArea(dag, tookMs, executors, overheadMs) - 1e-6);
      // The certificate's is of the durations alone.
      expect(certificate.lowerBoundMs).toBeCloseTo(pathAndArea(dag, tookMs, executors, 0), 6);
    }),
    { numRuns: cases(150) },
  );
});

test("whatever tasks and dispatches took, neither bound of the run exceeds what was achieved", async () => {
  const took = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 12, maxLength: 12 });
  const cost = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(plans, executorCounts, overheads, took, cost, async (dag, executors, overheadMs, ms, costs) => {
      const { grouping, certificate, tookMs } = await runGrouped(dag, executors, overheadMs, { took: ms, cost: costs });
      const { dispatches, achieved } = grouping;
      const cheapest = Math.min(...Array.from({ length: dispatches }, (_, at) => costs[at % costs.length]!));
      expect(achieved!.lower_bound_ms).toBeLessThanOrEqual(achieved!.achieved_ms + 1e-6);
      expect(achieved!.lower_bound_ms).toBeGreaterThanOrEqual(pathAndArea(dag, tookMs, executors, cheapest) - 1e-6);
      expect(certificate.lowerBoundMs).toBeLessThanOrEqual(certificate.achievedMs + 1e-6);
      expect(certificate.lowerBoundMs).toBeCloseTo(pathAndArea(dag, tookMs, executors, 0), 6);
      const { tasks_ms, overhead_ms, idle_ms } = achieved!.difference;
      expect(tasks_ms + overhead_ms + idle_ms).toBeCloseTo(achieved!.achieved_ms - grouping.predicted_ms, 6);
    }),
    { numRuns: cases(150) },
  );
});

test.for([
  { name: "a chain", dag: { n: 3, from: [0, 1], to: [1, 2], work: [30, 40, 50] }, executors: 2, bound: 10 + 120 },
  {
    name: "equal tasks that fill all executors",
    dag: { n: 4, from: [], to: [], work: [40, 40, 40, 40] },
    executors: 2,
    bound: 10 + 80,
  },
  { name: "one executor", dag: { n: 3, from: [0], to: [1], work: [30, 40, 50] }, executors: 1, bound: 10 + 120 },
])("the bound of $name is reached", async ({ dag, executors, bound }) => {
  const { grouping } = await runGrouped(dag, executors, 10, {});
  expect(grouping.lower_bound_ms).toBeCloseTo(bound, 6);
  expect(grouping.achieved).toMatchObject({
    achieved_ms: expect.closeTo(bound, 6),
    lower_bound_ms: expect.closeTo(bound, 6),
  });
});
