import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, type Model, memoryJournal, Planloom, type PlanloomOptions, TaskData } from "planloom";
import { expect, test } from "vitest";

const seen = { now: 0, most: 0, calls: 0 };
const work = defineTool({
  id: "work",
  description: "Does something.",
  readOnly: true,
  async execute(_, { signal }) {
    seen.calls++;
    seen.most = Math.max(seen.most, ++seen.now);
    try {
      await sleep(3, undefined, { signal });
    } finally {
      seen.now--;
    }
    return "done";
  },
});
const wired = (options: PlanloomOptions) => {
  Object.assign(seen, { now: 0, most: 0, calls: 0 });
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
  [{ tenants: { a: { concurrancy: 1 } } }, "`tenants.a`"],
  [{ budgets: { runs: { calls: 1 } } }, "`budgets`"],
] as const)("limits that cannot be are refused at once: %o", async ([options, message]) => {
  const make = async () => {
    await using planloom = wired(options as unknown as PlanloomOptions);
    await planloom.run(plan);
  };
  await expect(make()).rejects.toThrow(message);
});
