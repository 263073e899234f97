import { type PlannerTaskInput, type Resource, validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";

const parcels = { type: "array", items: { type: "object", properties: { weight: { type: "number" } } } };
const output_schema = { type: "object", properties: { status: { type: "string" }, parcels } };
const resources: Resource[] = [
  { kind: "tool", id: "order", description: "", input_schema: { type: "object" }, output_schema },
];
const call = { execution_type: "tool", tool_id: "order" } as const;

function issuesOf(more: Partial<PlannerTaskInput>, second: Partial<PlannerTaskInput> = call) {
  const planned_tasks = [
    { task_id: "order", ...call },
    { task_id: "next", ...second, ...more },
  ];
  return validatePlan({ planned_tasks }, resources).map(({ code, message, repair }) => ({
    code,
    message,
    candidates: repair?.candidates,
  }));
}

test.for([
  {
    condition: "order.status = 'paid'",
    code: "unknown_reference",
    says: "`order.status`",
    candidates: ["${order.status}"],
  },
  { condition: "${order.status} = paid", code: "unknown_reference", says: "`paid`, which is nothing there" },
  { condition: "$not(shipped)", code: "unknown_reference", says: "`shipped`" },
  {
    condition: "${order.status} = 'a' and (true or order.parcels)",
    code: "unknown_reference",
    says: "`order.parcels`",
  },
  { condition: "${order.status} == 'paid'", code: "expression_syntax", says: "compared by one `=`" },
  { condition: "${order.status} = 'a' && true", code: "expression_syntax", says: "`and` stands for `&&`" },
  { condition: "!${order.status}", code: "expression_syntax", says: "`$not(…)` stands for `!`" },
])("a condition `$condition` is refused with what to write", ({ condition, code, says, candidates }) => {
  const expected = { code, message: expect.stringContaining(says), ...(candidates && { candidates }) };
  expect(issuesOf({ when: { condition } })).toMatchObject([expected]);
  const choose = { branches: [{ name: "a", condition }], else: "b" };
  expect(issuesOf({ choose }, {})).toMatchObject([{ code, message: expect.stringContaining(says) }]);
});

test.for([
  "$count(${order.parcels}[weight > 3]) > 1",
  "$sum(${order.parcels}.weight) > 3",
  "($one := ${order}; $one.status = 'paid')",
  "$count($filter(${order.parcels}, function($each) { $each.weight > 1 })) > 0",
  "$exists(${order.status}) ? ${order.status} != 'a==b && !c' : false",
])("names within values are names of theirs: %s", (condition) => {
  expect(issuesOf({ when: { condition } })).toEqual([]);
});

test.for([
  { condition: "status = 'sent'", says: "Write `output.status`", candidates: ["output.status"] },
  { condition: "output.state = 'sent'", says: 'has no "state"', candidates: ["output.status", "output.parcels"] },
  { condition: "${next.status} = 'sent'", says: "its output is `output.status`", candidates: ["output.status"] },
])("a call that would be repeated without end is refused: $condition", ({ condition, says, candidates }) => {
  expect(issuesOf({ retry_until: { condition } })).toMatchObject([
    { message: expect.stringContaining(says), candidates },
  ]);
});

test.for([
  "output.status = 'sent' and polls < 9",
  "output.parcels.weight > 3",
  "$count(output) > 1",
  "output[status = 'x'] != 1",
])("what the output may have is read: %s", (condition) => {
  expect(issuesOf({ retry_until: { condition } })).toEqual([]);
});

test("an element outside of its list, and a branch that is not there, are named with what there is", () => {
  const [outside] = issuesOf({ arguments: { of: "${item.weight}" } });
  expect(outside?.message).toContain("It is of a list: it means something in a task with `for_each`");
  const branch = { task_id: "route", choose: { branches: [{ name: "many", condition: "true" }], else: "few" } };
  const after = { task_id: "next", ...call, when: { condition: "${route.manyy}" } };
  const found = validatePlan({ planned_tasks: [branch, after] }, resources);
  const wrong = found.find(({ code }) => code === "unknown_output");
  expect(wrong?.repair?.candidates?.[0]).toBe("${route.many}");
  const each = { task_id: "each", ...call, for_each: { items: [1] } };
  const [one] = validatePlan(
    { planned_tasks: [each, { task_id: "next", ...call, arguments: { of: "${each.statu}" } }] },
    resources,
  );
  // Of a list there is what its elements have.
  expect(one?.repair?.candidates).toContain("${each.*.status}");
  expect(one?.repair?.candidates).not.toContain("${each.status}");
});
