import { type JsonSchema, validatePlan, validateValue } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { brief, check, list, object, text, tools, use } from "../support/checked-tools.ts";
import { cpuTimer } from "../support/cpu-time.ts";
import { planOf } from "../support/plans.ts";

describe("literal arguments", () => {
  test("enums and ranges name what is allowed", () => {
    const issues = check([use("a", "freight/shipments_list", { status: "lost", limit: 2000 })]);
    expect(issues.map(brief)).toEqual([
      {
        code: "invalid_argument",
        severity: "error",
        task_id: "a",
        argument_path: "status",
        expected: "one of pending, in_transit, delivered, rejected",
        actual: '"lost"',
      },
      {
        code: "invalid_argument",
        severity: "error",
        task_id: "a",
        argument_path: "limit",
        expected: "a number <= 1000",
        actual: "2000",
      },
    ]);
    expect(issues[0]!.message).toContain("pending, in_transit, delivered, rejected");
    expect(issues[0]!.repair).toEqual({
      operation: "replace",
      candidates: ["pending", "in_transit", "delivered", "rejected"],
    });
    expect(issues[1]!.message).toContain("<= 1000");
  });

  test.for([
    { name: "a wrong type", values: { limit: "5" }, path: "limit", expected: "integer", actual: "string" },
    { name: "a union", values: { facility_id: 5 }, path: "facility_id", expected: "string | array", actual: "number" },
    {
      name: "inside an array",
      values: { facility_id: ["a", 5] },
      path: "facility_id",
      expected: "one of the alternatives for string | array",
      actual: "array",
    },
    {
      name: "a format",
      values: { since: "12.10.2025" },
      path: "since",
      expected: "text in the format date",
      actual: '"12.10.2025"',
    },
    {
      name: "a date that does not exist",
      values: { since: "2025-02-30" },
      path: "since",
      expected: "text in the format date",
      actual: '"2025-02-30"',
    },
  ])("$name", ({ values, path, expected, actual }) => {
    expect(check([use("a", "freight/shipments_list", values)]).map(brief)).toEqual([
      { code: "invalid_argument", severity: "error", task_id: "a", argument_path: path, expected, actual },
    ]);
  });

  test("a reference to a definition of the schema is followed, in ajv and in typing", () => {
    const issues = check([
      list,
      use("a", "freight/contaminants_list", { shipment_ids: "${list.rows.*.id}", page: -1 }),
    ]);
    expect(issues.map(({ argument_path, expected }) => [argument_path, expected])).toEqual([["page", "a number >= 0"]]);
    const [typed] = check([
      list,
      use("a", "freight/contaminants_list", { shipment_ids: [], page: "${list.newest.id}" }),
    ]);
    expect(typed).toMatchObject({ code: "type_mismatch", expected: "integer", actual: "string" });
  });

  test("a missing argument offers the sources that fit; a Stage 2 may make it a warning", () => {
    const tasks = [list, use("a", "freight/contaminants_list", {}, { dependencies: ["list"] })];
    const [issue, ...more] = check(tasks);
    expect(more).toEqual([]);
    expect(issue).toMatchObject({ code: "missing_argument", severity: "error", argument_path: "shipment_ids" });
    expect(issue!.repair?.candidates[0]).toBe("${list.rows.*.id}");
    expect(check(tasks, { missingArguments: "warning" })[0]).toMatchObject({ severity: "warning" });
  });

  test("an unknown argument names the likely one; it is an error where it is a misspelling, the schema is closed or the caller says so", () => {
    const values = { pages: 1, shipment_ids: [] };
    const [issue] = check([use("a", "freight/contaminants_list", values)]);
    expect(issue).toMatchObject({ code: "unknown_argument", severity: "error", argument_path: "pages" });
    expect(check([use("a", "freight/contaminants_list", values)], { unknownArguments: "warning" })[0]!.severity).toBe(
      "warning",
    );
    const far = check([use("a", "freight/contaminants_list", { verbose: true, shipment_ids: [] })]);
    expect(far).toMatchObject([{ code: "unknown_argument", severity: "warning", argument_path: "verbose" }]);
    expect(issue!.message).toContain("page");
    expect(issue!.repair).toMatchObject({ operation: "rename" });
    expect(issue!.repair!.candidates[0]).toBe("page");
    // A name that is given already is none to rename to.
    expect(issue!.repair!.candidates).not.toContain("shipment_ids");
    expect(check([use("a", "freight/contaminants_list", values)], { unknownArguments: "error" })[0]!.severity).toBe(
      "error",
    );
    expect(check([use("a", "post/mail", { to: "x", too: "y" })])[0]).toMatchObject({
      code: "unknown_argument",
      severity: "error",
      argument_path: "too",
    });
  });

  test("literals are checked as the executor will see them: escapes undone, text objects as text", () => {
    const schema = {
      kind: "tool",
      id: "t",
      description: "",
      input_schema: object({ a: { const: "${x}" }, b: text }),
    } as const;
    const of = (values: Record<string, unknown>) =>
      validatePlan(planOf([use("s", "t"), use("a", "t", values)]), [schema]);
    expect(of({ a: "$${x}", b: { $text: "plain" } })).toEqual([]);
    expect(of({ a: "$${x}", b: { $text: "${s.id}" } })).toEqual([]);
    expect(of({ a: "$${y}", b: "${s.id}" }).map(({ code, argument_path }) => [code, argument_path])).toEqual([
      ["invalid_argument", "a"],
    ]);
  });

  test("with convertor_code the arguments are not the input yet", () => {
    const converted = { convertor_code: "$" };
    expect(check([use("a", "post/mail", { anything: 5 }, converted)])).toEqual([]);
    expect(check([list, use("a", "post/mail", { x: "${list.none}" }, converted)])[0]!.code).toBe("unknown_output");
  });

  test("a pattern that backtracks without end is decided all the same, in time linear in the text", () => {
    const schema = { type: "string", pattern: "^(a+)+$" };
    const cpuMs = cpuTimer();
    for (let i = 0; i < 50; i++) {
      expect(validateValue(`${"a".repeat(40)}!`, schema)[0]!.code).toBe("invalid_argument");
      expect(validateValue("a".repeat(40), schema)).toEqual([]);
    }
    expect(cpuMs()).toBeLessThan(2000);
    expect(validateValue("aaab", schema)[0]!.code).toBe("invalid_argument");
  });

  test.for([
    { name: "optional parts", pattern: `^${"a?".repeat(34)}b$`, text: "a".repeat(34) },
    { name: "more optional parts than characters", pattern: `^${"a?".repeat(1600)}b$`, text: "a".repeat(12) },
    { name: "limited repetitions", pattern: `^${"a{0,99}".repeat(7)}b$`, text: "a".repeat(99) },
    { name: "alternatives", pattern: `^${"(a|.)".repeat(30)}b$`, text: "a".repeat(31) },
    { name: "an empty match repeated", pattern: "^(a?){99}(a?){99}b$", text: "a".repeat(13) },
    { name: "one repetition from each place of a long text", pattern: "[a-z]+Z", text: "a".repeat(400_000) },
  ])("a pattern of $name is decided or refused in time", ({ pattern, text }) => {
    validateValue("", { pattern: "^(a+)+$", type: "number" });
    const cpuMs = cpuTimer();
    const [issue] = validateValue(text, { type: "string", pattern });
    expect(["invalid_argument", "schema_budget"]).toContain(issue?.code);
    expect(cpuMs()).toBeLessThan(400);
  });

  test("a pattern that is quick decides, also of long texts", () => {
    expect(validateValue(`${"a".repeat(100_000)}!`, { pattern: "^[a-z]+$" })[0]!.code).toBe("invalid_argument");
    expect(validateValue("12.x", { pattern: "^-?\\d+(\\.\\d+)?$" })[0]!.code).toBe("invalid_argument");
    expect(validateValue("b", { pattern: "^a|b$" })).toEqual([]);
  });

  test("a schema that takes exponential time is given up, not waited for", () => {
    const $defs: Record<string, JsonSchema> = { step0: { type: "number" } };
    for (let i = 1; i <= 40; i++) $defs[`step${i}`] = { anyOf: Array(2).fill({ $ref: `#/$defs/step${i - 1}` }) };
    const schema = { $defs, $ref: "#/$defs/step40" };
    for (let i = 0; i < 20; i++) expect(validateValue("x", schema)[0]!.code).toBe("schema_budget");
    const turn = (key: string) => object({ next: { $ref: "#" } }, { required: [key] });
    const branching = { anyOf: [turn("a"), turn("b")] };
    let deep: unknown = {};
    for (let i = 0; i < 60; i++) deep = { next: deep };
    // Every branch fails at what it requires, before it goes into the depth.
    expect(validateValue(deep, branching)[0]!.code).toBe("invalid_argument");
  });

  test("`uniqueItems` is linear in the list", () => {
    const unique = { type: "array", uniqueItems: true };
    const rows = Array.from({ length: 100_000 }, (_, id) => ({ id, name: "x" }));
    expect(validateValue(rows, unique)).toEqual([]);
    expect(validateValue([...rows, { name: "x", id: 7 }], unique)[0]!.message).toContain("7 and 100000 are identical");
    expect(validateValue([1, "1", true, null, [], {}, "[]", "\0[]", [1], ["1"]], unique)).toEqual([]);
    expect(validateValue([0, 1, 0], unique)[0]!.code).toBe("invalid_argument");
  });

  test("an own key `__proto__` is refused: no copy would keep it; and it is an unknown argument like any other", () => {
    const values = JSON.parse('{"to": "x", "__proto__": {"body": 5}}');
    const plan = { planned_tasks: [{ ...use("a", "post/mail"), arguments: values }] };
    expect(validatePlan(plan, tools).map(brief)).toEqual([
      { code: "schema", severity: "error", task_id: "a", argument_path: "arguments.__proto__" },
      { code: "unknown_argument", severity: "error", task_id: "a", argument_path: "__proto__" },
    ]);
  });

  test("control characters of a value reach no terminal", () => {
    const [issue] = check([use("a", "freight/shipments_list", { status: "\u001b[2J\u009b\u202e" })]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(issue!.message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
  });
});
