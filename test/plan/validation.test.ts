import {
  assignable,
  type JsonSchema,
  type PlanIssue,
  parseReference,
  type Resource,
  resourceCatalogue,
  schemaAtPath,
  type ValidationOptions,
  validatePlan,
  validateStep,
  validateValue,
} from "@planloom/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plan as anyPlan, planOf, task } from "../support/plans.ts";

const text = { type: "string" } as const;
const number = { type: "number" } as const;
const object = (properties: Record<string, JsonSchema>, rest: object = {}) => ({ type: "object", properties, ...rest });
const array = (items: JsonSchema) => ({ type: "array", items });

const shipment = object({ id: text, weight: number, carrier: { type: ["string", "null"] } });
const tools: Resource[] = [
  {
    kind: "tool",
    id: "freight/shipments_list",
    name: "shipments_list",
    description: "Lists shipments",
    input_schema: object({
      status: { enum: ["pending", "in_transit", "delivered", "rejected"] },
      limit: { type: "integer", minimum: 1, maximum: 1000, default: 100 },
      facility_id: { anyOf: [text, array(text)] },
      since: { type: "string", format: "date" },
    }),
    output_schema: object(
      { rows: array(shipment), total: { type: "integer" }, newest: { $ref: "#/$defs/shipment" } },
      {
        $defs: { shipment },
      },
    ),
  },
  {
    kind: "tool",
    id: "freight/contaminants_list",
    description: "Lists contaminants",
    input_schema: object(
      {
        shipment_ids: array(text),
        level: text,
        page: { $ref: "#/$defs/page" },
        filter: object({ names: array(text), min: number }, { required: ["names"] }),
      },
      { required: ["shipment_ids"], $defs: { page: { type: "integer", minimum: 0 } } },
    ),
  },
  {
    kind: "tool",
    id: "post/mail",
    description: "Sends mail",
    input_schema: object({ to: text, body: text, copies: number }, { required: ["to"], additionalProperties: false }),
  },
  { kind: "agent", id: "analyst", description: "Analyses" },
];

const use = (task_id: string, tool_id: string, values: Record<string, unknown> = {}, rest: object = {}) =>
  task({ task_id, execution_type: "tool", tool_id, arguments: values, ...rest });
const list = use("list", "freight/shipments_list");
const check = (tasks: Parameters<typeof planOf>[0], options?: ValidationOptions) =>
  validatePlan(planOf(tasks), tools, options);
const brief = ({ code, severity, task_id, argument_path, expected, actual }: PlanIssue) =>
  JSON.parse(JSON.stringify({ code, severity, task_id, argument_path, expected, actual }));

describe("structure", () => {
  test.for([
    { name: "a text", plan: "hello", message: "Expected a plan" },
    { name: "null", plan: null, message: "Expected a plan" },
    { name: "a wrong type in a task", plan: { planned_tasks: [{ task_id: 7 }] }, message: "planned_tasks[0].task_id" },
    { name: "a prototype name as id", plan: { planned_tasks: [{ task_id: "__proto__" }] }, message: "task_id" },
    { name: "an unknown status", plan: { planned_tasks: [{ status: "lost" }] }, message: 'one of "pending"' },
    { name: "tasks that are no list", plan: { planned_tasks: {} }, message: "planned_tasks" },
  ])("$name is a schema issue with its place", ({ plan, message }) => {
    const [issue, ...more] = validatePlan(plan);
    expect(more).toEqual([]);
    expect(issue).toMatchObject({ code: "schema", severity: "error" });
    expect(issue!.message).toContain(message);
  });

  test("a plan without tasks is empty", () => {
    expect(validatePlan({}).map(brief)).toEqual([
      { code: "plan_empty", severity: "error", argument_path: "planned_tasks" },
    ]);
  });

  test("one malformed task does not hide what is wrong with the others, nor its name", () => {
    const broken = { ...task({ task_id: "broken" }), description: 5 };
    const issues = validatePlan({
      planned_tasks: [
        broken,
        task({ task_id: "a", dependencies: ["broken", "gone"], arguments: { x: "${broken.y}" } }),
      ],
    });
    expect(issues.map(({ code, task_id }) => [code, task_id])).toEqual([
      ["schema", "broken"],
      ["unknown_dependency", "a"],
    ]);
  });
});

describe("graph", () => {
  test.for([
    {
      name: "a duplicate",
      tasks: [task({ task_id: "a" }), task({ task_id: "a" })],
      issue: { code: "duplicate_task", task_id: "a" },
    },
    {
      name: "a result variable that is another task's id",
      tasks: [task({ task_id: "a" }), task({ task_id: "b", result_variable: "a" })],
      issue: { code: "name_collision", task_id: "a" },
    },
    {
      name: "a task named input",
      tasks: [task({ task_id: "input" })],
      issue: { code: "name_collision", task_id: "input" },
    },
    {
      name: "an unknown dependency",
      tasks: [task({ task_id: "fetch" }), task({ task_id: "b", dependencies: ["fetsh"] })],
      issue: {
        code: "unknown_dependency",
        task_id: "b",
        from_task_id: "fetsh",
        repair: { operation: "replace", candidates: ["fetch"] },
      },
    },
    {
      name: "a self-dependency",
      tasks: [task({ task_id: "a", dependencies: ["a"] })],
      issue: { code: "self_dependency", task_id: "a" },
    },
    {
      name: "a self-reference",
      tasks: [task({ task_id: "a", arguments: { x: "${a.y}" } })],
      issue: { code: "self_dependency", task_id: "a", argument_path: "x" },
    },
    {
      name: "a cycle, with its path",
      tasks: [
        task({ task_id: "a", dependencies: ["c"] }),
        task({ task_id: "b", arguments: { x: "${a.y}" } }),
        task({ task_id: "c", dependencies: ["b"] }),
      ],
      issue: { code: "cycle", actual: "a -> c -> b -> a" },
    },
    {
      name: "malformed reference text",
      tasks: [task({ task_id: "a", arguments: { x: "${" } })],
      issue: { code: "reference_syntax", task_id: "a", argument_path: "x" },
    },
    {
      name: "a reference to nothing",
      tasks: [task({ task_id: "rows" }), task({ task_id: "a", arguments: { x: ["${row.y[0]}"] } })],
      issue: { code: "unknown_reference", argument_path: "x[0]", from_task_id: "row", output_path: "y[0]" },
    },
    {
      name: "a reference to nothing in the parameters",
      tasks: [task({ task_id: "a", parameters: { x: "${row}" } })],
      issue: { code: "unknown_reference", argument_path: "x", from_task_id: "row" },
    },
  ])("$name", ({ tasks, issue }) => {
    const issues = validatePlan(planOf(tasks));
    expect(issues).toHaveLength(1);
    expect(issues[0]).toMatchObject({ severity: "error", ...issue });
  });

  test("plan variables and `input` are names too", () => {
    const plan = planOf([task({ task_id: "a", arguments: { x: "${city}", y: "${input.z}" } })], {
      variables: { city: "Berlin" },
    });
    expect(validatePlan(plan)).toEqual([]);
  });
});

describe("resources", () => {
  test.for([
    {
      name: "an unknown tool, with the likely one",
      tasks: [use("a", "freight/shipment_list")],
      issue: { code: "unknown_tool", resource_id: "freight/shipment_list", argument_path: "tool_id" },
      message: "did you mean",
    },
    {
      name: "an unknown agent that is a tool",
      tasks: [task({ task_id: "a", execution_type: "agent", agent_id: "post/mail" })],
      issue: { code: "unknown_agent", argument_path: "agent_id" },
      message: 'it is of kind "tool"',
    },
    {
      name: "an unknown llm",
      tasks: [task({ task_id: "a", execution_type: "llm", parameters: { uid: "gpt" } })],
      issue: { code: "unknown_llm", argument_path: "parameters.uid" },
      message: "no llm is known",
    },
    {
      name: "an unknown workflow",
      tasks: [task({ task_id: "a", execution_type: "dsl", parameters: { uid: "w" } })],
      issue: { code: "unknown_dsl" },
      message: "no dsl workflow is known",
    },
    {
      name: "no resource of the kind at all",
      tasks: [task({ task_id: "a", execution_type: "llm" })],
      issue: { code: "no_resource", expected: "llm" },
      message: "there is none",
    },
  ])("$name", ({ tasks, issue, message }) => {
    const issues = check(tasks);
    expect(issues).toHaveLength(1);
    expect(issues[0]).toMatchObject({ severity: "error", ...issue });
    expect(issues[0]!.message).toContain(message);
  });

  test("a task whose kind is open is a warning, unless its pin decides", () => {
    expect(check([task({ task_id: "a" })]).map(brief)).toEqual([
      { code: "no_resource", severity: "warning", task_id: "a", argument_path: "execution_type" },
    ]);
    expect(check([task({ task_id: "a", parameters: { uid: "analyst" } })])).toEqual([]);
    expect(check([task({ task_id: "a", execution_type: "agent" })])).toEqual([]);
  });

  test("without resources nothing is asked about them", () => {
    expect(validatePlan(planOf([use("a", "nowhere/nothing", { x: 1 })]))).toEqual([]);
  });

  test("a schema that cannot be read: one issue for the resource, one a task; a warning where unused", () => {
    const broken = { kind: "tool", id: "bad", description: "", input_schema: "{x" } as unknown as Resource;
    const missing = { kind: "tool", id: "hole", description: "", output_schema: { $ref: "#/$defs/none" } } as Resource;
    const issues = validatePlan(planOf([use("a", "bad"), use("b", "bad")]), [broken, missing]);
    expect(issues.map(({ severity, task_id, resource_id }) => [severity, task_id, resource_id])).toEqual([
      ["error", undefined, "bad"],
      ["warning", undefined, "hole"],
      ["error", "a", "bad"],
      ["error", "b", "bad"],
    ]);
    expect(new Set(issues.map(({ code }) => code))).toEqual(new Set(["resource_schema"]));
  });

  test("tools are found by bare name and by server__tool, where only one can be meant", () => {
    const catalogue = resourceCatalogue([
      ...tools,
      { kind: "tool", id: "x/search", description: "" },
      { kind: "tool", id: "y/search", description: "" },
    ]);
    expect(catalogue.find("tool", "mail")?.id).toBe("post/mail");
    expect(catalogue.find("tool", "post__mail")?.id).toBe("post/mail");
    expect(catalogue.find("tool", "search")).toBeUndefined();
    expect(catalogue.find("tool", "x__search")?.id).toBe("x/search");
    expect(catalogue.find("agent", "mail")).toBeUndefined();
    expect(catalogue.find("tool", "constructor")).toBeUndefined();
    expect(catalogue.kindsOf("analyst")).toEqual(["agent"]);
    expect(check([use("a", "post__mail", { to: "x" })])).toEqual([]);
  });
});

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

  test("an unknown argument names the likely one; it is a warning unless the schema is closed or the caller says so", () => {
    const values = { ids: "S1", shipment_ids: [] };
    const [issue] = check([use("a", "freight/contaminants_list", values)]);
    expect(issue).toMatchObject({ code: "unknown_argument", severity: "warning", argument_path: "ids" });
    expect(issue!.message).toContain("shipment_ids");
    expect(issue!.repair).toMatchObject({ operation: "rename" });
    expect(issue!.repair!.candidates[0]).toBe("shipment_ids");
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

  test("a pattern that backtracks without end is given up, not waited for", () => {
    const schema = { type: "string", pattern: "^(a+)+$" };
    const started = performance.now();
    for (let i = 0; i < 50; i++) expect(validateValue(`${"a".repeat(40)}!`, schema)).toEqual([]);
    expect(performance.now() - started).toBeLessThan(2000);
    expect(validateValue("aaab", schema)[0]!.code).toBe("invalid_argument");
  });

  test.for([
    { name: "optional parts", pattern: `^${"a?".repeat(34)}b$`, text: "a".repeat(34) },
    { name: "more optional parts than characters", pattern: `^${"a?".repeat(1600)}b$`, text: "a".repeat(12) },
    { name: "limited repetitions", pattern: `^${"a{0,99}".repeat(7)}b$`, text: "a".repeat(99) },
    { name: "alternatives", pattern: `^${"(a|.)".repeat(30)}b$`, text: "a".repeat(31) },
    { name: "an empty match repeated", pattern: "^(a?){99}(a?){99}b$", text: "a".repeat(13) },
    { name: "one repetition from each place of a long text", pattern: "[a-z]+Z", text: "a".repeat(400_000) },
  ])("a pattern of $name is given up, not waited for", ({ pattern, text }) => {
    const started = performance.now();
    expect(validateValue(text, { type: "string", pattern })).toEqual([]);
    expect(performance.now() - started).toBeLessThan(3000);
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
    for (let i = 0; i < 20; i++) expect(validateValue("x", schema)[0]!.code).toBe("resource_schema");
    const turn = (key: string) => object({ next: { $ref: "#" } }, { required: [key] });
    const branching = { anyOf: [turn("a"), turn("b")] };
    let deep: unknown = {};
    for (let i = 0; i < 60; i++) deep = { next: deep };
    expect(validateValue(deep, branching)[0]!.code).toBe("resource_schema");
  });

  test("`uniqueItems` is linear in the list", () => {
    const unique = { type: "array", uniqueItems: true };
    const rows = Array.from({ length: 100_000 }, (_, id) => ({ id, name: "x" }));
    expect(validateValue(rows, unique)).toEqual([]);
    expect(validateValue([...rows, { name: "x", id: 7 }], unique)[0]!.message).toContain("7 and 100000 are identical");
    expect(validateValue([1, "1", true, null, [], {}, "[]", "\0[]", [1], ["1"]], unique)).toEqual([]);
    expect(validateValue([0, 1, 0], unique)[0]!.code).toBe("invalid_argument");
  });

  test("an own key `__proto__` is an argument like any other", () => {
    const values = JSON.parse('{"to": "x", "__proto__": {"body": 5}}');
    const plan = { planned_tasks: [{ ...use("a", "post/mail"), arguments: values }] };
    expect(validatePlan(plan, tools).map(brief)).toEqual([
      { code: "unknown_argument", severity: "error", task_id: "a", argument_path: "__proto__" },
    ]);
  });

  test("control characters of a value reach no terminal", () => {
    const [issue] = check([use("a", "freight/shipments_list", { status: "\u001b[2J\u009b\u202e" })]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(issue!.message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
  });
});

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
    fc.assert(
      fc.property(schemas, schemas, fc.jsonValue({ maxDepth: 2 }), (source, target, value) => {
        const both = validateValue(value, source).length === 0 && validateValue(value, target).length === 0;
        // Typing reads a schema that names members as one of objects, though strictly it admits other types as well.
        if (both && typeof value !== "object") expect(assignable(source, target)).not.toBe("incompatible");
      }),
    );
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

const leaf: fc.Arbitrary<JsonSchema> = fc.constantFrom<JsonSchema>(
  text,
  number,
  { type: "integer", minimum: 0 },
  { type: "boolean" },
  { type: "null" },
  { type: ["string", "null"] },
  { enum: ["a", "b", 1] },
  { const: true },
  { type: "string", minLength: 1, maxLength: 3 },
  { type: "string", format: "date" },
  { type: "string", format: "email" },
  { type: "string", pattern: "^[a-c]" },
  true,
  {},
);
const schemas: fc.Arbitrary<JsonSchema> = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 2 },
    leaf,
    fc.record({ type: fc.constant("array"), items: tie("schema") }),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc
      .tuple(
        fc.dictionary(fc.constantFrom("a", "b", "c"), tie("schema")),
        fc.subarray(["a", "b"]),
        fc.constantFrom(true, false, undefined),
      )
      .map(([properties, required, additional]) =>
        object(properties, { required, ...(additional !== undefined && { additionalProperties: additional }) }),
      ),
  ),
})).schema;

describe("laws", () => {
  test("random plans have no error, complete or with defaults to fill in", () => {
    fc.assert(
      fc.property(anyPlan(), (random) => {
        expect(validatePlan(random)).toEqual([]);
        const sparse = JSON.parse(JSON.stringify(random));
        for (const each of sparse.planned_tasks) delete each.creation_time;
        expect(validatePlan(sparse)).toEqual([]);
      }),
    );
  });

  test("no JSON makes it throw, and every issue is well-formed", () => {
    const fields = fc.constantFrom(
      "task_id",
      "dependencies",
      "arguments",
      "tool_id",
      "execution_type",
      "parameters",
      "estimate_data",
      "retry",
    );
    const junk = fc.jsonValue({ maxDepth: 3 });
    const broken = fc.array(fc.dictionary(fields, junk)).map((planned_tasks) => ({ planned_tasks }));
    const resources = fc.array(
      fc.record({
        kind: fc.constant("tool"),
        id: fc.string(),
        description: fc.string(),
        input_schema: junk,
        output_schema: junk,
      }),
      { maxLength: 3 },
    );
    fc.assert(
      fc.property(fc.oneof(junk, broken), resources, (plan, list) => {
        for (const issue of validatePlan(plan, list as unknown as Resource[])) {
          expect(issue.message).toMatch(/[.?]$/);
          expect(["error", "warning"]).toContain(issue.severity);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("any mutation of one field gives the same verdict through the short cut and through the schema", () => {
    const whole = task({ task_id: "a", execution_type: "tool", title: "t" });
    fc.assert(
      fc.property(fc.constantFrom(...(Object.keys(whole) as (keyof typeof whole)[])), fc.jsonValue(), (key, value) => {
        const mutated = { ...whole, [key]: value };
        // A second task without its times takes the road through the schema.
        const { creation_time: _time, ...sparse } = task({ task_id: "zz" });
        const short = validatePlan({ planned_tasks: [mutated] }).filter(({ code }) => code === "schema");
        const long = validatePlan({ planned_tasks: [mutated, sparse] }).filter(({ code }) => code === "schema");
        expect(short).toEqual(long);
      }),
      { numRuns: 300 },
    );
  });

  test("what is accepted without ajv is accepted by ajv", () => {
    // An extra keyword that the short cut does not know sends the value to ajv.
    fc.assert(
      fc.property(
        schemas,
        fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom("a", "ab", "2025-10-12", "a@b.de")),
        (schema, value) => {
          const plain = validateValue(value, schema).length === 0;
          const through =
            typeof schema === "boolean" ? schema : validateValue(value, { ...schema, "x-own": 1 }).length === 0;
          expect(plain).toBe(through);
        },
      ),
      { numRuns: 400 },
    );
  });
});
