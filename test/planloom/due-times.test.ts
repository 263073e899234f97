import { TaskData } from "@planloom/plan";
import { defineTool, memoryJournal, Planloom, ShutDown } from "planloom";
import { RuntimeError, RuntimeErrorCode, type WokenRun } from "planloom/runtime";
import { type DueFire, runScheduler, Schedules } from "planloom/schedules";
import { describe, expect, test, vi } from "vitest";
import { QueuedFires } from "../../packages/planloom/src/schedules/queued-fires.ts";

const time = (text: string) => Date.parse(text);
const hour = 3_600_000;
const done = TaskData.parse({ task_id: "p", planned_tasks: [{ task_id: "w", wait: { for_ms: 0 } }] });
const waits = TaskData.parse({ task_id: "p", planned_tasks: [{ task_id: "w", wait: { event: "e" } }] });

/** Schedules, and an instance that runs what is due. */
async function world() {
  const journal = memoryJournal();
  const schedules = await Schedules.open(journal);
  const gate = Promise.withResolvers<void>();
  const slow = defineTool({ id: "slow", description: "", readOnly: true, execute: () => gate.promise });
  const planloom = new Planloom({ journal, tools: [slow] });
  const begun: string[] = [];
  const run = (fire: DueFire) =>
    schedules.run(fire, ({ plan, run_id: runId }, onEvent) => {
      begun.push(runId);
      return planloom.run(plan, { runId, onEvent });
    });
  const claimAndRun = async (now: string) => {
    for (const fire of await schedules.claim(time(now))) await run(fire);
  };
  const history = async (id = "s") =>
    (await schedules.history(id)).map(({ due_at, state }) => `${due_at.slice(11, 16)} ${state}`);
  return { schedules, planloom, run, claimAndRun, history, begun, openGate: () => gate.resolve() };
}

const slowly = TaskData.parse({ task_id: "p", planned_tasks: [{ task_id: "a", tool_id: "slow" }] });

describe("a run that has not ended", () => {
  test("keeps all due times from being run that are caught up, and not only the first", async () => {
    const { schedules, claimAndRun, history } = await world();
    await schedules.add(waits, { id: "s", cron: "0 * * * *", catchUp: "all" }, time("2026-01-01T00:30Z"));
    await claimAndRun("2026-01-01T01:00Z");
    await claimAndRun("2026-01-01T04:00Z");
    expect(await history()).toEqual(["01:00 started", "02:00 skipped", "03:00 skipped", "04:00 skipped"]);
  });

  test("keeps those of a schedule from being run that takes the place of its own", async () => {
    const { schedules, planloom, claimAndRun, history } = await world();
    await schedules.add(waits, { id: "s", cron: "0 * * * *" }, time("2026-01-01T00:30Z"));
    await claimAndRun("2026-01-01T01:00Z");
    const next = await schedules.add(waits, { id: "s", cron: "30 * * * *" }, time("2026-01-01T01:10Z"));
    expect(next).toMatchObject({ cron: "30 * * * *", last_run_id: "s-20260101T010000Z" });
    await claimAndRun("2026-01-01T01:30Z");
    await planloom.signal("s-20260101T010000Z", "e");
    await planloom.resumeDue();
    await claimAndRun("2026-01-01T02:30Z");
    expect(await history()).toEqual(["01:00 started", "01:30 skipped", "02:30 started"]);
  });

  test("has a time that comes meanwhile left out, and not run late, in the process that runs it too", async () => {
    const { schedules, run, history, openGate } = await world();
    await schedules.add(slowly, { id: "s", cron: "0 * * * *" }, time("2026-01-01T00:30Z"));
    const running: Promise<unknown>[] = [];
    const fires = new QueuedFires(schedules, (fire) => {
      const work = run(fire);
      running.push(work);
      return work;
    });
    await fires.add(await schedules.claim(time("2026-01-01T01:00Z")));
    fires.begin(4);
    await vi.waitFor(async () => expect(await history()).toEqual(["01:00 started"]));
    await fires.add(await schedules.claim(time("2026-01-01T02:00Z")));
    expect([fires.size, await history()]).toEqual([0, ["01:00 started", "02:00 skipped"]]);
    openGate();
    await Promise.all(running);
  });
});

test("a schedule that is replaced begins none of its due times any more, and says so", async () => {
  const { schedules, run, history, begun } = await world();
  await schedules.add(done, { id: "s", cron: "0 * * * *" }, time("2026-01-01T00:30Z"));
  const claimed = await schedules.claim(time("2026-01-01T01:00Z"));
  await schedules.add(done, { id: "s", cron: "0 9 * * *" }, time("2026-01-01T01:00Z"));
  for (const fire of claimed) await run(fire);
  expect([begun, await history()]).toEqual([[], ["01:00 missed"]]);
});

test("a schedule that is deleted begins none of its due times any more; what it has begun goes on", async () => {
  const { schedules, planloom, run, begun } = await world();
  await schedules.add(waits, { id: "s", cron: "0 * * * *", catchUp: "all" }, time("2026-01-01T00:30Z"));
  const [first, second] = await schedules.claim(time("2026-01-01T02:00Z"));
  await run(first!);
  await schedules.delete("s");
  expect(await run(second!)).toBeUndefined();
  await planloom.signal(first!.run_id, "e");
  expect(await planloom.resumeDue()).toMatchObject([{ result: { end_reason: "completed" } }]);
  expect(begun).toEqual([first!.run_id]);
});

test("a run that a scheduler takes up makes no call again that had failed", async () => {
  const calls: string[] = [];
  const stop = new AbortController();
  const tool = (id: string, execute: () => unknown) =>
    defineTool({
      id,
      description: "",
      idempotent: true,
      execute: () => {
        calls.push(id);
        return execute();
      },
    });
  const fails = tool("fails", () => {
    throw new Error("no");
  });
  const ends = tool("ends", () => stop.abort(new ShutDown()));
  const journal = memoryJournal();
  const planloom = new Planloom({ journal, tools: [fails, ends] });
  const reports = TaskData.parse({
    planned_tasks: [
      { task_id: "a", tool_id: "fails" },
      { task_id: "w", wait: { for_ms: 0 } },
      { task_id: "b", tool_id: "ends", dependencies: ["a", "w"], join: "any" },
      { task_id: "c", tool_id: "ends", dependencies: ["b"] },
    ],
  });
  await planloom.schedule(reports, { id: "s", cron: "0 0 1 1 *" });
  const metadata = { schedule: "s", due_at: "2026-01-01T00:00:00.000Z" };
  const first = await planloom.run(reports, { runId: "r", metadata, concurrency: 1, signal: stop.signal });
  expect(first.end_reason).toBe("shut_down");
  const failures = () => calls.filter((id) => id === "fails").length;
  const before = failures();
  const woken = Promise.withResolvers<WokenRun>();
  const end = new AbortController();
  const running = planloom.scheduler({ everyMs: 10, signal: end.signal, onWoken: woken.resolve });
  expect(await woken.promise).toMatchObject({ run_id: "r", result: { end_reason: "failed" } });
  end.abort();
  await running;
  expect([before > 0, failures()]).toEqual([true, before]);
  expect(calls.filter((id) => id === "ends").length).toBeGreaterThanOrEqual(2);
});

describe("a scheduler", () => {
  const at = time("2026-01-01T09:00:00Z");

  test("that looks every few seconds misses no second; one that did not run for minutes runs what the schedule says", async () => {
    const { schedules } = await world();
    await schedules.add(done, { id: "s", cron: "* * * * * *" }, at);
    expect(await schedules.claim(at + 5_000)).toHaveLength(5);
    expect(await schedules.claim(at + 6_000)).toHaveLength(1);
    const late = await schedules.claim(at + 6_000 + 120_000);
    expect(late.filter(({ due_at }) => time(due_at) > at + 6_000)).toMatchObject([
      { due_at: "2026-01-01T09:02:06.000Z" },
    ]);
  });

  test("runs so many at once as it is told, also of times that are caught up", async () => {
    const { schedules, history } = await world();
    const options = { id: "s", cron: "0 * * * *", catchUp: "all", overlap: "allow" } as const;
    await schedules.add(done, options, at);
    const running: PromiseWithResolvers<void>[] = [];
    const fires = new QueuedFires(schedules, () => {
      running.push(Promise.withResolvers());
      return running.at(-1)!.promise;
    });
    await fires.add(await schedules.claim(at + 5 * hour));
    fires.begin(2);
    expect([running.length, fires.size, (await history()).length]).toEqual([2, 3, 5]);
    fires.begin(1);
    expect([running.length, fires.size]).toEqual([3, 2]);
  });

  test("runs times of one schedule that are caught up one after the other, and keeps those that wait for itself", async () => {
    const { schedules, history } = await world();
    await schedules.add(done, { id: "s", cron: "0 * * * *", catchUp: "all" }, at);
    const running: PromiseWithResolvers<void>[] = [];
    const fires = new QueuedFires(schedules, () => {
      running.push(Promise.withResolvers());
      return running.at(-1)!.promise;
    });
    const now = at + 3 * hour;
    const claimed = await schedules.claim(now);
    await fires.add(claimed);
    fires.begin(4);
    fires.begin(4);
    expect(running).toHaveLength(1);
    running[0]!.resolve();
    await running[0]!.promise;
    await Promise.resolve();
    fires.begin(4);
    expect([running.length, fires.size]).toEqual([2, 1]);
    // Half a minute later it says that it still has the last one: no other process is given it.
    expect(await schedules.hold(claimed.slice(2), now + 30_000)).toHaveLength(1);
    const ids = (await schedules.claim(now + 61_000)).map(({ run_id }) => run_id);
    expect(ids).toEqual(claimed.slice(0, 2).map(({ run_id }) => run_id));
    await schedules.pause("s", true, now + 62_000);
    expect(await schedules.hold(claimed, now + 63_000)).toEqual([]);
    expect(await history()).toEqual(["10:00 missed", "11:00 missed", "12:00 missed"]);
  });
});

test("the history is in the order of the due times, whenever it was known what became of them", async () => {
  const { schedules, history } = await world();
  const options = { id: "s", cron: "0 * * * *", catchUp: "all", overlap: "allow" } as const;
  await schedules.add(done, options, time("2026-01-01T00:30Z"));
  const fires = await schedules.claim(time("2026-01-01T03:00Z"));
  for (const fire of fires.toReversed()) await schedules.settle(fire, { state: "started", run_id: fire.run_id });
  expect(await history()).toEqual(["01:00 started", "02:00 started", "03:00 started"]);
});

test("a schedule goes on after a clock that was a year ahead, and runs no time twice", async () => {
  const { schedules, claimAndRun, begun } = await world();
  await schedules.add(done, { id: "s", cron: "0 9 1 * *" }, time("2026-01-15T00:00Z"));
  await claimAndRun("2027-01-20T00:00Z");
  expect(begun).toEqual(["s-20270101T090000Z"]);
  await claimAndRun("2026-01-20T00:00Z");
  expect(await schedules.list()).toMatchObject([{ next_at: "2026-02-01T09:00:00.000Z" }]);
  for (let month = 2; month <= 13; month++) await claimAndRun(new Date(Date.UTC(2026, month - 1, 1, 9)).toISOString());
  expect(begun).toHaveLength(12);
  expect(new Set(begun).size).toBe(12);
});

test("who runs a scheduler hears of a run that could not be begun, and why; the history has it, too", async () => {
  const journal = memoryJournal();
  const schedules = await Schedules.open(journal);
  await using planloom = new Planloom({ journal, tools: [] });
  // Its tool was there when the schedule was made.
  await schedules.add(slowly, { id: "s", cron: "* * * * *" }, Date.now() - 90_000);
  const stop = new AbortController();
  const woken = Promise.withResolvers<WokenRun>();
  const running = planloom.scheduler({ everyMs: 10, signal: stop.signal, onWoken: woken.resolve });
  const { run_id } = await woken.promise;
  expect(await woken.promise).toMatchObject({ error: { code: "PLANLOOM_INVALID_PLAN" } });
  stop.abort();
  await running;
  const message = expect.stringContaining("Tool not available: slow");
  expect((await schedules.history("s")).at(-1)).toMatchObject({ state: "failed", message });
  expect(run_id).toMatch(/^s-/);
});

test("a run that another process was faster with is taken up when that one is gone too", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout", "Date"] });
  try {
    const journal = memoryJournal();
    const schedules = await Schedules.open(journal);
    const planloom = new Planloom({ journal, tools: [] });
    await schedules.add(done, { id: "s", cron: "0 0 1 1 *" });
    await planloom.run(done, {
      runId: "r",
      metadata: { schedule: "s" },
      signal: AbortSignal.abort(new ShutDown()),
    });
    const stop = new AbortController();
    const tried: number[] = [];
    const resume = async (runId: string) => {
      tried.push(Date.now());
      if (tried.length > 1) return planloom.resume(runId);
      throw new RuntimeError(RuntimeErrorCode.RUN_LEASED, "Another process has it.");
    };
    const woken: WokenRun[] = [];
    const parts = { journal, schedules, signal: stop.signal, resume, start: () => Promise.reject(new Error()) };
    const running = runScheduler({}, { ...parts, notify: (run) => void woken.push(run) });
    await vi.advanceTimersByTimeAsync(65_000);
    stop.abort();
    await vi.advanceTimersByTimeAsync(1_000);
    await running;
    expect(tried).toHaveLength(2);
    expect(woken).toMatchObject([{ run_id: "r", result: { end_reason: "completed" } }]);
  } finally {
    vi.useRealTimers();
  }
});
