import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TaskData } from "@planloom/plan";
import { defineTool, memoryJournal, Planloom, ShutDown, SqliteJournal } from "planloom";
import type { WokenRun } from "planloom/runtime";
import { Schedules } from "planloom/schedules";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const plan = TaskData.parse({ task_id: "p", title: "Report", planned_tasks: [{ task_id: "w", wait: { for_ms: 0 } }] });
const time = (text: string) => Date.parse(text);
const hour = 3_600_000;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "planloom-schedules-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));
const openFile = () => SqliteJournal.open(join(folder, "j.sqlite"));

/** Claims what is due every minute, as a scheduler does; gives the due times that were started. */
async function play(schedules: Schedules, from: string, to: string, stepMs = 60_000): Promise<string[]> {
  const due: string[] = [];
  for (let now = time(from); now <= time(to); now += stepMs)
    for (const fire of await schedules.claim(now)) {
      due.push(fire.due_at);
      await schedules.settle(fire, { state: "started", run_id: fire.run_id });
    }
  return due;
}

test("where it cannot be noted that a run has begun, that is said once the run has ended, and the process goes on", async () => {
  const journal = memoryJournal();
  const store = await journal.openLimits!();
  let isFull = false;
  const openLimits = async () => ({
    read: (key: string) => store.read(key),
    close: () => store.close(),
    change: <Value>(change: Parameters<typeof store.change<Value>>[0]) =>
      isFull ? Promise.reject(new Error("The disk is full.")) : store.change(change),
  });
  const schedules = await Schedules.open({ ...journal, openLimits } as typeof journal);
  await schedules.add(plan, { id: "s", cron: "0 9 * * *" }, time("2026-01-01T08:00Z"));
  const [due] = await schedules.claim(time("2026-01-01T09:00Z"));
  let hasEnded = false;
  const running = schedules.run(due!, async (_, begun) => {
    isFull = true;
    begun();
    // A rejection that is not handled by now would end the process.
    await new Promise((resolve) => setImmediate(resolve));
    hasEnded = true;
  });
  await expect(running).rejects.toThrow("The disk is full.");
  expect(hasEnded).toBe(true);
});

describe("daylight saving in Berlin", () => {
  const cases = [
    ["a time that there is not comes once, after the gap", "30 2 * * *", "2026-03-28T23:00Z", ["2026-03-29T01:00"]],
    ["a time that there is twice comes once", "30 2 * * *", "2026-10-24T22:00Z", ["2026-10-25T00:30"]],
    [
      "several times that there are not come once, after the gap",
      "15,30,45 2 * * *",
      "2026-03-28T23:00Z",
      ["2026-03-29T01:00"],
    ],
    [
      "of several hours the one that there is not comes when the gap ends",
      "30 1,2,3 * * *",
      "2026-03-28T23:00Z",
      ["2026-03-29T00:30", "2026-03-29T01:00", "2026-03-29T01:30"],
    ],
    [
      "of several hours the one that there is twice comes once",
      "0 1-3 * * *",
      "2026-10-24T22:00Z",
      ["2026-10-24T23:00", "2026-10-25T00:00", "2026-10-25T02:00"],
    ],
    ["the hour of a day stays what the clock says", "0 9 * * *", "2026-10-24T22:00Z", ["2026-10-25T08:00"]],
    [
      "every half hour goes on through the hour that there is twice",
      "*/30 2 * * *",
      "2026-10-24T22:00Z",
      ["2026-10-25T00:00", "2026-10-25T00:30", "2026-10-25T01:00", "2026-10-25T01:30"],
    ],
  ] as const;
  test.each(cases)("%s", async (_, cron, from, expected) => {
    const schedules = await Schedules.open(memoryJournal());
    await schedules.add(plan, { id: "s", cron, zone: "Europe/Berlin" }, time(from));
    const to = new Date(time(from) + 12 * hour).toISOString();
    const due = await play(schedules, from, to);
    expect(due.map((each) => each.slice(0, 16))).toEqual(expected);
  });
});

describe("daylight saving elsewhere", () => {
  const cases = [
    ["a gap of half an hour", "Australia/Lord_Howe", "15 2 * * *", "2026-10-03T12:00Z", ["2026-10-03T15:30"]],
    [
      "half an hour that there is twice",
      "Australia/Lord_Howe",
      "45 1 * * *",
      "2026-04-04T12:00Z",
      ["2026-04-04T14:45"],
    ],
    ["a gap that begins at midnight", "America/Havana", "0 0 * * *", "2026-03-07T20:00Z", ["2026-03-08T05:00"]],
    ["midnight that there is twice", "America/Havana", "0 0 * * *", "2026-10-31T20:00Z", ["2026-11-01T04:00"]],
    ["a gap in the first hour of a day", "Atlantic/Azores", "30 0 * * *", "2026-03-28T20:00Z", ["2026-03-29T01:00"]],
    ["the first hour that there is twice", "Atlantic/Azores", "30 0 * * *", "2026-10-24T20:00Z", ["2026-10-25T00:30"]],
    ["a gap of two hours", "Antarctica/Troll", "30 1 * * *", "2026-03-28T20:00Z", ["2026-03-29T01:00"]],
    ["seven fields", "Europe/Berlin", "0 30 2 * * * 2026", "2026-10-24T22:00Z", ["2026-10-25T00:30"]],
    ["an interval within the hour that there is not", "Europe/Berlin", "*/30 2 * * *", "2026-03-28T20:00Z", []],
  ] as const;
  test.each(cases)("%s", async (_, zone, cron, from, expected) => {
    const schedules = await Schedules.open(memoryJournal());
    await schedules.add(plan, { id: "s", cron, zone }, time(from));
    const due = await play(schedules, from, new Date(time(from) + 12 * hour).toISOString());
    expect(due.map((each) => each.slice(0, 16))).toEqual(expected);
  });
});

test("due times of a month of seconds are not gone through one by one", async () => {
  const schedules = await Schedules.open(memoryJournal());
  const from = time("2026-01-01T00:00Z");
  const now = time("2026-02-01T00:00:00.500Z");
  for (const catchUp of ["last", "all"] as const)
    await schedules.add(plan, { id: catchUp, cron: "* * * * * *", catchUp }, from);
  const cpu = process.cpuUsage();
  const fires = await schedules.claim(now);
  expect(process.cpuUsage(cpu).user / 1_000).toBeLessThan(10_000);
  const of = (id: string) => fires.filter(({ schedule }) => schedule.schedule_id === id).map(({ due_at }) => due_at);
  expect(of("last")).toEqual(["2026-02-01T00:00:00.000Z"]);
  expect(of("all")).toHaveLength(1_000);
  expect([of("all")[0], of("all").at(-1)]).toEqual(["2026-01-31T23:43:21.000Z", "2026-02-01T00:00:00.000Z"]);
  expect(await schedules.list()).toMatchObject([
    { next_at: "2026-02-01T00:00:01.000Z" },
    { next_at: "2026-02-01T00:00:01.000Z" },
  ]);
});

test("a paused schedule begins no due time whose process died before it did, and notes it as missed", async () => {
  const schedules = await Schedules.open(memoryJournal());
  const now = time("2026-03-01T09:00Z");
  await schedules.add(plan, { id: "s", cron: "0 9 * * *" }, now - 1);
  expect(await schedules.claim(now)).toHaveLength(1);
  await schedules.pause("s", true, now + 1);
  expect(await schedules.claim(now + hour)).toEqual([]);
  expect(await schedules.history("s")).toMatchObject([{ state: "missed" }]);
  await schedules.pause("s", false, now + hour);
  expect(await schedules.claim(now + 2 * hour)).toEqual([]);
});

test.each([
  "",
  "null",
  "{",
  '{"s":{}}',
  '{"s":{"schedule_id":"s","starting":[],"next_at":"soon"}}',
  '{"s":{"schedule_id":"s","starting":1}}',
])("a row of schedules that these did not write is refused: %s", async (text) => {
  const journal = memoryJournal();
  const store = await journal.openLimits!();
  await store.change((rows) => rows.set("schedules", text));
  const schedules = await Schedules.open(journal);
  const refused = { code: "RUNTIME_JOURNAL_CORRUPT" };
  await expect(schedules.list()).rejects.toMatchObject(refused);
  await expect(schedules.claim()).rejects.toMatchObject(refused);
});

describe("due times that passed while no scheduler ran", () => {
  const cases = [
    ["last", ["missed", "missed", "started"]],
    ["all", ["started", "started", "started"]],
    ["none", ["missed", "missed", "missed"]],
  ] as const;
  test.each(cases)("%s", async (catchUp, states) => {
    const schedules = await Schedules.open(memoryJournal());
    await schedules.add(plan, { id: "s", cron: "0 * * * *", catchUp }, time("2026-01-01T00:30Z"));
    await play(schedules, "2026-01-01T03:30Z", "2026-01-01T03:30Z");
    const history = await schedules.history("s");
    expect(history.map(({ state }) => state)).toEqual(states);
    expect(history.map(({ due_at }) => due_at.slice(11, 16))).toEqual(["01:00", "02:00", "03:00"]);
    expect((await schedules.list())[0]!.next_at).toBe("2026-01-01T04:00:00.000Z");
  });

  test("more than a thousand are not all caught up", async () => {
    const schedules = await Schedules.open(memoryJournal());
    await schedules.add(plan, { id: "s", cron: "* * * * *", catchUp: "all" }, time("2026-01-01T00:00Z"));
    expect(await schedules.claim(time("2026-01-03T00:00Z"))).toHaveLength(1_000);
  });
});

test("of several processes one is given each due time, and a dead one's is given again with the same id", async () => {
  const [one, other] = [await Schedules.open(await openFile()), await Schedules.open(await openFile())];
  await one.add(plan, { id: "s", cron: "0 * * * *" }, time("2026-01-01T00:30Z"));
  const now = time("2026-01-01T01:00Z");
  const claimed = (await Promise.all([one.claim(now), other.claim(now), one.claim(now)])).flat();
  expect(claimed).toHaveLength(1);
  expect(await other.claim(now + 59_999)).toEqual([]);
  // The process that claimed it has not begun its run for a minute.
  const again = await other.claim(now + 60_000);
  expect(again.map(({ run_id }) => run_id)).toEqual([claimed[0]!.run_id]);
  const journal = await openFile();
  const planloom = new Planloom({ journal });
  for (const fire of [...claimed, ...again])
    await other.run(fire, (each, begun) => planloom.run(each.plan, { runId: each.run_id, onEvent: begun }));
  expect(await journal.listRuns()).toMatchObject([{ run_id: "s-20260101T010000Z", status: "completed" }]);
  expect(await other.history("s")).toMatchObject([{ state: "started", run_id: "s-20260101T010000Z" }]);
  expect(await other.claim(now + 10 * 60_000)).toEqual([]);
});

test("a clock that is set back fires nothing again, and one that is set forward misses nothing that is to be caught up", async () => {
  const schedules = await Schedules.open(memoryJournal());
  await schedules.add(plan, { id: "s", cron: "0 * * * *", catchUp: "all" }, time("2026-01-01T00:30Z"));
  const due = async (now: string) => {
    const fires = await schedules.claim(time(now));
    for (const fire of fires) await schedules.settle(fire, { state: "started", run_id: fire.run_id });
    return fires.map(({ due_at }) => due_at.slice(11, 16));
  };
  expect(await due("2026-01-01T02:00Z")).toEqual(["01:00", "02:00"]);
  expect(await due("2026-01-01T00:45Z")).toEqual([]);
  expect(await due("2026-01-01T02:30Z")).toEqual([]);
  expect(await due("2026-01-01T05:10Z")).toEqual(["03:00", "04:00", "05:00"]);
});

test("a run that has not ended is not run beside, unless that is asked for", async () => {
  const journal = await openFile();
  const planloom = new Planloom({ journal });
  const waiting = TaskData.parse({ task_id: "p", planned_tasks: [{ task_id: "w", wait: { event: "e" } }] });
  const schedules = await Schedules.open(journal);
  await schedules.add(waiting, { id: "one", cron: "0 * * * *" }, time("2026-01-01T00:30Z"));
  await schedules.add(waiting, { id: "beside", cron: "0 * * * *", overlap: "allow" }, time("2026-01-01T00:30Z"));
  for (const now of ["2026-01-01T01:00Z", "2026-01-01T02:00Z"])
    for (const fire of await schedules.claim(time(now)))
      await schedules.run(fire, (each, begun) => planloom.run(each.plan, { runId: each.run_id, onEvent: begun }));
  const states = async (id: string) => (await schedules.history(id)).map(({ state }) => state);
  expect(await states("one")).toEqual(["started", "skipped"]);
  expect(await states("beside")).toEqual(["started", "started"]);
  await planloom.signal("one-20260101T010000Z", "e");
  await planloom.resumeDue();
  for (const fire of await schedules.claim(time("2026-01-01T03:00Z")))
    await schedules.run(fire, (each, begun) => planloom.run(each.plan, { runId: each.run_id, onEvent: begun }));
  expect(await states("one")).toEqual(["started", "skipped", "started"]);
});

test("a Planloom runs a plan by its schedule, which survives it", async () => {
  await using first = new Planloom({ journal: join(folder, "j.sqlite") });
  const made = await first.schedule(plan, { id: "s", cron: "* * * * * *", variables: {}, metadata: { by: "me" } });
  expect(made).toMatchObject({ schedule_id: "s", title: "Report", zone: "UTC", overlap: "skip", paused: false });
  await first.close();
  await using second = new Planloom({ journal: join(folder, "j.sqlite") });
  expect(await second.schedules()).toMatchObject([{ schedule_id: "s" }]);
  const stop = new AbortController();
  const woken: string[] = [];
  await second.scheduler({
    everyMs: 20,
    signal: stop.signal,
    onWoken: ({ run_id }) => {
      woken.push(run_id);
      stop.abort();
    },
  });
  expect(woken).toHaveLength(1);
  const [fired] = await second.scheduleHistory("s");
  expect(fired).toMatchObject({ state: "started", run_id: woken[0] });
  const { options } = await (await second.journal()).getRun(woken[0]!);
  expect(options.metadata).toEqual({ by: "me", schedule: "s", due_at: fired!.due_at });
  expect(await second.pauseSchedule("s")).not.toHaveProperty("next_at");
  expect(await second.pauseSchedule("s", false)).toHaveProperty("next_at");
  await second.deleteSchedule("s");
  expect(await second.schedules()).toEqual([]);
});

describe("bad input", () => {
  const cases = [
    ["a minute that there is not", { cron: "61 * * * *" }, "cron"],
    ["words", { cron: "every Monday" }, "cron"],
    ["a day that never comes", { cron: "0 0 31 2 *" }, "cron"],
    ["an unknown zone", { cron: "0 9 * * *", zone: "Mars/Olympus" }, "zone"],
    ["an unknown overlap", { cron: "0 9 * * *", overlap: "maybe" }, "overlap"],
    ["an unknown policy", { cron: "0 9 * * *", catchUp: "some" }, "catchUp"],
    ["a misspelt option", { cron: "0 9 * * *", zon: "UTC" }, "zon"],
    ["no pattern", {}, "cron"],
  ] as const;
  test.each(cases)("%s is refused", async (_, options, option) => {
    await using planloom = new Planloom({ journal: memoryJournal() });
    await expect(planloom.schedule(plan, options as never)).rejects.toMatchObject({
      code: "PLANLOOM_OPTION",
      details: { option },
    });
    expect(await planloom.schedules()).toEqual([]);
  });

  test("an unknown schedule is refused", async () => {
    await using planloom = new Planloom({ journal: memoryJournal() });
    const none = { code: "PLANLOOM_SCHEDULE_NOT_FOUND" };
    await expect(planloom.pauseSchedule("x")).rejects.toMatchObject(none);
    await expect(planloom.deleteSchedule("constructor")).rejects.toMatchObject(none);
    await expect(planloom.scheduleHistory("x")).rejects.toMatchObject(none);
  });

  test("a plan that cannot be run is refused", async () => {
    await using planloom = new Planloom({ journal: memoryJournal() });
    const broken = { planned_tasks: [{ task_id: "a", tool_id: "none" }] };
    await expect(planloom.schedule(broken, { cron: "0 9 * * *" })).rejects.toMatchObject({
      code: "PLANLOOM_INVALID_PLAN",
    });
  });
});

test("runs that only say that they are of a schedule are not taken up for it", async () => {
  const journal = memoryJournal();
  const schedules = await Schedules.open(journal);
  await schedules.add(plan, { id: "s", cron: "0 9 * * *", metadata: { team: "a" } });
  const planloom = new Planloom({ tools: [], journal });
  for (const [runId, more] of [
    ["own", { team: "a" }],
    ["of-a-server", { via: "server" }],
    ["forked", { forked_from: { run_id: "own", task_id: "w" } }],
  ] as const)
    await planloom.run(plan, {
      runId,
      metadata: { schedule: "s", ...more },
      signal: AbortSignal.abort(new ShutDown()),
    });
  expect((await schedules.cutOff()).map(({ run_id }) => run_id)).toEqual(["own"]);
});

test("a run that was cut off is taken up by the next scheduler, and nothing runs beside it until then", async () => {
  let isFirst = true;
  const begun = Promise.withResolvers<void>();
  const report = defineTool({
    id: "report",
    description: "",
    idempotent: true,
    async execute(_input, { signal }) {
      if (!isFirst) return "done";
      isFirst = false;
      begun.resolve();
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  });
  const journal = await openFile();
  const first = new Planloom({ tools: [report], journal });
  const reporting = { planned_tasks: [{ task_id: "report", tool_id: "report" }] };
  await first.schedule(reporting, { id: "s", cron: "* * * * * *" });
  const scheduling = first.scheduler({ everyMs: 10 });
  await begun.promise;
  await first.close({ drainMs: 0 });
  await scheduling;
  const [cutOff] = await journal.listRuns();
  expect(cutOff!.status).toBe("shut_down");

  const schedules = await Schedules.open(journal);
  const later = Date.now() + 2_000;
  for (const fire of await schedules.claim(later)) expect(await schedules.run(fire, async () => "ran")).toBeUndefined();
  expect((await schedules.history("s")).at(-1)).toMatchObject({ state: "skipped" });
  await schedules.pause("s", true);

  const second = new Planloom({ tools: [report], journal });
  const stop = new AbortController();
  const woken: WokenRun[] = [];
  await second.scheduler({
    everyMs: 10,
    signal: stop.signal,
    onWoken: (run) => {
      woken.push(run);
      stop.abort();
    },
  });
  expect(woken).toMatchObject([{ run_id: cutOff!.run_id, result: { end_reason: "completed" } }]);
});

test("due times that are caught up run one after the other, unless they may run beside one another", async () => {
  let [atOnce, most] = [0, 0];
  const report = defineTool({
    id: "report",
    description: "",
    readOnly: true,
    async execute() {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce--;
    },
  });
  const journal = await openFile();
  const planloom = new Planloom({ tools: [report], journal });
  const reporting = TaskData.parse({ planned_tasks: [{ task_id: "report", tool_id: "report" }] });
  const schedules = await Schedules.open(journal);
  await schedules.add(reporting, { id: "s", cron: "0 * * * *", catchUp: "all" }, Date.now() - 4 * hour);
  const stop = new AbortController();
  let ended = 0;
  await planloom.scheduler({
    everyMs: 10,
    runsAtOnce: 8,
    signal: stop.signal,
    onWoken: () => {
      if (++ended >= 4) stop.abort();
    },
  });
  expect(most).toBe(1);
  const states = (await schedules.history("s")).map(({ state }) => state);
  expect(states).toEqual(["started", "started", "started", "started"]);
});

test("a due time whose run was begun by a process that died at once is started, and not skipped", async () => {
  const journal = await openFile();
  const planloom = new Planloom({ journal });
  const waiting = TaskData.parse({ task_id: "p", planned_tasks: [{ task_id: "w", wait: { event: "e" } }] });
  const schedules = await Schedules.open(journal);
  await schedules.add(waiting, { id: "s", cron: "0 * * * *", catchUp: "all" }, time("2026-01-01T00:30Z"));
  for (const fire of await schedules.claim(time("2026-01-01T02:00Z")))
    await planloom.run(fire.plan, { runId: fire.run_id });
  // Neither was noted; the second would be skipped now, as the first waits.
  for (const fire of await schedules.claim(time("2026-01-01T02:02Z")))
    expect(await schedules.run(fire, async () => "ran")).toBeUndefined();
  expect((await schedules.history("s")).map(({ state }) => state)).toEqual(["started", "started"]);
});

describe("approvals of scheduled runs", () => {
  const pays = defineTool({ id: "pay", description: "Pays", execute: () => "paid" });
  const erases = defineTool({ id: "erase", description: "Erases", destructive: true, execute: () => "erased" });
  const reads = defineTool({ id: "read", description: "Reads", readOnly: true, execute: () => "read" });
  const all = TaskData.parse({
    task_id: "all",
    planned_tasks: ["pay", "erase", "read"].map((id) => ({ task_id: id, tool_id: id })),
  });
  test.each([
    { name: "the schedule allows", schedule: { allow: ["erase"] }, scheduler: {}, instance: {}, asked: [] },
    { name: "the scheduler allows", schedule: {}, scheduler: { allow: ["erase"] }, instance: {}, asked: [] },
    { name: "nobody allows", schedule: {}, scheduler: {}, instance: {}, asked: ["erase"] },
    {
      name: "gates add up",
      schedule: { resources: ["pay"] },
      scheduler: { allow: ["erase"] },
      instance: { resources: ["read"] },
      asked: ["pay", "read"],
    },
    {
      name: "the schedule confirms",
      schedule: { confirm: "writes" as const },
      scheduler: {},
      instance: {},
      asked: ["erase", "pay"],
    },
  ])("$name", async ({ schedule, scheduler, instance, asked }) => {
    await using planloom = new Planloom({ tools: [pays, erases, reads], journal: memoryJournal(), approval: instance });
    await planloom.schedule(all, { cron: "* * * * * *", id: "s", approval: schedule });
    const stop = new AbortController();
    const { promise: woken, resolve } = Promise.withResolvers<WokenRun>();
    const running = planloom.scheduler({ everyMs: 5, approval: scheduler, signal: stop.signal, onWoken: resolve });
    const { run_id } = await woken;
    stop.abort();
    await running;
    const { tasks } = await planloom.runStatus(run_id);
    const waiting = tasks.filter(({ status }) => status === "waiting_approval").map(({ task_id }) => task_id);
    expect(waiting.sort()).toEqual(asked);
  });

  test("what is no approval is said when the schedule is made", async () => {
    await using planloom = new Planloom({ tools: [pays, erases, reads], journal: memoryJournal() });
    for (const approval of [{ alow: ["pay"] }, { allow: "pay" }, { confirm: () => true }, { answers: [] }])
      await expect(planloom.schedule(all, { cron: "* * * * *", approval: approval as never })).rejects.toMatchObject({
        code: "PLANLOOM_OPTION",
      });
  });
});
