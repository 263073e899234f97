import { definePlan, type PlannerTaskInput, type Resource, resourceCatalogue, validatePlan } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { array, number, object, text } from "../support/checked-tools.ts";

const resources: Resource[] = [
  { kind: "tool", id: "list", description: "", output_schema: object({ rows: array(object({ id: number })) }) },
  {
    kind: "tool",
    id: "send",
    description: "",
    input_schema: object(
      {
        to: text,
        count: number,
        inner: object({ a: text, b: number }, { required: ["a"], additionalProperties: false }),
        list: array(object({ a: text })),
        either: { anyOf: [object({ a: text }), text] },
      },
      { required: ["to"] },
    ),
  },
];
const list: PlannerTaskInput = { task_id: "list", tool_id: "list" };
const send = (given: Record<string, unknown>, more: PlannerTaskInput = {}): PlannerTaskInput => ({
  task_id: "t",
  tool_id: "send",
  arguments: given,
  ...more,
});
const said = (tasks: unknown[], more: object = {}) =>
  validatePlan({ planned_tasks: tasks, ...more }, resources).map(({ code, argument_path, message }) => [
    code,
    argument_path,
    message,
  ]);
const places = (tasks: unknown[]) => said(tasks).map(([code, place]) => [code, place]);

describe("a plan as a whole", () => {
  test("without a task", () => {
    expect(validatePlan({ planned_tasks: [] })).toEqual([
      {
        code: "plan_empty",
        severity: "error",
        message: "Expected a plan of at least one task, got none.",
        argument_path: "planned_tasks",
      },
    ]);
  });

  test("that cannot be read says why", () => {
    for (const [reason, words] of [
      [new Error("out of order"), "out of order"],
      ["gone", '"gone"'],
    ] as const) {
      const plan = {
        get planned_tasks() {
          throw reason;
        },
      };
      expect(validatePlan(plan)).toEqual([
        { code: "schema", severity: "error", message: `Expected a plan as plain JSON; it cannot be read: ${words}.` },
      ]);
    }
  });

  test("is checked against a list of resources as against a catalogue, and without either", () => {
    const plan = { planned_tasks: [{ task_id: "a", tool_id: "none" }, send({})] };
    expect(validatePlan(plan, resourceCatalogue(resources))).toEqual(validatePlan(plan, resources));
    expect(validatePlan(plan, resources).map(({ code }) => code)).toEqual(["unknown_tool", "missing_argument"]);
    expect(validatePlan(plan)).toEqual([]);
  });

  test("options that are none are refused", () => {
    expect(() => validatePlan({}, [], { unknown: "error" } as never)).toThrow("`validatePlan`");
  });

  test("fields that nothing reads, and secrets among its variables, are errors of it", () => {
    const issues = validatePlan(
      { planned_tasks: [list], extra: 1, variables: { password: "hunter2-is-long" } },
      resources,
    );
    expect(issues.map(({ code, severity }) => [code, severity])).toEqual(
      expect.arrayContaining([["unknown_field", "error"]]),
    );
  });
});

describe("tasks for each element", () => {
  const each = (tasks: PlannerTaskInput[], more: object = {}): PlannerTaskInput => ({
    task_id: "g",
    for_each: { items: "${list.rows}", tasks, ...more },
  });
  const within = (depth: number): PlannerTaskInput => {
    let task: PlannerTaskInput = { task_id: "leaf", tool_id: "list" };
    for (let level = depth; level > 0; level--)
      task = { task_id: `g${level}`, for_each: { items: "${list.rows}", as: `e${level}`, tasks: [task] } };
    return task;
  };

  test("may be nested eight deep", () => {
    expect(said([list, within(8)])).toEqual([]);
    expect(said([list, within(9)])).toEqual([
      [
        "schema",
        "for_each.tasks",
        expect.stringContaining("Expected `for_each` at most 8 deep in one another, got more."),
      ],
    ]);
  });

  test("give what one of them gives", () => {
    const inner = [{ task_id: "x", tool_id: "list" }];
    expect(said([list, each(inner, { result: "x" })])).toEqual([]);
    for (const result of ["y", "list", "item", "input"])
      expect(said([list, each(inner, { result })])).toEqual([
        ["schema", "for_each.result", `\`for_each.result\` of task "g" is "${result}", which is none of its tasks.`],
      ]);
  });

  test("are executed in the place of the task, which calls nothing itself", () => {
    const task = { ...each([{ task_id: "x", tool_id: "list" }]), tool_id: "list" };
    const [issue, ...more] = validatePlan({ planned_tasks: [list, task] }, resources);
    expect(more).toEqual([]);
    expect(issue).toMatchObject({
      code: "schema",
      severity: "error",
      task_id: "g",
      argument_path: "tool_id",
      message: expect.stringContaining("for each element its tasks are executed, and not the task itself"),
    });
    expect(places([{ task_id: "a", tool_id: "none", wait: { for_ms: 5 } }]).map(([code]) => code)).not.toContain(
      "unknown_tool",
    );
  });
});

describe("a key that no copy of an object keeps", () => {
  const evil = JSON.parse('{"__proto__": 1}') as Record<string, unknown>;
  const issue = (field: string) => ({
    code: "schema",
    severity: "error",
    message: `\`${field}\` of a task has the key "__proto__", which no executor would be given. Rename it.`,
    argument_path: `${field}.__proto__`,
  });
  const found = (tasks: unknown[]) =>
    validatePlan({ planned_tasks: tasks }).filter(({ message }) => message.includes("__proto__"));

  test("is refused among the outputs and variables of a plan", () => {
    const planned_tasks = [{ task_id: "a", tool_id: "t" }];
    const plan = { planned_tasks, outputs: JSON.parse('{"__proto__": "a"}'), variables: evil };
    expect(validatePlan(plan).map(({ argument_path }) => argument_path)).toEqual([
      "outputs.__proto__",
      "variables.__proto__",
    ]);
    expect(() =>
      definePlan({ llms: [{ kind: "llm", id: "l", description: "" }] }, (t) =>
        Object.fromEntries([["__proto__", t.call("l", { prompt: "x" })]]),
      ),
    ).toThrow('`outputs` of the plan has the key "__proto__"');
  });

  test("is refused in arguments and parameters, within the tasks of an element too", () => {
    expect(found([{ task_id: "a", arguments: evil, parameters: evil }])).toEqual([
      { ...issue("arguments"), task_id: "a" },
      { ...issue("parameters"), task_id: "a" },
    ]);
    const inner = { task_id: "x", arguments: evil };
    expect(found([list, { task_id: "g", for_each: { items: "${list.rows}", tasks: [inner] } }])).toEqual([
      { ...issue("arguments"), task_id: "x" },
    ]);
  });

  test("names no task whose id is none, and of a long one its beginning", () => {
    expect(found([{ task_id: 5, arguments: evil }])[0]).not.toHaveProperty("task_id");
    expect(found([{ task_id: "x".repeat(200), arguments: evil }])[0]).toMatchObject({ task_id: "x".repeat(128) });
    expect(
      found([5, { task_id: "a", arguments: [], parameters: {} }, { task_id: "b", for_each: { tasks: 5 } }]),
    ).toEqual([]);
  });
});

describe("references beside values in the arguments of a task", () => {
  test.for<[string, Record<string, unknown>, [string, string][]]>([
    ["both right", { to: "${input.to}", count: 5 }, []],
    ["a wrong value", { to: "${input.to}", count: "x" }, [["invalid_argument", "count"]]],
    ["a wrong value before it", { count: "x", to: "${input.to}" }, [["invalid_argument", "count"]]],
    ["a missing argument", { count: "${input.n}" }, [["missing_argument", "to"]]],
    ["an argument that is undefined", { to: undefined, count: "${input.n}" }, [["missing_argument", "to"]]],
    ["an unknown argument with a value", { to: "${input.to}", other: 5 }, [["unknown_argument", "other"]]],
    ["an unknown argument with a reference", { to: "a", other: "${input.x}" }, [["unknown_argument", "other"]]],
    [
      "an unknown argument with two references",
      { to: "a", other: ["${input.x}", "${input.y}"] },
      [
        ["unknown_argument", "other"],
        ["unknown_argument", "other"],
      ],
    ],
    [
      "an object where text is wanted",
      { to: { x: "${input.x}" }, count: "y" },
      [
        ["invalid_argument", "to"],
        ["invalid_argument", "count"],
      ],
    ],
    ["a list where an object is wanted", { to: "a", inner: ["${input.x}"] }, [["invalid_argument", "inner"]]],
    [
      "a reference to nothing in such a list",
      { to: "a", inner: ["${none}"] },
      [
        ["invalid_argument", "inner"],
        ["unknown_reference", "inner[0]"],
      ],
    ],
    [
      "a wrong value beside one within",
      { to: "a", inner: { a: "${input.x}", b: "y" } },
      [["invalid_argument", "inner.b"]],
    ],
    ["a missing member within", { to: "a", inner: { b: "${input.n}" } }, [["missing_argument", "inner.a"]]],
    ["an unknown member within", { to: "a", inner: { a: "${input.x}", c: 1 } }, [["unknown_argument", "inner.c"]]],
    [
      "in a list",
      { to: "a", list: [{ a: "${input.x}" }, { a: 5 }, 7] },
      [
        ["invalid_argument", "list[1].a"],
        ["invalid_argument", "list[2]"],
      ],
    ],
    [
      "a reference of another type in a list",
      { to: "a", list: [{ a: 1 }, { a: "${list.rows}" }] },
      [
        ["invalid_argument", "list[0].a"],
        ["type_mismatch", "list[1].a"],
      ],
    ],
    ["in one of some alternatives", { to: "a", either: { a: "${input.x}" } }, []],
    ["in none of some alternatives", { to: "a", either: ["${input.x}"] }, [["invalid_argument", "either"]]],
    [
      "malformed",
      { to: "${", count: "x" },
      [
        ["reference_syntax", "to"],
        ["invalid_argument", "count"],
      ],
    ],
    [
      "malformed within",
      { to: "a", inner: { a: "${", b: "y" } },
      [
        ["reference_syntax", "inner.a"],
        ["invalid_argument", "inner.b"],
      ],
    ],
    [
      "malformed in an unknown argument",
      { to: "a", other: { x: "${" } },
      [
        ["reference_syntax", "other.x"],
        ["unknown_argument", "other"],
      ],
    ],
    [
      "two in one text",
      { to: "${none} and ${nobody}", count: "x" },
      [
        ["unknown_reference", "to"],
        ["unknown_reference", "to"],
        ["invalid_argument", "count"],
      ],
    ],
    [
      "an escaped one, which is text",
      { to: "$${none}", count: "${input.n}", inner: "$${x}" },
      [["invalid_argument", "inner"]],
    ],
    [
      "a text object, which is text",
      { to: { $text: "${input.x}!" }, count: { $text: "${input.x}" } },
      [["type_mismatch", "count"]],
    ],
    [
      "names that begin alike",
      { to: "a", inner: { a: "x" }, innermost: "${none}" },
      [
        ["unknown_argument", "innermost"],
        ["unknown_reference", "innermost"],
      ],
    ],
  ])("%s", ([, given, issues]) => {
    expect(places([list, send(given)])).toEqual(issues);
  });

  test("are the only thing looked at where code converts the arguments first", () => {
    const task = (given: Record<string, unknown>) => places([list, send(given, { convertor_code: "$" })]);
    expect(task({ other: 5 })).toEqual([]);
    expect(task({ other: "${none}" })).toEqual([["unknown_reference", "other"]]);
  });

  test("in parameters are looked at, too", () => {
    expect(places([list, send({ to: "a" }, { parameters: { x: "${none}" } })])).toEqual(
      expect.arrayContaining([["unknown_reference", "parameters.x"]]),
    );
    const [issue] = validatePlan({ planned_tasks: [{ task_id: "a", arguments: { x: "${" } }] });
    expect(issue).toMatchObject({ code: "reference_syntax", severity: "error", task_id: "a", actual: '"${"' });
  });

  test("a missing argument has the severity that is asked for, and what could fill it", () => {
    const [missing] = validatePlan({ planned_tasks: [list, send({ count: "${input.n}" })] }, resources, {
      missingArguments: "warning",
    });
    expect(missing).toMatchObject({ code: "missing_argument", severity: "warning" });
    const tools = [
      ...resources,
      { kind: "tool", id: "who", description: "", output_schema: object({ to: text }) } as const,
    ];
    for (const given of [{}, { count: "${input.n}" }]) {
      const plan = { planned_tasks: [{ task_id: "who", tool_id: "who" }, send(given)] };
      expect(validatePlan(plan, tools)).toMatchObject([
        { code: "missing_argument", repair: { operation: "add", candidates: ["${who.to}"] } },
      ]);
    }
  });

  test("an unknown argument has the severity that is asked for, and names what it refers to", () => {
    for (const given of [
      { to: "a", other: 5 },
      { to: "a", other: "${list.rows}" },
    ]) {
      const issues = (unknownArguments: "warning" | "error") =>
        validatePlan({ planned_tasks: [list, send(given)] }, resources, { unknownArguments });
      expect([issues("warning"), issues("error")]).toMatchObject([[{ severity: "warning" }], [{ severity: "error" }]]);
    }
    expect(validatePlan({ planned_tasks: [list, send({ to: "a", other: "${list.rows}" })] }, resources)).toMatchObject([
      { code: "unknown_argument", from_task_id: "list", output_path: "rows" },
    ]);
  });

  const judged = (input_schema: object, given: Record<string, unknown>) =>
    validatePlan({ planned_tasks: [{ task_id: "t", tool_id: "x", arguments: given }, list] }, [
      { kind: "tool", id: "x", description: "", input_schema: input_schema as Record<string, unknown> },
      ...resources,
    ]).map(({ code, severity, argument_path }) => [code, severity, argument_path]);

  test.for<[string, object, Record<string, unknown>, unknown[][]]>([
    ["a name that a pattern knows", { patternProperties: { "^x": text } }, { xa: "${input.a}", xb: "b" }, []],
    [
      "a name that a pattern knows, with a value",
      { type: "object", patternProperties: { "^x": text } },
      { xb: "b" },
      [],
    ],
    [
      "a type for all other names",
      object({}, { additionalProperties: number }),
      { a: "${list.rows}", b: "x" },
      [
        ["type_mismatch", "error", "a"],
        ["invalid_argument", "error", "b"],
      ],
    ],
    [
      "no other names, with a reference",
      object({ a: text }, { additionalProperties: false }),
      { other: "${input.a}", another: 1 },
      [
        ["unknown_argument", "error", "other"],
        ["unknown_argument", "error", "another"],
      ],
    ],
    [
      "no other names, with values",
      object({ a: text }, { additionalProperties: false }),
      { other: 1 },
      [["unknown_argument", "error", "other"]],
    ],
    [
      "required names of alternatives, one of which holds",
      { anyOf: [object({ a: text }, { required: ["a"] }), object({ b: text }, { required: ["b"] })] },
      { b: "${input.b}" },
      [],
    ],
    ["names of alternatives", { anyOf: [object({ a: text }), object({ b: number })] }, { b: "${input.b}" }, []],
    [
      "a required name that is described nowhere",
      object({}, { required: ["z"] }),
      { a: "${input.a}" },
      [["missing_argument", "error", "z"]],
    ],
    ["a required name beside values alone", object({}, { required: ["z"] }), {}, [["missing_argument", "error", "z"]]],
    [
      "an escaped text of a certain length",
      object({ a: { type: "string", maxLength: 4 }, b: text }),
      { a: "$${x}", b: "${input.b}" },
      [],
    ],
    ["an escaped text of a certain length, alone", object({ a: { type: "string", maxLength: 4 } }), { a: "$${x}" }, []],
    ["null beside a reference", object({ a: { type: "null" }, b: text }), { a: null, b: "${input.b}" }, []],
    [
      "null where text is wanted",
      object({ a: text, b: text }),
      { a: null, b: "${input.b}" },
      [["invalid_argument", "error", "a"]],
    ],
    [
      "a reference in a tuple",
      object({ a: { type: "array", prefixItems: [number, text] } }),
      { a: ["${input.n}", 5] },
      [["invalid_argument", "error", "a[1]"]],
    ],
    [
      "two references in one object, and a value after it",
      object({ a: object({ x: text, y: text }), b: number }),
      { a: { x: "${input.x}", y: "${none}" }, b: "z" },
      [
        ["unknown_reference", "error", "a.y"],
        ["invalid_argument", "error", "b"],
      ],
    ],
    [
      "two malformed texts",
      object({ a: object({ x: text, y: number }), b: object({ z: number }) }),
      { a: { x: "${", y: "y" }, b: { z: "z" } },
      [
        ["reference_syntax", "error", "a.x"],
        ["invalid_argument", "error", "a.y"],
        ["invalid_argument", "error", "b.z"],
      ],
    ],
    [
      "an escaped text beside a malformed one",
      object({ a: number, b: text }),
      { a: "$${x}", b: "${" },
      [
        ["reference_syntax", "error", "b"],
        ["invalid_argument", "error", "a"],
      ],
    ],
    [
      "an object without references beside one with some",
      object({ a: object({ x: number }), b: object({ y: text }) }),
      { a: { x: "x" }, b: { y: "${input.y}" } },
      [["invalid_argument", "error", "a.x"]],
    ],
    [
      "an object where a list is wanted, and references after it",
      object({ a: array(text), b: number, c: text }),
      { a: { x: "${input.x}", y: "${input.y}" }, b: "${list.rows}", c: "${none}" },
      [
        ["invalid_argument", "error", "a"],
        ["type_mismatch", "error", "b"],
        ["unknown_reference", "error", "c"],
      ],
    ],
  ])("under a schema with %s", ([, schema, given, issues]) => {
    expect(judged(schema, given)).toEqual(issues);
  });

  test("an object where another type is wanted is said with both", () => {
    const [issue] = validatePlan({ planned_tasks: [send({ to: { x: "${input.x}" } })] }, resources);
    expect(issue).toEqual({
      code: "invalid_argument",
      severity: "error",
      message: 'Task "t": argument "to": expected string, got object.',
      task_id: "t",
      argument_path: "to",
      expected: "string",
      actual: "object",
    });
  });

  test("too deep to be looked at are said once", () => {
    let deep: unknown = "${input.x}";
    for (let level = 0; level < 2_000; level++) deep = [deep];
    const issues = validatePlan({ planned_tasks: [send({ to: deep, count: "x" })] }, resources);
    expect(issues.map(({ code }) => code)).toEqual(["reference_syntax"]);
  });

  test("a missing argument keeps the values that it can have", () => {
    const schema = object({ a: { enum: ["x", "y"] }, b: text }, { required: ["a"] });
    for (const given of [{}, { b: "${input.b}" }])
      expect(
        validatePlan({ planned_tasks: [{ task_id: "t", tool_id: "x", arguments: given }] }, [
          { kind: "tool", id: "x", description: "", input_schema: schema },
        ]),
      ).toMatchObject([{ code: "missing_argument", repair: { operation: "add", candidates: ["x", "y"] } }]);
  });
});

test("what is no list of resources is refused by its own name, not as a fault of the plan", () => {
  const plan = { planned_tasks: [{ task_id: "t", tool_id: "x" }] };
  for (const given of [{}, { secrets: ["KEY"] }, "x", 1])
    expect(() => validatePlan(plan, given as never)).toThrow(
      expect.objectContaining({ code: "PLAN_OPTION", details: { option: "resources" } }),
    );
  expect(() => validatePlan(plan, {} as never)).toThrow("a list of resources or a catalogue, got {}");
  expect(validatePlan(plan, null as never)).toEqual(validatePlan(plan));
});

test.each([
  ["a tool of `defineTool`", { resource: { kind: "tool", id: "send", description: "" } }, "Give its `resource`."],
  ["one without an id", { kind: "tool", description: "" }, "resource 1"],
  ["nothing", null, "got null"],
])("%s in the place of a resource is refused as an option, and is no fault of the plan", (_, wrong, says) => {
  const sound = { kind: "tool", id: "look", description: "" };
  const given = [sound, wrong] as never;
  expect(() => validatePlan({ planned_tasks: [{ task_id: "a", tool_id: "look" }] }, given)).toThrow(
    expect.objectContaining({ code: "PLAN_OPTION", message: expect.stringContaining(says) }),
  );
});
