import {
  effectiveDependencies,
  type IssueCode,
  PlannerTask,
  type PlannerTaskInput,
  planHashes,
  planView,
  type Resource,
  renderAscii,
  TaskData,
  validatePlan,
  variableNames,
} from "@planloom/plan";
import { expect, test } from "vitest";

const hit = { type: "object", properties: { id: { type: "integer" }, name: { type: "string" } } };
const resources: Resource[] = [
  {
    kind: "tool",
    id: "list",
    description: "",
    output_schema: { type: "object", properties: { hits: { type: "array", items: hit }, total: { type: "integer" } } },
  },
  {
    kind: "tool",
    id: "fetch",
    description: "",
    input_schema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
    output_schema: { type: "object", properties: { text: { type: "string" } } },
  },
  {
    kind: "tool",
    id: "join",
    description: "",
    input_schema: {
      type: "object",
      properties: { texts: { type: "array", items: { type: "string" } } },
      required: ["texts"],
    },
  },
];
const list: PlannerTaskInput = { task_id: "list", tool_id: "list" };
const each = (id: string, items: unknown = "${list.hits}"): PlannerTaskInput => ({
  task_id: "f",
  tool_id: "fetch",
  arguments: { id },
  for_each: { items: items as string },
});
const joined = (texts: string): PlannerTaskInput => ({ task_id: "j", tool_id: "join", arguments: { texts } });
const inner = (tasks: PlannerTaskInput[], rest = {}): PlannerTaskInput => ({
  task_id: "g",
  for_each: { items: "${list.hits}", tasks, ...rest },
});
const call = (task_id: string, rest: Partial<PlannerTaskInput> = {}): PlannerTaskInput => ({
  task_id,
  tool_id: "list",
  ...rest,
});

const cases: { name: string; tasks: PlannerTaskInput[]; issues: [IssueCode, string][] }[] = [
  { name: "a list of texts from a list", tasks: [list, each("${item.id}"), joined("${f.*.text}")], issues: [] },
  { name: "the place in the list is an integer", tasks: [list, each("${index}")], issues: [] },
  {
    name: "an element's field of another type",
    tasks: [list, each("${item.name}")],
    issues: [["type_mismatch", "expected integer, but ${item.name} is string"]],
  },
  {
    name: "a field that no element has",
    tasks: [list, each("${item.idd}")],
    issues: [["unknown_output", "${item.idd}: an element (object) has no"]],
  },
  {
    name: "no list",
    tasks: [list, each("${item.id}", "${list.total}")],
    issues: [["type_mismatch", "expected a list, but ${list.total} is integer"]],
  },
  {
    name: "text instead of a reference",
    tasks: [list, each("${index}", "hits")],
    issues: [["type_mismatch", "expected one reference to a list"]],
  },
  {
    name: "the whole result where one is wanted",
    tasks: [list, each("${item.id}"), joined("${f.text}")],
    issues: [["unknown_output", 'the output of "f" (array) has no']],
  },
  {
    name: "a list of the wrong things",
    tasks: [list, each("${item.id}"), joined("${f}")],
    issues: [["type_mismatch", "items: string expected, got object"]],
  },
  {
    name: "types inside of elements",
    tasks: [list, inner([each("${item.name}", "${item.id}"), joined("${item}")])],
    issues: [
      ["type_mismatch", 'In the elements of "g"'],
      ["type_mismatch", 'In the elements of "g"'],
    ],
  },
  {
    name: "an unknown name inside of elements",
    tasks: [list, inner([call("a", { arguments: { x: "${lst}" } })])],
    issues: [["unknown_reference", 'In the elements of "g": Task "a"']],
  },
  {
    name: "a result that is none of the tasks",
    tasks: [list, inner([call("a")], { result: "z" })],
    issues: [["schema", '`for_each.result` of task "g" is "z"']],
  },
  {
    name: "a task that executes itself and others",
    tasks: [list, { ...inner([call("a")]), tool_id: "list" }],
    issues: [["schema", "has `tool_id` and `for_each.tasks`"]],
  },
  {
    name: "a task called as the element",
    tasks: [list, call("item"), each("${item.id}")],
    issues: [["name_collision", '"item"']],
  },
  {
    name: "a task called as an element of another",
    tasks: [list, each("${item.id}"), call("f[3]")],
    issues: [["name_collision", 'has the id of an element of task "f"']],
  },
  {
    name: "a cycle through a list and a condition",
    tasks: [call("a", { for_each: { items: "${b.hits}" } }), call("b", { when: { condition: "${a} = 1" } })],
    issues: [["cycle", "a -> b -> a"]],
  },
  {
    name: "a task that can never run",
    tasks: [call("a", { when: { condition: "false" } }), call("b", { dependencies: ["a"] })],
    issues: [
      ["never_runs", '"a" can never run'],
      ["never_runs", 'needs task "a"'],
    ],
  },
  {
    name: "what may have been skipped",
    tasks: [
      call("a", { when: { condition: "${input.x}" } }),
      call("b"),
      call("c", { dependencies: ["b"], join: "none_failed", arguments: { x: "${a.total}" } }),
    ],
    issues: [["may_be_skipped", "Write ${a.total?} to get null then"]],
  },
  {
    name: "what may have been skipped, with ?",
    tasks: [
      call("a", { when: { condition: "${input.x}" } }),
      call("b"),
      call("c", { dependencies: ["b"], join: "any", arguments: { x: "${a.total?}" } }),
    ],
    issues: [],
  },
  {
    name: "a condition with a malformed reference",
    tasks: [call("a", { when: { condition: "${a" } })],
    issues: [["reference_syntax", ""]],
  },
];

test.for(cases)("$name", ({ tasks, issues }) => {
  const found = validatePlan({ planned_tasks: tasks }, resources).filter(({ code }) => code !== "unknown_argument");
  expect(found.map(({ code, message }) => [code, message])).toEqual(
    issues.map(([code, text]) => [code, expect.stringContaining(text)]),
  );
});

test.for([
  { field: "items", for_each: { items: 7 } },
  { field: "concurrency", for_each: { items: "${a}", concurrency: 0 } },
  { field: "on_failure", for_each: { items: "${a}", on_failure: "some" } },
  { field: "on_failure.first", for_each: { items: "${a}", on_failure: { first: 0 } } },
  { field: "max_items", for_each: { items: "${a}", max_items: 10_000_000 } },
  { field: "as", for_each: { items: "${a}", as: "index" } },
  { field: "an unknown one", for_each: { items: "${a}", batch: 3 } },
])("a record with a wrong $field is refused", ({ for_each }) => {
  expect(PlannerTask.safeParse({ task_id: "t", for_each }).success).toBe(false);
});

test("lists and conditions imply dependencies, and name no variables of their own", () => {
  const plan = TaskData.parse({
    planned_tasks: [list, call("b"), { ...each("${item.id} ${limit}"), when: { condition: "${b.total} > ${least}" } }],
  });
  expect(effectiveDependencies(plan)[2]).toEqual(["list", "b"]);
  expect(planView(plan).inPtr[3]).toBe(2);
  expect(variableNames(plan)).toEqual(["limit", "least"]);
});

test("a definition is what is done, whatever runs at once", () => {
  const hashOf = (task: PlannerTaskInput) =>
    planHashes(TaskData.parse({ planned_tasks: [list, task] })).get(task.task_id!)?.definition_hash;
  const one = hashOf(each("${item.id}"));
  const list10 = { items: "${list.hits}", concurrency: 10, max_items: 5 };
  expect(hashOf({ ...each("${item.id}"), for_each: list10 })).toBe(one);
  expect(hashOf({ ...each("${item.id}"), for_each: { items: "${list.hits}", on_failure: "collect" } })).not.toBe(one);
  expect(hashOf({ ...each("${item.id}"), when: { condition: "true" } })).not.toBe(one);
  expect(hashOf(inner([call("a")]))).not.toBe(hashOf(inner([call("a", { arguments: { x: 1 } })])));
  expect(hashOf(inner([call("a")]))).toBe(hashOf(inner([call("a", { creation_time: "2020-01-01T00:00:00Z" })])));
});

test("a drawing says how often and when", () => {
  const plan = TaskData.parse({
    planned_tasks: [list, { ...each("${item.id}"), when: { condition: "${list.total} > 3" } }],
  });
  expect(renderAscii(plan, { width: 120 })).toContain("each of ${list.hits}, when ${list.total} > 3");
});
