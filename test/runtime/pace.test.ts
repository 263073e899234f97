import { run } from "@planloom/runtime";
import { expect, test, vi } from "vitest";
import { notingTools, planOf, sleep } from "../support/run-plans.ts";

const ids = ["a", "b", "c", "d", "e", "f"];
const plan = planOf(Object.fromEntries(ids.map((id, at) => [id, at === 0 ? [] : [ids[at - 1]!]])));

test("a pace that never lets go is waited for once, not before every attempt", async () => {
  const asked: number[] = [];
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const { executors } = notingTools(ids);
  const since = performance.now();
  const result = await run(plan, {
    executors,
    paceTimeoutMs: 80,
    pace: () => {
      asked.push(1);
      return new Promise(() => {});
    },
  });
  expect(result.end_reason).toBe("completed");
  expect(asked).toHaveLength(1);
  expect(performance.now() - since).toBeLessThan(80 * ids.length);
  expect(String(warned.mock.calls)).toContain("has not settled within 80 ms (paceTimeoutMs)");
  warned.mockRestore();
});

test("a slow pace within its limit is asked before each attempt", async () => {
  let asked = 0;
  const { executors } = notingTools(ids);
  await run(plan, { executors, paceTimeoutMs: 5_000, pace: () => sleep(5).then(() => asked++) });
  expect(asked).toBe(ids.length);
});

test("a run that is aborted while it is paced leaves no timer that keeps the process alive", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const abort = new AbortController();
    const { executors, calls } = notingTools(ids);
    const running = run(plan, { executors, signal: abort.signal, pace: () => new Promise(() => {}) });
    await vi.advanceTimersByTimeAsync(10);
    abort.abort();
    expect((await running).end_reason).toBe("cancelled");
    expect(calls).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test.each([0, -1, Number.NaN])("a limit of %s is refused", async (paceTimeoutMs) => {
  const { executors } = notingTools(ids);
  await expect(run(plan, { executors, paceTimeoutMs })).rejects.toMatchObject({ code: "RUNTIME_INVALID_OPTION" });
});
