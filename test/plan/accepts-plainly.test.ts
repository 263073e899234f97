import { describe, expect, test } from "vitest";
import { acceptsPlainly } from "../../packages/plan/src/validation/accepts-plainly.ts";

// What is accepted here is not looked at by ajv any more, so nothing that is wrong may be; and whatever common schemas allow
// should be, since loading ajv takes a plan 20 to 60 ms.

const text = { type: "string" };

describe("a value is valid beyond doubt", () => {
  test.for<[string, unknown, unknown[], unknown[]]>([
    ["any", true, [1, null], []],
    ["none", false, [], [1]],
    ["what is no schema", null, [], [1]],
    ["no keywords", {}, [1, {}], []],
    ["words about it", { title: "A", description: "B", default: 5, examples: [1] }, [1], []],
    ["a title that is no text", { title: 5 }, [], [1]],
    ["a description that is no text", { description: 5 }, [], [1]],
    ["examples that are no list", { examples: 5 }, [], [1]],
    ["a keyword it does not know", { multipleOf: 2 }, [], [2, 3]],
    ["text", text, ["", "a"], [1, null, {}, [], undefined]],
    ["truth values", { type: "boolean" }, [true, false], ["true", 0]],
    ["numbers", { type: "number" }, [0, -1.5], ["1", Number.NaN, Number.POSITIVE_INFINITY]],
    ["whole numbers", { type: "integer" }, [0, 2], [1.5, "1"]],
    ["null", { type: "null" }, [null], [0, undefined]],
    ["lists", { type: "array" }, [[]], [{}, "a"]],
    ["objects", { type: "object" }, [{}], [[], null]],
    ["one of some types", { type: ["string", "null"] }, ["a", null], [1]],
    ["a type that nobody knows", { type: "text" }, [], ["a"]],
    ["no types", { type: [] }, [], ["a"]],
    ["values to choose from", { enum: ["a", 1, null] }, ["a", 1, null], ["b", "1", {}]],
    ["values that are no list", { enum: "abc" }, [], ["a"]],
    ["lists to choose from, which ajv compares", { enum: [[1]] }, [], [[1], [2]]],
    ["the only value", { const: 5 }, [5], [6, "5"]],
    ["null as the only value", { const: null }, [null], [0]],
    ["minimum", { minimum: 2 }, [2, 3, "a"], [1]],
    ["maximum", { maximum: 2 }, [2, 1, "a"], [3]],
    ["exclusiveMinimum", { exclusiveMinimum: 2 }, [3], [2]],
    ["exclusiveMaximum", { exclusiveMaximum: 2 }, [1], [2]],
    ["a limit that is no number", { minimum: "2" }, [], [3, "a"]],
    ["minLength", { minLength: 2 }, ["ab", "abc", 5], ["a"]],
    ["maxLength", { maxLength: 2 }, ["ab", 5], ["abc"]],
    ["a length that is no number", { maxLength: "2" }, [], ["a", 5]],
    ["characters of two units", { minLength: 2 }, ["éé"], ["👍", "👍👍"]],
    ["minItems", { minItems: 1 }, [[1], "a"], [[]]],
    ["maxItems", { maxItems: 1 }, [[1], "abc"], [[1, 2]]],
    ["a number of items that is none", { maxItems: "1" }, [], [[1], "a"]],
    ["items", { items: text }, [["a"], [], "a"], [[1], ["a", 1]]],
    ["items after others", { items: text, prefixItems: [{}] }, [], [["a"]]],
    ["properties", { properties: { a: text } }, [{ a: "a" }, {}, { b: 1 }, 5], [{ a: 1 }]],
    ["properties that are none", { properties: [] }, [], [{}]],
    ["required", { required: ["a"] }, [{ a: null }, 5], [{}, { a: undefined }, Object.create({ a: 1 })]],
    ["two that are required", { required: ["a", "b"] }, [{ a: 1, b: 2 }], [{ a: 1 }, { b: 1 }]],
    ["required that is no list", { required: "a" }, [], [{ a: 1 }, 5]],
    ["required that is no name", { required: [5] }, [], [{ 5: 1 }]],
    ["other properties", { properties: { a: text }, additionalProperties: true }, [{ a: "a", b: 1 }, 5], []],
    ["no other properties", { properties: { a: text }, additionalProperties: false }, [{ a: "a" }, {}, 5], [{ b: 1 }]],
    ["no properties at all", { additionalProperties: false }, [{}], [{ b: 1 }]],
    [
      "other properties of a type",
      { properties: { a: {} }, additionalProperties: text },
      [{ a: 1, b: "b" }],
      [{ b: 1 }],
    ],
    [
      "no other properties than inherited ones",
      { properties: Object.create({ a: text }), additionalProperties: false },
      [],
      [{ a: "a" }],
    ],
    ["one of some schemas", { anyOf: [text, { type: "null" }] }, ["a", null], [1]],
    ["schemas that are no list", { anyOf: text }, [], ["a"]],
    [
      "dates",
      { format: "date" },
      ["2026-01-28", "2026-12-01"],
      ["2026-00-01", "2026-13-01", "2026-01-00", "2026-02-30", "x2026-01-01", "2026-01-011"],
    ],
    [
      "times",
      { format: "date-time" },
      ["2026-01-01T00:00:00Z", "2026-01-01T23:59:59.123Z", "2026-01-01T19:00:00Z"],
      [
        "2026-01-01T24:00:00Z",
        "2026-01-01T30:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:60Z",
        "2026-01-01T00:00:00",
        "2026-01-01T00:00:00.Z",
        "2026-13-01T00:00:00Z",
        "x2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00Zx",
      ],
    ],
    [
      "UUIDs",
      { format: "uuid" },
      ["01234567-89ab-cdef-0123-456789ABCDEF"],
      [
        "01234567-89ab-cdef-0123-456789abcdeg",
        "x01234567-89ab-cdef-0123-456789abcdef",
        "01234567-89ab-cdef-0123-456789abcdef0",
        "01234567-89ab-cdef-456789abcdef",
      ],
    ],
    [
      "addresses",
      { format: "email" },
      ["a@b.de", "a.b-c_d@b2.co.uk", "A@B.DE", "ab@cd.de"],
      [
        "a@b",
        "a",
        "@b.de",
        "a..b@c.de",
        ".a@b.de",
        "a@b..de",
        "a@b.de ",
        " a@b.de",
        `${"a".repeat(200)}@b.de`,
        `${"a".repeat(195)}@b.de`,
      ],
    ],
    ["a format that it leaves to ajv", { format: "uri" }, [null, {}], ["https://example.org"]],
    ["int32", { format: "int32" }, [0, 2 ** 31 - 1, -(2 ** 31)], [2 ** 31, -(2 ** 31) - 1, 1.5]],
    ["int64", { format: "int64" }, [2 ** 40], [1.5]],
    ["float and double", { anyOf: [{ format: "float" }, { format: "double" }] }, [1.5], []],
    ["double", { format: "double" }, [1.5], []],
    ["a pattern", { pattern: "^a" }, ["ab", 5], ["b"]],
    ["a pattern of characters", { pattern: "^.$" }, ["a", "👍"], ["ab"]],
    ["a pattern that is none", { pattern: "(" }, [5], ["("]],
    ["a pattern that is no text", { pattern: 5 }, [], ["5", 5]],
    ["a pattern that may backtrack", { pattern: "^(a|a)*$" }, [], ["aaa"]],
    ["a pattern that is long", { pattern: "a".repeat(201) }, [], ["a".repeat(201)]],
    ["a pattern of two hundred characters", { pattern: "a".repeat(200) }, ["a".repeat(200)], []],
    ["a pattern with much to try", { pattern: "a*b*c*d*$" }, ["a"], ["a".repeat(100)]],
  ])("%s", ([, schema, accepted, left]) => {
    for (const value of accepted) expect([value, acceptsPlainly(schema, value)]).toEqual([value, true]);
    for (const value of left) expect([value, acceptsPlainly(schema, value)]).toEqual([value, false]);
  });

  test("fifty deep, and what is deeper is left to ajv", () => {
    const deep = (levels: number) => {
      let [schema, value]: [object, unknown] = [text, "a"];
      for (let level = 0; level < levels; level++) [schema, value] = [{ items: schema }, [value]];
      return acceptsPlainly(schema, value);
    };
    expect([deep(50), deep(51)]).toEqual([true, false]);
    const within = (wrap: (schema: object) => object, value: (inner: unknown) => unknown) => {
      let [schema, whole]: [object, unknown] = [text, "a"];
      for (let level = 0; level < 51; level++) [schema, whole] = [wrap(schema), value(whole)];
      return acceptsPlainly(schema, whole);
    };
    expect(
      within(
        (schema) => ({ anyOf: [schema] }),
        (inner) => inner,
      ),
    ).toBe(false);
    expect(
      within(
        (schema) => ({ properties: { a: schema } }),
        (a) => ({ a }),
      ),
    ).toBe(false);
    expect(
      within(
        (schema) => ({ additionalProperties: schema }),
        (a) => ({ a }),
      ),
    ).toBe(false);
  });

  test("as far as two million steps go, for each value anew", () => {
    const choice = { items: { enum: Array.from({ length: 80_000 }, (_, each) => each) } };
    const zeros = (count: number) => Array.from({ length: count }, () => 0);
    expect(acceptsPlainly(choice, zeros(190))).toBe(true);
    expect(acceptsPlainly(choice, zeros(190))).toBe(true);
    expect(acceptsPlainly(choice, zeros(210))).toBe(false);
    expect(acceptsPlainly(choice, zeros(1))).toBe(true);
    // 909,000 steps each.
    const texts = (count: number) => Array.from({ length: count }, () => "c".repeat(60));
    expect(acceptsPlainly({ items: { pattern: "a*b*" } }, texts(2))).toBe(true);
    expect(acceptsPlainly({ items: { pattern: "a*b*" } }, texts(3))).toBe(false);
  });
});
