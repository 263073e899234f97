import { planAnswerSchema } from "@planloom/controller";
import { jsonGrammar } from "@planloom/local";
import type { JsonSchema } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { matches } from "../support/gbnf.ts";

const branch = (tool: string, properties: object, required: string[]) => ({
  type: "object",
  properties: { tool_id: { const: tool }, arguments: { type: "object", properties, required } },
  required: ["tool_id", "arguments"],
});

describe("patterns of texts", () => {
  const texts = [
    "",
    "t1",
    "t1234",
    "x1",
    "${t1}",
    "${t1.items.*.id}",
    "${t1",
    "{}",
    "a b",
    "2026-03-04",
    "2026-3-4",
    "ab",
    "abab",
    "a-b]",
    "10",
    "é",
  ];
  test.for([
    "^t[0-9]{1,3}$",
    "^\\$\\{[A-Za-z0-9_]+[^{}]*\\}$",
    "^\\d{4}-\\d{2}-\\d{2}$",
    "^(?:ab)+$",
    "^(a|ab)?b?$",
    "^[^0-9]+$",
    "^[a\\]-]+b?.$",
    "^\\w*\\s\\w*$",
  ])("%s allows what the expression does", (pattern) => {
    const grammar = jsonGrammar({ type: "string", pattern });
    for (const text of texts)
      expect([text, matches(grammar, JSON.stringify(text))]).toEqual([text, new RegExp(pattern, "u").test(text)]);
    // Neither ends the text from within nor breaks a line.
    expect(matches(grammar, '"${t1"}"')).toBe(false);
    expect(matches(grammar, '"a\nb"')).toBe(false);
  });

  test.for([
    "t[0-9]",
    "^a",
    "^a(?=b)$",
    "^(?<n>a)$",
    "^\\bx$",
    '^"$',
    "^a{1,999}$",
    "^a*?$",
    "^[]$",
    "^(a$",
    "^\\u0041$",
  ])("%s is left to the code that checks the answer", (pattern) => {
    expect(matches(jsonGrammar({ type: "string", pattern }), '"anything"')).toBe(true);
  });

  test("of a plan's answer let a number argument be a number or a reference, and no other text", () => {
    const input_schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const { schema } = planAnswerSchema([{ kind: "tool", id: "look", description: "Looks", input_schema }], {
      mayOrder: false,
    });
    const grammar = jsonGrammar(schema);
    const answer = (n: unknown, task_id = "t1") =>
      JSON.stringify({ tasks: [{ task_id, for: "x", tool_id: "look", arguments: { n } }] });
    expect([7, "${t1.n}", null].map((n) => matches(grammar, answer(n)))).toEqual([true, true, true]);
    expect(["7", "seven", "${t1} more"].map((n) => matches(grammar, answer(n)))).toEqual([false, false, false]);
    expect(matches(grammar, answer(7, "the first task"))).toBe(false);
  });
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
