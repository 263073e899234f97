import { inspect } from "node:util";
import { ControllerErrorCode, type Model, type OpenaiModelOptions, openaiModel } from "@planloom/controller";
import { type ChatServer, type ChatStep, chatBehaviours, startChatServer } from "@planloom/controller/testing";
import { afterEach, describe, expect, test } from "vitest";

const schema = {
  name: "plan",
  schema: { type: "object", properties: { tasks: { type: "array" } }, required: ["tasks"] },
} as const;
const plan = { tasks: [{ task_id: "a", execution_type: "tool", tool_id: "facilities_list", arguments: {} }] };
const asksForPlan = { messages: [{ role: "user", content: "Plan it." }], schema } as const;
const asksForText = { messages: [{ role: "user", content: "Say it." }] } as const;

const servers: ChatServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(steps: readonly ChatStep[], refuses: readonly string[] = []): Promise<ChatServer> {
  const server = await startChatServer(steps, { refuses });
  servers.push(server);
  return server;
}

function modelAt(server: ChatServer, options: OpenaiModelOptions = {}): Model {
  return openaiModel({
    baseURL: server.baseURL,
    model: "m",
    apiKey: "sk-test-123456",
    retryDelayMs: 1,
    environment: {},
    ...options,
  });
}

const withField = (server: ChatServer, field: string) =>
  server.requests.map((request) => request.body?.[field] !== undefined);

describe("an answer", () => {
  test("comes with text, usage, cost, model and finish reason", async () => {
    const server = await serve([chatBehaviours.answers("Hello")]);
    const model = modelAt(server, { prices: { m: { input: 1_000_000, output: 2_000_000 } } });
    expect(await model.generate({ ...asksForText, temperature: 0.5, maxTokens: 9 })).toEqual({
      text: "Hello",
      toolCalls: [],
      usage: { inputTokens: 7, outputTokens: 3, cost: 13 },
      model: "m",
      finishReason: "stop",
    });
    expect(server.requests[0]).toMatchObject({
      method: "POST",
      path: "/v1/chat/completions",
      headers: { authorization: "Bearer sk-test-123456" },
      body: { model: "m", temperature: 0.5, max_tokens: 9, messages: [{ role: "user", content: "Say it." }] },
    });
  });

  test("needs no key from a server that asks for none", async () => {
    const server = await serve([chatBehaviours.answers("Hello")]);
    await openaiModel({ baseURL: server.baseURL, model: "m", environment: {} }).generate(asksForText);
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  test("takes key, URL and model from the environment", async () => {
    const server = await serve([chatBehaviours.answers("Hello")]);
    const environment = { OPENAI_API_KEY: "sk-from-env", OPENAI_BASE_URL: server.baseURL, PLANLOOM_MODEL: "e" };
    await openaiModel({ environment, apiKey: "", baseURL: "", model: "" }).generate(asksForText);
    expect(server.requests[0]).toMatchObject({
      headers: { authorization: "Bearer sk-from-env" },
      body: { model: "e" },
    });
  });

  test("keeps reasoning that the server parts from the text", async () => {
    const server = await serve([chatBehaviours.thinksApart("Yes")]);
    expect((await modelAt(server).generate(asksForText)).text).toBe("<think>Let me see.</think>Yes");
  });

  test("may be tool calls", async () => {
    const server = await serve([{ toolCalls: [{ name: "look", arguments: '{"at":1}' }] }]);
    const tools = [{ name: "look", description: "Looks.", parameters: { type: "object" } }];
    const reply = await modelAt(server).generate({ ...asksForText, tools, toolChoice: "required" });
    expect(reply).toMatchObject({
      text: "",
      finishReason: "tool_calls",
      toolCalls: [{ id: "call_0", name: "look", arguments: '{"at":1}' }],
    });
    expect(server.requests[0]?.body).toMatchObject({
      tool_choice: "required",
      tools: [{ function: { name: "look" } }],
    });
  });
});

describe("structured output", () => {
  test("is asked for as a response format", async () => {
    const server = await serve([chatBehaviours.answers(plan)]);
    const reply = await modelAt(server).generate(asksForPlan);
    expect(JSON.parse(reply.text)).toEqual(plan);
    expect(server.requests[0]?.body?.response_format).toMatchObject({
      type: "json_schema",
      json_schema: { name: "plan", schema: schema.schema },
    });
  });

  test.for([400, 404, 422, 500, 501])("falls back to a forced tool call after %i, and remembers it", async (status) => {
    const server = await serve([
      chatBehaviours.refuses("response_format", plan, status),
      chatBehaviours.answers(plan),
      chatBehaviours.answers(plan),
    ]);
    const model = modelAt(server);
    const reply = await model.generate(asksForPlan);
    expect(JSON.parse(reply.text)).toEqual(plan);
    expect(reply.toolCalls).toEqual([]);
    await model.generate(asksForPlan);
    expect(withField(server, "response_format")).toEqual([true, false, false]);
    expect(withField(server, "tool_choice")).toEqual([false, true, true]);
  });

  test("falls back to words when tools are refused too; other models of the endpoint are asked anew", async () => {
    const server = await serve(
      [chatBehaviours.answers(plan), chatBehaviours.answers(plan)],
      ["response_format", "tool_choice"],
    );
    const model = modelAt(server);
    await model.generate(asksForPlan);
    await model.generate(asksForPlan);
    expect(server.requests).toHaveLength(4);
    expect(JSON.stringify(server.requests[3]?.body?.messages)).toContain("JSON Schema");
    await expect(model.generate({ ...asksForPlan, model: "other" })).rejects.toMatchObject({
      details: { status: 418 },
    });
    expect(withField(server, "response_format").slice(4)).toEqual([true, false, false]);
  });

  test("is asked for differently next time when the format is ignored but the answer readable", async () => {
    const server = await serve([chatBehaviours.fenced(plan), chatBehaviours.answers(plan)]);
    const model = modelAt(server);
    expect((await model.generate(asksForPlan)).text).toContain("```");
    expect(server.requests).toHaveLength(1);
    await model.generate(asksForPlan);
    expect(withField(server, "tool_choice")).toEqual([false, true]);
  });

  test("is asked for again at once when the format is ignored and the answer is prose", async () => {
    const server = await serve([
      chatBehaviours.answers("I cannot do that."),
      { text: "Nor this.", ignoresTools: true },
      chatBehaviours.fenced(plan),
    ]);
    const reply = await modelAt(server).generate(asksForPlan);
    expect(reply.text).toContain("facilities_list");
    expect(reply.usage).toEqual({ inputTokens: 21, outputTokens: 9 });
    expect(reply.requests).toBe(3);
    expect(withField(server, "response_format")).toEqual([true, false, false]);
    expect(withField(server, "tool_choice")).toEqual([false, true, false]);
  });

  test("comes back after a prose answer, and is left out for longer each time it is ignored", async () => {
    const ignoring = { text: "In words.", ignoresTools: true };
    const steps = [ignoring, chatBehaviours.fenced(plan), chatBehaviours.fenced(plan)];
    const many = await serve([...steps, ...Array.from({ length: 12 }, () => chatBehaviours.fenced(plan))]);
    const model = modelAt(many);
    for (let count = 0; count < 12; count++) await model.generate(asksForPlan, { maxRequests: 1 });
    const asked = withField(many, "response_format").map((is, request) => (is ? request : -1));
    expect(asked.filter((request) => request >= 0)).toEqual([0, 3, 8]);

    const once = await serve([ignoring, ...Array.from({ length: 8 }, () => chatBehaviours.answers(plan))]);
    const other = modelAt(once);
    for (let count = 0; count < 8; count++) await other.generate(asksForPlan, { maxRequests: 1 });
    expect(withField(once, "response_format")).toEqual([true, false, false, true, true, true, true, true]);
  });

  test("of a caller with a budget of requests: refused parts are not counted against it, and an answer says how many it took", async () => {
    const answers = [chatBehaviours.answers(plan), chatBehaviours.answers(plan)];
    const server = await serve(answers, ["response_format", "temperature", "stream_options"]);
    const asked = { ...asksForPlan, temperature: 0 };
    const reply = await modelAt(server).generate(asked, { maxRequests: 1, onDelta: () => {} });
    expect(reply).toMatchObject({ requests: 4, refusedRequests: 3 });
    expect((await modelAt(server).generate(asked, { maxRequests: 1 })).requests).toBeUndefined();
    const fresh = await serve([chatBehaviours.fails(503), chatBehaviours.answers(plan)], ["response_format"]);
    expect(await modelAt(fresh).generate(asksForPlan)).toMatchObject({ requests: 3, refusedRequests: 1 });
    const failing = await serve([chatBehaviours.fails(503), chatBehaviours.fails(503)], ["response_format"]);
    await expect(modelAt(failing).generate(asksForPlan, { maxRequests: 2 })).rejects.toMatchObject({
      details: { tries: 3, refused: 1 },
    });
  });

  test("is not given up for an answer that was cut off, nor for one after a thought", async () => {
    const server = await serve([
      chatBehaviours.truncated(plan),
      chatBehaviours.thinksFirst(plan),
      chatBehaviours.answers(plan),
    ]);
    const model = modelAt(server);
    expect((await model.generate(asksForPlan)).finishReason).toBe("length");
    await model.generate(asksForPlan);
    await model.generate(asksForPlan);
    expect(withField(server, "response_format")).toEqual([true, true, true]);
  });

  test("goes on with max_completion_tokens, without temperature and without stream options", async () => {
    const server = await serve([chatBehaviours.answers(plan)], ["max_tokens", "temperature", "stream_options"]);
    await modelAt(server).generate({ ...asksForPlan, temperature: 0, maxTokens: 5 }, { onDelta: () => {} });
    expect(server.requests.at(-1)?.body).toMatchObject({ max_completion_tokens: 5, stream: true });
    expect(server.requests).toHaveLength(4);
  });
});

test("a refusal that names nothing of ours is an error at once", async () => {
  const server = await serve([chatBehaviours.fails(400, "temperature is too high, and so is max_tokens")]);
  await expect(modelAt(server).generate({ ...asksForText, maxTokens: 5 })).rejects.toMatchObject({
    code: ControllerErrorCode.STATUS,
  });
  expect(server.requests).toHaveLength(1);
});

describe("retries", () => {
  test.for([
    { name: "429", step: chatBehaviours.rateLimited("0") },
    { name: "500", step: chatBehaviours.fails(500) },
    { name: "503", step: chatBehaviours.fails(503, "busy") },
    { name: "a refused connection halfway", step: chatBehaviours.drops("Hello", "before") },
    { name: "a body that breaks off", step: chatBehaviours.drops("Hello, this is long enough", "middle") },
  ])("after $name", async ({ step }) => {
    const server = await serve([step, chatBehaviours.answers("Hello")]);
    expect((await modelAt(server).generate(asksForText)).text).toBe("Hello");
    expect(server.requests).toHaveLength(2);
  });

  test("after a stream that breaks off or ends early", async () => {
    const server = await serve([
      chatBehaviours.drops("A long enough text", "middle"),
      { text: "Half", endsEarly: true },
      chatBehaviours.answers("Hello"),
    ]);
    expect((await modelAt(server, { stream: true }).generate(asksForText)).text).toBe("Hello");
  });

  test("after a stream that falls silent", async () => {
    const server = await serve([chatBehaviours.slow("Never seen", 500), chatBehaviours.answers("Hello")]);
    expect((await modelAt(server, { stream: true, idleTimeoutMs: 30 }).generate(asksForText)).text).toBe("Hello");
  });

  test("wait as long as the server says, though it is longer than the own wait", async () => {
    const server = await serve([chatBehaviours.rateLimited("0.06"), chatBehaviours.answers("Hello")]);
    const start = performance.now();
    await modelAt(server).generate(asksForText);
    expect(performance.now() - start).toBeGreaterThan(55);
  });

  test("end with the last error", async () => {
    const server = await serve(Array.from({ length: 3 }, () => chatBehaviours.rateLimited("0.001")));
    await expect(modelAt(server).generate(asksForText)).rejects.toMatchObject({
      code: ControllerErrorCode.RATE_LIMIT,
      details: { status: 429, retryAfterMs: 1 },
    });
    expect(server.left).toBe(0);
  });

  test("stop when the caller gives up", async () => {
    const controller = new AbortController();
    const refusing = () => {
      // Real time: the refusal has to come through a socket before the wait that is given up begins.
      setTimeout(() => controller.abort("enough"), 30);
      return chatBehaviours.rateLimited("30");
    };
    const server = await serve([refusing, chatBehaviours.answers("Hello")]);
    const answer = modelAt(server).generate(asksForText, { signal: controller.signal });
    await expect(answer).rejects.toBe("enough");
    expect(server.requests).toHaveLength(1);
  });
});

describe("errors", () => {
  test.for([
    { name: "a refused key", step: chatBehaviours.fails(401), code: ControllerErrorCode.AUTH },
    { name: "a forbidden model", step: chatBehaviours.fails(403), code: ControllerErrorCode.AUTH },
    {
      name: "an unknown model",
      step: chatBehaviours.fails(404, "no such model"),
      code: ControllerErrorCode.MODEL_NOT_FOUND,
    },
    { name: "empty choices", step: chatBehaviours.noChoices(), code: ControllerErrorCode.PROTOCOL },
    { name: "broken JSON", step: chatBehaviours.noJson(), code: ControllerErrorCode.PROTOCOL },
    { name: "a web page", step: chatBehaviours.page(), code: ControllerErrorCode.PROTOCOL },
    { name: "a huge body", step: chatBehaviours.huge(200_000), code: ControllerErrorCode.PROTOCOL },
    {
      name: "an error with status 200",
      step: { status: 200, body: '{"error":{"message":"overloaded"}}' },
      code: ControllerErrorCode.PROTOCOL,
    },
    {
      name: "a redirect",
      step: { status: 302, headers: { location: "http://127.0.0.1:1/" } },
      code: ControllerErrorCode.STATUS,
    },
    {
      name: "an error inside a stream",
      step: {
        status: 200,
        body: 'data: {"error":{"message":"out of memory"}}\n\n',
        headers: { "content-type": "text/event-stream" },
      },
      code: ControllerErrorCode.PROTOCOL,
    },
    {
      name: "a stream of something else",
      step: { status: 200, body: "data: {nope\n\n", headers: { "content-type": "text/event-stream" } },
      code: ControllerErrorCode.PROTOCOL,
    },
  ])("tell $name, at once", async ({ step, code }) => {
    const server = await serve([step]);
    const answer = modelAt(server, { maxResponseBytes: 100_000 }).generate(asksForText);
    await expect(answer).rejects.toMatchObject({ name: "ControllerError", code });
    expect(server.requests).toHaveLength(1);
  });

  test("say that there is no response in the words of seed 000", async () => {
    const server = await serve([chatBehaviours.noChoices()]);
    await expect(modelAt(server).generate(asksForText)).rejects.toThrow(/^No response from model$/);
  });

  test("tell that nothing listens", async () => {
    const server = await startChatServer([]);
    await server.close();
    await expect(modelAt(server, { maxRetries: 1 }).generate(asksForText)).rejects.toMatchObject({
      code: ControllerErrorCode.UNREACHABLE,
      message: expect.stringContaining("ECONNREFUSED"),
    });
  });

  test.for([
    { name: "a refusal", status: 401 },
    { name: "an answer that is none", status: 200 },
  ])("never show the key, even when the server echoes it in $name, and cut the body", async ({ status }) => {
    const body = `Incorrect API key sk-test-123456 provided. ${"x".repeat(5000)}`;
    const server = await serve([chatBehaviours.fails(status, body)]);
    const error: unknown = await modelAt(server)
      .generate(asksForText)
      .catch((error: unknown) => error);
    expect(String(error)).toContain("[redacted]");
    expect(inspect(error, { depth: 9 })).not.toContain("sk-test-123456");
    expect(String(error).length).toBeLessThan(1000);
  });

  test("tell a server that never answers", async () => {
    const server = await serve([chatBehaviours.silent()]);
    await expect(modelAt(server, { timeoutMs: 50 }).generate(asksForText)).rejects.toMatchObject({
      code: ControllerErrorCode.TIMEOUT,
      details: { timeoutMs: 50 },
    });
  });

  test("tell one that is still writing", async () => {
    const piece = `data: ${JSON.stringify({ choices: [{ delta: { content: "So far so good. " } }] })}\n\n`;
    const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(Buffer.from(piece)) });
    const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
    const model = openaiModel({
      baseURL: "http://127.0.0.1:1/v1",
      model: "m",
      apiKey: "k",
      environment: {},
      fetch,
      timeoutMs: 50,
    });
    await expect(model.generate(asksForText)).rejects.toMatchObject({
      code: ControllerErrorCode.TIMEOUT,
      message: expect.stringContaining("but it was still being written, about 4 tokens so far"),
    });
  });

  test.for([
    { name: "no model", options: { baseURL: "http://localhost:1/v1" }, option: "model" },
    { name: "no key for OpenAI itself", options: { model: "m" }, option: "apiKey" },
    { name: "another scheme", options: { model: "m", baseURL: "file:///etc" }, option: "baseURL" },
    { name: "no URL", options: { model: "m", baseURL: "localhost" }, option: "baseURL" },
    { name: "a password in the URL", options: { model: "m", baseURL: "http://u:p@h/v1" }, option: "baseURL" },
    { name: "a bad number", options: { model: "m", apiKey: "k", timeoutMs: 0 }, option: "timeoutMs" },
  ])("tell a wrong configuration before any call: $name", ({ options, option }) => {
    expect(() => openaiModel({ environment: {}, ...options })).toThrow(
      expect.objectContaining({ code: ControllerErrorCode.CONFIG, details: { option } }),
    );
  });
});

describe("streams", () => {
  test("give each piece, and the whole at the end", async () => {
    const server = await serve([{ text: "Hello, wide world", reasoning: "Hm." }]);
    const pieces: string[] = [];
    const reply = await modelAt(server).generate(asksForText, { onDelta: (piece) => pieces.push(piece) });
    expect(reply).toMatchObject({
      text: "<think>Hm.</think>Hello, wide world",
      usage: { inputTokens: 7, outputTokens: 3 },
    });
    expect(pieces).toEqual(["Hm.", "Hello, wi", "de world"]);
  });

  test("collect tool calls from their deltas", async () => {
    const toolCalls = [
      { name: "one", arguments: '{"first":"long enough to be parted"}' },
      { name: "two", arguments: "{}" },
    ];
    const server = await serve([{ toolCalls }]);
    const reply = await modelAt(server, { stream: true }).generate(asksForText);
    expect(reply.toolCalls).toMatchObject(toolCalls);
    expect(reply.finishReason).toBe("tool_calls");
  });

  test("collect a forced tool call as the answer", async () => {
    const server = await serve([chatBehaviours.answers(plan)], ["response_format"]);
    const reply = await modelAt(server, { stream: true }).generate(asksForPlan);
    expect(JSON.parse(reply.text)).toEqual(plan);
  });

  test("may be slow as long as they go on", async () => {
    const server = await serve([chatBehaviours.slow("A text of several pieces.", 25)]);
    const reply = await modelAt(server, { stream: true, idleTimeoutMs: 500 }).generate(asksForText);
    expect(reply.text).toBe("A text of several pieces.");
  });

  test("end when they fall silent", async () => {
    const server = await serve([chatBehaviours.slow("A text of several pieces.", 400)]);
    await expect(
      modelAt(server, { stream: true, idleTimeoutMs: 40, maxRetries: 0 }).generate(asksForText),
    ).rejects.toMatchObject({ code: ControllerErrorCode.TIMEOUT, details: { idle: true } });
  });

  test("end when the caller gives up, with the caller's reason", async () => {
    const server = await serve([chatBehaviours.slow("A text of several pieces.", 50)]);
    const controller = new AbortController();
    const answer = modelAt(server, { stream: true }).generate(asksForText, {
      signal: controller.signal,
      onDelta: () => controller.abort("seen enough"),
    });
    await expect(answer).rejects.toBe("seen enough");
  });

  test("are read from a server that answers whole", async () => {
    const server = await serve([{ text: "Hello", ignoresStream: true }]);
    const pieces: string[] = [];
    const reply = await modelAt(server).generate(asksForText, { onDelta: (piece) => pieces.push(piece) });
    expect([reply.text, ...pieces]).toEqual(["Hello", "Hello"]);
  });

  test("survive a listener that throws", async () => {
    const server = await serve([chatBehaviours.answers("Hello")]);
    const reply = await modelAt(server).generate(asksForText, {
      onDelta: () => {
        throw new Error("the screen is gone");
      },
    });
    expect(reply.text).toBe("Hello");
  });
});

describe("the likeliest tokens", () => {
  const topTokens = [
    { text: "No", logprob: -1.2 },
    { text: "Yes", logprob: -0.4 },
  ];
  const asksFor = { ...asksForText, topTokens: 5, maxTokens: 1 };

  test("are asked for and read, of a stream and of a whole answer, the likeliest first", async () => {
    for (const stream of [true, false]) {
      const server = await serve([{ text: "Yes", topTokens }]);
      const reply = await modelAt(server, { stream }).generate(asksFor);
      expect(server.requests[0]?.body).toMatchObject({ logprobs: true, top_logprobs: 5, max_tokens: 1 });
      expect(reply).toMatchObject({ text: "Yes", topTokens: [[{ text: "Yes", logprob: -0.4 }, { text: "No" }]] });
    }
  });

  test("are absent where nobody asks, and where the endpoint does not tell them", async () => {
    const server = await serve([{ text: "Yes", topTokens }, { text: "Yes" }]);
    const model = modelAt(server);
    expect(await model.generate(asksForText)).not.toHaveProperty("topTokens");
    expect(server.requests[0]?.body).not.toHaveProperty("logprobs");
    expect(await model.generate(asksFor)).not.toHaveProperty("topTokens");
  });

  test("are left out for good where they are refused", async () => {
    const server = await serve([{ text: "Yes" }, { text: "Yes" }], ["logprobs"]);
    const model = modelAt(server);
    const reply = await model.generate(asksFor);
    expect(reply).toMatchObject({ text: "Yes", requests: 2, refusedRequests: 1 });
    expect(reply.adjustments).toEqual(["`logprobs` was refused and left out."]);
    expect(await model.generate(asksFor)).not.toHaveProperty("requests");
    expect(withField(server, "logprobs")).toEqual([true, false, false]);
  });
});

describe("how much a model is to think", () => {
  const make = (reasoningEffort: string) =>
    openaiModel({ baseURL: "http://127.0.0.1:9/v1", model: "m", environment: {}, reasoningEffort });

  test.for([
    ["hgih", "high"],
    ["High", "high"],
    ["xhihg", "xhigh"],
  ] as const)("%s is refused, with the word that is meant", ([given, meant]) => {
    expect(() => make(given)).toThrow(
      expect.objectContaining({
        code: ControllerErrorCode.CONFIG,
        message: expect.stringMatching(new RegExp(`none, minimal, low.*got \`${given}\`: did you mean \`${meant}\``)),
        details: { option: "reasoningEffort", candidates: [meant] },
      }),
    );
  });

  test.for(["none", "max", "default", "ultra", "8192"])("%s may be a word of the endpoint", (given) => {
    expect(() => make(given)).not.toThrow();
  });
});
