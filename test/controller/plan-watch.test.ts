import { LlmController, openaiModel } from "@planloom/controller";
import { chatBehaviours, startChatServer } from "@planloom/controller/testing";
import { expect, test } from "vitest";

const request = { search_id: "s", phase_1_data: { task_input_data: "Go", n_history_samples: 0, llm_data: {} } };

async function watch(tasks: readonly object[]) {
  await using server = await startChatServer([chatBehaviours.answers({ tasks })]);
  const model = openaiModel({ baseURL: server.baseURL, model: "m", environment: {}, maxRetries: 0 });
  return await new LlmController({ model }).processPhase1(request).catch((error: unknown) => error);
}

test("a plan with the same task again and again is stopped while it is written", async () => {
  const tasks = Array.from({ length: 60 }, (_, index) => ({
    task_id: `t${index}`,
    tool_id: "mail",
    arguments: { to: "Ada" },
  }));
  const error = await watch(tasks);
  expect(error).toMatchObject({
    code: "CONTROLLER_RUNAWAY",
    retryable: true,
    message: expect.stringMatching(/same task|task "t7" 8 times.*stopped after \d+ characters/),
    details: { tasks: 8 },
  });
});

test("one with more tasks than its schema allows likewise; as many as it allows are read", async () => {
  const tasks = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      task_id: `t${index}`,
      tool_id: "mail",
      arguments: { number: index },
    }));
  expect(await watch(tasks(40))).toMatchObject({ code: "CONTROLLER_RUNAWAY", details: { tasks: 25 } });
  expect(await watch(tasks(24))).toMatchObject({ success: true });
});
