import { describe, expect, test } from "vitest";
import { DispatchSamples, fittedCosts, isConclusive } from "../../packages/postgres/src/dispatch/dispatch-samples.ts";

/** A dispatch that costs 30 ms, and 4 for each task. */
const sample = (tasks: number, taskMs = 5, more = 0) => ({
  tasks,
  taskMs: tasks * taskMs,
  totalMs: 30 + tasks * (taskMs + 4) + more,
});

describe("what dispatches cost, from what they took", () => {
  test("the dispatch and the task are distinguished", () => {
    const { overheadMs, taskOverheadMs, measured } = fittedCosts([1, 12, 1, 12, 5].map((tasks) => sample(tasks)));
    expect(overheadMs).toBeCloseTo(30, 9);
    expect(taskOverheadMs).toBeCloseTo(4, 9);
    expect(measured).toBe(5);
  });

  test("neither is below nothing, however the samples lie", () => {
    const falling = [sample(1, 5, 100), sample(12, 5, -60), sample(1, 5, 100), sample(12, 5, -60)];
    expect(fittedCosts(falling)).toMatchObject({ taskOverheadMs: 0 });
    const steep = [
      { tasks: 1, taskMs: 5, totalMs: 5 },
      { tasks: 12, taskMs: 60, totalMs: 160 },
    ];
    expect(fittedCosts(steep).overheadMs).toBeGreaterThanOrEqual(0);
    expect(fittedCosts([{ tasks: 1, taskMs: 9, totalMs: 5 }])).toMatchObject({ overheadMs: 0, taskOverheadMs: 0 });
  });

  test("subgraphs of the same size say nothing of what a task costs", () => {
    expect(isConclusive(Array.from({ length: 30 }, () => sample(19)))).toBe(false);
    expect(isConclusive([1, 12, 1, 12, 1, 12, 1].map((tasks) => sample(tasks)))).toBe(false);
    expect(isConclusive([1, 12, 1, 12, 1, 12, 1, 12].map((tasks) => sample(tasks)))).toBe(true);
  });

  test("samples count for tasks of about the same length, and for a while", () => {
    let now = 0;
    const samples = new DispatchSamples(() => now);
    samples.add(sample(4, 5));
    now = 1_000;
    samples.add(sample(4, 500));
    expect(samples.near(6, 5_000)).toEqual([sample(4, 5)].map((each) => ({ ...each, at: 0 })));
    // Beyond 20 ms executors hardly get in each other's way.
    expect(samples.near(60, 5_000)).toMatchObject([{ taskMs: 2_000 }]);
    expect(samples.near(6, 500)).toEqual([]);
  });
});
