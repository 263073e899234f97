import { defineTool, Planloom, TaskData } from "planloom";
import { describeRecordedRun, describeRun } from "planloom/plan-tools";
import { approve, type Dispatcher, inProcessDispatcher } from "planloom/runtime";
import { memoryJournal } from "planloom/testing";
import { expect, test } from "vitest";

const tools = [defineTool({ id: "fetch", description: "", readOnly: true, execute: () => ({}) })];
const plan = TaskData.parse({
  task_id: "plan",
  planned_tasks: Array.from({ length: 6 }, (_, at) => ({
    task_id: `t${at}`,
    tool_id: "fetch",
    estimate_data: { duration_ms: 1 },
    ...(at === 5 && { approval: "required" }),
  })),
});
const free = { ...plan, planned_tasks: plan.planned_tasks.slice(0, 5) };

test("rates of the run hold back what is predicted, with the resource that they are about", async () => {
  const limits = { rates: { fetch: { limit: 2, intervalMs: 60 } } };
  await using planloom = new Planloom({ tools, journal: memoryJournal(), limits });
  const predicted = planloom.dryRun(free);
  expect(predicted.rates).toEqual([{ resource: "fetch", calls: 5, limit: 2, interval_ms: 60, least_ms: 120 }]);
  expect(predicted.predictedMs).toBe(120);
  // Real time: the limits of a run go by its own clock.
  const { certificate } = await planloom.run(free);
  expect(certificate.achievedMs).toBeGreaterThanOrEqual(119);
  expect(planloom.dryRun({ planned_tasks: free.planned_tasks.slice(0, 2) }).rates).toBeUndefined();
});

/** What is due meanwhile is late. */
function blockFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test("a rate of dispatches that the prediction counts is kept by the run", async () => {
  // A tool may begin later than its dispatch, on a busy machine by more than the interval.
  const begun: number[] = [];
  const here = inProcessDispatcher();
  const to: Dispatcher = {
    ...here,
    dispatch: (request, context) => {
      begun.push(performance.now());
      // Real time: the third begins late, so that the fifth has to wait for longer.
      if (begun.length === 2) setTimeout(() => blockFor(40), 40);
      return here.dispatch(request, context);
    },
  };
  const environment = { executors: 4, overheadMs: 0, dispatchRate: { limit: 2, intervalMs: 60 } };
  const dispatch = { to, optimizer: { strategy: "per-task" as const }, environment };
  await using planloom = new Planloom({ tools, journal: memoryJournal(), dispatch });
  const { grouping, end_reason } = await planloom.run(free);
  expect([end_reason, grouping?.predicted_ms]).toEqual(["completed", 121]);
  expect(grouping!.achieved!.achieved_ms).toBeGreaterThanOrEqual(119);
  for (const [at, time] of begun.slice(2).entries()) expect(time - begun[at]!).toBeGreaterThanOrEqual(59);
  // One that waits for its turn is not waited for once the run is cancelled.
  const abort = new AbortController();
  const onEvent = (event: { type: string }) => event.type === "task-end" && abort.abort();
  const cancelled = await planloom.run(free, { signal: abort.signal, onEvent });
  expect(cancelled.end_reason).toBe("cancelled");
});

test("what was predicted is in the results of later sessions and in what plan tools answer", async () => {
  const dispatch = { to: inProcessDispatcher(), environment: { executors: 2, overheadMs: 10 } };
  const journal = memoryJournal();
  await using planloom = new Planloom({ tools, journal, dispatch });
  const first = await planloom.run(plan, { runId: "waits" });
  expect(first.end_reason).toBe("waiting_approval");
  const { predicted_ms, per_task_ms, lower_bound_ms } = first.grouping!;
  const prediction = { predictedMs: predicted_ms, perTaskMs: per_task_ms, lowerBoundMs: lower_bound_ms };
  expect(first.prediction).toEqual(prediction);
  await approve("waits", "t5", { journal });
  const resumed = await planloom.resume("waits");
  expect(resumed).toMatchObject({ end_reason: "completed", prediction });
  expect(describeRun(plan, resumed)).toMatchObject({ predicted_ms: Math.round(predicted_ms) });
  expect(await describeRecordedRun("waits", journal)).toMatchObject({ predicted_ms: Math.round(predicted_ms) });
  await using streaming = new Planloom({ tools, journal: memoryJournal() });
  const alone = await streaming.run(free);
  expect(alone.prediction).toBeUndefined();
  expect(describeRun(free, alone)).not.toHaveProperty("predicted_ms");
});
