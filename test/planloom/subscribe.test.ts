import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cancelRun, defineTool, memoryJournal, Planloom, SqliteJournal } from "planloom";
import type { RunSubscription } from "planloom/events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { planOf } from "../support/run-plans.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "planloom-subscribe-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Tools a and b, and one that waits for `release`. */
function tools() {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const made = ["a", "slow", "b"].map((id) =>
    defineTool({
      id,
      description: "",
      readOnly: true,
      async execute(_: Record<string, unknown>, { onProgress }) {
        if (id !== "slow") return id;
        begin();
        onProgress?.({ percent: 50 });
        await released;
        return id;
      },
    }),
  );
  return { tools: made, begun, release };
}

const plan = planOf({ a: [], slow: ["a"], b: ["slow"] });

async function typesOf(subscription: RunSubscription): Promise<string[]> {
  const types: string[] = [];
  for await (const event of subscription) types.push(event.type);
  return types;
}

const whole = [
  "run-start",
  "task-start",
  "task-end",
  "task-start",
  "task-progress",
  "task-end",
  "task-start",
  "task-end",
  "run-end",
];

describe.for(["memory", "SQLite"])("a journal that keeps events: %s", (kind) => {
  const open = async () =>
    kind === "memory"
      ? memoryJournal({ events: true })
      : await SqliteJournal.open(join(folder, "journal.sqlite"), { events: true });

  test("early, late and last-minute subscribers, and those of a finished run, get every event once and in order", async () => {
    const { tools: made, begun, release } = tools();
    const journal = await open();
    await using planloom = new Planloom({ tools: made, journal });
    const running = planloom.run(plan, { runId: "r" });
    await begun;
    const [one, two] = [typesOf(planloom.subscribe("r")), typesOf(planloom.subscribe("r"))];
    // What was announced just now is still on its way into the journal.
    const missed = planloom.subscribe("r", { after: 2 });
    release();
    await running;
    expect(await one).toEqual(whole);
    expect(await two).toEqual(whole);
    expect(await typesOf(missed)).toEqual(whole.slice(3));
    expect(await typesOf(planloom.subscribe("r"))).toEqual(whole);
    expect(await typesOf(planloom.subscribe("r", { after: 8 }))).toEqual([]);
    await journal.close();
  });

  test("seq goes on where it was in a resumed run, and a subscriber who follows hears of both sessions", async () => {
    const journal = await open();
    const { tools: made, release } = tools();
    release();
    await using planloom = new Planloom({ tools: made, journal });
    const gated = planOf({ a: [], b: ["a"] }, { b: { approval: "required" } });
    const first = await planloom.run(gated, { runId: "r" });
    expect(first.end_reason).toBe("waiting_approval");
    const following = typesOf(planloom.subscribe("r", { follow: true, pollMs: 5 }));
    expect(await typesOf(planloom.subscribe("r"))).toContain("task-waiting");
    await planloom.resume("r", {
      approval: { answers: [{ task_id: "b", content_hash: first.results[1]!.content_hash!, answer: "approve" }] },
    });
    const events = (await journal.getEvents?.("r")) ?? [];
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at));
    expect(events.filter(({ type }) => type === "run-start")).toHaveLength(2);
    expect(await following).toEqual(events.map(({ type }) => type));
    await journal.close();
  });

  test.for([
    ["now", "cancelled"],
    ["drain", "drained"],
  ] as const)("who follows a waiting run hears how it ends when it is cancelled: %s", async ([mode, endReason]) => {
    const journal = await open();
    const { tools: made, release } = tools();
    release();
    await using planloom = new Planloom({ tools: made, journal });
    const gated = planOf({ a: [], b: ["a"] }, { b: { approval: "required" } });
    await planloom.run(gated, { runId: "r" });
    const subscription = planloom.subscribe("r", { follow: true, pollMs: 5 });
    const before = [];
    // What the run announced until it waited.
    do before.push((await subscription.next()).value);
    while (before.at(-1)?.type !== "run-end");
    const next = subscription.next();
    expect(await cancelRun("r", { journal, mode })).toEqual({ run_id: "r", state: endReason });
    expect((await next).value).toMatchObject({ type: "run-end", endReason, runId: "r" });
    if (mode === "now") expect((await subscription.next()).done).toBe(true);
    await subscription.return?.();
    await planloom.resume("r");
    const events = (await journal.getEvents?.("r")) ?? [];
    const numbers = events.map(({ seq }) => seq);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    expect(events.filter(({ type }) => type === "run-end")).toHaveLength(3);
    await journal.close();
  });
});

test("events say when they happened, by the clock", async () => {
  const { tools: made, release } = tools();
  release();
  await using planloom = new Planloom({ tools: made });
  const before = Date.now();
  const timestamps: number[] = [];
  await planloom.run(plan, { onEvent: ({ timestamp }) => timestamps.push(timestamp) });
  expect(timestamps).toHaveLength(whole.length);
  expect(timestamps).toEqual([...timestamps].sort((a, b) => a - b));
  expect(timestamps[0]).toBeGreaterThanOrEqual(before);
  expect(timestamps.at(-1)).toBeLessThanOrEqual(Date.now() + 1);
});

test("after a process that died without a word, seq goes on above anything it can have announced", async () => {
  const journal = memoryJournal({ events: true });
  const { tools: made, release, begun } = tools();
  const dead = new Planloom({ tools: made, journal });
  const seen: number[] = [];
  void dead.run(plan, { runId: "r", onEvent: ({ seq }) => seen.push(seq) });
  await begun;
  // Nobody renews the lease, and nobody wrote an end: the run as the next process finds it.
  const stored = await journal.getRun("r");
  expect(stored.certificate).toBeUndefined();
  const copy = memoryJournal();
  const owner = { token: "other", process: { host: "elsewhere", pid: 1 } } as never;
  await copy.createRun(stored, owner);
  await copy.endRun("r", owner, "shut_down");
  await using next = new Planloom({ tools: made, journal: copy });
  const later: number[] = [];
  release();
  await next.resume("r", { onEvent: ({ seq }) => later.push(seq) });
  expect(later[0]).toBeGreaterThan(Math.max(...seen));
  expect(later).toEqual(later.map((_, at) => later[0]! + at));
  await dead.close();
});

describe("without events in the journal", () => {
  test("a late subscriber hears what comes, and the end", async () => {
    const { tools: made, begun, release } = tools();
    await using planloom = new Planloom({ tools: made });
    const running = planloom.run(plan, { runId: "r" });
    await begun;
    const late = planloom.subscribe("r");
    const heard = typesOf(late);
    setImmediate(release);
    await running;
    expect(await heard).toEqual(["task-end", "task-start", "task-end", "run-end"]);
    expect(await typesOf(planloom.subscribe("r"))).toEqual([]);
  });
});

describe("leaving", () => {
  test.for(["return", "signal", "an aborted signal"])(
    "by %s ends the iteration, and the run does not notice",
    async (way) => {
      const { tools: made, begun, release } = tools();
      await using planloom = new Planloom({ tools: made, journal: memoryJournal({ events: true }) });
      const running = planloom.run(plan, { runId: "r" });
      await begun;
      const abort = new AbortController();
      if (way === "an aborted signal") abort.abort();
      const subscription = planloom.subscribe("r", { signal: abort.signal });
      const types: string[] = [];
      for await (const event of subscription) {
        types.push(event.type);
        if (event.type !== "task-progress") continue;
        if (way === "return") break;
        setImmediate(() => abort.abort());
      }
      expect(types).toEqual(way === "an aborted signal" ? [] : whole.slice(0, 5));
      expect(await subscription.next()).toEqual({ value: undefined, done: true });
      release();
      expect((await running).end_reason).toBe("completed");
    },
  );

  test("return ends a read that waits", async () => {
    const { tools: made, begun, release } = tools();
    await using planloom = new Planloom({ tools: made });
    const running = planloom.run(plan, { runId: "r" });
    await begun;
    const subscription = planloom.subscribe("r");
    const pending = subscription.next();
    setImmediate(() => void subscription.return?.());
    expect(await pending).toEqual({ value: undefined, done: true });
    release();
    await running;
  });
});

test("a subscriber who is slow sees how much is missing, and keeps nothing from going on", async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: subscribed, resolve: subscribe } = Promise.withResolvers<void>();
  const chatty = defineTool({
    id: "a",
    description: "",
    readOnly: true,
    async execute(_: Record<string, unknown>, { onProgress }) {
      begin();
      await subscribed;
      for (let step = 0; step < 50; step++) onProgress?.(step);
    },
  });
  await using planloom = new Planloom({ tools: [chatty] });
  const running = planloom.run(planOf({ a: [] }), { runId: "r" });
  await begun;
  const subscription = planloom.subscribe("r", { bufferSize: 4 });
  const first = subscription.next();
  setImmediate(subscribe);
  await running;
  const events = [await first];
  for await (const value of subscription) events.push({ value, done: false });
  const dropped = events.flatMap(({ value }) => (value?.type === "stream-gap" ? [value.dropped] : []));
  const reported = events.filter(({ value }) => value?.type === "task-progress").length;
  expect(reported + dropped.reduce((sum, n) => sum + n, 0)).toBeGreaterThanOrEqual(50);
  expect(dropped.length).toBeGreaterThan(0);
  expect(events.at(-1)?.value).toMatchObject({ type: "run-end" });
});

test("a run of another process is followed through the journal", async () => {
  const file = join(folder, "journal.sqlite");
  const [own, other] = [
    await SqliteJournal.open(file, { events: true }),
    await SqliteJournal.open(file, { events: true }),
  ];
  const { tools: made, begun, release } = tools();
  await using runner = new Planloom({ tools: made, journal: own });
  await using watcher = new Planloom({ tools: made, journal: other });
  const running = runner.run(plan, { runId: "r" });
  await begun;
  const types: string[] = [];
  for await (const event of watcher.subscribe("r", { pollMs: 10 })) {
    types.push(event.type);
    if (event.type === "task-progress") release();
  }
  await running;
  expect(types).toEqual(whole);
  await own.close();
  await other.close();
});

test.for([
  [{ afterSeq: 3 }, "Unknown option `afterSeq` of `subscribe`: did you mean `after`?"],
  [{ after: "3" }, "Expected `after` to be a number"],
  [{ signal: "stop" }, "Expected `signal` to be an AbortSignal"],
  [{ bufferSize: 0 }, "Expected `bufferSize` to be an integer of at least 1"],
  [{ pollMs: 0 }, "Expected `pollMs` to be a number above 0"],
] as const)("subscribe refuses %j at once", async ([options, message]) => {
  await using planloom = new Planloom();
  expect(() => planloom.subscribe("r", options as object)).toThrow(message);
});

test("a run that there is not", async () => {
  await using planloom = new Planloom();
  await expect(planloom.subscribe("none").next()).rejects.toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND" });
  await expect(planloom.runStatus("none")).rejects.toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND" });
});
