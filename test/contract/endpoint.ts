import type { Model, ModelReply, ModelRequest } from "@planloom/controller";
import { type ChatRequest, type ChatServer, type ChatStep, startChatServer } from "@planloom/controller/testing";
import { describe, expect, onTestFinished, test } from "vitest";

/** What a server does, which gets the body of each request. */
type Behaviour = (body: Readonly<Record<string, unknown>>, request: number) => Answer;
type Answer =
  | { readonly message: object; readonly finish?: string; readonly usage?: object }
  | { readonly status: number; readonly error: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly chunks: readonly object[] };

/** A protocol in the words of chat completions, in which the behaviours here are written. */
export interface Dialect {
  readonly name: string;
  /** A request as chat completions would have it. */
  readBody(body: Body): Body;
  /** An answer that is no error, as the body of a response. */
  writeAnswer(answer: { readonly message: object; readonly finish: string; readonly usage: object }): object;
  /** The chunks of a stream, as its events. */
  writeChunks(chunks: readonly object[]): readonly object[];
}

export interface EndpointContractOptions {
  /** @default chat completions */
  readonly dialect?: Dialect;
  /** Makes the model under test, asking the server at `baseURL`. `price`: a million tokens cost 1 in, 0.1 from the cache, 10 out. */
  readonly modelAt: (baseURL: string) => Model;
}

const schema = {
  name: "plan",
  schema: { type: "object", properties: { tasks: { type: "array" } }, required: ["tasks"] },
} as const;
const plan = { tasks: [{ task_id: "a" }] };
const written = JSON.stringify(plan);
const system = { role: "system", content: "Be brief." } as const;
const user = { role: "user", content: "Plan it." } as const;
const asksForPlan: ModelRequest = { messages: [system, user], schema };
const weather = {
  name: "weather",
  description: "Weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const planTool = { name: "plan", description: "Gives the plan.", parameters: schema.schema };
const asksWithTools: ModelRequest = { messages: [user], tools: [weather] };
const forcesPlan: ModelRequest = { messages: [system, user], tools: [planTool], toolChoice: { name: "plan" } };

const says = (text: string, finish = "stop"): Answer => ({ message: { content: text }, finish });
const calls = (...given: readonly (readonly [name: string, input: object])[]): Answer => ({
  message: {
    content: null,
    tool_calls: given.map(([name, input], index) => ({
      id: `c${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    })),
  },
  finish: "tool_calls",
});
const refuses = (status: number, error: unknown): Answer => ({ status, error });
const message = (text: string, more: object = {}) => ({
  error: { message: text, type: "invalid_request_error", ...more },
});
const forced = (body: Readonly<Record<string, unknown>>) => typeof body.tool_choice === "object";
const rolesOf = (body: Readonly<Record<string, unknown>>) =>
  (body.messages as { role: string }[]).map(({ role }) => role).join();

const chat: Dialect = {
  name: "chat",
  readBody: (body) => body,
  writeAnswer: ({ message, finish, usage }) => {
    return {
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }],
      usage,
    };
  },
  writeChunks: (chunks) => chunks,
};

function step(behaviour: Behaviour, count: () => number, dialect: Dialect): ChatStep {
  return ({ body = {} }: ChatRequest) => {
    const answer = behaviour(dialect.readBody(body), count());
    if ("status" in answer) {
      const { status, error, headers = {} } = answer;
      return { status, body: typeof error === "string" ? error : JSON.stringify(error), headers };
    }
    if ("chunks" in answer) {
      const events = [...dialect.writeChunks(answer.chunks).map((chunk) => JSON.stringify(chunk)), "[DONE]"];
      return {
        status: 200,
        headers: { "content-type": "text/event-stream" },
        body: events.map((data) => `data: ${data}\n\n`).join(""),
      };
    }
    const { message, finish = "stop", usage = { prompt_tokens: 100, completion_tokens: 20 } } = answer;
    return { status: 200, body: JSON.stringify(dialect.writeAnswer({ message, finish, usage })) };
  };
}

const delta = (piece: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta: piece, finish_reason: finish }],
});

/** What every `Model` behind an OpenAI-compatible endpoint makes of what endpoints really do. Names say whose behaviour it is. */
export function endpointContract(name: string, { modelAt, dialect = chat }: EndpointContractOptions): void {
  const chatOnly = test.skipIf(dialect !== chat);
  async function world(behaviour: Behaviour): Promise<{ server: ChatServer; model: Model; bodies: () => Body[] }> {
    let count = 0;
    const server = await startChatServer([step(behaviour, () => ++count, dialect)], { repeat: true });
    onTestFinished(() => server.close());
    return {
      server,
      model: modelAt(server.baseURL),
      bodies: () => server.requests.map(({ body = {} }) => dialect.readBody(body)),
    };
  }

  describe(`${name}: answers`, () => {
    chatOnly("streamed parallel calls that all have the index 0 are as many calls (Gemini)", async () => {
      const call = (id: string, city: string) => ({
        tool_calls: [{ index: 0, id, function: { name: "weather", arguments: JSON.stringify({ city }) } }],
      });
      for (const ids of [
        ["a", "b"],
        ["", ""],
      ] as const) {
        const { model } = await world(() => ({
          chunks: [delta(call(ids[0], "Lyon")), delta(call(ids[1], "Nice")), delta({}, "tool_calls")],
        }));
        const reply = await model.generate(asksWithTools);
        expect(reply.toolCalls.map((each) => each.arguments)).toEqual(['{"city":"Lyon"}', '{"city":"Nice"}']);
      }
    });

    chatOnly("pieces of one call stay one call, with its name or its id repeated", async () => {
      const piece = (written: string) => ({
        tool_calls: [{ index: 0, id: "a", function: { name: "weather", arguments: written } }],
      });
      const { model } = await world(() => ({
        chunks: [delta(piece('{"city":')), delta(piece('"Lyon"}')), delta({}, "tool_calls")],
      }));
      expect((await model.generate(asksWithTools)).toolCalls).toEqual([
        { id: "a", name: "weather", arguments: '{"city":"Lyon"}' },
      ]);
    });

    chatOnly.for([
      {
        who: "DeepSeek",
        given: { reasoning_content: "I should call it." },
        back: { reasoning_content: "I should call it." },
        call: {},
      },
      {
        who: "Gemini 3",
        given: {},
        back: {},
        call: { extra_content: { google: { thought_signature: "SIG" } } },
      },
      {
        who: "OpenRouter",
        given: { reasoning: "Hm.", reasoning_details: [{ type: "reasoning.encrypted", data: "x" }] },
        back: { reasoning: "Hm.", reasoning_details: [{ type: "reasoning.encrypted", data: "x" }] },
        call: {},
      },
    ])("what $who wants back is sent back, whole and streamed", async ({ given, back, call }) => {
      const made = { id: "c1", type: "function", function: { name: "weather", arguments: "{}" }, ...call };
      for (const streamed of [false, true]) {
        const { model, bodies } = await world((_, request) => {
          if (request > 1) return says("20 degrees");
          if (!streamed) return { message: { content: "", ...given, tool_calls: [made] }, finish: "tool_calls" };
          return { chunks: [delta(given), delta({ tool_calls: [{ index: 0, ...made }] }), delta({}, "tool_calls")] };
        });
        const reply = await model.generate(asksWithTools);
        await model.generate({ ...asksWithTools, messages: [user, ...turnOf(reply)] });
        const { messages = [] } = bodies()[1] ?? {};
        const [, assistant] = messages as object[];
        expect(assistant).toEqual({ role: "assistant", content: null, ...back, tool_calls: [made] });
      }
    });

    chatOnly("thoughts that an endpoint does not take back are left out from then on (Groq)", async () => {
      const { model, bodies } = await world((body, request) => {
        if (request === 1) return { message: { reasoning: "Hm.", ...callMessage() } };
        return JSON.stringify(body).includes('"reasoning"')
          ? refuses(400, message("property 'reasoning' is unsupported"))
          : says("20 degrees");
      });
      const reply = await model.generate(asksWithTools);
      const next = { ...asksWithTools, messages: [user, ...turnOf(reply)] };
      expect((await model.generate(next)).text).toBe("20 degrees");
      await model.generate(next);
      expect(bodies()).toHaveLength(4);
    });

    test("tokens from the cache and of thoughts are read and priced", async () => {
      const usages = [
        { prompt_tokens_details: { cached_tokens: 1_920 }, completion_tokens_details: { reasoning_tokens: 640 } },
        { prompt_cache_hit_tokens: 1_920, completion_tokens_details: { reasoning_tokens: 640 } },
      ];
      for (const details of usages) {
        const { model } = await world(() => ({
          message: { content: "Hi" },
          usage: { prompt_tokens: 2_000, completion_tokens: 700, ...details },
        }));
        expect((await model.generate({ messages: [user] })).usage).toEqual({
          inputTokens: 2_000,
          outputTokens: 700,
          cachedInputTokens: 1_920,
          reasoningTokens: 640,
          cost: expect.closeTo((80 + 192 + 7_000) / 1_000_000, 9),
        });
      }
    });

    test("two forced calls are one answer where they differ in lists alone, and one call is asked for", async () => {
      const { model, bodies } = await world((body) =>
        body.response_format === undefined
          ? calls(["plan", { tasks: [{ task_id: "a" }] }], ["plan", { tasks: [{ task_id: "b" }] }])
          : refuses(400, message("response_format unsupported")),
      );
      const reply = await model.generate(asksForPlan);
      expect(JSON.parse(reply.text)).toEqual({ tasks: [{ task_id: "a" }, { task_id: "b" }] });
      expect(bodies()[1]?.parallel_tool_calls).toBe(false);
      const other = await world((body) =>
        body.response_format === undefined
          ? calls(["plan", { tasks: [], title: "x" }], ["plan", { tasks: [], title: "y" }])
          : refuses(400, message("response_format unsupported")),
      );
      await expect(other.model.generate(asksForPlan)).rejects.toMatchObject({
        code: "CONTROLLER_UNREADABLE",
        message: expect.stringContaining("different things"),
      });
    });

    test("an answer that runs away is stopped while it is written", async () => {
      const words = Array.from({ length: 3_000 }, () => delta({ content: "and then we go on " }));
      const { model } = await world(() => ({ chunks: words }));
      const error = await model.generate({ messages: [user] }).catch((error: unknown) => error);
      expect(error).toMatchObject({ code: "CONTROLLER_RUNAWAY", retryable: true });
      expect((error as { details: { characters: number } }).details.characters).toBeLessThan(10_000);
      const rows = Array.from({ length: 400 }, (_, row) => delta({ content: `{"task_id": "t${row}", "x": "same"}, ` }));
      const list = await world(() => ({ chunks: [...rows, delta({}, "stop")] }));
      expect((await list.model.generate({ messages: [user] })).text).toContain("t399");
    });
  });

  describe(`${name}: what an endpoint refuses is sent otherwise, once found out`, () => {
    const refusedUnless = (isFine: (body: Body) => boolean, refusal: Answer, answer = says(written)): Behaviour => {
      return (body) => (isFine(body) ? answer : refusal);
    };
    test.for<{ who: string; behaviour: Behaviour; request?: ModelRequest; requests?: number; last: object }>([
      {
        who: "too many tokens for the model (OpenAI)",
        behaviour: refusedUnless(
          (body) => Number(body.max_tokens) <= 4_096,
          refuses(
            400,
            message(
              "max_tokens is too large: 10000. This model supports at most 4096 completion tokens, whereas you provided 10000.",
              { param: "max_tokens", code: "invalid_value" },
            ),
          ),
        ),
        last: { max_tokens: 4_096 },
      },
      {
        who: "too many tokens for the model (Anthropic)",
        behaviour: refusedUnless(
          (body) => Number(body.max_tokens) <= 4_096,
          refuses(
            400,
            message(
              "max_tokens: 10000 > 4096, which is the maximum allowed number of output tokens for claude-3-haiku-20240307",
            ),
          ),
        ),
        last: { max_tokens: 4_096 },
      },
      {
        who: "too many tokens for the model (Groq)",
        behaviour: refusedUnless(
          (body) => Number(body.max_tokens) <= 8_192,
          refuses(
            400,
            message(
              "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model",
            ),
          ),
        ),
        last: { max_tokens: 8_192 },
      },
      {
        who: "too many tokens for the model (DeepSeek)",
        behaviour: refusedUnless(
          (body) => Number(body.max_tokens) <= 8_192,
          refuses(400, message("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]")),
        ),
        last: { max_tokens: 8_192 },
      },
      {
        who: "too many tokens for the model, in an array (Gemini)",
        behaviour: refusedUnless(
          (body) => Number(body.max_tokens) < 8_193,
          refuses(400, [
            {
              error: {
                code: 400,
                message:
                  "Unable to submit request because it has a maxOutputTokens value of 10000 but the supported range is from 1 (inclusive) to 8193 (exclusive).",
                status: "INVALID_ARGUMENT",
              },
            },
          ]),
        ),
        last: { max_tokens: 8_192 },
      },
      {
        who: "more tokens than the context has left (vLLM)",
        behaviour: refusedUnless(
          (body) => Number(body.max_tokens) <= 8_192 - 1_250,
          refuses(400, {
            object: "error",
            message:
              "'max_tokens' or 'max_completion_tokens' is too large: 10000. This model's maximum context length is 8192 tokens and your request has 1250 input tokens (10000 > 8192 - 1250).",
            type: "BadRequestError",
            code: 400,
          }),
        ),
        last: {},
      },
      {
        who: "more tokens than the context has left (OpenAI)",
        behaviour: refusedUnless(
          (body) => Number(body.max_tokens) <= 8_192 - 1_250,
          refuses(
            400,
            message(
              "This model's maximum context length is 8192 tokens. However, you requested 11250 tokens (1250 in the messages, 10000 in the completion). Please reduce the length of the messages or completion.",
              { code: "context_length_exceeded" },
            ),
          ),
        ),
        last: {},
      },
      {
        who: "the system role (Gemma's template)",
        behaviour: refusedUnless(
          (body) => rolesOf(body) === "user",
          refuses(400, message("System role not supported")),
        ),
        last: { messages: [{ role: "user", content: "Be brief.\n\nPlan it." }] },
      },
      {
        who: "the system role (o1-mini)",
        behaviour: refusedUnless(
          (body) => rolesOf(body) === "user",
          refuses(
            400,
            message("Unsupported value: 'messages[0].role' does not support 'system' with this model.", {
              param: "messages[0].role",
              code: "unsupported_value",
            }),
          ),
        ),
        last: { messages: [{ role: "user", content: "Be brief.\n\nPlan it." }] },
      },
      {
        who: "a system message at the start (Mistral's template)",
        behaviour: refusedUnless(
          (body) => rolesOf(body) === "user",
          refuses(500, message("Conversation roles must alternate user/assistant/user/assistant/...")),
        ),
        last: { messages: [{ role: "user", content: "Be brief.\n\nPlan it." }] },
      },
      {
        who: "to stream (an organization that is not verified)",
        behaviour: refusedUnless(
          (body) => body.stream !== true,
          refuses(
            400,
            message("Your organization must be verified to stream this model.", {
              param: "stream",
              code: "unsupported_value",
            }),
          ),
        ),
        last: {},
      },
      {
        who: "to be asked for one call (unknown field)",
        behaviour: (body) => {
          if (body.response_format !== undefined) return refuses(400, message("response_format unsupported"));
          return body.parallel_tool_calls === undefined
            ? calls(["plan", plan])
            : refuses(400, [
                { error: { code: 400, message: 'Unknown name "parallel_tool_calls": Cannot find field.' } },
              ]);
        },
        requests: 3,
        last: { tool_choice: { type: "function", function: { name: "plan" } } },
      },
      {
        who: "to force a function (DeepSeek's reasoner)",
        behaviour: refusedUnless(
          (body) => !forced(body),
          refuses(400, message("deepseek-reasoner does not support this tool_choice")),
        ),
        request: forcesPlan,
        last: { response_format: { type: "json_schema" } },
      },
    ])("$who", async ({ behaviour, request = asksForPlan, requests = 2, last }) => {
      const { model, bodies } = await world(behaviour);
      const asked = { ...request, maxTokens: 10_000 };
      const reply = await model.generate(asked);
      expect(planIn(reply)).toEqual(plan);
      expect(reply.requests).toBe(requests);
      expect(reply.adjustments).toHaveLength(requests - 1);
      expect(bodies().at(-1)).toMatchObject(last);
      await model.generate(asked);
      expect(bodies()).toHaveLength(requests + 1);
    });

    test.for([
      {
        who: "too many states (Gemini)",
        refusal: refuses(400, [
          {
            error: {
              code: 400,
              message: "The specified schema produces a constraint that has too many states for serving.",
              status: "INVALID_ARGUMENT",
            },
          },
        ]),
      },
      { who: "no grammar (llama.cpp, Ollama)", refusal: refuses(500, message("failed to parse grammar")) },
      {
        who: "no such schema (OpenAI)",
        refusal: refuses(
          400,
          message(
            "Invalid schema for response_format 'plan': In context=(), 'additionalProperties' is required to be supplied and to be false.",
            { param: "response_format" },
          ),
        ),
      },
    ])(
      "a schema: it is asked for as a call, then in words; another schema as before a while later: $who",
      async ({ refusal }) => {
        let takes = false;
        const { model, bodies } = await world((body) => {
          if (takes) return says(written);
          return body.response_format === undefined && body.tools === undefined ? says(written) : refusal;
        });
        const reply = await model.generate(asksForPlan);
        expect(planIn(reply)).toEqual(plan);
        expect(reply.requests).toBe(3);
        expect(JSON.stringify(bodies()[2]?.messages)).toContain("JSON Schema");
        takes = true;
        for (let later = 0; later < 4; later++) await model.generate(asksForPlan);
        expect(
          bodies()
            .slice(3)
            .some((body) => body.response_format !== undefined),
        ).toBe(true);
      },
    );

    test.for([
      { who: "json_validate_failed", code: "json_validate_failed", failed_generation: written },
      { who: "tool_use_failed", code: "tool_use_failed", failed_generation: `<function=plan>${written}</function>` },
    ])("an answer that the endpoint threw away is read: $who (Groq)", async ({ code, failed_generation }) => {
      const { model, bodies } = await world(() =>
        refuses(400, message("Failed to validate JSON. See 'failed_generation'.", { code, failed_generation })),
      );
      expect(planIn(await model.generate(asksForPlan))).toEqual(plan);
      expect(bodies()).toHaveLength(1);
    });
  });

  describe(`${name}: a function that must be called`, () => {
    test("is asked for as a response format where the server takes no notice (llama-server)", async () => {
      const { model, bodies } = await world((body) => says(body.response_format === undefined ? "I will." : written));
      const reply = await model.generate(forcesPlan);
      expect(reply).toMatchObject({ text: "", requests: 2, toolCalls: [{ name: "plan", arguments: written }] });
      expect(bodies()[1]).toMatchObject({
        response_format: { json_schema: { name: "plan", schema: schema.schema } },
        messages: [{ content: expect.stringContaining("Gives the plan.") }, user],
      });
      expect(bodies()[1]).not.toHaveProperty("tools");
      await model.generate(forcesPlan);
      expect(bodies()).toHaveLength(3);
    });

    test("one of several likewise", async () => {
      const call = { name: "weather", arguments: { city: "Lyon" } };
      const { model } = await world((body) =>
        says(body.response_format === undefined ? "Well." : JSON.stringify(call)),
      );
      const reply = await model.generate({ messages: [user], tools: [planTool, weather], toolChoice: "required" });
      expect(reply.toolCalls).toMatchObject([{ name: "weather", arguments: '{"city":"Lyon"}' }]);
    });

    test("may be called in words, without another request", async () => {
      const { model, bodies } = await world(() =>
        says(`\`\`\`json\n{"name": "plan", "arguments": ${written}}\n\`\`\``),
      );
      expect((await model.generate(forcesPlan)).toolCalls).toMatchObject([{ name: "plan", arguments: written }]);
      expect(bodies()).toHaveLength(1);
    });
  });

  describe(`${name}: what cannot succeed is asked for once`, () => {
    test.for<{ who: string; answer: Answer; code: string; says: RegExp }>([
      {
        who: "an account without credit (OpenAI)",
        answer: refuses(
          429,
          message("You exceeded your current quota, please check your plan and billing details.", {
            type: "insufficient_quota",
            code: "insufficient_quota",
          }),
        ),
        code: "CONTROLLER_QUOTA",
        says: /no quota or credit left.*Add credit/,
      },
      {
        who: "an account without credit (DeepSeek)",
        answer: refuses(402, message("Insufficient Balance")),
        code: "CONTROLLER_QUOTA",
        says: /Insufficient Balance/,
      },
      {
        who: "an unknown model (OpenAI)",
        answer: refuses(
          404,
          message("The model `gpt-9` does not exist or you do not have access to it.", { code: "model_not_found" }),
        ),
        code: "CONTROLLER_MODEL_NOT_FOUND",
        says: /does not offer the model.*Check the name/,
      },
      {
        who: "a model that is not there (Ollama)",
        answer: refuses(404, { error: 'model "qwen9" not found, try pulling it first' }),
        code: "CONTROLLER_MODEL_NOT_FOUND",
        says: /try pulling it first/,
      },
      {
        who: "a model of another API",
        answer: refuses(404, message("This model is only supported in v1/responses and not in v1/chat/completions.")),
        code: "CONTROLLER_MODEL_NOT_FOUND",
        says: /for (chat completions|the Responses API)/,
      },
      {
        who: "a URL that is no endpoint",
        answer: refuses(404, "<html>404 page not found</html>"),
        code: "CONTROLLER_STATUS",
        says: /base URL end where the API begins/,
      },
      {
        who: "a request that is too long (llama.cpp)",
        answer: refuses(400, {
          error: {
            code: 400,
            message: "request (45876 tokens) exceeds the available context size (16384 tokens), try increasing it",
            type: "exceed_context_size_error",
          },
        }),
        code: "CONTROLLER_CONTEXT_EXCEEDED",
        says: /too long for the model.*fewer tools/,
      },
      {
        who: "a request that is too long (OpenAI)",
        answer: refuses(
          400,
          message(
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 45876 tokens. Please reduce the length of the messages.",
            { code: "context_length_exceeded" },
          ),
        ),
        code: "CONTROLLER_CONTEXT_EXCEEDED",
        says: /45876 tokens/,
      },
      {
        who: "a request that is too long for the account (Groq)",
        answer: refuses(
          413,
          message("Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 8077"),
        ),
        code: "CONTROLLER_CONTEXT_EXCEEDED",
        says: /Limit 6000/,
      },
      {
        who: "a filtered request (Azure)",
        answer: refuses(
          400,
          message("The response was filtered due to the prompt triggering Azure OpenAI's content management policy.", {
            code: "content_filter",
          }),
        ),
        code: "CONTROLLER_CONTENT_FILTER",
        says: /content filter/,
      },
      {
        who: "a filtered answer (Gemini)",
        answer: { message: { content: "" }, finish: "content_filter: RECITATION" },
        code: "CONTROLLER_CONTENT_FILTER",
        says: /stopped the answer/,
      },
      {
        who: "a refusal",
        answer: { message: { content: null, refusal: "I can't assist with that." } },
        code: "CONTROLLER_REFUSED",
        says: /I can't assist with that/,
      },
      {
        who: "an answer of thoughts alone, cut off",
        answer: { message: { content: "", reasoning_content: "Let me think." }, finish: "length" },
        code: "CONTROLLER_LENGTH",
        says: /limit of 10000 tokens \(`maxTokens`\).*Raise/,
      },
      {
        who: "a thought that has no end, cut off",
        answer: { message: { content: "<think>Let me think." }, finish: "length" },
        code: "CONTROLLER_LENGTH",
        says: /maxTokens/,
      },
    ])("$who", async ({ answer, code, says }) => {
      const { model, bodies } = await world(() => answer);
      const error = await model.generate({ ...asksForPlan, maxTokens: 10_000 }).catch((error: unknown) => error);
      expect(error).toMatchObject({ code, retryable: false, message: expect.stringMatching(says) });
      expect(bodies()).toHaveLength(1);
      if ("message" in answer)
        expect(error).toMatchObject({ details: { usage: { inputTokens: 100, outputTokens: 20 } } });
    });

    test("a rate limit that speaks of the quota is waited for (Gemini)", async () => {
      const { model, bodies } = await world((_, request) =>
        request > 1
          ? says(written)
          : refuses(429, [
              {
                error: {
                  code: 429,
                  message:
                    "You exceeded your current quota, please check your plan and billing details. Please retry in 0.01s.",
                  status: "RESOURCE_EXHAUSTED",
                },
              },
            ]),
      );
      expect(planIn(await model.generate(asksForPlan))).toEqual(plan);
      expect(bodies()).toHaveLength(2);
    });

    chatOnly("an error within an answer counts as its status (OpenRouter)", async () => {
      const failed = { error: { code: 502, message: "Provider returned error" } };
      const answers: Answer[] = [
        refuses(200, failed),
        refuses(200, { choices: [{ message: { content: "" }, finish_reason: "error", ...failed }] }),
        says(written),
      ];
      const { model, bodies } = await world((_, request) => answers[request - 1]!);
      expect(planIn(await model.generate(asksForPlan))).toEqual(plan);
      expect(bodies()).toHaveLength(3);
    });
  });
}

type Body = Readonly<Record<string, unknown>>;

function callMessage() {
  return (calls(["weather", { city: "Lyon" }]) as { readonly message: object }).message;
}

/** The reply as the conversation goes on with it, and what the tools gave. */
function turnOf({ text, toolCalls, providerData }: ModelReply): ModelRequest["messages"] {
  return [
    { role: "assistant", content: text, toolCalls, ...(providerData && { providerData }) },
    ...toolCalls.map(({ id }) => ({ role: "tool", toolCallId: id, content: "20" }) as const),
  ];
}

function planIn({ text, toolCalls }: ModelReply): unknown {
  return JSON.parse(toolCalls[0]?.arguments ?? text);
}
