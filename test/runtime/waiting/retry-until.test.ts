import type { Executor, PlannerTaskInput, TaskDataInput } from "@planloom/plan";
import {
  approve,
  defineExecutor,
  defineTool,
  defineWorkflow,
  type Journal,
  memoryJournal,
  type RunEvent,
  type RunOptions,
  replay,
  resume,
  resumeDue,
  run,
  runPowers,
  runStatus,
  SqliteJournal,
  toolExecutor,
  verifyRun,
  waitingFor,
  workflowExecutor,
} from "@planloom/runtime";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { dying } from "../../support/dying-journal.ts";

const start = Date.parse("2026-11-23T09:00:00Z");
const minute = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: start });
});
afterEach(() => {
  vi.useRealTimers();
});

const plan = (...planned_tasks: PlannerTaskInput[]): TaskDataInput => ({ planned_tasks });

/** `job` is done with its third call, and `peek` gives what it is asked for. */
function world(journal: Journal, rest: Omit<Partial<RunOptions>, "journal"> = {}, doneAt = 3) {
  const keys: string[] = [];
  let calls = 0;
  const job = defineTool({
    id: "job",
    description: "",
    readOnly: true,
    execute: (_, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      return { status: ++calls >= doneAt ? "done" : "busy", calls };
    },
  });
  const peek = defineTool({ id: "peek", description: "", readOnly: true, execute: ({ value }) => value ?? null });
  return { keys, options: { executors: [toolExecutor([job, peek])], journal, runId: "r", ...rest } };
}

const poll = (rest: object = {}): PlannerTaskInput => ({
  task_id: "poll",
  tool_id: "job",
  retry_until: { condition: 'output.status = "done"', interval_ms: minute, ...rest },
});
const after: PlannerTaskInput = { task_id: "after", tool_id: "peek", arguments: { value: "${poll.calls}" } };

test("the call is made until the condition holds, and no process runs in between", async () => {
  const journal = await SqliteJournal.open(":memory:");
  const { options, keys } = world(journal);
  expect(await run(plan(poll(), after), options)).toMatchObject({
    end_reason: "waiting",
    results: [{ status: "waiting", wait: { due_at: "2026-11-23T09:01:00.000Z", polls: 1 } }, { status: "pending" }],
  });
  // Too early: the call is not made again, nor counted.
  expect(await resume("r", options)).toMatchObject({ end_reason: "waiting", results: [{ wait: { polls: 1 } }, {}] });
  vi.setSystemTime(start + minute);
  expect(await resumeDue(options)).toMatchObject([{ result: { end_reason: "waiting" } }]);
  expect(await runStatus("r", { journal })).toMatchObject({
    tasks: [{ status: "waiting", waits: [{ id: "poll", polls: 2 }] }, {}],
  });
  vi.setSystemTime(start + 2 * minute);
  expect(await resumeDue(options)).toMatchObject([{ result: { end_reason: "completed", output_data: { after: 3 } } }]);
  expect(keys).toEqual(["r/poll", "r/poll#2", "r/poll#3"]);
  expect((await verifyRun(journal, "r")).problems).toEqual([]);
  expect(await journal.getWaits("r")).toEqual([]);
});

test("intervals grow up to their limit", async () => {
  const { options } = world(memoryJournal(), {}, 5);
  const dues: string[] = [];
  let ended = await run(plan(poll({ backoff_factor: 3, max_interval_ms: 5 * minute })), options);
  while (ended.end_reason === "waiting") {
    const due = ended.results[0]!.wait!.due_at!;
    dues.push(due.slice(11, 16));
    vi.setSystemTime(Date.parse(due));
    ended = await resume("r", options);
  }
  expect(dues).toEqual(["09:01", "09:04", "09:09", "09:14"]);
});

test("short intervals pass in the process of the run, without a slot", async () => {
  vi.useRealTimers();
  const { options } = world(memoryJournal(), { concurrency: 1 });
  const order: string[] = [];
  const beside: PlannerTaskInput[] = [1, 2].map((n) => ({ task_id: `beside${n}`, tool_id: "peek" }));
  const ended = await run(plan(poll({ interval_ms: 20 }), ...beside), {
    ...options,
    onEvent: (event) => {
      if (event.type === "task-end") order.push(event.taskId);
    },
  });
  expect(ended.end_reason).toBe("completed");
  expect(order).toEqual(["beside1", "beside2", "poll"]);
});

describe("a limit", () => {
  const cases = [
    ["of calls", { max_polls: 2 }, { status: "failed", error: { code: "TASK_DEADLINE", details: { polls: 2 } } }],
    ["of time", { timeout_ms: 90_000 }, { status: "failed", error: { code: "TASK_DEADLINE", details: { polls: 2 } } }],
    ["that skips", { max_polls: 2, on_deadline: "skip" }, { status: "skipped" }],
    ["with a value", { max_polls: 2, on_deadline: { value: { status: "late" } } }, { output: { status: "late" } }],
  ] as const;
  test.each(cases)("%s", async (_, limits, expected) => {
    const { options, keys } = world(memoryJournal(), {}, 100);
    await run(plan(poll(limits)), options);
    vi.setSystemTime(start + minute);
    const [woken] = await resumeDue(options);
    expect(woken).toMatchObject({ result: { results: [expected] } });
    expect(keys).toHaveLength(2);
  });
});

describe("conditions", () => {
  const cases = [
    ["over references", "output.status = ${wanted}", "done", "waiting"],
    ["over the number of calls", "polls >= 1", "", "completed"],
    ["that give no answer", "output.nothing", "", "failed"],
    ["that throw", "$error('no')", "", "failed"],
    ["that do not parse", "output.(", "", "failed"],
  ] as const;
  test.each(cases)("%s", async (_, condition, value, endReason) => {
    const { options } = world(memoryJournal());
    const wanted: PlannerTaskInput = { task_id: "wanted", tool_id: "peek", arguments: { value } };
    const ended = await run(plan(wanted, poll({ condition })), options);
    expect(ended.end_reason).toBe(endReason);
    if (endReason === "failed") expect(ended.results[1]!.error!.code).toBe("TASK_CONDITION");
  });
});

test("failed calls are tried again as ever, each time", async () => {
  let calls = 0;
  const flaky = defineTool({
    id: "job",
    description: "",
    readOnly: true,
    execute: () => {
      calls++;
      if (calls % 2 === 1) throw new Error("busy");
      return { status: calls === 6 ? "done" : "busy" };
    },
  });
  vi.useRealTimers();
  const retry = { max_attempts: 2, initial_delay_ms: 0 };
  const ended = await run(plan({ ...poll({ interval_ms: 1 }), retry }), { executors: [toolExecutor([flaky])] });
  expect(ended.end_reason).toBe("completed");
  expect(calls).toBe(6);
});

test("elements of a list are polled each by itself", async () => {
  vi.useRealTimers();
  const seen = new Map<unknown, number>();
  const job = defineTool({
    id: "job",
    description: "",
    readOnly: true,
    execute: ({ id }) => {
      seen.set(id, (seen.get(id) ?? 0) + 1);
      return { done: seen.get(id) === id };
    },
  });
  const task: PlannerTaskInput = {
    task_id: "each",
    tool_id: "job",
    arguments: { id: "${item}" },
    for_each: { items: [1, 2, 3] },
    retry_until: { condition: "output.done", interval_ms: 1 },
  };
  expect((await run(plan(task), { executors: [toolExecutor([job])] })).end_reason).toBe("completed");
  expect([...seen.values()]).toEqual([1, 2, 3]);
});

describe("what a call made within it is made again by the next call", () => {
  const job: PlannerTaskInput = { task_id: "within", tool_id: "job" };
  const workflow = (...planned_tasks: PlannerTaskInput[]) =>
    workflowExecutor([defineWorkflow({ id: "flow", description: "", plan: { planned_tasks } })]);
  const steps = defineExecutor({
    kind: "agent",
    resources: () => [{ kind: "agent", id: "steps", description: "" }],
    delegates: () => true,
    execute: (_, context) => runPowers(context).call("step", "job"),
  });
  const flow: PlannerTaskInput = { tool_id: null, execution_type: "dsl", parameters: { uid: "flow" } };
  const agent: PlannerTaskInput = { tool_id: null, execution_type: "agent", agent_id: "steps" };
  const list: PlannerTaskInput = { for_each: { items: [1] } };
  const kinds: [string, PlannerTaskInput, Executor[], string?][] = [
    ["a workflow", flow, [workflow(job)]],
    ["a list in a workflow", flow, [workflow({ ...job, ...list })], 'output[0].status = "done"'],
    ["a workflow of an element", { ...flow, ...list }, [workflow(job)]],
    ["steps of an executor", agent, [steps]],
    ["steps of an executor, of an element", { ...agent, ...list }, [steps]],
  ];
  test.each(kinds)("%s", async (_, task, executors, condition = 'output.status = "done"') => {
    const journal = await SqliteJournal.open(":memory:");
    const { options, keys } = world(journal);
    const all = { ...options, executors: [...options.executors, ...executors] };
    let { end_reason } = await run(plan({ ...poll({ condition, max_polls: 5 }), ...task }), all);
    for (let count = 1; end_reason === "waiting" && count < 5; count++) {
      expect(keys).toHaveLength(count);
      vi.setSystemTime(start + count * minute);
      ({ end_reason } = await resume("r", all));
    }
    expect([end_reason, keys.length, new Set(keys).size]).toEqual(["completed", 3, 3]);
    expect((await verifyRun(journal, "r")).problems).toEqual([]);
    expect((await replay("r", { journal })).divergence).toBeUndefined();
  });

  test("but not within one call that is cut off", async () => {
    const journal = await SqliteJournal.open(":memory:");
    const { options, keys } = world(journal, {}, 1);
    const waits = defineExecutor({
      kind: "agent",
      resources: () => [{ kind: "agent", id: "steps", description: "" }],
      delegates: () => true,
      async execute(_, context) {
        const { call, wait } = runPowers(context);
        const output = await call("step", "job");
        await wait("pause", { for_ms: minute });
        return output;
      },
    });
    const all = { ...options, executors: [...options.executors, waits] };
    const given = plan({ ...poll({ condition: "polls = 2" }), ...agent });
    expect(await run(given, all)).toMatchObject({ end_reason: "waiting" });
    for (const minutes of [1, 2, 3]) {
      vi.setSystemTime(start + minutes * minute);
      expect(await resume("r", all)).toMatchObject({ end_reason: minutes === 3 ? "completed" : "waiting" });
    }
    expect(keys).toEqual(["r/poll/step", "r/poll#2/step"]);
  });
});

test("budgets count every call", async () => {
  vi.useRealTimers();
  const { options, keys } = world(memoryJournal(), { budgets: { run: { calls: 2 } } });
  const ended = await run(plan(poll({ interval_ms: 1 })), options);
  expect(ended).toMatchObject({
    end_reason: "budget",
    results: [{ status: "skipped", error: { code: "TASK_BUDGET" } }],
  });
  expect(keys).toHaveLength(2);
});

test("a call that was approved and sleeps between its polls is no question any more, and the run is not resumable for its answer", async () => {
  const journal = await SqliteJournal.open(":memory:");
  const { options } = world(journal);
  const gated: PlannerTaskInput = { ...poll(), approval: "required" };
  const other: PlannerTaskInput = { task_id: "other", tool_id: "peek", approval: "required" };
  expect(await run(plan(gated, other), options)).toMatchObject({ end_reason: "waiting_approval" });
  await approve("r", "poll", { journal });
  expect(await runStatus("r", { journal })).toMatchObject({ resumable: true });
  expect(await resume("r", options)).toMatchObject({ end_reason: "waiting_approval" });
  expect(await waitingFor("r", { journal })).toMatchObject([{ id: "other" }]);
  expect(await runStatus("r", { journal })).toMatchObject({
    resumable: false,
    tasks: [
      { status: "waiting", waits: [{ id: "poll" }] },
      { status: "waiting_approval", waiting_calls: ["other"] },
    ],
  });
  await expect(approve("r", "poll", { journal })).rejects.toMatchObject({
    code: "RUNTIME_NOT_WAITING",
    message: 'Task "poll" of run r asks nothing: poll waits until 2026-11-23T09:01:00.000Z, after 1 call.',
  });
});

describe("what is asked about a later call of a repeated one is a question, though the journal has what was waited for before it", () => {
  const minutely = { condition: 'output.status = "done"', interval_ms: minute };
  const gated = plan({ task_id: "pay", tool_id: "pay", approval: "required", retry_until: minutely });

  /** `pay` is done with its second call, and `slow` ends when it is let. */
  function paying(journal: Journal) {
    const keys: string[] = [];
    const pay = defineTool({
      id: "pay",
      description: "",
      execute: (_, { idempotencyKey }) => ({ status: keys.push(idempotencyKey) < 2 ? "busy" : "done" }),
    });
    const slow = Promise.withResolvers<void>();
    const tools = [pay, defineTool({ id: "slow", description: "", readOnly: true, execute: () => slow.promise })];
    return { keys, slow, options: { executors: [toolExecutor(tools)], journal, runId: "r" } };
  }

  test("where the process died during the second call", async () => {
    const journal = memoryJournal();
    const begun = Promise.withResolvers<void>();
    let calls = 0;
    const keys: string[] = [];
    const pay = defineTool({
      id: "pay",
      description: "",
      execute: (_, { signal, idempotencyKey }) => {
        calls++;
        keys.push(idempotencyKey);
        if (calls !== 2) return { status: calls === 1 ? "busy" : "done" };
        begun.resolve();
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
      },
    });
    const options = { executors: [toolExecutor([pay])], journal, runId: "r", abortGraceMs: 0 };
    const once = plan({ task_id: "pay", tool_id: "pay", retry_until: minutely });
    expect(await run(once, options)).toMatchObject({ end_reason: "waiting" });
    vi.setSystemTime(start + minute);
    const life = dying(journal);
    const stop = new AbortController();
    const running = resume("r", { ...options, journal: life.journal, signal: stop.signal });
    await begun.promise;
    life.die();
    stop.abort();
    await running.catch(() => {});
    expect(await resume("r", options)).toMatchObject({ end_reason: "waiting_approval" });
    expect(await waitingFor("r", { journal })).toMatchObject([{ id: "pay#begun" }]);
    await approve("r", "pay", { journal });
    expect(await resume("r", options)).toMatchObject({ end_reason: "completed" });
    // The call that is made again is the second one still.
    expect(keys).toEqual(["r/pay", "r/pay#2", "r/pay#2"]);
  });

  test("where the yes has expired since", async () => {
    const journal = memoryJournal();
    const { options, keys } = paying(journal);
    const approval = { expiresAfterMs: minute / 2 };
    expect(await run(gated, { ...options, approval })).toMatchObject({ end_reason: "waiting_approval" });
    await approve("r", "pay", { journal });
    expect(await resume("r", options)).toMatchObject({ end_reason: "waiting" });
    expect(await waitingFor("r", { journal })).toEqual([]);
    vi.setSystemTime(start + minute);
    expect(await resume("r", options)).toMatchObject({ end_reason: "waiting_approval" });
    expect(await waitingFor("r", { journal })).toMatchObject([{ id: "pay" }]);
    expect(await runStatus("r", { journal })).toMatchObject({ tasks: [{ status: "waiting_approval" }] });
    // Nothing is due: a scheduler leaves it to the person.
    expect(await resumeDue(options)).toEqual([]);
    await approve("r", "pay", { journal });
    expect(await resume("r", options)).toMatchObject({ end_reason: "completed" });
    // How often the call was made is not forgotten.
    expect(keys).toEqual(["r/pay", "r/pay#2"]);
  });

  test("where the yes has expired while the run is executed", async () => {
    const journal = memoryJournal();
    const { options, slow } = paying(journal);
    const asked: string[] = [];
    let polling: (() => void) | undefined;
    const onEvent = (event: RunEvent) => {
      if (event.type === "task-waiting") asked.push(event.taskId);
      if (event.type === "task-wait") polling?.();
    };
    const planned_tasks = [
      { ...gated.planned_tasks![0]!, retry_until: { ...minutely, interval_ms: 20 } },
      { task_id: "slow", tool_id: "slow" },
    ];
    const approval = { expiresAfterMs: 10 };
    const running = run({ planned_tasks }, { ...options, approval, onEvent });
    await vi.waitFor(() => expect(asked).toEqual(["pay"]));
    const slept = new Promise<void>((resolve) => (polling = resolve));
    await approve("r", "pay", { journal });
    await slept;
    vi.setSystemTime(start + minute);
    // Real time: the poll is due 20 ms later by a timer of its own.
    await vi.waitFor(() => expect(asked).toEqual(["pay", "pay"]));
    expect(await waitingFor("r", { journal })).toMatchObject([{ id: "pay" }]);
    await approve("r", "pay", { journal });
    slow.resolve();
    expect(await running).toMatchObject({ end_reason: "completed" });
  });
});
