import { type JsonSchema, validateValue } from "@planloom/plan";
import { describe, expect, test } from "vitest";

const text = { type: "string" };
const number = { type: "number" };
const draft07 = { $schema: "http://json-schema.org/draft-07/schema#" };
/** Parts that nothing looks at make a document too large to be compiled, so that it is interpreted. */
const padding = { enum: Array.from({ length: 1_000 }, (_, at) => at) };

/** The schema as it is, which is compiled, and in a document that is too large for that. */
const forms = (schema: Record<string, unknown>): JsonSchema[] => [
  { ...schema },
  { ...schema, $defs: { ...(schema.$defs as object | undefined), padding } },
];
const messages = (value: unknown, schema: JsonSchema) =>
  validateValue(value, schema)
    .map(({ message }) => message)
    .sort();

describe("what is wrong with a value, whether its schema is compiled or interpreted", () => {
  const whole = (expected: string) => [`The arguments: expected ${expected}.`];
  const at = (place: string, expected: string) => `Argument "${place}": expected ${expected}.`;
  const missing = (place: string, what = "") => `Argument "${place}" is required${what}, but missing.`;
  const unknown = (place: string, rest: string) => `Argument "${place}" is not a parameter of the resource; ${rest}`;
  const branches = { if: { required: ["a"] }, [`th${"en"}`]: { required: ["b"] }, else: { required: ["c"] } };
  const either = { anyOf: [{ properties: { x: text }, required: ["x"] }, number] };

  test.for<[string, Record<string, unknown>, unknown, string[]]>([
    ["required", { required: ["a"], properties: { a: text } }, {}, [missing("a", " (string)")]],
    [
      "required, one of",
      { required: ["a"], properties: { a: { enum: ["x", "y"] } } },
      {},
      [missing("a", ", one of x, y")],
    ],
    ["required, of any type", { required: ["a"] }, { a: undefined }, [missing("a")]],
    [
      "required, deep within",
      { properties: { o: { items: { required: ["a", "b"] } } } },
      { o: [{ a: 1 }, {}] },
      [missing("o[0].b"), missing("o[1].a"), missing("o[1].b")],
    ],
    [
      "another property, misspelt",
      { properties: { city: {} }, additionalProperties: false },
      { cty: 1 },
      [unknown("cty", 'did you mean "city"?')],
    ],
    [
      "another property where there are none",
      { additionalProperties: false },
      { b: 1 },
      [unknown("b", "it takes none.")],
    ],
    [
      "another property like none of them",
      { properties: { city: {}, town: {} }, additionalProperties: false },
      { qqqqqq: 1, city: 2 },
      [unknown("qqqqqq", "it takes city, town.")],
    ],
    [
      "a schema for other properties",
      { properties: { a: {} }, additionalProperties: number },
      { a: "x", b: "y", c: 1 },
      [at("b", 'number, got "y" (string)')],
    ],
    [
      "properties by pattern",
      { patternProperties: { "^n": number }, additionalProperties: false },
      { n1: "x", m: 1, n2: 3 },
      [unknown("m", "it takes none."), at("n1", 'number, got "x" (string)')],
    ],
    ["enum", { enum: ["a", "b"] }, "c", whole('one of a, b, got "c"')],
    ["enum of objects", { enum: [{ a: 1 }, [1]] }, { a: 2 }, whole('one of {"a":1}, [1], got {"a":2}')],
    ["enum of objects, in any order of keys", { enum: [{ a: 1, b: 2 }, [1]] }, { b: 2, a: 1 }, []],
    ["const", { const: 5 }, 6, whole("5, got 6")],
    ["const null", { const: null }, {}, whole("null, got {}")],
    ["const that is equal", { const: { a: [1] } }, { a: [1] }, []],
    ["type", { type: "number" }, "7", whole('number, got "7" (string)')],
    ["no number", { type: "number" }, Number.POSITIVE_INFINITY, whole("number, got Infinity (number)")],
    ["type integer", { type: "integer" }, 1.5, whole("integer, got 1.5 (number)")],
    ["a whole number is an integer", { type: "integer" }, 2, []],
    ["several types", { type: ["string", "null"] }, 5, whole("string | null, got 5 (number)")],
    ["a list for an object", { type: "object" }, [], whole("object, got [] (array)")],
    ["null for an object", { type: "object" }, null, whole("object, got null")],
    ["an object for a list", { type: "array" }, {}, whole("array, got {} (object)")],
    ["type boolean", { type: "boolean" }, "true", whole('boolean, got "true" (string)')],
    ["type null", { type: "null" }, 0, whole("null, got 0 (number)")],
    ["nullable", { type: "string", nullable: true }, null, []],
    ["nullable, and neither", { type: "string", nullable: true }, 5, whole("string, got 5 (number)")],
    ["not nullable", { type: "string", nullable: false }, null, whole("string, got null")],
    ["anyOf", { anyOf: [text, number] }, true, whole("string | number, got true (boolean)")],
    [
      "anyOf of that type",
      { anyOf: [{ ...text, minLength: 3 }, number] },
      "a",
      whole('one of the alternatives for string | number, got "a" (string)'),
    ],
    [
      "anyOf within, beside a property whose name begins alike",
      { properties: { a: either, ab: text } },
      { a: { x: 1 }, ab: 2 },
      [
        at("a", 'one of the alternatives for object | number, got {"x":1} (object)'),
        at("ab", "string, got 2 (number)"),
      ],
    ],
    ["oneOf, none of them", { oneOf: [text, number] }, true, whole("string | number, got true (boolean)")],
    [
      "oneOf, two of them",
      { oneOf: [{ type: "integer" }, number] },
      1,
      whole("one of the alternatives for integer | number, got 1 (number)"),
    ],
    ["oneOf, one of them", { oneOf: [{ type: "integer" }, number] }, 1.5, []],
    ["allOf", { allOf: [text, { minLength: 2 }] }, "a", whole('text of at least 2 characters, got "a"')],
    ["not", { not: text }, "a", whole('a value that must NOT be valid, got "a"')],
    ["if it holds", branches, { a: 1 }, [missing("b"), ...whole('a value that must match "then" schema, got {"a":1}')]],
    ["if it does not", branches, {}, [missing("c"), ...whole('a value that must match "else" schema, got {}')]],
    ["if with nothing after it", { if: { required: ["a"] } }, {}, []],
    ["minimum", { minimum: 3 }, 2, whole("a number >= 3, got 2")],
    ["minimum, equal", { minimum: 3 }, 3, []],
    ["maximum", { maximum: 3 }, 4, whole("a number <= 3, got 4")],
    ["maximum, equal", { maximum: 3 }, 3, []],
    ["exclusiveMinimum", { exclusiveMinimum: 3 }, 3, whole("a number > 3, got 3")],
    ["exclusiveMaximum", { exclusiveMaximum: 3 }, 3, whole("a number < 3, got 3")],
    ["multipleOf", { multipleOf: 5 }, 7, whole("a value that must be multiple of 5, got 7")],
    ["multipleOf that is one", { multipleOf: 5 }, 10, []],
    ["minLength counts characters", { minLength: 2 }, "👍", whole('text of at least 2 characters, got "👍"')],
    ["maxLength", { maxLength: 1 }, "ab", whole('text of at most 1 characters, got "ab"')],
    ["lengths that are met", { minLength: 1, maxLength: 1 }, "👍", []],
    ["lengths of what is no text", { minLength: 3, pattern: "a", format: "date" }, [1], []],
    ["minItems", { minItems: 2 }, [1], whole("at least 2 items, got 1 items")],
    ["maxItems", { maxItems: 1 }, [1, 2], whole("at most 1 items, got 2 items")],
    ["numbers of items that are met", { minItems: 1, maxItems: 1 }, [1], []],
    [
      "uniqueItems",
      { uniqueItems: true },
      [1, 2, 1],
      whole("a value that must NOT have duplicate items (items ## 0 and 2 are identical), got [1,2,1]"),
    ],
    ["items that need not be unique", { uniqueItems: false }, [1, 1], []],
    ["format", { format: "date" }, "2026-13-01", whole('text in the format date, got "2026-13-01"')],
    ["format by a pattern", { format: "ipv4" }, "1.2.3", whole('text in the format ipv4, got "1.2.3"')],
    ["format by a function", { format: "uri" }, "no uri", whole('text in the format uri, got "no uri"')],
    ["format that nobody knows", { format: "anything" }, "x", []],
    ["format of numbers", { format: "int32" }, 2 ** 40, whole("text in the format int32, got 1099511627776")],
    ["format of numbers, of a text", { format: "int32" }, "x", []],
    ["format of texts, of a number", { format: "date" }, 5, []],
    ["pattern", { pattern: "^a" }, "b", whole('text that matches "^a", got "b"')],
    ["items", { items: text }, ["a", 1], [at("[1]", "string, got 1 (number)")]],
    [
      "prefixItems, and the items after them",
      { prefixItems: [text], items: number },
      [1, "a"],
      [at("[0]", "string, got 1 (number)"), at("[1]", 'number, got "a" (string)')],
    ],
    [
      "no items after prefixItems",
      { prefixItems: [text], items: false },
      ["a", 1],
      whole('a value that must NOT have more than 1 items, got ["a",1]'),
    ],
    ["as many items as prefixItems", { prefixItems: [text], items: false }, ["a"], []],
    [
      "no items after a list of them, as draft-07 says it",
      { ...draft07, items: [text], additionalItems: false },
      ["a", 1],
      whole('a value that must NOT have more than 1 items, got ["a",1]'),
    ],
    [
      "additional items, as draft-07 says it",
      { ...draft07, items: [text], additionalItems: number },
      ["a", "b"],
      [at("[1]", 'number, got "b" (string)')],
    ],
    ["no items", { items: false }, [1], [at("[0]", "no value, got 1")]],
    ["contains", { contains: { enum: ["a"] }, minContains: 2 }, ["a", "a"], []],
    [
      "contains too often",
      { contains: text, maxContains: 1 },
      ["a", "b"],
      whole('a value that must contain at least 1 and no more than 1 valid item(s), got ["a","b"]'),
    ],
    [
      "contains too seldom",
      { contains: text, minContains: 2 },
      ["a"],
      whole('a value that must contain at least 2 valid item(s), got ["a"]'),
    ],
    ["contains none, which is enough", { contains: text, minContains: 0 }, [], []],
    [
      "minProperties",
      { minProperties: 2 },
      { a: 1 },
      whole('a value that must NOT have fewer than 2 properties, got {"a":1}'),
    ],
    [
      "maxProperties",
      { maxProperties: 1 },
      { a: 1, b: 2 },
      whole('a value that must NOT have more than 1 properties, got {"a":1,"b":2}'),
    ],
    ["numbers of properties that are met", { minProperties: 1, maxProperties: 1 }, { a: 1 }, []],
    ["numbers of properties of a list", { minProperties: 1, required: ["a"] }, [], []],
    [
      "dependentRequired",
      { dependentRequired: { a: ["b", "c"], d: ["x"] } },
      { a: 1, c: 2 },
      whole('a value that must have properties b, c when property a is present, got {"a":1,"c":2}'),
    ],
    ["dependentSchemas", { dependentSchemas: { a: { required: ["b"] }, c: false } }, { a: 1 }, [missing("b")]],
    [
      "dependencies, as draft-07 says it",
      { ...draft07, dependencies: { a: ["b"], c: { required: ["d"] } } },
      { a: 1, c: 1 },
      [missing("d"), ...whole('a value that must have property b when property a is present, got {"a":1,"c":1}')],
    ],
    ["a property that is forbidden", { properties: { a: false } }, { a: 1 }, [at("a", "no value, got 1")]],
    [
      "$ref",
      { $defs: { t: text }, properties: { a: { $ref: "#/$defs/t" } } },
      { a: 1 },
      [at("a", "string, got 1 (number)")],
    ],
    [
      "$ref to a name with signs in it",
      { definitions: { "t/~": text }, $ref: "#/definitions/t~1~0" },
      1,
      whole("string, got 1 (number)"),
    ],
  ])("%s", ([, schema, value, expected]) => {
    for (const form of forms(schema)) expect(messages(value, form)).toEqual(expected.sort());
  });

  test("names of properties", () => {
    for (const form of forms({ propertyNames: { maxLength: 1 } }))
      expect(messages({ a: 1, bc: 2 }, form)).toContain(
        'The arguments: expected only names of properties that the schema allows, got "bc".',
      );
  });

  test("the place of a name with signs in it", () => {
    for (const form of forms({ properties: { "a/~b": { items: text } } }))
      expect(validateValue({ "a/~b": [1] }, form)).toMatchObject([
        { argument_path: '["a/~b"][0]', expected: "string", actual: "number" },
      ]);
  });

  test("at most twenty of many", () => {
    for (const form of forms({ items: text })) {
      const issues = validateValue(
        Array.from({ length: 25 }, (_, each) => each),
        form,
      );
      expect(issues.map(({ argument_path }) => argument_path)).toEqual(
        Array.from({ length: 20 }, (_, each) => `[${each}]`),
      );
    }
  });

  test("a schema that cannot be read", () => {
    for (const form of forms({ pattern: "(" }))
      expect(validateValue("a", form)).toMatchObject([
        { code: "resource_schema", message: expect.stringMatching(/^The arguments: the schema cannot be read: .*\(/) },
      ]);
    expect(validateValue(1, { $ref: "https://example.org/a" })).toMatchObject([
      { code: "resource_schema", message: expect.stringContaining("https://example.org/a") },
    ]);
  });

  test("a schema that contains itself in one place", () => {
    for (const form of forms({ allOf: [{ $ref: "#" }] }))
      expect(validateValue(1, form)).toMatchObject([
        {
          code: "schema_budget",
          message: expect.stringContaining("it contains itself, or the value is nested too deep"),
        },
      ]);
  });

  test("a schema that takes too long", () => {
    for (const form of forms({ pattern: "^(?=(a|a)*!)" }))
      expect(validateValue("a".repeat(60), form)).toMatchObject([
        { code: "schema_budget", message: expect.stringContaining("it takes too long for this value; simplify it") },
      ]);
  });

  test("a schema without its document", () => {
    expect(validateValue(1, true)).toEqual([]);
    expect(messages(1, false)).toEqual(["The arguments: expected no value, got 1."]);
  });

  test("what the `contains` of a compiled schema found in the items is said too", () => {
    const [compiled, interpreted] = forms({ contains: text });
    const none = "The arguments: expected a value that must contain at least 1 valid item(s), got [1].";
    expect(messages([1], compiled!)).toEqual([at("[0]", "string, got 1 (number)"), none]);
    expect(messages([1], interpreted!)).toEqual([none]);
  });

  test("unevaluated properties are known to a compiled schema alone", () => {
    const [compiled, interpreted] = forms({ properties: { a: {} }, unevaluatedProperties: false });
    expect(messages({ b: 1 }, compiled!)).toEqual([unknown("b", "it takes a.")]);
    expect(validateValue({ b: 1 }, interpreted!)).toMatchObject([
      { code: "schema_budget", message: expect.stringContaining("`unevaluatedProperties`") },
    ]);
  });
});

describe("the way out of what is wrong with a value", () => {
  test.for<[string, JsonSchema, unknown, object]>([
    [
      "a property with values to choose from",
      { required: ["a"], properties: { a: { enum: ["x", "y"] } } },
      {},
      { code: "missing_argument", expected: "string", repair: { operation: "add", candidates: ["x", "y"] } },
    ],
    [
      "a misspelt name",
      { properties: { city: {} }, additionalProperties: false },
      { cty: 1 },
      { code: "unknown_argument", severity: "error", repair: { operation: "rename", candidates: ["city"] } },
    ],
    [
      "a name where the one that is like it has a value",
      { properties: { city: {} }, additionalProperties: false },
      { cty: 1, city: 2 },
      { code: "unknown_argument", repair: { operation: "remove", candidates: ["cty"] } },
    ],
    [
      "a misspelt name of an alternative",
      { additionalProperties: false, anyOf: [{ properties: { city: {} } }] },
      { cty: 1 },
      { code: "unknown_argument", repair: { operation: "rename", candidates: ["city"] } },
    ],
    [
      "one of ten values, of twelve",
      { enum: Array.from({ length: 12 }, (_, each) => each) },
      12,
      { actual: "12", repair: { operation: "replace", candidates: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] } },
    ],
    [
      "one of ten values that could be there, of twelve",
      { required: ["a"], properties: { a: { enum: Array.from({ length: 12 }, (_, each) => each) } } },
      {},
      { repair: { operation: "add", candidates: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] } },
    ],
    [
      "the first ten of twelve names",
      {
        properties: Object.fromEntries(Array.from({ length: 12 }, (_, each) => [`name${each}`, {}])),
        additionalProperties: false,
      },
      { "?": 1 },
      { message: expect.stringMatching(/it takes name0, (?:name\d, ){8}name9\.$/) },
    ],
    ["the only value", { const: 5 }, 6, { expected: "5", repair: { operation: "replace", candidates: [5] } }],
    ["the least number", { minimum: 3 }, 2, { repair: { operation: "replace", candidates: [3] } }],
  ])("%s", ([, schema, value, issue]) => {
    expect(validateValue(value, schema)).toMatchObject([issue]);
  });

  test("a required property without values to choose from has none", () => {
    expect(validateValue({}, { required: ["a"] })[0]).not.toHaveProperty("repair");
    expect(validateValue({}, { required: ["a"], properties: { a: { enum: [] } } })[0]).not.toHaveProperty("repair");
  });
});

describe("a secret in a value", () => {
  const secret = { $secret: "TOKEN" };

  test.for<[string, JsonSchema, unknown, string[]]>([
    ["is a text", { properties: { a: text } }, { a: secret }, []],
    ["is a text by itself", text, secret, []],
    ["of any length and pattern", { properties: { a: { ...text, maxLength: 1, pattern: "^x$" } } }, { a: secret }, []],
    [
      "is one of the values, as far as one knows",
      { properties: { "a/~": { items: { enum: ["x"] } } } },
      { "a/~": [secret] },
      [],
    ],
    [
      "is no number",
      { properties: { a: number } },
      { a: secret },
      ['expected number, got "the secret TOKEN" (string)'],
    ],
    ["is no number by itself", number, secret, ['expected number, got "the secret TOKEN" (string)']],
    ["does not hide what is beside it", { properties: { b: number } }, { a: secret, b: "x" }, ['got "x" (string)']],
  ])("%s", ([, schema, value, parts]) => {
    const found = messages(value, structuredClone(schema));
    expect(found).toHaveLength(parts.length);
    for (const [each, part] of parts.entries()) expect(found[each]).toContain(part);
  });

  test("that is given is one; what only looks like it is an object", () => {
    const found = validateValue({ a: secret }, { properties: { a: text } }, { secrets: [] });
    expect(found).toMatchObject([{ argument_path: "a", expected: "string", actual: "object" }]);
  });
});
