import type { JsonSchema } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { compareNodes } from "../../packages/plan/src/validation/assignable.ts";

const compare = (source: JsonSchema, target: JsonSchema) =>
  compareNodes({ schema: source, root: source } as never, { schema: target, root: target } as never);
const text: JsonSchema = { type: "string" };
const number: JsonSchema = { type: "number" };
const integer: JsonSchema = { type: "integer" };
const day: JsonSchema = { type: "string", format: "date" };
const object = (properties: Record<string, JsonSchema>, required: string[] = [], more: object = {}): JsonSchema => ({
  type: "object",
  properties,
  required,
  ...more,
});
const tuple = (prefixItems: JsonSchema[], items?: JsonSchema): JsonSchema =>
  ({ type: "array", prefixItems, ...(items !== undefined && { items }) }) as JsonSchema;
const no = (reason?: string) => ({ verdict: "incompatible", ...(reason !== undefined && { reason }) });
const yes = { verdict: "compatible" };
const unknown = { verdict: "unknown" };

describe("whether outputs of a schema are taken by another, and why not", () => {
  test.for<[string, JsonSchema, JsonSchema, object]>([
    ["texts of one format", day, day, yes],
    ["texts of another format", day, { type: "string", format: "uri" }, unknown],
    ["a text without a format for one with it", text, day, yes],
    ["a text with a format for any", day, text, yes],
    ["values of which some are shared", { enum: ["a", "b"] }, { enum: ["b", "c"] }, yes],
    ["values of which none is shared", { enum: ["a"] }, { enum: ["b", "c"] }, no("none of its values is one of b, c")],
    ["other values than texts", { enum: [1] }, { enum: [2, 3] }, no("none of its values is one of 2, 3")],
    [
      "many values",
      { enum: ["x"] },
      { enum: Array.from({ length: 12 }, (_, at) => `v${at}`) },
      no("none of its values is one of v0, v1, v2, v3, v4, v5, v6, v7, v8, v9"),
    ],
    ["a schema that no value fits, as the source", false, text, unknown],
    ["a whole number for a text", integer, text, no()],
    ["a truth value for a whole number", { type: "boolean" }, integer, no()],
    ["one of two types fits", { type: ["boolean", "string"] }, { type: ["string", "number"] }, yes],
    ["a union of which the type is named beside it", { type: "string", anyOf: [text, number] }, text, yes],
    ["a union of which one branch is unknown", { anyOf: [{}, number] }, text, unknown],
    ["a union for one of other types", { anyOf: [number, integer] }, { anyOf: [text, { type: "null" }] }, no()],
    [
      "a type for a union of which one branch is unknown",
      text,
      { anyOf: [number, { type: "string", enum: ["a"] }] },
      unknown,
    ],
    [
      "a union whose branches both lack a member",
      { anyOf: [object({}, [], { additionalProperties: false })] },
      object({ a: text }, ["a"]),
      no('property "a" is missing'),
    ],
    [
      "a member that must be there, and is of no schema",
      object({ a: text }, [], { additionalProperties: false }),
      object({}, ["b"]),
      no('property "b" is missing'),
    ],
    ["a member that must be there, and may be", { type: "object" }, object({}, ["b"]), unknown],
    [
      "a member of another type",
      object({ a: number }, ["a"]),
      object({ a: text }),
      no('property "a": string expected, got number'),
    ],
    ["a member of another type that may be absent", object({ a: number }), object({ a: text }), unknown],
    [
      "a member of a member",
      object({ a: object({ b: number }, ["b"]) }, ["a"]),
      object({ a: object({ b: text }, ["b"]) }, ["a"]),
      no('property "a": property "b": string expected, got number'),
    ],
    [
      "a member more than a closed schema has",
      object({ a: text, b: text }, ["b"]),
      object({ a: text }, [], { additionalProperties: false }),
      no('property "b" is not allowed'),
    ],
    [
      "one that may be absent",
      object({ a: text, b: text }),
      object({ a: text }, [], { additionalProperties: false }),
      yes,
    ],
    ["one that an open schema does not name", object({ a: text, b: text }, ["b"]), object({ a: text }), yes],
    [
      "items of another type",
      { type: "array", items: number },
      { type: "array", items: text },
      no("items: string expected, got number"),
    ],
    ["items for a list of anything", { type: "array", items: number }, { type: "array" }, yes],
    ["no items for items of a type", { type: "array", items: false }, { type: "array", items: text }, yes],
    ["a tuple for one as long", tuple([text, number]), tuple([text, number]), yes],
    [
      "a tuple with its members changed about",
      tuple([text, number]),
      tuple([number, text]),
      no("items: number expected, got string"),
    ],
    ["a tuple for a shorter one that is closed", tuple([text, number]), tuple([text], false), no("1 items at most")],
    ["a tuple whose later items are not known", tuple([text]), tuple([text, number]), unknown],
    [
      "items with a member of another type",
      { type: "array", items: object({ a: number }, ["a"]) },
      { type: "array", items: object({ a: text }, ["a"]) },
      no('items: property "a": string expected, got number'),
    ],
  ])("%s", ([, source, target, expected]) => {
    // Twice: the second answer is a remembered one.
    for (const _time of [1, 2]) expect(compare(source, target)).toEqual(expected);
  });
});
