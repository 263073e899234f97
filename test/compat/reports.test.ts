import { kirha, mcpCli, plannerAgent } from "@planloom/compat";
import { PlanError, PlanErrorCode, planView } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { task } from "../support/plans.ts";

const mail = {
  name: "mail",
  inputSchema: { type: "object", properties: { body: { type: "string" } }, required: ["body"] },
};
const weather = {
  name: "weather",
  inputSchema: '{"type": "object", "properties": {}}',
  outputSchema: { type: "object", properties: { temp: { type: "number" }, days: { type: "array", items: {} } } },
};
const toMail = (body: unknown, fields: object = {}) => [
  { toolName: "weather", arguments: {} },
  { toolName: "mail", arguments: { body, ...fields } },
];
const place = { stepId: "step-1", toolName: "mail", argumentPath: "body", fromStepId: "step-0" };

describe("kirha.validate", () => {
  test.for<{ name: string; steps: unknown; errors: object[] }>([
    { name: "accepts any value inside text", steps: toMail("{0.temp}"), errors: [] },
    { name: "accepts a whole output inside text", steps: toMail("{0}"), errors: [] },
    { name: "reads schemas given as text", steps: [{ toolName: "weather", arguments: {} }], errors: [] },
    {
      name: "reports types",
      steps: toMail({ fromStep: 0, outputKey: "temp" }),
      errors: [{ ...place, code: "type_mismatch", outputPath: "temp", expectedType: "string", actualType: "number" }],
    },
    {
      name: "writes paths as this dialect does",
      steps: toMail({ fromStep: 0, outputKey: "days[0].x.0" }).with(0, { toolName: "mail", arguments: { body: "b" } }),
      errors: [],
    },
    {
      name: "reports unknown outputs",
      steps: toMail({ fromStep: 0, outputKey: "wind.0" }),
      errors: [{ ...place, code: "output_key_missing", outputPath: "wind.0" }],
    },
    {
      name: "reports a parameter that is filled from a step and does not exist",
      steps: toMail("b", { to: { fromStep: 0, outputKey: "temp" } }),
      errors: [{ ...place, code: "input_key_missing", argumentPath: "to", outputPath: "temp" }],
    },
    {
      name: "says one thing of a template into no parameter",
      steps: toMail("b", { to: "{0.temp} and {0.days}" }),
      errors: [{ code: "input_key_missing", stepId: "step-1", toolName: "mail", argumentPath: "to" }],
    },
    {
      name: "says no more of a step without a tool, and that its output has no type",
      steps: [
        { toolName: "nope", arguments: { x: { fromStep: 1, outputKey: "y" } } },
        { toolName: "mail", arguments: { body: { fromStep: 0, outputKey: "z" } } },
      ],
      errors: [
        { code: "tool_not_found", stepId: "step-0", toolName: "nope" },
        { ...place, code: "schema_parse_error", outputPath: "z" },
      ],
    },
    { name: "leaves unknown literals alone", steps: toMail("b", { to: "me" }), errors: [] },
    {
      name: "names unknown tools",
      steps: [{ toolName: "nope", arguments: {} }],
      errors: [{ code: "tool_not_found", stepId: "step-0", toolName: "nope" }],
    },
    {
      name: "keeps our codes for what it does not look for",
      steps: [{ toolName: "mail", arguments: {} }],
      errors: [{ code: "missing_argument", stepId: "step-0", toolName: "mail", argumentPath: "body" }],
    },
  ])("$name", ({ steps, errors }) => {
    const result = kirha.validate(steps, [mail, weather]);
    expect(result.errors.map(({ message: _, ...fault }) => fault)).toEqual(errors);
    expect(result.valid).toBe(errors.length === 0);
  });

  test("a schema that cannot be read is a fault of the tool and of each step that uses it", () => {
    const { errors } = kirha.validate([{ toolName: "bad", arguments: {} }], [{ name: "bad", inputSchema: "{x" }]);
    expect(errors.map(({ message: _, ...fault }) => fault)).toEqual([
      { code: "schema_parse_error", toolName: "bad" },
      { code: "schema_parse_error", stepId: "step-0", toolName: "bad" },
    ]);
  });
});

test("kirha.writeResults keeps what was skipped as it was parsed", () => {
  const steps = kirha.parseSteps(
    '[{tool:"a"},{tool:"b",args:{x:"{0.y}"}},{tool:"c"},{tool:"d",args:{x:{fromStep:0,outputKey:"y"}}}]',
  );
  const error = (code: string, message: string) => ({ code, message });
  const results = kirha.writeResults(steps, [
    { task_id: "step-0", status: "failed", input: { q: 1 }, error: error("TASK_FAILED", "boom") },
    { task_id: "step-1", status: "skipped", error: error("TASK_DEPENDENCY", "…") },
    { task_id: "step-2", status: "failed", error: error("TASK_RESOURCE_NOT_FOUND", "…") },
    { task_id: "step-3", status: "failed", error: error("TASK_REFERENCE", "no y") },
  ]);
  expect(results.map(({ arguments: values, output, error }) => [values, output, error])).toEqual([
    [{ q: 1 }, null, "boom"],
    [steps[1]?.arguments, null, "Skipped: dependencies not satisfied"],
    [{}, null, 'Tool "c" not found'],
    [{}, null, "Failed to resolve arguments: no y"],
  ]);
});

test("plannerAgent.writeResults gives success and data, or an error", () => {
  const steps = ["a", "b", "c"].map((tool) => ({ tool, params: { p: tool } }));
  expect(
    plannerAgent.writeResults({ steps }, [
      { task_id: "step-0", status: "completed", input: { p: 1 }, output: null },
      {
        task_id: "step-1",
        status: "failed",
        error: { code: "TASK_TIMEOUT", message: "…", details: { timeout_ms: 30 } },
      },
    ]),
  ).toEqual([
    { success: true, data: null, params: { p: 1 } },
    { success: false, error: "Timeout after 30ms", code: "EXECUTION_FAILED", params: { p: "b" } },
    { success: false, error: "Not executed", code: "EXECUTION_FAILED", params: { p: "c" } },
  ]);
});

test("plannerAgent.writeResults names the tool that is missing and the step that gave nothing", () => {
  const steps = [
    { tool: "a", params: {} },
    { tool: "b", params: { x: "${step[0].data.id}" } },
    { tool: "c", params: {}, depends_on: [0] },
  ];
  const skipped = { status: "skipped" as const, error: { code: "TASK_DEPENDENCY", message: "step-0 failed" } };
  const results = plannerAgent.writeResults({ steps }, [
    { task_id: "step-0", status: "failed", error: { code: "TASK_RESOURCE_NOT_FOUND", message: "…" } },
    { task_id: "step-1", ...skipped },
    { task_id: "step-2", ...skipped },
  ]);
  expect(results.map(({ error }) => error)).toEqual([
    "Tool not found: a",
    "Step 0 did not produce valid data",
    "step-0 failed",
  ]);
});

test("plannerAgent.runError says why a plan did not run, and gives other errors back", () => {
  const cyclic = [task({ task_id: "a", dependencies: ["b"] }), task({ task_id: "b", dependencies: ["a"] })];
  let caught: unknown;
  try {
    planView(cyclic);
  } catch (error) {
    caught = new Error("wrapped", { cause: error });
  }
  const reported = plannerAgent.runError(caught);
  expect(reported).toBeInstanceOf(PlanError);
  expect(reported).toMatchObject({ code: PlanErrorCode.DIALECT, message: "Circular dependency detected in plan" });
  const other = new Error("other");
  expect(plannerAgent.runError(other)).toBe(other);
});

test.for([
  { value: { fromStep: "x", outputKey: null }, kind: { dependency: false, template: false, raw: true } },
  { value: { $fromStep: 1, $outputKey: "k" }, kind: { dependency: true, template: false, raw: false } },
  { value: { $fromTemplateString: "x", $values: [1] }, kind: { dependency: false, template: true, raw: false } },
  { value: { $fromTemplateString: "x", $values: {} }, kind: { dependency: false, template: false, raw: false } },
])("kirha tells forms by their keys: $value", ({ value, kind }) => {
  expect(kirha.referenceKind(value)).toEqual(kind);
});

test("kirha: a reference to a step that is no number is an error, and brackets index arrays alone", () => {
  const text = '[{tool:"a",args:{x:{fromStep:"first",outputKey:"y"}}}]';
  expect(() => kirha.parseSteps(text)).toThrow("Invalid dependency reference: step first not found");
  expect(kirha.readPath({ r: { 0: "x" } }, ["r", 0])).toBeUndefined();
  expect(kirha.readPath({ r: { 0: "x" } }, ["r", "0"])).toBe("x");
  expect(kirha.readPath({ r: ["x", "y"] }, ["r", "01"])).toBe("y");
});

test("mcpCli.writeDryRun marks what would run, and binds variables to what is not known yet", () => {
  const step = (index: string, tool: string, result_variable?: string) => ({
    ...{ index, title: index, tool, depends_on: [] },
    ...(result_variable === undefined ? {} : { result_variable }),
  });
  const plan = {
    id: "p",
    title: "P",
    variables: { m: 1 },
    steps: [step("1", "read", "code"), step("2", "ask", "say")],
  };
  const marked = { success: true, result: "[dry-run: not executed]", error: null };
  expect(mcpCli.writeDryRun(plan, [{ task_id: "1" }, { task_id: "2" }], { m: 2 })).toEqual({
    plan_id: "p",
    title: "P",
    success: true,
    error: null,
    steps: [
      { index: "1", title: "1", tool: "read", ...marked },
      { index: "2", title: "2", tool: "ask", ...marked },
    ],
    variables: { m: 2, code: "<read result>", say: "<ask result>" },
    checkpoint: null,
  });
  const without = mcpCli.writeDryRun(plan, [{ task_id: "1" }, { task_id: "2", unavailable: "no model" }]);
  expect(without).toMatchObject({
    success: false,
    steps: [{ index: "1" }],
    variables: { m: 1, code: "<read result>" },
  });
});

test("mcpCli names functions and files as mcp-cli does", () => {
  expect(mcpCli.functionName("fs/read")).toBe("fs__read");
  expect(mcpCli.storeFiles("p")).toEqual({
    plans: "~/.mcp-cli/plans/p.json",
    state: "~/.mcp-cli/plans/p_state.json",
  });
});

test("mcpCli.writeRun tells failures by batch, and what a state file would hold", () => {
  const plan = {
    id: "p",
    variables: { m: 1, k: 1 },
    steps: [
      { index: "1", title: "A", tool: "a", result_variable: "va" },
      { index: "2", title: "B", tool: "b", result_variable: "vb" },
      { index: "3", title: "C", tool: "c", depends_on: ["1", "2"] },
    ],
  };
  const failed = { status: "failed" as const, error: { code: "TASK_FAILED", message: "b failed" } };
  const skipped = { status: "skipped" as const, error: { code: "TASK_HALTED", message: "…" } };
  const outcomes = [
    { task_id: "1", status: "completed" as const, input: {}, output: null },
    { task_id: "2", ...failed },
    { task_id: "3", ...skipped },
  ];
  const variables = { m: 2, k: 1, va: null };
  expect(mcpCli.writeRun(plan, outcomes, { m: 2 })).toEqual({
    plan_id: "p",
    title: "",
    success: false,
    error: "Batch 1 had failures: step 2: b failed",
    steps: [
      { index: "1", title: "A", tool: "a", success: true, result: null, error: null },
      { index: "2", title: "B", tool: "b", success: false, result: null, error: "b failed" },
    ],
    variables,
    checkpoint: { plan_id: "p", status: "failed", completed_steps: ["1"], variables },
  });
  const alone = { id: "p", steps: [{ title: "B", tool: "b" }] };
  expect(mcpCli.writeRun(alone, [{ task_id: "1", ...failed }]).error).toBe("Step 1 failed: b failed");
  expect(mcpCli.writeRun({ id: "p", steps: [] }, [])).toMatchObject({ success: true, error: null });
});
