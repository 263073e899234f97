import { type PlanReading, readPlan, TaskData, type TaskDataInput, validatePlan } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import {
  hasOnlyKnownFields,
  keptUnreadIssues,
  unreadFields,
  unreadIssue,
  withKnownFields,
  withKnownTaskFields,
  withUnreadFields,
} from "../../packages/plan/src/validation/unread-fields.ts";

const warningsOf = (task: Record<string, unknown>) =>
  validatePlan({ planned_tasks: [{ task_id: "a", ...task }] }).filter(({ code }) => code === "unknown_field");

describe("fields that nothing reads", () => {
  test.for([
    { task: { execution_type: "tool", uid: "pay" }, path: "uid", meant: "tool_id" },
    { task: { execution_type: "agent_call", uid: "crm" }, path: "uid", meant: "agent_id" },
    { task: { execution_type: "llm", uid: "small" }, path: "uid", meant: "parameters.uid" },
    { task: { uid: "small" }, path: "uid", meant: "parameters.uid" },
    { task: { argument: { x: 1 } }, path: "argument", meant: "arguments" },
    { task: { depends_on: ["b"] }, path: "depends_on", meant: "dependencies" },
    { task: { aproval: "required" }, path: "aproval", meant: "approval" },
    { task: { colour: 1 }, path: "colour", meant: undefined },
  ])("$task: $meant is meant", ({ task, path, meant }) => {
    const [warning, ...more] = warningsOf(task);
    expect(more).toEqual([]);
    expect(warning).toMatchObject({ severity: "error", task_id: "a", argument_path: path });
    expect(warning?.message).toContain(meant === undefined ? "nothing reads it." : `; perhaps ${meant} is meant`);
    expect(warning?.repair?.candidates).toEqual(meant && [meant]);
  });

  test.for([
    ["next", { tasks: [{ id: "a", next: ["b"] }, { id: "b" }] }],
    [
      "pred",
      {
        tasks: [
          { id: 1, seconds: 3 },
          { id: 2, pred: [1] },
        ],
      },
    ],
    ["links", { tasks: [{ id: "a" }, { id: "b" }], links: [{ source: "a", target: "b", weight: 3 }] }],
    ["links", { planned_tasks: [{ task_id: "a" }, { task_id: "b" }], links: [["a", "b"]] }],
  ] as const)("a list of other tasks is a dependency, whatever it is called: %s", ([field, value]) => {
    const plan = readPlan(value);
    const [issue, ...more] = keptUnreadIssues(plan.metadata);
    expect(more).toEqual([]);
    expect(issue).toMatchObject({ severity: "error", argument_path: field });
    expect(issue!.message).toContain("It looks like a dependency");
  });

  test("a list that is of no tasks, or of the task itself, is no dependency", () => {
    const tasks = [{ id: "a", tags: ["x"], colours: ["b", "x"], self: ["a"], name: "b", sizes: [1, 2] }, { id: "b" }];
    expect(keptUnreadIssues(readPlan({ tasks }).metadata)).toEqual([]);
  });

  test("one warning a name, however many tasks have it; at most 20 names", () => {
    const tasks = Array.from({ length: 1_000 }, (_, number) => ({
      task_id: `t${number}`,
      uid: "x",
      [`own${number}`]: 1,
    }));
    const warnings = validatePlan({ planned_tasks: tasks }).filter(({ code }) => code === "unknown_field");
    expect(warnings).toHaveLength(20);
    expect(warnings[0]?.message).toContain('task "t0" and 999 more');
  });

  test("of the plan itself", () => {
    expect(validatePlan({ planned_tasks: [{ task_id: "a" }], variable: { x: 1 } })).toMatchObject([
      { code: "unknown_field", argument_path: "variable", repair: { candidates: ["variables"] } },
    ]);
    expect(validatePlan({ tasks: [{ task_id: "a" }] })).toMatchObject([
      { code: "unknown_field", argument_path: "tasks", repair: { candidates: ["planned_tasks"] } },
      { code: "plan_empty" },
    ]);
  });

  test("made in code, a record refuses them, with the nearest name", () => {
    const values = [
      [{ planned_tasks: [{ aproval: "required" }] }, '"aproval" (perhaps approval is meant)'],
      [{ planned_tasks: [{ timeoutMs: 5 }] }, '"timeoutMs" (perhaps timeout_ms is meant)'],
      [{ planned_tasks: [{ depends_on: ["b"] }] }, '"depends_on" (perhaps dependencies is meant)'],
      [{ planned_tasks: [{ execution_type: "tool", uid: "pay" }] }, '"uid" (perhaps tool_id is meant)'],
      [{ planned_tasks: [], variable: {} }, '"variable" (perhaps variables is meant)'],
    ] as const;
    for (const [value, message] of values) {
      const { error } = TaskData.safeParse(value);
      expect(error?.issues[0]?.message).toContain(message);
    }
    expect(TaskData.safeParse({ planned_tasks: [{ retry: { max_attempts: 2, maxDelayMs: 5 } }] }).success).toBe(false);
  });

  test("a plan that was read from a file has them reported; what looks protective is an error, and stays one", () => {
    const task = { task_id: "a", execution_type: "tool", tool_id: "pay" };
    const read = (more: object) => {
      const reported: string[] = [];
      const onRead = ({ issues }: PlanReading) =>
        void reported.push(...issues.map(({ severity, argument_path }) => `${severity} ${argument_path}`));
      const plan = readPlan({ planned_tasks: [{ ...task, ...more }] }, { onRead });
      const again = readPlan(JSON.parse(JSON.stringify(plan)));
      const errors = validatePlan(again).filter(({ code }) => code === "unknown_field");
      return {
        reported,
        errors: errors.map(({ severity, argument_path, task_id }) => [severity, argument_path, task_id]),
      };
    };
    expect(read({ colour: 1 })).toEqual({ reported: ["warning colour"], errors: [] });
    expect(read({ aproval: "required" })).toEqual({ reported: ["error aproval"], errors: [["error", "aproval", "a"]] });
    for (const field of ["dependsOn", "needs", "requires_human_review", "maxCost", "timeout", "run_if", "rateLimit"])
      expect(read({ [field]: ["b"] }).errors).toEqual([["error", field, "a"]]);
    // What is empty protects nothing.
    for (const value of [null, false, "", [], {}]) expect(read({ depends_on: value }).errors).toEqual([]);
  });

  test.for([
    { name: "kirha", plan: [{ toolName: "pay", arguments: {}, requiresApproval: true }] },
    {
      name: "mcp-cli",
      plan: { title: "t", steps: [{ index: "1", title: "p", tool: "pay", args: {}, requiresApproval: true }] },
    },
    { name: "planner-agent", plan: { steps: [{ tool: "pay", params: {}, requiresApproval: true }] } },
    { name: "plan-execute", plan: { steps: ["pay"], requiresApproval: true } },
  ])("also in the form of $name", ({ name, plan }) => {
    let reported: PlanReading | undefined;
    const read = readPlan(plan, { onRead: (reading) => (reported = reading) });
    expect(reported).toMatchObject({
      dialect: name,
      issues: [{ severity: "error", argument_path: "requiresApproval" }],
    });
    expect(read.metadata?.unread_fields).toMatchObject([{ field: "requiresApproval" }]);
    expect(validatePlan(read).filter(({ severity }) => severity === "error")).toMatchObject([
      { code: "unknown_field", argument_path: "requiresApproval" },
    ]);
  });

  test("twenty harmless fields do not hide one that protects", () => {
    const harmless = Object.fromEntries(Array.from({ length: 50 }, (_, number) => [`own${number}`, 1]));
    const read = readPlan({ planned_tasks: [{ task_id: "a", ...harmless, aproval: "required" }] });
    expect(read.metadata?.unread_fields).toEqual([{ field: "aproval", task_id: "a" }]);
  });

  test("whatever a plan is, they are reported as values", () => {
    for (const planned_tasks of [null, 1, [null, 1, "x", []], [{ __proto__: null, uid: 1 }]]) {
      expect(Array.isArray(validatePlan({ planned_tasks }))).toBe(true);
    }
  });
});

describe("which fields are not read", () => {
  const gate = { field: "aproval", protects: "gate", meant: "approval" } as const;

  test.for<[string, unknown, unknown[], object[]]>([
    [
      "of the plan, each by its name; what is empty protects nothing",
      { planned_tasks: [], variable: { a: 1 }, colour: 1, approval_required: true, needs: null },
      [],
      [
        { field: "variable", meant: "variables", tasks: 1 },
        { field: "colour", tasks: 1 },
        { field: "approval_required", protects: "gate", tasks: 1 },
        { field: "needs", tasks: 1 },
      ],
    ],
    ["of what is no plan", "text", [], []],
    [
      "of tasks, with the first that has it and how many do; empty ones apart",
      {},
      [{ task_id: "a", aproval: "x" }, { task_id: "b", aproval: "y", colour: 2 }, { aproval: null }, 7, { colour: 3 }],
      [
        { ...gate, task_id: "a", tasks: 2 },
        { field: "colour", task_id: "b", tasks: 2 },
        { field: "aproval", task: "number 3", tasks: 1 },
      ],
    ],
    [
      "of tasks within lists, at any depth, and after them the next",
      {},
      [
        {
          task_id: "a",
          for_each: { tasks: [{ task_id: "i", aproval: 1, for_each: { tasks: [{ task_id: "j", needs: ["x"] }] } }, 5] },
        },
        { task_id: "b", needs: ["y"] },
      ],
      [
        { ...gate, task_id: "i", tasks: 1 },
        { field: "needs", task_id: "j", protects: "dependency", meant: "dependencies", tasks: 2 },
      ],
    ],
    [
      "of a long id, a part",
      {},
      [{ task_id: "x".repeat(300), kost: 1 }],
      [{ field: "kost", task_id: "x".repeat(100), tasks: 1 }],
    ],
  ])("%s", ([, plan, tasks, found]) => {
    expect(unreadFields(plan, tasks)).toEqual(found);
  });

  test("a format that reads other names has others unread, and no tasks within tasks", () => {
    const reads = { plan: new Set(["a"]), task: new Set(["x"]) };
    expect(unreadFields({ a: 1, b: 2 }, [{ x: 1, task_id: "t", for_each: { tasks: [{ q: 1 }] } }], reads)).toEqual([
      { field: "b", tasks: 1 },
      { field: "task_id", task_id: "t", tasks: 1 },
      { field: "for_each", task_id: "t", tasks: 1 },
    ]);
  });

  test("twenty names that are harmless and twenty that protect", () => {
    const all = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        [`own${at}`, 1],
        [`approve${at}`, 1],
      ]).flat(),
    );
    const protects = unreadFields({}, [all]).map((each) => each.protects);
    expect([protects.length, protects.filter((each) => each === "gate").length]).toEqual([40, 20]);
  });
});

test("a misspelt condition protects, and so do misspelt arguments where a task has no others", () => {
  const tasks = [
    { task_id: "a", wehn: "x > 1", wiat: { for: "1h" }, argumnts: { n: 1 } },
    { task_id: "b", argumnts: { n: 1 }, arguments: {} },
    { task_id: "c", argumnts: { n: 1 }, arguments: { n: 2 } },
  ];
  const found = unreadFields({}, tasks).map(({ field, task_id, protects, tasks: count }) => [
    field,
    task_id,
    protects,
    count,
  ]);
  expect(found).toEqual([
    ["wehn", "a", "condition", 1],
    ["wiat", "a", "condition", 1],
    ["argumnts", "a", "input", 2],
    ["argumnts", "c", undefined, 1],
  ]);
});

describe("what is said of them", () => {
  const runs = (kind: string) => ` It looks like a ${kind}, so the plan does not run with it: rename or remove it.`;
  test.for<[Parameters<typeof unreadIssue>[0], string, string, object]>([
    [{ field: "colour", tasks: 1 }, "warning", "(plan): nothing reads it.", {}],
    [
      { field: "colour", task_id: "a", tasks: 3 },
      "warning",
      '(task "a" and 2 more): nothing reads it.',
      { task_id: "a" },
    ],
    [
      { field: "uid", task_id: "a", meant: "tool_id", tasks: 1 },
      "warning",
      '(task "a"): nothing reads it; perhaps tool_id is meant.',
      { task_id: "a", repair: { operation: "rename", candidates: ["tool_id"] } },
    ],
    [{ field: "budget", protects: "limit", tasks: 1 }, "error", `(plan): nothing reads it.${runs("limit")}`, {}],
  ])("%j", ([unread, severity, says, more]) => {
    expect(unreadIssue(unread, "warning")).toEqual({
      code: "unknown_field",
      severity,
      message: `Unknown field "${unread.field}" ${says}`,
      argument_path: unread.field,
      ...more,
    });
    expect(unreadIssue(unread, "error").severity).toBe("error");
  });

  test("a hundred characters of a name", () => {
    expect(unreadIssue({ field: "x".repeat(150), tasks: 1 }, "warning").message).toContain(`"${"x".repeat(100)}"`);
  });
});

describe("what is kept of a plan that was read", () => {
  const plan = (more: object) => ({ planned_tasks: [], ...more }) as unknown as TaskData;

  test("is what protects, after what was kept before", () => {
    const unread = [
      { field: "n".repeat(120), protects: "gate", tasks: 1 },
      { field: "m", protects: "limit", task_id: "t", tasks: 1 },
      { field: "harmless", tasks: 1 },
    ] as const;
    const kept = [{ field: "n".repeat(100) }, { field: "m", task_id: "t" }];
    expect(withUnreadFields(plan({ metadata: { a: 1, unread_fields: [{ field: "old" }] } }), unread)).toEqual(
      plan({ metadata: { a: 1, unread_fields: [{ field: "old" }, ...kept] } }),
    );
    expect(withUnreadFields(plan({ metadata: { unread_fields: "odd" } }), unread).metadata).toEqual({
      unread_fields: kept,
    });
    const before = plan({});
    expect(withUnreadFields(before, unread.slice(2))).toBe(before);
  });

  test("is an error each, of a note that may be anything", () => {
    const note = [
      { field: "aproval", task_id: "a" },
      { field: "budget" },
      5,
      { field: 7 },
      { field: "needs", task_id: 8 },
    ];
    expect(keptUnreadIssues({ unread_fields: note })).toMatchObject([
      { severity: "error", argument_path: "aproval", task_id: "a", repair: { candidates: ["approval"] } },
      {
        severity: "error",
        argument_path: "budget",
        message: expect.stringContaining("(plan): nothing reads it. It looks like a limit"),
      },
      { severity: "error", argument_path: "needs", message: expect.stringContaining("perhaps dependencies is meant") },
    ]);
    expect(keptUnreadIssues({ unread_fields: note })[2]).not.toHaveProperty("task_id");
    for (const metadata of [undefined, null, {}, { unread_fields: "x" }, Object.create({ unread_fields: note })])
      expect(keptUnreadIssues(metadata)).toEqual([]);
    expect(
      keptUnreadIssues({ unread_fields: Array.from({ length: 30 }, (_, at) => ({ field: `approve${at}` })) }),
    ).toHaveLength(20);
  });
});

test("a copy with our fields alone, and whether there are others", () => {
  const inner = { task_id: "i", z: 1, for_each: { items: [], tasks: [{ task_id: "j", w: 1 }] } };
  const given = { planned_tasks: [{ task_id: "a", x: 1, for_each: { items: [], y: 2, tasks: [inner, 4] } }, 7], q: 1 };
  const known = {
    planned_tasks: [
      {
        task_id: "a",
        for_each: {
          items: [],
          y: 2,
          tasks: [{ task_id: "i", for_each: { items: [], tasks: [{ task_id: "j" }] } }, 4],
        },
      },
      7,
    ],
  };
  expect(withKnownFields(given as unknown as TaskDataInput)).toEqual(known);
  expect(withKnownFields({ q: 1, variables: {} } as TaskDataInput)).toEqual({ variables: {} });
  expect(withKnownTaskFields(7)).toBe(7);
  const only = (plan: object) => hasOnlyKnownFields(plan as TaskDataInput);
  expect([only({}), only(known), only({ q: 1 }), only({ planned_tasks: [{ task_id: "a" }, { x: 1 }] })]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(only({ planned_tasks: [{ for_each: { items: [], tasks: [{ task_id: "i" }, { x: 1 }] } }] })).toBe(false);
});
