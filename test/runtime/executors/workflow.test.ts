import { defineTool, defineWorkflow, run, toolExecutor, workflowExecutor } from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { planOf, recorder, sleep } from "../../support/run-plans.ts";

const double = defineTool({
  id: "double",
  description: "",
  execute: (input: Record<string, unknown>) => ({ n: Number(input.n) * 2 }),
});
const fail = defineTool({ id: "fail", description: "", execute: () => Promise.reject(new Error("inner")) });
const document = `
planned_tasks:
  - { task_id: one, execution_type: tool, tool_id: double, arguments: { n: "\${input.start}" } }
  - { task_id: two, execution_type: tool, tool_id: double, arguments: { n: "\${one.n}" }, result_variable: last }
`;
const flow = defineWorkflow({ id: "flow", description: "doubles twice", plan: document });
const withTask = (uid: string, more: object = {}) =>
  planOf(
    { w: [] },
    { w: { execution_type: "dsl", tool_id: null, parameters: { uid }, arguments: { start: 3 }, ...more } },
  );
const executorsOf = (...workflows: ReturnType<typeof defineWorkflow>[]) => [
  toolExecutor([double, fail]),
  workflowExecutor(workflows),
];

describe("output", () => {
  test("of the one sink", async () => {
    const { results } = await run(withTask("flow"), { executors: executorsOf(flow) });
    expect(results[0]).toMatchObject({ status: "completed", output: { n: 12 } });
  });

  test.for([
    ["one", { n: 6 }],
    ["two", { n: 12 }],
    ["last", { n: 12 }],
  ] as const)("of module %s", async ([output_module, output]) => {
    const bind = async () => ({ uid: "flow", input_data: { start: 3 }, output_module });
    const nested = async ({ task, input }: { task: { tool_id: string | null }; input: Record<string, unknown> }) =>
      task.tool_id === null ? bind() : { uid: task.tool_id, input_data: input };
    const { results } = await run(withTask("flow"), { executors: executorsOf(flow), bind: nested });
    expect(results[0]).toMatchObject({ status: "completed", output });
  });

  test("of a module that is not there", async () => {
    const nested = async ({ task, input }: { task: { tool_id: string | null }; input: Record<string, unknown> }) =>
      task.tool_id === null
        ? { uid: "flow", input_data: { start: 1 }, output_module: "zz" }
        : { uid: task.tool_id, input_data: input };
    const { results } = await run(withTask("flow"), { executors: executorsOf(flow), bind: nested });
    expect(results[0]?.error?.message).toContain('module "zz"');
  });

  test("of an expression", async () => {
    const declared = defineWorkflow({
      id: "flow",
      description: "",
      plan: document,
      output: "{ 'sum': outputs.one.n + outputs.last.n, 'from': input.start }",
    });
    const { results } = await run(withTask("flow"), { executors: executorsOf(declared) });
    expect(results[0]?.output).toEqual({ sum: 18, from: 3 });
  });

  test("of several sinks, by name", async () => {
    const wide = defineWorkflow({
      id: "wide",
      description: "",
      plan: JSON.stringify({
        planned_tasks: [
          { task_id: "a", execution_type: "tool", tool_id: "double", arguments: { n: 1 }, result_variable: "x" },
          { task_id: "b", execution_type: "tool", tool_id: "double", arguments: { n: 2 } },
        ],
      }),
    });
    const { results } = await run(withTask("wide"), { executors: executorsOf(wide) });
    expect(results[0]?.output).toEqual({ x: { n: 2 }, b: { n: 4 } });
  });
});

test("a failure inside tells the path", async () => {
  const inner = defineWorkflow({
    id: "inner",
    description: "",
    plan: { planned_tasks: [{ task_id: "bad", execution_type: "tool", tool_id: "fail" }] },
  });
  const outer = defineWorkflow({
    id: "outer",
    description: "",
    plan: { planned_tasks: [{ task_id: "sub", execution_type: "dsl", parameters: { uid: "inner" } }] },
  });
  const { results } = await run(withTask("outer"), { executors: executorsOf(inner, outer) });
  expect(results[0]?.error).toMatchObject({
    code: "TASK_NESTED",
    message: 'Task "sub" → "bad" of workflow "outer" failed: inner',
    details: { path: ["sub", "bad"], error: { code: "TASK_FAILED" } },
  });
});

test("a workflow that calls itself ends with an error", async () => {
  const plan = { planned_tasks: [{ task_id: "again", execution_type: "dsl" as const, parameters: { uid: "loop" } }] };
  const { results } = await run(withTask("loop"), {
    executors: executorsOf(defineWorkflow({ id: "loop", description: "", plan })),
  });
  expect(results[0]?.error?.message).toContain("nested at most 8");
});

test("limits hold for a run and its workflows together, and a workflow's own slot is free for its tasks", async () => {
  let now = 0;
  let most = 0;
  const work = defineTool({
    id: "work",
    description: "",
    async execute() {
      most = Math.max(most, ++now);
      await sleep(5);
      now--;
    },
  });
  const tasks = (n: number) =>
    Array.from({ length: n }, (_, i) => ({ task_id: `t${i}`, execution_type: "tool" as const, tool_id: "work" }));
  const wide = defineWorkflow({ id: "wide", description: "", plan: { planned_tasks: tasks(6) } });
  const plan = {
    planned_tasks: [
      { task_id: "w1", execution_type: "dsl" as const, parameters: { uid: "wide" } },
      { task_id: "w2", execution_type: "dsl" as const, parameters: { uid: "wide" } },
      ...tasks(6),
    ],
  };
  const { onEvent, events } = recorder();
  for (const concurrency of [1, 3]) {
    most = 0;
    const result = await run(plan, {
      executors: [toolExecutor([work]), workflowExecutor([wide])],
      concurrency,
      onEvent,
    });
    expect(result.end_reason).toBe("completed");
    expect(most).toBe(concurrency);
    expect(result.certificate.ratio).toBeGreaterThanOrEqual(1);
    expect(result.usage.attempts).toBe(2 + 18);
  }
  const nested = events.flatMap((e) => (e.type === "task-progress" ? [e] : []));
  expect(nested[0]).toMatchObject({ taskId: "w1", progress: { nested: { type: "run-start", tasks: 6 } } });
});

test("cancelling reaches the tasks of a workflow", async () => {
  let reported = false;
  const wait = defineTool({
    id: "wait",
    description: "",
    execute: (_: unknown, { signal }) =>
      sleep(5_000, signal).catch(() => {
        reported = true;
      }),
  });
  const flow = defineWorkflow({
    id: "flow",
    description: "",
    plan: {
      planned_tasks: [
        { task_id: "t", execution_type: "tool", tool_id: "wait" },
        { task_id: "u", execution_type: "tool", tool_id: "wait", dependencies: ["t"] },
      ],
    },
  });
  const result = await run(withTask("flow"), {
    executors: [toolExecutor([wait]), workflowExecutor([flow])],
    signal: AbortSignal.timeout(20),
  });
  expect(reported).toBe(true);
  expect(result.results[0]?.status).toBe("cancelled");
});

test("a document that is no plan", () => {
  for (const plan of ["{", "planned_tasks: 5", "- - -"]) {
    expect(() => defineWorkflow({ id: "w", description: "", plan })).toThrow(
      expect.objectContaining({ code: "RUNTIME_INVALID_DEFINITION" }),
    );
  }
});

test("an executor that wraps the workflow executor may pass on a copy of the context", async () => {
  const inner = workflowExecutor([flow]);
  const wrapped = {
    ...inner,
    execute: (step: Parameters<typeof inner.execute>[0], context: Parameters<typeof inner.execute>[1]) =>
      inner.execute(step, { ...context, onProgress: () => {} }),
  };
  const { results } = await run(withTask("flow"), { executors: [toolExecutor([double]), wrapped] });
  expect(results[0]).toMatchObject({ status: "completed", output: { n: 12 } });
});
