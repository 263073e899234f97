import {
  type Dispatcher,
  defineTool,
  defineWorkflow,
  memoryJournal,
  resume,
  run,
  SharedLimits,
  toolExecutor,
  workflowExecutor,
} from "@planloom/runtime";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { dsl, group, planOf, statuses } from "../support/run-plans.ts";

/** A tool that ignores its signal and ends when it is let; counts how many of its calls are at work. */
function deafTool() {
  const waiting: (() => void)[] = [];
  const seen = { now: 0, most: 0, calls: 0 };
  const tool = defineTool({
    id: "deaf",
    description: "",
    idempotent: true,
    async execute() {
      seen.calls++;
      seen.most = Math.max(seen.most, ++seen.now);
      await new Promise<void>((resolve) => waiting.push(resolve));
      seen.now--;
      return "late";
    },
  });
  return { seen, executors: [toolExecutor([tool])], endOne: () => waiting.shift()?.() };
}

const three = planOf(
  { a: [], b: [], c: [] },
  { a: { tool_id: "deaf" }, b: { tool_id: "deaf" }, c: { tool_id: "deaf" } },
);
const impatient = { taskTimeoutMs: 100, abortGraceMs: 20, retry: { max_attempts: 3, initial_delay_ms: 1 } };

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

describe("attempts that ignore their signal hold their slots until they end", () => {
  test.for([
    ["a limit by resource", { limits: { resources: { deaf: 1 } } }],
    ["a limit by kind", { limits: { kinds: { tool: 1 } } }],
    ["concurrency", { concurrency: 1 }],
  ] as const)("%s of 1: never two at work, and the run goes on when one has ended", async ([, options]) => {
    const { seen, executors, endOne } = deafTool();
    const running = run(three, { executors, ...impatient, ...options });
    for (let turn = 0; turn < 40; turn++) {
      await vi.advanceTimersByTimeAsync(300);
      endOne();
    }
    const { end_reason, results } = await running;
    expect(seen.most).toBe(1);
    expect(seen.calls).toBe(9);
    expect(end_reason).toBe("failed");
    expect(results.every(({ error }) => error?.code === "TASK_TIMEOUT" && error.details?.abandoned === true)).toBe(
      true,
    );
  });

  test("one that never ends: the run ends as stalled, and says which limit is held", async () => {
    const { seen, executors } = deafTool();
    const running = run(three, { executors, ...impatient, limits: { resources: { deaf: 1 } } });
    await vi.advanceTimersByTimeAsync(15_000);
    const { end_reason, results, plan } = await running;
    expect(seen).toEqual({ now: 1, most: 1, calls: 1 });
    expect(end_reason).toBe("stalled");
    expect(plan.status).toBe("failed");
    expect(results[0]).toMatchObject({ status: "failed", attempts: 1, error: { code: "TASK_TIMEOUT" } });
    expect(results[0]?.error?.message).toContain("It was not tried again, since all 1 slots");
    expect(results[1]).toMatchObject({
      status: "skipped",
      error: { code: "TASK_STALLED", details: { limit: "resource tool:deaf", slots: 1 } },
    });
  });

  test("beside a run that shares limits with it, the run makes no call too many by its own limit, and ends as stalled too", async () => {
    const own = deafTool();
    const other = deafTool();
    const shared = new SharedLimits({ concurrency: 4 });
    const beside = run(planOf({ a: [] }, { a: { tool_id: "deaf" } }), { executors: other.executors, shared });
    await vi.advanceTimersByTimeAsync(10);
    const running = run(three, { executors: own.executors, shared, ...impatient, limits: { resources: { deaf: 1 } } });
    await vi.advanceTimersByTimeAsync(15_000);
    const { end_reason, results } = await running;
    expect(own.seen).toEqual({ now: 1, most: 1, calls: 1 });
    expect(end_reason).toBe("stalled");
    expect(results.slice(1).map(({ error }) => error?.code)).toEqual(["TASK_STALLED", "TASK_STALLED"]);
    other.endOne();
    expect((await beside).end_reason).toBe("completed");
  });

  test("with no limit of their grace, they are waited for", async () => {
    const { seen, executors, endOne } = deafTool();
    const plan = planOf({ a: [] }, { a: { tool_id: "deaf" } });
    const unlimited = { ...impatient, abortGraceMs: Number.POSITIVE_INFINITY, retry: { max_attempts: 1 } };
    const running = run(plan, { executors, ...unlimited });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(seen).toEqual({ now: 1, most: 1, calls: 1 });
    endOne();
    const [result] = (await running).results;
    expect(result?.error).toMatchObject({ code: "TASK_TIMEOUT" });
    expect(result?.error?.details).not.toHaveProperty("abandoned");
  });

  test("what needs another limit goes on, and dependents of what was given up are skipped", async () => {
    const { executors } = deafTool();
    const other = toolExecutor([defineTool({ id: "other", description: "", execute: () => 1 })]);
    const plan = planOf(
      { a: [], b: [], afterA: ["a"], after: ["b"], free: [], last: ["free"] },
      {
        a: { tool_id: "deaf" },
        b: { tool_id: "deaf" },
        afterA: { tool_id: "other" },
        after: { tool_id: "other" },
        free: { tool_id: "other" },
        last: { tool_id: "other" },
      },
    );
    const running = run(plan, {
      executors: [...executors, other],
      ...impatient,
      retry: { max_attempts: 1 },
      limits: { resources: { deaf: 1 } },
    });
    await vi.advanceTimersByTimeAsync(15_000);
    expect(statuses(await running)).toEqual({
      a: "failed",
      b: "skipped",
      afterA: "skipped",
      after: "skipped",
      free: "completed",
      last: "completed",
    });
  });

  test("in a workflow they count for the whole run, also when the workflow has ended", async () => {
    const { seen, executors, endOne } = deafTool();
    const inner = planOf({ x: [] }, { x: { tool_id: "deaf" } });
    const workflow = workflowExecutor([defineWorkflow({ id: "w", description: "", plan: inner })]);
    const plan = planOf({ a: [], b: [] }, { a: dsl("w"), b: { tool_id: "deaf" } });
    const running = run(plan, {
      executors: [...executors, workflow],
      ...impatient,
      retry: { max_attempts: 1 },
      limits: { resources: { deaf: 1 } },
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(seen).toEqual({ now: 1, most: 1, calls: 1 });
    endOne();
    await vi.advanceTimersByTimeAsync(1);
    expect(seen).toEqual({ now: 1, most: 1, calls: 2 });
    await vi.advanceTimersByTimeAsync(1_000);
    endOne();
    expect((await running).end_reason).toBe("failed");
  });

  test("a workflow whose task cannot start ends with it", async () => {
    const { executors } = deafTool();
    const inner = planOf({ x: [] }, { x: { tool_id: "deaf" } });
    const workflow = workflowExecutor([defineWorkflow({ id: "w", description: "", plan: inner })]);
    const plan = planOf({ b: [], a: [] }, { a: dsl("w"), b: { tool_id: "deaf" } });
    const running = run(plan, {
      executors: [...executors, workflow],
      ...impatient,
      retry: { max_attempts: 1 },
      limits: { resources: { deaf: 1 } },
    });
    await vi.advanceTimersByTimeAsync(15_000);
    const result = await running;
    expect(result.end_reason).toBe("stalled");
    expect(result.results[1]).toMatchObject({ status: "skipped", error: { code: "TASK_STALLED" } });
  });

  test("a subgraph that is dispatched whole goes on beside one, within the run's limits", async () => {
    const { seen, executors } = deafTool();
    const other = toolExecutor([defineTool({ id: "other", description: "", execute: () => 1 })]);
    const plan = planOf(
      { a: [], b: [], c: [] },
      { a: { tool_id: "deaf" }, b: { tool_id: "other" }, c: { tool_id: "deaf" } },
    );
    const running = run(plan, {
      executors: [...executors, other],
      semantics: "atomic",
      subgraphs: group(plan, { one: ["a", "b"], two: ["c"] }),
      limits: { resources: { deaf: 1 } },
      ...impatient,
      retry: { max_attempts: 1 },
    });
    await vi.advanceTimersByTimeAsync(15_000);
    const result = await running;
    expect(statuses(result)).toEqual({ a: "failed", b: "completed", c: "skipped" });
    expect(seen.calls).toBe(1);
  });

  test("a resumed run in this process counts what its earlier session left behind", async () => {
    const { seen, executors, endOne } = deafTool();
    const journal = memoryJournal();
    const stop = new AbortController();
    const options = { executors, journal, ...impatient, limits: { resources: { deaf: 1 } } };
    const first = run(three, { ...options, signal: stop.signal, runId: "r" });
    await vi.advanceTimersByTimeAsync(10);
    stop.abort();
    await vi.advanceTimersByTimeAsync(50);
    expect((await first).end_reason).toBe("cancelled");
    const second = resume("r", { ...options, retry: { max_attempts: 1 } });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(seen).toEqual({ now: 1, most: 1, calls: 1 });
    for (let turn = 0; turn < 10; turn++) {
      endOne();
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect((await second).end_reason).toBe("failed");
    expect(seen).toEqual({ now: 0, most: 1, calls: 4 });
  });

  /** A dispatcher that asks for a call of "deaf" for each subgraph, and makes the first one without hearing its signal. */
  function deafDispatcher() {
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const made: string[] = [];
    const events: string[] = [];
    const first = Promise.withResolvers<never>();
    const dispatcher: Dispatcher = {
      name: "mine",
      governed: true,
      async dispatch({ plan: { planned_tasks } }, { calls, signal }) {
        const { task_id } = planned_tasks[0]!;
        const resource = { kind: "tool" as const, id: "deaf", description: "" };
        const place = { task_id, outer_task_id: task_id, path: [], nested: false };
        const answer = await calls.ask({ ...place, kind: "tool", resource, input: {}, attempt: 1 }, signal);
        const result = { task_id, attempts: 1, started_ms: 0, duration_ms: 0 };
        const usage = { attempts: 1, input_tokens: 0, output_tokens: 0 };
        if (answer.type !== "go") return { results: [{ ...result, status: "skipped", error: answer.error }], usage };
        made.push(task_id);
        if (made.length === 1) await first.promise;
        answer.permit.settle({ calls: 1, tokens: 0, cost: 0, seconds: 0 });
        return { results: [{ ...result, status: "completed", output: 1 }], usage };
      },
    };
    const plan = planOf({ a: [], b: [] }, { a: { tool_id: "deaf" }, b: { tool_id: "deaf" } });
    const running = run(plan, {
      executors: deafTool().executors,
      semantics: "atomic",
      subgraphs: group(plan, { one: ["a"], two: ["b"] }),
      dispatcher,
      dispatchTimeoutMs: 100,
      ...impatient,
      limits: { resources: { deaf: 1 } },
      onEvent: ({ type }) => void events.push(type),
    });
    return { made, running, events, endFirst: () => first.reject(new Error("at last")) };
  }

  test("a dispatcher that ignores its signal keeps the slots of its calls until it settles", async () => {
    const { made, running, endFirst, events } = deafDispatcher();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(events).toContain("task-error");
    expect(made).toEqual(["a"]);
    endFirst();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(statuses(await running)).toEqual({ a: "failed", b: "completed" });
    expect(made).toEqual(["a", "b"]);
  });

  test("one that never settles: what waits for its slots is given up", async () => {
    const { made, running } = deafDispatcher();
    await vi.advanceTimersByTimeAsync(15_000);
    const { end_reason, results } = await running;
    expect([end_reason, made]).toEqual(["stalled", ["a"]]);
    expect(results[1]).toMatchObject({
      status: "skipped",
      error: { code: "TASK_STALLED", details: { limit: "resource tool:deaf", slots: 1 } },
    });
  });
});
