import { describe, expect, test } from "vitest";
import {
  asksForPlan,
  asksWithTools,
  callMessage,
  calls,
  delta,
  type EndpointSubject,
  message,
  refuses,
  says,
  turnOf,
  user,
} from "./subject.ts";

/** What endpoints answer is read, whatever its form. */
export function answersAreRead({ name, world, chatOnly }: EndpointSubject): void {
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
}
