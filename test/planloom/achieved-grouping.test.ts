import { TaskData } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { achievedGrouping } from "../../packages/planloom/src/grouping/achieved-grouping.ts";

/** Four tasks of 100 ms in two dispatches on two executors: 50 ms each, and 5 ms for each task. */
const grouped = {
  environment: { semantics: "atomic", executors: 2, overheadMs: 50, taskOverheadMs: 5 },
  predictedMs: 260,
  dispatches: 2,
  estimatesMs: { a: 100, b: 100, c: 100, d: 100 },
} as never;
const plan = TaskData.parse({
  title: "four",
  planned_tasks: [..."abcd"].map((task_id) => ({ task_id, description: task_id, dependencies: [] })),
});
const subgraphs = ["one", "one", "other", "other"];
/** Both subgraphs were dispatched for as long. */
const busyMs = (both: number) => new Map(subgraphs.map((id) => [id, both / 2]));
const measured = (busy: ReadonlyMap<string, number>, dispatchedIn: Record<string, string> = {}) => ({
  busyMs: busy,
  dispatchedIn: new Map(Object.entries(dispatchedIn)),
});
const ran = (durations: readonly number[], achievedMs: number, more: object = {}) =>
  ({
    end_reason: "completed",
    plan,
    results: durations.map((duration_ms, at) => ({ task_id: "abcd"[at], subgraph_id: subgraphs[at], duration_ms })),
    certificate: { achievedMs, lowerBoundMs: 0, ratio: 1 },
    ...more,
  }) as never;

describe("what made the difference between a prediction and a run", () => {
  test.for([
    {
      name: "nothing",
      durations: [100, 100, 100, 100],
      busy: 520,
      achieved: 260,
      perTask: 310,
      bound: 260,
      parts: [0, 0, 0],
    },
    {
      name: "tasks that took longer",
      durations: [110, 100, 130, 100],
      busy: 560,
      achieved: 280,
      perTask: 340,
      bound: 270,
      parts: [20, 0, 0],
    },
    {
      name: "dispatches that cost more",
      durations: [100, 100, 100, 100],
      busy: 600,
      achieved: 300,
      perTask: 390,
      bound: 300,
      parts: [0, 40, 0],
    },
    {
      name: "an executor that had nothing to do",
      durations: [100, 100, 100, 100],
      busy: 520,
      achieved: 290,
      perTask: 310,
      bound: 260,
      parts: [0, 0, 30],
    },
    {
      name: "shorter tasks and dearer dispatches",
      durations: [80, 80, 80, 80],
      busy: 480,
      achieved: 240,
      perTask: 310,
      bound: 240,
      parts: [-40, 20, 0],
    },
  ])("$name", ({ durations, busy, achieved, perTask, bound, parts: [tasks_ms, overhead_ms, idle_ms] }) => {
    expect(achievedGrouping(grouped, ran(durations, achieved), measured(busyMs(busy)))).toEqual({
      achieved_ms: achieved,
      per_task_ms: perTask,
      lower_bound_ms: bound,
      off_by: achieved / 260 - 1,
      difference: { tasks_ms, overhead_ms, idle_ms },
    });
  });

  test("time in which a task waits, and its subgraph has no executor, is in no bound", () => {
    // Both subgraphs were given back while their tasks waited for 1,000 ms.
    const waited = achievedGrouping(grouped, ran([1_000, 100, 1_000, 100], 1_300), measured(busyMs(500)));
    expect(waited?.lower_bound_ms).toBe(250);
  });

  test("a task that was taken out of its subgraph while the run went on counts with the dispatch that it had", () => {
    // b was split off: the dispatch of a took 150 ms, that of b 1,050 ms.
    const busy = new Map(Object.entries({ one: 150, "one.2": 1050, other: 250 }));
    const split = achievedGrouping(grouped, ran([100, 1_000, 100, 100], 1_100), measured(busy, { b: "one.2" }));
    expect(split?.lower_bound_ms).toBe(1_050);
    const unknown = achievedGrouping(grouped, ran([100, 1_000, 100, 100], 1_100), measured(busy));
    expect(unknown!.lower_bound_ms).toBeLessThan(300);
  });

  test("a wait is no time of tasks or executors, and what no grouping beats has it", () => {
    const waiting = TaskData.parse({
      planned_tasks: [
        { task_id: "a" },
        { task_id: "w", wait: { for_ms: 3000 }, dependencies: ["a"] },
        { task_id: "b", dependencies: ["w"] },
      ],
    });
    const predicted = {
      environment: { semantics: "atomic", executors: 2, overheadMs: 50 },
      predictedMs: 3400,
      dispatches: 3,
      estimatesMs: { a: 100, w: 3000, b: 100 },
    } as never;
    const results = ["a", "w", "b"].map((task_id) => ({
      task_id,
      subgraph_id: task_id,
      duration_ms: task_id === "w" ? 0 : 100,
    }));
    // The wait was dispatched when it began and when it was over.
    const busy = new Map(Object.entries({ a: 150, w: 100, b: 150 }));
    expect(achievedGrouping(predicted, ran([], 3400, { plan: waiting, results }), measured(busy))).toEqual({
      achieved_ms: 3400,
      per_task_ms: 3400,
      lower_bound_ms: 3200,
      off_by: 0,
      difference: { tasks_ms: 0, overhead_ms: 0, idle_ms: 0 },
    });
  });

  test("is not said of a run that is not the one that was predicted", () => {
    const durations = [100, 100, 100, 100];
    expect(
      achievedGrouping(grouped, ran(durations, 260, { end_reason: "failed" }), measured(busyMs(520))),
    ).toBeUndefined();
    expect(achievedGrouping(grouped, ran(durations, 260, { replanned: true }), measured(busyMs(520)))).toBeUndefined();
    const recorded = [{ task_id: "a", duration_ms: 100, recorded: true }];
    expect(achievedGrouping(grouped, ran([], 260, { results: recorded }), measured(busyMs(520)))).toBeUndefined();
  });
});
