import { describe, expect, test } from "vitest";
import { type EndpointSubject, forcesPlan, planTool, says, schema, user, weather, written } from "./subject.ts";

/** A function that must be called, where the endpoint takes no notice of that. */
export function forcedCallsAreMade({ name, world }: EndpointSubject): void {
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
}
