import { validatePlan, validateStep, validateValue } from "@planloom/plan";
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
