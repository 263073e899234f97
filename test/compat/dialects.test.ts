import { agentGrid, mcpCli, planExecute } from "@planloom/compat";
import { normaliseTask, PlannerTask, readPlan, TaskData } from "@planloom/plan";
import { describe, expect, test } from "vitest";

const dialectError = (part: string) =>
  expect.objectContaining({ code: "PLAN_DIALECT", message: expect.stringContaining(part) });
const lines = (...text: string[]) => text.join("\n");

describe("mcpCli", () => {
  const variables = { town: { name: "Ulm", size: 3 }, n: 42, yes: true, nil: null, list: ["a", { k: 1 }], text: "t" };
  test.for<[unknown, unknown]>([
    ["${n}", 42],
    ["${town}", variables.town],
    ["${town.name}/${town.size}", "Ulm/3"],
    ["n=${n}", "n=42"],
    [
      ["${text}", { x: "${yes}" }],
      ["t", { x: true }],
    ],
    ["${nil}", null],
    ["${list[1].k} ${list.0}", "1 a"],
    ["l=${list}", 'l=["a",{"k":1}]'],
    ["${n} and {n}", "42 and {n}"],
    ["$${n}", "${n}"],
    ["${gone}", "${gone}"],
    ["${town.gone} ${n}", "${town.gone} 42"],
    ["${} ${n", "${} ${n"],
    ["${constructor}", "${constructor}"],
    [7, 7],
  ])("resolves %j, leaving what has no value", ([value, expected]) => {
    expect(mcpCli.resolveVariables(value, variables)).toEqual(expected);
  });
  test("run variables override plan variables", () => {
    expect(mcpCli.mergeVariables({ a: 1, b: 2 }, { b: 3 })).toEqual({ a: 1, b: 3 });
  });

  const step = (index: unknown, ...depends_on: unknown[]) =>
    ({ ...(index !== undefined && { index }), depends_on }) as never;
  test.for<[string, never[], string[][]]>([
    ["nothing", [], []],
    ["a diamond", [step("1"), step("2", "1"), step("3", "1"), step("4", "2", "3")], [["1"], ["2", "3"], ["4"]]],
    ["numbers as indices", [step(1), step(2, 1)], [["1"], ["2"]]],
    ["positions from 0, no indices", [step(undefined), step(undefined, 0), step(undefined, 1)], [["1"], ["2"], ["3"]]],
    ["positions from 0 beside indices", [step("1"), step("2", 0)], [["1"], ["2"]]],
    [
      "plan order, not text order",
      Array.from({ length: 11 }, (_, i) => step(`${i + 1}`)),
      [["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"]],
    ],
    ["steps in any order", [step("2", "1"), step("1")], [["1"], ["2"]]],
  ])("batches: %s", ([, steps, expected]) => {
    expect(mcpCli.computeBatches(steps)).toEqual(expected);
  });
  test.for<[string, never[], string]>([
    ["an unknown step", [step("1", "99")], "PLAN_UNKNOWN_DEPENDENCY"],
    ["a cycle", [step("1", "2"), step("2", "1"), step("3")], "PLAN_CYCLE"],
    ["itself", [step("1", "1")], "PLAN_CYCLE"],
    ["an index twice", [step("1"), step("1")], "PLAN_DUPLICATE_TASK"],
  ])("batches refuse %s", ([, steps, code]) => {
    expect(() => mcpCli.computeBatches(steps)).toThrow(expect.objectContaining({ code }));
  });

  test.for<[unknown[][], string[][]]>([
    [
      [[], [0], [0, 1]],
      [[], ["1"], ["1", "2"]],
    ],
    [
      [[], ["1"]],
      [[], ["1"]],
    ],
    [
      [[], ["1", "b"]],
      [[], ["1", "b"]],
    ],
  ])("stores %j as indices from 1", ([written, stored]) => {
    expect(mcpCli.storedDependencies(written as never)).toEqual(stored);
  });

  test("draws the picture of its format, exactly", () => {
    const steps = [
      { index: "1", title: "Open the catalogue", tool: "open", status: "completed" },
      {
        index: "3",
        title: "Count the members of the whole library",
        tool_calls: [{ name: "count" }, { name: "x" }],
        depends_on: ["1"],
      },
      { index: "2", title: "Lend", depends_on: ["1"], status: "running" },
      { index: "4", title: "Report", tool: "report", depends_on: ["2", "3"], status: "failed" },
    ];
    expect(mcpCli.renderDag({ steps })).toBe(
      lines(
        "  ● 1. Open the catalogue                  [open]",
        "",
        "  ○ 3. Count the members of the whole libr [count]  ← after: 1 ∥",
        "  ◉ 2. Lend                                [?]  ← after: 1 ∥",
        "",
        "  ✗ 4. Report                              [report]  ← after: 2, 3",
      ),
    );
    expect(mcpCli.renderDag({ steps: [] })).toBe("  (empty plan)");
  });

  test("checks a proposed step", () => {
    expect(mcpCli.checkStep({ tool: "read", title: "R" }, ["read"])).toEqual([]);
    expect(mcpCli.checkStep({ tool: "hack", title: "H" }, ["read"])).toMatchObject([
      { code: "unknown_tool", message: expect.stringContaining("Unknown tool: hack") },
    ]);
    expect(mcpCli.checkStep({ title: "H" }, ["read"])).toMatchObject([
      { message: expect.stringContaining("Unknown tool") },
    ]);
    expect(mcpCli.checkStep({ tool: "read" }, ["read"])).toMatchObject([{ argument_path: "title" }]);
    expect(mcpCli.checkStep(3, ["read"])).toMatchObject([{ code: "schema" }]);
  });

  test.for<[unknown, unknown]>([
    [null, null],
    ["plain", "plain"],
    ['{"a": 1}', { a: 1 }],
    ["{bad", "{bad"],
    ["42", "42"],
    [
      ["a", "b"],
      ["a", "b"],
    ],
    [{ content: "data" }, { content: "data" }],
    [
      {
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
      "a\nb",
    ],
    [{ isError: false, content: [{ type: "text", text: "[1]" }] }, [1]],
    [[{ type: "image", url: "u" }], [{ type: "image", url: "u" }]],
    [[], []],
  ])("takes the value out of %j", ([raw, value]) => {
    expect(mcpCli.extractResult(raw)).toEqual(value);
  });
  test("tells errors, and what they say", () => {
    expect(mcpCli.isErrorResult([{ isError: true, text: "e" }])).toBe(true);
    expect(mcpCli.isErrorResult({ isError: true, content: [] })).toBe(true);
    expect(mcpCli.isErrorResult({ isError: false })).toBe(false);
    expect(mcpCli.isErrorResult("isError")).toBe(false);
    expect(mcpCli.errorText([{ type: "text", text: "why" }])).toBe("why");
    expect(mcpCli.errorText("x".repeat(300))).toBe(`${"x".repeat(200)}...`);
  });

  const written = {
    id: "loans",
    title: "Loans",
    variables: { town: "Ulm" },
    steps: [
      {
        index: "1",
        title: "Find",
        tool: "find",
        args: { at: "${town}", shell: "echo ${HOME} ${x:-1}" },
        depends_on: [],
        result_variable: "found",
      },
      {
        index: "2",
        title: "Lend",
        tool: "lend",
        args: { id: "${found.rows[0].id}", note: "in ${town}" },
        depends_on: ["1"],
      },
    ],
  };
  test("its plan in our grammar, and back", () => {
    const plan = mcpCli.read(written);
    expect(plan).toMatchObject({ task_id: "loans", title: "Loans", variables: { town: "Ulm" } });
    expect(
      plan.planned_tasks.map(({ task_id, title, result_variable, dependencies, arguments: values }) => [
        task_id,
        title,
        result_variable,
        dependencies,
        values,
      ]),
    ).toEqual([
      ["1", "Find", "found", [], { at: "${town}", shell: "echo ${HOME} $${x:-1}" }],
      ["2", "Lend", undefined, ["1"], { id: "${found.rows[0].id}", note: "in ${town}" }],
    ]);
    expect(mcpCli.write(plan)).toEqual(written);
  });
  test("escapes a literal that would read back as a variable", () => {
    const plan = mcpCli.read({ ...written, steps: [{ tool: "t", args: { x: "cost $${town} ${no}" } }] });
    expect(plan.planned_tasks[0]?.arguments).toEqual({ x: "cost $${town} ${no}" });
    expect(mcpCli.write(plan).steps[0]?.args).toEqual({ x: "cost $${town} ${no}" });
    expect(mcpCli.resolveVariables("cost $${town}", { town: "Ulm" })).toBe("cost ${town}");
  });
  test("gives tasks without a result variable one when others need it", () => {
    const tool = (task_id: string, values: object) =>
      PlannerTask.parse({ task_id, execution_type: "tool", tool_id: "t", arguments: values });
    const plan = {
      ...mcpCli.read(written),
      variables: { step_1_result: 1 },
      planned_tasks: [tool("a", {}), tool("b", { x: "${a.id}" })],
    } as TaskData;
    expect(mcpCli.write(plan).steps).toMatchObject([
      { result_variable: "step_1_result_2" },
      { args: { x: "${step_1_result_2.id}" }, depends_on: ["1"] },
    ]);
  });
});

describe("agentGrid", () => {
  test.for<[string, unknown, object]>([
    ["agent", "agent", {}],
    ["agent_call", "agent", {}],
    ["tool", "tool", {}],
    ["tools", "tool", {}],
    ["tool_call", "tool", {}],
    ["codegen_call", "tool", {}],
    ["system_call", "tool", {}],
    ["llm", "llm", {}],
    ["llm_call", "llm", {}],
    ["dsl", "dsl", {}],
    ["dsl_workflow", "dsl", {}],
    ["l2_call", "dsl", {}],
    ["l2_task", "tool", { sub_type: "tools" }],
    ["l2_task", "llm", { sub_type: "llm" }],
    ["l2_task", "", {}],
    ["", "", { sub_type: "agent" }],
    [" Tool_Call ", "tool", {}],
  ])("execution type %s becomes %j (%j)", ([execution_type, expected, parameters]) => {
    const task = normaliseTask({ execution_type, parameters });
    expect(task.execution_type).toBe(expected);
    expect(task.parameters).toEqual(parameters);
  });

  test("parameters of a call are its arguments, sub_type and pins aside", () => {
    const raw = {
      execution_type: "tool_call",
      parameters: { url: "u", sub_type: "tools", uid: 1 },
      arguments: { url: "v" },
    };
    expect(normaliseTask(raw)).toMatchObject({ parameters: { sub_type: "tools" }, arguments: { url: "v", uid: 1 } });
    expect(raw.parameters).toHaveProperty("url");
    expect(normaliseTask({ execution_type: "llm_call", parameters: { uid: "m", text: "t" } })).toMatchObject({
      parameters: { uid: "m" },
      arguments: { text: "t" },
    });
    expect(normaliseTask({ execution_type: "tool", parameters: { url: "u" } })).toMatchObject({
      parameters: { url: "u" },
      arguments: {},
    });
  });

  test("nulls are defaults, statuses are settled, unknown keys dropped", () => {
    const task = normaliseTask({
      task_id: "a",
      description: null,
      dependencies: null,
      parameters: null,
      status: "in_progress",
      output: null,
      tool_id: null,
      color: "red",
    });
    expect(task).toMatchObject({
      task_id: "a",
      description: "",
      dependencies: [],
      parameters: {},
      status: "running",
      output: null,
      tool_id: null,
    });
    expect(task).not.toHaveProperty("color");
    const estimate = { cost: 1, story_points: 5, by: { who: "Ann" } };
    expect(normaliseTask({ estimate_data: estimate }).estimate_data).toEqual(estimate);
    expect(normaliseTask({ estimate_data: "half a day" }).estimate_data).toEqual({ value: "half a day" });
    const kept = readPlan(JSON.parse(JSON.stringify({ planned_tasks: [{ task_id: "a", estimate_data: estimate }] })));
    expect(kept.planned_tasks[0]?.estimate_data).toEqual(estimate);
    expect(TaskData.parse({ planned_tasks: [{ estimate_data: estimate }] }).planned_tasks[0]?.estimate_data).toEqual(
      estimate,
    );
    expect(normaliseTask({ status: "complete", mark_replan: true, estimate_data: { cost: 1 } })).toMatchObject({
      status: "completed",
      mark_replan: true,
      estimate_data: { cost: 1 },
    });
  });

  test.for<[unknown, string, string]>([
    [{ task_id: 5 }, "task_id", "5 (number)"],
    [{ task_id: "__proto__" }, "task_id", '"__proto__" (string)'],
    [{ dependencies: ["a", 3] }, "dependencies[1]", "3 (number)"],
    [{ execution_type: "robot" }, "execution_type", '"robot" (string)'],
    [{ status: 1 }, "status", "1 (number)"],
    [{ arguments: [] }, "arguments", "an array of 0"],
    ["text", "", '"text" (string)'],
  ])("refuses %j, saying where", ([raw, path, got]) => {
    expect(() => normaliseTask(raw)).toThrow(
      expect.objectContaining({ code: "PLAN_INVALID", details: { issues: [expect.objectContaining({ path, got })] } }),
    );
  });

  const tasks = [{ task_id: "a", execution_type: "agent", parameters: { sub_type: "agent" } }];
  test.for<[string, unknown]>([
    ["directly", { success: true, data: tasks }],
    ["as tasks", { success: true, data: { tasks } }],
    ["processed", { success: true, data: { status: "success", processed_data: { tasks } } }],
    ["processed list", { success: true, data: { status: "success", processed_data: tasks } }],
    ["bare", tasks],
  ])("reads a Stage 1 reply with the tasks %s", ([, body]) => {
    const plan = agentGrid.read(JSON.stringify(body));
    expect(plan.planned_tasks).toMatchObject([
      { ...tasks[0], status: "pending", dependencies: [], main_task_id: plan.task_id },
    ]);
  });
  test.for<[unknown, string]>([
    [{ success: false, message: "boom" }, "boom"],
    [{ success: false }, "no reason"],
    [{ success: true, data: { status: "failed", processed_data: null } }, "failed"],
    [{ success: true, data: 5 }, "5 (number)"],
  ])("a Stage 1 reply may fail: %j", ([body, part]) => {
    expect(() => agentGrid.read(body)).toThrow(dialectError(part));
  });
  test.for<[string, string | undefined]>([
    ["agent", "agent"],
    ["llm", "llm"],
    ["tools", "tool"],
    ["tool", "tool"],
    ["dsl", "dsl"],
    ["other", ""],
  ])("a task of level two with the sub_type %s is of kind %s", ([sub_type, kind]) => {
    expect(agentGrid.normaliseTask({ execution_type: "l2_task", parameters: { sub_type } }).execution_type).toBe(kind);
  });
  test("the next task is the first whose dependencies are done", () => {
    const task = (task_id: string, ...dependencies: string[]) => PlannerTask.parse({ task_id, dependencies });
    const plan = [
      task("a"),
      task("b", "c"),
      task("c", "a"),
      PlannerTask.parse({ task_id: "d", arguments: { x: "${b}" } }),
    ];
    expect(
      [[], ["a"], ["a", "c"], ["a", "c", "b"], ["a", "b", "c", "d"]].map(
        (done) => agentGrid.nextTask(plan, done)?.task_id,
      ),
    ).toEqual(["a", "c", "b", "d", undefined]);
  });
  test("settles plan statuses and keeps TaskData as it is", () => {
    const plan = agentGrid.read(
      {
        task_id: "p",
        planned_tasks: tasks,
        status: "completed",
        completed_tasks: ["a"],
        variables: { v: 1 },
        extra: 1,
      },
      { planId: "q", goal: "g" },
    );
    expect(plan).toMatchObject({
      task_id: "q",
      status: "done",
      completed_tasks: ["a"],
      variables: { v: 1 },
      task_input_data: { goal: "g" },
    });
    expect(agentGrid.read(agentGrid.write(plan))).toEqual(plan);
  });
});

describe("planExecute", () => {
  test("steps are texts in a row", () => {
    const plan = planExecute.read('```json\n{"steps": ["look", "book", "pay"], "extra": 1}\n```', { goal: "travel" });
    expect(
      plan.planned_tasks.map(({ description, dependencies, execution_type }) => [
        description,
        dependencies,
        execution_type,
      ]),
    ).toEqual([
      ["look", [], ""],
      ["book", ["step-0"], ""],
      ["pay", ["step-1"], ""],
    ]);
    expect(planExecute.write(plan)).toEqual({ steps: ["look", "book", "pay"] });
  });
  test("encodes, decodes and names the first step", () => {
    expect(planExecute.encode({ steps: ["A", "B"] })).toBe('{"steps":["A","B"]}');
    expect(planExecute.decode('{"steps":["A"],"x":1}')).toEqual({ steps: ["A"] });
    expect(planExecute.firstStep({ steps: ["A", "B"] })).toBe("A");
    expect(planExecute.firstStep({ steps: [] })).toBeUndefined();
    for (const text of ['{"steps":"A"}', "{}", "oops", '{"steps":[1]}']) {
      expect(() => planExecute.decode(text)).toThrow(dialectError("unmarshal plan error"));
    }
  });
});
