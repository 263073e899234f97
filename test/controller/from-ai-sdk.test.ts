import { inspect } from "node:util";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { APICallError, type LanguageModelV2, UnsupportedFunctionalityError } from "@ai-sdk/provider";
import { type AiSdkLanguageModel, fromAiSdk, LlmController, type ModelRequest } from "@planloom/controller";
import { wrapLanguageModel } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV3, MockLanguageModelV4 } from "ai/test";
import { describe, expect, onTestFinished, test, vi } from "vitest";

const user = { role: "user", content: "Hi" } as const;
const usage = {
  inputTokens: { total: 10, noCache: 4, cacheRead: 6, cacheWrite: 0 },
  outputTokens: { total: 5, text: 2, reasoning: 3 },
};
const schema = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] } as const;
const asksForValue: ModelRequest = { messages: [user], schema: { name: "value", schema } };

/** A mock of the AI SDK that answers with these texts, one a call. */
function mock(...texts: readonly (string | Error)[]) {
  let next = 0;
  return new MockLanguageModelV4({
    modelId: "m",
    provider: "acme.chat",
    doStream: async () => {
      const text = texts[Math.min(next++, texts.length - 1)]!;
      if (text instanceof Error) throw text;
      return {
        stream: convertArrayToReadableStream([
          { type: "stream-start" as const, warnings: [] },
          { type: "text-start" as const, id: "1" },
          { type: "text-delta" as const, id: "1", delta: text },
          { type: "text-end" as const, id: "1" },
          { type: "finish" as const, usage, finishReason: { unified: "stop" as const, raw: "end" } },
        ]),
      };
    },
  });
}

describe("the mock models of the AI SDK", () => {
  test("of v4 gets settings, provider options and effort, and gives text and usage", async () => {
    const sdk = mock("Hello");
    const model = fromAiSdk(sdk, { providerOptions: { acme: { cache: true } }, reasoningEffort: "low", maxTokens: 50 });
    const reply = await model.generate({
      messages: [{ role: "system", content: "Be brief." }, user],
      temperature: 0.3,
      maxTokens: 90,
      extra: { seed: 7, stop: "END", tier: "fast" },
    });
    expect(reply).toEqual({
      text: "Hello",
      toolCalls: [],
      model: "m",
      finishReason: "stop",
      usage: { inputTokens: 10, outputTokens: 5, cachedInputTokens: 6, reasoningTokens: 3 },
    });
    expect(sdk.doStreamCalls[0]).toMatchObject({
      prompt: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "Hi" }] },
      ],
      temperature: 0.3,
      maxOutputTokens: 50,
      seed: 7,
      stopSequences: ["END"],
      reasoning: "low",
      providerOptions: { acme: { cache: true, tier: "fast" } },
    });
    expect(sdk.doStreamCalls[0]).not.toHaveProperty("stream");
    expect(model).toMatchObject({ name: "m", timeoutMs: 180_000 });
  });

  test("of v3 gives calls and thoughts, and has them back as parts", async () => {
    const thought = { type: "reasoning", text: "Hm.", providerMetadata: { acme: { signature: "S" } } } as const;
    const call = { type: "tool-call", toolCallId: "c1", toolName: "weather", input: '{"city":"Lyon"}' } as const;
    const sdk = new MockLanguageModelV3({
      provider: "acme",
      doGenerate: [
        { content: [thought, call], usage, finishReason: { unified: "tool-calls", raw: "t" }, warnings: [] },
        { content: [{ type: "text", text: "Warm" }], usage, finishReason: { unified: "stop", raw: "s" }, warnings: [] },
      ],
    });
    const model = fromAiSdk(sdk, { stream: false });
    const reply = await model.generate({ messages: [user] });
    expect(reply).toMatchObject({ toolCalls: [{ id: "c1", name: "weather" }], finishReason: "tool_calls" });
    const turn = { role: "assistant", content: reply.text, toolCalls: reply.toolCalls } as const;
    const result = { role: "tool", toolCallId: "c1", content: "20" } as const;
    await model.generate({ messages: [user, turn, result, result] });
    expect(sdk.doGenerateCalls[1]?.prompt.slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm.", providerOptions: { acme: { signature: "S" } } },
          { type: "tool-call", toolCallId: "c1", toolName: "weather", input: { city: "Lyon" } },
        ],
      },
      {
        role: "tool",
        content: [0, 1].map(() => ({
          type: "tool-result",
          toolCallId: "c1",
          toolName: "weather",
          output: { type: "text", value: "20" },
        })),
      },
    ]);
  });

  test("plan for a controller, and a plan it cannot be asked for as JSON is asked for otherwise", async () => {
    const refusal = new UnsupportedFunctionalityError({ functionality: "response_format json_schema" });
    const sdk = mock(refusal, '{"a": 1}');
    const model = fromAiSdk(sdk, { retryDelayMs: 1 });
    const reply = await model.generate(asksForValue);
    expect(reply).toMatchObject({ text: '{"a": 1}', requests: 2, adjustments: [expect.stringContaining("refused")] });
    expect(sdk.doStreamCalls.map(({ responseFormat }) => responseFormat?.type)).toEqual(["json", undefined]);
    expect(new LlmController({ model }).name).toContain("m");
  });
});

test("a model of v2 has plain counts and reasons", async () => {
  const v2: LanguageModelV2 = {
    specificationVersion: "v2",
    provider: "old",
    modelId: "o",
    supportedUrls: {},
    doStream: () => Promise.reject(new Error("not asked")),
    doGenerate: async () => ({
      content: [{ type: "text", text: "Hi" }],
      finishReason: "length",
      usage: { inputTokens: 9, outputTokens: 4, totalTokens: 13, cachedInputTokens: 8, reasoningTokens: 1 },
      warnings: [],
    }),
  };
  expect(await fromAiSdk(v2, { stream: false }).generate({ messages: [user] })).toMatchObject({
    text: "Hi",
    finishReason: "length",
    usage: { inputTokens: 9, outputTokens: 4, cachedInputTokens: 8, reasoningTokens: 1 },
  });
});

describe("faults", () => {
  test("an error of the provider keeps its status, and what was sent is not in it", async () => {
    const error = new APICallError({
      message: "boom",
      url: "https://acme.example/v1",
      requestBodyValues: { secret: "PROMPT" },
      statusCode: 500,
      responseBody: '{"error":{"message":"boom"}}',
    });
    const sdk = mock(error, "Hello");
    expect(await fromAiSdk(sdk, { retryDelayMs: 1 }).generate({ messages: [user] })).toMatchObject({ requests: 2 });
    const thrown = await fromAiSdk(mock(error), { maxRetries: 0 })
      .generate({ messages: [user] })
      .catch((caught: unknown) => caught);
    expect(thrown).toMatchObject({ code: "CONTROLLER_STATUS", details: { status: 500 } });
    const reported = thrown as Error & { details: object };
    expect(JSON.stringify([reported.message, reported.details, reported.cause])).not.toContain("PROMPT");
  });

  test("an answer that runs away or falls silent is ended, and its stream cancelled", async () => {
    let cancelled = 0;
    const endless = (delta: string, pieces: number) =>
      new MockLanguageModelV4({
        doStream: async () => ({
          stream: new ReadableStream({
            pull(controller) {
              if (pieces-- > 0) controller.enqueue({ type: "text-delta", id: "1", delta });
              else return new Promise(() => undefined);
            },
            cancel: () => void cancelled++,
          }),
        }),
      });
    const run = (sdk: MockLanguageModelV4) =>
      fromAiSdk(sdk, { maxRetries: 0, idleTimeoutMs: 20 }).generate({ messages: [user] });
    await expect(run(endless("and then we go on ", 3_000))).rejects.toMatchObject({ code: "CONTROLLER_RUNAWAY" });
    await expect(run(endless("Hm", 1))).rejects.toMatchObject({ code: "CONTROLLER_TIMEOUT", details: { idle: true } });
    expect(cancelled).toBe(2);
  });

  const never = () => new Promise<never>(() => undefined);
  const partly = (...parts: readonly object[]) => ({
    // One that never ends once it has given its parts, and hears of no abort.
    stream: new ReadableStream({
      start: (controller) => parts.forEach((part) => void controller.enqueue(part)),
    }),
  });
  const hm = { type: "text-delta", id: "1", delta: "Hm" };
  test.for([
    ["begins no stream", { doStream: never }],
    ["streams nothing", { doStream: async () => partly() }],
    ["falls silent", { doStream: async () => partly({ type: "text-start", id: "1" }, hm) }],
    ["gives no answer", { doGenerate: never }],
  ] as const)("a model that takes no notice of its signal and %s is not waited for", async ([, calls]) => {
    const sdk = new MockLanguageModelV4(calls as object);
    const options = { maxRetries: 0, stream: "doStream" in calls };
    // Real time: the limit of the call is what is tested.
    await expect(fromAiSdk(sdk, { ...options, timeoutMs: 20 }).generate({ messages: [user] })).rejects.toMatchObject({
      code: "CONTROLLER_TIMEOUT",
      details: { timeoutMs: 20 },
    });
    const controller = new AbortController();
    const given = fromAiSdk(sdk, options).generate({ messages: [user] }, { signal: controller.signal });
    // Real time: the call has to be under way.
    setTimeout(() => controller.abort("enough"), 10);
    await expect(given).rejects.toBe("enough");
  });

  test("a stream that comes after the call was given up is cancelled", async () => {
    let cancelled = 0;
    const late = new ReadableStream({ cancel: () => void cancelled++ });
    let give = (): void => {};
    const sdk = new MockLanguageModelV4({
      doStream: () => new Promise((resolve) => (give = () => resolve({ stream: late as never }))),
    });
    const controller = new AbortController();
    const given = fromAiSdk(sdk).generate({ messages: [user] }, { signal: controller.signal });
    await vi.waitFor(() => expect(sdk.doStreamCalls).toHaveLength(1));
    controller.abort("enough");
    await expect(given).rejects.toBe("enough");
    give();
    await vi.waitFor(() => expect(cancelled).toBe(1));
  });

  test.for([
    ["says that it broke off", { type: "finish", usage, finishReason: { unified: "error", raw: "oops" } }],
    ["was interrupted", { type: "finish", usage, finishReason: { unified: "interrupted", raw: undefined } }],
    ["has no reason to end and no count", { type: "finish", finishReason: { unified: "other", raw: undefined } }],
    ["has an unknown reason and no count", { type: "finish", finishReason: "unknown" }],
    ["lost its connection", new TypeError("terminated")],
    ["was reset", Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" })],
  ] as const)("an answer that %s is asked for again", async ([, end]) => {
    let asked = 0;
    const whole = mock("Hello");
    const sdk = new MockLanguageModelV4({
      doStream: async (options) => {
        asked++;
        if (asked > 1) return whole.doStream(options);
        let pieces = 1;
        const stream = new ReadableStream({
          pull(controller) {
            if (pieces-- > 0) controller.enqueue(hm);
            else if (end instanceof Error) controller.error(end);
            else {
              controller.enqueue(end);
              controller.close();
            }
          },
        });
        return { stream } as never;
      },
    });
    const { text, requests } = await fromAiSdk(sdk, { retryDelayMs: 1 }).generate({ messages: [user] });
    expect([text, requests, asked]).toEqual(["Hello", 2, 2]);
  });

  test("a web page in place of an answer is asked for once (a real provider's package)", async () => {
    let asked = 0;
    const page = async () => {
      asked++;
      return new Response("<html><title>Sign in</title></html>", { headers: { "content-type": "text/html" } });
    };
    const sdk = createAnthropic({ apiKey: "k", fetch: page })("m");
    const given = fromAiSdk(sdk, { retryDelayMs: 1, stream: false }).generate({ messages: [user] });
    await expect(given).rejects.toMatchObject({
      ...{ code: "CONTROLLER_PROTOCOL", retryable: false, message: expect.stringContaining('a web page ("Sign in")') },
    });
    expect(asked).toBe(1);
  });

  /** What a provider of the real packages was given in code, and what repeats it: a proxy, or the service itself. */
  const repeats =
    (status: number, text: (headers: Headers, url: string) => string) => async (url: unknown, init: unknown) => {
      const { headers } = init as { headers: Record<string, string> };
      return new Response(text(new Headers(headers), String(url)), { status });
    };
  const all = (headers: Headers, url: string) => `refused: ${JSON.stringify([...headers])} at ${url}`;

  test.for([
    {
      name: "Anthropic",
      make: (fetch: typeof globalThis.fetch) => createAnthropic({ apiKey: "my-own-form-of-key", fetch })("m"),
    },
    {
      name: "Google",
      make: (fetch: typeof globalThis.fetch) => createGoogleGenerativeAI({ apiKey: "my-own-form-of-key", fetch })("m"),
    },
    {
      name: "a header of one's own",
      make: (fetch: typeof globalThis.fetch) =>
        createAnthropic({ apiKey: "k", headers: { authorization: "Bearer my-own-form-of-key" }, fetch })("m"),
    },
    {
      name: "behind middleware, by its form",
      key: "sk-ant-api03-0a1b2c3d4e5f",
      make: (fetch: typeof globalThis.fetch) =>
        wrapLanguageModel({
          model: createAnthropic({ apiKey: "sk-ant-api03-0a1b2c3d4e5f", fetch })("m"),
          middleware: { specificationVersion: "v3" },
        }),
    },
  ])("a key given in code is in no error: $name", async ({ make, key = "my-own-form-of-key" }) => {
    for (const status of [200, 400, 401, 500]) {
      for (const stream of [true, false]) {
        const model = make(repeats(status, all) as typeof globalThis.fetch) as AiSdkLanguageModel;
        const options = { stream, retryDelayMs: 1, maxRetries: 0 };
        const error = await fromAiSdk(model, options)
          .generate({ messages: [user] })
          .catch((each: unknown) => each);
        expect(error).toMatchObject({ name: "ControllerError" });
        expect(inspect(error, { depth: 9 })).not.toContain(key);
      }
    }
  });

  test.for([
    ["Authorization: Bearer abcdef123456", "Authorization: Bearer [redacted]"],
    ["Incorrect API key provided: ab12-cd34-ef56-gh78.", "Incorrect API key provided: [redacted]"],
    ["GET /v1?key=abcdef123&alt=sse", "GET /v1?key=[redacted]&alt=sse"],
    ["bad key AIzaSyA0123456789012345678901234567890", "bad key [redacted]"],
    ["gsk_0123456789abcdef is unknown", "[redacted] is unknown"],
    ["max_tokens: 4096 > 2048 for sk-model", "max_tokens: 4096 > 2048 for sk-model"],
    ["The token budget is 100000, the key point", "The token budget is 100000, the key point"],
  ])("what looks like a key is taken out of an error: %s", async ([said, shown]) => {
    const error = new APICallError({
      message: said!,
      url: "https://acme.test",
      requestBodyValues: {},
      statusCode: 401,
    });
    const sdk = new MockLanguageModelV4({ doGenerate: () => Promise.reject(error) });
    const given = fromAiSdk(sdk, { stream: false, maxRetries: 0 }).generate({ messages: [user] });
    await expect(given).rejects.toMatchObject({ message: expect.stringContaining(shown!) });
  });

  test("a key of the environment is in no error", async () => {
    vi.stubEnv("ACME_API_KEY", "key-0123456789");
    onTestFinished(() => void vi.unstubAllEnvs());
    const error = new APICallError({
      message: "bad key key-0123456789",
      url: "https://acme.test",
      requestBodyValues: {},
      statusCode: 401,
      responseBody: '{"error":{"message":"bad key key-0123456789"}}',
    });
    const thrown = await fromAiSdk(mock(error))
      .generate({ messages: [user] })
      .catch((caught: unknown) => caught);
    expect(thrown).toMatchObject({ code: "CONTROLLER_AUTH", message: expect.stringContaining("bad key [redacted]") });
    const { message, details, cause } = thrown as Error & { details: object };
    expect(JSON.stringify([message, details, String(cause)])).not.toContain("0123456789");
  });

  test.for([undefined, null, Number.NaN])("an error that is %s is one with a code", async (thrown) => {
    const sdk = new MockLanguageModelV4({ doStream: () => Promise.reject(thrown) });
    await expect(fromAiSdk(sdk).generate({ messages: [user] })).rejects.toMatchObject({ code: "CONTROLLER_PROTOCOL" });
  });

  test("what is no language model is refused at once, and so is another name", async () => {
    const make = (value: unknown) => () => fromAiSdk(value as MockLanguageModelV4);
    expect(make("anthropic/claude")).toThrow(
      /language model of the AI SDK.*got the text "anthropic\/claude"; pass what/,
    );
    expect(make(undefined)).toThrow(/got undefined/);
    expect(make({ ...mock("x"), specificationVersion: "v1" })).toThrow(/specification "v1"/);
    expect(() => fromAiSdk(mock("x"), { timeout: 5 } as object)).toThrow(/timeoutMs/);
    await expect(fromAiSdk(mock("x")).generate({ messages: [user], model: "other" })).rejects.toMatchObject({
      code: "CONTROLLER_CONFIG",
      message: expect.stringContaining('asks for "other"'),
    });
  });
});
