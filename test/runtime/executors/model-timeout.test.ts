import { setTimeout as wait } from "node:timers/promises";
import { ControllerError, type Model } from "@planloom/controller";
import { defineLlm, llmExecutor, run } from "@planloom/runtime";
import { expect, test } from "vitest";
import { planOf } from "../../support/run-plans.ts";

const plan = (more: object = {}) =>
  planOf({ a: [] }, { a: { execution_type: "llm", tool_id: null, parameters: { uid: "m" }, ...more } });
const limitOf = (timeoutMs?: number) => {
  const model: Model = {
    name: "m",
    ...(timeoutMs !== undefined && { timeoutMs }),
    async generate(_, { signal } = {}) {
      await wait(400, undefined, { signal });
      return { text: "Late.", toolCalls: [] };
    },
  };
  return llmExecutor([defineLlm({ id: "m", description: "", model })]);
};

test("an llm task has the time of its model, where nobody says otherwise", () => {
  expect(limitOf(900_000).timeoutMs?.("m")).toBe(901_000);
  expect(limitOf().timeoutMs?.("m")).toBe(180_000);
});

test("the model's limit holds: a task is cut by it, and by the run's or its own where they say one", async () => {
  const retry = { max_attempts: 1 };
  const whole = await run(plan(), { executors: [limitOf(900_000)], retry });
  expect(whole.end_reason).toBe("completed");
  const ofRun = await run(plan(), { executors: [limitOf(900_000)], retry, taskTimeoutMs: 50 });
  expect(ofRun.results[0]?.error).toMatchObject({
    code: "TASK_TIMEOUT",
    message: expect.stringMatching(/50 ms.*`taskTimeoutMs` of the run.*`timeoutMs`/s),
  });
  const ofTask = await run(plan({ timeout_ms: 50 }), { executors: [limitOf(900_000)], retry });
  expect(ofTask.results[0]?.error).toMatchObject({ code: "TASK_TIMEOUT", details: { timeout_ms: 50 } });
});

test("what a model cannot do is not tried again, whatever the run's policy of retries", async () => {
  let calls = 0;
  const model: Model = {
    name: "m",
    async generate() {
      calls += 1;
      throw new ControllerError("CONTROLLER_QUOTA", "No credit is left.");
    },
  };
  const executors = [llmExecutor([defineLlm({ id: "m", description: "", model })])];
  const result = await run(plan(), { executors, retry: { max_attempts: 3, initial_delay_ms: 1 } });
  expect(result.results[0]?.error).toMatchObject({ details: { error_code: "CONTROLLER_QUOTA" } });
  expect(calls).toBe(1);
});
