import type { JsonSchema } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { inBoundedTime } from "../../packages/plan/src/validation/check-meter.ts";
import { compileSchema } from "../../packages/plan/src/validation/compile-schema.ts";
import type { SchemaNode } from "../../packages/plan/src/validation/schema-node.ts";

const text = { type: "string" };
const number = { type: "number" };
const violations = (node: SchemaNode, value: unknown) => {
  const compiled = compileSchema(node);
  if ("broken" in compiled) throw new Error(compiled.broken);
  return inBoundedTime(compiled.history, compiled.sizeOf(value), () => compiled.check(value));
};
/** Of a schema that has not been seen before. */
const found = (schema: JsonSchema, value: unknown) => {
  const copy = structuredClone(schema);
  return violations({ schema: copy, root: copy }, value)?.map(({ keyword, pointer }) => [keyword, pointer]);
};
const part = (schema: object, document: object) => {
  const copy = structuredClone({
    ...document,
    $defs: { ...("$defs" in document ? (document.$defs as object) : {}), part: schema },
  });
  return (value: unknown) =>
    violations({ schema: copy.$defs.part as JsonSchema, root: copy as JsonSchema }, value)?.map(
      ({ keyword, pointer }) => [keyword, pointer],
    );
};

describe("a schema by itself", () => {
  test("that is true or false", () => {
    expect(violations({ schema: true, root: true }, 1)).toEqual([]);
    expect(violations({ schema: false, root: false }, 1)).toEqual([
      { keyword: "false schema", pointer: "", params: {}, message: "must not be there" },
    ]);
    expect(compileSchema({ schema: true, root: true })).toMatchObject({
      history: { tooLong: Number.POSITIVE_INFINITY },
    });
  });

  test("is compiled once", () => {
    const schema = { ...text };
    expect(compileSchema({ schema, root: schema })).toBe(compileSchema({ schema, root: schema }));
    expect(compileSchema({ schema, root: true })).toBe(compileSchema({ schema, root: schema }));
    const large = { enum: Array.from({ length: 1_000 }, (_, each) => each) };
    expect(compileSchema({ schema: large, root: large })).toBe(compileSchema({ schema: large, root: large }));
  });

  test("that cannot be compiled says why", () => {
    const broken = (schema: JsonSchema) => compileSchema({ schema, root: schema });
    expect(broken({ $ref: "https://example.org/a" })).toEqual({
      broken: expect.stringContaining("https://example.org/a"),
    });
    expect(broken({ $ref: "#/$defs/none" })).toEqual({ broken: expect.stringContaining("#/$defs/none") });
    expect(broken({ pattern: "(" })).toEqual({ broken: expect.stringContaining("(") });
  });

  test.for<[string, JsonSchema, unknown, string[][]]>([
    ["2020-12 without being asked", { prefixItems: [text] }, [1], [["type", "/0"]]],
    [
      "draft-07 where 2020-12 cannot be",
      { items: [text], additionalItems: false },
      ["a", 1],
      [["additionalItems", ""]],
    ],
    ["draft-07", { $schema: "http://json-schema.org/draft-07/schema#", items: [text] }, [1], [["type", "/0"]]],
    [
      "draft-04, read as draft-07",
      { $schema: "http://json-schema.org/draft-04/schema#", items: [text] },
      [1],
      [["type", "/0"]],
    ],
    [
      "2020-12",
      { $schema: "https://json-schema.org/draft/2020-12/schema", prefixItems: [text] },
      [1],
      [["type", "/0"]],
    ],
    [
      "2020-12 in name, with what only draft-07 has",
      { $schema: "https://json-schema.org/draft/2020-12/schema", items: [text] },
      [1],
      [["type", "/0"]],
    ],
    ["a draft that nobody knows", { $schema: "https://example.org/own", prefixItems: [text] }, [1], [["type", "/0"]]],
    ["a draft that is no text", { $schema: 5, prefixItems: [text] }, [1], [["type", "/0"]]],
    [
      "what draft-07 does not have, where it is asked for",
      { $schema: "http://json-schema.org/draft-07/schema#", prefixItems: [text] },
      [1],
      [],
    ],
  ])("is read as %s", ([, schema, value, violated]) => {
    expect(found(schema, value)).toEqual(violated);
  });

  test.for<[string, JsonSchema, unknown, string[][]]>([
    ["a keyword that nobody knows", { anything: 5, type: "string" }, "a", []],
    ["an inherited property", { required: ["toString"] }, {}, [["required", ""]]],
    ["a format", { format: "date" }, "x", [["format", ""]]],
    ["a format that nobody knows", { format: "anything" }, "x", []],
    [
      "all that is wrong",
      { minLength: 3, pattern: "^b" },
      "a",
      [
        ["minLength", ""],
        ["pattern", ""],
      ],
    ],
    ["characters in patterns", { pattern: "^.$" }, "👍", []],
    ["patterns with hostile ways", { pattern: "^(a|a)*$" }, `${"a".repeat(60)}!`, [["pattern", ""]]],
    ["numbers without end", { type: "number" }, Number.NaN, [["type", ""]]],
    ["the first pair of equal items", { uniqueItems: true }, [1, 1], [["uniqueItems", ""]]],
  ])("looks at %s", ([, schema, value, violated]) => {
    expect(found(schema, value)).toEqual(violated);
  });

  test("with the same `$id` as another is no hindrance", () => {
    const id = { $id: "https://example.org/same" };
    expect(found({ ...id, ...text }, 1)).toHaveLength(1);
    expect(found({ ...id, ...number }, 1)).toEqual([]);
    expect(found({ ...id, ...text }, 1)).toHaveLength(1);
  });

  test("of a value that is large: as far as the twentieth, and nothing where nothing is wrong", () => {
    const schema = { items: { anyOf: [{ ...text, minLength: 1 }, number] } };
    const rows = Array.from({ length: 60_000 }, () => "a");
    expect(found(schema, rows)).toEqual([]);
    const wrong = rows.map(() => null);
    expect(found(schema, wrong)).toHaveLength(20);
    expect(
      found(
        { items: text, unevaluatedItems: false },
        wrong.map(() => 1),
      ),
    ).toHaveLength(20);
  });

  test("of a value that is large: under a watchdog, and a smaller one without", () => {
    const schema = { items: { anyOf: [text, number] } };
    const compiled = compileSchema({ schema, root: schema });
    if ("broken" in compiled) throw new Error(compiled.broken);
    const judge = (count: number) => {
      const value = Array.from({ length: count }, () => 1);
      inBoundedTime(compiled.history, compiled.sizeOf(value), () => compiled.check(value));
      return compiled.history.watchedFrom;
    };
    // Without one it looks at half a million parts: those of the schema times those of the value.
    expect([judge(10), judge(40_000), judge(90_000)]).toEqual([
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
      90_001,
    ]);
  });

  test("of a value that is large, with a keyword that only a compiled one knows", () => {
    const rows = Array.from({ length: 300_000 }, () => 1);
    expect(found({ items: text, unevaluatedItems: false }, rows)).toHaveLength(20);
  });

  test("the first pair of equal items is named", () => {
    const schema = { uniqueItems: true };
    expect(violations({ schema, root: schema }, [{}, 2, 2, {}])).toMatchObject([
      { params: { i: 2, j: 1 }, message: "must NOT have duplicate items (items ## 1 and 2 are identical)" },
    ]);
  });

  test("of more than six hundred parts is looked at without being compiled, alike", () => {
    const sized = (parts: number) => ({ type: "string", enum: Array.from({ length: parts }, (_, each) => `x${each}`) });
    const unevaluated = (parts: number) => ({
      unevaluatedProperties: false,
      $defs: { a: { enum: Array.from({ length: parts - 5 }, () => 1) } },
    });
    expect(found(sized(500), "y")).toEqual([["enum", ""]]);
    expect(found(sized(1_000), "y")).toEqual([["enum", ""]]);
    expect(found({ ...sized(1_000), format: "date" }, "y")).toEqual([
      ["enum", ""],
      ["format", ""],
    ]);
    expect(found(unevaluated(600), { a: 1 })).toEqual([["unevaluatedProperties", ""]]);
    expect(() => found(unevaluated(601), { a: 1 })).toThrow("moderate size");
  });
});

describe("a part of a document", () => {
  const document = {
    $id: "https://example.org/doc",
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $defs: { name: { ...text, minLength: 2 } },
  };

  test.for<[string, object, unknown[], [unknown, string[][]][]]>([
    ["without references", text, ["a"], [[1, [["type", ""]]]]],
    ["that refers to another", { $ref: "#/$defs/name" }, ["ab"], [["a", [["minLength", ""]]]]],
    [
      "with a reference within",
      { properties: { a: { $ref: "#/$defs/name" } } },
      [{ a: "ab" }],
      [[{ a: "a" }, [["minLength", "/a"]]]],
    ],
    ["with a reference in a list", { anyOf: [{ type: "null" }, { $ref: "#/$defs/name" }] }, ["ab", null], []],
    [
      "with two references",
      { allOf: [{ $ref: "#/$defs/name" }, { maxLength: 3 }, { $ref: "#/$defs/name" }] },
      ["ab"],
      [],
    ],
    [
      "that refers to itself",
      { items: { $ref: "#/$defs/part" }, maxItems: 1 },
      [[[[]]], 5],
      [[[[1, 2]], [["maxItems", "/0"]]]],
    ],
    [
      "with a property of that name",
      { properties: { $ref: text, a: {} } },
      [{ $ref: "x" }, { a: 1 }],
      [[{ $ref: 1 }, [["type", "/$ref"]]]],
    ],
    [
      "with properties that have names like keywords",
      { properties: { const: { $ref: "#/$defs/name" }, enum: { $ref: "#/$defs/name" } } },
      [{ const: "ab", enum: "ab" }],
      [[{ enum: "a" }, [["minLength", "/enum"]]]],
    ],
    [
      "with patterns like keywords",
      { patternProperties: { const: { $ref: "#/$defs/name" } } },
      [{ const: "ab" }],
      [[{ const: "a" }, [["minLength", "/const"]]]],
    ],
    [
      "with schemas for what depends on a property",
      { dependentSchemas: { enum: { properties: { a: { $ref: "#/$defs/name" } } } } },
      [{ enum: 1, a: "ab" }],
      [[{ enum: 1, a: "a" }, [["minLength", "/a"]]]],
    ],
    [
      "with a value like a reference",
      { enum: [{ $ref: "#/$defs/name" }], $comment: { $ref: "#" } },
      [{ $ref: "#/$defs/name" }],
      [[1, [["enum", ""]]]],
    ],
    [
      "with a constant like a reference",
      { const: { $ref: "#/$defs/name" } },
      [{ $ref: "#/$defs/name" }],
      [[{ $ref: "#" }, [["const", ""]]]],
    ],
  ])("%s", ([, schema, valid, invalid]) => {
    const judge = part(schema, document);
    for (const value of valid) expect([value, judge(value)]).toEqual([value, []]);
    for (const [value, violated] of invalid) expect([value, judge(value)]).toEqual([value, violated]);
    // Another document of the same name is no hindrance.
    const again = part(schema, document);
    for (const value of valid) expect([value, again(value)]).toEqual([value, []]);
  });

  test("keeps what is no reference as it is", () => {
    const judge = part({ allOf: [{ $ref: "#/$defs/name" }], pattern: "#", default: null }, document);
    expect([judge("a#"), judge("ab")]).toEqual([[], [["pattern", ""]]]);
    const far = { $ref: "https://example.org/far" };
    expect(compileSchema({ schema: far, root: { ...document } })).toEqual({
      broken: expect.stringContaining("reference https://example.org/far"),
    });
  });

  test("whose reference leads nowhere cannot be read", () => {
    const [schema, root] = [{ $ref: "#/$defs/none" }, { ...document }];
    expect(compileSchema({ schema, root })).toEqual({ broken: expect.stringContaining("none") });
  });
});
