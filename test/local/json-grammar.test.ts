import { jsonGrammar } from "@planloom/local";
import type { JsonSchema } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { matches } from "../support/gbnf.ts";

const branch = (tool: string, properties: object, required: string[]) => ({
  type: "object",
  properties: { tool_id: { const: tool }, arguments: { type: "object", properties, required } },
  required: ["tool_id", "arguments"],
});

describe("the grammar of a schema allows what fits and nothing else", () => {
  test.for<{ name: string; schema: JsonSchema; fits: unknown[]; not: string[] }>([
    {
      name: "a plan of tools",
      schema: {
        type: "object",
        properties: {
          note: { type: "string" },
          tasks: {
            type: "array",
            minItems: 1,
            maxItems: 2,
            items: {
              anyOf: [
                branch("weather", { city: { type: "string" }, days: { type: ["integer", "null"] } }, ["city"]),
                branch("time", {}, []),
              ],
            },
          },
        },
        required: ["tasks"],
      },
      fits: [
        { tasks: [{ tool_id: "weather", arguments: { city: 'Ly"on\n' } }] },
        {
          note: "x",
          tasks: [
            { tool_id: "time", arguments: {} },
            { tool_id: "weather", arguments: { city: "", days: null } },
          ],
        },
      ],
      not: [
        "{}",
        '{"tasks":[]}',
        '{"tasks":[{"tool_id":"other","arguments":{}}]}',
        '{"tasks":[{"tool_id":"weather","arguments":{"days":1}}]}',
        '{"tasks":[{"tool_id":"weather","arguments":{"city":"x","more":1}}]}',
        `{"tasks":[${Array.from({ length: 3 }, () => '{"tool_id":"time","arguments":{}}').join()}]}`,
        '{"tasks": [{"tool_id":"time","arguments":{}}',
      ],
    },
    {
      name: "constants, enumerations, numbers and texts",
      schema: {
        type: "object",
        properties: {
          kind: { enum: ["a", 2, null] },
          n: { type: "number" },
          short: { type: "string", minLength: 1, maxLength: 2 },
          on: { type: "string", format: "date" },
        },
        required: ["kind"],
      },
      fits: [{ kind: "a" }, { kind: 2, n: -1.5e3 }, { kind: null, short: "ab", on: "2026-11-23" }],
      not: [
        '{"kind":"b"}',
        '{"kind":"a","n":"1"}',
        '{"kind":"a","short":""}',
        '{"kind":"a","short":"abc"}',
        '{"kind":"a","on":"soon"}',
        '{"kind":"a","n":01}',
      ],
    },
    {
      name: "references, of a schema to itself too",
      schema: {
        $ref: "#/$defs/node",
        $defs: {
          node: {
            type: "object",
            properties: { next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } },
            required: ["next"],
          },
        },
      },
      fits: [{ next: null }, { next: { next: { next: null } } }],
      not: ['{"next":1}', "null"],
    },
    {
      name: "objects and lists of anything, maps of one type",
      schema: {
        type: "object",
        properties: {
          any: {},
          list: { type: "array" },
          map: { type: "object", additionalProperties: { type: "integer" } },
          none: { type: "object", additionalProperties: false },
        },
      },
      fits: [{}, { any: { deep: [1, "x", { y: false }] }, list: [1, []], map: { a: 1, b: 2 }, none: {} }, { list: [] }],
      not: ['{"map":{"a":"x"}}', '{"none":{"a":1}}', '{"other":1}'],
    },
  ])("$name", ({ schema, fits, not }) => {
    const grammar = jsonGrammar(schema);
    for (const value of fits) {
      expect(matches(grammar, JSON.stringify(value)), JSON.stringify(value)).toBe(true);
      // One blank after commas and colons, as models write it.
      expect(matches(grammar, JSON.stringify(value).replaceAll('":', '": ')), JSON.stringify(value)).toBe(true);
    }
    for (const text of not) expect(matches(grammar, text), text).toBe(false);
  });
});

test("it is linear in the schema", () => {
  const properties = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { type: "string" }]));
  const rules = (count: number) => jsonGrammar({ type: "object", properties: properties(count) }).split("\n").length;
  expect(rules(400) - rules(300)).toBe(rules(200) - rules(100));
  expect(jsonGrammar({ type: "object", properties: properties(300) }).length).toBeLessThan(60_000);
});
