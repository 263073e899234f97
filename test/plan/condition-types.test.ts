import { type PlannerTaskInput, type Resource, TaskData, validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";

const tool: Resource = {
  kind: "tool",
  id: "count",
  description: "",
  output_schema: {
    type: "object",
    properties: {
      n: { type: "integer" },
      list: { type: "array" },
      done: { type: "boolean" },
      maybe: { type: ["boolean", "string"] },
      any: {},
    },
    required: ["n", "list", "done", "maybe", "any"],
  },
};
const first: PlannerTaskInput = { task_id: "a", execution_type: "tool", tool_id: "count" };

const said = (second: PlannerTaskInput) =>
  validatePlan(
    TaskData.parse({
      planned_tasks: [first, { task_id: "b", execution_type: "tool", tool_id: "count", ...second }],
      variables: { limit: 3, isOn: true },
    }),
    [tool],
  ).filter(({ code }) => code === "type_mismatch");

test.each([
  ["$count(${a.list})", "a number"],
  ["${a.list} ~> $count()", "a number"],
  ["${a.list} ~> $count", "a number"],
  ["${a.n} + 1", "a number"],
  ["-${a.n}", "a number"],
  ["5", "a number"],
  ['"true"', "a text"],
  ['${a.n} & ""', "a text"],
  ["null", "null"],
  ["[${a.done}]", "a list"],
  ['{"a": ${a.done}}', "an object"],
  ["($x := ${a.n}; $sum($x))", "a number"],
  ["${a.done} ? 'yes' : 0", "a text or a number"],
  ["${a.done} ? 'yes'", "a text or nothing"],
  ["()", "nothing"],
  ["function($x){$x}", "a function"],
  ["${a.n}", "integer"],
  ["${a.list}", "array"],
  ["${limit}", undefined],
])("a condition of %s cannot be true or false", (condition, actual) => {
  const [issue, second] = said({ when: { condition } });
  expect(issue).toMatchObject({
    severity: "error",
    task_id: "b",
    argument_path: "when.condition",
    expected: "boolean",
  });
  expect(issue?.actual).toBe(actual);
  expect(second).toBeUndefined();
});

test.each([
  "${a.done}",
  "${a.maybe}",
  "${a.any}",
  "${isOn}",
  "${a.n} > 1",
  "${a.done} and $count(${a.list})",
  "$boolean(${a.n})",
  "$exists(${a.any?})",
  "$lookup(${a.any}, 'x')",
  "${a.list}[0]",
  "[${a.done}][0]",
  "(${a.any}).x",
  "${a.done} ? 'yes' : ${a.done}",
  "($count := function($x){true}; $count(1))",
  "$map(${a.list}, function($count){$count(1)})",
  "$error('no')",
  "$eval(${a.any})",
])("a condition of %s may be", (condition) => {
  expect(said({ when: { condition } })).toEqual([]);
});

test("conditions of branches and of polls are read as well", () => {
  const branches = [
    { name: "many", condition: "$count(${a.list})" },
    { name: "some", condition: "true" },
  ];
  const decision = { execution_type: "" as const, tool_id: null, choose: { branches, else: "none" } };
  expect(said(decision)).toMatchObject([{ argument_path: "choose.branches[0].condition" }]);
  expect(said({ retry_until: { condition: "$string(output.n)" } })).toMatchObject([
    { argument_path: "retry_until.condition", actual: "a text" },
  ]);
});
