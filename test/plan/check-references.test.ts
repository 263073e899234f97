import { type PlannerTaskInput, type Resource, type TaskDataInput, validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";
import { array, number, object, text } from "../support/checked-tools.ts";

const integer = { type: "integer" } as const;
const resources: Resource[] = [
  {
    kind: "tool",
    id: "list",
    description: "",
    output_schema: object({ rows: array(object({ id: text, n: number })), total: integer }),
  },
  {
    kind: "tool",
    id: "send",
    description: "",
    input_schema: object({
      to: text,
      count: integer,
      ids: array(text),
      note: {},
      one: object({ id: text }),
      size: { enum: ["small", "large"] },
      level: { enum: ["1", "top"] },
    }),
  },
];
const list: PlannerTaskInput = { task_id: "list", tool_id: "list" };
const send = (given: Record<string, unknown>, more: PlannerTaskInput = {}): PlannerTaskInput => ({
  task_id: "t",
  tool_id: "send",
  arguments: given,
  ...more,
});
const issues = (task: PlannerTaskInput, plan: TaskDataInput = {}) =>
  validatePlan({ planned_tasks: [list, task], ...plan }, resources);

/** A whole issue of the task `t` but for its repair; `says` comes after the place. */
const issue = (code: string, path: string, source: string, output_path: string, says: string, more: object = {}) => ({
  code,
  severity: "error",
  message: `Task "t": argument "${path}": ${says}.`,
  task_id: "t",
  argument_path: path,
  from_task_id: source,
  output_path,
  ...more,
});
const replace = (...candidates: unknown[]) => ({ repair: { operation: "replace", candidates } });
const types = (expected: string, actual: string) => ({ expected, actual });
const declare = "Declare it among the variables of the plan, or run the plan with a value for it";
const unknown = (reference: string, name: string) =>
  `\${${reference}} names "${name}", which is not a task, result or variable`;
const everything = [
  "",
  ".rows",
  ".total",
  ".rows.*",
  ".rows[0]",
  ".rows.*.id",
  ".rows.*.n",
  ".rows[0].id",
  ".rows[0].n",
];

test.for<[string, Record<string, unknown>, object[]]>([
  [
    "a list where text is wanted: as text, or what is text in it",
    { to: "${list.rows}" },
    [
      issue("type_mismatch", "to", "list", "rows", "expected string, but ${list.rows} is array", {
        ...types("string", "array"),
        ...replace({ $text: "${list.rows}" }, "${list.rows[0].id}"),
      }),
    ],
  ],
  [
    "a list where one of some texts is wanted: no list is written so",
    { size: "${list.rows}" },
    [
      issue("type_mismatch", "size", "list", "rows", "expected string, but ${list.rows} is array", {
        ...types("string", "array"),
        ...replace("${list.rows[0].id}"),
      }),
    ],
  ],
  [
    "a number where one of some texts is wanted, of which one is a number: as text",
    { level: "${list.total}" },
    [
      issue("type_mismatch", "level", "list", "total", "expected string, but ${list.total} is integer", {
        ...types("string", "integer"),
        ...replace({ $text: "${list.total}" }, "${list.rows[0].id}"),
      }),
    ],
  ],
  [
    "text where an integer is wanted: no text will do",
    { count: "${list.rows[0].id}" },
    [
      issue("type_mismatch", "count", "list", "rows[0].id", "expected integer, but ${list.rows[0].id} is string", {
        ...types("integer", "string"),
        ...replace("${list.total}", "${list.rows[0].n}"),
      }),
    ],
  ],
  [
    "a list of other elements, and why",
    { ids: "${list.rows.*.n}" },
    [
      issue(
        "type_mismatch",
        "ids",
        "list",
        "rows.*.n",
        "expected array, but ${list.rows.*.n} is array (items: string expected, got number)",
        { ...types("array", "array"), ...replace("${list.rows.*.id}") },
      ),
    ],
  ],
  [
    "a member, by its own name",
    { one: { id: "${list.total}" } },
    [
      issue("type_mismatch", "one.id", "list", "total", "expected string, but ${list.total} is integer", {
        ...types("string", "integer"),
        ...replace({ $text: "${list.total}" }, "${list.rows[0].id}"),
      }),
    ],
  ],
  [
    "text around a reference where an integer is wanted",
    { count: "n ${list.total}" },
    [
      issue(
        "type_mismatch",
        "count",
        "list",
        "total",
        "expected integer, got text around ${list.total}, which is always a string",
        types("integer", "string"),
      ),
    ],
  ],
  ["text around any reference where text is wanted", { to: "${list.total} of ${list.rows}" }, []],
  ["any type where anything goes", { note: "${list.rows}" }, []],
  [
    "a name like another, of which one issue is enough",
    { count: "n ${lisd.total}" },
    [
      {
        ...issue("unknown_reference", "count", "lisd", "total", "", replace("${list.total}", "${list.rows[0].n}")),
        message: `Task "t": argument "count": ${unknown("lisd.total", "lisd")}; did you mean "list"?`,
      },
    ],
  ],
  [
    "a name like no other",
    { to: "${zzzz.a.b}" },
    [
      issue("unknown_reference", "to", "zzzz", "a.b", `${unknown("zzzz.a.b", "zzzz")}. ${declare}`, {
        ...replace("${list.rows[0].id}"),
      }),
    ],
  ],
  [
    "a field that the output has not",
    { count: "${list.totl}" },
    [
      issue(
        "unknown_output",
        "count",
        "list",
        "totl",
        '${list.totl}: the output of "list" (object) has no "totl"; it could be ${list.total}, ${list.rows[0].n}',
        replace("${list.total}", "${list.rows[0].n}"),
      ),
    ],
  ],
  [
    "the same with ?, which is null then",
    { ids: "${list.rows.*.ix?}" },
    [
      issue(
        "unknown_output",
        "ids",
        "list",
        "rows.*.ix",
        '${list.rows.*.ix?}: the output of "list" (object) has no "rows.*.ix"; it could be ${list.rows.*.id}',
        { severity: "warning", ...replace("${list.rows.*.id}") },
      ),
    ],
  ],
  [
    "a field where an object is wanted",
    { one: "${list.none}" },
    [
      issue(
        "unknown_output",
        "one",
        "list",
        "none",
        '${list.none}: the output of "list" (object) has no "none"; it could be ${list.rows[0]}, ${list}',
        replace("${list.rows[0]}", "${list}"),
      ),
    ],
  ],
  [
    "the task itself",
    { to: "${t.x}" },
    [
      {
        code: "self_dependency",
        severity: "error",
        message: 'Task "t" depends on itself (`to`).',
        task_id: "t",
        argument_path: "to",
        from_task_id: "t",
        repair: { operation: "remove", candidates: ["t"] },
      },
    ],
  ],
  ["what the run is given", { to: "${input.x}", count: "${input.y}" }, []],
])("%s", ([, given, expected]) => {
  expect(issues(send(given))).toEqual(expected);
});

test("a field that fits anywhere is offered with the likest, and five of them are named", () => {
  const [first, ...more] = issues(send({ note: "${list.rows[0].ix}" }));
  expect(more).toEqual([]);
  expect(first?.repair?.candidates.slice(0, 2)).toEqual(["${list.rows[0].id}", "${list.rows.*.id}"]);
  expect(new Set(first?.repair?.candidates)).toEqual(new Set(everything.map((path) => `\${list${path}}`)));
  expect(first?.message).toMatch(/it could be \$\{list\.rows\[0\]\.id\}, [^…]*, … 4 more\.$/);
});

test("ten ways out are offered at most", () => {
  const wide: Resource = {
    kind: "tool",
    id: "wide",
    description: "",
    output_schema: object(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`text${at}`, text]))),
  };
  const of = (to: string) =>
    validatePlan({ planned_tasks: [{ task_id: "wide", tool_id: "wide" }, send({ to })] }, [...resources, wide]);
  for (const reference of ["${wide}", "${wide.none}", "${wyde.text1}"])
    expect(of(reference)).toMatchObject([{ repair: { candidates: { length: 10 } } }]);
  expect(of("${wide}")[0]?.repair?.candidates[0]).toEqual({ $text: "${wide}" });
  expect(of("${wyde.text1}")[0]?.repair?.candidates[0]).toBe("${wide.text1}");
});

test("a plan variable is judged by its value, which a run may replace", () => {
  const given = { count: "${v.a}", to: "${v.b} x", ids: "${v.c?}", note: "${v.d.e}", one: "${v.one}" };
  const variables = { v: { a: "x", b: 5, one: { id: "x" } } };
  expect(issues(send(given), { variables })).toEqual([
    issue("type_mismatch", "count", "v", "a", "expected integer, but the plan variable ${v.a} is string", {
      severity: "warning",
      ...types("integer", "string"),
    }),
    issue("unknown_output", "note", "v", "d.e", '${v.d.e}: the plan variable has no "d"', { severity: "warning" }),
  ]);
  expect(issues(send({ count: "n ${v.b}" }), { variables })).toMatchObject([
    { severity: "error", actual: "string", from_task_id: "v" },
  ]);
});

test("with `?` what is missing from a plan variable's elements is null", () => {
  const variables = { v: [{ id: "x" }, {}] };
  expect(issues(send({ ids: "${v.*.id?}" }), { variables })).toEqual([]);
  expect(issues(send({ ids: "${v.*.id}" }), { variables })).toMatchObject([{ output_path: "*.id" }]);
});

test("an element is judged by its type", () => {
  const task = send(
    { count: "${item.id}", to: "${item.idd}", ids: "${index}" },
    { for_each: { items: "${list.rows}" } },
  );
  expect(issues(task)).toEqual([
    issue("type_mismatch", "count", "item", "id", "expected integer, but ${item.id} is string", {
      ...types("integer", "string"),
      ...replace("${list.total}", "${list.rows[0].n}"),
    }),
    issue("unknown_output", "to", "item", "idd", '${item.idd}: an element (object) has no "idd"'),
    issue("type_mismatch", "ids", "index", "", "expected array, but ${index} is integer", {
      ...types("array", "integer"),
      ...replace("${list.rows.*.id}"),
    }),
  ]);
});

test("of a task that could not be read nothing is known, but its name", () => {
  const bad = { task_id: "bad", dependencies: 5 } as unknown as PlannerTaskInput;
  const found = validatePlan({ planned_tasks: [bad, send({ to: "${bad.x}", count: "${bad.y}" })] }, resources);
  expect(found).toMatchObject([{ code: "schema", task_id: "bad" }]);
});

test("references in parameters are looked up, and named as such", () => {
  const task = { task_id: "t", parameters: { a: "${gone.x}", b: { c: ["${list.rows.*.zz}", "${list.total}"] } } };
  const found = issues(task).filter(({ code }) => code !== "no_resource");
  expect(found).toMatchObject([
    { code: "unknown_reference", argument_path: "parameters.a", from_task_id: "gone" },
    { code: "unknown_output", argument_path: "parameters.b.c[0]", output_path: "rows.*.zz" },
  ]);
  expect(found[0]?.repair?.candidates).toHaveLength(9);
});

test.for([
  { givers: ["find_lyrics"], said: ', which "find_lyrics" gives' },
  { givers: ["find_lyrics", "read_lyrics"], said: ', which "find_lyrics" and "read_lyrics" give' },
  { givers: ["find_lyrics", "read_lyrics", "sing_lyrics"], said: "" },
])("a field that few other tools give says which, where the output has it not: $givers", ({ givers, said }) => {
  const tool = (id: string, output_schema: Resource["output_schema"]): Resource => ({
    kind: "tool",
    id,
    description: id,
    ...(output_schema && { output_schema }),
  });
  const resources = [
    tool("search_song", object({ artist: text })),
    { ...tool("translate", object({ words: text })), input_schema: object({ text: text }) },
    ...givers.map((id) => tool(id, array(object({ lyrics: text })))),
  ];
  const plan: TaskDataInput = {
    planned_tasks: [
      { task_id: "t1", description: "Find", execution_type: "tool", tool_id: "search_song" },
      {
        task_id: "t2",
        description: "Translate",
        execution_type: "tool",
        tool_id: "translate",
        arguments: { text: "${t1.lyrics}" },
      },
    ],
  };
  const [issue] = validatePlan(plan, resources);
  expect(issue?.message).toContain(`the output of "t1" (object) has no "lyrics"${said}; it could be \${t1.artist}`);
});
