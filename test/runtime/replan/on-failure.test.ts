import { draftPatch, planHashes } from "@planloom/plan";
import { type Replan, run } from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { ask, echo, fails, tools } from "../../support/replans.ts";
import { planOf, recorder, statuses } from "../../support/run-plans.ts";

describe("on failure", () => {
  test("the failed task is replaced, what needs it goes on with the new one, and the rest never waits", async () => {
    const { events, onEvent, types } = recorder();
    const plan = planOf(
      { a: [], b: ["a"], c: [], d: ["c"], e: [] },
      {
        b: { arguments: { x: "${a.got}" } },
        d: { arguments: { y: "${c}" } },
        e: { arguments: { both: ["${b}", "${d}"] } },
      },
    );
    const order: string[] = [];
    const { promise: otherRan, resolve: ranOther } = Promise.withResolvers<void>();
    const result = await run(plan, {
      executors: tools({
        a: fails,
        b: echo,
        c: echo,
        d: (input) => {
          order.push("d");
          ranOther();
          return input;
        },
        e: echo,
        spare: echo,
      }),
      replanPolicy: { on: ["failure"] },
      replan: async (region) => {
        await otherRan;
        order.push("answer");
        return ask(region, () => ({ tool_id: "spare", arguments: { n: 1 } }));
      },
      onEvent,
    });
    expect(result.end_reason).toBe("completed");
    expect(order).toEqual(["d", "answer"]);
    expect(statuses(result)).toEqual({
      a_2: "completed",
      b: "completed",
      c: "completed",
      d: "completed",
      e: "completed",
    });
    expect(result.results[1]?.input).toEqual({ x: { n: 1 } });
    expect(result).toMatchObject({ replanned: true, replaced: [{ task_id: "a", status: "failed" }] });
    expect(result.plan.planned_tasks[0]).toMatchObject({ task_id: "a_2", main_task_id: "a" });
    expect(types().filter((type) => type.startsWith("patch"))).toEqual(["patch-request", "patch-apply"]);
    const applied = events.findIndex(({ type }) => type === "patch-apply");
    const started = events.findIndex((event) => event.type === "task-start" && event.taskId === "a_2");
    expect(applied).toBeLessThan(started);
    expect(types()).not.toContain("task-skip");
    const before = planHashes(plan);
    for (const [id, { definition_hash }] of planHashes(result.plan)) {
      if (id !== "a_2") expect(definition_hash).toBe(before.get(id)?.definition_hash);
    }
  });

  test("nothing is asked without a policy; a task may ask for itself", async () => {
    let asked = 0;
    const replan: Replan = async (region) => {
      asked++;
      return ask(region, () => ({ tool_id: "spare" }));
    };
    const executors = tools({ a: fails, b: fails, spare: echo });
    expect((await run(planOf({ a: [] }), { executors, replan })).end_reason).toBe("failed");
    expect(asked).toBe(0);
    const own = planOf({ a: [], b: [] }, { a: { on_failure: "replan" } });
    expect(statuses(await run(own, { executors, replan }))).toEqual({ a_2: "completed", b: "failed" });
    expect(asked).toBe(1);
    const contained = planOf({ a: [] }, { a: { on_failure: "continue" } });
    await run(contained, { executors, replan, replanPolicy: {} });
    expect(asked).toBe(1);
  });

  test("a task may become several, or none", async () => {
    const plan = planOf({ a: [], b: ["a"], alone: [] }, { b: { arguments: { x: "${a}" } } });
    const result = await run(plan, {
      executors: tools({ a: fails, alone: fails, b: echo, first: () => 3, second: ({ n }) => Number(n) + 1 }),
      replanPolicy: {},
      replan: async ({ plan: now }) =>
        draftPatch(now, {
          tasks: [
            { task_id: "a1", execution_type: "tool", tool_id: "first", replaces: ["a"] },
            { task_id: "a2", execution_type: "tool", tool_id: "second", arguments: { n: "${a1}" }, replaces: ["a"] },
          ],
          drop: ["alone"],
        }).patch,
    });
    expect(statuses(result)).toEqual({ a1: "completed", a2: "completed", b: "completed" });
    expect(result.output_data).toEqual({ b: { got: { x: 4 } } });
  });

  test("failures of one moment are asked about together, later ones afterwards", async () => {
    const asked: (readonly string[])[] = [];
    const first = Promise.withResolvers<void>();
    const late = Promise.withResolvers<void>();
    const result = await run(planOf({ a: [], b: [], c: [] }), {
      executors: tools({
        a: fails,
        b: fails,
        c: () => first.promise.then(() => Promise.reject(new Error("late"))),
        spare: echo,
      }),
      replanPolicy: {},
      replan: async (region) => {
        asked.push(region.marked);
        first.resolve();
        await late.promise;
        return ask(region, (id) => ({ tool_id: "spare", arguments: { id } }));
      },
      onEvent: (event) => void (event.type === "task-error" && event.taskId === "c" && setImmediate(late.resolve)),
    });
    expect(asked).toEqual([["a", "b"], ["c"]]);
    expect(result.end_reason).toBe("completed");
  });
});
