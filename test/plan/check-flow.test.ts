import { type PlannerTaskInput, type Resource, type TaskDataInput, validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";

const search: Resource = {
  kind: "tool",
  id: "search",
  description: "",
  output_schema: {
    type: "object",
    properties: {
      hits: {
        type: "array",
        items: { type: "object", properties: { tags: { type: "array" }, id: { type: "string" } } },
      },
      total: { type: "integer" },
      either: { anyOf: [{ type: "array" }, { type: "null" }] },
    },
  },
};
const other: Resource = { ...search, id: "other", output_schema: { type: "array" } };

const list: PlannerTaskInput = { task_id: "list", tool_id: "search" };
const variables = { rows: { ids: [1, 2], first: 7, text: "a b" }, many: [1] };
const issues = (tasks: PlannerTaskInput[], plan: TaskDataInput = {}) =>
  validatePlan({ planned_tasks: tasks, ...plan }, [search, other]);
/** The issues of a task that does something for each of `items`. */
const ofItems = (items: unknown, more: PlannerTaskInput[] = []) =>
  issues([list, ...more, { task_id: "t", tool_id: "search", for_each: { items: items as string } }], { variables });

test.for([
  ["a list of an output", "${list.hits}"],
  ["the same in the object form", { $ref: "list.hits" }],
  ["what may be a list", "${list.either}"],
  ["what is mapped", "${list.hits.*.id}"],
  ["a whole plan variable", "${many}"],
  ["a list within a plan variable", "${rows.ids}"],
  ["a list that is written out", ["${list.total}", 2]],
  ["a value of the run, of which nothing is known", "${input.rows}"],
  ["the output of a resource whose type is not known", "${unknown.rows}"],
  ["what a plan variable may have in a run, with ?", "${rows.later?}"],
] as const)("%s can be gone through", ([, items]) => {
  const unknown: PlannerTaskInput = { task_id: "unknown", execution_type: "llm" };
  expect(ofItems(items, [unknown]).filter(({ task_id }) => task_id === "t")).toEqual([]);
});

const place = { severity: "error", task_id: "t", argument_path: "for_each.items" };

test.for<[string, unknown, object]>([
  [
    "a number of an output",
    "${list.total}",
    {
      code: "type_mismatch",
      message: expect.stringContaining(
        'Task "t": the list of `for_each`: expected a list, but ${list.total} is integer',
      ),
      expected: "array",
      actual: "integer",
      from_task_id: "list",
      output_path: "total",
    },
  ],
  [
    "an object of an output",
    { $ref: "list.hits[0]" },
    { code: "type_mismatch", expected: "array", actual: "object", from_task_id: "list", output_path: "hits[0]" },
  ],
  [
    "a text without a reference",
    "hits",
    {
      code: "type_mismatch",
      message: expect.stringContaining('expected one reference to a list, such as ${search.hits}, got "hits"'),
      expected: "array",
      actual: "string",
    },
  ],
  ["a text around a reference", "all ${list.hits}", { code: "type_mismatch", actual: "string" }],
  [
    "a number of a plan variable",
    "${rows.first}",
    {
      code: "type_mismatch",
      message: expect.stringContaining("expected a list, but the plan variable ${rows.first} is 7"),
      expected: "array",
      from_task_id: "rows",
      output_path: "first",
    },
  ],
  ["a text of a plan variable", "${rows.text}", { code: "type_mismatch", from_task_id: "rows", output_path: "text" }],
  ["a name that means nothing", "${gone.rows}", { code: "unknown_reference", from_task_id: "gone" }],
  ["a field that the output has not", "${list.hitz}", { code: "unknown_output", output_path: "hitz" }],
])("%s cannot", ([, items, issue]) => {
  expect(ofItems(items)).toMatchObject([{ ...place, ...issue }]);
});

test("what a plan variable lacks is a warning, as elsewhere: a run may give it", () => {
  expect(ofItems("${rows.later}")).toMatchObject([
    { ...place, severity: "warning", code: "unknown_output", from_task_id: "rows", output_path: "later" },
  ]);
});

test("malformed references are malformed, and nothing else", () => {
  for (const [items, actual] of [
    [{ $ref: "list..hits" }, '"list..hits"'],
    ["${list", '"${list"'],
  ])
    expect(ofItems(items)).toMatchObject([
      {
        ...place,
        code: "reference_syntax",
        message: expect.stringContaining('Task "t": the list of `for_each`: Expected'),
        actual,
      },
    ]);
});

test("it is the list's own reference that is judged, whatever else the task refers to", () => {
  const task: PlannerTaskInput = {
    task_id: "t",
    tool_id: "search",
    for_each: { items: "${other}" },
    when: { condition: "${list.total} > 3" },
  };
  const given: PlannerTaskInput = { task_id: "other", tool_id: "other" };
  expect(issues([list, given, task])).toEqual([]);
  expect(issues([list, given, { ...task, for_each: { items: "${list.total}" } }])).toMatchObject([
    { code: "type_mismatch", from_task_id: "list" },
  ]);
});

test("within elements the element is judged by its type", () => {
  const inner = (items: string): PlannerTaskInput => ({ task_id: "i", tool_id: "search", for_each: { items } });
  const within = (items: string) => ofItemsOf(inner(items));
  const ofItemsOf = (task: PlannerTaskInput) =>
    issues([list, { task_id: "t", for_each: { items: "${list.hits}", tasks: [task] } }]);
  expect(within("${item.tags}")).toEqual([]);
  expect(within("${item.id}")).toMatchObject([
    { ...place, task_id: "i", code: "type_mismatch", actual: "string", from_task_id: "item", output_path: "id" },
  ]);
  expect(within("${index}")).toMatchObject([{ code: "type_mismatch", actual: "integer", from_task_id: "index" }]);
});

test("a condition's references are looked up, and no type is wanted of them", () => {
  const task = (condition: string): PlannerTaskInput => ({ task_id: "t", tool_id: "search", when: { condition } });
  expect(issues([list, task("${list.total} > 3")])).toEqual([]);
  expect(issues([list, task("${list.totel} > 3")])).toMatchObject([
    { code: "unknown_output", task_id: "t", argument_path: "when.condition", output_path: "totel" },
  ]);
});
