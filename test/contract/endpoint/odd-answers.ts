import { describe, expect } from "vitest";
import {
  type Answer,
  asksForPlan,
  asksWithTools,
  calls,
  delta,
  type EndpointSubject,
  plan,
  planIn,
  says,
  user,
  written,
} from "./subject.ts";

const call = { name: "weather", arguments: '{"city":"Lyon"}' };
const whole = (message: object, finish = "tool_calls"): Answer => ({ message, finish });
const streamed = (...pieces: readonly object[]): Answer => ({
  chunks: [...pieces.map((piece) => delta(piece)), delta({}, "tool_calls")],
});

/** Answers in forms of older servers and of proxies that pass on what the provider behind them writes: read, and never lost without a word. */
export function oddAnswersAreRead({ name, world, chatOnly }: EndpointSubject): void {
  describe(`${name}: answers in odd forms`, () => {
    chatOnly.for<[how: string, answer: Answer]>([
      ["in the field of before there were lists of calls", whole({ content: null, function_call: call })],
      ["alone and not in a list", whole({ tool_calls: { id: "a", function: call } })],
      ["without `function` around it", whole({ tool_calls: [{ id: "a", type: "function", ...call }] })],
      [
        "in that field, streamed",
        streamed({ function_call: { ...call, arguments: '{"city":' } }, { function_call: { arguments: '"Lyon"}' } }),
      ],
      [
        "without `function`, streamed",
        streamed(
          { tool_calls: [{ index: 0, id: "a", ...call, arguments: '{"city":' }] },
          { tool_calls: [{ index: 0, arguments: '"Lyon"}' }] },
        ),
      ],
      [
        "with its name in pieces",
        streamed(
          { tool_calls: [{ index: 0, id: "a", function: { name: "wea", arguments: "" } }] },
          { tool_calls: [{ index: 0, function: { name: "ther" } }] },
          { tool_calls: [{ index: 0, function: { name: "weather", arguments: call.arguments } }] },
        ),
      ],
      [
        "in another choice than the words (GitHub Copilot)",
        {
          chunks: [
            delta({ content: "I look it up." }),
            { choices: [{ index: 1, delta: { tool_calls: [{ index: 0, id: "a", function: call }] } }] },
            delta({}, "tool_calls"),
          ],
        },
      ],
    ])("a call %s is a call", async ([, answer]) => {
      const { model } = await world(() => answer);
      const { toolCalls } = await model.generate(asksWithTools);
      expect(toolCalls.map(({ name: tool, arguments: given }) => [tool, given])).toEqual([["weather", call.arguments]]);
    });

    chatOnly.for<[how: string, message: object]>([
      ["parsed", { content: plan }],
      ["a list of texts", { content: [written.slice(0, 5), written.slice(5)] }],
      ["a thought from its beginning to its end (vLLM)", { content: null, reasoning: written }],
    ])("a plan that is %s is the answer", async ([, message]) => {
      const { model, bodies } = await world(() => whole(message, "stop"));
      expect(planIn(await model.generate(asksForPlan))).toEqual(plan);
      expect(bodies()).toHaveLength(1);
    });

    chatOnly("the text of a server that only continues texts is read, streamed too", async () => {
      const text = { choices: [{ index: 0, text: "Hi", finish_reason: "stop" }] };
      const { model } = await world(() => ({ chunks: [text] }));
      expect((await model.generate({ messages: [user] })).text).toBe("Hi");
    });

    chatOnly.for([
      ["MAX_TOKENS", "length"],
      ["STOP", "stop"],
      ["end_turn", "stop"],
      ["tool_use", "tool_calls"],
    ] as const)("the end %s is read as %s", async ([finish, read]) => {
      const { model } = await world(() => says("Hi", finish));
      expect((await model.generate({ messages: [user] })).finishReason).toBe(read);
    });

    chatOnly("what the filter of another provider stopped is no empty answer", async () => {
      const { model } = await world(() => says("", "SAFETY"));
      await expect(model.generate({ messages: [user] })).rejects.toMatchObject({ code: "CONTROLLER_CONTENT_FILTER" });
    });

    chatOnly("a call that the provider could not read is asked for again (Gemini)", async () => {
      const { model, bodies } = await world((_, request) =>
        request === 1
          ? says("", "function_call_filter: MALFORMED_FUNCTION_CALL")
          : calls(["weather", { city: "Lyon" }]),
      );
      expect((await model.generate(asksWithTools)).toolCalls).toHaveLength(1);
      expect(bodies()).toHaveLength(2);
    });

    const refused = { message: "The engine is dead", type: "BadRequestError", code: 400 };
    chatOnly.for<[how: string, chunk: object]>([
      ["with nothing around it (vLLM)", { object: "error", ...refused }],
      ["beside an empty list of choices (OpenRouter)", { choices: [], error: refused }],
    ])("an error %s in the place of an answer is told in its words", async ([, error]) => {
      for (const answer of [{ chunks: [error] }, { status: 200, error }]) {
        const { model } = await world(() => answer);
        await expect(model.generate({ messages: [user] })).rejects.toMatchObject({
          code: "CONTROLLER_STATUS",
          message: expect.stringContaining("The engine is dead"),
        });
      }
    });
  });
}
