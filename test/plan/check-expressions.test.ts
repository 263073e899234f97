import { type PlannerTaskInput, TaskData, validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";

const said = (...planned_tasks: PlannerTaskInput[]) =>
  validatePlan(TaskData.parse({ planned_tasks }))
    .filter(({ code }) => code === "expression_syntax")
    .map(({ severity, task_id, argument_path, within }) => [severity, task_id, argument_path, within]);
const first: PlannerTaskInput = { task_id: "first", tool_id: "a" };

test.each<[string, PlannerTaskInput, string | undefined, string?]>([
  ["a condition", { when: { condition: "${first.n} > > 2" } }, "when.condition"],
  ["brackets that are not closed", { when: { condition: "$count(${first.n} > 2" } }, "when.condition"],
  [
    "a branch",
    {
      choose: {
        branches: [
          { name: "a", condition: "true" },
          { name: "b", condition: "1 = = 2" },
        ],
        else: "c",
      },
    },
    "choose.branches[1].condition",
  ],
  ["a poll", { tool_id: "a", retry_until: { condition: "output.status = " } }, "retry_until.condition"],
  ["a conversion", { tool_id: "a", convertor_code: '{ "a": }' }, "convertor_code", "warning"],
  ["brackets that are nested too deep", { when: { condition: "(".repeat(9_000) } }, "when.condition"],
  [
    "references as values, whatever is around them",
    { when: { condition: "${first.n} in [1, ${first.m?}]" } },
    undefined,
  ],
  ["one reference", { when: { condition: "${first.n}" } }, undefined],
  ["a reference within a text", { when: { condition: '"${first.n}" = "paid"' } }, "when.condition"],
  ["one within a part of a text", { when: { condition: '"is \\" ${first.n}" = "x"' } }, "when.condition"],
  ["one within a pattern", { when: { condition: "$contains('x', /${first.n}/)" } }, "when.condition"],
  ["one within a comment", { when: { condition: "/* of ${first.n} */ true" } }, "when.condition"],
  [
    "one in backticks",
    { tool_id: "a", retry_until: { condition: "output.`${first.n}` = 1" } },
    "retry_until.condition",
  ],
  [
    "references beside texts, patterns with quotes, divisions and comments",
    {
      when: {
        condition:
          '$contains(\'"\', /["\'\\/]/) and ${first.n} / 2 > 1 / ${first.m} /* \' */ and `a"b` != "\\"" & ${first.t} & "\'" and ${first.n} = 1',
      },
    },
    undefined,
  ],
  ["a pattern of another engine", { when: { condition: "$match(${first.t}, /(?<y>\\d+)\\k<y>/) != null" } }, undefined],
  ["a conversion that can be read", { tool_id: "a", convertor_code: '{ "a": b.c[0] }' }, undefined],
])("%s", (_, task, path, severity = "error") => {
  const expected = path === undefined ? [] : [[severity, "second", path, undefined]];
  expect(said(first, { task_id: "second", dependencies: ["first"], ...task })).toEqual(expected);
});

test("within a list, too", () => {
  const tasks: PlannerTaskInput[] = [{ task_id: "in", tool_id: "a", when: { condition: "${item} ==== 1" } }];
  expect(said({ task_id: "out", for_each: { items: [1], tasks } })).toEqual([["error", "in", "when.condition", "out"]]);
});
