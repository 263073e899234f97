import { openaiModel } from "@planloom/controller";
import { type ChatStep, chatBehaviours, startChatServer } from "@planloom/controller/testing";
import { defineLlm, llmExecutor, memoryJournal, type RunOptions, run } from "@planloom/runtime";
import { expect, onTestFinished, test } from "vitest";
import { planOf } from "../support/run-plans.ts";

const long = "A long answer that is paid for as it is written. "
  .repeat(40)
  .slice(0, 1_000)
  .replaceAll(/\s/g, (_, at) => `${at} `);
const ask = {
  execution_type: "llm" as const,
  tool_id: null,
  parameters: { uid: "w" },
  arguments: { prompt: "Write." },
};

async function world(steps: readonly ChatStep[], options: Partial<RunOptions> = {}, own: object = {}) {
  const server = await startChatServer(steps, { repeat: true });
  onTestFinished(() => server.close());
  const prices = { m: { input: 0, output: 1_000_000 } };
  const model = openaiModel({ baseURL: server.baseURL, model: "m", apiKey: "k", environment: {}, prices, ...own });
  const executors = [llmExecutor([defineLlm({ id: "w", description: "Writes", model })])];
  const given = { max_attempts: 3, initial_delay_ms: 1 };
  const plan = planOf({ t: [] }, { t: ask });
  const result = await run(plan, {
    executors,
    journal: memoryJournal(),
    retryOn: { network: given, timeout: given },
    ...options,
  });
  return { server, result };
}

test("answers that break off are counted, and their cost too", async () => {
  const { server, result } = await world([
    chatBehaviours.drops(long, "middle"),
    chatBehaviours.drops(long, "middle"),
    { text: "Done." },
  ]);
  expect(result.end_reason).toBe("completed");
  expect(server.requests).toHaveLength(3);
  expect(result.usage.output_tokens).toBeGreaterThan(200);
  expect(result.usage.cost).toBe(result.usage.output_tokens);
});

test("a budget ends a run whose model breaks off again and again", async () => {
  const { server, result } = await world([chatBehaviours.drops(long, "middle")], { budgets: { run: { tokens: 150 } } });
  expect(result.end_reason).toBe("budget");
  expect(server.requests.length).toBeLessThan(3);
});

test("an answer that is stopped by a limit of time is counted", async () => {
  const slow = { text: long, pieceDelayMs: 5 };
  const byTask = await world([slow], { taskTimeoutMs: 150, retry: { max_attempts: 1 } });
  expect(byTask.result.results[0]?.error?.code).toBe("TASK_TIMEOUT");
  expect(byTask.result.usage.output_tokens).toBeGreaterThan(5);
  const byModel = await world([slow], { retry: { max_attempts: 1 } }, { timeoutMs: 150 });
  expect(byModel.result.usage.output_tokens).toBeGreaterThan(5);
  expect(byModel.result.usage.cost).toBe(byModel.result.usage.output_tokens);
});
