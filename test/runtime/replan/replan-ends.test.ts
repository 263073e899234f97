import { type Replan, run } from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { ask, echo, fails, tools, useInstead } from "../../support/replans.ts";
import { planOf, recorder, statuses } from "../../support/run-plans.ts";

describe("ends", () => {
  const executors = tools({ a: fails, b: fails, c: fails, d: echo, bad: fails, worse: fails, spare: echo });

  test.for([
    { name: "nothing to change", replan: async () => undefined, code: "unchanged" },
    { name: "an error", replan: async () => Promise.reject(new Error("no")), code: "failed" },
    { name: "a patch that breaks something", replan: async () => ({ plan_id: "?" }) as never, code: "refused" },
    { name: "the same again", replan: useInstead("a"), code: "refused" },
  ])("$name: the plan stands, the failure takes effect", async ({ replan, code }) => {
    const { events, onEvent } = recorder();
    const result = await run(planOf({ a: [], d: ["a"], c: [] }, { c: { tool_id: "d" } }), {
      executors,
      replanPolicy: {},
      replan,
      onEvent,
    });
    expect(result).toMatchObject({ end_reason: "failed" });
    expect(result.replanned).toBeUndefined();
    expect(statuses(result)).toEqual({ a: "failed", d: "skipped", c: "completed" });
    expect(events.filter(({ type }) => type === "patch-refuse")).toMatchObject([{ taskIds: ["a"], code }]);
  });

  test("no answer in time", async () => {
    const result = await run(planOf({ a: [] }), {
      executors,
      abortGraceMs: 10,
      replanPolicy: { timeoutMs: 20 },
      replan: () => new Promise(() => {}),
    });
    expect(result.end_reason).toBe("failed");
  });

  test("`maxReplans` counts answers of no use too", async () => {
    let asked = 0;
    const replan: Replan = async () => {
      asked++;
      throw new Error("no");
    };
    const { promise: refused, resolve: refuse } = Promise.withResolvers<void>();
    const slow = tools({ a: fails, x: () => refused, b: fails });
    const result = await run(planOf({ a: [], x: [], b: ["x"] }), {
      executors: slow,
      replan,
      replanPolicy: { maxReplans: 1 },
      onEvent: ({ type }) => void (type === "patch-refuse" && refuse()),
    });
    expect(asked).toBe(1);
    expect(result.end_reason).toBe("round_limit");
  });

  test("replans without progress end as stalled", async () => {
    let asked = 0;
    const replan: Replan = async (region) => ask(region, () => ({ tool_id: "bad", arguments: { n: asked++ } }));
    const result = await run(planOf({ a: [], d: ["a"] }), {
      executors,
      replan,
      replanPolicy: { maxReplans: 20, maxStalls: 3 },
    });
    expect(result.end_reason).toBe("stalled");
    expect(asked).toBe(3);
    expect(statuses(result)).toEqual({ a_4: "failed", d: "skipped" });
    expect(result.plan.planned_tasks[0]?.main_task_id).toBe("a");
  });

  test("what was replaced is not replaced again where recursion is off", async () => {
    const replan = useInstead("bad");
    const result = await run(planOf({ a: [] }), { executors, replan, replanPolicy: { recursive: false } });
    expect(result).toMatchObject({ end_reason: "failed", replanned: true });
    expect(result.revisions).toHaveLength(1);
  });

  test.for([
    { name: "of a task that another waits for", edges: { a: [], d: ["a"] }, left: { d: "cancelled" } },
    { name: "of the only task", edges: { a: [] }, left: {} },
    { name: "beside one that is completed", edges: { a: [], d: [] }, left: { d: "completed" } },
  ] as const)("cancelling ends the question $name, and the run", async ({ edges, left }) => {
    for (const [by, end_reason] of [
      ["signal", "cancelled"],
      ["drain", "drained"],
    ] as const) {
      const controller = new AbortController();
      let reported: unknown;
      const result = await run(planOf(edges), {
        executors,
        [by]: controller.signal,
        replanPolicy: {},
        replan: (_, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => {
              reported = signal.reason;
              reject(reported);
            });
            setTimeout(() => controller.abort(new Error("enough")), 5);
          }),
      });
      expect(reported).toBeDefined();
      expect(result.end_reason).toBe(end_reason);
      expect(statuses(result)).toEqual({ a: "failed", ...left });
    }
  });
});
