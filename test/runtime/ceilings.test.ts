import {
  childProcessDispatcher,
  defineTool,
  defineWorkflow,
  memoryJournal,
  type RunOptions,
  resume,
  run,
  toolExecutor,
  workflowExecutor,
} from "@planloom/runtime";
import { afterAll, describe, expect, test } from "vitest";
import { executors as makeExecutors } from "../support/dispatch-worker.ts";
import { dsl, group, planOf, sleep } from "../support/run-plans.ts";

const retry = { max_attempts: 100_000, initial_delay_ms: 0 };
function failing() {
  const world = { calls: 0 };
  const work = defineTool({
    id: "work",
    description: "",
    execute(_: object, { signal }) {
      world.calls++;
      signal.throwIfAborted();
      throw new Error("no");
    },
  });
  return { world, executors: [toolExecutor([work])] };
}
const plan = planOf({ a: [] }, { a: { tool_id: "work", retry } });

describe("attempts", () => {
  test.for([
    { name: "10 by default", options: {}, calls: 10 },
    { name: "maxAttempts", options: { maxAttempts: 3 }, calls: 3 },
    { name: "as many as the run's own policy", options: { retry: { max_attempts: 12 } }, calls: 12 },
    {
      name: "as many as the run's own policy by class",
      options: { retryOn: { other: { max_attempts: 11 } } },
      calls: 11,
    },
    { name: "more where the run says so", options: { maxAttempts: 15 }, calls: 15 },
  ] satisfies { name: string; options: Partial<RunOptions>; calls: number }[])(
    "of any task are at most $name, whatever its plan asks for",
    async ({ options, calls }) => {
      const { world, executors } = failing();
      await run(plan, { executors, ...options });
      expect(world.calls).toBe(calls);
    },
  );

  test("also of a task in a nested plan, and after a resumption", async () => {
    const { world, executors } = failing();
    const flow = defineWorkflow({ id: "flow", description: "", plan });
    const journal = memoryJournal();
    const all = [...executors, workflowExecutor([flow])];
    await run(planOf({ outer: [] }, { outer: dsl("flow") }), { executors: all, journal, runId: "r", maxAttempts: 4 });
    expect(world.calls).toBe(4);
    world.calls = 0;
    await resume("r", { executors: all, journal });
    expect(world.calls).toBe(4);
  });
});

describe("time of an attempt", () => {
  const slow = (timeout_ms: number) => planOf({ a: [] }, { a: { tool_id: "work", timeout_ms } });
  const executors = [
    toolExecutor([
      defineTool({ id: "work", description: "", execute: (_: object, { signal }) => sleep(5_000, signal) }),
    ]),
  ];

  test("is at most maxTaskTimeoutMs, whatever its plan asks for", async () => {
    const { results } = await run(slow(1e15), { executors, maxTaskTimeoutMs: 40 });
    expect(results[0]?.error).toMatchObject({ code: "TASK_TIMEOUT", details: { timeout_ms: 40 } });
  });

  test("a plan may ask for less", async () => {
    const { results } = await run(slow(20), { executors, maxTaskTimeoutMs: 40 });
    expect(results[0]?.error).toMatchObject({ details: { timeout_ms: 20 } });
  });

  test("a ceiling of the run is kept for its resumption", async () => {
    const journal = memoryJournal();
    const controller = new AbortController();
    const ended = run(slow(1e15), {
      executors,
      journal,
      runId: "r",
      signal: controller.signal,
      maxTaskTimeoutMs: 1e12,
    });
    controller.abort();
    await ended;
    expect((await journal.getRun("r"))?.options).toMatchObject({ max_task_timeout_ms: 1e12 });
  });

  describe("in worker processes", () => {
    const dispatcher = childProcessDispatcher({ module: new URL("../support/dispatch-worker.ts", import.meta.url) });
    afterAll(() => dispatcher.close());
    test("both hold", async () => {
      const clock = planOf({ a: [] }, { a: { tool_id: "clock", arguments: { ms: 2_000 }, timeout_ms: 1e15, retry } });
      const { results } = await run(clock, {
        executors: await makeExecutors(),
        semantics: "atomic",
        subgraphs: group(clock, { one: ["a"] }),
        dispatcher,
        maxTaskTimeoutMs: 30,
        maxAttempts: 2,
      });
      expect(results[0]).toMatchObject({ attempts: 2, error: { code: "TASK_TIMEOUT", details: { timeout_ms: 30 } } });
    });
  });
});

test.for([{ maxAttempts: 0 }, { maxAttempts: 1.5 }, { maxTaskTimeoutMs: 0 }, { maxTaskTimeoutMs: Number.NaN }])(
  "what is no ceiling is refused: %o",
  async (options) => {
    const { executors } = failing();
    await expect(run(plan, { executors, ...options })).rejects.toMatchObject({ code: "RUNTIME_INVALID_OPTION" });
  },
);
