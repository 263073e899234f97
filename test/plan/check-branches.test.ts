import { type PlannerTaskInput, validatePlan } from "@planloom/plan";
import { describe, expect, test } from "vitest";

const task = (task_id: string, more: PlannerTaskInput = {}): PlannerTaskInput => ({ task_id, tool_id: "x", ...more });
const when = (condition: string) => ({ when: { condition } });
const needs = (...dependencies: string[]) => ({ dependencies });
const decision = (
  task_id: string,
  branches: Record<string, string>,
  otherwise?: string,
  more: PlannerTaskInput = {},
): PlannerTaskInput => ({
  task_id,
  choose: {
    branches: Object.entries(branches).map(([name, condition]) => ({ name, condition })),
    ...(otherwise !== undefined && { else: otherwise }),
  },
  ...more,
});
const issues = (tasks: PlannerTaskInput[]) => validatePlan({ planned_tasks: tasks });
const never = (task_id: string, why: string, path: string, what = `Task "${task_id}" can never run`) => ({
  code: "never_runs",
  severity: "warning",
  message: `${what}: ${why}.`,
  task_id,
  argument_path: path,
});
const branch = (task_id: string, name: string, why: string, path: string) =>
  never(task_id, why, path, `Branch "${name}" of task "${task_id}" can never be chosen`);
const unknown = "${input.x} > 1";
const isFalse = "its condition is always false";

describe("what never runs", () => {
  test.for<[string, PlannerTaskInput[], object[]]>([
    [
      "a condition that is false, however it is written",
      [task("a", when(" ((false) ) "))],
      [never("a", isFalse, "when.condition")],
    ],
    ["one that only begins so", [task("a", when("false or ${input.x}"))], []],
    ["one that is true", [task("a", when("true")), task("b", needs("a"))], []],
    [
      "all that needs it, in a row, by the first",
      [task("a", when("false")), task("b", needs("a")), task("c", needs("b")), task("d")],
      [
        never("a", isFalse, "when.condition"),
        never("b", 'it needs task "a", which can never run', "dependencies"),
        never("c", 'it needs task "a", which can never run', "dependencies"),
      ],
    ],
    [
      "where any of two will do, if neither can",
      [
        task("a", when("false")),
        task("b", when("false")),
        task("one", { ...needs("a", "c"), join: "any" }),
        task("both", { ...needs("a", "b"), join: "any" }),
        task("last", { ...needs("a", "b"), join: "none_failed" }),
        task("c"),
      ],
      [
        never("a", isFalse, "when.condition"),
        never("b", isFalse, "when.condition"),
        never("both", 'it needs task "a", which can never run', "dependencies"),
      ],
    ],
    ["where any will do and there is none", [task("a", { join: "any" })], []],
    [
      "a branch that is false, one that another takes first, and one after what is always chosen",
      [
        decision("d", { a: "false", b: unknown, c: ` ${unknown} `, t: "(true)", e: "${input.y}", f: unknown }, "z"),
        task("of-a", when("${d.a}")),
        task("of-b", when("${d.b}")),
        task("of-z", when("${d.z}")),
      ],
      [
        branch("d", "a", isFalse, "choose.branches[0]"),
        branch("d", "c", 'branch "b" before it has the same condition', "choose.branches[2]"),
        branch("d", "e", 'branch "t" before it is always chosen', "choose.branches[4]"),
        branch("d", "f", 'branch "t" before it is always chosen', "choose.branches[5]"),
        branch("d", "z", 'branch "t" before it is always chosen', "choose.else"),
        never("of-a", 'branch "a" of task "d" can never be chosen', "when.condition"),
        never("of-z", 'branch "z" of task "d" can never be chosen', "when.condition"),
      ],
    ],
    [
      "what needs two branches of one decision, itself or by what it needs",
      [
        decision("d", { a: unknown }, "b"),
        task("one", when("${d.a}")),
        task("two", when("${d.b}")),
        task("both", needs("one", "two")),
        task("itself", { ...needs("one"), ...when("${d.b}") }),
        task("after", needs("both")),
        task("either", { ...needs("one", "two"), join: "any" }),
      ],
      ["both", "itself"]
        .map((name) =>
          never(name, 'it needs the branches "a" and "b" of task "d", of which one alone is chosen', "dependencies"),
        )
        .concat([never("after", 'it needs task "both", which can never run', "dependencies")]),
    ],
    [
      "not what needs branches of two decisions, or one branch twice",
      [
        decision("d", { a: unknown }, "b"),
        decision("e", { a: "${input.y}" }, "b"),
        task("one", when("${d.a}")),
        task("two", when("${e.b}")),
        task("three", when("${d.a}")),
        task("all", needs("one", "two", "three")),
      ],
      [],
    ],
    [
      "not what asks for more than a branch",
      [
        decision("d", { a: "false", b: unknown }, "c"),
        task("one", when("not ${d.a}")),
        task("two", when("${d.a.x?}")),
        task("three", when("${e.a}")),
        task("e"),
      ],
      [branch("d", "a", isFalse, "choose.branches[0]")],
    ],
  ])("%s", ([, tasks, expected]) => {
    const found = issues(tasks).filter(({ code }) => code === "never_runs");
    expect(found.map((each) => each.message).sort()).toEqual(
      (expected as typeof found).map((each) => each.message).sort(),
    );
    expect(found).toEqual(expect.arrayContaining(expected));
  });
});

test("a decision without an else fails where no condition is true", () => {
  const without = {
    code: "no_else",
    severity: "warning",
    message:
      'Task "d" fails where none of its conditions is true. Name the branch for everything else in `choose.else`.',
    task_id: "d",
    argument_path: "choose.else",
  };
  expect(issues([decision("d", { a: unknown })])).toEqual([without]);
  expect(issues([decision("d", { a: unknown }, "b")])).toEqual([]);
  expect(issues([decision("d", { a: unknown, b: " true" })])).toEqual([]);
  expect(issues([{ task_id: "d", tool_id: "x", choose: { branches: [{ name: "a" }, { name: "b" }] } }])).toEqual([]);
});

test("no task has the id of an element of another", () => {
  const each = { for_each: { items: [1] } };
  expect(issues([task("f", each), task("f[3]")])).toEqual([
    {
      code: "name_collision",
      severity: "error",
      message: 'Task "f[3]" has the id of an element of task "f", which has `for_each`. Rename one of them.',
      task_id: "f[3]",
      actual: "f[3]",
    },
  ]);
  for (const id of ["f[x]", "f[03]", "g[3]", "f[3]x", "h[3]"])
    expect(issues([task("f", each), task("h"), task(id)])).toEqual([]);
});

describe("what may be skipped is read with ?", () => {
  const skipped = (from: string, why: string, join = "any", path = "x") => ({
    code: "may_be_skipped",
    severity: "error",
    message: `Task "r": \`${path}\` refers to task "${from}", which ${why} when this task starts (\`join: "${join}"\`). Write \${${from}.y?} to get null then.`,
    task_id: "r",
    argument_path: path,
    from_task_id: from,
    repair: { operation: "replace", candidates: [`\${${from}.y?}`] },
  });
  const maySkip = task("a", when(unknown));
  const reader = (join: "all" | "any" | "none_failed", more: PlannerTaskInput = {}) =>
    task("r", { join, arguments: { x: "${a.y}" }, ...more });
  const late = { event: "e", timeout_ms: 1, on_deadline: "skip" } as const;

  test.for<[string, PlannerTaskInput[], object[]]>([
    ["where all are needed, it was not skipped", [maySkip, reader("all")], []],
    ["where any will do", [maySkip, task("b"), reader("any", needs("b"))], [skipped("a", "may have been skipped")]],
    [
      "where none may have failed",
      [maySkip, reader("none_failed")],
      [skipped("a", "may have been skipped", "none_failed")],
    ],
    [
      "of the branch that the task itself is of, and of one within it",
      [
        decision("d", { a: unknown }, "b"),
        task("a", when("${d.a}")),
        decision("in-a", { c: unknown }, "e", when("${d.a?} = true")),
        task("c", { ...when("${in-a.c}"), arguments: { x: "${a.z}" } }),
        reader("none_failed", { ...when("${in-a.c?} = true"), arguments: { x: ["${a.y}", "${c.y}"] } }),
      ],
      [],
    ],
    [
      "in the condition that asks for a branch of a decision within another branch",
      [
        decision("d", { a: unknown }, "b"),
        decision("in-a", { y: unknown }, "e", when("${d.a}")),
        task("r", { join: "none_failed", ...when("${in-a.y}") }),
      ],
      [skipped("in-a", "may have been skipped", "none_failed", "when.condition")],
    ],
    [
      "of two branches, which never runs",
      [
        decision("d", { a: unknown }, "b"),
        task("b", when("${d.b}")),
        task("a", { ...when("${d.a}"), ...needs("b") }),
        reader("none_failed", when("${d.a}")),
      ],
      [
        never("a", 'it needs the branches "b" and "a" of task "d", of which one alone is chosen', "dependencies"),
        skipped("a", "may have been skipped", "none_failed"),
      ],
    ],
    [
      "of another branch",
      [decision("d", { a: unknown }, "b"), task("a", when("${d.a}")), reader("none_failed", when("${d.b}"))],
      [skipped("a", "may have been skipped", "none_failed")],
    ],
    [
      "of the same branch, with a condition of its own",
      [
        decision("d", { a: unknown }, "b"),
        task("a0", when(unknown)),
        task("a", { ...when("${d.a}"), ...needs("a0") }),
        reader("none_failed", when("${d.a}")),
      ],
      [skipped("a", "may have been skipped", "none_failed")],
    ],
    ["with ?", [maySkip, task("b"), reader("any", { arguments: { x: "${a.y?}" }, ...needs("b") })], []],
    [
      "of two of which one will do, the other may not be done",
      [task("a"), task("b"), reader("any", needs("b"))],
      [skipped("a", "may not have been completed")],
    ],
    ["the only one of which any will do is done", [task("a"), reader("any")], []],
    [
      "what cannot be skipped, where none may have failed",
      [task("a"), task("b"), reader("none_failed", needs("b"))],
      [],
    ],
    [
      "what needs something that may be skipped",
      [task("s", when(unknown)), task("a", needs("s")), reader("none_failed")],
      [skipped("a", "may have been skipped", "none_failed")],
    ],
    [
      "what needs any of several that all may be skipped",
      [
        task("s", when(unknown)),
        task("s2", when(unknown)),
        task("a", { ...needs("s", "s2"), join: "any" }),
        reader("none_failed"),
      ],
      [skipped("a", "may have been skipped", "none_failed")],
    ],
    [
      "not what needs any of several of which one is not skipped",
      [task("s", when(unknown)), task("s2"), task("a", { ...needs("s", "s2"), join: "any" }), reader("none_failed")],
      [],
    ],
    [
      "a wait that is skipped when it is late",
      [{ task_id: "a", wait: late }, reader("none_failed")],
      [skipped("a", "may have been skipped", "none_failed")],
    ],
    [
      "a call that is given up",
      [task("a", { retry_until: { condition: "true", timeout_ms: 1, on_deadline: "skip" } }), reader("none_failed")],
      [skipped("a", "may have been skipped", "none_failed")],
    ],
    ["not a wait that fails", [{ task_id: "a", wait: { event: "e", timeout_ms: 1 } }, reader("none_failed")], []],
    [
      "in a condition",
      [maySkip, reader("none_failed", { arguments: {}, ...when("${a.y} > 1") })],
      [skipped("a", "may have been skipped", "none_failed", "when.condition")],
    ],
  ])("%s", ([, tasks, expected]) => {
    expect(issues(tasks)).toEqual(expected);
  });
});
