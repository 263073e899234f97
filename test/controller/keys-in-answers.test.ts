import { inspect } from "node:util";
import {
  type AiSdkLanguageModel,
  fromAiSdk,
  HttpController,
  LlmController,
  type ModelCall,
  openaiModel,
} from "@planloom/controller";
import { MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";

const asks = { messages: [{ role: "user", content: "Hi" }] } as const;
const tool = { name: "act", arguments: "" };

/** An endpoint that answers with what it was sent: its headers stand in the text, the calls, the thoughts and the model's name. */
const echo = (isStream: boolean) => async (_: unknown, init: unknown) => {
  const said = JSON.stringify([...new Headers((init as RequestInit).headers)]);
  const call = { index: 0, id: said, type: "function", function: { ...tool, arguments: JSON.stringify({ said }) } };
  const message = { content: said, reasoning_content: said, tool_calls: [call] };
  if (!isStream) return Response.json({ model: said, choices: [{ message, finish_reason: "tool_calls" }] });
  const event = { model: said, choices: [{ delta: message, finish_reason: "tool_calls" }] };
  return new Response(`data: ${JSON.stringify(event)}\n\n`, { headers: { "content-type": "text/event-stream" } });
};

test.for([true, false])("a key that an endpoint repeats is in no answer; streamed: %s", async (stream) => {
  const heard: unknown[] = [];
  const model = openaiModel({
    baseURL: "http://127.0.0.1:1/v1",
    model: "m",
    apiKey: "my-own-key-0123456789",
    headers: { "x-api-key": "another-key-42-abcdef", "x-title": "project-of-2026" },
    environment: {},
    stream,
    fetch: echo(stream) as typeof fetch,
  });
  const reply = await model.generate(asks, { onDelta: (...pieces) => heard.push(pieces) });
  const seen = JSON.stringify([reply, heard]);
  expect(reply.toolCalls).toHaveLength(1);
  expect(seen).toContain("project-of-2026");
  expect(seen).not.toMatch(/my-own-key|another-key/);
});

test("nor does somebody who listens hear one that is split over the pieces of a stream", async () => {
  const key = "my-own-key-0123456789";
  const pieces = ["You sent ", "my", "-own-key-01234", "56789", ". That is my", "-ow"];
  const event = (delta: object, more = {}) => `data: ${JSON.stringify({ choices: [{ delta, ...more }] })}\n\n`;
  const thoughts = pieces.map((piece) => event({ reasoning_content: piece }));
  const body = [...thoughts, ...pieces.map((content) => event({ content })), event({}, { finish_reason: "stop" })];
  const heard: { text: string; said: string }[] = [];
  const model = openaiModel({
    baseURL: "http://127.0.0.1:1/v1",
    model: "m",
    apiKey: key,
    environment: {},
    fetch: async () => new Response(body.join(""), { headers: { "content-type": "text/event-stream" } }),
  });
  const onDelta = (text: string, said = "") => heard.push({ text, said });
  await model.generate(asks, { onDelta });
  const clean = "You sent [redacted]. That is my-ow";
  expect(heard.map(({ said }) => said).join("")).toBe(clean);
  expect(heard.map(({ text }) => text).join("")).toBe(clean + clean);
});

test("a key that is a word stays in answers", async () => {
  const answer = { choices: [{ message: { content: "Start ollama, then localserver." }, finish_reason: "stop" }] };
  const options = { baseURL: "http://127.0.0.1:1/v1", model: "m", environment: {}, stream: false };
  for (const apiKey of ["ollama", "localserver"]) {
    const fetch = async () => Response.json(answer);
    const { text } = await openaiModel({ ...options, apiKey, fetch }).generate(asks);
    expect(text).toBe("Start ollama, then localserver.");
  }
});

test("likewise a key that a provider of the AI SDK sends", async () => {
  const sdk = new MockLanguageModelV4({
    doGenerate: async () =>
      ({
        content: [{ type: "text", text: "You sent my-own-key-0123456789." }],
        finishReason: "stop",
        usage: {},
      }) as never,
  });
  Object.assign(sdk, { config: { headers: () => ({ authorization: "Bearer my-own-key-0123456789" }) } });
  const { text } = await fromAiSdk(sdk as AiSdkLanguageModel, { stream: false }).generate(asks);
  expect(text).toBe("You sent [redacted].");
});

const keyGiven = "my-own-key-0123456789";
const asksWithKey = {
  search_id: "s",
  phase_1_data: {
    task_input_data: "P",
    n_history_samples: 0,
    llm_data: { top_p: 1, extra_headers: { Authorization: `Bearer ${keyGiven}` } },
  },
};
const repeatsKey = (status: number) => async (_: unknown, init: unknown) => {
  const { body } = init as { body: string };
  return Response.json({ error: { message: body.includes(keyGiven) ? `Wrong key ${keyGiven}` : "None" } }, { status });
};

test.for([400, 401, 500])("a key in `llm_data` is sent, and is in no error that repeats it: %i", async (status) => {
  const fetch = repeatsKey(status) as typeof globalThis.fetch;
  const calls: ModelCall[] = [];
  const options = { environment: {}, model: "m", maxRetries: 0, fetch };
  const model = openaiModel({ baseURL: "http://127.0.0.1:1/v1", ...options });
  for (const controller of [
    new HttpController({ url: "http://127.0.0.1:1", retries: 0, fetch }),
    new LlmController({ model, onCall: (call) => calls.push(call) }),
  ]) {
    const error = await controller.processPhase1(asksWithKey).catch((caught: Error) => caught);
    expect(inspect(error, { depth: 9 })).toContain("Wrong key");
    expect(inspect(error, { depth: 9 })).not.toContain(keyGiven);
  }
  expect(calls.map(({ request }) => request.extra)).toEqual([
    { top_p: 1, extra_headers: { Authorization: "[redacted]" } },
  ]);
});
