import { dialects, PlanError, readPlan, recogniseDialect, runRulesOf, TaskData } from "@planloom/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../support/any-text.ts";
import { cases } from "../support/cases.ts";
import { planShape, type RandomPlanOptions, randomToolPlan } from "../support/random-plan.ts";

const { kirha, mcpCli, planExecute, plannerAgent } = dialects;
const dialectError = (part: string) =>
  expect.objectContaining({ code: "PLAN_DIALECT", message: expect.stringContaining(part) });

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
      { numRuns: cases(80) },
    );
  });

  test("writing never changes the meaning: it is the same or refused", () => {
    const outcomes = { same: 0, refused: 0 };
    fc.assert(
      fc.property(randomToolPlan(), fc.constantFrom(kirha, mcpCli, plannerAgent), (plan, dialect) => {
        let written: unknown;
        try {
          written = dialect.write(plan);
        } catch (error) {
          expect(error).toMatchObject({ code: "PLAN_DIALECT" });
          outcomes.refused++;
          return;
        }
        outcomes.same++;
        expect(planShape(dialect.read(written))).toEqual(planShape(plan));
      }),
      { numRuns: cases(150) },
    );
    expect(outcomes.same).toBeGreaterThan(10);
    expect(outcomes.refused).toBeGreaterThan(10);
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
      anyText(),
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
    const outcomes = { read: 0, refused: 0 };
    fc.assert(
      fc.property(source, fc.constantFrom(...Object.values(dialects)), (it, dialect) => {
        expect(typeof dialect.recognises(it)).toBe("boolean");
        for (const read of [() => dialect.read(it), () => readPlan(it)]) {
          let plan: TaskData;
          try {
            plan = read();
          } catch (error) {
            expect(error).toBeInstanceOf(PlanError);
            outcomes.refused++;
            continue;
          }
          outcomes.read++;
          expect(TaskData.parse(plan)).toEqual(plan);
        }
      }),
      { numRuns: 600 },
    );
    expect(outcomes.read).toBeGreaterThan(20);
    expect(outcomes.refused).toBeGreaterThan(20);
  });

  test("a plan says which dialect it was read from, and so has its run rules; our own form has none", () => {
    const { agentGrid, kirha, plannerAgent, mcpCli, planExecute } = dialects;
    const plans = [
      agentGrid.read({ planned_tasks: [] }),
      kirha.read([{ toolName: "t" }]),
      plannerAgent.read({ steps: [{ tool: "t", params: {} }] }),
      mcpCli.read({ steps: [{ tool: "t", args: {} }] }),
      planExecute.read({ steps: ["a"] }),
    ];
    const rules = plans.map((plan) => runRulesOf(JSON.parse(JSON.stringify(plan))));
    expect(
      rules.map((rule) => rule && [rule.onFailure, rule.concurrency, rule.taskTimeoutMs, rule.maxAttempts]),
    ).toEqual([
      undefined,
      ["continue", null, null, null],
      ["continue", 5, 30_000, 3],
      ["halt", 4, null, null],
      ["halt", 1, null, null],
    ]);
    for (const nothing of [
      undefined,
      null,
      "mcp-cli",
      { metadata: "mcp-cli" },
      { metadata: { dialect: "constructor" } },
    ]) {
      expect(runRulesOf(nothing)).toBeUndefined();
    }
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
