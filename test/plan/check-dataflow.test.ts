import { assignable, type JsonSchema, parseReference, schemaAtPath, validatePlan, validateValue } from "@planloom/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases } from "../support/cases.ts";
import { array, brief, check, list, number, object, text, tools, use } from "../support/checked-tools.ts";
import { planOf } from "../support/plans.ts";
import { schemas } from "../support/random-schema.ts";

describe("dataflow", () => {
  const into = (tool: string, values: Record<string, unknown>) => check([list, use("a", tool, values)]);

  test.for([
    {
      name: "a list where a list is wanted",
      tool: "freight/contaminants_list",
      values: { shipment_ids: "${list.rows.*.id}" },
    },
    {
      name: "one id where one or a list is wanted",
      tool: "freight/shipments_list",
      values: { facility_id: "${list.rows[0].id}" },
    },
    {
      name: "a list where one or a list is wanted",
      tool: "freight/shipments_list",
      values: { facility_id: "${list.rows.*.id}" },
    },
    { name: "a nullable text where text is wanted", tool: "post/mail", values: { to: "${list.rows[0].carrier}" } },
    { name: "a number inside text", tool: "post/mail", values: { to: "x", body: "total ${list.total}" } },
    { name: "an integer where a number is wanted", tool: "post/mail", values: { to: "x", copies: "${list.total}" } },
    {
      name: "a number where an integer is wanted",
      tool: "freight/shipments_list",
      values: { limit: "${list.rows[0].weight}" },
    },
    {
      name: "the object form",
      tool: "freight/contaminants_list",
      values: { shipment_ids: { $ref: "list.rows.*.id" } },
    },
    {
      name: "an element reference in a list",
      tool: "freight/contaminants_list",
      values: { shipment_ids: ["S1", "${list.rows[0].id}"] },
    },
    { name: "a source of unknown type", tool: "post/mail", values: { to: "${input.x}" } },
  ])("accepts $name", ({ tool, values }) => {
    expect(into(tool, values)).toEqual([]);
  });

  test.for([
    {
      name: "a list into text",
      tool: "post/mail",
      values: { to: "${list.rows.*.id}" },
      path: "to",
      expected: "string",
      actual: "array",
    },
    {
      name: "text into a list",
      tool: "freight/contaminants_list",
      values: { shipment_ids: "${list.rows[0].id}" },
      path: "shipment_ids",
      expected: "array",
      actual: "string",
    },
    {
      name: "numbers into a list of texts",
      tool: "freight/contaminants_list",
      values: { shipment_ids: "${list.rows.*.weight}" },
      path: "shipment_ids",
      expected: "array",
      actual: "array",
    },
    {
      name: "text around a reference into a number",
      tool: "post/mail",
      values: { to: "x", copies: "n ${list.total}" },
      path: "copies",
      expected: "number",
      actual: "string",
    },
    {
      name: "a nested argument",
      tool: "freight/contaminants_list",
      values: { shipment_ids: [], filter: { names: ["${list.total}"] } },
      path: "filter.names[0]",
      expected: "string",
      actual: "integer",
    },
  ])("refuses $name", ({ tool, values, path, expected, actual }) => {
    const issues = into(tool, values);
    expect(issues.map(brief)).toEqual([
      { code: "type_mismatch", severity: "error", task_id: "a", argument_path: path, expected, actual },
    ]);
    expect(issues[0]).toMatchObject({ from_task_id: "list" });
    expect(issues[0]!.message).toContain("list.");
  });

  test("the repair of a misfit lists sources whose type fits, best first", () => {
    const [issue] = into("freight/contaminants_list", { shipment_ids: "${list.rows[0].id}" });
    expect(issue!.repair).toMatchObject({ operation: "replace" });
    expect(issue!.repair!.candidates[0]).toBe("${list.rows.*.id}");
    expect(issue!.repair!.candidates.length).toBeLessThanOrEqual(10);
  });

  test("a path that the output has not", () => {
    const [issue, ...more] = into("post/mail", { to: "${list.rows[0].idd}" });
    expect(more).toEqual([]);
    expect(issue).toMatchObject({ code: "unknown_output", from_task_id: "list", output_path: "rows[0].idd" });
    expect(issue!.repair!.candidates[0]).toBe("${list.rows[0].id}");
    expect(into("post/mail", { to: "${list.gone?}" })[0]).toMatchObject({ severity: "warning" });
  });

  test("an unknown argument with a reference names the source; every reference of a text is checked", () => {
    const [unknown] = into("freight/shipments_list", { color: "${list.total}" });
    expect(unknown).toMatchObject({ code: "unknown_argument", from_task_id: "list", output_path: "total" });
    const codes = into("post/mail", { to: "${list.q} and ${gone.q}" }).map(({ code, from_task_id }) => [
      code,
      from_task_id,
    ]);
    expect(codes).toEqual([
      ["unknown_output", "list"],
      ["unknown_reference", "gone"],
    ]);
  });

  test("literal parts beside references are still checked, and so are required members", () => {
    const issues = into("freight/contaminants_list", {
      shipment_ids: ["${list.rows[0].id}", 5],
      filter: { min: "${list.total}" },
      level: 3,
    });
    expect(issues.map(({ code, argument_path }) => [code, argument_path])).toEqual([
      ["invalid_argument", "shipment_ids[1]"],
      ["missing_argument", "filter.names"],
      ["invalid_argument", "level"],
    ]);
  });

  test("references behind a container of the wrong type are still resolved", () => {
    const issues = into("post/mail", { to: ["${gone}"], body: "${list.none}" });
    expect(issues.map(({ code }) => code)).toEqual(["invalid_argument", "unknown_reference", "unknown_output"]);
  });

  test("plan variables have a value, which a run may replace: a misfit is a warning", () => {
    const issues = validatePlan(
      planOf([use("a", "post/mail", { to: "${who.id}", body: "${who.name}", copies: "${who.none}" })], {
        variables: { who: { id: 5, name: "x" } },
      }),
      tools,
    );
    expect(issues.map(({ code, severity, argument_path }) => [code, severity, argument_path])).toEqual([
      ["type_mismatch", "warning", "to"],
      ["unknown_output", "warning", "copies"],
    ]);
  });

  test("a result variable stands for its task", () => {
    const named = use("s1", "freight/shipments_list", {}, { result_variable: "rows" });
    const [issue] = check([named, use("a", "post/mail", { to: "${rows.total}" })]);
    expect(issue).toMatchObject({ code: "type_mismatch", from_task_id: "s1", output_path: "total" });
  });
});

describe("assignable", () => {
  const closed = object({ a: text }, { additionalProperties: false });
  test.for<[string, JsonSchema, JsonSchema, string]>([
    ["same type", text, text, "compatible"],
    ["other type", number, text, "incompatible"],
    ["anything as target", number, {}, "compatible"],
    ["nothing known of the source", {}, text, "unknown"],
    ["integer to number", { type: "integer" }, number, "compatible"],
    ["number to integer", number, { type: "integer" }, "compatible"],
    ["const to its base type", { const: 42 }, text, "incompatible"],
    ["enum to its base type", { enum: ["a"] }, text, "compatible"],
    ["text to an enum", text, { enum: ["a"] }, "unknown"],
    ["enums that share nothing", { enum: ["a"] }, { enum: ["b"] }, "incompatible"],
    ["nullable source", { type: ["string", "null"] }, text, "compatible"],
    ["union, one branch fits", { anyOf: [number, text] }, text, "compatible"],
    ["union, none fits", { oneOf: [number, { type: "boolean" }] }, text, "incompatible"],
    ["target union", text, { anyOf: [number, text] }, "compatible"],
    ["union to union", { anyOf: [number, { type: "null" }] }, { anyOf: [text, number] }, "compatible"],
    ["unions that share nothing", { anyOf: [number] }, { anyOf: [text] }, "incompatible"],
    ["allOf of the target", number, { allOf: [{}, text] }, "incompatible"],
    ["arrays of equal items", array(text), array(text), "compatible"],
    ["arrays of other items", array(number), array(text), "incompatible"],
    ["arrays of unknown items", { type: "array" }, array(text), "unknown"],
    ["tuples", { prefixItems: [text, number] }, array(text), "incompatible"],
    ["missing required property", object({ b: number }), object({ a: text }, { required: ["a"] }), "incompatible"],
    ["required property that is there", object({ a: text }), object({ a: text }, { required: ["a"] }), "compatible"],
    ["property of another type", object({ a: number }), object({ a: text }, { required: ["a"] }), "incompatible"],
    ["open source", { type: "object" }, object({ a: text }, { required: ["a"] }), "unknown"],
    ["a required extra for a closed target", object({ a: text, b: text }, { required: ["b"] }), closed, "incompatible"],
    ["what is not modelled", text, { type: "string", not: { const: "x" } }, "unknown"],
    ["an unresolvable reference", { $ref: "https://example.org/x" }, text, "unknown"],
    ["no value at all as target", text, false, "incompatible"],
  ])("%s", ([, source, target, verdict]) => {
    expect(assignable(source, target)).toBe(verdict);
  });

  test("recursive schemas end", () => {
    const tree = (leaf: JsonSchema) => object({ value: leaf, children: array({ $ref: "#" }) }, { required: ["value"] });
    expect(assignable(tree(text), tree(text))).not.toBe("incompatible");
    expect(assignable(tree(number), tree(text))).toBe("incompatible");
    const loop: JsonSchema = { $ref: "#" };
    expect(assignable(loop, text)).toBe("unknown");
  });

  test("a schema never refuses itself", () => {
    fc.assert(
      fc.property(schemas, (schema) => {
        expect(assignable(schema, schema)).not.toBe("incompatible");
      }),
    );
  });

  test("a value that validates as source and target is never called impossible", () => {
    const plain = fc.constantFrom<unknown>("", "a", "abcd", "2026-01-31", 0, 1, 12, -1, 1.5, true, false, null);
    let [tried, judged] = [0, 0];
    fc.assert(
      fc.property(schemas, schemas, plain, (source, target, value) => {
        tried++;
        // Typing reads a schema that names members as one of objects, though strictly it admits other types as well.
        if (validateValue(value, source).length > 0 || validateValue(value, target).length > 0) return;
        judged++;
        expect(assignable(source, target)).not.toBe("incompatible");
      }),
      { numRuns: cases(2_000) },
    );
    expect(judged).toBeGreaterThan(tried / 100);
  });
});

describe("schemaAtPath", () => {
  const at = (schema: JsonSchema, path: string) => schemaAtPath(schema, parseReference(`x${path}`).path);
  const dictionary = { type: "object", additionalProperties: number };
  test.for<[string, JsonSchema, string, string, unknown]>([
    ["the whole", text, "", "yes", text],
    ["a property", object({ a: text }), ".a", "yes", text],
    ["an absent property", object({ a: text }), ".b", "no", true],
    ["a property of an object that names none", { type: "object" }, ".b", "unknown", true],
    ["a property of an open object", object({ a: text }, { additionalProperties: true }), ".b", "unknown", true],
    ["a member of a dictionary", dictionary, ".b", "yes", number],
    ["an element", array(text), "[3]", "yes", text],
    ["an element by key", array(text), '["0"]', "yes", text],
    ["a key of an array", array(text), ".a", "no", true],
    ["a property of text", text, ".length", "no", true],
    ["a map", array(object({ id: text })), ".*.id", "yes", array(text)],
    ["nested maps", array(array(text)), ".*.*", "yes", array(array(text))],
    ["a map over an object", dictionary, ".*", "yes", array(number)],
    ["an element of a tuple", { type: "array", prefixItems: [text, number], items: false }, "[1]", "yes", number],
    ["past a closed tuple", { type: "array", prefixItems: [text], items: false }, "[1]", "no", true],
    ["one branch of a union", { anyOf: [object({ a: text }), { type: "null" }] }, ".a", "yes", text],
    ["no branch of a union", { anyOf: [object({ a: text }), { type: "null" }] }, ".b", "no", true],
    ["parts of allOf", { allOf: [object({ a: text }), object({ b: number })] }, ".b", "yes", number],
    ["anything", {}, ".a.b", "unknown", true],
    ["a name that every object owns", object({ a: text }), ".constructor", "no", true],
  ])("%s", ([, schema, path, found, expected]) => {
    expect(at(schema, path)).toEqual({ found, schema: expected });
  });

  test("what is found carries the definitions it refers to", () => {
    const document = object({ a: array({ $ref: "#/$defs/t" }) }, { $defs: { t: text } });
    const found = at(document, ".a").schema;
    expect(validateValue(["x"], found)).toEqual([]);
    expect(validateValue([5], found)).toHaveLength(1);
  });
});
