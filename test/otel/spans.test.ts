import { trace } from "@opentelemetry/api";
import { openTelemetry } from "@planloom/otel";
import { approve, defineAgent, defineTool, memoryJournal, Planloom, type PlanloomOptions } from "planloom";
import { scriptedModel } from "planloom/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isError, type MemorySdk, memorySdk } from "../support/otel-sdk.ts";

let sdk: MemorySdk;
beforeEach(() => {
  sdk = memorySdk();
});
afterEach(() => sdk.shutdown());

const orders = defineTool({
  id: "orders_list",
  description: "Lists orders",
  readOnly: true,
  execute: () => ({ orders: [1, 2] }),
});
const task = (task_id: string, tool_id: string, rest: object = {}) => ({
  task_id,
  execution_type: "tool" as const,
  tool_id,
  ...rest,
});
const watched = (options: PlanloomOptions) => new Planloom({ telemetry: openTelemetry(), ...options });

test("a goal is one trace: its plan, the call of its model, its tasks and what they call", async () => {
  const plan = JSON.stringify({ planned_tasks: [task("list", "orders_list")] });
  const model = scriptedModel(
    [{ text: plan, usage: { inputTokens: 100, outputTokens: 20, cachedInputTokens: 60, cost: 0.5 } }],
    { name: "gpt-small" },
  );
  await using planloom = watched({ tools: [orders], model });
  const { run_id } = await planloom.run("List the orders");
  expect(sdk.tree()).toEqual([
    "ask_controller llm:gpt-small < plan",
    "chat gpt-small < ask_controller llm:gpt-small",
    "execute_tool orders_list < task list",
    "invoke_workflow run",
    "plan < invoke_workflow run",
    "task list < invoke_workflow run",
  ]);
  expect(new Set(sdk.spans().map((span) => span.spanContext().traceId)).size).toBe(1);
  expect(sdk.span("invoke_workflow run").attributes).toMatchObject({
    "gen_ai.operation.name": "invoke_workflow",
    "planloom.run.id": run_id,
    "planloom.run.end_reason": "completed",
  });
  expect(sdk.span("plan").attributes["gen_ai.operation.name"]).toBe("plan");
  expect(sdk.span("chat gpt-small").attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "gpt-small",
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.usage.input_tokens": 100,
    "gen_ai.usage.output_tokens": 20,
    "gen_ai.usage.cache_read.input_tokens": 60,
    "planloom.usage.cost": 0.5,
  });
  expect(sdk.span("execute_tool orders_list").attributes).toMatchObject({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "orders_list",
    "planloom.task.attempt": 1,
  });
});

test("Stage 2 is a span where a controller is asked, within its task", async () => {
  const model = scriptedModel([JSON.stringify({ uid: "orders_list", input_data: {} })], { name: "gpt-small" });
  await using planloom = watched({ tools: [orders], model });
  await planloom.run({ planned_tasks: [{ task_id: "list", description: "List the orders", execution_type: "tool" }] });
  expect(sdk.tree()).toEqual([
    "bind list < task list",
    "chat gpt-small < bind list",
    "execute_tool orders_list < task list",
    "invoke_workflow run",
    "task list < invoke_workflow run",
  ]);
});

test("what an agent calls is within the agent, and a model that is asked in a task is too", async () => {
  const model = scriptedModel(
    [
      { toolCalls: [{ id: "c1", name: "orders_list", arguments: "{}" }], finishReason: "tool_calls" },
      "There are two orders.",
    ],
    { name: "gpt-small" },
  );
  const clerk = defineAgent({ id: "clerk", description: "Knows the orders", model, tools: ["orders_list"] });
  await using planloom = watched({ tools: [orders], agents: [clerk], model });
  const result = await planloom.run({
    planned_tasks: [{ task_id: "ask", execution_type: "agent", agent_id: "clerk", arguments: { prompt: "How many?" } }],
  });
  expect(result.end_reason).toBe("completed");
  const tree = sdk.tree();
  expect(tree).toContain("invoke_agent clerk < task ask");
  expect(tree).toContain("execute_tool orders_list < invoke_agent clerk");
  expect(tree.filter((line) => line.startsWith("chat"))).toHaveLength(2);
  // A call of the model is a nested task of the agent.
  expect(tree.filter((line) => line === "task ask < invoke_workflow run")).toHaveLength(1);
  expect(tree.some((line) => line.includes("elsewhere"))).toBe(false);
});

test("each attempt is a span; errors have their code as type", async () => {
  let calls = 0;
  const flaky = defineTool({
    id: "flaky",
    description: "Fails once",
    readOnly: true,
    execute: () => {
      calls += 1;
      if (calls === 1) throw Object.assign(new Error("no line"), { code: "ECONNREFUSED" });
      return 1;
    },
  });
  const broken = defineTool({
    id: "broken",
    description: "Always fails",
    execute: () => Promise.reject(new Error("no")),
  });
  await using planloom = watched({ tools: [flaky, broken] });
  await planloom.run({
    planned_tasks: [
      task("a", "flaky", { retry: { max_attempts: 2, initial_delay_ms: 1 } }),
      task("b", "broken"),
      task("c", "flaky", { dependencies: ["b"] }),
    ],
  });
  const attempts = sdk.spans().filter(({ name }) => name === "execute_tool flaky");
  expect(attempts.map(({ attributes }) => attributes["planloom.task.attempt"])).toEqual([1, 2]);
  expect(attempts.map(isError)).toEqual([true, false]);
  expect(attempts[0]!.attributes["error.type"]).toBe("ECONNREFUSED");
  expect(attempts[0]!.status.message).toBe("no line");
  const failed = sdk.span("task b");
  expect(isError(failed)).toBe(true);
  expect(failed.attributes).toMatchObject({ "error.type": "TASK_FAILED", "planloom.task.status": "failed" });
  const root = sdk.span("invoke_workflow run");
  expect(isError(root)).toBe(true);
  expect(root.events.map(({ name, attributes }) => [name, attributes?.["planloom.task.id"]])).toEqual([
    ["planloom.task.skip", "c"],
  ]);
});

test("inside of a tool its span is the active one", async () => {
  const seen: (string | undefined)[] = [];
  const look = defineTool({
    id: "look",
    description: "Looks",
    readOnly: true,
    async execute() {
      await Promise.resolve();
      seen.push(trace.getActiveSpan()?.spanContext().spanId);
      return 1;
    },
  });
  await using planloom = watched({ tools: [look] });
  await planloom.run({
    planned_tasks: [task("a", "look"), task("b", "look"), task("c", "look", { dependencies: ["a"] })],
  });
  const own = sdk.spans().filter(({ name }) => name === "execute_tool look");
  expect(new Set(seen)).toEqual(new Set(own.map((span) => span.spanContext().spanId)));
  expect(seen).toHaveLength(3);
});

describe("a person", () => {
  const pay = defineTool({ id: "pay", description: "Pays", execute: () => "paid" });
  const plan = {
    task_id: "payment",
    planned_tasks: [task("pay", "pay", { approval: "required" }), task("list", "orders_list")],
  };

  test("who is asked while the run goes on is a span within the task", async () => {
    const journal = memoryJournal();
    const slow = defineTool({
      id: "orders_list",
      description: "Lists orders",
      readOnly: true,
      async execute(_, { runId }) {
        await approve(runId, "pay", { journal });
        return [];
      },
    });
    await using planloom = watched({ tools: [pay, slow], journal });
    expect((await planloom.run(plan)).end_reason).toBe("completed");
    const wait = sdk.span("wait_for_approval pay");
    expect(wait.attributes["planloom.approval.answer"]).toBe("approve");
    expect(sdk.tree()).toContain("wait_for_approval pay < task pay");
    // The wait is over before the call that it permits is.
    const names = sdk.spans().map(({ name }) => name);
    expect(names.indexOf(wait.name)).toBeLessThan(names.indexOf("execute_tool pay"));
  });

  test("who answers later: the resumed run is a trace of its own that links to the first", async () => {
    const journal = memoryJournal();
    await using planloom = watched({ tools: [pay, orders], journal });
    const { run_id, end_reason } = await planloom.run(plan);
    expect(end_reason).toBe("waiting_approval");
    await approve(run_id, "pay", { journal });
    await planloom.resume(run_id);
    const first = sdk.span("invoke_workflow run");
    const second = sdk.span("invoke_workflow resume");
    expect(second.links.map(({ context }) => [context.traceId, context.spanId])).toEqual([
      [first.spanContext().traceId, first.spanContext().spanId],
    ]);
    expect(second.spanContext().traceId).not.toBe(first.spanContext().traceId);
    expect(second.attributes["planloom.run.recorded_tasks"]).toBe(1);
    // All spans have ended, those of what waited too.
    expect(sdk.spans().filter(({ name }) => name === "task pay")).toHaveLength(2);
  });
});

test("a replan is a span with the asking in it", async () => {
  const old = defineTool({
    id: "old_berths_list",
    description: "Lists the berths of a harbour",
    readOnly: true,
    execute: () => Promise.reject(new Error("503")),
  });
  const berths = defineTool({
    id: "berths_list",
    description: "Lists the berths of a harbour",
    readOnly: true,
    execute: () => ["b1"],
  });
  await using planloom = watched({ tools: [old, berths] });
  const result = await planloom.run(
    {
      planned_tasks: [
        { ...task("berths", "old_berths_list"), description: "List the berths", retry: { max_attempts: 1 } },
      ],
    },
    { replanPolicy: { on: ["failure"] } },
  );
  expect(result.replanned).toBe(true);
  expect(sdk.span("replan").attributes).toMatchObject({
    "planloom.replan.outcome": "applied",
    "planloom.replan.tasks": ["berths"],
  });
  const tree = sdk.tree();
  expect(tree).toContain("replan < invoke_workflow run");
  expect(tree).toContain("ask_controller embedded < replan");
});

test("a list has a span for itself and one for each element", async () => {
  const echo = defineTool({ id: "echo", description: "Gives it back", readOnly: true, execute: (input) => input });
  await using planloom = watched({ tools: [echo] });
  await planloom.run({
    planned_tasks: [task("each", "echo", { for_each: { items: [1, 2, 3] }, arguments: { value: "${item}" } })],
  });
  const calls = sdk.spans().filter(({ name }) => name === "execute_tool echo");
  expect(calls).toHaveLength(3);
  expect(sdk.tree().filter((line) => line.includes("elsewhere"))).toEqual([]);
  expect(sdk.span("task each")).toBeDefined();
});

test("content is recorded only where it is asked for, redacted, and without the run's secrets", async () => {
  const login = defineTool({
    id: "login",
    description: "Logs in",
    execute: ({ token, name }: { token?: string; name?: string }) => ({ echoed: token, name }),
  });
  const plan = {
    planned_tasks: [task("in", "login", { arguments: { token: { $secret: "KEY" }, name: "Ada Lovelace" } })],
  };
  const secrets = { KEY: "s3cr3t-value" };
  await using silent = watched({ tools: [login], secrets });
  await silent.run(plan);
  expect(JSON.stringify(sdk.spans().map(({ attributes }) => attributes))).not.toMatch(/Ada|s3cr3t/);

  const telemetry = openTelemetry({
    content: true,
    redact: (value) => JSON.parse(JSON.stringify(value).replaceAll("Lovelace", "…")) as unknown,
  });
  await using open = new Planloom({ tools: [login], secrets, telemetry });
  await open.run(plan);
  const last = sdk
    .spans()
    .filter(({ name }) => name === "execute_tool login")
    .at(-1)!;
  expect(last.attributes["gen_ai.tool.call.arguments"]).toMatch(/"name":"Ada …"/);
  expect(last.attributes["gen_ai.tool.call.result"]).toMatch(/"name":"Ada …"/);
  expect(JSON.stringify(sdk.spans().map(({ attributes }) => attributes))).not.toMatch(/s3cr3t|Lovelace/);
});

test("figures: tasks, durations, queue, tokens, cost, runs", async () => {
  const model = scriptedModel([{ text: "A summary", usage: { inputTokens: 7, outputTokens: 3, cost: 0.25 } }]);
  await using planloom = watched({ tools: [orders], model });
  await planloom.run({
    planned_tasks: [
      task("list", "orders_list"),
      { task_id: "sum", execution_type: "llm", arguments: { prompt: "Sum up" }, dependencies: ["list"] },
    ],
  });
  expect(await sdk.metric("planloom.tasks")).toEqual([
    { attributes: { "planloom.task.status": "completed" }, value: 2 },
  ]);
  expect(await sdk.metric("planloom.task.queue.duration")).toEqual([{ attributes: {}, value: 2 }]);
  expect(await sdk.metric("planloom.runs")).toEqual([
    { attributes: { "planloom.run.end_reason": "completed" }, value: 1 },
  ]);
  expect(await sdk.metric("planloom.runs.active")).toEqual([{ attributes: {}, value: 0 }]);
  const tokens = await sdk.metric("gen_ai.client.token.usage");
  expect(tokens.map(({ attributes }) => (attributes as Record<string, string>)["gen_ai.token.type"])).toEqual([
    "input",
    "output",
  ]);
  expect((await sdk.metric("planloom.cost"))[0]?.value).toBe(0.25);
  expect(await sdk.metric("gen_ai.execute_tool.duration")).toHaveLength(1);
});

test("what is left of the instance's budgets is a gauge", async () => {
  await using planloom = watched({ tools: [orders], budgets: { total: { calls: 10 } } });
  await planloom.run({ planned_tasks: [task("a", "orders_list"), task("b", "orders_list")] });
  expect(await sdk.metric("planloom.budget.left")).toEqual([
    { attributes: { "planloom.budget.unit": "calls" }, value: 8 },
  ]);
});
