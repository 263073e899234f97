import { setTimeout as pause } from "node:timers/promises";
import type { PlannerTaskInput, TaskData } from "@planloom/plan";
import {
  approve,
  cancelRun,
  childProcessDispatcher,
  type Dispatcher,
  inProcessDispatcher,
  memoryJournal,
  type RunOptions,
  type RunResult,
  resume,
  resumeDue,
  run,
  runStatus,
  signal as signalRun,
  verifyRun,
} from "@planloom/runtime";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { executors as makeExecutors } from "../../support/dispatch-worker.ts";
import { dsl, group, planOf, recorder, statuses } from "../../support/run-plans.ts";

const executors = await makeExecutors();
const module = new URL("../../support/dispatch-worker.ts", import.meta.url);
const workers = childProcessDispatcher({ module, keepWorkers: 1 });
afterAll(() => workers.close());

const hour = 3_600_000;
beforeEach(() => {
  // The clock of the run's process is set; that of the workers is the machine's.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
});

const clock = (more: PlannerTaskInput = {}): PlannerTaskInput => ({ tool_id: "clock", arguments: { ms: 1 }, ...more });
const waiting = (wait: NonNullable<PlannerTaskInput["wait"]>, more: PlannerTaskInput = {}): PlannerTaskInput => ({
  execution_type: "",
  tool_id: null,
  wait,
  ...more,
});
const began = ({ results }: RunResult, id: string) =>
  (results.find(({ task_id }) => task_id === id)!.output as { began: number }).began;
const problems = async (journal: RunOptions["journal"]) => (await verifyRun(journal!, "r")).problems;

describe.each<{ name: string; dispatcher: Dispatcher }>([
  { name: "in this process", dispatcher: inProcessDispatcher() },
  { name: "in child processes", dispatcher: workers },
])("$name", ({ dispatcher }) => {
  const atomic = (plan: TaskData, parts: Record<string, string[]>, more: Partial<RunOptions> = {}): RunOptions => ({
    executors,
    semantics: "atomic",
    subgraphs: group(plan, parts),
    dispatcher,
    concurrency: 1,
    runId: "r",
    ...more,
  });
  /** A subgraph that waits in its middle, and one that could go meanwhile. */
  const middle = (wait: NonNullable<PlannerTaskInput["wait"]>) => {
    const plan = planOf(
      { a: [], w: ["a"], b: ["w"], c: [] },
      { a: clock({ estimate_data: { duration_ms: 9_000 } }), w: waiting(wait), b: clock(), c: clock() },
    );
    return { plan, parts: { one: ["a", "w", "b"], two: ["c"] } };
  };

  test("a wait frees the worker: what else there is goes on meanwhile, and the rest when its time has come", async () => {
    vi.useRealTimers();
    const { plan, parts } = middle({ for_ms: 400 });
    const journal = memoryJournal();
    const { events, onEvent } = recorder();
    const result = await run(plan, atomic(plan, parts, { journal, onEvent }));
    expect(result.end_reason).toBe("completed");
    expect(began(result, "a")).toBeLessThanOrEqual(began(result, "c"));
    expect(began(result, "c")).toBeLessThan(began(result, "b"));
    expect(began(result, "b") - began(result, "a")).toBeGreaterThanOrEqual(400);
    expect(events.filter(({ type }) => type === "task-wait")).toHaveLength(1);
    expect(events.filter((event) => event.type === "task-start" && event.taskId === "a")).toHaveLength(1);
    expect(await problems(journal)).toEqual([]);
  });

  test("a long wait ends the session; a later one continues behind it and repeats nothing", async () => {
    const { plan, parts } = middle({ for_ms: hour });
    const journal = memoryJournal();
    const first = await run(plan, atomic(plan, parts, { journal }));
    expect(first.end_reason).toBe("waiting");
    expect(statuses(first)).toEqual({ a: "completed", w: "waiting", b: "pending", c: "completed" });
    expect(await runStatus("r", { journal })).toMatchObject({ tasks: [{}, { waits: [{ id: "w" }] }, {}, {}] });
    // Too early: nothing is executed.
    const early = await resume("r", { executors, journal, dispatcher });
    expect(early).toMatchObject({ end_reason: "waiting" });
    vi.setSystemTime(Date.now() + 2 * hour);
    const [woken] = await resumeDue({ executors, journal, dispatcher });
    expect(woken).toMatchObject({ run_id: "r", result: { end_reason: "completed" } });
    const { result } = woken as { result: RunResult };
    expect(began(result, "a")).toBe(began(first, "a"));
    expect(await resumeDue({ executors, journal, dispatcher })).toEqual([]);
    expect(await problems(journal)).toEqual([]);
  });

  test("elements that wait do not wait for one another, though a worker makes one call at a time", async () => {
    const tasks = [
      waiting({ event: "paid", key: "${item}" }, { task_id: "w" }),
      clock({ task_id: "b", dependencies: ["w"] }),
    ];
    const list: PlannerTaskInput = {
      execution_type: "",
      tool_id: null,
      for_each: { items: ["a", "b", "c", "d"], tasks },
    };
    const plan = planOf({ each: [] }, { each: list });
    const journal = memoryJournal();
    const first = await run(plan, atomic(plan, { one: ["each"] }, { journal, concurrency: 3 }));
    expect(first.end_reason).toBe("waiting");
    const waits = (await journal.getWaits?.("r")) ?? [];
    expect(waits.map(({ key }) => key).sort()).toEqual(["a", "b", "c"]);
    for (const key of ["a", "b", "c", "d"]) await signalRun("r", "paid", { journal, key });
    expect(await resume("r", { executors, journal, dispatcher })).toMatchObject({ end_reason: "completed" });
  });

  test.each(["before the wait", "while the run lives", "when no process runs"])(
    "a signal that comes %s is taken once",
    async (when) => {
      vi.useRealTimers();
      const keyed = planOf(
        { a: [], w: ["a"], v: ["w"], b: ["v"], c: [] },
        {
          a: clock({ arguments: { ms: when === "before the wait" ? 300 : 1 } }),
          w: waiting({ event: "paid" }),
          v: waiting({ event: "paid" }),
          b: { tool_id: "work", arguments: { of: { one: "${w}", two: "${v}" } } },
          c: clock(),
        },
      );
      const journal = memoryJournal();
      const send = (sum: number) => signalRun("r", "paid", { journal, data: { sum } });
      const asked = atomic(
        keyed,
        { one: ["a", "w", "v", "b"], two: ["c"] },
        { journal, waitHereMs: Number.POSITIVE_INFINITY },
      );
      let result: RunResult;
      if (when === "when no process runs") {
        expect((await run(keyed, { ...asked, waitHereMs: 0 })).end_reason).toBe("waiting");
        await send(1);
        await send(2);
        result = await resume("r", { executors, journal, dispatcher });
      } else {
        let sent = false;
        const onEvent: RunOptions["onEvent"] = (event) => {
          const isTime = when === "before the wait" ? event.type === "task-start" : event.type === "task-wait";
          if (!isTime || sent) return;
          sent = true;
          void send(1).then(() => send(2));
        };
        result = await run(keyed, { ...asked, onEvent });
      }
      expect(result.end_reason).toBe("completed");
      expect(result.output_data).toMatchObject({ b: { sum: 4 } });
      const signals = await journal.getSignals!("r");
      expect(signals.map(({ data, taken_by }) => [data, taken_by])).toEqual([
        [{ sum: 1 }, "w"],
        [{ sum: 2 }, "v"],
      ]);
      expect(await problems(journal)).toEqual([]);
    },
  );

  test("a deadline that passes gives what the plan says, by the clock of the run's process", async () => {
    const { plan, parts } = middle({ event: "paid", timeout_ms: hour, on_deadline: { value: { paid: false } } });
    const journal = memoryJournal();
    expect((await run(plan, atomic(plan, parts, { journal }))).end_reason).toBe("waiting");
    vi.setSystemTime(Date.now() + 2 * hour);
    const [woken] = await resumeDue({ executors, journal, dispatcher });
    expect(woken).toMatchObject({
      result: { end_reason: "completed", results: [{}, { output: { paid: false } }, {}, {}] },
    });
  });

  test("what waits inside of a list and of a workflow frees the worker, too", async () => {
    const plan = planOf(
      { many: [], flow: ["many"], b: ["flow"] },
      {
        many: waiting({ event: "seen", key: "${item}" }, { for_each: { items: ["x", "y"] } }),
        flow: dsl("pausing"),
        b: clock(),
      },
    );
    const journal = memoryJournal();
    const options = atomic(plan, { one: ["many", "flow", "b"] }, { journal });
    expect(statuses(await run(plan, options))).toEqual({ many: "waiting", flow: "pending", b: "pending" });
    await signalRun("r", "seen", { journal, key: "y", data: 2 });
    const second = await resume("r", { executors, journal, dispatcher });
    expect(statuses(second)).toEqual({ many: "waiting", flow: "pending", b: "pending" });
    await signalRun("r", "seen", { journal, key: "x", data: 1 });
    const third = await resume("r", { executors, journal, dispatcher });
    expect(statuses(third)).toEqual({ many: "completed", flow: "waiting", b: "pending" });
    expect(third.results[0]!.output).toEqual([1, 2]);
    vi.setSystemTime(Date.now() + 2 * hour);
    const last = await resume("r", { executors, journal, dispatcher });
    expect(last.end_reason).toBe("completed");
    expect(await problems(journal)).toEqual([]);
  });

  test("calls that are repeated until a condition holds are counted over all dispatches", async () => {
    // Workers say by their own clock when the next call is due.
    vi.useRealTimers();
    const plan = planOf(
      { poll: [], b: ["poll"] },
      {
        poll: { tool_id: "work", retry_until: { condition: "polls = 3", interval_ms: 250 } },
        b: clock(),
      },
    );
    const journal = memoryJournal();
    const { events, onEvent } = recorder();
    let result = await run(plan, atomic(plan, { one: ["poll", "b"] }, { journal, onEvent, waitHereMs: 0 }));
    for (let polls = 1; polls < 3; polls++) {
      expect(result).toMatchObject({ end_reason: "waiting", results: [{ wait: { polls } }, {}] });
      await pause(260);
      result = await resume("r", { executors, journal, dispatcher, onEvent, waitHereMs: 0 });
    }
    expect(result.end_reason).toBe("completed");
    expect(events.filter((event) => event.type === "task-start" && event.taskId === "poll")).toHaveLength(3);
    expect(await problems(journal)).toEqual([]);
  });

  test("a run that is kept nowhere stays until the time comes, and refuses to wait for a signal", async () => {
    vi.useRealTimers();
    const { plan, parts } = middle({ for_ms: 300 });
    const result = await run(plan, atomic(plan, parts));
    expect(result.end_reason).toBe("completed");
    expect(began(result, "c")).toBeLessThan(began(result, "b"));
    const signal = middle({ event: "paid" });
    const refused = await run(signal.plan, atomic(signal.plan, signal.parts));
    expect(refused).toMatchObject({ end_reason: "failed", results: [{}, { error: { code: "TASK_WAIT" } }, {}, {}] });
  });

  test("a run that is cancelled while its subgraph waits ends at once, and is never due again", async () => {
    vi.useRealTimers();
    const { plan, parts } = middle({ for_ms: hour });
    const journal = memoryJournal();
    const { onEvent, events } = recorder();
    const running = run(plan, atomic(plan, parts, { journal, onEvent, waitHereMs: 2 * hour }));
    while (!events.some(({ type }) => type === "task-wait")) await pause(5);
    await pause(20);
    await cancelRun("r", { journal });
    const result = await running;
    expect(result.end_reason).toBe("cancelled");
    expect(statuses(result)).toMatchObject({ a: "completed", w: "cancelled", b: "cancelled" });
    expect(await journal.nextDue!()).toBeUndefined();
  });

  test("elements whose deadline has passed wait no second time when the subgraph is dispatched again", async () => {
    vi.useRealTimers();
    const plan = planOf(
      { each: [] },
      {
        each: waiting(
          { event: "paid", key: "${item}", timeout_ms: 150 },
          { for_each: { items: [1, 2, 3], concurrency: 1, on_failure: "collect" } },
        ),
      },
    );
    const journal = memoryJournal();
    const { events, onEvent } = recorder();
    const result = await run(plan, atomic(plan, { one: ["each"] }, { journal, onEvent }));
    expect(result).toMatchObject({ end_reason: "completed", output_data: { each: [null, null, null] } });
    expect(events.filter(({ type }) => type === "task-wait").length).toBeLessThanOrEqual(3);
    expect(await problems(journal)).toEqual([]);
  });

  test("a person is asked in a subgraph in which something waits: each ends its own branch", async () => {
    const plan = planOf(
      { a: [], w: ["a"], b: ["w"], send: ["a"], after: ["send"] },
      { a: clock(), w: waiting({ event: "paid" }), b: clock(), send: clock({ approval: "required" }), after: clock() },
    );
    const journal = memoryJournal();
    const first = await run(plan, atomic(plan, { one: ["a", "w", "b", "send", "after"] }, { journal }));
    expect(first.end_reason).toBe("waiting_approval");
    expect(statuses(first)).toMatchObject({ w: "waiting", send: "waiting_approval" });
    await signalRun("r", "paid", { journal });
    const second = await resume("r", { executors, journal, dispatcher });
    expect(statuses(second)).toMatchObject({ w: "completed", b: "completed", send: "waiting_approval" });
    await approve("r", "send", { journal });
    expect((await resume("r", { executors, journal, dispatcher })).end_reason).toBe("completed");
    expect(await problems(journal)).toEqual([]);
  });
});

test("a dispatcher that says that a task waits, and not for what, fails the task", async () => {
  const plan = planOf({ a: [] }, { a: waiting({ for_ms: hour }) });
  const dispatcher: Dispatcher = {
    name: "vague",
    dispatch: async () => ({
      results: [{ task_id: "a", status: "waiting", attempts: 0, started_ms: 0, duration_ms: 0 }],
      usage: { attempts: 0, input_tokens: 0, output_tokens: 0 },
    }),
  };
  const result = await run(plan, {
    executors,
    semantics: "atomic",
    subgraphs: group(plan, { one: ["a"] }),
    dispatcher,
  });
  expect(result.results[0]).toMatchObject({ status: "failed", error: { code: "TASK_DISPATCH" } });
  expect(result.results[0]!.error!.message).toContain("`waits`");
});
