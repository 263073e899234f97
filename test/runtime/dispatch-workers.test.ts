import type { PlannerTaskInput, TaskData } from "@planloom/plan";
import {
  approve,
  childProcessDispatcher,
  type FailedAttempt,
  memoryJournal,
  type ResultCache,
  type RunOptions,
  type RunResult,
  resume,
  run,
  SharedLimits,
  verifyRun,
  waitingFor,
} from "@planloom/runtime";
import { afterAll, expect, test } from "vitest";
import { executors as makeExecutors } from "../support/dispatch-worker.ts";
import { dsl, group, planOf, recorder, sleep, statuses } from "../support/run-plans.ts";

const executors = await makeExecutors();
const module = new URL("../support/dispatch-worker.ts", import.meta.url);
const dispatcher = childProcessDispatcher({
  module,
  keepWorkers: 3,
});
afterAll(() => dispatcher.close());

const clock = (ms: number, more: PlannerTaskInput = {}): PlannerTaskInput => ({
  tool_id: "clock",
  arguments: { ms },
  ...more,
});
/** Four tasks in three workers; c and d in one. */
const four = planOf(
  { a: [], b: [], c: [], d: [] },
  Object.fromEntries(["a", "b", "c", "d"].map((id) => [id, clock(30)])),
);
const apart = { one: ["a"], two: ["b"], three: ["c", "d"] };
const atomic = (plan: TaskData, parts: Record<string, string[]>, more: Partial<RunOptions> = {}): RunOptions => ({
  executors,
  semantics: "atomic",
  subgraphs: group(plan, parts),
  dispatcher,
  concurrency: 3,
  ...more,
});
const spans = ({ results }: RunResult) =>
  results.map(({ output }) => output as { began: number; ended: number }).sort((a, b) => a.began - b.began);

// Three times: the workers of later runs are warm, and ask at the same moment.
test("a limit by resource holds for all workers together, and the journal shows it", { repeats: 2 }, async () => {
  const journal = memoryJournal();
  const result = await run(four, atomic(four, apart, { limits: { resources: { clock: 1 } }, journal, runId: "r" }));
  expect(result.end_reason).toBe("completed");
  const times = spans(result);
  // All on one machine's clock; a millisecond is its grain.
  for (let i = 1; i < times.length; i++) expect(times[i]!.began).toBeGreaterThanOrEqual(times[i - 1]!.ended - 1);
  expect((await verifyRun(journal, "r")).problems).toEqual([]);
});

test("limits that runs share hold for the workers of all of them", async () => {
  const shared = new SharedLimits({ limits: { resources: { clock: 1 } }, budgets: { total: { calls: 7 } } });
  const both = await Promise.all([1, 2].map(() => run(four, atomic(four, apart, { shared, tenant: "t" }))));
  expect(both.map(({ end_reason }) => end_reason).sort()).toEqual(["budget", "completed"]);
  const times = both
    .flatMap(({ results }) => results.flatMap(({ output }) => (output as { began: number; ended: number }) ?? []))
    .sort((a, b) => a.began - b.began);
  expect(times).toHaveLength(7);
  for (let i = 1; i < times.length; i++) expect(times[i]!.began).toBeGreaterThanOrEqual(times[i - 1]!.ended - 1);
  expect(shared.load()).toEqual({ calls: 0, queuedCalls: 0, runs: 0, queuedRuns: 0 });
});

test("a rate holds for all workers together", async () => {
  const rates = { clock: { limit: 2, intervalMs: 300 } };
  const result = await run(four, atomic(four, apart, { limits: { rates } }));
  expect(result.end_reason).toBe("completed");
  // When the right to each call was given; on a busy machine the message about it takes its time.
  const given = result.results.map(({ started_ms }) => started_ms).sort((a, b) => a - b);
  expect(given[2]! - given[0]!).toBeGreaterThanOrEqual(299);
});

test("budgets and guards hold for all workers together, and a resumed run counts what was spent", async () => {
  const journal = memoryJournal();
  const options = atomic(four, apart, { budgets: { run: { calls: 3 } }, journal, runId: "r" });
  const first = await run(four, options);
  expect(first.end_reason).toBe("budget");
  expect(Object.values(statuses(first)).filter((status) => status === "completed")).toHaveLength(3);
  const again = await resume("r", { executors, dispatcher, journal });
  expect(again.end_reason).toBe("budget");
  const last = await resume("r", { executors, dispatcher, journal, budgets: { run: { calls: 4 } } });
  expect(last.end_reason).toBe("completed");
  expect((await verifyRun(journal, "r")).problems).toEqual([]);

  const guarded = await run(four, atomic(four, apart, { guards: { tools: { clock: 2 } } }));
  const blocked = guarded.results.filter(({ error }) => error?.code === "TASK_BLOCKED");
  expect(blocked).toHaveLength(2);
  expect(blocked[0]?.error?.message).toContain("Guard blocked: ");
});

test("a budget of seconds stops the call in its worker", async () => {
  const plan = planOf({ a: [] }, { a: clock(20_000) });
  const began = performance.now();
  const result = await run(plan, atomic(plan, { one: ["a"] }, { budgets: { run: { seconds: 0.3 } } }));
  expect(result.end_reason).toBe("budget");
  expect(performance.now() - began).toBeLessThan(15_000);
});

test("what a worker had completed before it died is kept", async () => {
  const plan = planOf(
    { a: [], b: ["a"], c: ["b"], d: [] },
    { a: clock(5), b: { tool_id: "die", retry: { max_attempts: 1 } }, c: clock(0), d: clock(5) },
  );
  const journal = memoryJournal();
  const first = await run(plan, atomic(plan, { one: ["a", "b", "c"], two: ["d"] }, { journal, runId: "r" }));
  expect(statuses(first)).toEqual({ a: "completed", b: "failed", c: "skipped", d: "completed" });
  expect(first.results[1]?.error).toMatchObject({ code: "TASK_DISPATCH" });
  const { events, onEvent } = recorder();
  const second = await resume("r", { executors, dispatcher, journal, onEvent, onUnknown: "retry" });
  expect(second.results[0]).toMatchObject({ recorded: true, output: first.results[0]?.output });
  expect(events.filter(({ type }) => type === "task-start").map((event) => "taskId" in event && event.taskId)).toEqual([
    "b",
  ]);
});

test("gates in workers: of a task and of one within a workflow, heard while the run goes on and after it", async () => {
  const plan = planOf(
    { a: [], send: ["a"], w: [], end: ["send", "w"] },
    {
      a: clock(0),
      send: { tool_id: "work", approval: "required", arguments: { seen: "${a.pid}" } },
      w: { execution_type: "dsl", tool_id: null, parameters: { uid: "asking" } },
      end: clock(0),
    },
  );
  const journal = memoryJournal();
  const parts = { one: ["a", "send"], two: ["w"], three: ["end"] };
  const { events, onEvent } = recorder();
  const first = await run(plan, atomic(plan, parts, { journal, runId: "r", onEvent }));
  expect(first.end_reason).toBe("waiting_approval");
  expect(statuses(first)).toEqual({ a: "completed", send: "waiting_approval", w: "waiting_approval", end: "pending" });
  expect((await waitingFor("r", { journal })).map(({ id }) => id).sort()).toEqual(["send", "w/send"]);
  expect(events.filter(({ type }) => type === "task-waiting")).toHaveLength(2);

  await approve("r", "send", { journal });
  const reported = recorder();
  let answered: Promise<unknown> = Promise.resolve();
  const second = await resume("r", {
    executors,
    dispatcher,
    journal,
    onEvent(event) {
      reported.onEvent(event);
      if (event.type === "task-waiting") answered = approve("r", "w/send", { journal });
    },
  });
  await answered;
  // Whether the answer came in time or not: nothing of what was completed runs again.
  const whole = second.end_reason === "completed" ? second : await resume("r", { executors, dispatcher, journal });
  expect(whole.end_reason).toBe("completed");
  const nested = await journal.getNestedTasks("r");
  expect(nested.map(({ path, record }) => [...path, record.task_id, record.status].join("/"))).toEqual([
    "w/look/completed",
    "w/send/completed",
  ]);
  const looks = reported.events.filter(
    (event) => event.type === "task-progress" && JSON.stringify(event.progress).includes('"taskId":"look"'),
  );
  expect(looks).toEqual([]);
  expect((await verifyRun(journal, "r")).problems).toEqual([]);
});

test("workers take outputs of equal calls from the run's cache, whichever worker made them, and pay nothing for them", async () => {
  const plan = planOf(
    { a: [], b: ["a"], c: [] },
    { a: clock(1), b: { tool_id: "work", arguments: { of: ["${a}"] } }, c: clock(2) },
  );
  const journal = memoryJournal();
  const options = atomic(plan, { one: ["a", "b"], two: ["c"] }, { journal, cache: { resources: ["clock"] } });
  const first = await run(plan, options);
  const second = await run(plan, { ...options, runId: "second", budgets: { run: { calls: 1 } } });
  expect(second.end_reason).toBe("completed");
  expect(second.results.map(({ cached, attempts }) => [cached, attempts])).toEqual([
    [true, 0],
    [undefined, 1],
    [true, 0],
  ]);
  expect([0, 2].map((at) => second.results[at]?.output)).toEqual([0, 2].map((at) => first.results[at]?.output));
  expect((await verifyRun(journal, "second")).problems).toEqual([]);
  // Here and in workers alike.
  const { dispatcher: _, ...here } = options;
  expect((await run(plan, here)).results.map(({ cached }) => cached)).toEqual([true, undefined, true]);
  const old = { ...options, cache: { resources: ["clock"], maxAgeMs: 0 } };
  await sleep(2);
  expect((await run(plan, old)).results.map(({ cached }) => cached)).toEqual([undefined, undefined, undefined]);
});

test.for([
  {
    name: "throws",
    fails: () => {
      throw new Error("down");
    },
  },
  { name: "rejects", fails: () => Promise.reject(new Error("down")) },
])("a cache that $name is for workers as one that is empty", async ({ fails }) => {
  const store = { readCache: fails, writeCache: fails } as unknown as ResultCache;
  const result = await run(four, atomic(four, apart, { cache: { resources: ["clock"], store } }));
  expect(statuses(result)).toEqual({ a: "completed", b: "completed", c: "completed", d: "completed" });
});

test.for([
  { name: "nothing", says: [null] },
  { name: "a number", says: [5] },
  { name: "a text", says: ["x"] },
  { name: "a list", says: [[]] },
  { name: "no type", says: [{}] },
  { name: "an unknown type", says: [{ type: "__proto__" }] },
  { name: "an event without one", says: [{ type: "event" }] },
  { name: "a report without one", says: [{ type: "report", id: 1 }] },
  { name: "a report of nothing", says: [{ type: "report", id: 1, report: { result: null } }] },
  { name: "a question without a call", says: [{ type: "ask", id: 1 }] },
  { name: "calls that are none", says: [{ type: "calls", id: 1, calls: null }] },
  { name: "nested records that are none", says: [{ type: "nested", id: 1, records: 5 }] },
  {
    name: "usage below nothing",
    says: [{ type: "settle", id: 1, used: { calls: -1, tokens: 0, cost: 0, seconds: 0 } }],
  },
  { name: "an output to keep that is none", says: [{ type: "keep", id: 1, key: "k", cached: 5 }] },
  { name: "an end without a reply", says: [{ type: "done" }] },
  { name: "an end without results", says: [{ type: "done", reply: { results: null } }] },
  { name: "a failure without words", says: [{ type: "failed" }] },
])(
  "a worker whose tool writes to its line ($name) takes its own subgraph with it, and nothing else",
  async ({ says }) => {
    const plan = planOf({ a: [], b: [] }, { a: { tool_id: "babble", arguments: { messages: says } }, b: clock(10) });
    const { results } = await run(plan, atomic(plan, { one: ["a"], two: ["b"] }));
    expect(results.map(({ status }) => status)).toEqual(["failed", "completed"]);
    expect(results[0]!.error!.message).toContain("does not belong to the protocol");
  },
);

test.for<[string, { text: string; times: number }[], object]>([
  ["no JSON", [{ text: '}{"type":"pong"', times: 1 }], { problem: "malformed" }],
  [
    "too deep",
    [
      { text: "[", times: 100_000 },
      { text: "]", times: 100_000 },
    ],
    { problem: "too_deep" },
  ],
  ["endless", [{ text: "x", times: 5_000_000 }], { problem: "too_large", max_bytes: 2 ** 20 }],
])("a line that is %s ends its worker, and no other", async ([, line, details]) => {
  await using small = childProcessDispatcher({ module, maxMessageBytes: 2 ** 20 });
  const plan = planOf({ a: [], b: [] }, { a: { tool_id: "babble", arguments: { line } }, b: clock(10) });
  const { results } = await run(plan, atomic(plan, { one: ["a"], two: ["b"] }, { dispatcher: small }));
  expect(results.map(({ status }) => status)).toEqual(["failed", "completed"]);
  expect(results[0]!.error).toMatchObject({ code: "TASK_DISPATCH", details });
});

test.for([
  ["what a worker is sent", 1_200_000, 'message "run" to the worker process is too large'],
  ["what it tells", 600_000, 'Its message "report": Expected messages of at most 1048576 bytes'],
] as const)("%s beyond the limit fails its subgraph, and no other", async ([, length, says]) => {
  await using small = childProcessDispatcher({ module, maxMessageBytes: 2 ** 20 });
  const plan = planOf(
    { a: [], after: ["a"], b: [] },
    { a: { tool_id: "echo", arguments: { text: "x".repeat(length) } }, after: clock(0), b: clock(10) },
  );
  const result = await run(plan, atomic(plan, { one: ["a", "after"], two: ["b"] }, { dispatcher: small }));
  expect(statuses(result)).toEqual({ a: "failed", after: "skipped", b: "completed" });
  const { code, message, details } = result.results[0]!.error!;
  expect([code, details?.problem, details?.max_bytes]).toEqual(["TASK_DISPATCH", "too_large", 2 ** 20]);
  expect(message).toContain(says);
});

test.for([0, 2 ** 20 - 1, 2 ** 30, 1.5e6 + 0.5, "1e6"])("maxMessageBytes of %s is refused", (maxMessageBytes) => {
  const options = { module, maxMessageBytes } as Parameters<typeof childProcessDispatcher>[0];
  expect(() => childProcessDispatcher(options)).toThrow(/Expected `maxMessageBytes` to be/);
});

test("onError is called for each attempt that fails in a worker, with an error like the one that was thrown", async () => {
  const plan = planOf(
    { a: [], b: [], w: [] },
    {
      a: { tool_id: "throwing", retry: { max_attempts: 2, initial_delay_ms: 1 } },
      b: { tool_id: "throwing", arguments: { text: "just a text" }, retry: { max_attempts: 1 } },
      w: { ...dsl("throws-within"), retry: { max_attempts: 1 } },
    },
  );
  const reported: [unknown, FailedAttempt][] = [];
  const onError: RunOptions["onError"] = (thrown, about) => {
    reported.push([thrown, about]);
    throw new Error("It changes nothing.");
  };
  const parts = { one: ["a"], two: ["b"], three: ["w"] };
  await run(plan, atomic(plan, parts, { onError, runId: "r", retry: { max_attempts: 1 } }));
  const ofTask = (id: string) => reported.filter(([, { taskId }]) => taskId === id);
  expect(ofTask("a").map(([, about]) => about)).toEqual(
    [1, 2].map((attempt) => ({ runId: "r", taskId: "a", path: [], uid: "throwing", attempt })),
  );
  const error = ofTask("a")[0]![0] as Error & { code: string; status: number };
  expect(error).toBeInstanceOf(Error);
  expect([error.name, error.message, error.code, error.status]).toEqual(["RangeError", "outer", "E_OUTER", 503]);
  expect(error.stack).toContain("dispatch-worker.ts");
  const cause = error.cause as AggregateError;
  expect(cause).toBeInstanceOf(AggregateError);
  expect(cause.errors).toMatchObject([{ name: "TypeError", message: "inner", code: "E_INNER" }]);
  expect(ofTask("b").map(([thrown]) => thrown)).toEqual(["just a text"]);
  expect(ofTask("inner").map(([, { path }]) => path)).toEqual([["w"]]);
});

test("a permit that nobody asked for, and a task that is none of the subgraph's, are passed over", async () => {
  const used = { calls: 1, tokens: 0, cost: 0, seconds: 0 };
  const result = { task_id: "b", status: "completed", output: "forged", attempts: 1, started_ms: 0, duration_ms: 0 };
  const says = [
    { type: "settle", id: 99, used },
    { type: "report", id: 98, report: { result } },
  ];
  const plan = planOf({ a: [], b: [] }, { a: { tool_id: "babble", arguments: { messages: says } }, b: clock(10) });
  const { results } = await run(plan, atomic(plan, { one: ["a"], two: ["b"] }));
  expect(results.map(({ status }) => status)).toEqual(["completed", "completed"]);
  expect(results[1]!.output).not.toBe("forged");
});

test("a dispatcher whose reply is none fails its subgraph", async () => {
  const plan = planOf({ a: [] }, { a: clock(0) });
  const broken = { name: "broken", dispatch: async () => ({ results: [{}] }) as never };
  const { results } = await run(plan, { ...atomic(plan, { one: ["a"] }), dispatcher: broken });
  expect(results[0]).toMatchObject({
    status: "failed",
    error: { message: expect.stringContaining("did not answer with a reply") },
  });
});

test("a call whose worker died counts: in the budget, also of a resumed run, and in what the run used", async () => {
  const journal = memoryJournal();
  const plan = planOf({ a: [], fatal: ["a"], b: [] }, { a: clock(1), fatal: { tool_id: "die" }, b: clock(1) });
  const parts = { one: ["a", "fatal"], two: ["b"] };
  const options = { journal, runId: "r", budgets: { run: { calls: 3 } } };
  const first = await run(plan, atomic(plan, parts, options));
  expect(statuses(first)).toEqual({ a: "completed", fatal: "failed", b: "completed" });
  expect(first.usage.attempts).toBe(3);
  expect((await journal.getTasks("r")).find(({ task_id }) => task_id === "fatal")).toMatchObject({
    attempts: 1,
    usage: { calls: 1 },
  });
  const again = await resume("r", { executors, journal, dispatcher, onUnknown: "retry" });
  expect(again.end_reason).toBe("budget");
  expect(again.usage.attempts).toBe(0);
  expect((await verifyRun(journal, "r")).problems).toEqual([]);
});

test("calls are confirmed in workers as in one process; a policy in code stays in its process", async () => {
  const journal = memoryJournal();
  const options = atomic(four, apart, { confirm: "writes", approval: { allow: ["clock"] }, journal, runId: "r" });
  const plan = planOf(
    { a: [], b: [], c: [], d: ["c"] },
    { a: clock(1), b: clock(1), c: { tool_id: "work" }, d: clock(1) },
  );
  const result = await run(plan, { ...options, subgraphs: group(plan, apart) });
  expect(statuses(result)).toEqual({ a: "completed", b: "completed", c: "waiting_approval", d: "pending" });
  await approve("r", "c", { journal });
  expect((await resume("r", { executors, dispatcher, journal })).end_reason).toBe("completed");
  await expect(run(four, atomic(four, apart, { confirm: () => true }))).rejects.toMatchObject({
    code: "RUNTIME_INVALID_OPTION",
    details: { option: "confirm" },
  });
});

test("prepare starts workers and measures what an empty subgraph costs; nothing is run there", async () => {
  await using fresh = childProcessDispatcher({ module, keepWorkers: 2 });
  const costs = await fresh.prepare(8);
  expect(costs).toMatchObject({ executors: 2, measured: 7 });
  expect(costs.overheadMs).toBeGreaterThan(0);
  expect(costs.overheadP95Ms).toBeGreaterThanOrEqual(costs.overheadMs);
  expect((await fresh.prepare(1)).measured).toBe(14);
  const result = await run(four, atomic(four, apart, { dispatcher: fresh, concurrency: 2 }));
  expect(result.end_reason).toBe("completed");
});

test("prepare ends with its signal, and a dispatcher that was closed refuses it", async () => {
  const fresh = childProcessDispatcher({ module });
  const stop = new AbortController();
  const preparing = fresh.prepare(1, { signal: stop.signal });
  stop.abort(new Error("enough"));
  await expect(preparing).rejects.toThrow("enough");
  await fresh.close();
  await expect(fresh.prepare(1)).rejects.toThrow("closed");
});
