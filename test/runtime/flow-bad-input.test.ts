// What is wrong with lists, conditions, branches, waits and clocks, in tables: each row says what comes of it.
import { type PlannerTaskInput, type TaskDataInput, validatePlan } from "@planloom/plan";
import {
  cancelRun,
  defineTool,
  defineWorkflow,
  deny,
  memoryJournal,
  type RunOptions,
  type RunResult,
  resume,
  resumeDue,
  run,
  signal,
  toolExecutor,
  workflowExecutor,
} from "@planloom/runtime";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

const start = Date.parse("2026-11-23T09:00:00Z");
const hour = 3_600_000;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: start });
});
afterEach(() => {
  vi.useRealTimers();
});

const million = 1_000_000;
let calls: unknown[];
const tools = [
  defineTool({ id: "read", description: "", readOnly: true, execute: ({ list }) => list ?? null }),
  defineTool({ id: "many", description: "", readOnly: true, execute: () => new Array(10 * million).fill(0) }),
  defineTool({
    id: "work",
    description: "",
    readOnly: true,
    execute: (input) => {
      calls.push(input);
      return input;
    },
  }),
  defineTool({ id: "refuse", description: "", execute: () => Promise.reject(new Error("no")) }),
];
const executors = [toolExecutor(tools)];
const retry = { max_attempts: 1 };
const settle = (options: Partial<RunOptions> = {}) => {
  calls = [];
  return { executors, retry, ...options };
};
const plan = (...planned_tasks: PlannerTaskInput[]): TaskDataInput => ({ planned_tasks });
const work = (task_id: string, rest: PlannerTaskInput = {}): PlannerTaskInput => ({
  task_id,
  tool_id: "work",
  ...rest,
});
const list = (value: unknown): PlannerTaskInput => ({ task_id: "list", tool_id: "read", arguments: { list: value } });
const errorOf = ({ results }: RunResult, id: string) => results.find(({ task_id }) => task_id === id)?.error;
/** The innermost failure of a task that failed with one of its elements. */
const cause = (error: unknown): { code?: string; message?: string } => {
  const { code, message, details } = (error ?? {}) as { code?: string; message?: string; details?: { error?: object } };
  return details?.error === undefined ? { ...(code && { code }), ...(message && { message }) } : cause(details.error);
};

describe("a list of the wrong type, wherever it is", () => {
  const inner = { items: "${row.books}", as: "book" };
  test.for<{ name: string; tasks: PlannerTaskInput[]; got: string }>([
    { name: "a tool's output", tasks: [list(7), work("a", { for_each: { items: "${list}" } })], got: "got 7 (number)" },
    {
      name: "a field of it",
      tasks: [list({ rows: true }), work("a", { for_each: { items: "${list.rows}" } })],
      got: "got true (boolean)",
    },
    {
      name: "an absent field, with ?",
      tasks: [list({}), work("a", { for_each: { items: "${list.rows?}" } })],
      got: "got null",
    },
    { name: "a variable", tasks: [work("a", { for_each: { items: "${text}" } })], got: 'got "abc"' },
    { name: "the input", tasks: [work("a", { for_each: { items: "${input.rows}" } })], got: 'got {"0":1}' },
    {
      name: "a list in a list",
      tasks: [
        list([{ books: [1] }, { books: "two" }]),
        { task_id: "a", for_each: { items: "${list}", as: "row", tasks: [work("b", { for_each: inner })] } },
      ],
      got: 'got "two"',
    },
    {
      name: "a tool that decides nothing",
      tasks: [
        list("x"),
        { task_id: "a", tool_id: "read", arguments: { list: 3 }, choose: { branches: [{ name: "b" }] } },
      ],
      got: "",
    },
  ])("$name", async ({ tasks, got }) => {
    const result = await run({ ...plan(...tasks), variables: { text: "abc" } }, settle({ input: { rows: { 0: 1 } } }));
    expect(result.end_reason).toBe("failed");
    const { code, message } = cause(errorOf(result, "a"));
    expect([code, message]).toEqual(
      got === "" ? ["TASK_CHOICE", expect.any(String)] : ["TASK_ITEMS", expect.stringContaining(got)],
    );
  });
});

describe("ten million elements are refused with the limit, and none of them is executed", () => {
  const many = new Array(10 * million);
  test.for<{ name: string; task: PlannerTaskInput; limit: number; first?: PlannerTaskInput }>([
    { name: "of a variable", task: work("a", { for_each: { items: "${many}" } }), limit: 100_000 },
    {
      name: "of a tool",
      first: { task_id: "list", tool_id: "many" },
      task: work("a", { for_each: { items: "${list}" } }),
      limit: 100_000,
    },
    {
      name: "with the highest limit there is",
      task: work("a", { for_each: { items: "${many}", max_items: million } }),
      limit: million,
    },
    {
      name: "in a list",
      task: {
        task_id: "a",
        for_each: { items: [1], tasks: [work("b", { for_each: { items: "${many}", as: "one" } })] },
      },
      limit: 100_000,
    },
  ])("$name", async ({ first, task, limit }) => {
    const tasks = first === undefined ? [task] : [first, task];
    const result = await run({ ...plan(...tasks), variables: { many } }, settle({ maxOutputBytes: 100 * million }));
    const { code, message } = cause(errorOf(result, "a"));
    expect(code).toBe("TASK_ITEMS");
    expect(message).toContain(`at most ${limit} elements, got ${10 * million}`);
    expect(calls).toEqual([]);
  });

  test("a limit of ten million is no limit that a task may have", async () => {
    const task = work("a", { for_each: { items: [1], max_items: 10 * million } });
    expect(validatePlan(plan(task))).toMatchObject([
      { severity: "error", argument_path: expect.stringContaining("for_each.max_items") },
    ]);
    await expect(run(plan(task), settle())).rejects.toMatchObject({ code: "RUNTIME_INVALID_PLAN" });
  });
});

describe("a condition that throws fails what asks it, and nothing else", () => {
  const condition = '$error("no")';
  test.for<{ name: string; task: PlannerTaskInput; code: string; output?: unknown }>([
    { name: "when", task: work("a", { when: { condition } }), code: "TASK_CONDITION" },
    {
      name: "when, of a decision",
      task: { task_id: "a", choose: { branches: [{ name: "b", condition: "true" }] }, when: { condition } },
      code: "TASK_CONDITION",
    },
    {
      name: "a branch",
      task: { task_id: "a", choose: { branches: [{ name: "b", condition }] } },
      code: "TASK_CONDITION",
    },
    { name: "retry_until", task: work("a", { retry_until: { condition, interval_ms: 0 } }), code: "TASK_CONDITION" },
    {
      name: "when, of a wait",
      task: { task_id: "a", wait: { for_ms: 0 }, when: { condition } },
      code: "TASK_CONDITION",
    },
    {
      name: "when, of one element",
      task: work("a", {
        arguments: { item: "${item}" },
        for_each: { items: [1, 2, 3], on_failure: "collect", failed_as: "error" },
        when: { condition: '${item} = 2 ? $error("no") : true' },
      }),
      code: "",
      output: [{ item: 1 }, { error: { code: "TASK_CONDITION", message: expect.stringContaining("no") } }, { item: 3 }],
    },
  ])("$name", async ({ task, code, output }) => {
    const result = await run(plan(task, work("other")), settle());
    const [first, other] = result.results;
    expect(other?.status).toBe("completed");
    if (output === undefined) expect([first?.status, first?.error?.code]).toEqual(["failed", code]);
    else expect(first?.output).toEqual(output);
  });
});

describe("a clock that travels", () => {
  const polls = { condition: "polls = 2", interval_ms: hour };
  const rows: { name: string; task: PlannerTaskInput; late: object }[] = [
    { name: "a duration", task: { task_id: "w", wait: { for_ms: hour } }, late: { status: "completed" } },
    {
      name: "a time",
      task: { task_id: "w", wait: { until: "2026-11-23T10:00:00Z" } },
      late: { status: "completed", output: { waited_until: "2026-11-23T10:00:00.000Z" } },
    },
    {
      name: "a deadline",
      task: { task_id: "w", wait: { event: "e", timeout_ms: hour } },
      late: { status: "failed", error: { code: "TASK_DEADLINE" } },
    },
    { name: "calls until a condition holds", task: work("w", { retry_until: polls }), late: { status: "completed" } },
    {
      name: "an element of a list",
      task: { task_id: "w", for_each: { items: [1], tasks: [{ task_id: "i", wait: { for_ms: hour } }] } },
      late: { status: "completed" },
    },
  ];
  test.for(rows)(
    "$name ends when its time comes again after a clock that went back, and once",
    async ({ task, late }) => {
      const journal = memoryJournal();
      const options = settle({ journal, runId: "r" });
      expect((await run(plan(task), options)).end_reason).toBe("waiting");
      const called = calls.length;
      vi.setSystemTime(start - 24 * hour);
      expect(await resumeDue({ executors, journal })).toEqual([]);
      expect((await resume("r", { executors, journal })).end_reason).toBe("waiting");
      vi.setSystemTime(start + hour - 1);
      expect(await resumeDue({ executors, journal })).toEqual([]);
      expect(calls).toHaveLength(called);
      // Years ahead, and back again: it was woken, and is not woken a second time.
      vi.setSystemTime(start + 100_000 * hour);
      expect(await resumeDue({ executors, journal })).toMatchObject([{ result: { results: [late] } }]);
      vi.setSystemTime(start + 2 * hour);
      expect(await resumeDue({ executors, journal })).toEqual([]);
    },
  );

  test("a signal that the clock dates before the wait counts", async () => {
    const journal = memoryJournal();
    await run(plan({ task_id: "w", wait: { event: "e", timeout_ms: hour } }), settle({ journal, runId: "r" }));
    vi.setSystemTime(start - 24 * hour);
    await signal("r", "e", { journal, data: 1 });
    vi.setSystemTime(start + 2 * hour);
    expect(await resumeDue({ executors, journal })).toMatchObject([{ result: { results: [{ output: 1 }] } }]);
  });
});

describe("a signal for a run that has ended is refused, and one for a run that has not is kept", () => {
  const gated = work("a", { approval: "required" });
  const rows: {
    name: string;
    tasks: PlannerTaskInput[];
    options?: Partial<RunOptions>;
    end?: "cancel" | "deny";
    ended: boolean;
  }[] = [
    { name: "completed", tasks: [work("a")], ended: true },
    { name: "failed", tasks: [{ task_id: "a", tool_id: "refuse" }], ended: true },
    { name: "out of budget", tasks: [work("a"), work("b")], options: { budgets: { run: { calls: 1 } } }, ended: true },
    { name: "cancelled while it waits", tasks: [{ task_id: "a", wait: { event: "e" } }], end: "cancel", ended: true },
    { name: "denied", tasks: [gated], end: "deny", ended: true },
    { name: "past its deadline", tasks: [{ task_id: "a", wait: { event: "e", timeout_ms: 0 } }], ended: true },
    { name: "waiting for it", tasks: [{ task_id: "a", wait: { event: "e" } }], ended: false },
    { name: "waiting for a time", tasks: [{ task_id: "a", wait: { for_ms: hour } }], ended: false },
    { name: "waiting for a person", tasks: [gated], ended: false },
  ];
  test.for(rows)("$name", async ({ tasks, options, end, ended }) => {
    const journal = memoryJournal();
    await run(plan(...tasks), settle({ journal, runId: "r", ...options }));
    if (end === "cancel") await cancelRun("r", { journal });
    if (end === "deny") {
      await deny("r", "a", { journal });
      await resume("r", { executors, journal });
    }
    const sent = signal("r", "e", { journal, data: 1 });
    if (ended) await expect(sent).rejects.toMatchObject({ code: "RUNTIME_RUN_ENDED" });
    else await expect(sent).resolves.toMatchObject({ duplicate: false });
    expect(await journal.getSignals!("r")).toHaveLength(ended ? 0 : 1);
  });
});

describe("a cycle, through whatever a task says", () => {
  const branches = [{ name: "yes", condition: "${b} = 1" }];
  test.for<{ name: string; a: PlannerTaskInput }>([
    { name: "a condition", a: work("a", { when: { condition: "${b} = 1" } }) },
    { name: "a branch", a: { task_id: "a", choose: { branches, else: "no" } } },
    {
      name: "the input of a decision",
      a: work("a", { arguments: { x: "${b}" }, choose: { branches: [{ name: "yes" }], else: "no" } }),
    },
    { name: "a list", a: work("a", { for_each: { items: "${b}" } }) },
    {
      name: "a task of an element",
      a: { task_id: "a", for_each: { items: [1], tasks: [work("i", { arguments: { x: "${b}" } })] } },
    },
    {
      name: "a condition within an element",
      a: { task_id: "a", for_each: { items: [1], tasks: [work("i", { when: { condition: "${b} = 1" } })] } },
    },
    { name: "a time", a: { task_id: "a", wait: { until: "${b}" } } },
    { name: "a key", a: { task_id: "a", wait: { event: "e", key: "${b}" } } },
    {
      name: "the value at a deadline",
      a: { task_id: "a", wait: { event: "e", timeout_ms: 1, on_deadline: { value: "${b}" } } },
    },
    { name: "the condition of repeated calls", a: work("a", { retry_until: { condition: "output = ${b}" } }) },
    { name: "its own output", a: work("a", { arguments: { x: "${b}" } }) },
  ])("$name", async ({ a }) => {
    const back = { condition: "$exists(${a})" };
    const tasks = [a, work("b", { when: back })];
    expect(validatePlan(plan(...tasks)).filter(({ code }) => code === "cycle")).toMatchObject([
      { severity: "error", message: expect.stringMatching(/a -> b -> a|b -> a -> b/) },
    ]);
    await expect(run(plan(...tasks), settle())).rejects.toMatchObject({ code: "RUNTIME_INVALID_PLAN" });
    expect(calls).toEqual([]);
  });
});

describe("deep nesting is refused with its limit, or carried out", () => {
  const lists = (depth: number): PlannerTaskInput => {
    let task = work("t0");
    for (let at = 1; at <= depth; at++)
      task = { task_id: `t${at}`, for_each: { items: [1], as: `i${at}`, tasks: [task] } };
    return task;
  };
  const deep = (depth: number): unknown => {
    let value: unknown = 1;
    for (let at = 0; at < depth; at++) value = [value];
    return value;
  };
  const flow = (): TaskDataInput => plan({ task_id: "w", execution_type: "dsl", parameters: { uid: "self" } });
  const self = workflowExecutor([defineWorkflow({ id: "self", description: "", plan: flow() })]);

  test.for<{ name: string; made: TaskDataInput; refused?: string; fails?: string }>([
    { name: "lists 8 deep", made: plan(lists(8)) },
    { name: "lists 9 deep", made: plan(lists(9)), refused: "at most 8 deep" },
    {
      name: "a condition 101 deep",
      made: plan(work("t0", { when: { condition: `${"(".repeat(101)}true${")".repeat(101)}` } })),
      fails: "nested at most 100 deep",
    },
    {
      name: "a list of lists 90 deep",
      made: plan(work("t0", { for_each: { items: [deep(90)] }, arguments: { x: "${item}" } })),
    },
    {
      name: "a list of lists 5,000 deep",
      made: plan(work("t0", { for_each: { items: [deep(5_000)] }, arguments: { x: "${item}" } })),
      refused: "nested deeper than 500 levels",
    },
    { name: "a workflow in itself", made: flow(), fails: "deep" },
  ])("$name", async ({ made, refused, fails }) => {
    const options = settle({ executors: [...executors, self] });
    const running = run(made, options);
    if (refused !== undefined) {
      await expect(running).rejects.toMatchObject({
        code: "RUNTIME_INVALID_PLAN",
        message: expect.stringContaining(refused),
      });
      expect(calls).toEqual([]);
      return;
    }
    const { end_reason, results } = await running;
    if (fails === undefined) expect([end_reason, calls.length]).toEqual(["completed", 1]);
    else expect([end_reason, cause(results[0]?.error).message]).toEqual(["failed", expect.stringContaining(fails)]);
  });
});
