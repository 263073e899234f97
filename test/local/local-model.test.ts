import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelRequest } from "@planloom/controller";
import { type LlamaBinding, type LocalModelOptions, localModel } from "@planloom/local";
import { describe, expect, onTestFinished, test } from "vitest";

const user = { role: "user", content: "Hi" } as const;
const weather = {
  name: "weather",
  description: "Weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

function weights(content = "GGUF and more"): string {
  const folder = mkdtempSync(join(tmpdir(), "planloom-local-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "tiny.gguf");
  writeFileSync(file, content);
  return file;
}

interface Said {
  readonly response?: string;
  readonly functionCalls?: readonly { functionName: string; params: unknown }[];
  readonly stopReason?: string;
}
type Generate = Record<string, unknown> & {
  readonly signal: AbortSignal;
  readonly grammar?: { readonly grammar: string };
  onTextChunk(text: string): void;
  readonly contextShift: { strategy(given: { chatHistory: readonly object[] }): unknown };
};

/** A binding that says what the test says, and notes what it was asked. */
function binding(answer: (options: Generate, call: number) => Said | Promise<Said>) {
  const asked: { history: readonly object[]; options: Generate }[] = [];
  const loaded: object[] = [];
  let disposed = 0;
  const made: LlamaBinding = {
    getLlama: async (options) => {
      loaded.push(options);
      return {
        loadModel: async (given) => {
          loaded.push(given);
          return {
            trainContextSize: 4_096,
            createContext: async (context) => {
              loaded.push(context);
              const tokenMeter = { getState: () => 0, diff: () => ({ usedInputTokens: 4, usedOutputTokens: 6 }) };
              return { getSequence: () => ({ nextTokenIndex: 30, tokenMeter }) };
            },
          };
        },
        createGrammar: async (options) => options,
        dispose: async () => void disposed++,
      };
    },
    LlamaChat: class {
      async generateResponse(history: readonly object[], options: object) {
        const given = options as Generate;
        asked.push({ history, options: given });
        const { response = "", functionCalls, stopReason = "eogToken" } = await answer(given, asked.length);
        given.signal.throwIfAborted();
        if (response !== "") given.onTextChunk(response);
        return { response, ...(functionCalls && { functionCalls }), metadata: { stopReason } };
      }
    },
  };
  return { asked, loaded, load: async () => made, disposed: () => disposed };
}

function model(answer: Parameters<typeof binding>[0], options: Partial<LocalModelOptions> = {}) {
  const world = binding(answer);
  return { ...world, model: localModel({ path: weights(), binding: world.load, ...options }) };
}

describe("a model in this process", () => {
  test("is loaded with its first call, without compiling or downloading, and freed when it is closed", async () => {
    const { model: local, loaded, asked, disposed } = model(() => ({ response: "Hello" }), { threads: 2, gpu: false });
    expect(loaded).toEqual([]);
    const pieces: string[] = [];
    const reply = await local.generate(
      { messages: [{ role: "system", content: "Be brief." }, user] },
      { onDelta: (text) => pieces.push(text) },
    );
    expect(reply).toEqual({
      text: "Hello",
      toolCalls: [],
      model: "tiny",
      usage: { inputTokens: 24, outputTokens: 6, cachedInputTokens: 20 },
      finishReason: "stop",
    });
    expect(pieces).toEqual(["Hello"]);
    await local.generate({ messages: [user], maxTokens: 99_999, temperature: 0.5 });
    expect(loaded).toEqual([
      expect.objectContaining({ build: "never", skipDownload: true, gpu: false }),
      { modelPath: expect.stringContaining("tiny.gguf") },
      { contextSize: 4_096, sequences: 1, threads: 2 },
    ]);
    expect(asked[0]?.history).toEqual([
      { type: "system", text: "Be brief." },
      { type: "user", text: "Hi" },
      { type: "model", response: [] },
    ]);
    expect(asked[1]?.options).toMatchObject({ maxTokens: 2_048, temperature: 0.5 });
    await local.close();
    expect(disposed()).toBe(1);
  });

  test("is bound to a schema, and to a call that must be made, by a grammar", async () => {
    const plan = {
      type: "object",
      properties: { tasks: { type: "array", items: { type: "string" }, maxItems: 3 } },
      required: ["tasks"],
    };
    const { model: local, asked } = model((_, call) => ({
      response: call === 1 ? '{"tasks":["a"]}' : '{"name":"weather","arguments":{"city":"Lyon"}}',
    }));
    expect((await local.generate({ messages: [user], schema: { name: "plan", schema: plan } })).text).toBe(
      '{"tasks":["a"]}',
    );
    const forced = await local.generate({ messages: [user], tools: [weather], toolChoice: { name: "weather" } });
    expect(forced).toMatchObject({
      text: "",
      toolCalls: [{ name: "weather", arguments: '{"city":"Lyon"}' }],
      finishReason: "tool_calls",
    });
    expect(asked[0]?.options.grammar?.grammar).toContain('"\\"tasks\\""');
    expect(asked[1]?.options.grammar?.grammar).toContain('"\\"weather\\""');
    expect(asked[1]?.history[0]).toMatchObject({ type: "system", text: expect.stringContaining("Weather of a city") });
  });

  test("calls tools as the library reads them or as it writes them, and has the results in its conversation", async () => {
    const { model: local, asked } = model((_, call) =>
      call === 1
        ? { functionCalls: [{ functionName: "weather", params: { city: "Lyon" } }], stopReason: "functionCalls" }
        : { response: '{"name": "weather", "arguments": {"city": "Nice"}}' },
    );
    const request: ModelRequest = { messages: [user], tools: [weather] };
    const first = await local.generate(request);
    expect(first.toolCalls).toMatchObject([{ id: "call_0", name: "weather", arguments: '{"city":"Lyon"}' }]);
    const turn = [
      { role: "assistant", content: "", toolCalls: first.toolCalls },
      { role: "tool", toolCallId: "call_0", content: "20" },
    ] as const;
    expect((await local.generate({ ...request, messages: [user, ...turn] })).toolCalls).toMatchObject([
      { arguments: '{"city":"Nice"}' },
    ]);
    expect(asked[1]?.history).toEqual([
      { type: "user", text: "Hi" },
      { type: "model", response: [{ type: "functionCall", name: "weather", params: { city: "Lyon" }, result: "20" }] },
      { type: "model", response: [] },
    ]);
    expect(asked[1]?.options).toHaveProperty("functions.weather");
  });

  test("answers one call after the other, and lets those in behind one that gave up", async () => {
    const first = Promise.withResolvers<Said>();
    const { model: local, asked } = model((_, call) => (call === 1 ? first.promise : { response: String(call) }));
    const one = local.generate({ messages: [user] });
    const stop = new AbortController();
    const two = local.generate({ messages: [user] }, { signal: stop.signal });
    const three = local.generate({ messages: [user] });
    stop.abort(new Error("enough"));
    await expect(two).rejects.toThrow("enough");
    expect(asked).toHaveLength(1);
    first.resolve({ response: "1" });
    expect([(await one).text, (await three).text]).toEqual(["1", "2"]);
  });
});

describe("faults", () => {
  test.for([
    { what: "goes on", end: () => ({ response: "about the rest" }) },
    { what: "fails", end: () => Promise.reject(new Error("Failed to compress chat history")) },
  ])(
    "a prompt that does not fit is an error, and nothing of it is left out, where the library $what",
    async ({ end }) => {
      const { model: local } = model(async (options) => {
        options.contextShift.strategy({ chatHistory: [] });
        return end();
      });
      await expect(local.generate({ messages: [user] })).rejects.toMatchObject({
        code: "CONTROLLER_CONTEXT_EXCEEDED",
        retryable: false,
        message: expect.stringContaining("4096 tokens"),
      });
    },
  );

  test("time that is up, an answer that was cut, a fault of the library", async () => {
    const slow = model(
      ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      { timeoutMs: 30 },
    );
    const spent: unknown[] = [];
    const onSpent = (usage: unknown) => void spent.push(usage);
    const asked = slow.model.generate({ messages: [user] }, { onSpent });
    await expect(asked).rejects.toMatchObject({ code: "CONTROLLER_TIMEOUT" });
    expect(spent).toEqual([{ inputTokens: 24, outputTokens: 6, cachedInputTokens: 20 }]);
    const cut = model(() => ({ response: "Hel", stopReason: "maxTokens" }));
    expect(await cut.model.generate({ messages: [user] })).toMatchObject({ text: "Hel", finishReason: "length" });
    const broken = model(() => Promise.reject(new Error("no memory")));
    await expect(broken.model.generate({ messages: [user] })).rejects.toMatchObject({
      code: "CONTROLLER_PROTOCOL",
      retryable: false,
      message: expect.stringContaining("no memory"),
    });
    await expect(cut.model.generate({ messages: [user], model: "other" })).rejects.toThrow(
      /is "tiny", but a request asks for "other"/,
    );
  });

  test("without the library the error has the line to type; it is looked for again by the next call", async () => {
    const local = localModel({ path: weights() });
    for (const _ of [1, 2]) {
      await expect(local.generate({ messages: [user] })).rejects.toMatchObject({
        code: "CONTROLLER_CONFIG",
        retryable: false,
        message: expect.stringContaining("npm install node-llama-cpp"),
      });
    }
  });

  test("weights that are none are refused at once", () => {
    expect(() => localModel({ path: "/no/such.gguf" })).toThrow(
      /Expected the weights of a model in \/no\/such\.gguf, but ENOENT/,
    );
    expect(() => localModel({ path: weights("<html>") })).toThrow(/begins with "GGUF"; it begins with "<htm"/);
    expect(() => localModel({ file: "x" } as never)).toThrow(/path/);
  });
});
