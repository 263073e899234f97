import {
  defineTool,
  defineWorkflow,
  type GuardPolicy,
  guardPolicies,
  memoryJournal,
  type RunOptions,
  resume,
  run,
  toolExecutor,
  workflowExecutor,
} from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { planOf, sleep } from "../support/run-plans.ts";

const names = (count: number) => Array.from({ length: count }, (_, i) => `t${i}`);
const fan = (count: number, tool_id: string, args: (i: number) => Record<string, unknown> = () => ({})) =>
  planOf(
    Object.fromEntries(names(count).map((name) => [name, []])),
    Object.fromEntries(names(count).map((name, i) => [name, { tool_id, arguments: args(i) }])),
  );
function world(execute: (input: Record<string, unknown>) => unknown = () => 1) {
  const calls: string[] = [];
  const make = (id: string) =>
    defineTool({
      id,
      description: "",
      async execute(input: Record<string, unknown>) {
        calls.push(id);
        await sleep(1);
        return execute(input);
      },
    });
  return { calls, executors: [toolExecutor(["search_docs", "write", "listen"].map(make))] };
}
const messages = async (plan: ReturnType<typeof planOf>, options: RunOptions) => {
  const result = await run(plan, options);
  return result.results.flatMap(({ error }) => (error === undefined ? [] : [error.message]));
};

describe("policies of seed 002", () => {
  test("the presets", () => {
    expect(guardPolicies).toEqual({
      default: { discovery: 5, execution: 12, total: 15, perToolCap: 0 },
      smooth: { discovery: 6, execution: 15, total: 20, perToolCap: 0 },
      strict: { discovery: 4, execution: 10, total: 12, perToolCap: 0 },
    });
  });

  test.for([
    { guards: "default" as const, tool: "search_docs", allowed: 5 },
    { guards: "strict" as const, tool: "search_docs", allowed: 4 },
    { guards: "default" as const, tool: "write", allowed: 12 },
    { guards: "smooth" as const, tool: "write", allowed: 15 },
    { guards: "default" as const, tool: "listen", allowed: 12 },
    { guards: { total: 1 }, tool: "write", allowed: 1 },
    { guards: { perToolCap: 3 }, tool: "write", allowed: 3 },
    { guards: { tools: { write: 2 } }, tool: "write", allowed: 2 },
    { guards: undefined, tool: "write", allowed: 30 },
  ])("$guards lets $allowed parallel calls of $tool through, and no more", async ({ guards, tool, allowed }) => {
    const { calls, executors } = world();
    const errors = await messages(fan(30, tool), { executors, guards, concurrency: 8 });
    expect(calls).toHaveLength(allowed);
    expect(errors).toHaveLength(30 - allowed);
    for (const message of errors) expect(message).toMatch(/^Guard blocked: /);
  });

  test("failed calls count, and so do repeated attempts", async () => {
    const { calls, executors } = world(() => {
      throw new Error("down");
    });
    const retry = { max_attempts: 10, initial_delay_ms: 0 };
    const errors = await messages(fan(1, "write"), { executors, retry, guards: { execution: 3 } });
    expect(calls).toHaveLength(3);
    expect(errors[0]).toMatch(/^Guard blocked: the execution budget of 3 calls/);
  });

  test("the first objection is reported, in the order of the policy", async () => {
    const { calls, executors } = world();
    const all: GuardPolicy = {
      perToolCap: 1,
      precondition: ({ input }) => (input.bad ? "a bad input" : undefined),
      execution: 0,
      groundedNumbers: true,
      tools: { write: 0 },
    };
    const guard = async (policy: GuardPolicy, input: Record<string, unknown> = { n: 4711, bad: 1 }) => {
      const { results } = await run(
        fan(1, "write", () => input),
        { executors, guards: policy },
      );
      return results[0]?.error?.details?.guard;
    };
    const { perToolCap: _, ...withoutCap } = all;
    const { precondition: __, ...withoutPrecondition } = withoutCap;
    const { execution: ___, ...withoutBudget } = withoutPrecondition;
    const { groundedNumbers: ____, ...withoutNumbers } = withoutBudget;
    expect(await guard(withoutCap)).toBe("precondition");
    expect(await guard(withoutPrecondition)).toBe("budget");
    expect(await guard(withoutBudget)).toBe("ungrounded_numbers");
    expect(await guard(withoutNumbers)).toBe("per_tool");
    expect(calls).toEqual([]);
    const twice = await run(fan(2, "write"), { executors, guards: { perToolCap: 1, precondition: () => undefined } });
    expect(twice.results.map(({ error }) => error?.details?.guard)).toEqual([undefined, "per_tool_cap"]);
  });

  test("a precondition that throws lets nothing through", async () => {
    const { calls, executors } = world();
    const precondition = () => {
      throw new Error("no idea");
    };
    expect(await messages(fan(1, "write"), { executors, guards: { precondition } })).toEqual([
      "Guard blocked: `guards.precondition` threw: no idea.",
    ]);
    expect(calls).toEqual([]);
  });

  test("numbers are grounded by the goal, variables, input and outputs", async () => {
    const { calls, executors } = world(() => ({ total: 1234.5 }));
    const plan = planOf(
      { a: ["b", "c"], b: [], c: [], d: ["a"], e: ["a"] },
      {
        a: { arguments: { n: 777 } },
        b: { arguments: { n: 50 } },
        c: { arguments: { n: "${limit}", page: 3 } },
        d: { arguments: { n: 1234.5 } },
        e: { arguments: { n: 99_999 } },
      },
    );
    for (const task of plan.planned_tasks) task.tool_id = "write";
    plan.task_input_data = { goal: "the 50 largest" };
    const guards = { groundedNumbers: true };
    const options = { executors, guards, variables: { limit: 31 }, input: { text: "order 777" } };
    const { results } = await run(plan, options);
    expect(results.map(({ status }) => status)).toEqual(["completed", "completed", "completed", "completed", "failed"]);
    expect(results[4]?.error?.message).toBe(
      "Guard blocked: the input contains the number 99999, which appears in nothing that the run was given.",
    );
    expect(calls).toHaveLength(4);
  });

  test("a resumed run counts the calls of before", async () => {
    const { calls, executors } = world();
    const journal = memoryJournal();
    await run(fan(4, "write"), { executors, journal, runId: "r", guards: { execution: 2 } });
    await resume("r", { executors, journal });
    expect(calls).toHaveLength(2);
    await resume("r", { executors, journal, guards: { execution: 3 } });
    expect(calls).toHaveLength(3);
  });

  test("what is no policy is refused", async () => {
    const { executors } = world();
    for (const guards of ["lax", { total: -1 }, { tools: { write: 1.5 } }] as RunOptions["guards"][]) {
      await expect(run(fan(1, "write"), { executors, guards })).rejects.toMatchObject({
        code: "RUNTIME_INVALID_OPTION",
      });
    }
  });
});

describe("the runaway guard", () => {
  const failing = () => {
    throw new Error("again");
  };

  test("is on by default: the same call of the same resource, beyond the plan's own tasks", async () => {
    const { calls, executors } = world(failing);
    const retry = { max_attempts: 1_000, initial_delay_ms: 0 };
    const errors = await messages(fan(1, "write"), { executors, retry });
    expect(calls).toHaveLength(101);
    expect(errors[0]).toMatch(/^Guard blocked: tool "write" was called again and again with the same input/);
  });

  test("counts by input, for all tasks and nested plans together", async () => {
    const { calls, executors } = world();
    const inner = planOf({ x: [], y: [] }, { x: { tool_id: "write" }, y: { tool_id: "write", arguments: { y: 1 } } });
    const flow = defineWorkflow({ id: "flow", description: "", plan: inner });
    const dsl = { execution_type: "dsl" as const, tool_id: null, parameters: { uid: "flow" } };
    const plan = planOf(
      Object.fromEntries(names(4).map((name) => [name, []])),
      Object.fromEntries(names(4).map((name) => [name, dsl])),
    );
    const all = [...executors, workflowExecutor([flow])];
    expect((await run(plan, { executors: all, maxRepeats: 4 })).end_reason).toBe("completed");
    expect(calls).toHaveLength(8);
    const result = await run(plan, { executors: all, maxRepeats: 3 });
    expect(result.results.filter(({ status }) => status === "failed")).toHaveLength(1);
  });

  test("a plan may ask for as many equal calls as it likes", async () => {
    const { calls, executors } = world();
    expect((await run(fan(300, "write"), { executors, concurrency: 50, maxRepeats: 1 })).end_reason).toBe("completed");
    expect(calls).toHaveLength(300);
  });
});
