import { setTimeout as sleep } from "node:timers/promises";
import { SqliteJournal } from "planloom";
import { expect, test, vi } from "vitest";
import { trials } from "../../support/cases.ts";
import { LimitedProcesses } from "../../support/limited-processes.ts";

const completed = (n: number) => Array<string>(n).fill("completed");
const many = <Value>(n: number, value: Value) => Array<Value>(n).fill(value);
const until = (condition: () => boolean, timeout = 100_000) =>
  vi.waitFor(() => expect(condition()).toBe(true), { timeout, interval: 10 });

test("several processes keep one limit together, use all of it, and share it", { timeout: 240_000 }, async () => {
  await using processes = await LimitedProcesses.make();
  const options = { concurrency: 8, limits: { resources: { work: 3 } } };
  const [count, runs] = trials([4, 4], [3, 2]);
  const all = many(count, 0).map(() => processes.start({ options, runs: many(runs, { tasks: 15 }), callMs: 8 }));
  expect(await Promise.all(all.map(({ ends }) => ends))).toEqual(many(count, completed(runs)));
  await Promise.all(all.map(({ exited }) => exited));
  expect(processes.begun()).toHaveLength(count * runs * 15);
  expect(processes.most()).toBe(3);
});

test("tenants take turns among processes, whatever one of them asks for", { timeout: 240_000 }, async () => {
  await using processes = await LimitedProcesses.make();
  const options = { limits: { resources: { work: 2 } } };
  const tasks = trials(40, 20);
  const flood = many(2, 0).map(() =>
    processes.start({ options, runs: many(10, { tenant: "flood", tasks: 60 }), callMs: 8 }),
  );
  await until(() => processes.begun("flood").length > 20);
  const small = processes.start({ options, runs: [{ tenant: "small", tasks }], callMs: 8 });
  expect(await small.ends).toEqual(completed(1));
  const calls = processes.begun();
  const first = calls.findIndex(({ tenant }) => tenant === "small");
  const last = calls.findLastIndex(({ tenant }) => tenant === "small");
  const during = calls.slice(first, last + 1).filter(({ tenant }) => tenant === "flood").length;
  // A turn each: the flood does not keep the small tenant from its calls, and goes on beside it. Did the small one come first each time, the
  // flood would begin no call but those for which it had a slot by then, two at most. How many more it begins depends on the machine.
  expect(during).toBeLessThanOrEqual(1.5 * tasks);
  expect(during).toBeGreaterThan(2);
  expect(processes.most()).toBe(2);
  for (const { kill } of flood) await kill();
});

const [weight, priority] = [{ weight: 3 }, { priority: 1 }];
test.for([
  ["concurrency", { concurrency: 2 }, trials([weight, priority], [weight])],
  ["the limit of a resource", { limits: { resources: { work: 2 } } }, trials([weight, priority], [priority])],
] as const)(
  "runs of two processes that each fill %s share it as they claim",
  { timeout: 240_000 },
  async ([, options, claims]) => {
    for (const claim of claims) {
      await using processes = await LimitedProcesses.make();
      const pids: Record<string, number> = {};
      const start = (name: string, given: object) => {
        const started = processes.start({ options, runs: [{ tasks: 150, ...given }], callMs: 15 });
        pids[name] = started.child.pid!;
        return started;
      };
      const all = [start("equal", {}), start("claims", claim)];
      expect(await Promise.all(all.map(({ ends }) => ends))).toEqual(many(2, completed(1)));
      const calls = processes.begun();
      const from = Math.max(...Object.values(pids).map((id) => calls.findIndex(({ pid }) => pid === id)));
      const to = Math.min(...Object.values(pids).map((id) => calls.findLastIndex(({ pid }) => pid === id)));
      const both = calls.slice(from + 8, to + 1);
      const share = both.filter(({ pid }) => pid === pids.claims).length / both.length;
      expect(share).toBeGreaterThan(0.65);
      expect(share).toBeLessThan(0.9);
      expect(processes.most()).toBe(2);
    }
  },
);

test("what a killed process held and waited for is free again, and no call too many is made", {
  timeout: 240_000,
}, async () => {
  await using processes = await LimitedProcesses.make();
  const options = { limits: { resources: { work: 3 } } };
  const first = processes.start({ options, runs: many(3, { tasks: 200 }), callMs: 15 });
  await until(() => processes.begun().length >= 6);
  const others = many(2, 0).map(() =>
    processes.start({ options, runs: many(2, { tasks: trials(40, 20) }), callMs: 15 }),
  );
  await until(() => new Set(processes.begun().map(({ pid }) => pid)).size === 3);
  await first.kill();
  expect(await Promise.all(others.map(({ ends }) => ends))).toEqual(many(2, completed(2)));
  expect(processes.most()).toBe(3);
  // All three are used again, by those that are left.
  const killedAt = processes.calls().findLast(({ pid }) => pid === first.child.pid)!.atMs;
  let now = 0;
  let most = 0;
  for (const { what, atMs, pid } of processes.calls()) {
    if (pid === first.child.pid) continue;
    now += what === "b" ? 1 : -1;
    if (atMs > killedAt) most = Math.max(most, now);
  }
  expect(most).toBe(3);
});

test("a stopped process keeps what it holds, so that it makes no call too many when it goes on", {
  timeout: 240_000,
}, async () => {
  await using processes = await LimitedProcesses.make();
  const options = { limits: { resources: { work: 2 } } };
  const stopped = processes.start({ options, runs: many(2, { tasks: 40 }), callMs: 10 });
  await until(() => processes.begun().length >= 6);
  const other = processes.start({ options, runs: many(2, { tasks: 30 }), callMs: 10 });
  await until(() => processes.begun().some(({ pid }) => pid === other.child.pid));
  for (let round = 0; round < trials(3, 1); round++) {
    stopped.child.kill("SIGSTOP");
    // Real time: other processes have to notice that this one is silent.
    await sleep(1_500);
    stopped.child.kill("SIGCONT");
    // Real time: a process that goes on has to get a turn.
    await sleep(100);
  }
  expect(await Promise.all([stopped.ends, other.ends])).toEqual([completed(2), completed(2)]);
  expect(processes.begun()).toHaveLength(140);
  expect(processes.most()).toBe(2);
});

test("a rate holds over processes", { timeout: 240_000 }, async () => {
  await using processes = await LimitedProcesses.make();
  const options = { limits: { rates: { work: { limit: 5, intervalMs: 2_000 } } } };
  const all = many(3, 0).map(() => processes.start({ options, runs: [{ tasks: 5, concurrency: 5 }], callMs: 1 }));
  expect(await Promise.all(all.map(({ ends }) => ends))).toEqual(many(3, completed(1)));
  const times = processes.begun().map(({ atMs }) => atMs);
  expect(times).toHaveLength(15);
  // The observer sees a call after it was let in: a moment, or as long as a busy machine keeps its process waiting.
  for (let at = 5; at < times.length; at++) expect(times[at]! - times[at - 5]!).toBeGreaterThan(1_000);
});

test("a budget is spent once by all processes, also where one dies in the middle of its calls", {
  timeout: 240_000,
}, async () => {
  await using processes = await LimitedProcesses.make();
  const options = { budgets: { total: { calls: 60 } } };
  const killed = processes.start({ options, runs: [{ tasks: 200, concurrency: 4 }], callMs: 30 });
  await until(() => processes.begun().length >= 12);
  await killed.kill();
  const before = processes.begun().length;
  const all = many(3, 0).map(() =>
    processes.start({ options, runs: many(2, { tasks: 15, concurrency: 4 }), callMs: 5 }),
  );
  const ends = (await Promise.all(all.map((each) => each.ends))).flat();
  expect(ends).toContain("budget");
  expect(ends.every((end) => end === "completed" || end === "budget")).toBe(true);
  const calls = processes.begun().length;
  // A call that was let in and not begun when its process died counts, too: nobody knows that it was not.
  expect(calls).toBeLessThanOrEqual(60);
  expect(calls).toBeGreaterThanOrEqual(56);
  const journal = await SqliteJournal.open(processes.journal);
  const store = await journal.openLimits!();
  const account = JSON.parse((await store.read("account:all:"))!) as { spent: { calls: number }; reserved: object };
  expect(account).toMatchObject({ spent: { calls: 60 }, reserved: {} });
  await store.close();
  await journal.close();
  expect(before).toBeLessThan(60);
});

test("runs wait in one queue of all processes, which refuses one more than may wait, and goes on when a process dies", {
  timeout: 240_000,
}, async () => {
  await using processes = await LimitedProcesses.make();
  const options = { maxRuns: 2, maxQueuedRuns: 3 };
  const first = processes.start({ options, runs: many(2, { tasks: 1 }), callMs: 100_000 });
  await until(() => processes.begun().length === 2);
  const journal = await SqliteJournal.open(processes.journal);
  const store = await journal.openLimits!();
  const waiting = processes.start({ options, runs: many(3, { tasks: 2 }), callMs: 5 });
  await vi.waitFor(async () => expect(await store.read("arena")).toContain('"count":3'), { timeout: 100_000 });
  const refused = processes.start({ options, runs: many(2, { tasks: 1 }), callMs: 5 });
  expect(await refused.ends).toEqual(many(2, "RUNTIME_QUEUE_FULL"));
  expect(processes.begun()).toHaveLength(2);
  await first.kill();
  expect(await waiting.ends).toEqual(completed(3));
  await Promise.all([waiting.exited, refused.exited]);
  expect(JSON.parse((await store.read("arena"))!)).toMatchObject({ members: {}, pools: {} });
  await store.close();
  await journal.close();
});
