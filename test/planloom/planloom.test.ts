import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  defineAgent,
  defineExecutor,
  defineLlm,
  defineTool,
  defineWorkflow,
  type Executor,
  memoryJournal,
  Planloom,
  type PlanloomEvent,
  type PlanloomOptions,
  type RunEvent,
  TaskData,
} from "planloom";
import { scriptedController, scriptedModel } from "planloom/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const list = defineTool({
  id: "orders_list",
  description: "Lists orders",
  input: z.object({ status: z.enum(["open", "closed"]) }),
  output: z.object({ orders: z.array(z.object({ id: z.string() })) }),
  readOnly: true,
  execute: ({ status }) => ({ orders: [{ id: `${status}-1` }, { id: `${status}-2` }] }),
});
const invoices = defineTool({
  id: "invoices_list",
  description: "Lists invoices of orders",
  input: z.object({ order_ids: z.array(z.string()) }),
  readOnly: true,
  execute: ({ order_ids }) => ({ invoices: order_ids.map((id) => `invoice of ${id}`) }),
});
const tools = [list, invoices];
const tasks = [
  { task_id: "a", execution_type: "tool", tool_id: "orders_list", arguments: { status: "open" } },
  { task_id: "b", execution_type: "tool", tool_id: "invoices_list", arguments: { order_ids: "${a.orders.*.id}" } },
];
const plan = TaskData.parse({ planned_tasks: tasks });
const answering = (...data: unknown[]) =>
  scriptedController(data.map((value) => ({ phase1: { success: true, data: value } })));
const wired = (options: PlanloomOptions = {}) => new Planloom({ controller: answering(tasks), tools, ...options });

describe("from a goal to results", () => {
  test("plan, validate, optimize and run", async () => {
    await using planloom = wired();
    const made = await planloom.plan("The invoices of open orders");
    expect(planloom.validate(made)).toEqual([]);
    expect(
      (await planloom.optimize(made)).subgraphs.flatMap((subgraph) => subgraph.tasks.map(({ task_id }) => task_id)),
    ).toEqual(["a", "b"]);
    const { end_reason, results, output_data } = await planloom.run(made);
    expect(end_reason).toBe("completed");
    expect(results.map(({ task_id }) => task_id)).toEqual(["a", "b"]);
    expect(output_data).toEqual({ b: { invoices: ["invoice of open-1", "invoice of open-2"] } });
  });

  test("run takes a goal too", async () => {
    await using planloom = wired();
    expect((await planloom.run({ job_goal: "The invoices of open orders" })).end_reason).toBe("completed");
  });

  test("context and llmData reach the controller", async () => {
    const controller = answering(tasks);
    await using planloom = wired({ controller, planner: { temperature: 0.2 } });
    await planloom.plan("Theirs too", { context: { entities: ["order:7"] }, llmData: { model: "m" } });
    expect(controller.requests[0]?.request).toMatchObject({
      context: { entities: ["order:7"] },
      phase_1_data: { llm_data: { model: "m", temperature: 0.2 } },
    });
  });

  test("an input that is not complete is written by Stage 2", async () => {
    const controller = scriptedController([
      {
        phase2: ({ input }) => ({
          success: true,
          data: { uid: "orders_list", input_data: { ...input, status: "closed" } },
        }),
      },
    ]);
    await using planloom = wired({ controller });
    const open = TaskData.parse({ planned_tasks: [{ ...tasks[0], description: "List closed orders", arguments: {} }] });
    const { results } = await planloom.run(open);
    expect(results[0]).toMatchObject({ status: "completed", input: { status: "closed" } });
  });

  test("all kinds of tasks run", async () => {
    const controller = scriptedController([]);
    await using planloom = wired({
      controller,
      model: scriptedModel(["fine"]),
      agents: [
        defineAgent({
          id: "auditor",
          description: "Audits",
          send: (input) => ({ success: true, data: { seen: input } }),
        }),
      ],
      workflows: [
        defineWorkflow({ id: "report", description: "Reports", plan: { planned_tasks: [tasks[0] ?? {}] } as object }),
      ],
      executors: [
        defineExecutor({
          kind: "tool",
          resources: () => [{ kind: "tool", id: "own/clock", description: "Tells the time" }],
          execute: async () => 12,
        } satisfies Executor),
      ],
    });
    const { results } = await planloom.run(
      TaskData.parse({
        planned_tasks: [
          { task_id: "agent", execution_type: "agent", agent_id: "auditor", arguments: { x: 1 } },
          { task_id: "dsl", execution_type: "dsl", parameters: { uid: "report" }, arguments: { day: 1 } },
          { task_id: "llm", execution_type: "llm", arguments: { prompt: "How is it?" } },
          { task_id: "own", execution_type: "tool", tool_id: "clock" },
        ],
      }),
    );
    expect(results.map(({ task_id, status }) => [task_id, status])).toEqual(
      ["agent", "dsl", "llm", "own"].map((id) => [id, "completed"]),
    );
    expect(results.map(({ output }) => output)).toEqual([
      { seen: { x: 1 } },
      { orders: [{ id: "open-1" }, { id: "open-2" }] },
      { text: "fine", model: "scripted" },
      12,
    ]);
  });
});

describe("llm tasks", () => {
  const llmPlan = TaskData.parse({
    planned_tasks: [{ task_id: "l", execution_type: "llm", description: "Say hello", arguments: { prompt: "Hello?" } }],
  });

  test("without a model they are valid, and skipped with the reason", async () => {
    await using planloom = wired();
    expect(planloom.validate(llmPlan)).toEqual([]);
    expect(planloom.resources.map(({ kind }) => kind)).toEqual(["tool", "tool"]);
    const { results } = await planloom.run(llmPlan);
    expect(results[0]).toMatchObject({ status: "skipped", error: { message: expect.stringContaining("model") } });
  });

  test("an llm without a model of its own gets the one there is", async () => {
    const own = scriptedModel(["own"]);
    const shared = scriptedModel(["shared"]);
    const llms = [
      defineLlm({ id: "big", description: "Big", model: own }),
      defineLlm({ id: "small", description: "Small" }),
    ];
    await using planloom = wired({ controller: scriptedController([]), llms, model: shared });
    const both = ["big", "small"].map((uid) => ({
      task_id: uid,
      execution_type: "llm" as const,
      parameters: { uid },
      arguments: { prompt: "x" },
    }));
    const { results } = await planloom.run(TaskData.parse({ planned_tasks: both }));
    expect(results.map(({ output }) => output)).toMatchObject([{ text: "own" }, { text: "shared" }]);
  });
});

describe("bad input", () => {
  test("a plan with errors never starts", async () => {
    await using planloom = wired();
    const events: RunEvent[] = [];
    const cyclic = TaskData.parse({ planned_tasks: [{ ...tasks[0], dependencies: ["a"] }] });
    await expect(planloom.run(cyclic, { onEvent: (event) => events.push(event) })).rejects.toMatchObject({
      code: "PLANLOOM_INVALID_PLAN",
      message: expect.stringContaining('"a"'),
      details: { issues: [{ severity: "error", task_id: "a" }] },
    });
    expect(events).toEqual([]);
  });

  test("an unknown tool is named with its like", async () => {
    await using planloom = wired();
    const misspelt = TaskData.parse({ planned_tasks: [{ ...tasks[0], tool_id: "order_list" }] });
    expect(planloom.validate(misspelt)).toMatchObject([
      { code: "unknown_tool", repair: { candidates: ["orders_list", "invoices_list"] } },
    ]);
  });

  test.for([
    { name: "no resources", options: { tools: [] }, goal: "g", code: "PLANNER_RESOURCES_EMPTY" },
    { name: "an empty goal", options: {}, goal: "", code: "PLANNER_GOAL_EMPTY" },
  ])("$name", async ({ options, goal, code }) => {
    await using planloom = wired({ controller: scriptedController([]), ...options });
    await expect(planloom.run(goal)).rejects.toMatchObject({ code });
  });
});

describe("events", () => {
  test("of planning, binding and running are heard by type; a broken listener harms nothing", async () => {
    const heard: PlanloomEvent[] = [];
    const faults: unknown[] = [];
    await using planloom = wired({ onListenerError: (error) => faults.push(error) });
    planloom.on("plan-end", (event) => heard.push(event));
    planloom.on("task-end", (event) => heard.push(event));
    planloom.on("run-end", () => {
      throw new Error("broken");
    });
    const order: string[] = [];
    const { end_reason } = await planloom.run("g", { onEvent: ({ type }) => order.push(type) });
    expect(end_reason).toBe("completed");
    expect(heard.map(({ type }) => type)).toEqual(["plan-end", "task-end", "task-end"]);
    expect(order).toEqual(["run-start", "task-start", "task-end", "task-start", "task-end", "run-end"]);
    expect(faults.map(String)).toEqual(["Error: broken"]);
  });
});

describe("the journal", () => {
  test("of a file is resumed by another Planloom; completed tasks are not run again", async () => {
    const folder = await mkdtemp(join(tmpdir(), "planloom-"));
    try {
      const journal = join(folder, "runs.db");
      let listed = 0;
      let broken = true;
      const flaky = [
        defineTool({ ...listOptions, execute: () => ({ orders: [{ id: String(++listed) }] }) }),
        defineTool({
          id: "invoices_list",
          description: "Lists invoices",
          execute: () => {
            if (broken) throw new Error("down");
            return "ok";
          },
        }),
      ];
      const first = wired({ tools: flaky, journal });
      const { run_id, end_reason } = await first.run(plan);
      expect(end_reason).toBe("failed");
      await first.close();
      broken = false;
      await using second = wired({ tools: flaky, journal });
      const resumed = await second.resume(run_id);
      expect(resumed.results.map(({ status }) => status)).toEqual(["completed", "completed"]);
      expect(listed).toBe(1);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("that was handed in is not closed", async () => {
    const journal = memoryJournal();
    const planloom = wired({ journal });
    const { run_id } = await planloom.run(plan);
    await planloom.close();
    expect((await journal.getRun(run_id)).status).toBe("completed");
  });
});

const listOptions = { id: "orders_list", description: "Lists orders", readOnly: true } as const;

describe("stopping", () => {
  const slow = defineTool({
    id: "slow",
    description: "Waits for its signal",
    execute: (_input, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true })),
  });
  const slowPlan = TaskData.parse({ planned_tasks: [{ task_id: "s", execution_type: "tool", tool_id: "slow" }] });

  test("an abort cancels the run", async () => {
    await using planloom = wired({ tools: [slow] });
    const abort = new AbortController();
    planloom.on("task-start", () => setImmediate(() => abort.abort()));
    const { end_reason, results } = await planloom.run(slowPlan, { signal: abort.signal });
    expect([end_reason, results[0]?.status]).toEqual(["cancelled", "cancelled"]);
  });

  test("close cancels what runs and waits for it; later calls are refused", async () => {
    let stopped = false;
    const lingering = defineTool({
      id: "slow",
      description: "Takes a while to stop",
      execute: (_input, { signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener("abort", () =>
            setTimeout(() => {
              stopped = true;
              reject(signal.reason);
            }, 30),
          ),
        ),
    });
    const planloom = wired({ tools: [lingering] });
    const started = new Promise((resolve) => planloom.on("task-start", () => setImmediate(resolve)));
    const running = planloom.run(slowPlan);
    await Promise.race([started, running]);
    await planloom.close();
    expect(stopped).toBe(true);
    expect((await running).end_reason).toBe("shut_down");
    await expect(planloom.run(slowPlan)).rejects.toMatchObject({ code: "PLANLOOM_CLOSED" });
    await planloom.close();
  });
});

test("a dry run executes nothing", async () => {
  let calls = 0;
  const counted = [defineTool({ ...listOptions, execute: () => ++calls })];
  await using planloom = wired({ tools: counted });
  const trace = planloom.dryRun(TaskData.parse({ planned_tasks: [{ ...tasks[0] }] }));
  expect(trace.steps).toMatchObject([{ task_id: "a", uid: "orders_list", input: { status: "open" } }]);
  expect(calls).toBe(0);
});
