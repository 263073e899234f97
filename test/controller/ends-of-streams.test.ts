import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { type AiSdkLanguageModel, fromAiSdk, type OpenaiModelOptions, openaiModel } from "@planloom/controller";
import { chatBehaviours, startChatServer } from "@planloom/controller/testing";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, onTestFinished, test, vi } from "vitest";

const asks = { messages: [{ role: "user", content: "Hi" }] } as const;
const events = { "content-type": "text/event-stream" };
const piece = (content: string, more: object = {}) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, ...more }] })}\n\n`;
const end = piece("", { finish_reason: "stop" });
const whole = JSON.stringify({ choices: [{ message: { content: "Hi" }, finish_reason: "stop" }] });

/** A server that answers each request so; `open` are its connections. */
async function serve(answer: (response: ServerResponse, count: number) => void) {
  let count = 0;
  const open = new Set<unknown>();
  const server = createServer((request, response) => {
    request.resume().on("end", () => answer(response, ++count));
  });
  server.on("connection", (socket) => open.add(socket.on("close", () => open.delete(socket))));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const model = (options: OpenaiModelOptions = {}) =>
    openaiModel({ baseURL, model: "m", environment: {}, retryDelayMs: 1, ...options });
  return { model, open, asked: () => count };
}

const response = {
  status: "completed",
  output: [{ type: "message", content: [{ type: "output_text", text: "Hi" }] }],
  usage: { input_tokens: 3, output_tokens: 2 },
};

describe("an answer that has ended is the answer", () => {
  test.for([
    { name: "of chat completions", api: "chat", said: piece("Hi") + end },
    { name: "of the Responses API", api: "responses", said: { type: "response.completed", response } },
  ] as const)("$name, though the connection stays open, which is closed", async ({ api, said }) => {
    const written = typeof said === "string" ? said : `data: ${JSON.stringify(said)}\n\n`;
    const { model, open, asked } = await serve((answer) => answer.writeHead(200, events).write(written));
    // Real time: silence is what is tested.
    const reply = await model({ api, idleTimeoutMs: 20 }).generate(asks);
    expect([reply.text, reply.finishReason, asked()]).toEqual(["Hi", "stop", 1]);
    await vi.waitFor(() => expect(open.size).toBe(0));
  });

  test.for([
    { name: "the connection breaks", after: (answer: ServerResponse) => void answer.destroy() },
    { name: "something else comes", after: (answer: ServerResponse) => void answer.end("data: {nope\n\n") },
  ])("when $name after it", async ({ after }) => {
    const { model, asked } = await serve((answer) => {
      answer.writeHead(200, events).write(piece("Hi") + end, () => after(answer));
    });
    expect([(await model().generate(asks)).text, asked()]).toEqual(["Hi", 1]);
  });

  test("but not where each piece says that it is the end: what is missing is asked for again", async () => {
    const each = { finish_reason: "stop" };
    const { model } = await serve((answer, count) => {
      answer.writeHead(200, events).write(piece("Hi ", each) + piece("the", each));
      if (count === 1) setImmediate(() => answer.destroy());
      else answer.end(piece("re", each));
    });
    expect(await model().generate(asks)).toMatchObject({ text: "Hi there", requests: 2 });
  });

  test("an empty reason to end is none", async () => {
    const { model, asked } = await serve((answer, count) => {
      answer.writeHead(200, events).end(piece("Hi", { finish_reason: count === 1 ? "" : "stop" }));
    });
    expect([(await model().generate(asks)).finishReason, asked()]).toEqual(["stop", 2]);
  });

  test("the caller's abort goes before it", async () => {
    const { model, open } = await serve((answer) => answer.writeHead(200, events).write(piece("Hi") + end));
    const controller = new AbortController();
    const onDelta = () => setImmediate(() => controller.abort("enough"));
    await expect(model().generate(asks, { signal: controller.signal, onDelta })).rejects.toBe("enough");
    await vi.waitFor(() => expect(open.size).toBe(0));
  });
});

describe("what a stream is called does not matter", () => {
  test.for(["Text/Event-Stream; charset=UTF-8", "text/plain", "application/json"])("%s", async (type) => {
    const { model } = await serve((answer) => {
      answer
        .writeHead(200, { "content-type": type })
        .end(`: hello\n\n${piece("H")}${piece("i")}${end}data: [DONE]\n\n`);
    });
    expect((await model().generate(asks)).text).toBe("Hi");
  });

  test("a long answer that is whole is read whole", async () => {
    const long = "word ".repeat(40_000);
    const { model } = await serve((answer) => {
      answer.writeHead(200, events).end(whole.replace("Hi", long));
    });
    expect((await model().generate(asks)).text).toBe(long);
  });
});

test("of several choices that are streamed by turns the first is read", async () => {
  const both = (text: string) =>
    [0, 1].map((index) => `data: ${JSON.stringify({ choices: [{ index, delta: { content: text + index } }] })}\n\n`);
  const { model } = await serve((answer) => {
    answer.writeHead(200, events).end([...both("a"), ...both("b"), end, "data: [DONE]\n\n"].join(""));
  });
  expect((await model().generate(asks)).text).toBe("a0b0");
});

test("where a stream has nothing in it, the answer is asked for whole; the next call streams again", async () => {
  const { model, asked } = await serve((answer, count) => {
    if (count % 2 === 1) answer.writeHead(200, events).end("data: [DONE]\n\n");
    else answer.writeHead(200, { "content-type": "application/json" }).end(whole);
  });
  const { text, adjustments } = await model().generate(asks);
  expect([text, adjustments]).toEqual(["Hi", [expect.stringContaining("The stream was empty")]]);
  await model().generate(asks);
  expect(asked()).toBe(4);
});

test("an empty answer, streamed and whole, is no answer", async () => {
  const empty = { status: 200, body: "data: [DONE]\n\n", headers: events };
  await using server = await startChatServer([empty, chatBehaviours.noChoices()]);
  const given = openaiModel({ baseURL: server.baseURL, model: "m", environment: {} }).generate(asks);
  await expect(given).rejects.toMatchObject({ code: "CONTROLLER_PROTOCOL", message: "No response from model" });
});

const hi = { type: "text-delta", id: "1", delta: "Hi" };
const finish = {
  type: "finish",
  usage: { inputTokens: { total: 9 }, outputTokens: { total: 2 } },
  finishReason: { unified: "stop", raw: "stop" },
};

/** A model of the AI SDK that streams what `make` gives. */
function streaming(make: () => ReadableStream<unknown>) {
  const sdk = new MockLanguageModelV4({ doStream: async () => ({ stream: make() as never }) });
  return { sdk, model: fromAiSdk(sdk, { retryDelayMs: 1, idleTimeoutMs: 20 }) };
}

describe("a model of the AI SDK", () => {
  test("has answered when it says so, though its stream stays open", async () => {
    let cancelled = 0;
    const { model } = streaming(
      () =>
        new ReadableStream({
          start: (controller) => [hi, finish].forEach((part) => void controller.enqueue(part)),
          cancel: () => void cancelled++,
        }),
    );
    // Real time: silence is what is tested.
    expect((await model.generate(asks)).text).toBe("Hi");
    expect(cancelled).toBe(1);
  });

  test("or fails then", async () => {
    const parts = [hi, finish];
    const pull = (controller: ReadableStreamDefaultController<unknown>) => {
      const part = parts.shift();
      if (part === undefined) controller.error(new TypeError("terminated"));
      else controller.enqueue(part);
    };
    const { model, sdk } = streaming(() => new ReadableStream({ pull }));
    expect([(await model.generate(asks)).text, sdk.doStreamCalls.length]).toEqual(["Hi", 1]);
  });

  test("a call of which only the pieces came is a call, one that was cut off is none", async () => {
    const call = (id: string, isWhole: boolean) => [
      { type: "tool-input-start", id, toolName: "weather" },
      { type: "tool-input-delta", id, delta: '{"city":' },
      { type: "tool-input-delta", id, delta: '"Lyon"}' },
      ...(isWhole ? [{ type: "tool-input-end", id }] : []),
    ];
    const repeated = { type: "tool-call", toolCallId: "c", toolName: "weather", input: "{}" };
    const parts = [...call("a", true), ...call("b", false), ...call("c", true), repeated, finish];
    const { model } = streaming(() => ReadableStream.from(parts));
    expect((await model.generate(asks)).toolCalls).toEqual([
      { id: "c", name: "weather", arguments: "{}" },
      { id: "a", name: "weather", arguments: '{"city":"Lyon"}' },
    ]);
  });

  test.for([
    { name: "parts without a text", part: { type: "raw", rawValue: {} } },
    { name: "calls", part: { type: "tool-call", toolCallId: "c", toolName: "w", input: "{}" } },
  ])("that gives $name without end is stopped, and holds nothing up meanwhile", async ({ part }) => {
    const sdk = new MockLanguageModelV4({
      doStream: async () => ({
        stream: new ReadableStream({ pull: (controller) => controller.enqueue(part as never) }),
      }),
    });
    const model = fromAiSdk(sdk, { maxRetries: 0, maxResponseBytes: 2 ** 18 });
    const given = model.generate(asks).catch((error: unknown) => error);
    // Real time: that timers have their turn is what is tested.
    expect(await Promise.race([given, wait(1, "a timer")])).toBe("a timer");
    expect(await given).toMatchObject({ code: "CONTROLLER_PROTOCOL", details: { maxBytes: 2 ** 18 } });
  });

  test("whose provider sees no event in a web page is asked twice, and the page is named", async () => {
    let asked = 0;
    const fetch = async () => {
      asked++;
      return new Response("<html><title>Sign in</title></html>", { headers: events });
    };
    const sdk = createGoogleGenerativeAI({ apiKey: "k", fetch })("m") as AiSdkLanguageModel;
    const given = fromAiSdk(sdk, { retryDelayMs: 1 }).generate(asks);
    await expect(given).rejects.toMatchObject({ retryable: false, message: expect.stringContaining('("Sign in")') });
    expect(asked).toBe(2);
  });

  test("whose key is refused: no variable of another provider is named", async () => {
    const fetch = async () => new Response("{}", { status: 401 });
    const sdk = createGoogleGenerativeAI({ apiKey: "k", fetch })("m") as AiSdkLanguageModel;
    const error = await fromAiSdk(sdk)
      .generate(asks)
      .catch((each: unknown) => each);
    expect(error).toMatchObject({ code: "CONTROLLER_AUTH", message: expect.stringMatching(/Check the API key and/) });
  });
});
