import { type JsonSchema, validatePlan, validateStep, validateValue } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { number, object, text, tools } from "../support/checked-tools.ts";

describe("validateStep and validateValue", () => {
  const mail = tools[2]!;
  test("a step is checked for its resource and its input", () => {
    expect(validateStep({ uid: "post/mail", input_data: { to: "x" } }, mail)).toEqual([]);
    expect(
      validateStep({ uid: "mail", input_data: { body: 5 } }, mail).map(({ code, argument_path }) => [
        code,
        argument_path,
      ]),
    ).toEqual([
      ["invalid_argument", "uid"],
      ["missing_argument", "to"],
      ["invalid_argument", "body"],
    ]);
    expect(validateStep({ uid: "freight/shipments_list", input_data: { x: 1 } }, tools[0]!)[0]).toMatchObject({
      code: "unknown_argument",
      severity: "warning",
    });
  });

  test("draft-07 and 2020-12 are both read", () => {
    const draft = {
      $schema: "http://json-schema.org/draft-07/schema#",
      definitions: { a: text },
      items: [{ $ref: "#/definitions/a" }],
    };
    expect(validateValue([5], draft)).toHaveLength(1);
    expect(validateValue([5], { items: [text] })).toHaveLength(1);
    expect(validateValue([5], { prefixItems: [text] })).toHaveLength(1);
    expect(validateValue(["a"], { prefixItems: [text] })).toEqual([]);
  });

  test("a schema may refer to itself, by # or by its own $id", () => {
    for (const own of ["#", "https://example.org/tree"]) {
      const tree = {
        ...(own !== "#" && { $id: own }),
        ...object({ size: number, parts: { type: "array", items: { $ref: own } } }),
      };
      expect(validateValue({ size: 1, parts: [{ size: 2, parts: [] }] }, tree)).toEqual([]);
      expect(validateValue({ size: 1, parts: [{ size: "x" }] }, tree)[0]!.argument_path).toBe("parts[0].size");
      expect(validateValue({ size: 1, parts: [{ size: "x" }] }, structuredClone(tree))).toHaveLength(1);
    }
  });

  test("text with `${` is text here", () => {
    expect(validateValue("${a}", text)).toEqual([]);
  });

  test("a schema that ajv refuses is said, not thrown", () => {
    expect(validateValue("x", { pattern: "(" })[0]!.code).toBe("resource_schema");
    expect(validateValue("x", { $ref: "https://example.org/none" })[0]!.code).toBe("resource_schema");
  });

  test("a schema that is broken is said before it is used", () => {
    expect(validateValue("x", { type: "nothing" })).toEqual([
      {
        code: "resource_schema",
        severity: "error",
        message: 'The arguments: the schema cannot be read: unknown type "nothing" at "/".',
      },
    ]);
  });

  test("a value that is no arguments is called what it is", () => {
    const schema = object({ size: { type: "number" } }, { required: ["size"], additionalProperties: false });
    const said = (value: unknown) => validateValue(value, schema, { what: "the data" }).map(({ message }) => message);
    expect(said("x")).toEqual(['The data: expected object, got "x" (string).']);
    expect(said({ size: "x" })).toEqual(['"size" in the data: expected number, got "x" (string).']);
    expect(said({})).toEqual(['"size" in the data is required (number), but missing.']);
    expect(said({ size: 1, other: 2 })).toEqual(['"other" in the data is not a property of its schema; it has size.']);
  });

  test("a value that cannot be read says why", () => {
    const reasons: unknown[] = [new Error("out of order"), "gone"];
    for (const reason of reasons) {
      const value = {
        get a() {
          throw reason;
        },
      };
      expect(validateValue(value, object({ a: text }))).toEqual([
        {
          code: "invalid_argument",
          severity: "error",
          message: `The arguments: expected plain JSON; the value cannot be read: ${reason instanceof Error ? "out of order" : '"gone"'}.`,
        },
      ]);
    }
  });

  test("a step for another resource is said whole", () => {
    expect(validateStep({ uid: "mail", input_data: { to: "x" } }, mail)).toEqual([
      {
        code: "invalid_argument",
        severity: "error",
        message: 'Expected a step for tool "post/mail", got one for "mail".',
        argument_path: "uid",
        expected: "post/mail",
        actual: "mail",
      },
    ]);
  });

  test("a step for a resource whose schema is broken, or that has none", () => {
    const tool = { kind: "tool", id: "t", description: "" } as const;
    expect(validateStep({ uid: "t", input_data: {} }, { ...tool, input_schema: { type: "nothing" } })).toEqual([
      {
        code: "resource_schema",
        severity: "error",
        message: 'The schema of tool "t" cannot be read: input_schema: unknown type "nothing" at "/".',
        resource_id: "t",
      },
    ]);
    expect(validateStep({ uid: "t", input_data: { any: 1 } }, tool)).toEqual([]);
  });

  test("a name that the schema does not know is one issue of a step; one that a pattern knows is none", () => {
    const codes = (input_schema: JsonSchema, input_data: Record<string, unknown>) =>
      validateStep({ uid: "t", input_data }, { kind: "tool", id: "t", description: "", input_schema }).map(
        ({ code, severity }) => [code, severity],
      );
    expect(codes(object({ city: text }, { additionalProperties: false }), { cty: "x" })).toEqual([
      ["unknown_argument", "error"],
    ]);
    expect(codes(object({ city: text }), { cty: "x" })).toEqual([["unknown_argument", "error"]]);
    expect(codes(object({ city: text }), { other: "x", city: "y" })).toEqual([["unknown_argument", "warning"]]);
    expect(codes({ type: "object", patternProperties: { "^c": text } }, { cty: "x" })).toEqual([]);
    expect(validateStep({ uid: "t" } as never, { kind: "tool", id: "t", description: "", input_schema: {} })).toEqual(
      [],
    );
  });

  test("deep values and values that are no JSON do not throw", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 50_000; i++) deep = [deep];
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    for (const value of [deep, cyclic, 10n, () => 1, Symbol("x"), undefined]) {
      expect(Array.isArray(validateValue(value, tools[0]!.input_schema!))).toBe(true);
      expect(validatePlan({ planned_tasks: [{ task_id: "a", arguments: { value } }] }, tools)).toBeInstanceOf(Array);
    }
  });
});
