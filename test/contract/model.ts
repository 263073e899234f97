import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Model, ModelReply, ModelRequest } from "@planloom/controller";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Asked, ModelDialect, Said } from "./model-dialects.ts";

export interface ModelContractOptions {
  readonly dialect: ModelDialect;
  /** Makes the model under test, asking the server at `baseURL`. Retries wait 1 ms. A million tokens cost 1 in, 0.1 from the cache, 10 out. */
  readonly modelAt: (baseURL: string, options: ModelUnderTest) => Model;
  /** Whether the protocol counts the tokens of thoughts. @default true */
  readonly countsThoughts?: boolean;
}

export interface ModelUnderTest {
  readonly stream?: boolean;
  readonly timeoutMs?: number;
}

type Answer =
  | Said
  | { readonly status: number; readonly message: string; readonly headers?: Readonly<Record<string, string>> }
  /** `how`: its connection breaks, or it ends as if nothing were amiss. @default "broken" */
  | { readonly breaksOff: Said; readonly how?: "broken" | "ended" }
  | "silence";

const schema = {
  name: "plan",
  schema: {
    type: "object",
    properties: { tasks: { type: "array", items: { type: "string" } } },
    required: ["tasks"],
    additionalProperties: false,
  },
} as const;
const written = JSON.stringify({ tasks: ["a"] });
const weather = {
  name: "weather",
  description: "Weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const planTool = { name: "plan", description: "Gives the plan.", parameters: schema.schema };
const user = { role: "user", content: "Plan it." } as const;
const system = { role: "system", content: "Be brief." } as const;

/** The event that has the first words of an answer. */
function firstWords(events: readonly string[], { text = "" }: Said): number {
  return events.findIndex((event) => event.includes(text.slice(0, 3)));
}

/** What every `Model` does, whatever protocol its provider speaks. */
export function modelContract(name: string, { dialect, modelAt, countsThoughts = true }: ModelContractOptions): void {
  async function world(answer: (asked: Asked, request: number) => Answer, options: ModelUnderTest = {}) {
    const requests: Asked[] = [];
    const server = createServer((incoming, response) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (piece) => {
        text += piece;
      });
      incoming.on("end", () => {
        const asked = dialect.asked(incoming.url ?? "", JSON.parse(text) as Record<string, unknown>);
        requests.push(asked);
        const made = answer(asked, requests.length);
        if (made === "silence") return;
        if ("status" in made) {
          response.writeHead(made.status, { "content-type": "application/json", ...made.headers });
          response.end(JSON.stringify(dialect.error(made.status, made.message)));
          return;
        }
        const breaksOff = "breaksOff" in made;
        const said = breaksOff ? made.breaksOff : made;
        if (!asked.stream) {
          response.writeHead(200, { "content-type": "application/json" });
          const body = JSON.stringify(dialect.whole(said));
          if (!breaksOff) response.end(body);
          else response.write(body.slice(0, 20), () => response.destroy());
          return;
        }
        response.writeHead(200, { "content-type": "text/event-stream" });
        const events = dialect.events(said).map((event) => {
          const { type } = event as { type?: string };
          return `${type === undefined ? "" : `event: ${type}\n`}data: ${JSON.stringify(event)}\n\n`;
        });
        if (!breaksOff) response.end(events.join(""));
        else if (made.how === "ended") response.end(events.slice(0, 1 + firstWords(events, said)).join(""));
        else response.write(events.slice(0, 2).join(""), () => response.destroy());
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    // What an address was seen to refuse is remembered by the process, and a port may have been that of another server before.
    return { model: modelAt(`http://127.0.0.1:${port}/${crypto.randomUUID()}/v1`, options), requests };
  }

  describe(`${name}: an answer`, () => {
    test.for([true, false])("is its text with what it used and cost; streamed: %s", async (stream) => {
      const usage = { input: 2_000, cached: 1_920, output: 700, thoughts: 640 };
      const { model, requests } = await world(() => ({ text: "Hello there.", usage }), { stream });
      const reply = await model.generate({ messages: [system, user], temperature: 0.2, maxTokens: 900 });
      expect(reply).toMatchObject({
        text: "Hello there.",
        toolCalls: [],
        finishReason: "stop",
        usage: {
          inputTokens: 2_000,
          outputTokens: 700,
          cachedInputTokens: 1_920,
          ...(countsThoughts && { reasoningTokens: 640 }),
          cost: expect.closeTo((80 + 192 + 7_000) / 1_000_000, 9),
        },
      });
      expect(requests[0]?.stream).toBe(stream);
    });

    test("comes piece by piece", async () => {
      const { model } = await world(() => ({ text: "Hello there." }));
      const pieces: string[] = [];
      await model.generate({ messages: [user] }, { onDelta: (piece) => pieces.push(piece) });
      expect(pieces.join("")).toBe("Hello there.");
      expect(pieces.length).toBeGreaterThan(1);
    });

    test("that was cut says so, and is an error where it says nothing", async () => {
      const { model } = await world(() => ({ text: "Hello th", finish: "length" }));
      expect(await model.generate({ messages: [user] })).toMatchObject({ text: "Hello th", finishReason: "length" });
      const empty = await world(() => ({ text: "", finish: "length" }));
      await expect(empty.model.generate({ messages: [user], maxTokens: 50 })).rejects.toMatchObject({
        code: "CONTROLLER_LENGTH",
        retryable: false,
      });
      expect(empty.requests).toHaveLength(1);
    });
  });

  describe(`${name}: tools`, () => {
    test.for([true, false])(
      "called at once go on with what they gave and with the thought before; streamed: %s",
      async (stream) => {
        const calls = [
          { id: "c1", name: "weather", input: { city: "Lyon" } },
          { id: "c2", name: "weather", input: { city: "Nice" } },
        ];
        const thought = { text: "Two cities.", signature: "U0lH" };
        const { model, requests } = await world(
          (_, request) => (request === 1 ? { thought, calls } : { text: "Warm." }),
          { stream },
        );
        const asked: ModelRequest = { messages: [system, user], tools: [weather] };
        const reply = await model.generate(asked);
        expect(reply.toolCalls.map(({ name: tool, arguments: given }) => [tool, JSON.parse(given)])).toEqual([
          ["weather", { city: "Lyon" }],
          ["weather", { city: "Nice" }],
        ]);
        expect(reply.finishReason).toBe("tool_calls");
        // What is handed back must survive a journal.
        const kept = JSON.parse(JSON.stringify(reply)) as ModelReply;
        const next = await model.generate({ ...asked, messages: [...asked.messages, ...turnOf(kept)] });
        expect(next.text).toBe("Warm.");
        expect(requests[1]?.results.map((each) => /gave c?\d/.exec(each)?.[0])).toEqual(["gave 0", "gave 1"]);
        expect(requests[1]?.signatures).toEqual(["U0lH"]);
        expect(requests[0]?.tools).toEqual(["weather"]);
      },
    );

    test("that must be called are called", async () => {
      const { model, requests } = await world(() => ({ calls: [{ id: "c1", name: "plan", input: { tasks: ["a"] } }] }));
      const reply = await model.generate({ messages: [user], tools: [planTool], toolChoice: { name: "plan" } });
      expect(reply.toolCalls).toMatchObject([{ name: "plan" }]);
      expect(JSON.parse(reply.toolCalls[0]!.arguments)).toEqual({ tasks: ["a"] });
      expect(requests[0]?.forced).toBe("plan");
    });
  });

  test.for([true, false])(`${name}: a value of a schema is asked for as such; streamed: %s`, async (stream) => {
    const { model, requests } = await world(
      ({ forced }) =>
        forced === undefined ? { text: written } : { calls: [{ id: "c", name: forced, input: JSON.parse(written) }] },
      { stream },
    );
    const reply = await model.generate({ messages: [system, user], schema });
    expect(JSON.parse(reply.text)).toEqual({ tasks: ["a"] });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.structured).toBe(true);
  });

  describe(`${name}: faults`, () => {
    test.for([
      { status: 401, message: "invalid api key", code: "CONTROLLER_AUTH" },
      { status: 404, message: "The model `m` does not exist", code: "CONTROLLER_MODEL_NOT_FOUND" },
      { status: 400, message: "prompt is too long: 9000 tokens > 8192 maximum", code: "CONTROLLER_CONTEXT_EXCEEDED" },
      { status: 402, message: "Your credit balance is too low", code: "CONTROLLER_QUOTA" },
    ])("$code is final: asked for once, and says what to do", async ({ status, message, code }) => {
      const { model, requests } = await world(() => ({ status, message }));
      const error = await model.generate({ messages: [user] }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code, retryable: false, message: expect.stringContaining(message.slice(0, 12)) });
      expect(requests).toHaveLength(1);
    });

    test("that pass are tried again, within the caller's number of requests", async () => {
      const fails: Answer = { status: 503, message: "overloaded" };
      const { model, requests } = await world((_, request) => (request === 1 ? fails : { text: "Hi." }));
      expect(await model.generate({ messages: [user] })).toMatchObject({ text: "Hi.", requests: 2 });
      const bounded = await world(() => fails);
      for (const [budget, least] of [
        [{ maxRetries: 0 }, 1],
        [{ maxRequests: 2 }, 3],
      ] as const) {
        await expect(bounded.model.generate({ messages: [user] }, budget)).rejects.toMatchObject({
          code: "CONTROLLER_STATUS",
          retryable: true,
        });
        expect(bounded.requests).toHaveLength(least);
      }
      expect(requests).toHaveLength(2);
    });

    test("a rate limit is waited for, as long as the provider says", async () => {
      const limited: Answer = { status: 429, message: "slow down", headers: { "retry-after-ms": "2" } };
      const { model, requests } = await world((_, request) => (request < 3 ? limited : { text: "Hi." }));
      expect((await model.generate({ messages: [user] })).requests).toBe(3);
      expect(requests).toHaveLength(3);
    });

    test("a rate limit for longer than is waited for ends the call at once, for whoever would ask again", async () => {
      const limited: Answer = { status: 429, message: "slow down", headers: { "retry-after": "3600" } };
      for (const options of [{}, { maxRetries: 0 }, { maxRequests: 3 }]) {
        const { model, requests } = await world(() => limited);
        await expect(model.generate({ messages: [user] }, options)).rejects.toMatchObject({
          code: "CONTROLLER_RATE_LIMIT",
          retryable: false,
          message: expect.stringMatching(/wait of 3600 s, which is longer than `maxRetryDelayMs` \(60 s\)/),
          details: { retryAfterMs: 3_600_000 },
        });
        expect(requests).toHaveLength(1);
      }
      const { model } = await world(() => ({ ...limited, headers: { "retry-after": "50" } }), { timeoutMs: 5_000 });
      await expect(model.generate({ messages: [user] })).rejects.toMatchObject({
        code: "CONTROLLER_RATE_LIMIT",
        message: expect.stringContaining("longer than what is left of `timeoutMs`"),
      });
    });

    test.for([true, false])("an answer that breaks off is asked for again; streamed: %s", async (stream) => {
      const { model, requests } = await world(
        (_, request) => (request === 1 ? { breaksOff: { text: "Hello there." } } : { text: "Hi." }),
        { stream },
      );
      expect((await model.generate({ messages: [user] })).text).toBe("Hi.");
      expect(requests).toHaveLength(2);
    });

    test("a stream that ends before the answer does is no answer", async () => {
      const { model, requests } = await world(
        (_, request) => (request === 1 ? { breaksOff: { text: "Hello there." }, how: "ended" } : { text: "Hi." }),
        { stream: true },
      );
      expect(await model.generate({ messages: [user] })).toMatchObject({ text: "Hi.", requests: 2 });
      expect(requests).toHaveLength(2);
    });

    test("no answer in time is an error of its own; a caller who gives up gets the own reason", async () => {
      const { model } = await world(() => "silence", { timeoutMs: 40 });
      await expect(model.generate({ messages: [user] })).rejects.toMatchObject({ code: "CONTROLLER_TIMEOUT" });
      const patient = await world(() => "silence");
      const reason = new Error("enough");
      await expect(patient.model.generate({ messages: [user] }, { signal: AbortSignal.abort(reason) })).rejects.toBe(
        reason,
      );
      const controller = new AbortController();
      const asked = patient.model.generate({ messages: [user] }, { signal: controller.signal });
      setTimeout(() => controller.abort(reason), 20);
      await expect(asked).rejects.toBe(reason);
    });
  });
}

/** The reply as the conversation goes on with it, and what the tools gave. */
function turnOf({ text, toolCalls, providerData }: ModelReply): ModelRequest["messages"] {
  return [
    { role: "assistant", content: text, toolCalls, ...(providerData && { providerData }) },
    ...toolCalls.map(({ id }, index) => ({ role: "tool", toolCallId: id, content: `gave ${index}` }) as const),
  ];
}
