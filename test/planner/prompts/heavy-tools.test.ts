import { LlmController, type ModelRequest, planAnswerSchema } from "@planloom/controller";
import type { JsonSchema, Resource } from "@planloom/plan";
import { Planner } from "@planloom/planner";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";

const text = { type: "string" } as const;
const long = "This tool does what its maker tells at great length, with history, caveats, examples and legal notes. ";
const chinese = "查询商店中的订单记录，包括客户的姓名、地址、电话号码以及历史购买信息。";
const numbered = (count: number, name: (at: number) => string, schema: JsonSchema) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), schema]));
const input = (properties: Record<string, JsonSchema>): JsonSchema => {
  return { type: "object", properties, required: Object.keys(properties) };
};
const choices = (count: number, value: (at: number) => string): JsonSchema => {
  return { type: "string", enum: Array.from({ length: count }, (_, at) => value(at)) };
};
function deep(depth: number): JsonSchema {
  return depth === 0 ? text : input(numbered(6, (at) => `field_${depth}_${at}`, deep(depth - 1)));
}

const sorts: Record<string, Partial<Resource>> = {
  "long texts": {
    description: long.repeat(8),
    input_schema: input({
      id: { ...text, description: long.repeat(8) },
      q: { ...text, description: long.repeat(8) },
    }),
  },
  "Chinese texts": {
    description: chinese.repeat(10),
    input_schema: input({ 客户: { ...text, description: chinese.repeat(5) } }),
  },
  "deep schemas": { input_schema: input({ body: deep(3) }) },
  "60 arguments": {
    input_schema: input(numbered(60, (at) => `argument_number_${at}`, { ...text, description: long })),
  },
  "20 optional arguments": {
    description: long.repeat(3),
    input_schema: { type: "object", properties: numbered(20, (at) => `setting_${at}`, { ...text, description: long }) },
  },
  "enumerations of 500": { input_schema: input({ code: choices(500, (at) => `CODE_${at}`) }) },
  "enumerations of 190": { input_schema: input({ code: choices(190, (at) => `CODE_${at}`) }) },
  "enumerations of long values": { input_schema: input({ code: choices(10, (at) => `${at} ${long.repeat(8)}`) }) },
  "large outputs": { output_schema: input(numbered(60, (at) => `field_with_a_rather_long_name_${at}`, text)) },
  "long names": { input_schema: input({ ["parameter".repeat(30)]: text }) },
};
const toolsOf = (count: number, sort: Partial<Resource>): Resource[] =>
  Array.from({ length: count }, (_, at) => {
    return { kind: "tool", id: `tool_${at}`, name: `tool_${at}`, description: `Tool ${at}`, ...sort };
  });

async function requestOf(resources: readonly Resource[]): Promise<ModelRequest> {
  const requests: ModelRequest[] = [];
  const model = {
    name: "m",
    generate: (request: ModelRequest) => {
      requests.push(request);
      return Promise.reject(new Error("asked"));
    },
  };
  const planner = new Planner({ controller: new LlmController({ model }), resources, maxAttempts: 1 });
  await planner.createPlan("Get the record of the customer with tool 3").catch(() => undefined);
  return requests[0]!;
}

test.for(Object.entries(sorts))(
  "tools with %s are described in bounded length, and all are named",
  async ([, sort]) => {
    for (const [count, budget] of [
      [5, 750],
      [30, 1_500],
    ] as const) {
      const { messages } = await requestOf(toolsOf(count, sort));
      const prompt = messages.map(({ content }) => content).join("\n");
      expect(countTokens(prompt)).toBeLessThanOrEqual(budget);
      expect(new Set(prompt.match(/tool_\d+/g)).size).toBe(Math.min(count, 20));
    }
  },
);

test("long texts are cut after a sentence, and optional arguments lose their texts before the required ones", async () => {
  const settings = numbered(5, (at) => `setting_${at}`, { ...text, description: long });
  const properties = { id: { ...text, description: `The id of the record. ${long}` }, ...settings };
  const input_schema: JsonSchema = { type: "object", properties, required: ["id"] };
  const resources = toolsOf(5, { description: `Changes a record. ${long.repeat(3)}`, input_schema });
  const [card] = /"tool_0": [\s\S]*?(?=\n"tool_1)/.exec((await requestOf(resources)).messages[0]!.content) ?? [];
  expect(card?.split("\n").map((line) => line.slice(0, 60))).toEqual([
    '"tool_0": Changes a record. This tool does what its maker te',
    "  - id (string): The id of the record.",
    "  - optional: setting_0, setting_1, setting_2, setting_3, se",
  ]);
});

test("an answer's schema has at most 1,000 values of enumerations: the longest are left out, and small ones stay", () => {
  const schemas = [190, 190, 190, 190, 190, 190, 3].map((count) => choices(count, (at) => `CODE_${at}`));
  const resources = schemas.map((code, at) => toolsOf(at + 1, { input_schema: input({ code, enum: code }) })[at]!);
  const { schema, strict } = planAnswerSchema(resources);
  const written = JSON.stringify(schema);
  expect([strict, written.match(/CODE_\d+/g)?.length, written.includes('"enum":["CODE_0","CODE_1","CODE_2"]')]).toEqual(
    [...[true, 6, true]],
  );
  expect(JSON.stringify(planAnswerSchema(resources.slice(0, 2)).schema).match(/CODE_\d+/g)).toHaveLength(4 * 190);
});

test("where the chosen tools do not fit they are shortened, and not all others shown in their place", async () => {
  const described = { ...text, description: long.repeat(100) };
  const tools = toolsOf(60, { input_schema: input({ body: input(numbered(9, (at) => `field_${at}`, described)) }) });
  const controller = new LlmController({ model: { name: "m", generate: () => Promise.reject(new Error("asked")) } });
  const shown: number[] = [];
  controller.processPhase1 = (request) => {
    shown.push(request.shown_resources?.length ?? 0);
    return Promise.resolve({ success: false, status: "no" });
  };
  controller.promptCharacters = (request) => JSON.stringify(request.shown_resources ?? request.resources).length;
  const planner = new Planner({ controller, resources: tools, maxAttempts: 1, maxPromptCharacters: 150_000 });
  await planner.createPlan("Get the record of the customer with tool 3").catch(() => undefined);
  expect(shown).toEqual([20]);
});
