import type { PlannerTaskInput, TaskData } from "@planloom/plan";
import {
  childProcessDispatcher,
  type Dispatcher,
  inProcessDispatcher,
  memoryJournal,
  type RunOptions,
  resume,
  run,
  verifyRun,
} from "@planloom/runtime";
import { afterAll, describe, expect, test } from "vitest";
import { executors as makeExecutors } from "../support/dispatch-worker.ts";
import { group, planOf } from "../support/run-plans.ts";

const executors = await makeExecutors();
const dispatcherOf = (file: string) =>
  childProcessDispatcher({ module: new URL(`../support/${file}`, import.meta.url), keepWorkers: 2 });
const workers = dispatcherOf("dispatch-worker.ts");
const behind = dispatcherOf("dispatch-worker-behind.ts");
afterAll(() => Promise.all([workers.close(), behind.close()]));

const list = (more: PlannerTaskInput = {}): PlannerTaskInput => ({
  tool_id: "clock",
  arguments: { ms: 2 },
  for_each: { items: [1, 2, 3, 4] },
  ...more,
});
const atomic = (plan: TaskData, parts: Record<string, string[]>, dispatcher: Dispatcher): RunOptions => ({
  executors,
  semantics: "atomic",
  subgraphs: group(plan, parts),
  dispatcher,
  concurrency: 2,
  runId: "r",
  journal: memoryJournal(),
});
const problems = async ({ journal }: RunOptions) => (await verifyRun(journal!, "r")).problems;

describe.each([
  { name: "workers", dispatcher: workers },
  { name: "workers whose clock is behind", dispatcher: behind },
])("lists and decisions on $name", ({ dispatcher }) => {
  test("begin after what they depend on, in the journal too", async () => {
    const plan = planOf(
      { a: [], each: ["a"], route: ["each"], b: ["route"], several: ["b"] },
      {
        a: { tool_id: "clock" },
        each: list(),
        route: {
          execution_type: "",
          tool_id: null,
          choose: { branches: [{ name: "all", condition: "$count(${each}) = 4" }], else: "few" },
        },
        b: { tool_id: "clock", when: { condition: "${route.all}" } },
        several: {
          execution_type: "",
          tool_id: null,
          for_each: { items: [1, 2], tasks: [{ task_id: "in", execution_type: "tool", tool_id: "clock" }] },
        },
      },
    );
    const options = atomic(plan, { one: ["a", "each", "route", "b", "several"] }, dispatcher);
    // Three times: how long a message takes is different each time.
    for (let round = 0; round < 3; round++) {
      const fresh = { ...options, journal: memoryJournal() };
      expect((await run(plan, fresh)).end_reason).toBe("completed");
      expect(await problems(fresh)).toEqual([]);
    }
  });

  test("keep a limit that holds over both workers, in the journal too", async () => {
    const plan = planOf({ a: [], b: [] }, { a: list(), b: list() });
    const options = atomic(plan, { one: ["a"], two: ["b"] }, dispatcher);
    const result = await run(plan, { ...options, limits: { resources: { clock: 1 } } });
    expect(result.end_reason).toBe("completed");
    expect(await problems(options)).toEqual([]);
  });
});

test.each<{ name: string; first: Dispatcher; second: Dispatcher }>([
  { name: "begun by workers and resumed in this process", first: workers, second: inProcessDispatcher() },
  { name: "begun in this process and resumed by workers", first: inProcessDispatcher(), second: workers },
])("a list $name: no completed element is executed again", async ({ first, second }) => {
  const plan = planOf(
    { a: [], each: ["a"] },
    { a: { tool_id: "clock" }, each: list({ for_each: { items: [1, 2, 3, 4], concurrency: 1 } }) },
  );
  const options = atomic(plan, { one: ["a", "each"] }, first);
  const stop = new AbortController();
  let begun = 0;
  const cut = await run(plan, {
    ...options,
    signal: stop.signal,
    budgets: { run: { calls: 100 } },
    onEvent: (event) => {
      if (event.type === "task-progress" && ++begun === 2) stop.abort();
    },
  });
  expect(cut.end_reason).toBe("cancelled");
  const { journal } = options;
  const before = await journal!.getNestedTasks("r");
  const kept = before.filter(({ record }) => record.status === "completed").map(({ record }) => record.output);
  expect(kept.length).toBeGreaterThan(0);
  const result = await resume("r", { executors, journal: journal!, dispatcher: second });
  expect(result.end_reason).toBe("completed");
  expect(result.output_data.each).toEqual(expect.arrayContaining(kept));
  expect(await problems(options)).toEqual([]);
});
