import { describe, expect, test } from "vitest";
import {
  type Answer,
  asksForPlan,
  type EndpointSubject,
  message,
  plan,
  planIn,
  refuses,
  says,
  written,
} from "./subject.ts";

/** What cannot succeed is asked for once, and what may succeed is asked again. */
export function finalAnswersEndTheCall({ name, world, chatOnly }: EndpointSubject): void {
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
      {
        who: "a request that is refused for a reason that names nothing",
        answer: refuses(400, { error: { message: "invalid request" } }),
        code: "CONTROLLER_STATUS",
        says: /refuses the request \(status 400\): invalid request\. It would refuse.*`structuredOutput: "text"`/,
      },
      {
        who: "a field of the conversation that is refused (FastAPI)",
        answer: refuses(422, { detail: [{ loc: ["body", "messages"], msg: "Input should be valid" }] }),
        code: "CONTROLLER_STATUS",
        says: /status 422.*Input should be valid.*Change what its words name/,
      },
      {
        who: "a key that is not valid, with 400 (Gemini)",
        answer: refuses(400, [
          {
            error: {
              code: 400,
              message: "API key not valid. Please pass a valid API key.",
              status: "INVALID_ARGUMENT",
            },
          },
        ]),
        code: "CONTROLLER_AUTH",
        says: /refused the key \(status 400\).*Check the API key/,
      },
      {
        who: "an API that does not generate",
        answer: refuses(501, "not implemented"),
        code: "CONTROLLER_STATUS",
        says: /status 501.*not implemented/,
      },
      {
        who: "a proxy's login page",
        answer: refuses(200, "\n<!DOCTYPE html><html><head><title>Sign in</title></head><body>…</body></html>"),
        code: "CONTROLLER_PROTOCOL",
        says: /a web page \("Sign in"\).*sign in at the proxy.*base URL/,
      },
      {
        who: "a login page that is called a stream",
        answer: {
          ...{ status: 200, error: "<html><body>Log in</body></html>" },
          headers: { "content-type": "text/event-stream" },
        },
        code: "CONTROLLER_PROTOCOL",
        says: /a web page\. A proxy/,
      },
      {
        who: "an error that is called a stream",
        answer: {
          ...{ status: 200, error: { error: { message: "no such field", type: "invalid_request_error" } } },
          headers: { "content-type": "text/event-stream" },
        },
        code: "CONTROLLER_STATUS",
        says: /no such field/,
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

    test.for<{ who: string; error: unknown }>([
      {
        who: "an answer that cannot be read (Groq)",
        error: message("Failed to call a function.", { code: "tool_use_failed", failed_generation: "I will" }),
      },
      {
        who: "an answer that is not shown",
        error: message("Failed to validate JSON.", { code: "json_validate_failed" }),
      },
      { who: "a provider that is busy, with 400", error: message("The model is temporarily overloaded.") },
      { who: "a provider that is busy, with 400, in words of its own", error: message("Please try again later.") },
    ])("what may end otherwise the next time is not final: $who", async ({ error: given }) => {
      const { model, bodies } = await world((_, request) => (request === 1 ? refuses(400, given) : says(written)));
      const error = await model.generate(asksForPlan).catch((error: unknown) => error);
      expect(error).toMatchObject({ code: "CONTROLLER_STATUS", retryable: true });
      expect(planIn(await model.generate(asksForPlan))).toEqual(plan);
      expect(bodies()).toHaveLength(2);
    });

    test.for([408, 409, 425, 500, 503])("status %i speaks of the moment: a planner may ask again", async (status) => {
      const { model } = await world(() => refuses(status, { error: { message: "not now" } }));
      const error = await model.generate(asksForPlan, { maxRetries: 0 }).catch((error: unknown) => error);
      expect(error).toMatchObject({ code: "CONTROLLER_STATUS", retryable: true });
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
