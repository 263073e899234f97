import { formatReference, type JsonSchema } from "@planloom/plan";
import { expect, test } from "vitest";
import { outputPaths } from "../../packages/plan/src/validation/output-paths.ts";
import { array, number, object, text } from "../support/checked-tools.ts";

const pathsOf = (schema: JsonSchema) =>
  outputPaths({ schema, root: schema }).map(({ path }) =>
    formatReference({ name: "t", path, optional: false }).slice(3, -1),
  );
const typesOf = (schema: JsonSchema) =>
  Object.fromEntries(
    outputPaths({ schema, root: schema }).map(({ path, node }) => [
      formatReference({ name: "t", path, optional: false }).slice(3, -1),
      node.schema,
    ]),
  );

test.for<[string, JsonSchema, string[]]>([
  ["a text", text, [""]],
  ["properties, shallow ones first", object({ a: object({ b: text }), c: number }), ["", ".a", ".c", ".a.b"]],
  ["a list", array(text), ["", ".*", "[0]"]],
  ["a list of unknown elements", { type: "array" }, [""]],
  ["a tuple", { type: "array", prefixItems: [text, number] }, ["", ".*", "[0]"]],
  ["a list of objects", array(object({ id: text })), ["", ".*", "[0]", ".*.id", "[0].id"]],
  ["lists in lists", array(array(text)), ["", ".*", "[0]", ".*.*", ".*[0]", "[0].*", "[0][0]"]],
  [
    "properties of each alternative",
    { anyOf: [object({ a: text }), { oneOf: [object({ b: number }), { type: "null" }] }] },
    ["", ".a", ".b"],
  ],
  ["anything", {}, [""]],
])("%s", ([, schema, paths]) => {
  expect(pathsOf(schema)).toEqual(paths);
});

test("each with its type: behind a map a list of what is mapped", () => {
  expect(typesOf(object({ rows: array(object({ id: text })) }))).toEqual({
    "": expect.anything(),
    ".rows": array(object({ id: text })),
    ".rows.*": array(object({ id: text })),
    ".rows[0]": object({ id: text }),
    ".rows.*.id": array(text),
    ".rows[0].id": text,
  });
});

test("at most four segments deep", () => {
  const deep = object({ a: object({ b: object({ c: object({ d: object({ e: text }) }) }) }) });
  expect(pathsOf(deep)).toEqual(["", ".a", ".a.b", ".a.b.c", ".a.b.c.d"]);
});

test("at most sixty paths, however wide; and twenty alternatives of one place", () => {
  const wide = object(Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`p${at}`, text])));
  expect(pathsOf(wide)).toEqual(["", ...Array.from({ length: 59 }, (_, at) => `.p${at}`)]);
  const half = object(Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`p${at}`, object({ q: text })])));
  expect(pathsOf(half)).toHaveLength(60);
  const many = { anyOf: Array.from({ length: 30 }, (_, at) => object({ [`p${at}`]: text })) };
  // The union itself is the first of the twenty.
  expect(pathsOf(many)).toEqual(["", ...Array.from({ length: 19 }, (_, at) => `.p${at}`)]);
});

test("a schema that allows everything or nothing has no paths to offer, and a known one is not read again", () => {
  expect([pathsOf(true), pathsOf(false)]).toEqual([[], []]);
  const schema = object({ a: text });
  const node = { schema, root: schema };
  expect(outputPaths(node)).toBe(outputPaths({ ...node }));
});

test("references within the document are followed, also behind a map", () => {
  const schema = {
    ...object({ rows: array({ $ref: "#/$defs/row" }) }),
    $defs: { row: object({ id: text, next: { $ref: "#/$defs/row" } }) },
  };
  expect(pathsOf(schema)).toEqual([
    "",
    ".rows",
    ".rows.*",
    ".rows[0]",
    ".rows.*.id",
    ".rows.*.next",
    ".rows[0].id",
    ".rows[0].next",
    ".rows.*.next.id",
    ".rows.*.next.next",
    ".rows[0].next.id",
    ".rows[0].next.next",
  ]);
});
