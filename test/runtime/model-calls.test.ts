import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LlmController, type Model } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import type { Executor } from "@planloom/plan";
import { bindWith } from "@planloom/planner";
import {
  agentExecutor,
  defineAgent,
  defineLlm,
  defineTool,
  llmExecutor,
  memoryJournal,
  replay,
  resume,
  run,
  SqliteJournal,
  toolExecutor,
} from "@planloom/runtime";
import { expect, test } from "vitest";
import { planOf, sleep } from "../support/run-plans.ts";

const usage = { inputTokens: 30, outputTokens: 20, cost: 0.5 };
/** Stage 2's, for a task that is open. */
const answer = { text: '{"uid": "work", "input_data": {"n": 7}}', usage };
const work = defineTool({
  id: "work",
  description: "Works",
  input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  execute: ({ n }) => n,
});
const bindBy = (model: Model, executors: readonly Executor[]) =>
  bindWith({ controller: new LlmController({ model }), resources: executors.flatMap((one) => one.resources()) });
const ask = {
  execution_type: "llm" as const,
  tool_id: null,
  parameters: { uid: "m" },
  arguments: { prompt: "Say it" },
};

test("model calls of executors and of Stage 2 are in the journal, with messages, reply and usage", async () => {
  const model = scriptedModel([answer, { text: "said", usage }]);
  const guide = defineAgent({
    id: "guide",
    description: "",
    schema: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
    send: () => ({ success: true, data: { way: "left" } }),
  });
  const executors = [
    toolExecutor([work]),
    llmExecutor([defineLlm({ id: "m", description: "", model })]),
    agentExecutor([guide]),
  ];
  const bind = bindBy(model, executors);
  const plan = planOf(
    { a: [], b: ["a"], c: ["b"] },
    {
      a: { tool_id: null },
      b: ask,
      c: { execution_type: "agent", tool_id: null, agent_id: "guide", arguments: { to: "there" } },
    },
  );
  const journal = memoryJournal();
  const result = await run(plan, { executors, bind, journal, runId: "r" });
  expect(result.results.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
  expect(result.usage).toMatchObject({ input_tokens: 60, output_tokens: 40, cost: 1 });
  const calls = await journal.getCalls("r");
  expect(calls.map(({ path, purpose }) => `${path.join("/")} ${purpose}`)).toEqual([
    "a bind",
    "a step",
    "b execute",
    "c execute",
  ]);
  expect(calls[0]).toMatchObject({ reply: { text: expect.stringContaining("work") }, usage });
  expect(calls[1]).toMatchObject({ reply: { uid: "work", input_data: { n: 7 } } });
  expect(calls[2]).toMatchObject({
    request: { messages: [{ role: "user", content: "Say it" }] },
    reply: { text: "said" },
  });
  expect(calls[3]).toMatchObject({ reply: { success: true, data: { way: "left" } } });

  expect((await replay("r", { journal })).divergence).toBeUndefined();
  model.assertDone();
});

test.for([
  { name: "a model's text", task: "b", forge: { output: { text: "forged" } }, path: "text" },
  { name: "what Stage 2 answered", task: "a", forge: { uid: "other" }, path: "uid" },
])("a replay finds a record that is not what was replied: $name", async ({ task, forge, path }) => {
  const model = scriptedModel([answer, { text: "said", usage }]);
  const executors = [toolExecutor([work]), llmExecutor([defineLlm({ id: "m", description: "", model })])];
  const bind = bindBy(model, executors);
  const journal = memoryJournal();
  await run(planOf({ a: [], b: ["a"] }, { a: { tool_id: null }, b: ask }), { executors, bind, journal, runId: "r" });
  const forged = {
    ...journal,
    getTasks: async (id: string) =>
      (await journal.getTasks(id)).map((record) => (record.task_id === task ? { ...record, ...forge } : record)),
  };
  expect((await replay("r", { journal: forged })).divergence).toMatchObject({ task_id: task, what: "reply", path });
});

test("Stage 2's calls are reserved before and booked after; without budget for one its task is skipped", async () => {
  const executors = [toolExecutor([work])];
  const plan = planOf({ a: [], b: [], c: [] }, { a: { tool_id: null }, b: { tool_id: null }, c: { tool_id: null } });
  let asking = 0;
  let most = 0;
  const model = {
    name: "slow",
    async generate() {
      most = Math.max(most, ++asking);
      await sleep(5);
      asking--;
      return { ...answer, toolCalls: [] };
    },
  };
  const bind = bindBy(model, executors);
  const journal = memoryJournal();
  // Nobody says how much one needs: each gets all that is left, and so goes alone. Two fit.
  const result = await run(plan, { executors, bind, budgets: { run: { tokens: 100 } }, journal, runId: "r" });
  expect(most).toBe(1);
  expect(result.end_reason).toBe("budget");
  expect(result.results.map(({ status }) => status).sort()).toEqual(["completed", "completed", "skipped"]);
  expect(result.results.find(({ status }) => status === "skipped")?.error?.code).toBe("TASK_BUDGET");
  // What they used is known to a resumed run.
  expect((await resume("r", { executors, bind, journal })).end_reason).toBe("budget");
  const more = await resume("r", { executors, bind, journal, budgets: { run: { tokens: 150 } } });
  expect(more.end_reason).toBe("completed");

  most = 0;
  const estimated = await run(plan, {
    executors,
    bind,
    budgets: { run: { tokens: 150 } },
    bindEstimate: { tokens: 50 },
  });
  expect(estimated.end_reason).toBe("completed");
  expect(most).toBeGreaterThan(1);
});

test("what an executor says it used counts at once, and stops it when it is too much", async () => {
  const made: string[] = [];
  const spend = defineTool({
    id: "spend",
    description: "",
    async execute(_: Record<string, unknown>, { onUsage, signal, task }) {
      for (let i = 0; i < 10; i++) {
        made.push(task.task_id);
        onUsage({ inputTokens: 20, cost: 0.1 });
        signal.throwIfAborted();
        await sleep(1, signal);
      }
      return made.length;
    },
  });
  const executors = [toolExecutor([spend])];
  const plan = planOf({ a: [], b: ["a"] }, { a: { tool_id: "spend" }, b: { tool_id: "spend" } });
  const result = await run(plan, { executors, budgets: { run: { tokens: 300 } } });
  expect(result.end_reason).toBe("budget");
  expect(result.results.map(({ status }) => status)).toEqual(["completed", "skipped"]);
  // Ten calls by a, and of b the five that were left and the one that showed it.
  expect(made).toHaveLength(16);
  expect(result.usage).toMatchObject({ input_tokens: 320 });
  const wrong = defineTool({
    id: "spend",
    description: "",
    execute: (_: object, { onUsage }) => onUsage({ cost: -1 }),
  });
  const failed = await run(planOf({ spend: [] }), { executors: [toolExecutor([wrong])] });
  expect(failed.results[0]?.error?.message).toContain("Expected `cost`");
});

test("an executor that turned out to spend runs alone from then on, unless it is estimated", async () => {
  let running = 0;
  let most = 0;
  const spend = defineTool({
    id: "spend",
    description: "",
    async execute(_: Record<string, unknown>, { onUsage }) {
      most = Math.max(most, ++running);
      await sleep(5);
      onUsage({ inputTokens: 40 });
      running--;
      return 1;
    },
  });
  const tasks = Object.fromEntries(["b", "c", "d", "e"].map((id) => [id, ["a"]]));
  const tools = Object.fromEntries(["a", "b", "c", "d", "e"].map((id) => [id, { tool_id: "spend" }]));
  const result = await run(planOf({ a: [], ...tasks }, tools), {
    executors: [toolExecutor([spend])],
    budgets: { run: { tokens: 130 } },
  });
  expect(most).toBe(1);
  // 40 each: the fourth goes past the limit by its own excess, the fifth is not made.
  expect(result.usage.input_tokens).toBe(160);
  expect(result.end_reason).toBe("budget");
});

test("a call that was under way when its process was killed counts with what was reserved for it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "planloom-"));
  const file = join(folder, "j.sqlite");
  const child = spawn(process.execPath, [new URL("../support/killed-call.ts", import.meta.url).pathname, file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  const journal = await SqliteJournal.open(file);
  expect(await journal.getPendingUsage("r")).toMatchObject([
    { task_id: "b", uid: "t", usage: { calls: 1, tokens: 60 } },
  ]);
  const made: string[] = [];
  const tool = defineTool({
    id: "t",
    description: "",
    estimate: { tokens: 60 },
    execute: (_: object, { task }) => void made.push(task.task_id),
  });
  const executors = [toolExecutor([tool])];
  // Of 3 calls and 150 tokens two calls and 60 + 60 are gone, whether or not the second came to anything.
  const first = await resume("r", { executors, journal });
  expect(first.end_reason).toBe("budget");
  expect(made).toEqual([]);
  const second = await resume("r", { executors, journal, budgets: { run: { calls: 3, tokens: 180 } } });
  expect(second.end_reason).toBe("budget");
  expect(made).toEqual(["b"]);
  expect((await resume("r", { executors, journal, budgets: { run: { calls: 4, tokens: 300 } } })).end_reason).toBe(
    "completed",
  );
  expect(made).toEqual(["b", "c"]);
  await journal.close();
  rmSync(folder, { recursive: true });
});

test("what was reserved for a call of Stage 2 that ran out of time meanwhile is given back", async () => {
  const work = defineTool({ id: "work", description: "", execute: () => ({}) });
  const journal = memoryJournal();
  const beginCalls = journal.beginCalls.bind(journal);
  let open = () => {};
  const late = new Promise<void>((resolve) => {
    open = resolve;
  });
  journal.beginCalls = async (...given) => {
    if (given[2][0]?.task_id === "a") await late;
    await beginCalls(...given);
  };
  const result = await run(planOf({ a: [], b: [] }, { a: { tool_id: null }, b: { tool_id: "work" } }), {
    executors: [toolExecutor([work])],
    bind: async ({ task }, { beforeCall }) => {
      if (task.task_id === "a") await beforeCall?.();
      return { uid: "work", input_data: {} };
    },
    bindTimeoutMs: 10,
    abortGraceMs: 10,
    budgets: { run: { calls: 1 } },
    journal,
    runId: "r",
    onEvent: ({ type }) => {
      if (type === "task-error") open();
    },
  });
  expect(result.results.map(({ status }) => status)).toEqual(["failed", "completed"]);
});
