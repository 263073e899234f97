import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PlannerTaskInput } from "@planloom/plan";
import {
  childProcessDispatcher,
  memoryJournal,
  type RunOptions,
  resume,
  run,
  SharedLimits,
  verifyRun,
} from "@planloom/runtime";
import { afterAll, expect, test as sequential, vi } from "vitest";
import { executors as makeExecutors } from "../support/dispatch-worker.ts";
import { isAlive } from "../support/is-alive.ts";
import { dsl, group, planOf, recorder, statuses } from "../support/run-plans.ts";

// They wait for limits, most of the time.
const test = sequential.concurrent;

const executors = await makeExecutors();
const dispatcher = childProcessDispatcher({ module: new URL("../support/dispatch-worker.ts", import.meta.url) });
afterAll(() => dispatcher.close());

/** A call that never yields. What else its limit holds for may take long on a busy machine, so the limit is its own. */
const busy = (more: PlannerTaskInput = {}): PlannerTaskInput => ({ tool_id: "busy", timeout_ms: 400, ...more });
const deaf = (file: string, times: number, more: PlannerTaskInput = {}): PlannerTaskInput => ({
  tool_id: "deaf",
  arguments: { file, times },
  ...more,
});
const clock: PlannerTaskInput = { tool_id: "clock" };
const limited = (
  parts: Parameters<typeof group>[1],
  of: Parameters<typeof group>[0],
  more: Partial<RunOptions> = {},
) => ({
  executors,
  semantics: "atomic" as const,
  subgraphs: group(of, parts),
  dispatcher,
  // Half of it goes by before a process is ended, which then has the other half to be gone.
  abortGraceMs: 3_000,
  ...more,
});

test("a call that never yields is ended after its limit; the rest of its subgraph goes on in another worker", async () => {
  const plan = planOf(
    { a: [], stuck: ["a"], after: ["stuck"], b: ["a"] },
    { a: clock, stuck: busy(), after: clock, b: clock },
  );
  const journal = memoryJournal();
  const result = await run(plan, limited({ one: ["a", "stuck", "after", "b"] }, plan, { journal, runId: "r" }));
  expect(statuses(result)).toEqual({ a: "completed", stuck: "failed", after: "skipped", b: "completed" });
  const [a, stuck, , b] = result.results;
  expect(stuck).toMatchObject({ attempts: 1, error: { code: "TASK_TIMEOUT", details: { timeout_ms: 400 } } });
  expect(stuck!.duration_ms).toBeGreaterThanOrEqual(400);
  expect((b!.output as { pid: number }).pid).not.toBe((a!.output as { pid: number }).pid);
  expect(result.usage.attempts).toBe(3);
  expect((await verifyRun(journal, "r")).problems).toEqual([]);
  // Nobody knows what the call that was ended has done: it is not repeated without a yes.
  const again = await resume("r", { executors, journal, dispatcher });
  expect(again.end_reason).toBe("waiting_approval");
  expect(again.results[1]).toMatchObject({
    status: "waiting_approval",
    error: { details: { begun: { uid: "busy" } } },
  });
});

test("its retries are those of its policy, and its attempts are counted through", async () => {
  const retry = { max_attempts: 3, initial_delay_ms: 1 };
  const plan = planOf(
    { a: [], stuck: ["a"] },
    { a: clock, stuck: busy({ arguments: { times: 2 }, retry, timeout_ms: 1_500 }) },
  );
  const journal = memoryJournal();
  const { events, onEvent } = recorder();
  const result = await run(
    plan,
    // The last attempt must come through on a busy machine, too.
    limited({ one: ["a", "stuck"] }, plan, { journal, runId: "r", onEvent, maxAttempts: 3 }),
  );
  expect(statuses(result)).toEqual({ a: "completed", stuck: "completed" });
  expect(result.results[1]).toMatchObject({ attempts: 3, output: { attempt: 3 } });
  expect(result.results[1]!.duration_ms).toBeGreaterThanOrEqual(3_000);
  const reported = events.flatMap((event) => ("taskId" in event && event.taskId === "stuck" ? [event.type] : []));
  expect(reported).toEqual(["task-start", "task-retry", "task-start", "task-retry", "task-start", "task-end"]);
  expect(result.usage.attempts).toBe(4);
  expect((await verifyRun(journal, "r")).problems).toEqual([]);
});

test("the limit of all attempts, of silence and of a task of its own reach it too", async () => {
  const hangs: PlannerTaskInput = { tool_id: "busy" };
  for (const [more, task, limit] of [
    [{ taskTimeoutMs: Number.POSITIVE_INFINITY, totalTimeoutMs: 300 }, hangs, "total"],
    [{ taskTimeoutMs: Number.POSITIVE_INFINITY, idleTimeoutMs: 300 }, hangs, "idle"],
    [{ taskTimeoutMs: 60_000 }, busy({ timeout_ms: 300 }), undefined],
  ] as const) {
    const plan = planOf({ stuck: [] }, { stuck: task });
    const result = await run(plan, limited({ one: ["stuck"] }, plan, more));
    expect(result.results[0]).toMatchObject({
      status: "failed",
      error: { code: "TASK_TIMEOUT", details: { timeout_ms: 300 } },
    });
    expect(result.results[0]!.error!.details!.limit).toBe(limit);
  }
});

test("a call within a workflow that hangs ends the workflow's task, which is not begun again by itself", async () => {
  const plan = planOf(
    { w: [], b: [] },
    { w: { ...dsl("stuck"), retry: { max_attempts: 3, initial_delay_ms: 1 } }, b: clock },
  );
  const journal = memoryJournal();
  const result = await run(plan, limited({ one: ["w", "b"] }, plan, { journal, runId: "r", taskTimeoutMs: 2_000 }));
  expect(statuses(result)).toEqual({ w: "failed", b: "completed" });
  expect(result.results[0]).toMatchObject({ attempts: 1, error: { code: "TASK_TIMEOUT" } });
  expect(result.results[0]!.error!.message).toContain('It hung in a call of "busy" for its task "loop".');
  const again = await resume("r", { executors, journal, dispatcher });
  expect(again.end_reason).toBe("waiting_approval");
});

test.for([
  { name: "while it loads its module", HANG: "load", unresponsiveMs: 1_000, says: "could not load" },
  {
    name: "before its first call",
    HANG: "estimate",
    unresponsiveMs: 8_000,
    says: "gave no sign of life for 8000 ms between calls",
  },
])("a worker that hangs $name is ended", async ({ HANG, unresponsiveMs, says }) => {
  await using hung = childProcessDispatcher({
    module: new URL("../support/hung-worker.ts", import.meta.url),
    env: { HANG },
    unresponsiveMs,
  });
  const plan = planOf({ a: [] }, { a: { tool_id: "work" } });
  const { results } = await run(plan, limited({ one: ["a"] }, plan, { dispatcher: hung }));
  expect(results[0]).toMatchObject({ status: "failed", error: { code: "TASK_DISPATCH" } });
  expect(results[0]!.error!.message).toContain(says);
});

const onFile = async (work: (file: string) => Promise<void>) => {
  const folder = await mkdtemp(join(tmpdir(), "planloom-deaf-"));
  await work(join(folder, "pids")).finally(() => rm(folder, { recursive: true, force: true }));
};

test("a call that ignores its signal keeps its slot until its process is gone; the rest of its subgraph goes on elsewhere", () =>
  onFile(async (file) => {
    const plan = planOf(
      { a: [], after: ["a"], rest: [], b: [] },
      {
        a: deaf(file, 9, { timeout_ms: 400 }),
        after: clock,
        rest: clock,
        b: deaf(file, 0),
      },
    );
    const journal = memoryJournal();
    const options = {
      limits: { resources: { deaf: 1 } },
      concurrency: 2,
      journal,
      runId: "r",
      retry: { max_attempts: 1 },
    };
    const result = await run(plan, limited({ one: ["a", "after", "rest"], two: ["b"] }, plan, options));
    expect(statuses(result)).toEqual({ a: "failed", after: "skipped", rest: "completed", b: "completed" });
    expect(result.results[3]!.output).toMatchObject({ alive: [] });
    expect(result.results[0]!.error).toMatchObject({ code: "TASK_TIMEOUT", details: { timeout_ms: 400 } });
    expect(result.usage.attempts).toBe(3);
    expect((await verifyRun(journal, "r")).problems).toEqual([]);
  }));

test("its next attempt is made in another process, once the first is gone", () =>
  onFile(async (file) => {
    const retry = { max_attempts: 2, initial_delay_ms: 1 };
    const plan = planOf({ a: [] }, { a: deaf(file, 1, { retry, timeout_ms: 2_000 }) });
    const result = await run(plan, limited({ one: ["a"] }, plan, { limits: { resources: { deaf: 1 } } }));
    expect(result.results[0]).toMatchObject({ status: "completed", attempts: 2, output: { alive: [], attempt: 2 } });
  }));

test("one that ignores that its budget is used up is skipped for it, and its process is ended", () =>
  onFile(async (file) => {
    const plan = planOf({ a: [] }, { a: deaf(file, 9) });
    const budgets = { run: { seconds: 0.3 } };
    const result = await run(plan, limited({ one: ["a"] }, plan, { budgets }));
    expect(result.end_reason).toBe("budget");
    expect(result.results[0]).toMatchObject({ status: "skipped", error: { code: "TASK_BUDGET" } });
    expect(isAlive(Number(await readFile(file, "utf8")))).toBe(false);
  }));

test("a cancelled run has settled only when the process of such a call is gone", () =>
  onFile(async (file) => {
    const plan = planOf({ a: [] }, { a: deaf(file, 9) });
    const stop = new AbortController();
    const shared = new SharedLimits({ limits: { resources: { deaf: 1 } } });
    const options = { shared, signal: stop.signal, abortGraceMs: 1_000 };
    const running = run(plan, limited({ one: ["a"] }, plan, options));
    await vi.waitUntil(() => existsSync(file), 60_000);
    stop.abort();
    const next = run(planOf({ b: [] }, { b: deaf(file, 0) }), { executors, shared });
    expect((await running).end_reason).toBe("cancelled");
    expect((await next).results[0]!.output).toMatchObject({ alive: [] });
  }));

test("a worker that has 24 days and more to stop is not ended at once", async () => {
  const look = planOf({ a: [] }, { a: clock });
  const pidOf = async () => {
    const { results } = await run(look, limited({ one: ["a"] }, look, { dispatcher: own }));
    return (results[0]!.output as { pid: number }).pid;
  };
  const own = childProcessDispatcher({ module: new URL("../support/dispatch-worker.ts", import.meta.url) });
  const before = await pidOf();
  const stop = new AbortController();
  const plan = planOf({ a: [] }, { a: { tool_id: "work", arguments: { ms: 60_000 } } });
  const onEvent = ({ type }: { type: string }) => {
    if (type === "task-start") stop.abort();
  };
  const options = { dispatcher: own, signal: stop.signal, onEvent, abortGraceMs: 2 ** 33 };
  expect((await run(plan, limited({ one: ["a"] }, plan, options))).end_reason).toBe("cancelled");
  expect(await pidOf()).toBe(before);
  await own.close();
});

test("a run is cancelled at once while it waits for the next attempt of a task that hung", async () => {
  const retry = { max_attempts: 2, initial_delay_ms: 60_000, max_delay_ms: 60_000 };
  const plan = planOf({ stuck: [] }, { stuck: busy({ retry }) });
  const stop = new AbortController();
  const onEvent = ({ type }: { type: string }) => {
    if (type === "task-retry") stop.abort();
  };
  const stopped = run(plan, limited({ one: ["stuck"] }, plan, { signal: stop.signal, onEvent, maxAttempts: 2 }));
  await new Promise((resolve) => stop.signal.addEventListener("abort", resolve));
  const began = performance.now();
  const result = await stopped;
  // The next attempt would be made after at least 30 s.
  expect(performance.now() - began).toBeLessThan(15_000);
  expect(result).toMatchObject({ end_reason: "cancelled", results: [{ status: "cancelled" }] });
});

test.for([{ unresponsiveMs: 0 }, { unresponsiveMs: Number.POSITIVE_INFINITY }, { unresponsiveMs: "1" }])(
  "the limit $unresponsiveMs is refused",
  (wrong) => {
    const options = { module: "/m.ts", ...wrong } as Parameters<typeof childProcessDispatcher>[0];
    expect(() => childProcessDispatcher(options)).toThrow(/Expected `unresponsiveMs` to be/);
  },
);
