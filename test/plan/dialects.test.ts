import {
  dialects,
  effectiveDependencies,
  PlanError,
  type PlanIssue,
  readPlan,
  recogniseDialect,
  resolveReferences,
  TaskData,
} from "@planloom/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planShape, type RandomPlanOptions, randomToolPlan } from "../support/random-plan.ts";

const { kirha, mcpCli, planExecute, plannerAgent } = dialects;
const dialectError = (part: string) =>
  expect.objectContaining({ code: "PLAN_DIALECT", message: expect.stringContaining(part) });
const tasksOf = (plan: TaskData) =>
  plan.planned_tasks.map(({ task_id, tool_id, arguments: values, dependencies }) => [
    task_id,
    tool_id,
    values,
    dependencies,
  ]);

describe("all dialects", () => {
  const carried: [keyof typeof dialects, RandomPlanOptions][] = [
    ["agentGrid", {}],
    ["kirha", { maps: false, declared: false, nastyTexts: false }],
    ["plannerAgent", {}],
    ["mcpCli", { maps: false, textObjects: false }],
  ];
  test.for(carried)("%s: what it can carry reads back with the same meaning", ([name, options]) => {
    fc.assert(
      fc.property(randomToolPlan(options), (plan) => {
        const before = JSON.stringify(plan);
        const written = dialects[name].write(plan);
        expect(planShape(dialects[name].read(written))).toEqual(planShape(plan));
        expect(planShape(readPlan(JSON.parse(JSON.stringify(written))))).toEqual(planShape(plan));
        expect(planShape(dialects[name].read(`Here it is:\n${JSON.stringify(written)}\nas [1] {says}.`))).toEqual(
          planShape(plan),
        );
        expect(JSON.stringify(plan)).toBe(before);
      }),
      { numRuns: 80 },
    );
  });

  test("writing never changes the meaning: it is the same or refused", () => {
    fc.assert(
      fc.property(randomToolPlan(), fc.constantFrom(kirha, mcpCli, plannerAgent), (plan, dialect) => {
        let written: unknown;
        try {
          written = dialect.write(plan);
        } catch (error) {
          expect(error).toMatchObject({ code: "PLAN_DIALECT" });
          return;
        }
        expect(planShape(dialect.read(written))).toEqual(planShape(plan));
      }),
      { numRuns: 150 },
    );
  });

  test("any text or value is read or refused with a PlanError", () => {
    const scrap = fc.constantFrom(
      "{0.a",
      "}",
      "${step[0]",
      ".data}",
      "[",
      "]",
      "{",
      '"',
      "'",
      "tool:",
      "steps",
      "<plan>",
      "</plan>",
      ",",
      "/*",
    );
    const source = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(scrap).map((it) => it.join("")),
      fc.jsonValue(),
      fc.record({
        steps: fc.array(
          fc.record({ tool: fc.jsonValue(), params: fc.jsonValue(), args: fc.jsonValue() }, { requiredKeys: [] }),
        ),
      }),
      fc.array(
        fc.record(
          { tool: fc.string(), args: fc.jsonValue(), task_id: fc.jsonValue(), parameters: fc.jsonValue() },
          { requiredKeys: [] },
        ),
      ),
    );
    fc.assert(
      fc.property(source, fc.constantFrom(...Object.values(dialects)), (it, dialect) => {
        dialect.recognises(it);
        for (const read of [() => dialect.read(it), () => readPlan(it)]) {
          try {
            read();
          } catch (error) {
            expect(error).toBeInstanceOf(PlanError);
          }
        }
      }),
      { numRuns: 600 },
    );
  });

  test("run rules are data", () => {
    for (const dialect of Object.values(dialects)) {
      expect(JSON.parse(JSON.stringify(dialect.runRules))).toEqual(dialect.runRules);
    }
    expect(
      Object.values(dialects).map(({ name, runRules }) => [
        name,
        runRules.onFailure,
        runRules.unresolved,
        runRules.indexBase,
      ]),
    ).toEqual([
      ["agent-grid", "halt", "error", null],
      ["kirha", "continue", "error", 0],
      ["planner-agent", "continue", "error", 0],
      ["mcp-cli", "halt", "literal", 1],
      ["plan-execute", "halt", "literal", null],
    ]);
  });

  test.for<[string, unknown, string | undefined]>([
    ["TaskData", { task_id: "p", planned_tasks: [] }, "agent-grid"],
    [
      "a controller's reply",
      { success: true, data: { status: "success", processed_data: { tasks: [] } } },
      "agent-grid",
    ],
    ["tool steps with params", { steps: [{ tool: "t", params: {} }] }, "planner-agent"],
    ["tool steps with args", { steps: [{ tool: "t", args: {} }] }, "mcp-cli"],
    ["an empty stored plan", { id: "x", title: "X", steps: [] }, "mcp-cli"],
    ["texts", { steps: ["a"] }, "plan-execute"],
    ["an array of tools", [{ tool: "t" }], "kirha"],
    ["an array of tasks", [{ task_id: "a", execution_type: "tool" }], "agent-grid"],
    ["nothing of these", { steps: 1 }, undefined],
    ["null", null, undefined],
  ])("recognises %s", ([, value, name]) => {
    expect(recogniseDialect(value)?.name).toBe(name);
  });

  test("a dialect refuses what its format cannot say", () => {
    const tool = { execution_type: "tool", tool_id: "t" };
    const plan = (...tasks: object[]) => TaskData.parse({ planned_tasks: tasks, variables: { v: 1 } });
    const pair = (values: object) => plan({ ...tool, task_id: "a" }, { ...tool, task_id: "b", arguments: values });
    for (const dialect of [kirha, plannerAgent, mcpCli]) {
      expect(() => dialect.write(plan({ execution_type: "llm" }))).toThrow(dialectError("llm"));
      expect(() => dialect.write(plan({ ...tool, convertor_code: "$" }))).toThrow(dialectError("convertor_code"));
      expect(() => dialect.write(pair({ x: "${input.q}" }))).toThrow(dialectError("${input.q}"));
      expect(() => dialect.write(pair({ x: "${" }))).toThrow(dialectError("readable references"));
      expect(() => dialect.write(plan({ ...tool, task_id: "a", dependencies: ["a"] }))).toThrow(/cycle/);
      expect(() => dialect.write(plan({ ...tool, dependencies: ["gone"] }))).toThrow(/gone/);
    }
    expect(() => kirha.write(pair({ x: "${a.*.id}" }))).toThrow(dialectError("map"));
    expect(() => kirha.write(pair({ x: "see {0} there" }))).toThrow(dialectError("escape"));
    expect(() => kirha.write(plan({ ...tool, task_id: "a" }, { ...tool, dependencies: ["a"] }))).toThrow(
      dialectError("by reference"),
    );
    expect(() => mcpCli.write(pair({ x: "${a.y?}" }))).toThrow(dialectError("null if absent"));
    expect(() => planExecute.write(pair({ x: 1 }))).toThrow(dialectError("texts in a row"));
  });

  test("tasks are written after those they depend on, else in their own order", () => {
    const tool = (task_id: string, dependencies: string[] = []) => ({
      task_id,
      execution_type: "tool",
      tool_id: task_id,
      dependencies,
    });
    const plan = TaskData.parse({ planned_tasks: [tool("d", ["b"]), tool("a"), tool("b", ["a"]), tool("c")] });
    expect(plannerAgent.write(plan).steps.map((step) => [step.tool, step.depends_on])).toEqual([
      ["a", []],
      ["b", [0]],
      ["d", [1]],
      ["c", []],
    ]);
  });
});

describe("kirha", () => {
  const ids =
    (...known: number[]) =>
    (index: number) =>
      known.includes(index) ? `id${index}` : undefined;
  test.for<[string, unknown]>([
    ["no reference", "no reference"],
    ["{1}", { $fromTemplateString: "{0}", $values: [{ $fromStep: "id1", $outputKey: "" }] }],
    [
      "to {0.geo.town} by {1[2].x}",
      {
        $fromTemplateString: "to {0} by {1}",
        $values: [
          { $fromStep: "id0", $outputKey: "geo.town" },
          { $fromStep: "id1", $outputKey: "[2].x" },
        ],
      },
    ],
    ["{0.rows[1]['k']}", { $fromTemplateString: "{0}", $values: [{ $fromStep: "id0", $outputKey: "rows[1].k" }] }],
    [
      "{0.a} {7.b} {1.c}",
      {
        $fromTemplateString: "{0} {7.b} {1}",
        $values: [
          { $fromStep: "id0", $outputKey: "a" },
          { $fromStep: "id1", $outputKey: "c" },
        ],
      },
    ],
    ['{"n":{0.n}}', { $fromTemplateString: '{"n":{0}}', $values: [{ $fromStep: "id0", $outputKey: "n" }] }],
    ["{0.} { 0 } {-1} {00} {x}", "{0.} { 0 } {-1} {00} {x}"],
  ])("template %s", ([text, expected]) => {
    expect(kirha.parseTemplate(text, ids(0, 1))).toEqual(expected);
  });

  test.for<[string, (string | number)[], string]>([
    ["", [], ""],
    ["list[3].name", ["list", 3, "name"], "list[3].name"],
    ["list.3.name", ["list", "3", "name"], "list.3.name"],
    ["..a..b.", ["a", "b"], "a.b"],
    ['m["big key"]', ["m", "big key"], "m.big key"],
    ["m['p.q'][0][1]", ["m", "p.q", 0, 1], 'm["p.q"][0][1]'],
    ["a[k]", ["a", "k"], "a.k"],
    ["a[0", ["a", "[0"], 'a["[0"]'],
  ])("path %s", ([text, path, formatted]) => {
    expect(kirha.parsePath(text)).toEqual(path);
    expect(kirha.formatPath(path)).toBe(formatted);
    expect(kirha.parsePath(formatted)).toEqual(path);
  });

  test("reads own values only", () => {
    const value = { rows: ["x", { n: null }], text: "abc" };
    expect(kirha.readPath(value, ["rows", "0"])).toBe("x");
    expect(kirha.readPath(value, ["rows", 1, "n"])).toBeNull();
    for (const path of [["rows", 5], ["rows", "length"], ["text", 0], ["constructor"], ["rows", 1, "n", "x"]]) {
      expect(kirha.readPath(value, path)).toBeUndefined();
    }
  });

  test("reads a reply: think, JSON5, aliases, prose", () => {
    const reply = kirha.parseReply(
      "<think> first the town </think>\nPlan: <plan>Steps:\n[ // two\n {tool: 'town', args: {q: 'x'},},\n {toolName: \"map\", parameters: {at: '{0.geo}', of: {fromStep: \"0\", outputKey: 5}}, thought: 'draw'}] see [1]</plan>",
    );
    expect(reply.think).toBe("first the town");
    expect(reply.steps).toEqual([
      { stepId: "step-0", status: "pending", toolName: "town", arguments: { q: "x" } },
      {
        stepId: "step-1",
        status: "pending",
        toolName: "map",
        arguments: {
          at: { $fromTemplateString: "{0}", $values: [{ $fromStep: "step-0", $outputKey: "geo" }] },
          of: { $fromStep: "step-0", $outputKey: "5" },
        },
        thought: "draw",
      },
    ]);
    expect(kirha.parseReply("<think>no")).toEqual({});
    expect(kirha.parseReply("<plan>\n</plan>")).toEqual({});
    expect(kirha.parseReply("<think>cut <plan>[]</plan>")).toEqual({ steps: [] });
  });

  test.for<[string, string]>([
    ["words only", "invalid json parsing: no JSON object or array found"],
    ["{never: yes}", "invalid json parsing: JSON5: invalid character 'y' at 1:9"],
    ['{"tool":"t"}', "invalid json parsing: ["],
    ['[{"args":{}}]', "invalid json parsing: ["],
    ['[{"tool":"t","args":5}]', "invalid json parsing: ["],
    ['[{"tool":"t","args":{"x":{"fromStep":3,"outputKey":"y"}}}]', "Invalid dependency reference: step 3 not found"],
    [`[{"tool":"t","args":{"x":${"[".repeat(3000)}${"]".repeat(3000)}}}]`, "nested at most"],
  ])("refuses %.40s", ([text, message]) => {
    expect(() => kirha.parseSteps(text)).toThrow(dialectError(message));
  });

  test("tells its three forms of references apart, and finds them", () => {
    const dependency = { $fromStep: "s", $outputKey: "k" };
    const template = { $fromTemplateString: "{0}", $values: [dependency, { $fromStep: "t", $outputKey: "" }] };
    expect(kirha.referenceKind(dependency)).toEqual({ dependency: true, template: false, raw: false });
    expect(kirha.referenceKind(template)).toEqual({ dependency: false, template: true, raw: false });
    expect(kirha.referenceKind({ fromStep: 0, outputKey: "" })).toEqual({
      dependency: false,
      template: false,
      raw: true,
    });
    for (const none of [
      null,
      [],
      [dependency],
      { $fromStep: "s" },
      { fromStep: 0 },
      { $fromTemplateString: "", $values: {} },
    ]) {
      expect(kirha.referenceKind(none)).toEqual({ dependency: false, template: false, raw: false });
    }
    expect(kirha.traverseReferences({ a: [dependency], b: { c: template }, d: "x" })).toEqual({
      dependencyPaths: [["a", 0]],
      templatePaths: [["b", "c"]],
      stepIds: ["s", "t"],
    });
  });

  test("resolves in one pass, keeping types of references and giving text for templates", () => {
    const outputs = new Map<string, unknown>([
      ["a", { n: 5, o: { k: 1 }, tricky: "{1} $&", no: false }],
      ["b", null],
    ]);
    const resolve = (value: unknown) => kirha.resolveValue(value, (id) => outputs.get(id));
    const at = ($outputKey: string) => ({ $fromStep: "a", $outputKey });
    expect(resolve({ x: at("n"), y: [at("no")], z: at("") })).toEqual({ x: 5, y: [false], z: outputs.get("a") });
    expect(resolve({ $fromTemplateString: "{0}|{1}|{9}", $values: [at("tricky"), at("o")] })).toBe(
      '{1} $&|{"k":1}|{9}',
    );
    expect(resolve({ $fromTemplateString: "{0}", $values: [at("n")] })).toBe("5");
    expect(() => resolve(at("gone"))).toThrow(dialectError('no output at "gone"'));
    expect(() => resolve({ $fromStep: "zz", $outputKey: "" })).toThrow(dialectError("Step zz output not found"));
  });

  test("a plan of its own, in our grammar and back", () => {
    const steps = [
      { toolName: "chain", arguments: { name: "Base", cost: "$${x} ${y}" } },
      {
        thought: "who",
        toolName: "holder",
        arguments: { id: { fromStep: 0, outputKey: "rows.0.id" }, note: "of {0.name}!", all: "{0}" },
      },
    ];
    const plan = kirha.read(steps);
    expect(tasksOf(plan)).toEqual([
      ["step-0", "chain", { name: "Base", cost: "$$$${x} $${y}" }, []],
      ["step-1", "holder", { id: "${step-0.rows.0.id}", note: "of ${step-0.name}!", all: { $text: "${step-0}" } }, []],
    ]);
    expect(plan.planned_tasks[1]).toMatchObject({ thought: "who", main_task_id: plan.task_id });
    expect(effectiveDependencies(plan)).toEqual([[], ["step-0"]]);
    expect(kirha.write(plan)).toEqual(steps);
    expect(resolveReferences(plan.planned_tasks[0]?.arguments, () => ({ found: false }))).toEqual(steps[0]?.arguments);
  });

  test("reads steps in the parsed form, with their ids", () => {
    const plan = kirha.read([
      { stepId: "1", toolName: "a", arguments: {} },
      {
        stepId: "2",
        toolName: "b",
        arguments: {
          x: { $fromStep: "1", $outputKey: "r" },
          y: { $fromTemplateString: "{0}{5}", $values: [{ $fromStep: "gone", $outputKey: "" }] },
        },
      },
    ]);
    expect(plan.planned_tasks[1]?.arguments).toEqual({ x: "${1.r}", y: "${gone}{5}" });
  });
});

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
    expect(plannerAgent.extractJson('a {x} then {"k": 1} [2]')).toEqual({ k: 1 });
  });
});
