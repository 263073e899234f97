import { LlmController, type ModelCall, openaiModel } from "@planloom/controller";
import { chatBehaviours, startChatServer } from "@planloom/controller/testing";
import { expect, test } from "vitest";

const request = { search_id: "s", phase_1_data: { task_input_data: "Go", n_history_samples: 0, llm_data: {} } };

async function watch(tasks: readonly object[], calls: ModelCall[] = []) {
  await using server = await startChatServer([chatBehaviours.answers({ tasks })]);
  const model = openaiModel({ baseURL: server.baseURL, model: "m", environment: {}, maxRetries: 0 });
  return await new LlmController({ model, onCall: (call) => calls.push(call) })
    .processPhase1(request)
    .catch((error: unknown) => error);
}

const mail = (index: number) => ({
  task_id: `t${index}`,
  for: `mail number ${index}`,
  tool_id: "mail",
  arguments: { to: "Ada" },
  after: [`t${index + 1}`],
});

test("an answer with the same call again and again is stopped while it is written, and what came before is read", async () => {
  const other = { ...mail(0), arguments: { to: "Ida" } };
  const calls: ModelCall[] = [];
  const reply = await watch([other, ...Array.from({ length: 60 }, (_, index) => mail(index + 1))], calls);
  expect(reply).toMatchObject({ success: true, data: [{ arguments: { to: "Ida" } }, { arguments: { to: "Ada" } }] });
  expect((reply as { data: unknown[] }).data).toHaveLength(2);
  expect(calls).toMatchObject([
    {
      reply: {
        usage: { estimated: true, outputTokens: expect.any(Number) },
        adjustments: [expect.stringContaining("repeated the same call")],
      },
    },
  ]);
  expect(calls[0]!.reply!.usage!.outputTokens).toBeLessThan(500);
});

test("what an answer cost that was stopped for its number of tasks is guessed", async () => {
  const calls: ModelCall[] = [];
  const tasks = Array.from({ length: 40 }, (_, index) => ({ ...mail(index), arguments: { number: index } }));
  // It never says how many tokens there were: the connection stays open.
  const events = JSON.stringify({ tasks })
    .match(/.{1,200}/g)!
    .map((content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const event of events) controller.enqueue(Buffer.from(event));
    },
  });
  const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
  const model = openaiModel({ baseURL: "http://127.0.0.1:1/v1", model: "m", environment: {}, maxRetries: 0, fetch });
  await new LlmController({ model, onCall: (call) => calls.push(call) }).processPhase1(request).catch(() => undefined);
  expect(calls).toMatchObject([{ usage: { estimated: true, inputTokens: expect.any(Number) } }]);
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

test("a task that grows far beyond the request is stopped: by its values, or by its length", async () => {
  const rows = (count: number) => Array.from({ length: count }, (_, index) => index);
  const task = (values: object) => [{ task_id: "t", tool_id: "mail", arguments: values }];
  expect(await watch(task({ rows: rows(5_000) }))).toMatchObject({
    code: "CONTROLLER_RUNAWAY",
    message: expect.stringMatching(/had a task with more than \d+ values, and was stopped after \d+ characters/),
  });
  expect(await watch(task({ text: rows(20_000).join(" ") }))).toMatchObject({
    code: "CONTROLLER_RUNAWAY",
    message: expect.stringMatching(/had a task of more than \d+ characters/),
  });
  expect(await watch(task({ rows: rows(200), text: rows(2_000).join(" ") }))).toMatchObject({ success: true });
});
