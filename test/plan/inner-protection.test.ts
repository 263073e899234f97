import {
  draftPatch,
  type PlannerTask,
  type PlannerTaskInput,
  PlanPatch,
  planRevision,
  type TaskData,
  validatePlan,
  verifyPatch,
} from "@planloom/plan";
import { expect, test } from "vitest";
import { planOf, task } from "../support/plans.ts";

const tool = (tool_id: string, more: PlannerTaskInput = {}): PlannerTask =>
  task({ task_id: tool_id, execution_type: "tool", tool_id, main_task_id: "plan", ...more });
const list = (task_id: string, tasks: PlannerTask[], more: PlannerTaskInput = {}): PlannerTask =>
  task({ task_id, main_task_id: "plan", for_each: { items: [1, 2], tasks }, ...more });
const secret = (name: string) => ({ arguments: { key: { $secret: name } } });

/** The patch as its author wrote it, without what `draftPatch` adds. */
function asWritten(plan: TaskData, old: string, added: PlannerTask): PlanPatch {
  const id = `${added.task_id}_new`;
  return PlanPatch.parse({
    patch_id: "patch",
    plan_id: plan.task_id,
    base: planRevision(plan),
    replacements: [{ task_id: old, replaced_by: [id], output_from: id }],
    tasks: [{ ...added, task_id: id, main_task_id: old }],
    renewed: [],
    creation_time: new Date(0).toISOString(),
  });
}
const faults = (plan: TaskData, patch: PlanPatch) =>
  verifyPatch(plan, patch)
    .filter(({ code }) => code === "patch_protection")
    .map(({ message }) => message);

test.for<{ name: string; before: PlannerTask[]; after: PlannerTask; lacks: string }>([
  {
    name: "a gate of a list's task is inherited by a plain task",
    before: [list("x", [tool("pay", { approval: "required" })])],
    after: tool("pay"),
    lacks: 'approval: "required"',
  },
  {
    name: "a gate of a task in a list within a list is inherited by another list",
    before: [list("x", [list("inner", [tool("pay", { approval: "required" })])])],
    after: list("y", [tool("pay")]),
    lacks: 'approval: "required"',
  },
  {
    name: "a plain task's few attempts hold for the tasks of a list in its place",
    before: [tool("x", { retry: { max_attempts: 2 } })],
    after: list("y", [tool("pay", { retry: { max_attempts: 1_000 } })], { retry: { max_attempts: 2 } }),
    lacks: "retry.max_attempts",
  },
  {
    name: "a list's tasks keep their attempts",
    before: [list("x", [tool("pay", { retry: { max_attempts: 1 } })])],
    after: list("y", [tool("pay")]),
    lacks: "retry.max_attempts",
  },
  {
    name: "time limits of a list's tasks hold for a plain task",
    before: [list("x", [tool("pay", { timeout_ms: 500 })])],
    after: tool("pay"),
    lacks: "timeout_ms",
  },
  {
    name: "a call that was made behind a gate is not made by a list without one",
    before: [tool("x"), tool("check", { approval: "required" }), tool("pay", { dependencies: ["check"] })],
    after: list("y", [tool("look"), tool("pay")]),
    lacks: 'approval: "required"',
  },
  {
    name: "a call that a list made behind a gate of its own is not made by a plain task without one",
    before: [tool("x"), list("l", [tool("check", { approval: "required" }), tool("pay", { dependencies: ["check"] })])],
    after: tool("pay"),
    lacks: 'approval: "required"',
  },
  {
    name: "a list's task names no secret that its resource did not have",
    before: [tool("x", secret("TOKEN"))],
    after: list("y", [tool("mail", secret("TOKEN"))]),
    lacks: 'names the secret "TOKEN"',
  },
])("$name: a patch without it is refused, and a drafted one has it", ({ before, after, lacks }) => {
  const plan = planOf(before);
  expect(faults(plan, asWritten(plan, "x", after)).join()).toContain(lacks);
  const { patch } = draftPatch(plan, { tasks: [{ ...after, task_id: "new", replaces: ["x"] }] });
  const left = faults(plan, patch!);
  if (lacks.includes("secret")) expect(left).toHaveLength(1);
  else expect(left).toEqual([]);
});

test("a list that keeps what protects its tasks, and the secrets they had, may replace it", () => {
  const gate = { approval: "required" } as const;
  const inner = [tool("check", gate), list("in", [tool("mail", { ...gate, ...secret("TOKEN") })])];
  const plan = planOf([list("x", inner)]);
  expect(faults(plan, asWritten(plan, "x", list("y", inner)))).toEqual([]);
  // A question about an element does not show the calls in it.
  const [check, nested] = inner;
  const open = list("y", [check!, { ...nested!, for_each: { items: [1], tasks: [tool("mail")] } }], gate);
  expect(faults(plan, asWritten(plan, "x", open)).join()).toContain('in its task "mail"');
});

test("a dropped list's gate moves on to what comes after it", () => {
  const plan = planOf([list("x", [tool("pay", { approval: "required" })]), tool("send", { dependencies: ["x"] })]);
  const { patch } = draftPatch(plan, { tasks: [{ ...tool("send"), task_id: "s2", replaces: ["send"] }], drop: ["x"] });
  expect(patch?.tasks[0]?.approval).toBe("required");
});

test.for<{ name: string; group: object; code: string; says: string }>([
  {
    name: "a misspelt gate",
    group: { items: [1], tasks: [{ tool_id: "pay", approvl: "required" }] },
    code: "unknown_field",
    says: "approvl",
  },
  { name: "an unknown tool", group: { items: [1], tasks: [{ tool_id: "gone" }] }, code: "unknown_tool", says: "gone" },
  {
    name: "an argument that would be lost",
    group: JSON.parse('{"items":[1],"tasks":[{"tool_id":"pay","arguments":{"__proto__":{"a":1}}}]}'),
    code: "schema",
    says: "__proto__",
  },
  {
    name: "a secret that is to be an element",
    group: { items: [{ $secret: "TOKEN" }], tasks: [{ tool_id: "pay", arguments: { a: "${item}" } }] },
    code: "misplaced_secret",
    says: "for_each.items",
  },
  {
    name: "a secret before a model",
    group: { items: [1], tasks: [{ execution_type: "llm", parameters: { uid: "m" }, ...secret("TOKEN") }] },
    code: "misplaced_secret",
    says: "only tools",
  },
])("$name within a list is an error of the plan", ({ group, code, says }) => {
  const resources = [
    { kind: "tool" as const, id: "pay", description: "" },
    { kind: "llm" as const, id: "m", description: "" },
  ];
  const issues = validatePlan({ planned_tasks: [{ task_id: "g", for_each: group }] }, resources);
  const found = issues.filter((issue) => issue.code === code && issue.message.includes(says));
  expect(found).toMatchObject([{ severity: "error" }]);
});

const searched = tool("search", { status: "completed", output: { hits: [1] } });
const over = (task_id: string, more: PlannerTaskInput): PlannerTask =>
  task({ task_id, main_task_id: "plan", ...more, for_each: { items: "${search.hits}", ...more.for_each } });
const pay = (element: string) => ({
  execution_type: "tool" as const,
  tool_id: "pay",
  arguments: { to: `\${${element}}` },
});

test.for<{ name: string; kept: PlannerTask; added: PlannerTask; repeats: boolean }>([
  {
    name: "a list over the same items, by another name",
    kept: over("x", pay("item")),
    added: over("y", { ...pay("one"), for_each: { items: "${search.hits}", as: "one" } }),
    repeats: true,
  },
  {
    name: "a task in a list, as another list's own",
    kept: over("x", pay("item")),
    added: over("y", { for_each: { items: "${search.hits}", tasks: [task({ task_id: "z", ...pay("item") })] } }),
    repeats: true,
  },
  {
    name: "a task in a list, behind another that is called alike",
    kept: over("x", {
      for_each: { items: "${search.hits}", tasks: [tool("look"), task({ task_id: "z", ...pay("look.id") })] },
    }),
    added: over("y", {
      for_each: {
        items: "${search.hits}",
        tasks: [tool("seen", { tool_id: "look" }), task({ task_id: "w", ...pay("seen.id") })],
      },
    }),
    repeats: true,
  },
  {
    name: "a task in a list, behind another call",
    kept: over("x", {
      for_each: { items: "${search.hits}", tasks: [tool("look"), task({ task_id: "z", ...pay("look.id") })] },
    }),
    added: over("y", {
      for_each: { items: "${search.hits}", tasks: [tool("find"), task({ task_id: "z", ...pay("find.id") })] },
    }),
    repeats: false,
  },
  {
    name: "a list over other items",
    kept: over("x", pay("item")),
    added: over("y", { ...pay("item"), for_each: { items: "${search.more}" } }),
    repeats: false,
  },
  {
    name: "a field of the element instead of the element",
    kept: over("x", pay("item")),
    added: over("y", pay("item.id")),
    repeats: false,
  },
])("a call that the plan makes in a list is not made again: $name", ({ kept, added, repeats }) => {
  const plan = planOf([searched, kept, tool("gone", { dependencies: ["search"] })]);
  const found = verifyPatch(plan, asWritten(plan, "gone", added)).filter(({ code }) => code === "task_repeated");
  expect(found.length > 0).toBe(repeats);
});
