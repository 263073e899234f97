import { LlmController } from "@planloom/controller";
import { largestUsage } from "@planloom/plan";
import { bindWith } from "@planloom/planner";
import {
  type Dispatcher,
  defineLlm,
  defineTool,
  llmExecutor,
  memoryJournal,
  run,
  toolExecutor,
} from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { group, planOf } from "../support/run-plans.ts";

const work = defineTool({
  id: "work",
  description: "Works",
  input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  execute: ({ n }) => n,
});
const executors = [toolExecutor([work])];
const budgets = { run: { tokens: 1_000, cost: 1_000 } };
const wrong = [
  { name: "negative", usage: { inputTokens: -1e9, outputTokens: 5 } },
  { name: "NaN", usage: { inputTokens: Number.NaN, outputTokens: 5 } },
  { name: "infinite", usage: { inputTokens: 1, outputTokens: Number.POSITIVE_INFINITY } },
  { name: "absurd", usage: { inputTokens: largestUsage * 2, outputTokens: 0 } },
  { name: "no number", usage: { inputTokens: "7" as unknown as number, outputTokens: 0 } },
  { name: "a negative cost", usage: { inputTokens: 5, outputTokens: 5, cost: -1_000 } },
];
const modelThatUses = (usage: { inputTokens: number; outputTokens: number }, text = "") => ({
  name: "m",
  generate: async () => ({ text, toolCalls: [], usage }),
});

describe.for(wrong)("usage that is $name", ({ usage }) => {
  test("of an executor fails its task, and gives nobody anything back", async () => {
    const tool = defineTool({ id: "work", description: "", execute: (_: object, { onUsage }) => onUsage(usage) });
    const plan = planOf({ a: [] }, { a: { tool_id: "work" } });
    const result = await run(plan, { executors: [toolExecutor([tool])], budgets });
    expect(result.results[0]?.error).toMatchObject({
      code: "TASK_FAILED",
      message: expect.stringContaining("of usage"),
    });
    expect(result.usage).toEqual({ attempts: 1, input_tokens: 0, output_tokens: 0 });
  });

  test("of a model fails its task", async () => {
    const llm = defineLlm({ id: "m", description: "", model: modelThatUses(usage) });
    const plan = planOf({ a: [] }, { a: { execution_type: "llm", tool_id: null, parameters: { uid: "m" } } });
    const result = await run(plan, { executors: [llmExecutor([llm])], budgets });
    expect(result.results[0]?.error).toMatchObject({ message: expect.stringContaining("of usage") });
    expect(result.usage.input_tokens + result.usage.output_tokens + (result.usage.cost ?? 0)).toBe(0);
  });

  test("of Stage 2 fails the task, whatever was answered", async () => {
    const controller = new LlmController({
      model: modelThatUses(usage, '{"uid": "work", "input_data": {"n": 7}}'),
    });
    const bind = bindWith({ controller, resources: executors.flatMap((one) => one.resources()) });
    const journal = memoryJournal();
    const plan = planOf({ a: [] }, { a: { tool_id: null } });
    const result = await run(plan, { executors, bind, budgets, journal, runId: "r" });
    expect(result.results[0]?.error).toMatchObject({
      code: "TASK_FAILED",
      message: expect.stringContaining("of usage"),
    });
    for (const amount of Object.values(result.usage)) expect(amount).toBeGreaterThanOrEqual(0);
    const [call] = await journal.getCalls("r");
    for (const amount of Object.values(call?.usage ?? {})) expect(amount).toBeGreaterThanOrEqual(0);
  });
});

test("a model that credits itself in a replan changes nothing", async () => {
  const controller = new LlmController({ model: modelThatUses({ inputTokens: -5, outputTokens: 0 }, "{}") });
  const bad = defineTool({
    id: "bad",
    description: "",
    execute() {
      throw new Error("no");
    },
  });
  const refusals: string[] = [];
  const result = await run(planOf({ a: [] }, { a: { tool_id: "bad" } }), {
    executors: [toolExecutor([bad])],
    budgets,
    replanPolicy: { on: ["failure"] },
    replan: async (_, { beforeCall, onCall }) => {
      await beforeCall?.();
      const { calls = [] } = await controller.processPhase1(
        { search_id: "s", phase_1_data: { task_input_data: "Go", n_history_samples: 0, llm_data: {} } } as never,
        {},
      );
      for (const { request, reply, latencyMs } of calls) onCall?.({ request, latencyMs, usage: reply!.usage! });
      return undefined;
    },
    onEvent: (event) => {
      if (event.type === "patch-refuse") refusals.push(`${event.code}: ${event.message}`);
    },
  });
  expect(refusals).toEqual([expect.stringMatching(/^failed: .*inputTokens.*-5/)]);
  expect(result.usage.input_tokens).toBe(0);
});

test("a dispatcher's report that credits the budget is not taken", async () => {
  const plan = planOf({ a: [] }, { a: { tool_id: "work", arguments: { n: 1 } } });
  let said = "";
  const result = { task_id: "a", status: "completed", output: 1, attempts: 1, started_ms: 0, duration_ms: 1 } as const;
  const dispatcher: Dispatcher = {
    name: "own",
    governed: true,
    async dispatch(_, { report }) {
      await report({ result, usage: { calls: 1, tokens: -500, cost: 0, seconds: 0 } }).catch((error: Error) => {
        said = error.message;
      });
      return { results: [result], usage: { attempts: 1, input_tokens: 0, output_tokens: 0 } };
    },
  };
  const subgraphs = group(plan, { one: ["a"] });
  const ended = await run(plan, { executors, budgets, semantics: "atomic", subgraphs, dispatcher });
  expect(said).toContain("Expected `usage` of a report");
  expect(ended.end_reason).toBe("completed");
});
