import { dialects, type TaskData } from "@planloom/plan";
import { defineTool, type RunOptions, run, toolExecutor, whatIf } from "@planloom/runtime";
import { expect, test } from "vitest";

const { stepFunctions } = dialects;
const written = (plan: TaskData) => stepFunctions.write(plan);
const task = (more: object = {}) => ({ Type: "Task", Resource: "t", ...more });

const anyRetry = (MaxAttempts: number) => [{ ErrorEquals: ["States.ALL"], IntervalSeconds: 0, MaxAttempts }];
const states = (Retry?: object) => ({
  StartAt: "A",
  States: { A: task({ Parameters: {}, ...(Retry && { Retry }), End: true }) },
});

test.for([
  { name: "without Retry once, also where the tool only reads", machine: states(), calls: 1 },
  { name: "with Retry as often as that says", machine: states(anyRetry(2)), calls: 3 },
  { name: "with no further attempts once", machine: states(anyRetry(0)), calls: 1 },
  {
    name: "as often as the run says, where the state does not",
    machine: states(),
    options: { retry: { max_attempts: 2, initial_delay_ms: 0 } },
    calls: 2,
  },
  {
    name: "no more often than the run lets any task",
    machine: states(anyRetry(5)),
    options: { maxAttempts: 2 },
    calls: 2,
  },
] satisfies { name: string; machine: object; options?: Partial<RunOptions>; calls: number }[])(
  "a Task that fails is called $name",
  async ({ machine, options, calls }) => {
    let called = 0;
    const t = defineTool({
      id: "t",
      description: "",
      readOnly: true,
      execute() {
        called++;
        throw new Error("no");
      },
    });
    const executors = [toolExecutor([t])];
    const plan = stepFunctions.read(machine);
    const result = await run(plan, { executors, ...options });
    expect([result.end_reason, called]).toEqual(["failed", calls]);
    // A forecast goes by the same rules.
    const behaviours = { tasks: { A: { failureProbability: 1 } } };
    if (options === undefined) expect(whatIf(plan, { executors, behaviours, samples: 1 }).scenarios).toHaveLength(1);
  },
);

const branches = {
  Choices: [{ Variable: "$.a", NumericEquals: 1, Next: "Meet" }],
  Default: "Other",
};
const machines: Readonly<Record<string, object>> = {
  "data that is put together": {
    A: task({ ResultPath: "$.first", Next: "B" }),
    B: task({ Parameters: { "whole.$": "$", "list.$": "States.Array($.a, $.first)" }, End: true }),
  },
  "a place in a list": {
    A: {
      Type: "Map",
      ItemsPath: "$.l",
      ItemSelector: { "item.$": "$$.Map.Item.Value", "at.$": "$$.Map.Item.Index", "of.$": "$$.Execution.Input.a" },
      ItemProcessor: { StartAt: "I", States: { I: task({ ResultPath: "$.of", Next: "J" }), J: task({ End: true }) } },
      End: true,
    },
  },
  "a branch without a task that leads to one, beside another branch": {
    A: {
      Type: "Parallel",
      Branches: [
        {
          StartAt: "C",
          States: {
            C: { Type: "Choice", ...branches },
            Other: { Type: "Pass", Next: "Meet" },
            Meet: task({ End: true }),
          },
        },
        { StartAt: "W", States: { W: { Type: "Wait", Seconds: 0, End: true } } },
      ],
      Next: "B",
    },
    B: task({ Parameters: { x: 1 }, End: true }),
  },
};

test.for(Object.entries(machines))("written, read and written again a machine stays the same: %s", ([, States]) => {
  const first = written(stepFunctions.read({ StartAt: "A", States }));
  const read = stepFunctions.read(first);
  expect(written(read)).toEqual(first);
  // Tasks keep their names, whatever other states are called.
  const ids = (plan: TaskData) => plan.planned_tasks.map(({ task_id }) => task_id).sort();
  expect(ids(read)).toEqual(ids(stepFunctions.read({ StartAt: "A", States })));
});

test.for([
  ["{% ($x := $states.input.a; $x + 1) %}", "{% ($x := $states.context.Execution.Input.a; $x + 1) %}"],
  [
    "{% ($states.input.a) + ($states.input.a) %}",
    "{% ($states.context.Execution.Input.a) + ($states.context.Execution.Input.a) %}",
  ],
  ['{% ("a;(" & $states.input.s) %}', '{% "a;(" & $states.context.Execution.Input.s %}'],
])("brackets that hold more than one expression stay: %s", async ([argument]) => {
  const machine = {
    QueryLanguage: "JSONata",
    StartAt: "A",
    States: { A: task({ Arguments: { of: argument }, End: true }) },
  };
  const calls: unknown[] = [];
  const t = defineTool({ id: "t", description: "", execute: (input: unknown) => calls.push(input) });
  const options = { executors: [toolExecutor([t])], input: { a: 2, s: "b" } };
  const plan = stepFunctions.read(machine);
  const first = written(plan);
  expect(written(stepFunctions.read(first))).toEqual(first);
  for (const each of [plan, stepFunctions.read(first)]) expect((await run(each, options)).end_reason).toBe("completed");
  expect(calls[0]).toEqual(calls[1]);
});

test.for([
  { input: { a: 1, b: true }, ends: "completed" },
  { input: { a: 1, b: false }, ends: "failed" },
  { input: { a: 0, b: true }, ends: "failed" },
])("a branch that may fail within is written as one that need not: $input", async ({ input, ends }) => {
  const fail = { Type: "Fail", Error: "E" };
  const States = {
    C: { Type: "Choice", Choices: [{ Variable: "$.a", NumericEquals: 1, Next: "A" }], Default: "F" },
    F: fail,
    A: task({ ResultPath: null, Next: "D" }),
    D: { Type: "Choice", Choices: [{ Variable: "$.b", BooleanEquals: true, Next: "Z" }], Default: "G" },
    G: fail,
    Z: task({ Parameters: {}, End: true }),
  };
  const first = written(stepFunctions.read({ StartAt: "C", States }));
  const plan = stepFunctions.read(first);
  expect(written(plan)).toEqual(first);
  const t = defineTool({ id: "t", description: "", execute: () => 1 });
  expect((await run(plan, { executors: [toolExecutor([t])], input })).end_reason).toBe(ends);
});

const mapOf = (more: object) => ({
  StartAt: "M",
  States: { M: { Type: "Map", ItemsPath: "$.l", End: true, ItemProcessor: states(), ...more } },
});

test.for([
  { tolerated: { ToleratedFailurePercentage: 100, ToleratedFailureCount: 2 }, on_failure: { first: 3 } },
  { tolerated: { ToleratedFailurePercentage: 100, ToleratedFailureCount: 0 }, on_failure: undefined },
  { tolerated: { ToleratedFailurePercentage: 0, ToleratedFailureCount: 2 }, on_failure: undefined },
  { tolerated: { ToleratedFailurePercentage: 100 }, on_failure: "collect" },
  { tolerated: { ToleratedFailureCount: 2 }, on_failure: { first: 3 } },
])("of a number and a share the stricter is tolerated: $tolerated", ({ tolerated, on_failure }) => {
  expect(stepFunctions.read(mapOf(tolerated)).planned_tasks[0]?.for_each?.on_failure).toEqual(on_failure);
});

test.for<[machine: object, says: RegExp]>([
  [mapOf({ Iterator: states() }), /State "M": `Iterator` is there beside ItemProcessor/],
  [mapOf({ MaxConcurrency: 10_001 }), /State "M": `MaxConcurrency` is expected to be at most 10000/],
  [
    states([{ ErrorEquals: ["States.ALL"], MaxAttempts: 1.5 }]),
    /State "A": `Retry\[0\].MaxAttempts` is expected to be an integer/,
  ],
  [
    { StartAt: "A", States: { A: task({ TimeoutSeconds: 0, End: true }) } },
    /State "A": `TimeoutSeconds` is expected to be more than 0/,
  ],
  [
    { StartAt: "W", States: { W: { Type: "Wait", Seconds: -1, End: true } } },
    /State "W": `Seconds` is expected to be at least 0/,
  ],
])("what a plan cannot say is refused by its state", ([machine, says]) => {
  expect(() => stepFunctions.read(machine as never)).toThrow(says);
});

test("a list of no retriers repeats nothing", () => {
  expect(stepFunctions.read(states([])).planned_tasks[0]).not.toHaveProperty("retry");
});

test("what takes too long an expression to compute is refused by its state", () => {
  const Parameters = Object.fromEntries(
    Array.from({ length: 300 }, (_, place) => [`a_long_name_${place}.$`, "$.first.there"]),
  );
  const States = {
    A: task({ ResultPath: "$.first", Next: "P" }),
    P: { Type: "Pass", Parameters, ResultPath: "$.first", Next: "B" },
    B: task({ Parameters: { "whole.$": "States.Array($, $)" }, End: true }),
  };
  expect(() => stepFunctions.read({ StartAt: "A", States })).toThrow(
    /State "B": `Resource` is called with what takes an expression of \d+ characters/,
  );
});
