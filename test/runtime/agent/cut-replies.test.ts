import { scriptedModel } from "@planloom/controller/testing";
import { defineLlm, llmExecutor, memoryJournal, run } from "@planloom/runtime";
import { expect, test } from "vitest";
import { z } from "zod";
import { agentPlan, agentWorld } from "../../support/agents.ts";
import { planOf } from "../../support/run-plans.ts";

test.for(["length", "content_filter"] as const)(
  "a call that %s cut off before its arguments is not made without any",
  async (finishReason) => {
    const cut = {
      toolCalls: [
        { id: "a", name: "search", arguments: '{"q": "x"}' },
        { id: "b", name: "purge", arguments: "" },
      ],
    };
    const model = scriptedModel([
      { ...cut, finishReason },
      { toolCalls: [{ id: "c", name: "list", arguments: "" }] },
      "Done.",
    ]);
    const { calls, executors } = agentWorld(model, { search: () => 1, purge: () => 2, list: () => 3 });
    const { end_reason } = await run(agentPlan(), { executors, journal: memoryJournal() });
    expect(end_reason).toBe("completed");
    expect(calls).toEqual([
      ["search", { q: "x" }],
      ["list", {}],
    ]);
    const told = model.requests[1]?.messages.at(-1)?.content;
    expect(told).toContain("they were cut off");
  },
);

test("what a content filter let through of an answer is no answer", async () => {
  const half = { text: "The first half of", finishReason: "content_filter" } as const;
  const ask = {
    execution_type: "llm" as const,
    tool_id: null,
    parameters: { uid: "w" },
    arguments: { prompt: "Write." },
  };
  const llm = (model: ReturnType<typeof scriptedModel>) =>
    llmExecutor([defineLlm({ id: "w", description: "", model })]);
  const byTask = await run(planOf({ t: [] }, { t: ask }), { executors: [llm(scriptedModel([half]))] });
  expect(byTask.results[0]).toMatchObject({
    status: "failed",
    error: { message: expect.stringContaining("content filter") },
  });
  const byAgent = await run(agentPlan(), { executors: agentWorld(scriptedModel([half]), {}).executors });
  expect(byAgent.results[0]).toMatchObject({
    status: "failed",
    error: { message: expect.stringContaining("content filter") },
  });
});

test("the text of an llm task that was cut off says so", async () => {
  const ask = {
    execution_type: "llm" as const,
    tool_id: null,
    parameters: { uid: "w" },
    arguments: { prompt: "Write." },
  };
  const model = scriptedModel([{ text: "The first half of", finishReason: "length" }]);
  const { results } = await run(planOf({ t: [] }, { t: ask }), {
    executors: [llmExecutor([defineLlm({ id: "w", description: "", model })])],
  });
  expect(results[0]?.output).toMatchObject({ text: "The first half of", truncated: true });
});

test("the answer of an agent that stays cut off says so, and half of a list is none", async () => {
  const half = { text: "The first half of", finishReason: "length" } as const;
  const inWords = await run(agentPlan(), { executors: agentWorld(scriptedModel([half, half, half]), {}).executors });
  expect(inWords.results[0]?.output).toEqual({ text: "The first half of", truncated: true });
  const list = { text: '{"names": ["Ada", "Gra', finishReason: "length" } as const;
  const output = z.object({ names: z.array(z.string()) });
  const world = agentWorld(scriptedModel([list, list, list]), {}, { output });
  const asList = await run(agentPlan(), { executors: world.executors });
  expect(asList.results[0]).toMatchObject({
    status: "failed",
    error: { code: "TASK_OUTPUT_INVALID", message: expect.stringContaining("cut off") },
  });
});
