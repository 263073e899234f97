import { defineWorkflow, run, workflowExecutor } from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { turns } from "../support/fake-time.ts";
import { dsl, planOf, sleep, statuses, type ToolHandler, tools } from "../support/run-plans.ts";

describe("limits", () => {
  const counting = () => {
    const now = new Map<string, number>();
    const most = new Map<string, number>();
    const track =
      (id: string): ToolHandler =>
      async () => {
        for (const key of [id, "all"]) {
          now.set(key, (now.get(key) ?? 0) + 1);
          most.set(key, Math.max(most.get(key) ?? 0, now.get(key)!));
        }
        await sleep(5);
        for (const key of [id, "all"]) now.set(key, now.get(key)! - 1);
      };
    return { most, track };
  };
  const many = (n: number, tool: (i: number) => string) =>
    planOf(
      Object.fromEntries(Array.from({ length: n }, (_, i) => [`t${i}`, []])),
      Object.fromEntries(Array.from({ length: n }, (_, i) => [`t${i}`, { tool_id: tool(i) }])),
    );

  test("at most `concurrency` at once", async () => {
    const { most, track } = counting();
    await run(
      many(12, () => "a"),
      { executors: [tools({ a: track("a") })], concurrency: 3 },
    );
    expect(most.get("all")).toBe(3);
  });

  test("by resource, also when Stage 2 chooses it", async () => {
    const { most, track } = counting();
    const executors = [tools({ a: track("a"), b: track("b") })];
    const limits = { resources: { a: 1 } };
    await run(
      many(10, (i) => (i % 2 ? "a" : "b")),
      { executors, concurrency: 6, limits },
    );
    expect(most.get("a")).toBe(1);
    most.clear();
    const open = many(10, () => "");
    const bind = async ({ task }: { task: { task_id: string } }) => ({
      uid: Number(task.task_id.slice(1)) % 2 ? "a" : "b",
      input_data: {},
    });
    const result = await run(open, { executors, concurrency: 6, limits, bind });
    expect(result.end_reason).toBe("completed");
    expect(most.get("a")).toBe(1);
    expect(most.get("b")).toBeGreaterThan(1);
  });

  test("by kind", async () => {
    const { most, track } = counting();
    await run(
      many(10, () => "a"),
      { executors: [tools({ a: track("a") })], concurrency: 6, limits: { kinds: { tool: 2 } } },
    );
    expect(most.get("a")).toBe(2);
  });
});

describe("cancelling", () => {
  test("by a listener that hears of a start: nothing is executed and the run ends", async () => {
    const stop = new AbortController();
    let calls = 0;
    const work: ToolHandler = () => ++calls;
    const result = await run(planOf({ a: [], b: [] }), {
      executors: [tools({ a: work, b: work })],
      signal: stop.signal,
      onEvent: (event) => {
        if (event.type === "task-start") stop.abort(new Error("enough"));
      },
    });
    expect(result.end_reason).toBe("cancelled");
    expect(statuses(result)).toEqual({ a: "cancelled", b: "cancelled" });
    expect(calls).toBe(0);
  });

  test("nothing starts afterwards, running tasks are notified, and it settles when they have stopped", async () => {
    const controller = new AbortController();
    let started = 0;
    let aborted = 0;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const work: ToolHandler = async (_, { signal }) => {
      started++;
      await sleep(1_000, signal).catch(async () => {
        aborted++;
        await released;
        throw new Error("stopped");
      });
    };
    const plan = planOf({ a: [], b: [], c: ["a"], d: [] });
    const running = run(plan, {
      executors: [tools({ a: work, b: work, c: work, d: work })],
      concurrency: 2,
      signal: controller.signal,
    });
    let settled = false;
    void running.finally(() => {
      settled = true;
    });
    await turns();
    controller.abort(new Error("enough"));
    await turns();
    expect([started, aborted, settled]).toEqual([2, 2, false]);
    release();
    const result = await running;
    expect(started).toBe(2);
    expect(result.end_reason).toBe("cancelled");
    expect(statuses(result)).toEqual({ a: "cancelled", b: "cancelled", c: "cancelled", d: "cancelled" });
    expect(result.results[0]?.error?.message).toContain("enough");
    expect(result.plan.status).toBe("cancelled");
  });

  test("from within the first call of a workflow, or of one nested in it: no other call of it starts", async () => {
    for (const deep of [false, true]) {
      const stop = new AbortController();
      let calls = 0;
      const abort: ToolHandler = async () => {
        calls++;
        stop.abort();
        await sleep(5);
      };
      const ids = Array.from({ length: 8 }, (_, i) => `t${i}`);
      const inner = planOf(
        Object.fromEntries(ids.map((id) => [id, []])),
        Object.fromEntries(ids.map((id) => [id, { tool_id: "abort" }])),
      );
      const workflows = workflowExecutor([
        defineWorkflow({ id: "inner", description: "", plan: inner }),
        defineWorkflow({ id: "outer", description: "", plan: planOf({ a: [] }, { a: dsl("inner") }) }),
      ]);
      const result = await run(planOf({ w: [] }, { w: dsl(deep ? "outer" : "inner") }), {
        executors: [tools({ abort }), workflows],
        signal: stop.signal,
        concurrency: 8,
      });
      expect(result.end_reason).toBe("cancelled");
      expect(calls).toBe(1);
    }
  });

  test("from within Stage 2: it is notified, and nothing is executed", async () => {
    const stop = new AbortController();
    let executed = 0;
    const result = await run(planOf({ a: [] }), {
      executors: [tools({ a: () => void executed++ })],
      signal: stop.signal,
      abortGraceMs: 60_000,
      bind: (_, { signal }) => {
        stop.abort();
        return new Promise((_, reject) => {
          if (signal.aborted) reject(signal.reason as Error);
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        });
      },
    });
    expect(result.end_reason).toBe("cancelled");
    expect(executed).toBe(0);
  });

  test("an executor that never answers is abandoned after the grace time", async () => {
    const result = await run(planOf({ a: [] }), {
      executors: [tools({ a: () => new Promise(() => {}) })],
      signal: AbortSignal.timeout(10),
      abortGraceMs: 20,
    });
    expect(result.results[0]).toMatchObject({ status: "cancelled", error: { details: { abandoned: true } } });
  });

  test("an aborted signal starts nothing", async () => {
    const result = await run(planOf({ a: [] }), {
      executors: [
        tools({
          a: () => {
            throw new Error("ran");
          },
        }),
      ],
      signal: AbortSignal.abort(),
    });
    expect(result.end_reason).toBe("cancelled");
    expect(result.results[0]?.attempts).toBe(0);
  });

  test("it is heard in the midst of many tasks that never wait", async () => {
    const names = Array.from({ length: 30_000 }, (_, i) => `t${i}`);
    const plan = planOf(
      Object.fromEntries(names.map((name) => [name, []])),
      Object.fromEntries(names.map((name) => [name, { tool_id: "a" }])),
    );
    const result = await run(plan, { executors: [tools({ a: () => 1 })], signal: AbortSignal.timeout(15) });
    expect(result.end_reason).toBe("cancelled");
  });

  test("retries that are waiting end too", async () => {
    const result = await run(planOf({ a: [] }), {
      executors: [tools({ a: () => Promise.reject(new Error("x")) })],
      retry: { max_attempts: 5, initial_delay_ms: 600_000 },
      signal: AbortSignal.timeout(20),
    });
    expect(result.end_reason).toBe("cancelled");
  });
});
