import { plannerAgent } from "@planloom/compat";
import { type PlanIssue, TaskData } from "@planloom/plan";
import { describe, expect, test } from "vitest";

const dialectError = (part: string) =>
  expect.objectContaining({ code: "PLAN_DIALECT", message: expect.stringContaining(part) });
const tasksOf = (plan: TaskData) =>
  plan.planned_tasks.map(({ task_id, tool_id, arguments: values, dependencies }) => [
    task_id,
    tool_id,
    values,
    dependencies,
  ]);

describe("plannerAgent", () => {
  const outcomes = [
    {
      success: true,
      data: [
        { id: "B1", at: { id: "L1" } },
        { id: "B2", at: { id: "L2" } },
      ],
    },
    { success: true, data: { n: 5, no: false, nil: null, deep: [{ a: [{ b: 1 }, { b: 2 }] }] } },
    { success: false, data: null, error: "offline" },
    { success: true, data: [] },
  ];
  test.for<[unknown, unknown]>([
    ["${step[0].data.*.at.id}", ["L1", "L2"]],
    ["${step[0].data[1].id}", "B2"],
    ["${step[1].data.n}", 5],
    ["${step[1].data.no}", false],
    ["${step[1].data.nil}", null],
    ["${step[1].data.deep.*.a.*.b}", [[1, 2]]],
    ["${step[3].data.*.id}", []],
    ["n=${step[1].data.n}, ${step[0].data[0].id}", "n=5, B1"],
    ["${step[1].data.gone?}", null],
    [{ list: ["${step[1].data.n}", 7] }, { list: [5, 7] }],
    ["plain", "plain"],
    [42, 42],
  ])("resolves %j", ([value, expected]) => {
    expect(plannerAgent.resolveTemplates(value, outcomes)).toEqual(expected);
  });
  test.for<[unknown, string]>([
    ["${step[8].data}", "Step 8 not found"],
    ["${step[2].data.id}", "Step 2 failed: offline"],
    ["${step[0].data[9].id}", "data[9]"],
    ["${step[1].data.gone.deep}", "Invalid path in step 1"],
    ["${other}", "step[N]"],
  ])("%j cannot be resolved", ([value, message]) => {
    expect(() => plannerAgent.resolveTemplates(value, outcomes)).toThrow(dialectError(message));
    expect(plannerAgent.validateTemplates([value], outcomes)).toEqual({
      valid: false,
      error: expect.stringContaining(message),
    });
  });

  test("finds templates at any depth", () => {
    const params = { a: "x ${step[3].data} ${step[1].data[0].id}", l: [{ b: "${step[3].data}" }], n: 1 };
    expect(plannerAgent.hasTemplate(params)).toBe(true);
    expect(plannerAgent.hasTemplate([null, 4, "other"])).toBe(false);
    expect(plannerAgent.extractTemplates(params)).toEqual(["step[3].data", "step[1].data[0].id"]);
    expect(plannerAgent.inferDependencies(params)).toEqual([1, 3]);
    expect(
      plannerAgent.validateTemplates(params, [...outcomes.slice(0, 1), { data: [{ id: 1 }] }, {}, { data: 2 }]),
    ).toEqual({ valid: true });
  });

  test.for<[object, boolean]>([
    [{ steps: [{ tool: "t", params: {}, more: 1 }], metadata: { query: "q", timestamp: "t" } }, true],
    [{ steps: [] }, false],
    [{ steps: [{ tool: "", params: {} }] }, false],
    [{ steps: [{ tool: "t" }] }, false],
    [{ steps: [{ tool: "t", params: {}, depends_on: ["0"] }] }, false],
    [{ steps: [{ tool: "t", params: {} }], metadata: { query: "q" } }, false],
  ])("schema: %j", ([plan, valid]) => {
    expect(plannerAgent.planSchema.safeParse(plan).success).toBe(valid);
    if (!valid) expect(() => plannerAgent.read(plan)).toThrow(expect.objectContaining({ code: "PLAN_INVALID" }));
  });

  test.for<[string, object[], PlanIssue["severity"], string]>([
    ["an index out of range", [{ depends_on: [5] }], "error", "Invalid dependency index: 5"],
    ["a negative index", [{ depends_on: [-1] }], "error", "Invalid dependency index: -1"],
    ["a future step", [{ depends_on: [1] }, {}], "error", "Step 0 depends on future step 1"],
    ["itself", [{ depends_on: [0] }], "error", "depends on itself"],
    ["a template of a future step", [{ params: { x: "${step[1].data.y}" } }, {}], "error", "future step 1"],
    ["a template of no step", [{ params: { x: "${step[9].data.y}" } }], "error", "Step 9 not found"],
    [
      "a list of ids that outputs have not",
      [{}, { params: { x: "${step[0].data.ids}" } }],
      "error",
      "Invalid template ${step[0].data.ids}",
    ],
    ["a name that is no step", [{ params: { x: "${foo}" } }], "error", "step[N]"],
    ["a malformed template", [{ params: { x: "${step[0.data}" } }], "error", "Invalid template"],
    ["an unknown tool", [{ tool: "nope" }], "error", "Tool not available: nope"],
    [
      "an undeclared dependency",
      [{}, { params: { x: "${step[0].data.*.id}" } }],
      "warning",
      "uses template but has no dependencies",
    ],
    ["one step for several", [{}], "warning", "multi-step"],
  ])("checks: %s", ([, steps, severity, message]) => {
    const plan = plannerAgent.parsePlan({ steps: steps.map((step) => ({ tool: "t", params: {}, ...step })) });
    const query = message === "multi-step" ? "get books and their authors" : "get books";
    const issues = plannerAgent.checkPlan(plan, { tools: ["t"], query });
    expect(issues.filter((issue) => issue.severity === severity && issue.message.includes(message))).toHaveLength(1);
  });

  test("a sound plan has no issues", () => {
    const plan = plannerAgent.parsePlan({
      steps: [
        { tool: "t", params: {} },
        { tool: "t", params: { x: "${step[0].data.*.id}" }, depends_on: [0] },
      ],
    });
    expect(plannerAgent.checkPlan(plan, { tools: ["t"], query: "a and their b" })).toEqual([]);
  });

  test("its plan in our grammar, where .data is the output itself, and back", () => {
    const written = {
      steps: [
        { tool: "libraries_list", params: { town: "Ulm" }, depends_on: [], parallel: false },
        {
          tool: "books_list",
          params: { library: "${step[0].data.*.id}", all: "${step[0].data}", note: "in ${step[0].data[0].name}" },
          depends_on: [0],
          parallel: false,
        },
      ],
      metadata: { query: "Books in Ulm", timestamp: "2025-10-12T06:00:00.000Z", estimated_duration_ms: 1500 },
    };
    const plan = plannerAgent.read(`Sure {it is}: \`\`\`json\n${JSON.stringify(written)}\n\`\`\``);
    expect(tasksOf(plan)[1]).toEqual([
      "step-1",
      "books_list",
      { library: "${step-0.*.id}", all: "${step-0}", note: "in ${step-0[0].name}" },
      ["step-0"],
    ]);
    expect(plan.task_input_data).toEqual({ goal: "Books in Ulm" });
    expect(plannerAgent.write(plan)).toEqual(written);
  });

  test.for<[string, string[][], boolean[]]>([
    ["independent steps run in parallel", [[], [], []], [true, true, true]],
    ["a chain does not", [[], ["0"]], [false, false]],
    ["nor do the roots of a join", [[], [], ["0", "1"]], [false, false, false]],
    ["nor a single step", [[]], [false]],
    ["two beside a chain do", [[], ["0"], [], []], [false, false, true, true]],
  ])("%s", ([, dependencies, expected]) => {
    const planned_tasks = dependencies.map((it, index) => ({
      task_id: `${index}`,
      execution_type: "tool",
      tool_id: "t",
      dependencies: it,
    }));
    expect(plannerAgent.write(TaskData.parse({ planned_tasks })).steps.map((step) => step.parallel)).toEqual(expected);
  });

  test("refuses paths beside .data, and text without a plan", () => {
    const read = (x: string) => () =>
      plannerAgent.read({
        steps: [
          { tool: "t", params: {} },
          { tool: "t", params: { x } },
        ],
      });
    for (const x of ["${step[0]}", "${step[0].success}", "${step[0].error}", "${foo}", "${step[0].data"]) {
      expect(read(x)).toThrow(dialectError("Invalid template"));
    }
    expect(() => plannerAgent.read("nothing here")).toThrow(dialectError("Could not extract valid JSON from response"));
    expect(plannerAgent.read('a {x} then {"steps": [{"tool": "t", "params": {}}]} [2]').planned_tasks).toHaveLength(1);
  });
});

test("its tools answer with what their results hold, and fail where these say so", async () => {
  class Shipments {
    name = "shipments_list";
    description = "Lists shipments.";
    schema = {
      params: {
        limit: { type: "integer", description: "How many.", required: true, min: 1, max: 500, default: 100 },
        status: { type: "string", enum: ["pending", "rejected"] },
        from: { type: "date" },
      },
    };
    found: unknown = { success: true, data: [{ id: "S1" }] };
    async execute() {
      return this.found;
    }
  }
  const theirs = new Shipments();
  const [tool] = plannerAgent.tools([theirs]);
  expect(tool).toMatchObject({
    id: "shipments_list",
    input: {
      type: "object",
      properties: {
        limit: { type: "integer", description: "How many.", minimum: 1, maximum: 500, default: 100 },
        status: { type: "string", enum: ["pending", "rejected"] },
        from: {},
      },
      required: ["limit"],
    },
  });
  expect(await tool!.execute({})).toEqual([{ id: "S1" }]);
  theirs.found = [1];
  expect(await tool!.execute({})).toEqual([1]);
  theirs.found = { success: false, error: { code: "DB", message: "The database is down." } };
  await expect(tool!.execute({})).rejects.toThrow("The database is down.");
  theirs.found = { success: false };
  await expect(tool!.execute({})).rejects.toThrow('The tool "shipments_list" was not successful.');
});
