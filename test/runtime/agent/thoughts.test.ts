import { afterThinking } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import { defineLlm, llmExecutor, run } from "@planloom/runtime";
import { expect, test } from "vitest";
import { agentPlan, agentWorld } from "../../support/agents.ts";
import { planOf } from "../../support/run-plans.ts";

const said = "<think>Is <b>this</b> right?\nYes.</think>\nDear Ada,\nhello.";

test("what llm tasks and agents give is without the thoughts of their model", async () => {
  const ask = {
    execution_type: "llm" as const,
    tool_id: null,
    parameters: { uid: "w" },
    arguments: { prompt: "Write." },
  };
  const executors = [llmExecutor([defineLlm({ id: "w", description: "", model: scriptedModel([said]) })])];
  const byTask = await run(planOf({ t: [] }, { t: ask }), { executors });
  expect(byTask.results[0]?.output).toMatchObject({ text: "Dear Ada,\nhello." });
  const byAgent = await run(agentPlan(), { executors: agentWorld(scriptedModel([said]), {}).executors });
  expect(byAgent.output_data).toEqual({ work: { text: "Dear Ada,\nhello." } });
});

test("an llm task whose model gave thoughts alone is tried again, and is no completed one", async () => {
  const ask = {
    execution_type: "llm" as const,
    tool_id: null,
    parameters: { uid: "w" },
    arguments: { prompt: "Write." },
    retry: { max_attempts: 2, initial_delay_ms: 0 },
  };
  const runWith = (...answers: string[]) => {
    const executors = [llmExecutor([defineLlm({ id: "w", description: "", model: scriptedModel(answers) })])];
    return run(planOf({ t: [] }, { t: ask }), { executors });
  };
  const thought = "<think>Hm.</think>";
  expect((await runWith(thought, "Hello")).results[0]).toMatchObject({
    status: "completed",
    output: { text: "Hello" },
  });
  expect((await runWith(thought, thought)).results[0]).toMatchObject({
    status: "failed",
    error: { code: "TASK_OUTPUT_INVALID", message: expect.stringContaining("thoughts alone") },
  });
});

test.each([
  ["Plain text. ", "Plain text. "],
  ["I think.\n</think>\n\nThe answer.", "The answer."],
  ["End the thought with `</think>` and go on.", "End the thought with `</think>` and go on."],
  ["Write <think>so</think> there.", "Write <think>so</think> there."],
  ["<think>One <think>two</think></think> See `</think>`.\n", "See `</think>`."],
  ["<think>It never ends", ""],
])("%j is seen as %j", (text, seen) => {
  expect(afterThinking(text)).toBe(seen);
});
