import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, type Model, memoryJournal, Planloom, type PlanloomOptions, TaskData } from "planloom";
import { describe, expect, test, vi } from "vitest";

const seen = { now: 0, most: 0, calls: 0, callMs: 3 };
const work = defineTool({
  id: "work",
  description: "Does something.",
  readOnly: true,
  async execute(_, { signal }) {
    seen.calls++;
    seen.most = Math.max(seen.most, ++seen.now);
    try {
      await sleep(seen.callMs, undefined, { signal });
    } finally {
      seen.now--;
    }
    return "done";
  },
});
const wired = (options: PlanloomOptions) => {
  Object.assign(seen, { now: 0, most: 0, calls: 0, callMs: 3 });
  return new Planloom({ tools: [work], ...options });
};
const tasks = Array.from({ length: 3 }, (_, at) => ({
  task_id: `t${at}`,
  description: "Work",
  execution_type: "tool",
  tool_id: "work",
  arguments: { at },
}));
const plan = TaskData.parse({ planned_tasks: tasks });
const writes: Model = {
  name: "writes",
  async generate(_, { onDelta } = {}) {
    const text = JSON.stringify(tasks);
    for (let at = 0; at < text.length; at += 40) {
      onDelta?.(text.slice(at, at + 40));
      await sleep(1);
    }
    return { text, toolCalls: [], finishReason: "stop" };
  },
};
const times = <Value>(n: number, make: (at: number) => Value) => Array.from({ length: n }, (_, at) => make(at));

test("limits of an instance hold over all of its runs, through every door", async () => {
  const journal = memoryJournal();
  await using planloom = wired({ journal, model: writes, concurrency: 2, limits: { resources: { work: 1 } } });
  const loop = { planner: () => ["Work"], executor: () => "worked", replanner: () => ({ respond: "ok" }) };
  const first = await planloom.run(plan);
  const all: readonly Promise<{ readonly end_reason: string }>[] = [
    ...times(4, () => planloom.run(plan, { concurrency: 3, limits: { resources: { work: 3 } } })),
    ...times(2, () => planloom.stream(plan).result),
    ...times(2, () => planloom.run(planloom.planStream("work"))),
    ...times(2, () => planloom.fork(first.run_id, "t0", { limits: { resources: { work: 3 } } })),
    planloom.planExecute("work", loop),
  ];
  const ended = (await Promise.all(all)).map(({ end_reason }) => end_reason);
  expect(ended).toEqual([...Array(10).fill("completed"), "responded"]);
  expect(seen.most).toBe(1);
  expect(planloom.limits.load()).toEqual({ calls: 0, queuedCalls: 0, runs: 0, queuedRuns: 0 });
});

test("ten runs against one call at once make one call at once", async () => {
  await using planloom = wired({ concurrency: 1 });
  await Promise.all(times(10, () => planloom.run(plan)));
  expect(seen).toMatchObject({ most: 1, calls: 30 });
});

test("`total` and `resources` are budgets of all runs, `run` is one of each", async () => {
  await using each = wired({ budgets: { run: { calls: 2 } } });
  await Promise.all(times(3, () => each.run(plan)));
  expect(seen.calls).toBe(6);

  for (const budgets of [{ total: { calls: 4 } }, { resources: { work: { calls: 4 } } }]) {
    await using all = wired({ budgets });
    await Promise.all(
      times(3, () => all.run(plan, { budgets: { run: { calls: 100 }, resources: { work: { calls: 50 } } } })),
    );
    expect(seen.calls).toBe(4);
    expect((await all.run(plan)).end_reason).toBe("budget");
  }
});

test("a tenant of the table, any other, and one that a run brings limits for", async () => {
  await using planloom = wired({
    tenants: { big: { concurrency: 3 } },
    eachTenant: { concurrency: 1, budgets: { total: { calls: 4 } } },
  });
  await Promise.all(times(3, () => planloom.run(plan, { tenant: "big" })));
  expect(seen).toMatchObject({ most: 3, calls: 9 });
  Object.assign(seen, { most: 0, calls: 0 });
  await Promise.all(times(3, () => planloom.run(plan, { tenant: "small" })));
  expect(seen).toMatchObject({ most: 1, calls: 4 });
  Object.assign(seen, { most: 0, calls: 0 });
  await Promise.all(times(3, () => planloom.run(plan, { tenant: { key: "big", budgets: { total: { calls: 5 } } } })));
  expect(seen.calls).toBe(5);
});

test("a full queue refuses before anything is planned or kept", async () => {
  const journal = memoryJournal();
  let planned = 0;
  const model: Model = {
    ...writes,
    generate(...given) {
      planned++;
      return writes.generate(...given);
    },
  };
  await using planloom = wired({ journal, model, maxRuns: 1, maxQueuedRuns: 1 });
  const going = times(2, () => planloom.run(plan));
  await sleep(1);
  for (const given of [plan, "work"]) {
    await expect(planloom.run(given)).rejects.toMatchObject({ code: "RUNTIME_QUEUE_FULL", details: { queued: 1 } });
  }
  expect(planned).toBe(0);
  await Promise.all(going);
  expect((await journal.listRuns()).length).toBe(2);
});

test("closing ends what waits, and what goes on", async () => {
  const planloom = wired({ concurrency: 1, maxRuns: 2 });
  const all = times(5, () => planloom.run(plan));
  await sleep(2);
  expect(planloom.limits.load()).toMatchObject({ calls: 1, runs: 2, queuedRuns: 3 });
  await planloom.close();
  expect(new Set((await Promise.all(all)).map(({ end_reason }) => end_reason))).toEqual(new Set(["shut_down"]));
  expect(seen.calls).toBeLessThan(3);
  expect(planloom.limits.load()).toEqual({ calls: 0, queuedCalls: 0, runs: 0, queuedRuns: 0 });
});

test.for([
  [{ maxQueuedRuns: 1 }, "`maxRuns`"],
  [{ tenants: { a: { concurrancy: 1 } } }, "`tenants.a.concurrancy`"],
  [{ budgets: { runs: { calls: 1 } } }, "did you mean `budgets.run`?"],
] as const)("limits that cannot be are refused at once: %o", async ([options, message]) => {
  const make = async () => {
    await using planloom = wired(options as unknown as PlanloomOptions);
    await planloom.run(plan);
  };
  await expect(make()).rejects.toThrow(message);
});

describe("limits of all instances with a journal", () => {
  test("hold over instances, one after the other and at once", async () => {
    const journal = memoryJournal();
    const options: PlanloomOptions = {
      journal,
      limitScope: "journal",
      concurrency: 2,
      budgets: { total: { calls: 20 } },
    };
    await using one = wired(options);
    await using two = wired(options);
    await Promise.all([...times(3, () => one.run(plan)), ...times(3, () => two.run(plan))]);
    expect(seen).toMatchObject({ most: 2, calls: 18 });
    await one.close();
    await using three = wired(options);
    seen.calls = 18;
    expect((await three.run(plan)).end_reason).toBe("budget");
    expect(seen.calls).toBe(20);
  });

  test("one that closes gives back what it holds, and ends what waits in it", async () => {
    const options: PlanloomOptions = { journal: memoryJournal(), limitScope: "journal", concurrency: 1, maxRuns: 2 };
    await using one = wired(options);
    const two = wired(options);
    seen.callMs = 200;
    const first = one.run(plan);
    await vi.waitFor(() => expect(seen.calls).toBe(1));
    const all = times(4, () => two.run(plan));
    await vi.waitFor(() => expect(two.limits.load()).toMatchObject({ runs: 1, queuedRuns: 3, queuedCalls: 1 }));
    await two.close();
    expect(new Set((await Promise.all(all)).map(({ end_reason }) => end_reason))).toEqual(new Set(["shut_down"]));
    expect((await first).end_reason).toBe("completed");
    expect(seen.most).toBe(1);
  });

  test("an aborted run leaves the queue of all instances", async () => {
    const options: PlanloomOptions = { journal: memoryJournal(), limitScope: "journal", maxRuns: 1, maxQueuedRuns: 1 };
    await using one = wired(options);
    await using two = wired(options);
    seen.callMs = 300;
    const first = one.run(plan);
    await vi.waitFor(() => expect(seen.calls).toBe(3));
    const cancel = new AbortController();
    const queued = two.run(plan, { signal: cancel.signal });
    await vi.waitFor(() => expect(two.limits.load().queuedRuns).toBe(1));
    await expect(one.run(plan)).rejects.toMatchObject({
      code: "RUNTIME_QUEUE_FULL",
      details: { queued: 1, running: 1 },
    });
    cancel.abort();
    expect((await queued).end_reason).toBe("cancelled");
    seen.callMs = 3;
    expect((await one.run(plan)).end_reason).toBe("completed");
    await first;
  });

  test.for([
    { name: "no journal", journal: undefined, message: "Expected `journal` where `limitScope` is" },
    {
      name: "a journal that cannot keep limits",
      journal: { ...memoryJournal(), name: "mine", openLimits: undefined } as unknown as PlanloomOptions["journal"],
      message: "The journal mine cannot keep limits over several processes, since it has no `openLimits`.",
    },
    { name: "a database in memory", journal: ":memory:", message: "The journal :memory: cannot keep limits" },
  ])("$name is refused before anything is begun", async ({ journal, message }) => {
    await using planloom = wired({ journal, limitScope: "journal", concurrency: 1 });
    await expect(planloom.run(plan)).rejects.toThrow(message);
    expect(seen.calls).toBe(0);
  });

  test("a scope that there is none of is refused", () => {
    expect(() => wired({ limitScope: "machine" } as unknown as PlanloomOptions)).toThrow(
      'Expected `limitScope` of Planloom to be "instance" or "journal", got "machine" (string).',
    );
  });
});
