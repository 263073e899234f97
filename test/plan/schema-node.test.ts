import type { JsonSchema } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import {
  flatten,
  ownTypes,
  resolvePointer,
  type SchemaNode,
  typeOfValue,
  typeText,
} from "../../packages/plan/src/validation/schema-node.ts";

const node = (schema: JsonSchema): SchemaNode => ({ schema, root: schema });
const text = { type: "string" };
const number = { type: "number" };
const definitions = (schema: object, $defs: Record<string, unknown>) => node({ ...schema, $defs } as JsonSchema);

test.for<[string, SchemaNode, string]>([
  ["anything", node(true), "any"],
  ["nothing", node(false), "nothing"],
  ["no schema", node(5 as unknown as JsonSchema), "any"],
  ["a type", node(text), "string"],
  ["types, of which one is unknown", node({ type: ["string", "text", "null"] }), "string | null"],
  ["an unknown type", node({ type: "text" }), "any"],
  ["values", node({ enum: ["a", 1, null, [1], {}, true] }), "string | number | null | array | object | boolean"],
  ["one value", node({ const: "a" }), "string"],
  ["null as the value", node({ const: null }), "null"],
  ["values of a type", node({ type: ["string", "number"], enum: ["a"] }), "string"],
  ["values of another type", node({ type: "number", enum: ["a"] }), "nothing"],
  ["whole numbers among values", node({ type: "integer", enum: [1] }), "integer"],
  ["members", node({ properties: { a: text } }), "object"],
  ["required members", node({ required: ["a"] }), "object"],
  ["required members of alternatives", node({ required: ["a"], anyOf: [text] }), "string"],
  ["items", node({ items: text }), "array"],
  ["no items", node({ items: false }), "array"],
  ["first items", node({ prefixItems: [text] }), "array"],
  ["alternatives", node({ anyOf: [text, { oneOf: [number, text] }] }), "string | number"],
  ["alternatives of which there are none", node({ anyOf: [] }), "any"],
  ["alternatives of a type", node({ type: "object", anyOf: [{ required: ["a"] }, { required: ["b"] }] }), "object"],
  ["both of two types", node({ allOf: [{ type: ["string", "number"] }, { type: ["number", "null"] }] }), "number"],
  ["numbers that are integers", node({ allOf: [number, { type: "integer" }] }), "integer"],
  ["integers that are numbers", node({ allOf: [{ type: "integer" }, number] }), "integer"],
  ["both of two types that exclude each other", node({ allOf: [text, number] }), "nothing"],
  ["what is forbidden", node({ allOf: [text, false] }), "nothing"],
  ["a reference", definitions({ $ref: "#/$defs/a" }, { a: text }), "string"],
  ["a reference to a reference", definitions({ $ref: "#/$defs/a" }, { a: { $ref: "#/$defs/b" }, b: number }), "number"],
  ["a reference and a type", definitions({ $ref: "#/$defs/a", type: "integer" }, { a: number }), "integer"],
  ["a reference to nothing", definitions({ $ref: "#/$defs/a" }, {}), "any"],
  ["a schema that is itself", node({ allOf: [{ $ref: "#" }], type: "string" }), "string"],
])("the types of a schema for people: %s", ([, schema, types]) => {
  expect(typeText(schema)).toBe(types);
});

test("alternatives within alternatives are looked into eight deep", () => {
  const deep = (levels: number) => {
    let schema: JsonSchema = text;
    for (let level = 0; level < levels; level++) schema = { anyOf: [schema] };
    return typeText(node(schema));
  };
  expect([deep(8), deep(9)]).toEqual(["string", "any"]);
});

test.for<[unknown, string]>([
  [null, "null"],
  [[], "array"],
  [{}, "object"],
  ["", "string"],
  [1, "number"],
  [true, "boolean"],
  [undefined, "object"],
])("the type of %j is %s", ([value, type]) => {
  expect(typeOfValue(value)).toBe(type);
});

describe("a pointer into a document", () => {
  const root = { a: { "b/c": 1, "d~": 2, "e f": 3, "%": 4, "~1": 5, list: [6] }, "": 7 };
  test.for<[string, unknown]>([
    ["#", root],
    ["#/a/b~1c", 1],
    ["#/a/d~0", 2],
    ["#/a/e%20f", 3],
    ["#/a/%", 4],
    ["#/a/~01", 5],
    ["#/a/list/0", 6],
    ["#/", 7],
    ["#/a/list/1", undefined],
    ["#/a/list/length", 1],
    ["#/a/none/b", undefined],
    ["#/a/b~1c/d", undefined],
    ["#/toString", undefined],
    ["#a", undefined],
    ["/a", undefined],
    ["", undefined],
    ["https://example.org/#/a", undefined],
  ])("%s", ([pointer, value]) => {
    expect(resolvePointer(root, pointer)).toEqual(value);
  });
});

describe("a schema made flat", () => {
  const names = (schema: JsonSchema) => [...flatten(node(schema)).properties.keys()];

  test("is the same object each time", () => {
    const [one, root] = [{ ...text }, { a: 1 } as JsonSchema];
    expect(flatten({ schema: one, root })).toBe(flatten({ schema: one, root }));
    expect(flatten({ schema: one, root: true })).toBe(flatten({ schema: one, root: one }));
    expect(flatten({ schema: { $ref: "#/x" }, root: { x: text } }).types).toEqual(new Set(["string"]));
  });

  test("has the members of all its parts; one that two parts name has to satisfy both", () => {
    const flat = flatten(
      node({
        properties: { a: text, b: {} },
        required: ["a"],
        allOf: [{ properties: { a: { minLength: 2 } }, required: ["c", 5] }],
      }),
    );
    expect([...flat.properties.keys()]).toEqual(["a", "b"]);
    expect(flat.properties.get("a")!.schema).toEqual({ allOf: [text, { minLength: 2 }] });
    expect(flat.properties.get("b")!.schema).toEqual({});
    expect([...flat.required]).toEqual(["a", "c"]);
    expect(names({ properties: [] as unknown as Record<string, JsonSchema> })).toEqual([]);
    expect([...flatten(node({ required: "a" })).required]).toEqual([]);
  });

  test.for<[string, JsonSchema, unknown]>([
    ["nothing said", {}, undefined],
    ["none", { additionalProperties: false }, false],
    ["any", { additionalProperties: true }, true],
    ["any, as a schema", { additionalProperties: {} }, true],
    ["of a type", { additionalProperties: text }, { schema: text }],
    ["none that nothing has looked at", { unevaluatedProperties: false }, false],
    ["none, whatever has looked at them", { additionalProperties: false, unevaluatedProperties: true }, false],
    ["by their names", { patternProperties: { "^a": text }, additionalProperties: false }, true],
    ["by no names", { patternProperties: {}, additionalProperties: false }, false],
    ["of the first part that says so", { additionalProperties: false, allOf: [{ additionalProperties: true }] }, false],
    [
      "of a later part",
      { allOf: [{ additionalProperties: text }, { additionalProperties: number }] },
      { schema: text },
    ],
  ])("says of other members: %s", ([, schema, expected]) => {
    const { additional } = flatten(node(schema));
    if (typeof expected === "object") expect(additional).toMatchObject(expected as object);
    else expect(additional).toBe(expected);
  });

  test.for<[string, JsonSchema, JsonSchema[], JsonSchema | undefined]>([
    ["none", {}, [], undefined],
    ["all alike", { items: text }, [], text],
    ["none allowed", { items: false }, [], false],
    ["the first ones", { prefixItems: [text, number] }, [text, number], undefined],
    ["the first ones and the rest", { prefixItems: [text], items: number }, [text], number],
    ["the first ones alone", { prefixItems: [text], items: false }, [text], false],
    ["a list of them, as in draft-07", { items: [text] }, [text], undefined],
    ["a list of them and the rest, as in draft-07", { items: [text], additionalItems: number }, [text], number],
    ["a list of them alone, as in draft-07", { items: [text], additionalItems: false }, [text], false],
    ["what only lists have, without a list", { additionalItems: number }, [], undefined],
    ["of the first part that has any", { items: text, allOf: [{ items: number, prefixItems: [text] }] }, [text], text],
    [
      "of the first part that has first ones",
      { prefixItems: [text], allOf: [{ prefixItems: [number] }] },
      [text],
      undefined,
    ],
    ["of the first part that has none", { items: false, allOf: [{ items: number }] }, [], false],
  ])("says of items: %s", ([, schema, first, rest]) => {
    const { prefixItems, items } = flatten(node(schema));
    expect(prefixItems.map((each) => each.schema)).toEqual(first);
    expect(typeof items === "object" ? items.schema : items).toEqual(rest);
  });

  test("keeps the alternatives of each part, and the first values and format", () => {
    const flat = flatten(
      node({
        anyOf: [text, number],
        oneOf: [text],
        enum: ["a"],
        format: "date",
        allOf: [{ anyOf: [number] }, { const: "a", format: "uri" }, { format: 5, anyOf: {} }],
      }),
    );
    expect(flat.unions.map((union) => union.map(({ schema }) => schema))).toEqual([[text, number], [text], [number]]);
    expect([flat.values, flat.format]).toEqual([["a"], "date"]);
    expect(flatten(node({})).values).toBeUndefined();
    expect(flatten(node({ format: 5 })).format).toBeUndefined();
  });

  test.for(["not", "if", "$dynamicRef", "$recursiveRef", "dependentSchemas"])(
    "is opaque because of `%s`",
    (keyword) => {
      expect(flatten(node({ [keyword]: {} })).opaque).toBe(true);
      expect(flatten(node({ allOf: [{ [keyword]: {} }] })).opaque).toBe(true);
    },
  );

  test("is opaque because of references that lead nowhere, and no others", () => {
    const opaque = (schema: SchemaNode) => flatten(schema).opaque;
    expect(opaque(node({ $ref: "https://example.org/a" }))).toBe(true);
    expect(opaque(definitions({ $ref: "#/$defs/a" }, { a: text }))).toBe(false);
    expect(opaque(node({ $ref: 5 }))).toBe(false);
    expect(opaque(node(text))).toBe(false);
  });

  test("is opaque beyond 256 parts", () => {
    const parts = (count: number) =>
      flatten(node({ allOf: Array.from({ length: count }, () => ({ ...text })) })).opaque;
    expect([parts(255), parts(256)]).toEqual([false, true]);
  });

  test("a part that occurs again is looked at once", () => {
    const flat = flatten(
      definitions({ allOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }] }, { a: { anyOf: [text] } }),
    );
    expect(flat.unions).toHaveLength(1);
  });

  test("admits types of its own: those it names, else those its members have", () => {
    const types = (schema: JsonSchema) => ownTypes(flatten(node(schema)));
    expect(types({ type: "string", properties: { a: text } })).toEqual(new Set(["string"]));
    expect(types({ properties: { a: text } })).toEqual(new Set(["object"]));
    expect(types({ items: false })).toEqual(new Set(["array"]));
    expect(types({ required: ["a"], anyOf: [text] })).toBeUndefined();
    expect(types({ properties: { a: text }, anyOf: [text] })).toEqual(new Set(["object"]));
    expect(types({})).toBeUndefined();
  });
});
