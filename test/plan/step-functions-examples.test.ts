// The examples by which the language is taught (its specification and the vendor's guides), in words of our own: what each becomes, what it gives when
// it is run, that it is written back with the same meaning, or which state and field it is refused for.
import { dialects, type TaskData, validatePlan } from "@planloom/plan";
import { defineTool, memoryJournal, resume, run, toolExecutor } from "@planloom/runtime";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

const { stepFunctions } = dialects;
const task = (Resource: string, more: object = {}) => ({ Type: "Task", Resource, ...more });
const only = (state: object, more: object = {}) => ({
  StartAt: "Only",
  States: { Only: { ...state, End: true } },
  ...more,
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2025-12-01T00:00:00Z") });
});
afterEach(() => {
  vi.useRealTimers();
});

type Answers = Readonly<Record<string, (input: Record<string, unknown>) => unknown>>;

/** Runs a plan; gives the outputs of what was called, by task, elements in a list. Waits pass at once. */
async function outputsOf(plan: TaskData, answers: Answers, input: Record<string, unknown>) {
  const tools = Object.entries(answers).map(([id, execute]) =>
    defineTool({
      id,
      description: "",
      readOnly: true,
      execute: (given) => execute(given as Record<string, unknown>) ?? null,
    }),
  );
  const options = { executors: [toolExecutor(tools)], onFailure: "halt" as const, journal: memoryJournal() };
  let result = await run(plan, { ...options, input });
  while (result.end_reason === "waiting") {
    vi.setSystemTime(Date.now() + 86_400_000);
    result = await resume(result.run_id, options);
  }
  const calls = new Set(
    plan.planned_tasks.filter(({ tool_id, for_each }) => tool_id !== null || for_each).map(({ task_id }) => task_id),
  );
  const called = result.results.filter(({ status, task_id }) => status === "completed" && calls.has(task_id));
  return {
    end: result.end_reason,
    outputs: Object.fromEntries(called.map(({ task_id, output }) => [task_id, output])),
    error: result.results.find(({ status }) => status === "failed")?.error?.message,
  };
}

interface Example {
  readonly name: string;
  readonly machine: object;
  readonly answers: Answers;
  readonly runs: readonly {
    readonly input: Record<string, unknown>;
    readonly outputs?: object;
    readonly error?: string;
  }[];
}

const examples: readonly Example[] = [
  {
    name: "one task that greets",
    machine: only(task("greet"), { Comment: "The least that there is" }),
    answers: { greet: ({ who = "world" }) => `Hello ${who}` },
    runs: [{ input: {}, outputs: { Only: "Hello world" } }],
  },
  {
    name: "a choice between matches, which fails where there is none",
    machine: {
      StartAt: "First",
      States: {
        First: task("load", { ResultPath: "$.loaded", Next: "Which?" }),
        "Which?": {
          Type: "Choice",
          Choices: [
            { Variable: "$.loaded.kind", NumericEquals: 1, Next: "One" },
            { Variable: "$.loaded.kind", NumericEquals: 2, Next: "Two" },
          ],
          Default: "None",
        },
        One: task("one", { ResultPath: null, Next: "After" }),
        Two: task("two", { ResultPath: null, Next: "After" }),
        None: { Type: "Fail", Error: "NoMatch", Cause: "Nothing fits" },
        After: task("after", { Parameters: { "kind.$": "$.loaded.kind" }, End: true }),
      },
    },
    answers: { load: ({ kind }) => ({ kind }), one: () => 1, two: () => 2, after: ({ kind }) => `after ${kind}` },
    runs: [
      { input: { kind: 1 }, outputs: { First: { kind: 1 }, One: 1, After: "after 1" } },
      { input: { kind: 2 }, outputs: { First: { kind: 2 }, Two: 2, After: "after 2" } },
      { input: { kind: 3 }, error: "NoMatch: Nothing fits" },
    ],
  },
  {
    name: "the same with a variable, in JSONata",
    machine: {
      QueryLanguage: "JSONata",
      StartAt: "First",
      States: {
        First: task("load", {
          Arguments: "{% $states.input %}",
          Assign: { kind: "{% $states.result.kind %}" },
          Next: "Which?",
        }),
        "Which?": {
          Type: "Choice",
          Choices: [{ Condition: "{% $kind = 1 %}", Next: "One" }],
          Default: "None",
        },
        One: task("one", { Arguments: { kind: "{% $kind %}" }, End: true }),
        None: { Type: "Fail", Error: "NoMatch", Cause: "Nothing fits" },
      },
    },
    answers: { load: ({ kind }) => ({ kind }), one: ({ kind }) => `one ${kind}` },
    runs: [
      { input: { kind: 1 }, outputs: { First: { kind: 1 }, One: "one 1" } },
      { input: { kind: 2 }, error: "NoMatch: Nothing fits" },
    ],
  },
  {
    name: "rules that are put together, of numbers, texts and times",
    machine: {
      StartAt: "Sort",
      States: {
        Sort: {
          Type: "Choice",
          Choices: [
            { Not: { Variable: "$.visibility", StringEquals: "private" }, Next: "Open" },
            {
              And: [
                { Variable: "$.age", IsPresent: true },
                { Variable: "$.age", IsNumeric: true },
                { Variable: "$.age", NumericGreaterThanEquals: 20 },
                { Variable: "$.age", NumericLessThan: 30 },
              ],
              Next: "Twenties",
            },
          ],
          Default: "Keep",
        },
        Open: task("open", { End: true }),
        Twenties: task("twenties", { End: true }),
        Keep: task("keep", { End: true }),
      },
    },
    answers: { open: () => "open", twenties: () => "twenties", keep: () => "keep" },
    runs: [
      { input: { visibility: "public", age: 25 }, outputs: { Open: "open" } },
      { input: { visibility: "private", age: 25 }, outputs: { Twenties: "twenties" } },
      { input: { visibility: "private", age: "25" }, outputs: { Keep: "keep" } },
      { input: { visibility: "private" }, outputs: { Keep: "keep" } },
    ],
  },
  {
    name: "what may be absent is asked for and then read, in JSONata",
    machine: {
      QueryLanguage: "JSONata",
      StartAt: "Load",
      States: {
        Load: task("load", { Arguments: "{% $states.input %}", Output: "{% $states.result %}", Next: "Grown?" }),
        "Grown?": {
          Type: "Choice",
          Choices: [{ Condition: "{% $exists($states.input.age) and $states.input.age >= 20 %}", Next: "Old" }],
          Default: "Young",
        },
        Old: task("old", { Arguments: {}, End: true }),
        Young: task("young", { Arguments: {}, End: true }),
      },
    },
    answers: { load: (given) => given, old: () => "old", young: () => "young" },
    runs: [
      { input: { age: 30 }, outputs: { Load: { age: 30 }, Old: "old" } },
      { input: { age: 3 }, outputs: { Load: { age: 3 }, Young: "young" } },
      { input: {}, outputs: { Load: {}, Young: "young" } },
    ],
  },
  {
    name: "two look-ups of a customer beside one another",
    machine: {
      StartAt: "Look up",
      States: {
        "Look up": {
          Type: "Parallel",
          Branches: [
            { StartAt: "Address", States: { Address: task("address", { End: true }) } },
            { StartAt: "Phone", States: { Phone: task("phone", { End: true }) } },
          ],
          Next: "Card",
        },
        Card: task("card", { Parameters: { "address.$": "$[0]", "phone.$": "$[1]" }, End: true }),
      },
    },
    answers: { address: ({ id }) => `street ${id}`, phone: ({ id }) => `+${id}`, card: (given) => given },
    runs: [
      {
        input: { id: 7 },
        outputs: { Address: "street 7", Phone: "+7", Card: { address: "street 7", phone: "+7" } },
      },
    ],
  },
  {
    name: "every parcel of a shipment is checked, with what all of them share",
    machine: {
      StartAt: "Check all",
      States: {
        "Check all": {
          Type: "Map",
          InputPath: "$.shipment",
          ItemsPath: "$.parcels",
          MaxConcurrency: 2,
          ItemSelector: { "parcel.$": "$$.Map.Item.Value", "courier.$": "$.courier" },
          ItemProcessor: { StartAt: "Check", States: { Check: task("check", { End: true }) } },
          ResultPath: "$.checked",
          End: true,
        },
      },
    },
    answers: { check: ({ parcel, courier }) => `${(parcel as { code: string }).code} by ${courier}` },
    runs: [
      {
        input: { shipment: { courier: "UQS", parcels: [{ code: "a" }, { code: "b" }] } },
        outputs: { "Check all": ["a by UQS", "b by UQS"] },
      },
      { input: { shipment: { courier: "UQS", parcels: [] } }, outputs: { "Check all": [] } },
    ],
  },
  {
    name: "what a Pass state puts in is there for the task after it",
    machine: {
      StartAt: "Place",
      States: {
        Place: { Type: "Pass", Result: { x: 0.5, y: 1.5 }, ResultPath: "$.where", Next: "Show" },
        Show: task("show", { End: true }),
      },
    },
    answers: { show: (given) => given },
    runs: [{ input: { name: "Vik" }, outputs: { Show: { name: "Vik", where: { x: 0.5, y: 1.5 } } } }],
  },
  {
    name: "a task that is begun after some seconds, and one at a time of the input",
    machine: {
      StartAt: "Pause",
      States: {
        Pause: { Type: "Wait", Seconds: 10, Next: "Send" },
        Send: task("send", { ResultPath: "$.sent", Next: "Until" }),
        Until: { Type: "Wait", TimestampPath: "$.expires", Next: "Close" },
        Close: task("close", { Parameters: { "sent.$": "$.sent" }, End: true }),
      },
    },
    answers: { send: ({ topic }) => `to ${topic}`, close: ({ sent }) => `closed ${sent}` },
    runs: [
      {
        input: { topic: "t", expires: "2026-01-01T00:00:00Z" },
        outputs: { Send: "to t", Close: "closed to t" },
      },
    ],
  },
  {
    name: "a task that is tried again whatever fails",
    machine: only(
      task("flaky", { Retry: [{ ErrorEquals: ["States.ALL"], IntervalSeconds: 1, MaxAttempts: 2, BackoffRate: 1 }] }),
    ),
    answers: { flaky: () => "done" },
    runs: [{ input: {}, outputs: { Only: "done" } }],
  },
];

describe.for(examples)("$name", ({ machine, answers, runs }) => {
  test.for(runs)("with $input", async ({ input, outputs, error }) => {
    const plan = stepFunctions.read(machine);
    const resources = Object.keys(answers).map((id) => ({ kind: "tool" as const, id, description: "" }));
    expect(validatePlan(plan, resources).filter(({ severity }) => severity === "error")).toEqual([]);
    const done = await outputsOf(plan, answers, input);
    if (error === undefined) expect(done).toEqual({ end: "completed", outputs });
    else expect(done).toMatchObject({ end: "failed", error: expect.stringContaining(error) });
    // Written and read again it gives the same.
    const again = await outputsOf(
      stepFunctions.read(JSON.parse(JSON.stringify(stepFunctions.write(plan)))),
      answers,
      input,
    );
    expect(again).toEqual(done);
  });
});

test.for<{ name: string; machine: object; says: RegExp }>([
  {
    name: "a job that is polled in a loop of states",
    machine: {
      StartAt: "Submit",
      States: {
        Submit: task("submit", { ResultPath: "$.id", Next: "Wait" }),
        Wait: { Type: "Wait", Seconds: 30, Next: "Ask" },
        Ask: task("ask", { ResultPath: "$.status", Next: "Done?" }),
        "Done?": {
          Type: "Choice",
          Choices: [{ Variable: "$.status", StringEquals: "SUCCEEDED", Next: "Report" }],
          Default: "Wait",
        },
        Report: task("report", { End: true }),
      },
    },
    says: /State "Done\?": `Next` leads back to an earlier state.*retry_until/,
  },
  {
    name: "errors that are caught by name",
    machine: {
      StartAt: "Try",
      States: {
        Try: task("try", { Catch: [{ ErrorEquals: ["CustomError"], Next: "Fallback" }], End: true }),
        Fallback: task("fallback", { End: true }),
      },
    },
    says: /State "Try": `Catch` cannot be converted/,
  },
  {
    name: "retries of some errors alone",
    machine: only(task("try", { Retry: [{ ErrorEquals: ["States.Timeout"], MaxAttempts: 0 }] })),
    says: /State "Only": `Retry/,
  },
  {
    name: "seconds that the input says",
    machine: {
      StartAt: "Wait",
      States: { Wait: { Type: "Wait", SecondsPath: "$.seconds", Next: "T" }, T: task("t", { End: true }) },
    },
    says: /State "Wait": `SecondsPath` cannot be converted/,
  },
  {
    name: "a person who answers by a token",
    machine: only(
      task("queue.waitForTaskToken", { HeartbeatSeconds: 3600, Parameters: { "token.$": "$$.Task.Token" } }),
    ),
    says: /State "Only": `(HeartbeatSeconds|Parameters)/,
  },
  {
    name: "a map over the objects of a bucket",
    machine: only({
      Type: "Map",
      ItemReader: { Resource: "list" },
      ItemProcessor: { StartAt: "T", States: { T: task("t", { End: true }) } },
    }),
    says: /State "Only": `ItemReader` cannot be converted/,
  },
])("$name: refused by the state and the field", ({ machine, says }) => {
  expect(() => stepFunctions.read(machine)).toThrow(says);
  expect(() => stepFunctions.read(machine)).toThrow(expect.objectContaining({ code: "PLAN_DIALECT" }));
});
