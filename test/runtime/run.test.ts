import { agentExecutor, defineAgent, run } from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { fakeTime } from "../support/fake-time.ts";
import { echo, planOf, recorder, sleep, type ToolHandler, tools } from "../support/run-plans.ts";

describe("data flow", () => {
  test("outputs reach dependants with their types, results come in plan order", async () => {
    const plan = planOf(
      { b: [], a: [], c: [] },
      {
        b: { arguments: { ids: "${a.rows.*.id}", text: "n=${a.n}!", limit: "${max}", who: "${input.user}" } },
        a: { result_variable: "first" },
        c: { arguments: { all: "${first}", maybe: "${b.absent?}" } },
      },
    );
    const result = await run(plan, {
      executors: [tools({ a: () => ({ rows: [{ id: 1 }, { id: 2 }], n: 3 }), b: echo, c: echo })],
      variables: { max: 10 },
      input: { user: "ada" },
    });
    expect(result.end_reason).toBe("completed");
    expect(result.results.map(({ task_id }) => task_id)).toEqual(["b", "a", "c"]);
    expect(result.results[0]?.output).toEqual({ got: { ids: [1, 2], text: "n=3!", limit: 10, who: "ada" } });
    expect(result.output_data).toEqual({ c: { got: { all: { rows: [{ id: 1 }, { id: 2 }], n: 3 }, maybe: null } } });
    expect(result.plan.status).toBe("done");
    expect(result.plan.completed_tasks).toEqual(["b", "a", "c"]);
    expect(plan.planned_tasks[1]).toMatchObject({ status: "pending", output: {} });
  });

  test("the sinks' outputs stand under their result variables too", async () => {
    const plan = planOf({ a: [] }, { a: { result_variable: "answer" } });
    const { output_data } = await run(plan, { executors: [tools({ a: () => 42 })] });
    expect(output_data).toEqual({ a: 42, answer: 42 });
  });

  test("an executor that changes its input changes it for nobody else", async () => {
    const plan = planOf(
      { a: [], b: ["a"], c: ["b"] },
      { b: { arguments: { x: "${a}" } }, c: { arguments: { x: "${a}" } } },
    );
    const spoil: ToolHandler = (input) => {
      (input.x as { list: number[] }).list.push(99);
      return input.x;
    };
    const { results } = await run(plan, { executors: [tools({ a: () => ({ list: [1] }), b: spoil, c: echo })] });
    expect(results[2]?.output).toEqual({ got: { x: { list: [1] } } });
    expect(results[1]?.input).toEqual({ x: { list: [1] } });
  });

  test("convertor_code makes the input, after references", async () => {
    const plan = planOf(
      { a: [], b: [] },
      { b: { arguments: { rows: "${a.rows}" }, convertor_code: "{ 'total': $sum(rows.n) }" } },
    );
    const { results } = await run(plan, { executors: [tools({ a: () => ({ rows: [{ n: 1 }, { n: 2 }] }), b: echo })] });
    expect(results[1]?.output).toEqual({ got: { total: 3 } });
  });

  test("bind decides what is open, from resolved input, and may reason", async () => {
    const plan = planOf({ a: [], b: [] }, { b: { tool_id: null, arguments: { x: "${a}" } } });
    const result = await run(plan, {
      executors: [tools({ a: () => 7, other: echo })],
      bind: async ({ task, input }) => ({
        uid: task.tool_id ?? "other",
        input_data: { ...input, more: 1 },
        plan: "because",
      }),
    });
    expect(result.results[1]).toMatchObject({
      uid: "other",
      input: { x: 7, more: 1 },
      plan: "because",
      output: { got: { x: 7, more: 1 } },
    });
  });

  test("tasks that are completed already are not run again", async () => {
    const plan = planOf(
      { a: [], b: ["a"] },
      { a: { status: "completed", output: 5 }, b: { arguments: { x: "${a}" } } },
    );
    const { results } = await run(plan, { executors: [tools({ b: echo })] });
    expect(results[0]).toMatchObject({ recorded: true, output: 5, attempts: 0 });
    expect(results[1]?.output).toEqual({ got: { x: 5 } });
  });
});

describe("agents", () => {
  const ask = async (reply: unknown) => {
    const agent = defineAgent({ id: "ada", description: "", send: () => reply as never });
    const plan = planOf({ a: [] }, { a: { execution_type: "agent", tool_id: null, agent_id: "ada" } });
    const { results } = await run(plan, { executors: [agentExecutor([agent])] });
    return results[0];
  };

  test("their data is the output", async () => {
    expect(await ask({ success: true, data: { r: 1 } })).toMatchObject({ status: "completed", output: { r: 1 } });
  });
  test("their refusal is the task's error", async () => {
    expect(await ask({ success: false, message: "no" })).toMatchObject({
      status: "failed",
      error: { code: "TASK_AGENT_REFUSED", message: "no" },
    });
  });
  test("anything else is no answer", async () => {
    expect(await ask("hello")).toMatchObject({ status: "failed", error: { code: "TASK_FAILED" } });
  });
});

describe("events", () => {
  test("tell the run in order, as plain JSON", async () => {
    const { events, onEvent, types } = recorder();
    const progress: ToolHandler = (_, { onProgress }) => {
      onProgress({ done: 1, of: 2 });
      onProgress(() => {});
      return "x";
    };
    await run(planOf({ a: [], b: ["a"] }), { executors: [tools({ a: progress, b: echo })], onEvent, runId: "r1" });
    expect(types()).toEqual([
      "run-start",
      "task-start",
      "task-progress",
      "task-end",
      "task-start",
      "task-end",
      "run-end",
    ]);
    expect(events.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(events.every(({ runId }) => runId === "r1")).toBe(true);
    expect(JSON.parse(JSON.stringify(events))).toEqual(events);
    expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).sort((a, b) => a - b));
  });

  test("listeners that throw, reject or change events do no harm", async () => {
    const onEvent = (event: unknown) => {
      const { output } = event as { output?: { got?: unknown } };
      if (output) output.got = "spoilt";
      if (Math.random() < 0.5) return Promise.reject(new Error("async"));
      throw new Error("sync");
    };
    const result = await run(planOf({ a: [], b: [] }, { b: { arguments: { x: "${a}" } } }), {
      executors: [tools({ a: echo, b: echo })],
      onEvent,
    });
    expect(result.results[1]?.output).toEqual({ got: { x: { got: {} } } });
  });
});

describe("certificate", () => {
  test("no run beats its bound, and a chain meets it nearly", async () => {
    const plan = planOf({ a: [], b: ["a"], c: ["b"] });
    using _time = fakeTime();
    const { certificate } = await run(plan, {
      executors: [tools({ a: () => sleep(20), b: () => sleep(20), c: () => sleep(20) })],
    });
    expect(certificate).toMatchObject({ lowerBoundMs: 60, ratio: 1 });
  });

  test("counts limits in", async () => {
    const plan = planOf({ a: [], b: [] }, { b: { tool_id: "a" } });
    using _time = fakeTime();
    const { certificate } = await run(plan, {
      executors: [tools({ a: () => sleep(20) })],
      limits: { resources: { a: 1 } },
    });
    expect(certificate).toMatchObject({ lowerBoundMs: 40, ratio: 1 });
  });

  test("an empty plan has ratio 1", async () => {
    const result = await run({ planned_tasks: [] }, { executors: [] });
    expect(result).toMatchObject({ end_reason: "completed", results: [], certificate: { ratio: 1 } });
  });
});

describe("invalid input rejects before anything runs", () => {
  test.for([
    [
      "a cycle",
      {
        planned_tasks: [
          { task_id: "a", dependencies: ["b"] },
          { task_id: "b", dependencies: ["a"] },
        ],
      },
      {},
      "RUNTIME_INVALID_PLAN",
    ],
    ["an unknown dependency", { planned_tasks: [{ task_id: "a", dependencies: ["zz"] }] }, {}, "RUNTIME_INVALID_PLAN"],
    ["an id twice", { planned_tasks: [{ task_id: "a" }, { task_id: "a" }] }, {}, "RUNTIME_INVALID_PLAN"],
    [
      "a name for two things",
      { planned_tasks: [{ task_id: "a", result_variable: "v" }], variables: { v: 1 } },
      {},
      "RUNTIME_INVALID_PLAN",
    ],
    [
      "a variable that is a task",
      { planned_tasks: [{ task_id: "a" }] },
      { variables: { a: 1 } },
      "RUNTIME_INVALID_PLAN",
    ],
    ["no plan", null, {}, "RUNTIME_INVALID_PLAN"],
    ["wrong types", { planned_tasks: [{ task_id: 5 }] }, {}, "RUNTIME_INVALID_PLAN"],
    ["concurrency 0", { planned_tasks: [] }, { concurrency: 0 }, "RUNTIME_INVALID_OPTION"],
    ["concurrency 1.5", { planned_tasks: [] }, { concurrency: 1.5 }, "RUNTIME_INVALID_OPTION"],
    ["a wrong limit", { planned_tasks: [] }, { limits: { kinds: { tool: -1 } } }, "RUNTIME_INVALID_OPTION"],
    ["an input that is no JSON", { planned_tasks: [] }, { input: { f: () => 1 } }, "RUNTIME_INVALID_OPTION"],
  ] as const)("%s", async ([, plan, options, code]) => {
    await expect(run(plan as never, { executors: [], ...(options as object) })).rejects.toMatchObject({
      name: "RuntimeError",
      code,
    });
  });

  test("the path of a cycle is reported", async () => {
    const cycle = {
      planned_tasks: [
        { task_id: "a", dependencies: ["b"] },
        { task_id: "b", dependencies: ["a"] },
      ],
    };
    await expect(run(cycle, { executors: [] })).rejects.toMatchObject({ details: { path: ["a", "b", "a"] } });
  });

  test("two tools of one id", async () => {
    const executors = [tools({ a: echo }), tools({ a: echo })];
    await expect(run({ planned_tasks: [] }, { executors })).rejects.toMatchObject({
      code: "RUNTIME_DUPLICATE_RESOURCE",
    });
  });
});
