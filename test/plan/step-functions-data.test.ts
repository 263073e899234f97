// What states hand on, computed by hand: which tools are called with what, and which machines fail before they call one.
import { dialects, readPlan, TaskData, validatePlan } from "@planloom/plan";
import { defineTool, run, toolExecutor } from "@planloom/runtime";
import { describe, expect, test } from "vitest";

const task = (Resource: string, more: object = {}) => ({ Type: "Task", Resource, ...more });

/** Calls in the order in which they are made, as `[tool, input]`; `first` gives `{ n: 1, list: [1, 2] }`. */
async function calls(machine: object, input: Record<string, unknown>) {
  const made: [string, unknown][] = [];
  const tool = (id: string) =>
    defineTool({
      id,
      description: "",
      execute: (given) => {
        made.push([id, given]);
        return { n: 1, list: [1, 2] };
      },
    });
  const plan = readPlan(machine);
  expect(validatePlan(plan).filter(({ severity }) => severity === "error")).toEqual([]);
  const { end_reason } = await run(plan, { executors: [toolExecutor(["first", "second"].map(tool))], input });
  return { end_reason, made };
}

const jsonata = (Arguments: object, more: object = {}) => ({
  QueryLanguage: "JSONata",
  StartAt: "First",
  States: {
    First: task("first", { Arguments: {}, ...more, Next: "Second" }),
    Second: task("second", { Arguments, End: true }),
  },
});

test("a result is put into what the state was handed, not into what `InputPath` selected of it", async () => {
  const machine = {
    StartAt: "First",
    States: {
      First: task("first", {
        InputPath: "$.lambda",
        ResultPath: "$.data.result",
        OutputPath: "$.data",
        Next: "Second",
      }),
      Second: task("second", { End: true }),
    },
  };
  const input = { data: { a: 23 }, extra: "x", lambda: { who: "me" } };
  expect((await calls(machine, input)).made).toEqual([
    ["first", { who: "me" }],
    ["second", { a: 23, result: { n: 1, list: [1, 2] } }],
  ]);
  const discarded = {
    StartAt: "First",
    States: {
      First: task("first", { InputPath: "$.lambda", ResultPath: null, Next: "Second" }),
      Second: task("second", { Parameters: { "a.$": "$.data.a" }, End: true }),
    },
  };
  expect((await calls(discarded, input)).made[1]).toEqual(["second", { a: 23 }]);
});

describe("an expression that gives nothing fails the state", () => {
  const input = { here: 1 };
  test.for<[name: string, machine: object]>([
    ["a filter", jsonata({ a: "{% $states.input.list[$ > 5] %}" })],
    ["within a list", jsonata({ a: ["{% $states.input.list[$ > 5] %}"] })],
    ["a path into what was computed", jsonata({ a: "{% $states.input.z %}" }, { Output: "{% $merge([{}, {}]) %}" })],
    ["what was assigned", jsonata({ a: "{% $v + 1 %}" }, { Assign: { v: "{% $states.result.list[$ > 5] %}" } })],
    ["all arguments", jsonata("{% $states.input.list[$ > 5] %}" as never)],
  ])("%s", async ([, machine]) => {
    expect(await calls(machine, input)).toEqual({ end_reason: "failed", made: [["first", {}]] });
  });

  test("null and false are given", async () => {
    const both = { a: "{% null %}", b: "{% $not($states.input.n = 1) %}", c: ["{% $states.input.none %}"] };
    const { made } = await calls(jsonata(both, { Output: '{% {"n": $states.result.n, "none": null} %}' }), input);
    expect(made[1]).toEqual(["second", { a: null, b: false, c: [null] }]);
  });
});

test("a list within a list stays one, where the lists are computed", async () => {
  const both = [
    "{% $states.input.list %}",
    2,
    ["{% $states.input.list[$ > 1] %}", ["{% $states.input.n + 1 %}"]],
    "{% [] %}",
  ];
  const { made } = await calls(jsonata({ both, one: ["{% $append($states.input.list, []) %}"] }), {});
  expect(made[1]).toEqual(["second", { both: [[1, 2], 2, [2, [2]], []], one: [[1, 2]] }]);
});

test("of lists within lists JSONata makes one list, and a place after [] is one in all of it", async () => {
  const given = { orders: [{ lines: [{ sku: "a" }, { sku: "b" }] }, { lines: [{ sku: "c" }] }] };
  const machine = jsonata({
    skus: "{% $states.context.Execution.Input.orders[].lines[].sku %}",
    first: "{% $states.context.Execution.Input.orders[].lines[0].sku %}",
    one: "{% $states.context.Execution.Input.orders[][0].lines[0].sku %}",
  });
  const { made } = await calls(machine, given);
  expect(made[1]).toEqual(["second", { skus: ["a", "b", "c"], first: ["a", "c"], one: ["a"] }]);
});

describe("what would mean something else is refused", () => {
  const write = (tasks: object[]) => () => dialects.stepFunctions.write(TaskData.parse({ planned_tasks: tasks }));
  test("lists within lists, which a plan keeps and JSONPath and JSONata do not", () => {
    const read = () =>
      readPlan({
        StartAt: "First",
        States: { First: task("first", { Parameters: { "a.$": "$.orders[*].lines[*].sku" }, End: true }) },
      });
    expect(read).toThrow(
      /`Parameters.a.\$` is \$\.orders\[\*\]\.lines\[\*\]\.sku, which cannot be converted: a path has one/,
    );
    const skus = { task_id: "b", tool_id: "x", arguments: { a: "${input.orders.*.lines.*.sku}" } };
    expect(write([skus])).toThrow(/"b": `arguments` refers to lists within a list of input/);
  });

  test("a task between a decision and its branch, which is no cycle of the plan", () => {
    const tasks = [
      { task_id: "d", choose: { branches: [{ name: "a", condition: "${input.x}" }], else: "b" } },
      { task_id: "between", tool_id: "x", dependencies: ["d"] },
      { task_id: "of-a", tool_id: "x", when: { condition: "${d.a}" }, dependencies: ["between"] },
    ];
    expect(validatePlan({ planned_tasks: tasks })).toEqual([]);
    expect(write(tasks)).toThrow(
      /State "between": `dependencies` lets it come after the decision "d" and before a task of one/,
    );
    const cycle = [
      { task_id: "one", tool_id: "x", dependencies: ["two"] },
      { task_id: "two", tool_id: "x", dependencies: ["one"] },
    ];
    expect(write(cycle)).toThrow(expect.objectContaining({ code: "PLAN_CYCLE" }));
  });
});

describe("after branches have met", () => {
  const machine = (then: object) => ({
    StartAt: "Which",
    States: {
      Which: { Type: "Choice", Choices: [{ Variable: "$.k", NumericEquals: 1, Next: "First" }], Default: "Other" },
      First: task("first", { Parameters: {}, ResultPath: "$.r", Next: "Met" }),
      Other: { Type: "Pass", Result: { other: true }, ResultPath: "$.r", Next: "Met" },
      Met: task("second", { ...then, End: true }),
    },
  });

  test("what is absent in the branch that was taken fails, and is not null", async () => {
    const reads = machine({ Parameters: { "a.$": "$.r.n" } });
    expect(await calls(reads, { k: 1 })).toEqual({
      end_reason: "completed",
      made: [
        ["first", {}],
        ["second", { a: 1 }],
      ],
    });
    expect(await calls(reads, { k: 2 })).toEqual({ end_reason: "failed", made: [] });
  });

  test("a task that begins where branches within its branch have met reads what its branch gave before", async () => {
    const nested = {
      StartAt: "Which",
      States: {
        Which: { Type: "Choice", Choices: [{ Variable: "$.k", NumericEquals: 1, Next: "First" }], Default: "End" },
        First: task("first", { Parameters: {}, Next: "Again" }),
        Again: { Type: "Choice", Choices: [{ Variable: "$.n", NumericEquals: 7, Next: "Seven" }], Default: "Met" },
        Seven: task("second", { Parameters: {}, ResultPath: "$.seven", Next: "Met" }),
        Met: task("second", { Parameters: { "a.$": "$.n" }, Next: "End" }),
        End: { Type: "Succeed" },
      },
    };
    const first = ["first", {}];
    expect((await calls(nested, { k: 1 })).made).toEqual([first, ["second", { a: 1 }]]);
    expect((await calls(nested, { k: 2 })).made).toEqual([]);
  });

  test("a result is put into an object that may be missing, beside parts that are there", async () => {
    const missing = {
      StartAt: "Which",
      States: {
        Which: { Type: "Choice", Choices: [{ Variable: "$.k", NumericEquals: 1, Next: "First" }], Default: "Other" },
        Other: task("second", { Parameters: {}, End: true }),
        First: task("first", { Parameters: {}, ResultSelector: { "n.$": "$.n" }, ResultPath: "$.o.p", Next: "Last" }),
        Last: task("second", { End: true }),
      },
    };
    expect((await calls(missing, { k: 1 })).made[1]).toEqual(["second", { k: 1, o: { p: { n: 1 } } }]);
  });
});

test("a Map whose machine fails at once is a list of one task, which fails", async () => {
  const machine = {
    StartAt: "First",
    States: {
      First: task("first", { Parameters: {}, Next: "Each" }),
      Each: {
        Type: "Map",
        ItemsPath: "$.list",
        ItemProcessor: { StartAt: "No", States: { No: { Type: "Fail", Error: "E" } } },
        End: true,
      },
    },
  };
  expect((await calls(machine, {})).end_reason).toBe("failed");
});
