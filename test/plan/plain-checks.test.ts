import { createRequire } from "node:module";
import type { Resource, Step } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { brokenSchema } from "../../packages/plan/src/validation/broken-schema.ts";
import { isCredential } from "../../packages/plan/src/validation/credential.ts";
import { expandedSize } from "../../packages/plan/src/validation/expanded-size.ts";
import { isJudgedStep, rememberJudgedStep } from "../../packages/plan/src/validation/judged-step.ts";
import { isPlainJson } from "../../packages/plan/src/validation/plain-json.ts";
import { addUniqueItems, duplicateItems } from "../../packages/plan/src/validation/unique-items.ts";

test.for<[string, unknown, boolean]>([
  ["null", null, true],
  ["a text", "a", true],
  ["a truth value", false, true],
  ["a number", -1.5, true],
  ["zero", 0, true],
  ["zero below zero, which JSON writes as 0", -0, false],
  ["no number", Number.NaN, false],
  ["an endless number", Number.POSITIVE_INFINITY, false],
  ["undefined", undefined, false],
  ["a function", () => 1, false],
  ["a symbol", Symbol("a"), false],
  ["a list", [1, "a", [null]], true],
  ["a list with a hole", Array(2), false],
  ["a list with more in it", [1, [Number.NaN]], false],
  ["an object", { a: { b: [] } }, true],
  ["an object without a prototype", Object.assign(Object.create(null), { a: 1 }), true],
  ["a property that is undefined", { a: undefined }, true],
  ["a property that is no JSON", { a: 1, b: { c: () => 1 } }, false],
  ["a date", new Date(0), false],
  ["a map", new Map(), false],
])("plain JSON: %s", ([, value, isPlain]) => {
  expect(isPlainJson(value)).toBe(isPlain);
});

test.for<[string, boolean]>([
  ["password", true],
  ["user password", true],
  ["api key", true],
  ["apikey", true],
  ["access token", true],
  ["token", true],
  ["client secret", true],
  ["authorization", true],
  ["private key", true],
  ["key", false],
  ["sort key", false],
  ["page token", false],
  ["secret name", false],
  ["", false],
])("a credential by its name: %s", ([name, is]) => {
  expect(isCredential(name === "" ? [] : name.split(" "), "", {})).toBe(is);
});

test("a credential by its schema", () => {
  expect(isCredential(["pin"], "password", {})).toBe(true);
  expect(isCredential(["pin"], "", { writeOnly: true })).toBe(true);
  expect(isCredential(["pin"], "uri", { writeOnly: "yes" })).toBe(false);
});

test.for<[string, unknown[], [number, number] | undefined]>([
  ["none", [], undefined],
  ["all apart", [1, "1", null, true, "true", [1], { a: 1 }, { a: "1" }], undefined],
  ["two texts", ["a", "b", "a"], [2, 0]],
  ["two nulls", [1, null, null], [2, 1]],
  ["two objects, whatever the order of their keys", [{ a: 1, b: 2 }, 5, { b: 2, a: 1 }], [2, 0]],
  [
    "two lists",
    [
      [1, 2],
      [2, 1],
      [1, 2],
    ],
    [2, 0],
  ],
  ["what JSON does not have is unlike null", [null, Number.NaN, undefined, Number.POSITIVE_INFINITY], undefined],
  ["a text is no object of the same words", ['{"a":1}', { a: 1 }], undefined],
  ["the first pair", [1, 2, 2, 1], [2, 1]],
])("equal items: %s", ([, list, found]) => {
  expect(duplicateItems(list)).toEqual(
    found && {
      params: { i: found[0], j: found[1] },
      message: `must NOT have duplicate items (items ## ${found[1]} and ${found[0]} are identical)`,
    },
  );
});

test("ajv says the same of them, in time that is linear in the list", () => {
  const { Ajv } = createRequire(new URL("../../packages/plan/package.json", import.meta.url))(
    "ajv",
  ) as typeof import("ajv");
  const ajv = new Ajv({ strict: false });
  addUniqueItems(ajv);
  const [unique, any] = [true, false].map((uniqueItems) => ajv.compile({ uniqueItems }));
  expect([unique!([1, 2]), unique!("aa"), any!([1, 1]), unique!([1, 1])]).toEqual([true, true, true, false]);
  expect(unique!.errors).toMatchObject([{ keyword: "uniqueItems", params: { i: 1, j: 0 } }]);
  // The first pair, which ajv itself would look for from the end.
  expect(unique!([1, 2, 2, 1])).toBe(false);
  expect(unique!.errors).toMatchObject([{ params: { i: 2, j: 1 } }]);
});

describe("a schema that cannot be read", () => {
  const text = { type: "string" };
  test.for<[unknown, string | undefined]>([
    [true, undefined],
    [false, undefined],
    [undefined, undefined],
    [{}, undefined],
    [null, "expected a JSON Schema (an object or a boolean), got null"],
    [[], "expected a JSON Schema (an object or a boolean), got an array"],
    [7, "expected a JSON Schema (an object or a boolean), got number"],
    ["{x", 'expected a JSON Schema (an object or a boolean), got the text "{x"'],
    ["x".repeat(50), `expected a JSON Schema (an object or a boolean), got the text "${"x".repeat(40)}"`],
    [{ type: "nothing" }, 'unknown type "nothing" at "/"'],
    [{ type: ["string", "text"] }, 'unknown type "text" at "/"'],
    [{ type: [] }, 'unknown type [] at "/"'],
    [{ type: 7 }, 'unknown type 7 at "/"'],
    [{ type: ["string", "number", "integer", "boolean", "object", "array", "null"] }, undefined],
    [{ required: "a" }, 'expected `required` to be an array of names at "/"'],
    [{ required: ["a", 1] }, 'expected `required` to be an array of names at "/"'],
    [{ required: ["a"], enum: [1] }, undefined],
    [{ enum: "a" }, 'expected `enum` to be an array at "/"'],
    [{ $ref: "#/$defs/a" }, '`$ref` "#/$defs/a" points at nothing at "/"'],
    [{ $ref: "#/$defs/a", $defs: { a: text } }, undefined],
    [{ $ref: "https://example.org/a" }, undefined],
    [{ properties: [] }, 'expected `properties` to be an object at "/", got an array'],
    [{ properties: { a: { properties: { b: 5 } } } }, 'expected a schema at "/properties/a/properties/b", got number'],
    [{ properties: { a: true, b: text } }, undefined],
    [{ patternProperties: { "^a": { type: "x" } } }, 'unknown type "x" at "/patternProperties/^a"'],
    [{ $defs: { a: null } }, 'expected a schema at "/$defs/a", got null'],
    [{ definitions: { a: { enum: {} } } }, 'expected `enum` to be an array at "/definitions/a"'],
    [{ anyOf: {} }, 'expected `anyOf` to be an array at "/", got object'],
    [{ anyOf: [text, { type: "x" }] }, 'unknown type "x" at "/anyOf/1"'],
    [{ oneOf: [{ type: "x" }] }, 'unknown type "x" at "/oneOf/0"'],
    [{ allOf: [{ type: "x" }] }, 'unknown type "x" at "/allOf/0"'],
    [{ prefixItems: [text, "x"] }, 'expected a schema at "/prefixItems/1", got the text "x"'],
    [{ additionalProperties: { type: "x" } }, 'unknown type "x" at "/additionalProperties"'],
    [{ additionalProperties: false }, undefined],
    [{ items: { type: "x" } }, 'unknown type "x" at "/items/0"'],
    [{ items: [text, { type: "x" }] }, 'unknown type "x" at "/items/1"'],
  ])("%j: %s", ([schema, why]) => {
    expect(brokenSchema(schema)).toBe(why);
  });
});

describe("the size of a schema written out", () => {
  const sizeOf = (schema: Record<string, unknown>, limit = 1000) => expandedSize(schema, schema, limit);

  test.for<[string, Record<string, unknown>, number]>([
    ["nothing in it", {}, 1],
    ["a keyword", { type: "string" }, 2],
    ["lists and objects, each with what is in it", { enum: [1, 2], properties: { a: { type: "x" } } }, 7],
    [
      "definitions where they are referred to",
      { $defs: { a: { type: "x" } }, anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }] },
      8,
    ],
    ["definitions to which nothing refers", { $defs: { a: { type: "x" } }, definitions: { b: {} } }, 1],
    ["itself", { properties: { a: { $ref: "#" } } }, Number.POSITIVE_INFINITY],
    ["what is not there", { $ref: "#/$defs/a" }, Number.POSITIVE_INFINITY],
    ["a reference that only validation resolves", { $dynamicRef: "#a" }, Number.POSITIVE_INFINITY],
    ["another of them", { items: { $recursiveRef: "#" } }, Number.POSITIVE_INFINITY],
    ["a property of that name", { properties: { $ref: { type: "x" } } }, 4],
  ])("%s", ([, schema, size]) => {
    expect(sizeOf(schema)).toBe(size);
  });

  test("a part that is there twice counts twice, and is none within itself; null is a value", () => {
    const part = { type: "x" };
    expect(sizeOf({ items: part, contains: part })).toBe(5);
    expect(sizeOf({ const: null, enum: [null] })).toBe(4);
    const [one, other] = [
      { anyOf: Array(600).fill(1) },
      Object.fromEntries(Array.from({ length: 600 }, (_, at) => [at, 1])),
    ];
    expect([sizeOf(one, 10), sizeOf(other, 10)]).toEqual([12, 11]);
    let deep: Record<string, unknown> = {};
    for (let at = 0; at < 600; at++) deep = { items: deep };
    expect(sizeOf(deep, 10_000)).toBe(Number.POSITIVE_INFINITY);
  });

  test("beyond the limit it is counted no further, however large it would be", () => {
    const $defs: Record<string, unknown> = { step0: { type: "x" } };
    for (let at = 1; at <= 60; at++)
      $defs[`step${at}`] = { anyOf: [{ $ref: `#/$defs/step${at - 1}` }, { $ref: `#/$defs/step${at - 1}` }] };
    expect(sizeOf({ $defs, $ref: "#/$defs/step60" })).toBeGreaterThan(1000);
    expect(sizeOf({ $defs, $ref: "#/$defs/step4" })).toBeLessThan(1000);
  });
});

test("a step is judged for the resource and the input that it was judged with", () => {
  const [resource, other] = ["a", "b"].map((id): Resource => ({ kind: "tool", id, description: "" }));
  const input = { x: 1 };
  const step = { uid: "a", input_data: input } as Step;
  expect(isJudgedStep(step, resource!, input)).toBe(false);
  rememberJudgedStep(step, resource!);
  expect(isJudgedStep(step, resource!, { x: 1 })).toBe(true);
  expect(isJudgedStep(step, resource!, { x: 2 })).toBe(false);
  expect(isJudgedStep(step, other!, input)).toBe(false);
  expect(isJudgedStep({ ...step }, resource!, input)).toBe(false);
  for (const input_data of [{ token: { $secret: "T" } }, { x: Number.NaN }]) {
    const unsure = { uid: "a", input_data } as Step;
    rememberJudgedStep(unsure, resource!);
    expect(isJudgedStep(unsure, resource!, input_data)).toBe(false);
  }
});
