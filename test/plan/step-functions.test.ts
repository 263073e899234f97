import { PlanError, readPlan, validatePlan } from "@planloom/plan";
import { defineTool, run, toolExecutor } from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { fakeTime } from "../support/fake-time.ts";
import { lambda, outputsOf, said, stepFunctions } from "../support/state-machines.ts";

describe("a state machine of JSONPath", () => {
  const orders = {
    Comment: "Ship an order",
    StartAt: "Load order",
    States: {
      "Load order": {
        Type: "Task",
        Resource: lambda("load"),
        Parameters: { "id.$": "$.order_id", source: "shop" },
        ResultPath: "$.order",
        TimeoutSeconds: 30,
        Retry: [{ ErrorEquals: ["States.ALL"], IntervalSeconds: 2, MaxAttempts: 4, BackoffRate: 1.5 }],
        Next: "Defaults",
      },
      Defaults: { Type: "Pass", Result: { currency: "EUR" }, ResultPath: "$.settings", Next: "Prices and stock" },
      "Prices and stock": {
        Type: "Parallel",
        Branches: [
          {
            StartAt: "Price",
            States: {
              Price: {
                Type: "Task",
                Resource: lambda("price"),
                InputPath: "$.order",
                Parameters: { "of.$": "$.items[*].sku" },
                End: true,
              },
            },
          },
          {
            StartAt: "Stock",
            States: {
              Stock: {
                Type: "Task",
                Resource: lambda("stock"),
                Parameters: { "skus.$": "$.order.items", "currency.$": "$.settings.currency" },
                End: true,
              },
            },
          },
        ],
        ResultSelector: { "price.$": "$[0].total", "stock.$": "$[1]" },
        ResultPath: "$.checked",
        Next: "Confirm",
      },
      Confirm: {
        Type: "Task",
        Resource: lambda("confirm"),
        Parameters: {
          "text.$": "States.Format('Order {} costs {}', $.order_id, $.checked.price)",
          "all.$": "$.checked",
        },
        End: true,
      },
    },
  };

  test("becomes tasks with references: what states hand on is followed to where it is used", () => {
    const plan = readPlan(orders);
    expect(plan.title).toBe("Ship an order");
    expect(plan.metadata).toEqual({ dialect: "step-functions" });
    expect(said(plan)).toEqual([
      {
        task_id: "Load order",
        tool_id: lambda("load"),
        arguments: { id: "${input.order_id}", source: "shop" },
        timeout_ms: 30_000,
        retry: { max_attempts: 5, initial_delay_ms: 2000, backoff_factor: 1.5 },
      },
      { task_id: "Price", tool_id: lambda("price"), arguments: { of: '${["Load order"].items.*.sku}' } },
      { task_id: "Stock", tool_id: lambda("stock"), arguments: { skus: '${["Load order"].items}', currency: "EUR" } },
      {
        task_id: "Confirm",
        tool_id: lambda("confirm"),
        arguments: {
          text: "Order ${input.order_id} costs ${Price.total}",
          all: { price: "${Price.total}", stock: "${Stock}" },
        },
      },
    ]);
    expect(validatePlan(plan).filter(({ severity }) => severity === "error")).toEqual([]);
  });

  test("what needs to be put together at run time is computed from references", async () => {
    const plan = readPlan({
      StartAt: "First",
      States: {
        First: { Type: "Task", Resource: "first", ResultPath: "$.first", Next: "Second" },
        Second: { Type: "Task", Resource: "second", OutputPath: "$.first", Next: "Third" },
        Third: { Type: "Task", Resource: "third", End: true },
      },
    });
    expect(await outputsOf(plan, { id: 7 })).toEqual({
      First: { id: 7, tool: "first" },
      Second: { id: 7, first: { id: 7, tool: "first" }, tool: "second" },
      Third: { id: 7, tool: "third" },
    });
  });

  test.for<[input: object, output: object]>([
    [{ a: { q: 1 } }, { a: { q: 1, b: { c: { n: 1 } } } }],
    [{ a: { b: { z: 2 } } }, { a: { b: { z: 2, c: { n: 1 } } } }],
    [{ a: null }, { a: { b: { c: { n: 1 } } } }],
    [{}, { a: { b: { c: { n: 1 } } } }],
  ])("a result is put into %j where objects on the way may be missing", async ([input, output]) => {
    const plan = readPlan({
      StartAt: "First",
      States: {
        First: {
          Type: "Task",
          Resource: "first",
          Parameters: {},
          ResultSelector: { n: 1 },
          ResultPath: "$.a.b.c",
          Next: "Second",
        },
        Second: { Type: "Task", Resource: "second", End: true },
      },
    });
    expect(await outputsOf(plan, input as Record<string, unknown>)).toMatchObject({ Second: output });
  });

  test("a Map becomes a list, with one task or several", async () => {
    const map = (states: object, more: object = {}) =>
      readPlan({
        StartAt: "Find",
        States: {
          Find: { Type: "Task", Resource: "find", Parameters: { rows: [{ id: 1 }, { id: 2 }] }, Next: "Each" },
          Each: { Type: "Map", ItemsPath: "$.rows", ...more, ItemProcessor: states, End: true },
        },
      });
    const one = map(
      { StartAt: "Show", States: { Show: { Type: "Task", Resource: "show", End: true } } },
      {
        MaxConcurrency: 3,
        ToleratedFailureCount: 1,
        ItemSelector: { "row.$": "$$.Map.Item.Value.id", "at.$": "$$.Map.Item.Index", "tool_of.$": "$.tool" },
      },
    );
    expect(said(one)[1]).toEqual({
      task_id: "Each",
      tool_id: "show",
      arguments: { row: "${item.id}", at: "${index}", tool_of: "${Find.tool}" },
      for_each: { items: "${Find.rows}", concurrency: 3, on_failure: { first: 2 } },
    });
    expect((await outputsOf(one)).Each).toEqual([
      { row: 1, at: 0, tool_of: "find", tool: "show" },
      { row: 2, at: 1, tool_of: "find", tool: "show" },
    ]);
    const two = map({
      StartAt: "A",
      States: {
        A: { Type: "Task", Resource: "a", Next: "B" },
        B: { Type: "Task", Resource: "b", Parameters: { "from.$": "$.tool" }, End: true },
      },
    });
    expect(two.planned_tasks[1]?.for_each).toMatchObject({ items: "${Find.rows}", result: "B" });
    expect((await outputsOf(two)).Each).toEqual([
      { from: "a", tool: "b" },
      { from: "a", tool: "b" },
    ]);
  });
});

describe("a state machine of JSONata", () => {
  test("paths become references, expressions are computed, variables of the beginning are those of the plan", async () => {
    const plan = readPlan({
      QueryLanguage: "JSONata",
      StartAt: "Settings",
      States: {
        Settings: { Type: "Pass", Assign: { rate: 1.19, tags: ["a"] }, Next: "Load" },
        Load: {
          Type: "Task",
          Resource: "load",
          Arguments: { id: "{% $states.input.id %}", rows: [{ net: 10 }, { net: 20 }] },
          Assign: { loaded: "{% $states.result.rows %}" },
          Output: { who: "{% $states.result.tool %}" },
          Next: "Sum",
        },
        Sum: {
          Type: "Task",
          Resource: "sum",
          Arguments: { gross: "{% $sum($loaded.net) * $rate %}", who: "{% $states.input.who %}", tags: "{% $tags %}" },
          End: true,
        },
      },
    });
    expect(plan.variables).toEqual({ rate: 1.19, tags: ["a"] });
    expect(said(plan)[0]).toMatchObject({ arguments: { id: "${input.id}" } });
    const { Sum } = await outputsOf(plan, { id: 3 });
    expect(Sum).toEqual({ gross: 30 * 1.19, who: "load", tags: ["a"], tool: "sum" });
  });

  test("how the machine arranges its result is kept beside the tasks", () => {
    const plan = readPlan({
      QueryLanguage: "JSONata",
      StartAt: "A",
      States: {
        A: { Type: "Task", Resource: "a", Arguments: {}, Output: { found: "{% $states.result.x %}" }, End: true },
      },
    });
    expect(plan.metadata).toEqual({ dialect: "step-functions", output: { found: "${A.x}" } });
  });
});

test("a Wait becomes a wait, and is written as one", async () => {
  const machine = {
    StartAt: "A",
    States: {
      A: { Type: "Task", Resource: "a", Next: "Pause" },
      Pause: { Type: "Wait", Seconds: 3, Next: "Until" },
      Until: { Type: "Wait", TimestampPath: "$.at", Next: "B" },
      B: { Type: "Task", Resource: "b", Parameters: { "x.$": "$.x" }, End: true },
    },
  };
  const plan = readPlan(machine);
  expect(plan.planned_tasks.map(({ task_id, wait, dependencies }) => ({ task_id, wait, dependencies }))).toEqual([
    { task_id: "A", wait: undefined, dependencies: [] },
    { task_id: "Pause", wait: { for_ms: 3000 }, dependencies: ["A"] },
    { task_id: "Until", wait: { until: "${A.at}" }, dependencies: ["Pause"] },
    { task_id: "B", wait: undefined, dependencies: ["Until"] },
  ]);
  expect(validatePlan(plan).filter(({ severity }) => severity === "error")).toEqual([]);
  const written = stepFunctions.write(plan) as { States: Record<string, object> };
  expect(written.States.Pause).toEqual({ Type: "Wait", Seconds: 3, Next: "Until" });
  expect(written.States.Until).toEqual({ Type: "Wait", Timestamp: "{% $A.at %}", Next: "B" });
  // What was computed when it was read is computed by the same expression again.
  expect(written.States.A).toMatchObject({ Arguments: "{% $states.context.Execution.Input %}" });
  expect(said(stepFunctions.read(written))).toEqual(said(plan));
});

test.for([
  { limit: "without TimeoutSeconds", hours: 5, end: "completed" },
  { limit: "that may take three hours", TimeoutSeconds: 3 * 3600, hours: 2, end: "completed" },
  { limit: "that may take an hour", TimeoutSeconds: 3600, hours: 2, end: "failed" },
])("a Task $limit takes $hours hours: $end", async ({ TimeoutSeconds, hours, end }) => {
  const task = { Type: "Task", Resource: "long", End: true, ...(TimeoutSeconds !== undefined && { TimeoutSeconds }) };
  const plan = readPlan({ StartAt: "A", States: { A: task } });
  using _ = fakeTime();
  const long = defineTool({
    id: "long",
    description: "",
    execute: (_, { signal }) =>
      new Promise((resolve, reject) => {
        setTimeout(resolve, hours * 3_600_000);
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      }),
  });
  const options = { executors: [toolExecutor([long])], input: {} };
  expect((await run(plan, options)).end_reason).toBe(end);
  // A limit of the run counts, whatever the machine was made for.
  if (TimeoutSeconds === undefined)
    expect((await run(plan, { ...options, taskTimeoutMs: 60_000 })).end_reason).toBe("failed");
});

describe("what a plan has nothing for is refused by the state and the field", () => {
  const task = { Type: "Task", Resource: "t", End: true };
  const machine = (state: object, more: object = {}) => ({ StartAt: "S", States: { S: state }, ...more });
  test.for<{ name: string; machine: unknown; says: RegExp }>([
    { name: "Catch", machine: machine({ ...task, Catch: [] }), says: /State "S": `Catch` cannot be converted/ },
    {
      name: "a heartbeat",
      machine: machine({ ...task, HeartbeatSeconds: 5 }),
      says: /State "S": `HeartbeatSeconds` cannot be converted/,
    },
    {
      name: "a misspelt field",
      machine: machine({ ...task, Timeout: 5 }),
      says: /State "S": `Timeout` cannot be converted in a Task state/,
    },
    {
      name: "a type that is unknown",
      machine: machine({ Type: "Loop" }),
      says: /State "S": `Type` is "Loop" \(string\), which cannot be converted/,
    },
    {
      name: "retriers of some errors",
      machine: machine({ ...task, Retry: [{ ErrorEquals: ["Lambda.TooManyRequests"] }] }),
      says: /`Retry\[0\].ErrorEquals` is expected to be \["States.ALL"\]/,
    },
    {
      name: "a filter",
      machine: machine({ ...task, InputPath: "$.a[?(@.b)]" }),
      says: /`InputPath` is "\$\.a\[\?\(@\.b\)\]", which cannot be converted/,
    },
    {
      name: "another intrinsic function",
      machine: machine({ ...task, Parameters: { "id.$": "States.UUID()" } }),
      says: /`Parameters.id.\$` is States.UUID\(\): of the intrinsic functions/,
    },
    {
      name: "a part of the context",
      machine: machine({ ...task, Parameters: { "id.$": "$$.Execution.Id" } }),
      says: /`Parameters.id.\$` refers to \$\$\.Execution\.Id/,
    },
    {
      name: "the same in JSONata",
      machine: machine({
        ...task,
        QueryLanguage: "JSONata",
        Arguments: { a: "{% $uppercase($states.context.Execution.Id) %}" },
      }),
      says: /`Arguments` uses a part of \$states/,
    },
    {
      name: "a loop",
      machine: {
        StartAt: "A",
        States: { A: { ...task, End: undefined, Next: "B" }, B: { ...task, End: undefined, Next: "A" } },
      },
      says: /State "B": `Next` leads back to an earlier state/,
    },
    {
      name: "a state that is missing",
      machine: { StartAt: "X", States: {} },
      says: /State "": `StartAt` leads to "X", which is not one of the states/,
    },
    {
      name: "a state that is never reached",
      machine: { StartAt: "A", States: { A: task, B: task } },
      says: /State "B": `Type` is of a state to which no `Next` leads/,
    },
    {
      name: "distributed maps",
      machine: machine({
        Type: "Map",
        End: true,
        ItemProcessor: { ProcessorConfig: { Mode: "DISTRIBUTED" }, ...machine(task) },
      }),
      says: /`ItemProcessor.ProcessorConfig` is DISTRIBUTED/,
    },
    {
      name: "a time limit of the whole",
      machine: machine(task, { TimeoutSeconds: 5 }),
      says: /`TimeoutSeconds` of the state machine cannot be converted/,
    },
    { name: "no task at all", machine: machine({ Type: "Pass", End: true }), says: /in which a Task is done/ },
    {
      name: "a list that is computed",
      machine: machine({
        Type: "Map",
        QueryLanguage: "JSONata",
        Items: "{% $append([1], [2]) %}",
        End: true,
        ItemProcessor: machine(task),
      }),
      says: /`Items` is computed or not a list/,
    },
  ])("$name", ({ machine: given, says }) => {
    expect(() => readPlan(given)).toThrow(says);
    expect(() => readPlan(given)).toThrow(PlanError);
  });
});
