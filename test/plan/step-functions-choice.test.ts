import { dialects, type PlannerTaskInput, readPlan, TaskData, validatePlan } from "@planloom/plan";
import { defineTool, run, toolExecutor } from "@planloom/runtime";
import { describe, expect, test } from "vitest";

const { stepFunctions } = dialects;
const task = (Resource: string, more: object = {}) => ({ Type: "Task", Resource, ...more });
const plan = (planned_tasks: PlannerTaskInput[]) => TaskData.parse({ planned_tasks });

/** Runs a plan with tools that give back what they are called with. */
async function execute(given: TaskData, input: Record<string, unknown>) {
  const ids = new Set(
    given.planned_tasks.flatMap(({ tool_id, for_each }) => [
      tool_id,
      ...(for_each?.tasks ?? []).map((each) => each.tool_id),
    ]),
  );
  const tools = [...ids].flatMap((id) =>
    id === null
      ? []
      : [defineTool({ id, description: "", readOnly: true, execute: (given) => ({ ...given, tool: id }) })],
  );
  const { results, end_reason } = await run(given, { executors: [toolExecutor(tools)], input, onFailure: "halt" });
  const done = results.filter(({ status, uid }) => status === "completed" && uid !== undefined);
  return {
    end_reason,
    ran: done.map(({ task_id }) => task_id),
    outputs: Object.fromEntries(done.map(({ task_id, output }) => [task_id, output])),
    errors: results.flatMap(({ status, error }) => (status === "failed" ? [error?.message] : [])),
  };
}

/** Orders: small ones are paid back, large ones refused, others reviewed, and urgent ones of these called about; all but the refused are noted. */
const orders = {
  StartAt: "Load",
  States: {
    Load: task("load", { ResultPath: "$.order", Next: "Size" }),
    Size: {
      Type: "Choice",
      Comment: "How large is it?",
      Choices: [
        { Variable: "$.order.total", NumericLessThan: 50, Next: "Refund" },
        {
          And: [
            { Variable: "$.order.kind", StringEquals: "gift" },
            { Not: { Variable: "$.order.note", IsPresent: true } },
          ],
          Next: "Review",
        },
        { Variable: "$.order.total", NumericGreaterThanEquals: 10_000, Next: "Refuse" },
      ],
      Default: "Review",
    },
    Refund: task("refund", { Parameters: { "id.$": "$.order.id" }, ResultPath: "$.done", Next: "Note" }),
    Review: task("review", {
      Parameters: { "id.$": "$.order.id", "urgent.$": "$.order.urgent" },
      ResultPath: "$.done",
      Next: "Urgent?",
    }),
    "Urgent?": {
      Type: "Choice",
      Choices: [{ Variable: "$.done.urgent", BooleanEquals: true, Next: "Call" }],
      Default: "Close",
    },
    Call: task("call", { ResultPath: null, Parameters: {}, Next: "Close" }),
    Close: task("close", { Parameters: {}, ResultPath: null, Next: "Note" }),
    Refuse: { Type: "Fail", Error: "TooLarge", Cause: "Orders of that size are not taken" },
    Note: task("note", { Parameters: { "what.$": "$.done.tool", "id.$": "$.order.id" }, End: true }),
  },
};

describe("a Choice state", () => {
  const read = stepFunctions.read(orders);

  test("becomes a decision; the tasks of its branches ask for them, and those after it join them", () => {
    const fields = Object.fromEntries(
      read.planned_tasks.map(({ task_id, when, join, choose }) => [task_id, { when: when?.condition, join, choose }]),
    );
    expect(fields).toMatchObject({
      Size: {
        choose: {
          branches: [
            { name: "Refund", condition: '($type(${Load.total}) = "number" and ${Load.total} < 50)' },
            { name: "Review", condition: '(${Load.kind} = "gift" and $not($exists(${Load}.note)))' },
            { name: "Refuse" },
          ],
          else: "Review_2",
        },
      },
      Refund: { when: "${Size.Refund}" },
      Review: { when: "${Size.Review} or ${Size.Review_2}" },
      "Urgent?": { choose: { branches: [{ name: "Call", condition: "${Review.urgent} = true" }], else: "Close" } },
      Close: { when: "${Size.Review?} = true or ${Size.Review_2?} = true", join: "none_failed" },
      Refuse: {
        choose: { branches: [{ name: "failed", condition: '$error("TooLarge: Orders of that size are not taken")' }] },
      },
      Note: { join: "none_failed" },
    });
    expect(validatePlan(read).filter(({ severity }) => severity === "error")).toEqual([]);
  });

  test.for([
    [{ total: 20, kind: "gift" }, ["Load", "Refund", "Note"], "refund"],
    [{ total: 20_000, kind: "gift", urgent: false }, ["Load", "Review", "Close", "Note"], "review"],
    [{ total: 70, kind: "own", urgent: true }, ["Load", "Review", "Call", "Close", "Note"], "review"],
    [{ total: "much", kind: "own", urgent: false }, ["Load", "Review", "Close", "Note"], "review"],
  ] as const)("%o", async ([order, ran, what]) => {
    const done = await execute(read, { id: 7, ...order });
    expect(done).toMatchObject({ end_reason: "completed", outputs: { Note: { what, id: 7 } } });
    expect([...done.ran].sort()).toEqual([...ran].sort());
  });

  test("a Fail state fails the run with its message, and nothing comes after it", async () => {
    const done = await execute(read, { id: 7, total: 20_000, kind: "own" });
    expect(done.end_reason).toBe("failed");
    expect(done.ran).toEqual(["Load"]);
    expect(done.errors).toEqual([expect.stringContaining("TooLarge: Orders of that size are not taken")]);
  });

  test("several branches may lead to one Fail and one Succeed state", async () => {
    const given = stepFunctions.read({
      StartAt: "Check",
      States: {
        Check: task("check", { Next: "First" }),
        First: { Type: "Choice", Choices: [{ Variable: "$.n", NumericEquals: 0, Next: "Failed" }], Default: "Work" },
        Work: task("work", { Next: "Second" }),
        Second: {
          Type: "Choice",
          Choices: [
            { Variable: "$.n", NumericEquals: 1, Next: "Failed" },
            { Variable: "$.n", NumericEquals: 2, Next: "Good" },
          ],
          Default: "More",
        },
        More: task("more", { Next: "Good" }),
        Good: { Type: "Succeed" },
        Failed: { Type: "Fail", Cause: "Not good" },
      },
    });
    expect(validatePlan(given).filter(({ severity }) => severity === "error")).toEqual([]);
    for (const [n, ran] of [
      [0, ["Check"]],
      [1, ["Check", "Work"]],
      [2, ["Check", "Work"]],
      [3, ["Check", "Work", "More"]],
    ] as const) {
      const done = await execute(given, { n });
      expect([done.ran, done.errors.length]).toEqual([ran, n < 2 ? 1 : 0]);
    }
  });

  test("within a list and beside another branch; without Default a decision fails where no rule holds", async () => {
    const machine = {
      StartAt: "Both",
      States: {
        Both: {
          Type: "Parallel",
          Branches: [
            {
              StartAt: "Which",
              States: {
                Which: {
                  Type: "Choice",
                  Choices: [{ Variable: "$.n", NumericEquals: 1, Next: "One" }],
                  Default: "Skip",
                },
                One: task("one", { End: true }),
                Skip: { Type: "Succeed" },
              },
            },
            { StartAt: "Other", States: { Other: task("other", { End: true }) } },
          ],
          ResultPath: "$.both",
          Next: "After",
        },
        After: task("after", { Parameters: { "n.$": "$.n" }, Next: "Only" }),
        Only: { Type: "Choice", Choices: [{ Variable: "$.n", NumericGreaterThan: 0, Next: "End" }] },
        End: task("end", { Parameters: {}, End: true }),
      },
    };
    const given = stepFunctions.read(machine);
    expect((await execute(given, { n: 1 })).ran.sort()).toEqual(["After", "End", "One", "Other"]);
    expect((await execute(given, { n: 2 })).ran.sort()).toEqual(["After", "End", "Other"]);
    const failed = await execute(given, { n: 0 });
    expect(failed).toMatchObject({ end_reason: "failed", errors: [expect.stringContaining("else")] });
  });
});

describe("rules of JSONPath mean what they mean there", () => {
  const x = (test: object) => ({ Variable: "$.x", ...test });
  test.for<[rule: object, input: Record<string, unknown>, holds: boolean]>([
    [x({ StringEquals: "a" }), { x: "a" }, true],
    [x({ StringEquals: "1" }), { x: 1 }, false],
    [x({ StringLessThan: "b" }), { x: "a" }, true],
    [x({ StringGreaterThan: "b" }), { x: 7 }, false],
    [x({ NumericLessThanEquals: 3 }), { x: 3 }, true],
    [x({ NumericGreaterThan: 3 }), { x: "4" }, false],
    [x({ NumericEqualsPath: "$.y" }), { x: 3, y: 3 }, true],
    [x({ NumericLessThanPath: "$.y" }), { x: 3, y: 3 }, false],
    [x({ BooleanEquals: false }), { x: false }, true],
    [x({ TimestampLessThan: "2026-01-01T00:00:00Z" }), { x: "2025-12-31T23:30:00-01:00" }, false],
    [x({ TimestampGreaterThanEquals: "2026-01-01T00:00:00Z" }), { x: "2026-01-01T01:00:00+01:00" }, true],
    [x({ IsPresent: true }), {}, false],
    [x({ IsPresent: true }), { x: null }, true],
    [x({ IsPresent: false }), {}, true],
    [x({ IsNull: true }), { x: null }, true],
    [x({ IsNull: false }), { x: null }, false],
    [x({ IsString: true }), { x: "" }, true],
    [x({ IsNumeric: true }), { x: "1" }, false],
    [x({ IsBoolean: true }), { x: true }, true],
    [x({ StringMatches: "log-*.txt" }), { x: "log-7.txt" }, true],
    [x({ StringMatches: "log-*.txt" }), { x: "log-7xtxt" }, false],
    [x({ StringMatches: "a\\*" }), { x: "ab" }, false],
    [{ Or: [x({ NumericEquals: 1 }), x({ NumericEquals: 2 })] }, { x: 2 }, true],
    [{ And: [x({ NumericGreaterThan: 1 }), { Not: x({ NumericEquals: 2 }) }] }, { x: 2 }, false],
    [x({ StringEquals: "${item}" }), { x: "${item}" }, true],
  ])("%o of %o: %s", async ([rule, input, holds]) => {
    const machine = {
      StartAt: "If",
      States: {
        If: { Type: "Choice", Choices: [{ ...rule, Next: "Yes" }], Default: "No" },
        Yes: task("yes", { Parameters: {}, End: true }),
        No: task("no", { Parameters: {}, End: true }),
      },
    };
    const { ran, errors } = await execute(stepFunctions.read(machine), input);
    expect([ran, errors]).toEqual([[holds ? "Yes" : "No"], []]);
  });
});

describe("written and read again", () => {
  const machines: Readonly<Record<string, object>> = {
    "branches in branches, one of which fails": {
      QueryLanguage: "JSONata",
      StartAt: "Load",
      States: {
        Load: task("load", {
          Arguments: {
            total: "{% $states.input.total %}",
            kind: "{% $states.input.kind %}",
            big: "{% $states.input.big %}",
          },
          Assign: { order: "{% $states.result %}" },
          Next: "Size",
        }),
        Size: {
          Type: "Choice",
          Choices: [
            { Condition: "{% $order.total < 50 and $order.kind != 'gift' %}", Next: "Refund" },
            { Condition: "{% $exists($order.late) %}", Next: "Refuse" },
          ],
          Default: "Review",
        },
        Refund: task("refund", { Arguments: { id: "{% $order.kind %}" }, Next: "Note" }),
        Review: task("review", {
          Arguments: { urgent: "{% $order.big %}" },
          Assign: { review: "{% $states.result %}" },
          Next: "Urgent",
        }),
        Urgent: { Type: "Choice", Choices: [{ Condition: "{% $review.urgent %}", Next: "Call" }], Default: "Close" },
        Call: task("call", { Arguments: {}, Next: "Close" }),
        Close: task("close", { Arguments: { id: "{% $order.kind %}" }, Next: "Note" }),
        Refuse: { Type: "Fail", Cause: "It is late" },
        Note: task("note", { Arguments: { id: "{% $order.kind %}" }, End: true }),
      },
    },
    "a branch that ends at once": {
      QueryLanguage: "JSONata",
      StartAt: "First",
      States: {
        First: task("first", {
          Arguments: { total: "{% $states.input.total %}" },
          Assign: { first: "{% $states.result %}" },
          Next: "If",
        }),
        If: { Type: "Choice", Choices: [{ Condition: "{% $first.total > 50 %}", Next: "Inner" }], Default: "Done" },
        Inner: { Type: "Choice", Choices: [{ Condition: "{% $first.total > 90 %}", Next: "Much" }], Default: "Done" },
        Much: task("much", { Arguments: {}, End: true }),
        Done: { Type: "Succeed" },
      },
    },
  };

  test.for(Object.entries(machines))("%s", async ([, machine]) => {
    const given = stepFunctions.read(machine);
    const written = stepFunctions.write(given);
    const again = stepFunctions.read(JSON.parse(JSON.stringify(written)));
    expect(stepFunctions.write(again)).toEqual(written);
    for (const total of [20, 70, 95]) {
      const [one, other] = [
        await execute(given, { total, big: total > 90, kind: "own" }),
        await execute(again, { total, big: total > 90, kind: "own" }),
      ];
      expect(other).toEqual(one);
      expect(one.end_reason).toBe("completed");
    }
  });

  test("a decision of a plan is a Choice state whose branches meet in the task that joins them", () => {
    const written = stepFunctions.write(
      plan([
        { task_id: "order", tool_id: "order" },
        {
          task_id: "route",
          choose: { branches: [{ name: "refund", condition: "${order.total} < 50" }], else: "leave" },
        },
        { task_id: "pay", tool_id: "pay", arguments: { id: "${order.id}" }, when: { condition: "${route.refund}" } },
        { task_id: "receipt", tool_id: "receipt", arguments: { of: "${pay.id}" } },
        { task_id: "end", tool_id: "end", dependencies: ["receipt", "route"], join: "any" },
      ]),
    );
    expect(written.States).toMatchObject({
      route: { Type: "Choice", Choices: [{ Condition: "{% $order.total < 50 %}", Next: "pay" }], Default: "end" },
      pay: { Type: "Task", Next: "receipt" },
      receipt: { Arguments: { of: "{% $pay.id %}" }, Next: "end" },
      end: { End: true },
    });
  });
});

describe("what does not fit is refused by the state and the field", () => {
  const to = (Next: string) => ({ Variable: "$.x", NumericEquals: 1, Next });
  const end = (Resource: string) => task(Resource, { End: true });
  test.for<{ name: string; states: object; says: RegExp }>([
    {
      name: "branches that share a part",
      states: {
        A: { Type: "Choice", Choices: [to("B"), to("D")], Default: "C" },
        B: task("b", { Next: "C" }),
        C: end("c"),
        D: end("d"),
      },
      says: /leads to "C", in the middle of another branch/,
    },
    {
      name: "a way back",
      states: { A: { Type: "Choice", Choices: [to("B")], Default: "C" }, B: task("b", { Next: "A" }), C: end("c") },
      says: /State "B": `Next` leads back to an earlier state/,
    },
    { name: "no rules", states: { A: { Type: "Choice", Choices: [] } }, says: /State "A": `Choices` is expected/ },
    {
      name: "an assignment in a choice",
      states: { A: { Type: "Choice", Choices: [to("B")], Assign: { a: 1 } }, B: end("b") },
      says: /State "A": `Assign` cannot be converted in a Choice state/,
    },
    {
      name: "a comparison that there is not",
      states: { A: { Type: "Choice", Choices: [{ Variable: "$.x", IsTimestamp: true, Next: "B" }] }, B: end("b") },
      says: /`Choices\[0\].IsTimestamp` is a comparison that cannot be converted/,
    },
    {
      name: "a comparison with another type",
      states: { A: { Type: "Choice", Choices: [{ Variable: "$.x", NumericEquals: "1", Next: "B" }] }, B: end("b") },
      says: /`Choices\[0\].NumericEquals` is expected to be compared with a number/,
    },
    {
      name: "a state that is not there",
      states: { A: { Type: "Choice", Choices: [to("X")] } },
      says: /State "A": `Next` leads to "X", which is not one of the states/,
    },
  ])("$name", ({ states, says }) => {
    expect(() => stepFunctions.read({ StartAt: "A", States: states })).toThrow(says);
  });

  const route: PlannerTaskInput = {
    task_id: "r",
    choose: { branches: [{ name: "a", condition: "${input.x}" }], else: "b" },
  };
  const call = (task_id: string, rest: Partial<PlannerTaskInput>): PlannerTaskInput => ({
    task_id,
    tool_id: "t",
    ...rest,
  });
  test.for<{ name: string; tasks: PlannerTaskInput[]; says: RegExp }>([
    {
      name: "a condition of its own",
      tasks: [call("a", { when: { condition: "${input.x} > 1" } })],
      says: /State "a": `when` cannot be written/,
    },
    {
      name: "a decision of a tool",
      tasks: [{ task_id: "r", tool_id: "t", choose: { branches: [{ name: "a" }, { name: "b" }] } }],
      says: /State "r": `choose` cannot be written/,
    },
    {
      name: "a task after one branch alone",
      tasks: [route, call("p", { when: { condition: "${r.a}" } }), call("e", { dependencies: ["p"], join: "any" })],
      says: /State "e": `join` is "any" where a branch can be taken/,
    },
    {
      name: "a task that needs two branches",
      tasks: [
        route,
        call("p", { when: { condition: "${r.a}" } }),
        call("q", { when: { condition: "${r.b}" } }),
        call("e", { dependencies: ["p", "q"] }),
      ],
      says: /State "e": `dependencies` needs tasks of two branches/,
    },
  ])("$name", ({ tasks, says }) => {
    expect(() => stepFunctions.write(plan(tasks))).toThrow(says);
  });
});

describe("what comes after branches have met reads what the taken one gave, also where it is further down", () => {
  const Choice = (Variable: string, [yes, no]: readonly [string, string]) => ({
    Type: "Choice",
    Choices: [{ Variable, StringEquals: "a", Next: yes }],
    Default: no,
  });
  const keeps = (name: string, Next?: string) =>
    task("t", { ResultPath: `$.${name}`, ...(Next === undefined ? { End: true } : { Next }) });
  const meeting = {
    First: Choice("$.k", ["A", "B"]),
    A: keeps("a", "Met"),
    B: keeps("b", "Met"),
    Met: keeps("met", "After"),
    After: keeps("after"),
  };
  const twice = {
    First: Choice("$.k", ["A", "B"]),
    A: task("t", { Next: "Second" }),
    B: task("t", { Next: "Second" }),
    Second: Choice("$.k", ["C", "D"]),
    C: task("t", { End: true }),
    D: task("t", { End: true }),
  };
  const inBranch = {
    Outer: Choice("$.o", ["First", "Other"]),
    Other: task("t", { Next: "Last" }),
    ...meeting,
    After: Choice("$.k", ["E", "F"]),
    E: keeps("e", "G"),
    F: keeps("f", "G"),
    G: keeps("g", "Last"),
    Last: task("t", { Parameters: {}, End: true }),
  };
  test.for<{ name: string; states: object; start?: string; input: Record<string, string>; ran: string[] }>([
    { name: "in a row", states: meeting, input: { k: "a" }, ran: ["A", "Met", "After"] },
    { name: "in a row, the other branch", states: meeting, input: { k: "b" }, ran: ["B", "Met", "After"] },
    { name: "after a second choice", states: twice, input: { k: "a" }, ran: ["A", "C"] },
    {
      name: "within a branch",
      states: inBranch,
      start: "Outer",
      input: { o: "a", k: "a" },
      ran: ["A", "Met", "E", "G", "Last"],
    },
    {
      name: "within a branch that is not taken",
      states: inBranch,
      start: "Outer",
      input: { o: "b", k: "a" },
      ran: ["Other", "Last"],
    },
  ])("$name", async ({ states, start = "First", input, ran }) => {
    const read = stepFunctions.read({ StartAt: start, States: states });
    expect(validatePlan(read)).toEqual([]);
    const done = await execute(read, input);
    expect([done.end_reason, done.errors]).toEqual(["completed", []]);
    expect(done.ran.toSorted()).toEqual(ran.toSorted());
  });
});

test("a machine of too many levels is refused with a code", () => {
  let States: object = { T: task("t", { End: true }) };
  for (let level = 0; level < 2_000; level++)
    States = {
      M: { Type: "Map", ItemsPath: "$.l", ItemProcessor: { StartAt: level === 0 ? "T" : "M", States }, End: true },
    };
  expect(() => readPlan({ StartAt: "M", States })).toThrow(
    expect.objectContaining({ code: "PLAN_INVALID", message: expect.stringContaining("too deep") }),
  );
});
