import { createRequire } from "node:module";
import type { JsonSchema } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { inBoundedTime } from "../../packages/plan/src/validation/check-meter.ts";
import { compileSchema } from "../../packages/plan/src/validation/compile-schema.ts";
import { SchemaInterpreter } from "../../packages/plan/src/validation/interpret-schema.ts";

const require = createRequire(new URL("../../packages/plan/package.json", import.meta.url));
const { Ajv } = require("ajv") as typeof import("ajv");
const addFormats = require("ajv-formats") as (ajv: unknown) => void;
const ajv = new Ajv({ strict: false });
addFormats(ajv);

const text = { type: "string" };
const number = { type: "number" };
const draft07 = { $schema: "http://json-schema.org/draft-07/schema#" };
const branches = (more: object) => Object.fromEntries(Object.entries({ if: { required: ["a"] }, ...more }));
const followed = `th${"en"}`;

function judge(schema: JsonSchema, value: unknown) {
  const compiled = compileSchema({ schema, root: schema });
  if ("broken" in compiled) throw new Error(compiled.broken);
  const history = () => ({ watchedFrom: 0, tooLong: Number.POSITIVE_INFINITY });
  const inTime = <T>(work: () => T) => inBoundedTime(history(), 1, work)!;
  const sorted = (found: readonly object[]) => found.map((each) => JSON.stringify(each)).sort();
  const interpreter = new SchemaInterpreter(schema as Record<string, unknown>, ajv.formats);
  return {
    compiled: sorted(inTime(() => compiled.check(value))),
    interpreted: sorted(inTime(() => interpreter.violations(schema, value))),
  };
}

describe("an interpreted schema finds what a compiled one does, in its words", () => {
  test.for<[Record<string, unknown>, ...unknown[]]>([
    [{}, 1, null],
    [{ type: "null" }, null, 0],
    [{ type: "array" }, [], {}, null],
    [{ type: "object" }, {}, [], null, 5],
    [{ type: "integer" }, 1, 1.5, "1"],
    [{ type: "number" }, 1.5, "1", null],
    [{ type: "boolean" }, true, 0],
    [{ type: ["string", "null"] }, "a", null, 5],
    [{ type: "string", nullable: true }, null, "a"],
    [{ enum: ["a", null, [1], { a: 1 }] }, "a", null, [1], { a: 1 }, [2], { a: 2 }, "b", {}, []],
    [{ const: { a: 1 } }, { a: 1 }, { a: 2 }, "a", null],
    [{ minimum: 1, maximum: 3 }, 0, 1, 3, 4, "x"],
    [{ exclusiveMinimum: 1, exclusiveMaximum: 3 }, 1, 2, 3],
    [{ multipleOf: 0.5 }, 1.5, 1.2],
    [{ minLength: 2 }, "a", "ab", "👍", "é"],
    [{ maxLength: 1 }, "a", "ab", "👍"],
    [{ pattern: "^.$" }, "a", "👍", "ab"],
    [{ pattern: "^a", minLength: 3 }, "b", "a", "bcd"],
    [{ format: "date" }, "2026-01-31", "2026-02-31", 5],
    [{ format: "ipv4" }, "1.2.3.4", "1.2.3"],
    [{ format: "regex" }, "a", "("],
    [{ format: "password" }, "a", 5],
    [{ format: "binary" }, "a"],
    [{ format: "int32" }, 5, 2 ** 40, 1.5, "x"],
    [{ format: "double" }, 5],
    [{ format: "byte" }, "YQ==", "a"],
    [{ format: "toString" }, "a"],
    [{ minItems: 1 }, [], [1], "a"],
    [{ maxItems: 1 }, [1], [1, 2]],
    [{ uniqueItems: true }, [1, 1], [1, 2], [[1], [1]]],
    [{ items: text }, ["a"], [1, "a", 2], []],
    [{ items: false }, [], [1]],
    [{ prefixItems: [text, number] }, ["a"], ["a", 1, null], [1, "a"]],
    [{ prefixItems: [text], items: number }, ["a", 1], ["a", "b"]],
    [{ prefixItems: [text], items: false }, ["a"], ["a", 1], []],
    [{ ...draft07, items: [text], additionalItems: false }, ["a"], ["a", 1]],
    [{ ...draft07, items: [text], additionalItems: number }, ["a", 1], ["a", "b"]],
    [{ contains: { const: 1 }, minContains: 0 }, [], [1]],
    [{ contains: true, minContains: 2 }, [1], [1, 1]],
    [{ contains: true, minContains: 1, maxContains: 2 }, [], [1], [1, 1], [1, 1, 1], "a"],
    [{ contains: true, maxContains: 1, items: text }, ["a"], [1], ["a", "a"]],
    [{ contains: { const: 1 }, maxContains: 1 }, [1, 2]],
    [{ minProperties: 1 }, {}, { a: 1 }, []],
    [{ maxProperties: 1 }, { a: 1 }, { a: 1, b: 2 }],
    [{ required: ["a", "b"] }, {}, { a: 1 }, { a: 1, b: null }, []],
    [{ properties: { a: text, b: false } }, { a: "a" }, { a: 1 }, { b: 1 }, {}],
    [{ properties: { "a/~b": { items: text } } }, { "a/~b": [1] }],
    [{ patternProperties: { "^a": text, b$: number } }, { ab: 1 }, { a: "a", b: 1 }, { c: null }, { ab: "x", a: 5 }],
    [{ patternProperties: { "^a": text }, additionalProperties: false }, { a: "a" }, { b: 1 }],
    [{ properties: { a: {} }, additionalProperties: false }, { a: 1 }, { b: 1, c: 1 }],
    [
      { properties: { a: {} }, additionalProperties: text },
      { a: 1, b: "b" },
      { b: 1, c: "c" },
      { c: 1, d: 2 },
    ],
    [{ additionalProperties: true }, { a: 1 }],
    [{ dependentRequired: { a: ["b", "c"], d: ["e"] } }, {}, { a: 1 }, { a: 1, b: 1, c: 1 }, { d: 1 }, { d: 1, e: 1 }],
    [
      { dependentSchemas: { a: { required: ["b"] }, c: { required: ["d"] } } },
      {},
      { a: 1 },
      { a: 1, b: 1 },
      { a: 1, c: 1, d: 1 },
    ],
    [{ ...draft07, dependencies: { c: { required: ["d"] } } }, { a: 1 }, { c: 1 }, { a: 1, b: 1, c: 1, d: 1 }],
    [{ allOf: [text, { minLength: 2 }] }, "a", "ab", 5],
    [{ allOf: [{ required: ["a"] }, { required: ["b"] }] }, {}, { a: 1 }, { b: 1 }, { a: 1, b: 1 }],
    [{ oneOf: [{ minimum: 2 }, { maximum: 5 }] }, 1, 3, 6],
    [{ not: text }, "a", 1],
    [{ not: { not: text } }, "a", 1],
    [{ not: { items: text } }, ["a"], ["a", 1], [1, 2]],
    [{ not: { required: ["a", "b"] } }, {}, { a: 1 }, { a: 1, b: 1 }],
    [{ not: { properties: { a: text, b: text } } }, { a: "a" }, { a: 1, b: "b" }, { a: 1, b: 1 }],
    [{ not: { allOf: [text, { minLength: 2 }] } }, "a", "ab"],
    [branches({ [followed]: { required: ["b"] }, else: { required: ["c"] } }), { a: 1 }, { a: 1, b: 1 }, {}, { c: 1 }],
    [branches({ [followed]: { required: ["b"] } }), { a: 1 }, {}],
    [branches({ else: { required: ["b"] } }), { a: 1 }, {}],
    [{ $defs: { t: text }, properties: { a: { $ref: "#/$defs/t" } } }, { a: 1 }, { a: "a" }],
    [{ $defs: { t: text }, $ref: "#/$defs/t", minLength: 2 }, "a", "ab", 5],
  ])("%j", ([schema, ...values]) => {
    for (const value of values) {
      const { compiled, interpreted } = judge(schema, value);
      expect([value, interpreted]).toEqual([value, compiled]);
      // Where only it counts whether it holds.
      for (const within of [{ not: schema }, { not: { not: schema } }]) {
        if (JSON.stringify(schema).includes("$")) continue;
        const both = judge(within, value);
        expect([value, both.interpreted]).toEqual([value, both.compiled]);
      }
    }
  });

  test("of one of several schemas, none of which fits, only that is said", () => {
    for (const [schema, value] of [
      [{ anyOf: [text, number] }, true],
      [{ oneOf: [text, number] }, true],
      [{ anyOf: [] }, true],
    ] as const) {
      const { compiled, interpreted } = judge(schema as JsonSchema, value);
      expect(interpreted).toHaveLength(1);
      expect(compiled).toEqual(expect.arrayContaining(interpreted));
    }
    for (const value of ["a", 1])
      expect(judge({ anyOf: [text, number] }, value)).toEqual({ compiled: [], interpreted: [] });
  });

  test("names of properties", () => {
    const schema = { propertyNames: { maxLength: 1 } };
    expect(judge(schema, { a: 1 })).toEqual({ compiled: [], interpreted: [] });
    const { compiled, interpreted } = judge(schema, { a: 1, bc: 2 });
    expect(interpreted).toEqual(compiled);
  });

  test("twenty of many at most", () => {
    const wide = Object.fromEntries(Array.from({ length: 30 }, (_, each) => [`p${each}`, each]));
    for (const [schema, value] of [
      [{ items: text }, Object.values(wide)],
      [{ required: Object.keys(wide) }, {}],
      [{ additionalProperties: text }, wide],
      [{ additionalProperties: false }, wide],
      [{ propertyNames: { maxLength: 1 } }, wide],
      [{ allOf: Array.from({ length: 30 }, () => text) }, 5],
    ] as [JsonSchema, unknown][])
      expect(judge(schema, value).interpreted).toHaveLength(20);
  });

  test("whatever formats there are: by a pattern, by a name alone, by a function of numbers", () => {
    const formats: ConstructorParameters<typeof SchemaInterpreter>[1] = {
      every: true as const,
      even: { type: "number" as const, validate: (n: number) => n % 2 === 0 },
      soon: { validate: /^s/ },
    };
    const holds = (format: unknown, value: unknown) =>
      new SchemaInterpreter({}, formats).violations({ format }, value).length === 0;
    expect([holds("every", "x"), holds("none", "x"), holds(5, "x"), holds("even", "x")]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect([holds("even", 2), holds("even", 3), holds("soon", "s"), holds("soon", "t"), holds("soon", 5)]).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
  });

  test("four hundred schemas in one place, and no more", () => {
    const deep = (levels: number) => {
      let schema: JsonSchema = text;
      for (let level = 0; level < levels; level++) schema = { allOf: [schema] };
      return new SchemaInterpreter({}, {}).violations(schema, 5);
    };
    expect(deep(400)).toHaveLength(1);
    const tooDeep = new RangeError("The schema contains itself, or the value is too deep.");
    expect(() => deep(401)).toThrow(tooDeep);
    for (const schema of [{ $ref: "#" }, { not: { $ref: "#" } }, { dependentSchemas: { a: { $ref: "#" } } }] as Record<
      string,
      unknown
    >[])
      expect(() => new SchemaInterpreter(schema, {}).violations(schema, { a: 1 })).toThrow(tooDeep);
    let value: unknown = 1;
    for (let level = 0; level < 500; level++) value = [value];
    const list = { items: { $ref: "#" } };
    expect(() => new SchemaInterpreter(list, {}).violations(list, value)).toThrow(tooDeep);
  });

  test.for(["$dynamicRef", "$recursiveRef", "unevaluatedProperties", "unevaluatedItems"])(
    "a schema with `%s` is not interpreted",
    (keyword) => {
      expect(() => new SchemaInterpreter({}, {}).violations({ [keyword]: false }, 1)).toThrow(
        `\`${keyword}\` is checked in schemas of moderate size alone`,
      );
    },
  );

  test("a reference that leads nowhere is named, in part where it is long", () => {
    const far = `https://example.org/${"x".repeat(200)}`;
    expect(() => new SchemaInterpreter({}, {}).violations({ $ref: far }, 1)).toThrow(
      `\`$ref: ${far.slice(0, 100)}\` is checked`,
    );
  });
});
