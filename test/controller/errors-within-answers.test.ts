import { ControllerErrorCode, openaiModel } from "@planloom/controller";
import { type ChatStep, startChatServer } from "@planloom/controller/testing";
import { expect, onTestFinished, test } from "vitest";

async function asked(steps: readonly ChatStep[]) {
  const server = await startChatServer(steps);
  onTestFinished(() => server.close());
  const options = { baseURL: server.baseURL, model: "m", apiKey: "k", environment: {}, retryDelayMs: 1 };
  const answer = openaiModel(options).generate({ messages: [{ role: "user", content: "Hi" }] });
  return { answer, server };
}

const written = 'data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n';
const streamed = (error: object): ChatStep => {
  return {
    status: 200,
    headers: { "content-type": "text/event-stream" },
    body: `${written}data: ${JSON.stringify({ error })}\n\n`,
  };
};
const whole = (error: object): ChatStep => ({ status: 200, body: JSON.stringify({ error }) });

test.each([
  { message: "The server had an error", type: "server_error", code: null },
  { message: "Overloaded", type: "overloaded_error" },
  { message: "Rate limit reached", type: "tokens", code: "rate_limit_exceeded" },
  { message: "Try later", status: "UNAVAILABLE" },
])("an error within an answer that its code says is passing is asked again: %j", async (error) => {
  for (const step of [streamed(error), whole(error)]) {
    const { answer, server } = await asked([step, { text: "Hello" }]);
    expect(await answer).toMatchObject({ text: "Hello", requests: 2 });
    expect(server.left).toBe(0);
  }
});

test.each([
  [{ message: "You exceeded it", type: "insufficient_quota", code: "insufficient_quota" }, ControllerErrorCode.QUOTA],
  [
    { message: "Too long", type: "invalid_request_error", code: "context_length_exceeded" },
    ControllerErrorCode.CONTEXT_EXCEEDED,
  ],
  [{ message: "No such key", type: "authentication_error" }, ControllerErrorCode.AUTH],
])("an error within an answer that asking again does not help says what it is: %j", async (error, code) => {
  const { answer, server } = await asked([streamed(error)]);
  await expect(answer).rejects.toMatchObject({ code, retryable: false });
  expect(server.requests).toHaveLength(1);
});

test("an answer after one that broke off has the use of both; without an answer the use is said all the same", async () => {
  const text = "One two three four five six seven eight nine ten.";
  const { answer } = await asked([{ text, drop: "middle" }, { text }]);
  const { usage } = await answer;
  expect(usage).toMatchObject({ estimated: true });
  expect(usage?.inputTokens).toBeGreaterThan(7);
  expect(usage?.outputTokens).toBeGreaterThan(3);
  const broken = await asked([
    { text, drop: "middle" },
    { status: 400, body: "no" },
  ]);
  await expect(broken.answer).rejects.toMatchObject({ details: { usage: { estimated: true } } });
  const server = await startChatServer([{ text, pieceDelayMs: 20 }]);
  onTestFinished(() => server.close());
  const stop = new AbortController();
  const spent: unknown[] = [];
  const model = openaiModel({ baseURL: server.baseURL, model: "m", environment: {} });
  const aborted = model.generate(
    { messages: [{ role: "user", content: "Hi" }] },
    { signal: stop.signal, onDelta: () => stop.abort(new Error("Stop.")), onSpent: (usage) => spent.push(usage) },
  );
  await expect(aborted).rejects.toThrow("Stop.");
  expect(spent).toEqual([{ inputTokens: 1, outputTokens: 3, estimated: true }]);
});

test.each(["insufficient_system_resource", "error", "abort"])(
  "an answer that its endpoint broke off with %s is asked for again",
  async (finishReason) => {
    for (const ignoresStream of [true, false]) {
      const { answer } = await asked([{ text: "Half of", finishReason, ignoresStream }, { text: "All of it" }]);
      expect(await answer).toMatchObject({ text: "All of it", requests: 2 });
    }
    const never = await asked([1, 2, 3].map(() => ({ text: "Half of", finishReason })));
    await expect(never.answer).rejects.toThrow(`broke its answer off (finish_reason \\"${finishReason}\\")`);
  },
);

test("an answer that reached the length of the model is one that was cut off", async () => {
  const { answer } = await asked([{ text: "Half of", finishReason: "model_length" }]);
  expect(await answer).toMatchObject({ finishReason: "length" });
});

test.each(["failed", "cancelled"])(
  "a response that ended as %s, without an error, is asked for again",
  async (status) => {
    const half = {
      output: [{ type: "message", content: [{ type: "output_text", text: "Half of" }] }],
      status,
      error: null,
    };
    const server = await startChatServer([{ status: 200, body: JSON.stringify(half) }, { text: "All of it" }]);
    onTestFinished(() => server.close());
    const model = openaiModel({
      baseURL: server.baseURL,
      model: "m",
      environment: {},
      retryDelayMs: 1,
      api: "responses",
    });
    const answer = await model.generate({ messages: [{ role: "user", content: "Hi" }] });
    expect(answer).toMatchObject({ text: "All of it", requests: 2 });
  },
);

test.for(["chat", "responses"] as const)(
  "numbers of tokens that are none count as not said, so that they are a guess: %s",
  async (api) => {
    for (const [input, output] of [
      [-5, -7],
      [1e13, 3],
      [Number.NaN, 3],
    ] as const) {
      const server = await startChatServer([
        { text: "Hello", usage: { prompt_tokens: input, completion_tokens: output } },
      ]);
      onTestFinished(() => server.close());
      const prices = { m: { input: 1, output: 1 } };
      const options = { api, baseURL: server.baseURL, model: "m", apiKey: "k", environment: {}, prices };
      const answer = await openaiModel(options).generate({ messages: [{ role: "user", content: "Hi" }] });
      expect(answer).toMatchObject({ text: "Hello", usage: { inputTokens: 1, outputTokens: 2, estimated: true } });
    }
  },
);

test("a redirect is not asked again", async () => {
  const { answer, server } = await asked([{ status: 307, headers: { location: "http://127.0.0.1:9/" } }]);
  await expect(answer).rejects.toMatchObject({ code: ControllerErrorCode.STATUS, retryable: false });
  expect(server.requests).toHaveLength(1);
});
