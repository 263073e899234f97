import type { ModelRequest } from "@planloom/controller";
import { describe, expect, test } from "vitest";
import {
  type Answer,
  asksForPlan,
  type Behaviour,
  type Body,
  calls,
  type EndpointSubject,
  forced,
  forcesPlan,
  message,
  plan,
  planIn,
  refuses,
  rolesOf,
  says,
  schema,
  written,
} from "./subject.ts";

/** What an endpoint refuses of a request is sent otherwise, and known from then on. */
export function refusedFormsAreSentOtherwise({ name, world }: EndpointSubject): void {
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

    test("one that lacks a key of the form is the caller's to judge, in the same request", async () => {
      const parameters = {
        ...schema.schema,
        properties: { ...schema.schema.properties, drop: {} },
        required: ["tasks", "drop"],
      };
      const refusal = message("Failed to validate JSON.", { code: "json_validate_failed", failed_generation: written });
      const { model, bodies } = await world(() => refuses(400, refusal));
      expect(planIn(await model.generate({ ...asksForPlan, schema: { name: "plan", schema: parameters } }))).toEqual(
        plan,
      );
      expect(bodies()).toHaveLength(1);
    });
  });
}
