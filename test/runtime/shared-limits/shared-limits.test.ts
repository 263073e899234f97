import {
  defineWorkflow,
  fork,
  memoryJournal,
  type RunEvent,
  type RunOptions,
  resume,
  run,
  SharedLimits,
  type SharedLimitsOptions,
  workflowExecutor,
} from "@planloom/runtime";
import { afterEach, describe, expect, test, vi } from "vitest";
import { dsl, group, planOf, sleep, statuses, type ToolHandler, tools } from "../../support/run-plans.ts";

/** Tools `work` and `other` that count themselves; each call lasts until `step` lets it go on, or a few milliseconds. */
function worker({ steps = false }: { steps?: boolean } = {}) {
  const seen = { now: 0, most: 0, calls: [] as string[] };
  const waiting: (() => void)[] = [];
  const handler: ToolHandler = async ({ by }, { signal }) => {
    seen.calls.push(String(by));
    seen.most = Math.max(seen.most, ++seen.now);
    try {
      if (steps) await new Promise<void>((resolve) => waiting.push(resolve));
      else await sleep(2, signal);
    } finally {
      seen.now--;
    }
    return by;
  };
  const step = async () => {
    waiting.shift()?.();
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  return { seen, step, executors: [tools({ work: handler, other: handler })] };
}

/** A plan of `n` independent calls of `tool`, each of which says that it is `by`'s. */
const planFor = (by: string, n = 3, tool = "work") => {
  const ids = Array.from({ length: n }, (_, at) => `t${at}`);
  return planOf(
    Object.fromEntries(ids.map((id) => [id, []])),
    Object.fromEntries(ids.map((id) => [id, { tool_id: tool, arguments: { by } }])),
  );
};

/** Lets calls go on, one after the other, until all have ended. */
async function finish<Value>(step: () => Promise<void>, all: readonly Promise<Value>[]): Promise<Value[]> {
  let ended = false;
  const whole = Promise.all(all).finally(() => {
    ended = true;
  });
  while (!ended) await step();
  return whole;
}

const turns = async (n = 10) => {
  for (let turn = 0; turn < n; turn++) await new Promise((resolve) => setImmediate(resolve));
};

afterEach(() => void vi.useRealTimers());

describe("calls at once", () => {
  const rows: readonly (readonly [string, SharedLimitsOptions, number])[] = [
    ["of all", { concurrency: 2 }, 2],
    ["of a kind", { limits: { kinds: { tool: 3 } } }, 3],
    ["of a resource", { limits: { resources: { work: 1 } } }, 1],
    ["of one tenant", { tenants: { a: { concurrency: 1 } } }, 1],
    ["of each tenant", { eachTenant: { limits: { resources: { work: 2 } } } }, 2],
  ];
  test.for(rows)("%s, over ten runs", async ([, options, limit]) => {
    const { seen, executors } = worker();
    const shared = new SharedLimits(options);
    const all = Array.from({ length: 10 }, () => run(planFor("a"), { executors, shared, tenant: "a" }));
    const ended = await Promise.all(all);
    expect(ended.map(({ end_reason }) => end_reason)).toEqual(Array(10).fill("completed"));
    expect(seen.calls).toHaveLength(30);
    expect(seen.most).toBe(limit);
    expect(shared.load()).toEqual({ calls: 0, queuedCalls: 0, runs: 0, queuedRuns: 0 });
    expect(shared.tenants).toEqual([]);
  });

  test("a run can narrow them, not widen them", async () => {
    const { seen, executors } = worker();
    const shared = new SharedLimits({ concurrency: 3 });
    await run(planFor("a", 6), { executors, shared, concurrency: 20 });
    expect(seen.most).toBe(3);
    seen.most = 0;
    await run(planFor("a", 6), { executors, shared, concurrency: 2 });
    expect(seen.most).toBe(2);
  });

  test("limits that a run brings for its tenant hold for the tenant's other runs", async () => {
    const { seen, executors } = worker();
    const shared = new SharedLimits({});
    const tenant = { key: "a", concurrency: 1 };
    await Promise.all([
      run(planFor("a"), { executors, shared, tenant }),
      run(planFor("a"), { executors, shared, tenant: "a" }),
    ]);
    expect(seen.most).toBe(1);
    seen.most = 0;
    await run(planFor("b"), { executors, shared, tenant: "b" });
    expect(seen.most).toBe(3);
  });

  test("what waits for a limit of one resource does not keep another resource waiting", async () => {
    const { seen, step, executors } = worker({ steps: true });
    const shared = new SharedLimits({ limits: { resources: { work: 1 } } });
    const limits = { resources: { work: 1 } };
    const blocking = run(planFor("a", 2), { executors, shared, limits });
    await turns();
    const both = planOf(
      { w: [], o: [] },
      { w: { tool_id: "work", arguments: { by: "b" } }, o: { tool_id: "other", arguments: { by: "c" } } },
    );
    const other = run(both, { executors, shared, limits });
    await turns();
    expect(seen.calls).toEqual(["a", "c"]);
    // One of each run: since the other contends for slots, the first has its next call ready too.
    expect(shared.load()).toMatchObject({ calls: 2, queuedCalls: 2 });
    await finish(step, [blocking, other]);
  });
});

describe("whose turn it is", () => {
  test("tenants take turns, whatever one of them asks for", async () => {
    const { seen, step, executors } = worker({ steps: true });
    const shared = new SharedLimits({ concurrency: 1 });
    const of = (tenant: string, runs: number) =>
      Array.from({ length: runs }, () => run(planFor(tenant, 4), { executors, shared, tenant }));
    const flood = of("flood", 20);
    await turns();
    const others = [...of("b", 1), ...of("c", 1)];
    await turns();
    while (seen.calls.filter((by) => by !== "flood").length < 8) await step();
    // Each has had a third of the turns since it came.
    expect(seen.calls.length).toBeLessThanOrEqual(14);
    await finish(step, [...flood, ...others]);
  });

  test("a tenant with many tools has no more turns than one with one", async () => {
    const { seen, step, executors } = worker({ steps: true });
    const shared = new SharedLimits({ concurrency: 1 });
    const many = ["work", "other"].map((tool) => run(planFor("many", 8, tool), { executors, shared, tenant: "many" }));
    await turns();
    const one = run(planFor("one", 8), { executors, shared, tenant: "one" });
    await turns();
    for (let at = 0; at < 12; at++) await step();
    const last = seen.calls.slice(-10);
    expect(last.filter((by) => by === "one")).toHaveLength(5);
    await finish(step, [...many, one]);
  });

  test.for([
    // A turn ends after 10 ms; the first call of all was made before anybody waited.
    { callMs: 10, order: "a b a b a b a b a b a b a b a b" },
    { callMs: 1, order: "a b b b b a a a a b b b b a a a" },
    { callMs: 4, order: "a b b b a a a b b b a a a b b a" },
  ])("runs of a tenant take turns of four calls or 10 ms, with calls of $callMs ms", async ({ callMs, order }) => {
    let nowMs = 0;
    const { seen, step, executors } = worker({ steps: true });
    const shared = new SharedLimits({ concurrency: 1 }, () => nowMs);
    const all = ["a", "b"].map((by) => run(planFor(by, 8), { executors, shared, concurrency: 8 }));
    await turns();
    const timed = () => {
      nowMs += callMs;
      return step();
    };
    await finish(timed, all);
    expect(seen.calls.join(" ")).toBe(order);
  });

  test("a run with one call waits for one turn of another with many", async () => {
    const { seen, step, executors } = worker({ steps: true });
    const shared = new SharedLimits({ concurrency: 1 }, () => 0);
    const long = run(planFor("long", 30), { executors, shared, concurrency: 30 });
    await turns();
    const short = run(planFor("short", 1), { executors, shared });
    await turns();
    for (let at = 0; at < 6; at++) await step();
    expect(seen.calls.slice(0, 6)).toContain("short");
    await finish(step, [long, short]);
  });
});

test("rates hold over all runs, in any interval", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const times: number[] = [];
  const executors = [tools({ work: () => void times.push(performance.now()) })];
  const shared = new SharedLimits({ limits: { rates: { work: { limit: 2, intervalMs: 1_000 } } } });
  const all = Promise.all(["a", "b", "c", "d"].map((tenant) => run(planFor(tenant, 2), { executors, shared, tenant })));
  let ended = false;
  void all.then(() => {
    ended = true;
  });
  for (let at = 0; at < 60 && !ended; at++) {
    await turns(3);
    await vi.advanceTimersByTimeAsync(100);
  }
  await all;
  expect(times).toHaveLength(8);
  for (const [at, time] of times.entries()) if (at >= 2) expect(time - times[at - 2]!).toBeGreaterThanOrEqual(1_000);
  expect(times[7]! - times[0]!).toBeLessThan(3_500);
});

test("limits that runs bring for their tenant hold from the first of them on, whatever the next one does", async () => {
  const { seen, executors } = worker();
  const shared = new SharedLimits({});
  const tenant = { key: "customer-7", limits: { resources: { work: 2 } } };
  await run(planFor("a"), { executors, shared, tenant });
  await Promise.all(
    Array.from({ length: 6 }, () => run(planFor("a", 4), { executors, shared, tenant, concurrency: 4 })),
  );
  expect(seen.most).toBe(2);
  // Another run brings others.
  const wider = { key: "customer-7", limits: { kinds: { tool: 3 } } };
  await Promise.all(Array.from({ length: 6 }, () => run(planFor("a", 4), { executors, shared, tenant: wider })));
  expect(seen.most).toBe(3);
});

test("a rate that a run brings for its tenant ends with the next one's limits, and remembers what it let through", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const { seen, executors } = worker();
  const shared = new SharedLimits({ tenants: { a: { budgets: { total: { calls: 100 } } } } });
  const rated = { key: "a", limits: { rates: { work: { limit: 1, intervalMs: 60_000 } } } };
  const play = async (tenant: RunOptions["tenant"], n: number) => {
    const all = run(planFor("a", n), { executors, shared, ...(tenant !== undefined && { tenant }) });
    for (let at = 0; at < 40; at++) {
      await turns(1);
      await vi.advanceTimersByTimeAsync(1);
    }
    return all;
  };
  await play(rated, 1);
  await play({ key: "a", limits: {}, concurrency: 8 }, 3);
  expect(seen.calls).toHaveLength(4);
  const last = run(planFor("a", 1), { executors, shared, tenant: rated });
  await turns(20);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(seen.calls).toHaveLength(4);
  await vi.advanceTimersByTimeAsync(31_000);
  await turns(20);
  await vi.advanceTimersByTimeAsync(10);
  expect((await last).end_reason).toBe("completed");
});

test("a call that a budget refuses takes no permission of a rate: its run ends, and others are not kept waiting", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const began = performance.now();
  const endedMs = new Map<string, number>();
  const executors = [tools({ work: () => "done" })];
  const shared = new SharedLimits({
    limits: { rates: { work: { limit: 2, intervalMs: 1_000 } } },
    tenants: { poor: { budgets: { total: { calls: 1 } } } },
  });
  const all = Promise.all(
    (["poor", "other"] as const).map(async (tenant) => {
      const { end_reason } = await run(planFor(tenant, tenant === "poor" ? 30 : 3), {
        executors,
        shared,
        tenant,
        concurrency: 30,
      });
      endedMs.set(tenant, performance.now() - began);
      return end_reason;
    }),
  );
  for (let at = 0; at < 200 && endedMs.size < 2; at++) {
    await turns(3);
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(await all).toEqual(["budget", "completed"]);
  // Of four calls that are made two have to wait; all those that are refused are so when a permission is free next.
  expect(endedMs.get("other")).toBeLessThan(1_300);
  expect(endedMs.get("poor")).toBeLessThan(2_300);
});

describe("budgets", () => {
  test("of all, of a resource, of a tenant: no call more than there is", async () => {
    const rows: readonly (readonly [SharedLimitsOptions, number])[] = [
      [{ budgets: { total: { calls: 7 } } }, 7],
      [{ budgets: { resources: { work: { calls: 5 } } } }, 5],
      [{ tenants: { a: { budgets: { total: { calls: 4 } } } } }, 4],
    ];
    for (const [options, calls] of rows) {
      const { seen, executors } = worker();
      const shared = new SharedLimits(options);
      const ended = await Promise.all(
        Array.from({ length: 6 }, () => run(planFor("a"), { executors, shared, tenant: "a" })),
      );
      expect(seen.calls).toHaveLength(calls);
      expect(ended.some(({ end_reason }) => end_reason === "budget")).toBe(true);
      // What is spent is spent, also for runs to come.
      expect((await run(planFor("a"), { executors, shared, tenant: "a" })).end_reason).toBe("budget");
      expect(seen.calls).toHaveLength(calls);
    }
  });

  test("a window gives it back, and a refusal says when", async () => {
    const { seen, executors } = worker();
    let now = 5;
    const shared = new SharedLimits({ budgets: { total: { calls: 2, perMs: 1_000 } } }, () => now);
    const first = await run(planFor("a"), { executors, shared });
    expect(seen.calls).toHaveLength(2);
    const refused = first.results.find(({ error }) => error?.code === "TASK_BUDGET");
    expect(refused?.error?.details).toMatchObject({ budget: "all runs", unit: "calls", limit: 2, resets_in_ms: 1_000 });
    now += 999;
    expect((await run(planFor("a"), { executors, shared })).end_reason).toBe("budget");
    now += 1;
    await run(planFor("a"), { executors, shared });
    expect(seen.calls).toHaveLength(4);
  });

  test("limits that a run brings do not forget what its tenant has spent", async () => {
    const { seen, executors } = worker();
    const shared = new SharedLimits({});
    const of = (calls: number) => ({ key: "a", budgets: { total: { calls } } });
    await run(planFor("a"), { executors, shared, tenant: of(2) });
    await run(planFor("a"), { executors, shared, tenant: of(3) });
    expect(seen.calls).toHaveLength(3);
  });
});

describe("runs at once", () => {
  test("one more than may go on waits, and one more than may wait is refused with the figures", async () => {
    const { seen, step, executors } = worker({ steps: true });
    const journal = memoryJournal();
    const shared = new SharedLimits({ maxRuns: 1, maxQueuedRuns: 2 });
    const going = Array.from({ length: 3 }, (_, at) => run(planFor(`${at}`, 1), { executors, shared, journal }));
    await turns();
    expect(shared.load()).toMatchObject({ runs: 1, queuedRuns: 2 });
    const refused = run(planFor("x", 1), { executors, shared, journal, runId: "refused", tenant: "t" });
    await expect(refused).rejects.toMatchObject({
      code: "RUNTIME_QUEUE_FULL",
      message: expect.stringContaining("2 runs wait already and at most 2 may (`maxQueuedRuns` of all runs)"),
      details: { scope: "all runs", tenant: "t", queued: 2, max_queued_runs: 2, running: 1, max_runs: 1 },
    });
    await expect(journal.getRun("refused")).rejects.toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND" });
    await finish(step, going);
    expect(seen).toMatchObject({ most: 1, calls: ["0", "1", "2"] });
    expect(shared.load()).toMatchObject({ runs: 0, queuedRuns: 0 });
  });

  test("`maxQueuedRuns` beside `concurrency` is enough; a bound of one tenant leaves the others alone", async () => {
    const { step, executors } = worker({ steps: true });
    const shared = new SharedLimits({
      concurrency: 1,
      maxQueuedRuns: 50,
      eachTenant: { maxRuns: 1, maxQueuedRuns: 1 },
    });
    const a = run(planFor("a", 1), { executors, shared, tenant: "a" });
    const queued = run(planFor("a", 1), { executors, shared, tenant: "a" });
    await expect(run(planFor("a", 1), { executors, shared, tenant: "a" })).rejects.toMatchObject({
      code: "RUNTIME_QUEUE_FULL",
      details: { scope: 'tenant "a"' },
    });
    const b = run(planFor("b", 1), { executors, shared, tenant: "b" });
    expect((await finish(step, [a, queued, b])).map(({ end_reason }) => end_reason)).toEqual(
      Array(3).fill("completed"),
    );
  });

  test("tenants take turns there too, and a run that is cancelled in the queue makes no call", async () => {
    const { seen, step, executors } = worker({ steps: true });
    const shared = new SharedLimits({ maxRuns: 1 });
    const cancel = new AbortController();
    const all = [
      ...Array.from({ length: 5 }, () => run(planFor("a", 1), { executors, shared, tenant: "a" })),
      run(planFor("gone", 1), { executors, shared, tenant: "a", signal: cancel.signal }),
      run(planFor("b", 1), { executors, shared, tenant: "b" }),
    ];
    await turns();
    cancel.abort();
    expect((await all[5]!).end_reason).toBe("cancelled");
    await finish(step, all);
    expect(seen.calls.indexOf("b")).toBeLessThanOrEqual(2);
    expect(seen.calls).not.toContain("gone");
    expect(shared.load()).toMatchObject({ runs: 0, queuedRuns: 0 });
  });
});

describe("what is given back", () => {
  test("a run that is cancelled gives its slots and its places back", async () => {
    const { seen, executors } = worker();
    const shared = new SharedLimits({ concurrency: 2 });
    const cancel = new AbortController();
    const hanging = [tools({ work: (_, { signal }) => sleep(60_000, signal) })];
    const cancelled = [1, 2].map(() =>
      run(planFor("x", 4), { executors: hanging, shared, signal: cancel.signal, concurrency: 4 }),
    );
    await turns();
    expect(shared.load()).toMatchObject({ calls: 2, queuedCalls: 6 });
    const other = run(planFor("a"), { executors, shared });
    await turns();
    expect(seen.calls).toEqual([]);
    cancel.abort();
    const ended = await Promise.all(cancelled);
    expect(ended.map(({ end_reason }) => end_reason)).toEqual(["cancelled", "cancelled"]);
    expect((await other).end_reason).toBe("completed");
    expect(shared.load()).toMatchObject({ calls: 0, queuedCalls: 0 });
  });

  test("a drain lets what runs end, and what waits start no more", async () => {
    const { seen, step, executors } = worker({ steps: true });
    const shared = new SharedLimits({ concurrency: 1 });
    const drain = new AbortController();
    const drained = run(planFor("a"), { executors, shared, drain: drain.signal });
    await turns();
    drain.abort();
    await step();
    expect((await drained).end_reason).toBe("drained");
    expect(seen.calls).toHaveLength(1);
    expect(shared.load()).toMatchObject({ calls: 0, queuedCalls: 0 });
  });

  test("an attempt that ignores its signal keeps its slot until it has ended", async () => {
    const { seen, executors } = worker();
    const shared = new SharedLimits({ concurrency: 1 });
    const { promise, resolve } = Promise.withResolvers<void>();
    const deaf = [tools({ work: () => promise })];
    const abandoned = await run(planFor("x", 1), { executors: deaf, shared, taskTimeoutMs: 5, abortGraceMs: 5 });
    expect(abandoned.end_reason).toBe("failed");
    const other = run(planFor("a", 1), { executors, shared });
    await turns();
    expect(seen.calls).toEqual([]);
    expect(shared.load()).toMatchObject({ calls: 1, queuedCalls: 1 });
    resolve();
    expect((await other).end_reason).toBe("completed");
    expect(shared.load()).toMatchObject({ calls: 0 });
  });

  test("whoever waits for nothing but such attempts gets an error after a while", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { executors } = worker();
    const shared = new SharedLimits({ concurrency: 1 });
    const deaf = [tools({ work: () => new Promise(() => {}) })];
    const limits = { taskTimeoutMs: 5, abortGraceMs: 5 };
    const abandoned = run(planFor("x", 1), { executors: deaf, shared, ...limits });
    await turns();
    await vi.advanceTimersByTimeAsync(50);
    await abandoned;
    const other = run(planFor("a", 1), { executors, shared, ...limits });
    await turns();
    await vi.advanceTimersByTimeAsync(20_000);
    const { end_reason, results } = await other;
    expect(end_reason).toBe("stalled");
    expect(results[0]?.error).toMatchObject({ code: "TASK_STALLED", details: { limit: "concurrency", slots: 1 } });
    const third = await run(planFor("b", 1), { executors, shared, ...limits });
    expect(third.end_reason).toBe("stalled");
  });

  test("a task at a gate holds no slot", async () => {
    const { seen, executors } = worker();
    const shared = new SharedLimits({ concurrency: 1 });
    const gated = planOf({ g: [] }, { g: { tool_id: "work", approval: "required", arguments: { by: "g" } } });
    expect((await run(gated, { executors, shared })).end_reason).toBe("waiting_approval");
    expect((await run(planFor("a"), { executors, shared })).end_reason).toBe("completed");
    expect(seen.calls).toHaveLength(3);
  });

  test("a task with a nested plan lends its slot to it", async () => {
    const { seen, executors } = worker();
    const flow = defineWorkflow({ id: "flow", description: "", plan: planFor("n") });
    const shared = new SharedLimits({ concurrency: 1 });
    const both = await Promise.all(
      [1, 2].map(() =>
        run(planOf({ f: [] }, { f: dsl("flow") }), { executors: [...executors, workflowExecutor([flow])], shared }),
      ),
    );
    expect(both.map(({ end_reason }) => end_reason)).toEqual(["completed", "completed"]);
    expect(seen).toMatchObject({ most: 1, now: 0 });
    expect(seen.calls).toHaveLength(6);
  });

  test("a tool that begins a run under the same limits does not wait for itself", async () => {
    const { seen, executors } = worker();
    const shared = new SharedLimits({ concurrency: 1, maxRuns: 1 });
    const outer = [tools({ work: async () => (await run(planFor("inner"), { executors, shared })).end_reason })];
    const ended = await Promise.all([1, 2].map(() => run(planFor("outer", 2), { executors: outer, shared })));
    expect(ended.map(({ end_reason }) => end_reason)).toEqual(["completed", "completed"]);
    expect(ended[0]!.output_data).toEqual({ t0: "completed", t1: "completed" });
    expect(seen).toMatchObject({ most: 1, now: 0 });
    expect(shared.load()).toEqual({ calls: 0, queuedCalls: 0, runs: 0, queuedRuns: 0 });
  });
});

test.for([
  [{ priority: "high" }, "`priority`", '"high"'],
  [{ priority: Number.POSITIVE_INFINITY }, "`priority`", "Infinity"],
  [{ weight: 0 }, "`weight`", "0"],
  [{ weight: Number.POSITIVE_INFINITY }, "`weight`", "Infinity"],
  [{ deadline: "tomorrow" }, "`deadline`", '"tomorrow"'],
  [{ deadline: "2026-12-01 09:00" }, "`deadline`", "2026-12-01 09:00"],
  [{ deadline: 1e300 }, "`deadline`", "1e.300"],
  [{ deadline: Number.POSITIVE_INFINITY }, "`deadline`", "Infinity"],
  [{ deadline: null }, "`deadline`", "null"],
] as const)("%j is refused with what was expected and what came", async ([options, name, got]) => {
  const { executors } = worker();
  const refused = run(planFor("a", 1), { executors, ...options } as never);
  await expect(refused).rejects.toMatchObject({ code: "RUNTIME_INVALID_OPTION" });
  await expect(refused).rejects.toThrow(new RegExp(`${name}[^]*${got}`));
});

describe("all doors", () => {
  test("resume and fork count for the tenant that the run was begun for", async () => {
    const journal = memoryJournal();
    const { seen, executors } = worker();
    const shared = new SharedLimits({ eachTenant: { budgets: { total: { calls: 4 } } } });
    const first = await run(planFor("a", 3), { executors, shared, journal, tenant: "a" });
    expect(first.end_reason).toBe("completed");
    const forked = await fork(first.run_id, "t0", { executors, shared, journal });
    expect(forked.end_reason).toBe("completed");
    const again = await fork(first.run_id, "t0", { executors, shared, journal });
    expect(again.end_reason).toBe("budget");
    expect((await resume(again.run_id, { executors, shared, journal })).end_reason).toBe("budget");
    expect((await resume(again.run_id, { executors, shared, journal, tenant: "b" })).end_reason).toBe("completed");
    expect(seen.calls).toHaveLength(5);
  });

  test("resume and fork have the priority, weight and deadline that the run was begun with, unless they are given others", async () => {
    const journal = memoryJournal();
    const { seen, step, executors } = worker({ steps: true });
    const shared = new SharedLimits({ concurrency: 1 });
    const claim = { priority: 5, weight: 2, deadline: new Date("2026-12-01T09:00:00Z") };
    const beginning = run(planFor("urgent", 2), { executors, shared, journal, runId: "urgent", ...claim });
    await turns();
    await step();
    await step();
    await beginning;
    expect((await journal.getRun("urgent"))?.options).toMatchObject({
      priority: 5,
      weight: 2,
      deadline: "2026-12-01T09:00:00.000Z",
    });
    for (const [again, order] of [
      [() => fork("urgent", "t0", { executors, shared, journal, runId: "fork" }), "plain urgent plain plain"],
      [() => fork("urgent", "t0", { executors, shared, journal, priority: -1 }), "plain plain plain urgent"],
    ] as const) {
      seen.calls.length = 0;
      const plain = run(planFor("plain", 3), { executors, shared });
      await turns();
      const forked = again();
      await turns();
      await finish(step, [plain, forked]);
      expect(seen.calls.join(" ")).toBe(order);
    }
    expect((await journal.getRun("fork"))?.options).toMatchObject({ priority: 5, weight: 2 });
  });

  test("subgraphs that go whole are in the order of their run's claim", async () => {
    const { seen, step, executors } = worker({ steps: true });
    const shared = new SharedLimits({ concurrency: 1 });
    const whole = (by: string, priority: number) => {
      const plan = planFor(by, 2);
      const subgraphs = group(plan, { one: ["t0", "t1"] });
      return run(plan, { executors, shared, semantics: "atomic", subgraphs, priority });
    };
    const all = [whole("a", 0)];
    await turns();
    all.push(whole("b", 0), whole("c", 1));
    await turns();
    await finish(step, all);
    expect(seen.calls.slice(0, 2).join(" ")).toBe("a c");
  });

  test("what earlier sessions of a run spent is not booked twice", async () => {
    const journal = memoryJournal();
    let fails = true;
    const executors = [
      tools({
        work: ({ by }) => {
          if (fails) throw new Error("not yet");
          return by;
        },
      }),
    ];
    const shared = new SharedLimits({ budgets: { total: { calls: 2 } } });
    const first = await run(planFor("a", 1), { executors, shared, journal });
    expect(first.end_reason).toBe("failed");
    fails = false;
    expect((await resume(first.run_id, { executors, shared, journal })).end_reason).toBe("completed");
  });

  test("subgraphs that go whole", async () => {
    const { seen, executors } = worker();
    const shared = new SharedLimits({ concurrency: 1 });
    const all = [1, 2, 3].map(() => {
      const plan = planFor("a", 4);
      const subgraphs = group(plan, { one: ["t0", "t1"], two: ["t2", "t3"] });
      return run(plan, { executors, shared, semantics: "atomic", subgraphs });
    });
    for (const result of await Promise.all(all)) expect(statuses(result).t3).toBe("completed");
    expect(seen).toMatchObject({ most: 1, now: 0 });
    expect(seen.calls).toHaveLength(12);
  });

  test("events and results are those of runs without shared limits", async () => {
    const { executors } = worker();
    const types: string[] = [];
    const onEvent = ({ type }: RunEvent) => void types.push(type);
    const shared = new SharedLimits({ concurrency: 1 });
    await run(planFor("a", 2), { executors, shared, onEvent });
    expect(types).toEqual(["run-start", "task-start", "task-end", "task-start", "task-end", "run-end"]);
  });
});

test.for([
  [{ shared: { concurrency: 1 } }, "Expected `shared` of a run to be"],
  [{ tenant: "a" }, "Expected `tenant` to be given only with `shared`"],
  [{ shared: new SharedLimits({}), tenant: "" }, "Expected `tenant` of a run to be a text that is not empty"],
  [
    { shared: new SharedLimits({}), tenant: { key: "a", limit: 1 } },
    "Unknown option `tenant.limit` of a run: did you mean `tenant.limits`?",
  ],
  [
    { shared: new SharedLimits({}), tenant: { key: "a", concurrency: 0 } },
    "Expected `tenant.concurrency` of a run to be",
  ],
  [
    { shared: new SharedLimits({ limits: { resources: { wrok: 1 } } }) },
    'got "wrok", which is unknown; perhaps "work"',
  ],
] as const)("a run that shares nothing it could mean is refused: %o", async ([options, message]) => {
  const { executors } = worker();
  const given = { executors, ...options } as unknown as RunOptions;
  await expect(run(planFor("a"), given)).rejects.toThrow(message);
});

test.for([
  [{ concurrency: 0 }, "`concurrency`"],
  [{ maxQueuedRuns: 5 }, "`maxRuns`"],
  [{ maxRuns: 1, maxQueuedRuns: -1 }, "`maxQueuedRuns`"],
  [
    { budgets: { run: { calls: 1 } } },
    "Unknown option `budgets.run` of `SharedLimits`; the options are total, resources.",
  ],
  [{ budgets: { total: { calls: -1 } } }, "`budgets.total.calls`"],
  [{ budgets: { total: { calls: 1, perMs: 0 } } }, "`budgets.total.perMs`"],
  [{ limits: { rates: { work: { limit: 0, intervalMs: 1 } } } }, "`limits.rates.work.limit`"],
  [{ tenants: { a: { concurrency: 0 } } }, "`tenants.a.concurrency`"],
  [{ tenants: { a: 1 } }, "`tenants.a`"],
  [{ eachTenant: { limits: { resource: {} } } }, "`eachTenant.limits.resource`"],
  [{ concurency: 1 }, "Unknown option `concurency` of `SharedLimits`: did you mean `concurrency`?"],
] as const)("options that cannot be are refused: %o", ([options, message]) => {
  expect(() => new SharedLimits(options as unknown as SharedLimitsOptions)).toThrow(message);
});
