import {
  type JsonSchema,
  parseReference,
  type Resource,
  type SchemaAtPath,
  schemaAtPath,
  validatePlan,
} from "@planloom/plan";
import { expect, test } from "vitest";
import { nodeAtPath } from "../../packages/plan/src/validation/schema-at-path.ts";
import { array, number, object, text } from "../support/checked-tools.ts";

const at = (schema: JsonSchema, path: string): SchemaAtPath => schemaAtPath(schema, parseReference(`x${path}`).path);
const tuple = (prefixItems: JsonSchema[], items?: JsonSchema): JsonSchema => ({
  type: "array",
  prefixItems,
  ...(items !== undefined && { items }),
});
const open = { type: "object" };
const closed = (properties: Record<string, JsonSchema>) => object(properties, { additionalProperties: false });

test.for<[string, JsonSchema, string, SchemaAtPath["found"], JsonSchema?]>([
  ["the whole of anything", true, "", "yes", true],
  ["a part of anything", true, ".a", "unknown"],
  ["a part of nothing", false, ".a", "no"],
  ["a property of a property that nothing may be", object({ a: false }), ".a.b", "no"],
  ["the whole of such a property", object({ a: false }), ".a", "yes", false],
  ["a property of an element of anything", array(true), "[0].a", "unknown"],
  ["an element of what lists nothing of its elements", { type: "array" }, "[0]", "unknown"],
  ["a map over what lists nothing of its elements", { type: "array" }, ".*", "unknown"],
  ["a map over text", text, ".*", "no"],
  ["a map over an object that names nothing", open, ".*", "unknown"],
  [
    "a map over an object's properties",
    object({ a: text, b: text }),
    ".*",
    "yes",
    array({ anyOf: [text, text] } as never),
  ],
  ["a map over one property", object({ a: text }), ".*", "yes", array(text)],
  [
    "a map over properties and others",
    object({ a: text }, { additionalProperties: number }),
    ".*",
    "yes",
    array({ anyOf: [text, number] } as never),
  ],
  ["a map over a tuple", tuple([text, number]), ".*", "yes", array({ anyOf: [text, number] } as never)],
  [
    "a map over a tuple and what follows",
    tuple([text], number),
    ".*",
    "yes",
    array({ anyOf: [text, number] } as never),
  ],
  ["a map over a closed tuple", tuple([text], false), ".*", "yes", array(text)],
  ["a map to a field that some members have", tuple([object({ a: text }), number]), ".*.a", "yes", array(text)],
  ["a map to a field that no member has", array(object({ a: text })), ".*.b", "no"],
  ["a map to a field that one member may have", tuple([number, open]), ".*.b", "unknown"],
  ["what follows a tuple", tuple([text], number), "[5]", "yes", number],
  ["what follows a tuple that says nothing", tuple([text]), "[5]", "unknown"],
  ["a text as an index", array(text), '["01"]', "no"],
  ["an index of an object", object({ "0": text }), "[0]", "no"],
  ["a property named as an index", object({ "0": text }), '["0"]', "yes", text],
  [
    "an index of a list or an object",
    { type: ["object", "array"], items: text, properties: { "0": number } },
    "[0]",
    "yes",
    text,
  ],
  [
    "a name that both have",
    { type: ["object", "array"], items: text, properties: { "0": number } },
    '["0"]',
    "yes",
    number,
  ],
  [
    "a name that the list alone may have",
    { type: ["object", "array"], items: text, additionalProperties: false },
    '["0"]',
    "yes",
    text,
  ],
  ["a property that is required and not described", object({ a: text }, { required: ["b"] }), ".b", "unknown"],
  ["a property that a closed object has not", closed({ a: text }), ".b", "no"],
  [
    "the same beside what is not modelled",
    object({ a: text }, { additionalProperties: false, not: {} }),
    ".b",
    "unknown",
  ],
  ["a property beside what is not modelled", object({ a: text }, { not: {} }), ".b", "unknown"],
  ["a property by a pattern", object({ a: text }, { patternProperties: { "^b": number } }), ".b", "unknown"],
  [
    "a property that two branches have",
    { anyOf: [object({ a: text }), object({ a: number }), { type: "null" }] },
    ".a",
    "yes",
    { anyOf: [text, number] },
  ],
  ["a property that a branch may have", { anyOf: [object({ a: text }), open] }, ".b", "unknown"],
  ["a property that no branch has", { anyOf: [closed({ a: text }), number] }, ".b", "no"],
  [
    "a property beside branches that only refine",
    object({ a: text }, { anyOf: [{ required: ["a"] }, { required: ["c"] }] }),
    ".a",
    "yes",
    text,
  ],
  ["a property of unions in unions", { anyOf: [{ oneOf: [object({ a: text })] }, number] }, ".a", "yes", text],
  ["a property of what is elsewhere", { $ref: "https://example.org/x" }, ".a", "unknown"],
])("%s", ([, schema, path, found, expected = true]) => {
  expect(at(schema, path)).toEqual({ found, schema: expected });
});

test("what is found has the definitions that it refers to, and no others than those of the document", () => {
  const row = object({ id: { $ref: "#/definitions/id" } });
  const document = object(
    { rows: array({ $ref: "#/$defs/row" }), total: number },
    { $defs: { row }, definitions: { id: text } },
  );
  const definitions = { $defs: { row }, definitions: { id: text } };
  expect(at(document, ".rows")).toEqual({
    found: "yes",
    schema: { ...definitions, ...array({ $ref: "#/$defs/row" }) },
  });
  expect(at(document, ".total").schema).toEqual({ ...definitions, ...number });
  expect(at(document, "").schema).toBe(document);
  expect(at(object({ a: text }), ".a").schema).toEqual(text);
  expect(at(object({ a: true }, { $defs: { row } }), ".a").schema).toBe(true);
});

test("a path that was asked for is found again, and paths that look alike are distinguished", () => {
  const schema = {
    type: ["object", "array"],
    items: text,
    properties: { "0": number, "*": { type: "null" } },
  } as JsonSchema;
  const node = { schema, root: schema };
  const of = (path: string) => nodeAtPath(node, parseReference(`x${path}`).path);
  expect(of('["0"]')).toBe(of('["0"]'));
  expect([of("[0]"), of('["0"]'), of('["*"]'), of(".*")].map((each) => each.node.schema)).toEqual([
    text,
    number,
    { type: "null" },
    array({ anyOf: [number, { type: "null" }] } as never),
  ]);
});

test("of a schema that is an alternative of itself nothing is known beyond its other alternatives, and it is no fault of a plan", () => {
  const endless: JsonSchema = { anyOf: [{ $ref: "#" }, { type: "object", properties: { a: { $ref: "#" } } }] };
  expect(at(endless, ".b")).toEqual({ found: "unknown", schema: true });
  const resource: Resource = { kind: "tool", id: "t", description: "", output_schema: endless };
  const tasks = [
    { task_id: "s", tool_id: "t" },
    { task_id: "r", tool_id: "t", arguments: { x: "${s.a.b}" } },
  ];
  expect(validatePlan({ planned_tasks: tasks }, [resource])).toEqual([]);
});
