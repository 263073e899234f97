import {
  diffPlans,
  effectiveDependencies,
  type IssueCode,
  PlannerTask,
  type PlannerTaskInput,
  planHashes,
  planView,
  type Resource,
  renderAscii,
  renderDot,
  renderMermaid,
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

const when = (condition: string) => ({ when: { condition } });
const branch = (name: string, condition?: string) => ({ name, ...(condition !== undefined && { condition }) });
const choice = (branches: ReturnType<typeof branch>[], otherwise?: string): PlannerTaskInput => ({
  task_id: "d",
  choose: { branches, ...(otherwise !== undefined && { else: otherwise }) },
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
    name: "a decision, and what reads it",
    tasks: [
      list,
      choice([branch("few", "${list.total} < 3"), branch("many", "${list.total} < 300")], "most"),
      call("a", when("${d.few}")),
      call("b", when("${d.many} and ${list.total} > 5")),
      call("c", { ...when("${d.most}"), arguments: { x: "${d.chosen}" } }),
    ],
    issues: [],
  },
  {
    name: "a branch that a decision does not have",
    tasks: [list, choice([branch("few", "${list.total} < 3")], "many"), call("a", when("${d.meny}"))],
    issues: [["unknown_output", "${d.meny}"]],
  },
  {
    name: "an answer of a decision that asks nobody",
    tasks: [list, choice([branch("few", "${list.total} < 3")], "many"), call("a", { arguments: { x: "${d.answer}" } })],
    issues: [["unknown_output", "${d.answer}"]],
  },
  {
    name: "the answer of a tool that decides, by its type",
    tasks: [
      { ...choice([branch("few"), branch("many")]), tool_id: "list" },
      call("a", { ...when("${d.few}"), arguments: { x: "${d.answer.total}" } }),
      call("b", { ...when("${d.many}"), arguments: { x: "${d.answer.totl}" } }),
    ],
    issues: [["unknown_output", "${d.answer.totl}"]],
  },
  {
    name: "a decision without an else",
    tasks: [list, choice([branch("few", "${list.total} < 3")])],
    issues: [["no_else", 'Task "d" fails where none of its conditions is true']],
  },
  {
    name: "no else where the last condition is true",
    tasks: [list, choice([branch("few", "${list.total} < 3"), branch("rest", "true")])],
    issues: [],
  },
  {
    name: "branches that can never be chosen, and what needs them",
    tasks: [
      choice([branch("a", "(false)"), branch("b", "${input.x}"), branch("c", "${input.x}"), branch("d", "true")], "e"),
      call("one", when("${d.a}")),
      call("two", { dependencies: ["one"] }),
      call("three", when("${d.e}")),
      call("four", when("${d.b}")),
    ],
    issues: [
      ["never_runs", 'Branch "a" of task "d" can never be chosen: its condition is always false'],
      ["never_runs", 'Branch "c" of task "d" can never be chosen: branch "b" before it has the same condition'],
      ["never_runs", 'Branch "e" of task "d" can never be chosen: branch "d" before it is always chosen'],
      ["never_runs", 'Task "one" can never run: branch "a" of task "d"'],
      ["never_runs", 'Task "three" can never run: branch "e" of task "d"'],
      ["never_runs", 'Task "two" can never run: it needs task "one"'],
    ],
  },
  {
    name: "a task that needs two branches of one decision",
    tasks: [
      choice([branch("a", "${input.x}")], "b"),
      call("one", when("${d.a}")),
      call("two", when("${d.b}")),
      call("both", { dependencies: ["one", "two"] }),
      call("either", { dependencies: ["one", "two"], join: "any", arguments: { x: "${one.total?}" } }),
    ],
    issues: [["never_runs", 'Task "both" can never run: it needs the branches "a" and "b" of task "d"']],
  },
  {
    name: "a reference to a branch that may be skipped",
    tasks: [
      choice([branch("a", "${input.x}")], "b"),
      call("one", when("${d.a}")),
      call("two", when("${d.b}")),
      call("either", { dependencies: ["two"], join: "any", arguments: { x: "${one.total}" } }),
    ],
    issues: [["may_be_skipped", "Write ${one.total?} to get null then"]],
  },
  {
    name: "a cycle through a branch",
    tasks: [choice([branch("a", "${one.total} > 3")], "b"), call("one", when("${d.a}"))],
    issues: [["cycle", "d -> one -> d"]],
  },
  {
    name: "conditions and a tool",
    tasks: [{ ...choice([branch("a", "${input.x}")], "b"), tool_id: "list" }],
    issues: [["schema", "has `tool_id` and conditions in `choose.branches`"]],
  },
  {
    name: "a gate where nothing is called",
    tasks: [{ ...choice([branch("a", "${input.x}")], "b"), approval: "required" }],
    issues: [["schema", "has `approval` and makes no call"]],
  },
  {
    name: "a decision about a list in the task of the list",
    tasks: [list, { ...choice([branch("a", "${item.id} > 3")], "b"), for_each: { items: "${list.hits}" } }],
    issues: [["schema", "has `choose` and `for_each`"]],
  },
  {
    name: "a decision within a list",
    tasks: [
      list,
      inner([choice([branch("a", "${item.idd} > 3")], "b"), call("one", when("${d.a}")), call("two", when("${d.c}"))]),
    ],
    issues: [
      ["unknown_output", 'In the elements of "g"'],
      ["unknown_output", 'In the elements of "g"'],
    ],
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

test.for([
  { name: "no branches", choose: { branches: [] } },
  { name: "two branches of one name", choose: { branches: [branch("a"), branch("a")] } },
  { name: "an else that is a branch", choose: { branches: [branch("a")], else: "a" } },
  { name: "conditions in some branches alone", choose: { branches: [branch("a", "true"), branch("b")] } },
  { name: "a branch named as a field of the output", choose: { branches: [branch("chosen")] } },
  { name: "a branch named as a prototype's", choose: { branches: [branch("constructor")] } },
  { name: "a name that is no word", choose: { branches: [branch("a b")] } },
  { name: "101 branches", choose: { branches: Array.from({ length: 101 }, (_, n) => branch(`b${n}`)) } },
  { name: "an unknown field", choose: { branches: [{ name: "a", tasks: ["x"] }] } },
])("a decision with $name is refused", ({ choose }) => {
  const task = { task_id: "d", choose };
  expect(PlannerTask.safeParse(task).success).toBe(false);
  expect(validatePlan({ planned_tasks: [task] }).some(({ severity }) => severity === "error")).toBe(true);
});

test("a misspelt field of a task within a list is an unknown field, as of any task", () => {
  const misspelt = { ...call("a"), aproval: "required", argumnts: { x: 1 } };
  const deep = { task_id: "h", for_each: { items: "${list.hits}", tasks: [misspelt] } };
  const found = validatePlan({ planned_tasks: [list, inner([deep as PlannerTaskInput])] }, resources);
  expect(
    found.map(({ code, severity, task_id, argument_path, repair }) => [
      code,
      severity,
      task_id,
      argument_path,
      repair?.candidates,
    ]),
  ).toEqual([
    ["unknown_field", "error", "a", "aproval", ["approval"]],
    ["unknown_field", "error", "a", "argumnts", ["arguments"]],
  ]);
});

test.for([
  ["foreach", "for_each"],
  ["forEach", "for_each"],
  ["if", "when"],
  ["condition", "when"],
  ["switch", "choose"],
  ["trigger_rule", "join"],
])("what other systems call %s is %s", ([field, meant]) => {
  const [issue] = validatePlan({ planned_tasks: [{ ...call("a"), [field!]: { x: 1 } }] });
  expect(issue).toMatchObject({ code: "unknown_field", repair: { candidates: [meant] } });
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

test("a decision is hashed, compared and drawn with its branches", () => {
  const planOf = (task: PlannerTaskInput) => TaskData.parse({ planned_tasks: [list, task] });
  const hashOf = (task: PlannerTaskInput) => planHashes(planOf(task)).get("d")?.definition_hash;
  const one = choice([branch("few", "${list.total} < 3")], "many");
  expect(hashOf(one)).not.toBe(hashOf(choice([branch("few", "${list.total} < 4")], "many")));
  expect(hashOf(one)).not.toBe(hashOf(choice([branch("few", "${list.total} < 3")])));
  const { base, other } = {
    base: planOf(one),
    other: planOf(choice([branch("few", "${list.total} < 4")], "many")),
  };
  expect(JSON.stringify(diffPlans(base, other))).toContain("choose.branches[0].condition");
  expect(renderAscii(base, { width: 120 })).toContain("choose few | else many");
  expect(effectiveDependencies(base)[1]).toEqual(["list"]);
  const branches = TaskData.parse({
    planned_tasks: [list, one, call("a", when("${d.few}")), call("b", when("${d.many}"))],
  });
  expect(renderMermaid(branches)).toMatch(/t1\{"d<br\/>[\s\S]*t1 -->\|"few"\| t2\n {2}t1 -->\|"many"\| t3/);
  expect(renderDot(branches)).toMatch(/t1 \[label="d\\n.*shape=diamond[\s\S]*t1 -> t2 \[label="few"\];/);
});

test("a drawing says how often and when", () => {
  const plan = TaskData.parse({
    planned_tasks: [list, { ...each("${item.id}"), when: { condition: "${list.total} > 3" } }],
  });
  expect(renderAscii(plan, { width: 120 })).toContain("each of ${list.hits}, when ${list.total} > 3");
});
