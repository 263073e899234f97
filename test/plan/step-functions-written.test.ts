import { type PlannerTaskInput, TaskData } from "@planloom/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases } from "../support/cases.ts";
import { outputsOf, said, stepFunctions } from "../support/state-machines.ts";

describe("a plan as a state machine", () => {
  const plan = (tasks: readonly PlannerTaskInput[], more: object = {}) =>
    TaskData.parse({ planned_tasks: tasks.map((each) => ({ execution_type: "tool", ...each })), ...more });

  test("tasks that can run at once are branches, outputs are variables", () => {
    const machine = stepFunctions.write(
      plan(
        [
          { task_id: "a", tool_id: "x", arguments: { city: "${city}", who: "${input.name}" } },
          { task_id: "b", tool_id: "x", arguments: { text: "{% no %}" } },
          { task_id: "c", tool_id: "y", arguments: { ids: "${a.rows.*.id}", text: "of ${b.name}" }, timeout_ms: 5000 },
        ],
        { title: "T", variables: { city: "Vik" } },
      ),
    );
    expect(machine).toEqual({
      Comment: "T",
      QueryLanguage: "JSONata",
      StartAt: "Variables",
      States: {
        Variables: { Type: "Pass", Assign: { city: "Vik" }, Next: "Level 1" },
        "Level 1": {
          Type: "Parallel",
          Branches: [
            {
              StartAt: "a",
              States: {
                a: {
                  Type: "Task",
                  Resource: "x",
                  Arguments: { city: "{% $city %}", who: "{% $states.context.Execution.Input.name %}" },
                  End: true,
                },
              },
            },
            {
              StartAt: "b",
              States: { b: { Type: "Task", Resource: "x", Arguments: { text: '{% "{% no %}" %}' }, End: true } },
            },
          ],
          Assign: { a: "{% $states.result[0] %}", b: "{% $states.result[1] %}" },
          Next: "c",
        },
        c: {
          Type: "Task",
          Resource: "y",
          Arguments: { ids: "{% [$a.rows[].id] %}", text: '{% "of " & $string($b.name) %}' },
          TimeoutSeconds: 5,
          Assign: { c: "{% $states.result %}" },
          End: true,
        },
      },
    });
  });

  test.for<{ name: string; task: PlannerTaskInput; says: RegExp }>([
    { name: "a gate", task: { approval: "required" }, says: /`approval`/ },
    { name: "a condition", task: { when: { condition: "true" } }, says: /State "a": `when` cannot be written/ },
    {
      name: "a fraction of a second",
      task: { timeout_ms: 1500 },
      says: /`timeout_ms` is 1500 ms; a state machine has whole seconds/,
    },
    {
      name: "null where something is absent",
      task: { arguments: { x: "${input.x?}" } },
      says: /refers to input with "\?"/,
    },
    { name: "an agent", task: { execution_type: "agent", agent_id: "g", tool_id: null }, says: /agent/ },
  ])("refuses $name", ({ task, says }) => {
    expect(() => stepFunctions.write(plan([{ task_id: "a", tool_id: "t", ...task }]))).toThrow(says);
  });

  const text = fc.string({ unit: fc.constantFrom("a", "$", "{", "}", "%", '"', "\\", " ", "é"), maxLength: 6 });
  const data = fc.oneof(
    text,
    fc.jsonValue({ maxDepth: 1 }).filter((value) => !/\$(ref|text|secret)|__proto__/.test(JSON.stringify(value))),
  );
  const steps = fc.array(
    fc.record({
      data,
      label: text,
      from: fc.array(fc.tuple(fc.nat(), fc.constantFrom("", ".data", ".rows.*.n", ".rows[0].n")), { maxLength: 2 }),
      after: fc.option(fc.nat()),
      list: fc.option(fc.boolean()),
      retry: fc.option(
        fc.record({
          max_attempts: fc.integer({ min: 1, max: 9 }),
          initial_delay_ms: fc.constantFrom(1000, 3000),
          backoff_factor: fc.constantFrom(1, 2.5),
        }),
        { nil: undefined },
      ),
    }),
    { minLength: 1, maxLength: 6 },
  );
  const randomPlan = steps.map((each) =>
    plan(
      each.map(({ data, label, from, after, list, retry }, place): PlannerTaskInput => {
        const id = (at: number) => `t-${at % place}`;
        const escaped = (value: unknown): unknown =>
          JSON.parse(JSON.stringify(value), (_, inner: unknown) =>
            typeof inner === "string" ? inner.replaceAll("${", "$ {") : inner,
          );
        const sources =
          place === 0 ? [] : from.map(([at, path]) => `\${${id(at)}${each[at % place]!.list === null ? path : ""}}`);
        const args = {
          data: escaped(data),
          label: `${escaped(label)}:${sources[0] ?? ""}`,
          rows: [{ n: place }],
          sources,
        };
        return {
          task_id: `t-${place}`,
          tool_id: `tool_${place}`,
          arguments: list === null ? args : { ...args, item: "${item}", at: "${index}" },
          ...(list !== null && { for_each: { items: [1, "b"], ...(list && { on_failure: "collect" as const }) } }),
          ...(after !== null && place > 0 && { dependencies: [id(after)] }),
          ...(retry !== undefined && { retry }),
        };
      }),
    ),
  );

  test("is read back with the same tasks, and gives the same outputs", async () => {
    await fc.assert(
      fc.asyncProperty(randomPlan, async (given) => {
        const machine = stepFunctions.write(given);
        const back = stepFunctions.read(JSON.parse(JSON.stringify(machine)));
        const byId = (one: TaskData) => new Map(said(one).map(({ dependencies, ...task }) => [task.task_id, task]));
        expect(byId(back)).toEqual(byId(given));
        expect(stepFunctions.write(back)).toEqual(machine);
        expect(await outputsOf(back)).toEqual(await outputsOf(given));
      }),
      { numRuns: cases(60) },
    );
  });
});
