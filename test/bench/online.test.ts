import {
  type ArrivingRun,
  generateWorkload,
  type OnlinePolicy,
  type OnlineRun,
  onlineTable,
  poissonArrivals,
  simulateOnline,
} from "@planloom/bench";
import { OptimizerErrorCode } from "@planloom/optimizer";
import { planViewFromEdges } from "@planloom/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases } from "../support/cases.ts";
import { fullClaims, playLive, shareOfFirst, twoFull } from "./online-live.ts";

/** A plan of so many tasks without dependencies, each of this length. */
const wide = (tasks: number, ms: number) => ({
  name: "wide",
  family: "test",
  view: planViewFromEdges({ n: tasks, from: [], to: [], work: Array.from({ length: tasks }, () => ms) }),
});
const ends = (runs: readonly ArrivingRun[], policy: OnlinePolicy, executors = 1, overheadMs = 0) =>
  simulateOnline(runs, { executors, overheadMs, policy }).map(({ endMs }) => endMs);
const policies: readonly OnlinePolicy[] = ["fifo", "fair", "priority", "deadline", "shortest", "runtime"];

describe("worked by hand, on one executor", () => {
  const long: ArrivingRun = { workload: wide(10, 10), atMs: 0 };
  const short: ArrivingRun = { workload: wide(2, 10), atMs: 5 };

  test("first come first served makes the short run wait for the long one", () => {
    expect(ends([long, short], "fifo")).toEqual([100, 120]);
  });

  test("fair: turns task by task, the one that comes not owed for the time before", () => {
    // The short one begins with the 10 ms that the long one has had, and of equals the first goes first.
    expect(ends([long, short], "fair")).toEqual([120, 50]);
  });

  test("weights: three tasks of the one to one of the other", () => {
    const runs = [
      { workload: wide(30, 1), atMs: 0, weight: 3 },
      { workload: wide(30, 1), atMs: 0, weight: 1 },
    ];
    const [heavy, light] = ends(runs, "fair") as [number, number];
    expect(heavy).toBeGreaterThanOrEqual(39);
    expect(heavy).toBeLessThanOrEqual(41);
    expect(light).toBe(60);
  });

  test("priority and deadline go first, without taking away what runs", () => {
    expect(ends([long, { ...short, priority: 1 }], "priority")).toEqual([120, 30]);
    expect(
      ends(
        [
          { ...long, deadlineMs: 1000 },
          { ...short, deadlineMs: 50 },
        ],
        "deadline",
      ),
    ).toEqual([120, 30]);
    const [run] = simulateOnline([{ ...long, deadlineMs: 99 }], { executors: 1, overheadMs: 0, policy: "deadline" });
    expect(run).toMatchObject({ late: true, responseMs: 100, slowdown: 1 });
  });

  test("the shortest is what has least left", () => {
    expect(ends([long, short], "shortest")).toEqual([120, 30]);
  });

  test("a dispatch costs its overhead, and a run ends with its longest path on enough executors", () => {
    const workload = {
      name: "v",
      family: "t",
      view: planViewFromEdges({ n: 3, from: [0, 0], to: [1, 2], work: [5, 5, 9] }),
    };
    expect(ends([{ workload, atMs: 3 }], "fair", 2, 1)).toEqual([3 + 6 + 10]);
  });
});

test("whatever the policy: no work is lost, nothing begins before it came, executors are never idle with something to do", () => {
  const families = ["layered", "fork-join", "llm-plan-like"];
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1e6 }),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom(...policies),
      (seed, executors, policy) => {
        const workloads = families.map((family, at) => generateWorkload(family, 5 + ((seed + at) % 9), seed));
        const runs = poissonArrivals(workloads, { load: 0.8, executors, overheadMs: 50, count: 12, seed });
        const result = simulateOnline(runs, { executors, overheadMs: 50, policy });
        result.forEach(({ startMs, endMs, slowdown }, at) => {
          expect(startMs).toBeGreaterThanOrEqual(runs[at]!.atMs);
          expect(endMs).toBeGreaterThanOrEqual(startMs);
          expect(slowdown).toBeGreaterThanOrEqual(1 - 1e-9);
        });
        if (executors === 1) {
          // One executor is busy from an arrival on until nothing is left, whoever goes first.
          const last = Math.max(...result.map(({ endMs }) => endMs));
          const fifo = Math.max(
            ...simulateOnline(runs, { executors, overheadMs: 50, policy: "fifo" }).map(({ endMs }) => endMs),
          );
          expect(last).toBeCloseTo(fifo, 6);
        }
      },
    ),
    { numRuns: cases(60) },
  );
});

test("arrivals are a Poisson process of the load that was asked for", () => {
  const workloads = [wide(4, 100)];
  const runs = poissonArrivals(workloads, {
    load: 0.5,
    executors: 2,
    overheadMs: 25,
    count: 4000,
    seed: 3,
    slack: [2, 2],
  });
  const gaps = runs.map(({ atMs }, at) => atMs - (runs[at - 1]?.atMs ?? 0));
  const mean = gaps.reduce((sum, each) => sum + each, 0) / gaps.length;
  // 4 tasks of 125 ms on 2 executors at half load: one in 500 ms.
  expect(mean / 500).toBeCloseTo(1, 1);
  const variance = gaps.reduce((sum, each) => sum + (each - mean) ** 2, 0) / gaps.length;
  expect(Math.sqrt(variance) / mean).toBeCloseTo(1, 1);
  expect(runs[5]!.deadlineMs! - runs[5]!.atMs).toBe(250);
  expect(poissonArrivals(workloads, { load: 0.5, executors: 2, overheadMs: 25, count: 9, seed: 3 })).toEqual(
    runs.slice(0, 9).map((run) => ({ ...run, deadlineMs: Number.POSITIVE_INFINITY })),
  );
});

test("against first come first served, priority serves its runs, deadline what is due, shortest the mean", () => {
  const workloads = [
    generateWorkload("layered", 60, 1),
    generateWorkload("llm-plan-like", 8, 1),
    generateWorkload("fork-join", 20, 1),
  ];
  const { rows, columns } = onlineTable({ workloads, loads: [0.9], executors: 4, runs: 60, draws: 8 });
  expect(columns[1]).toBe("slowdown");
  const of = Object.fromEntries(
    rows.map((row) => [String(row[0]).split(",")[0], row.map((cell) => Number.parseFloat(String(cell)))]),
  );
  expect(of.shortest![1]).toBeLessThan(of.fifo![1]!);
  expect(of.priority![3]).toBeLessThan(of.fifo![3]!);
  expect(of.deadline![4]).toBeLessThan(of.fifo![4]!);
});

test("the runtime executes arrivals as they are simulated: weights, priorities and deadlines, within 5 % of the mean slowdown", async () => {
  const workloads = [generateWorkload("layered", 30, 1), generateWorkload("fork-join", 20, 1)];
  const arriving = poissonArrivals(workloads, {
    load: 0.9,
    executors: 4,
    overheadMs: 0,
    count: 40,
    seed: 1,
    slack: [1.5, 6],
  });
  const meanOf = (runs: readonly OnlineRun[]) => runs.reduce((sum, { slowdown }) => sum + slowdown, 0) / runs.length;
  const simulated = simulateOnline(arriving, { executors: 4, overheadMs: 0, policy: "runtime" });
  const executed = await playLive(arriving, 4, "all");
  expect(meanOf(executed) / meanOf(simulated)).toBeGreaterThan(0.95);
  expect(meanOf(executed) / meanOf(simulated)).toBeLessThan(1.05);
  const first = simulateOnline(arriving, { executors: 4, overheadMs: 0, policy: "fifo" });
  const ofHigh = (runs: readonly OnlineRun[]) => meanOf(runs.filter((_, at) => arriving[at]!.priority === 2));
  expect(ofHigh(executed)).toBeLessThan(ofHigh(first));
});

test.for(Object.entries(fullClaims))(
  "of two live runs that each fill the limit, the first claiming %s, shares are as they are simulated",
  async ([, claims]) => {
    const runs = twoFull(4, claims);
    const executed = shareOfFirst(await playLive(runs, 4, "all"), 4);
    const simulated = shareOfFirst(simulateOnline(runs, { executors: 4, overheadMs: 0, policy: "runtime" }), 4);
    expect(Math.abs(executed - simulated)).toBeLessThan(0.05);
  },
);

test.for([
  [{ executors: 0 }, /executors.*at least 1, got 0/],
  [{ overheadMs: -1 }, /overheadMs/],
  [{ policy: "random" }, /policy.*fifo, fair, priority, deadline, shortest, runtime, got random/],
] as const)("%j is refused", ([change, message]) => {
  const options = { executors: 1, overheadMs: 0, policy: "fair", ...change };
  expect(() => simulateOnline([], options as never)).toThrow(
    expect.objectContaining({ code: OptimizerErrorCode.ENVIRONMENT, message: expect.stringMatching(message) }),
  );
});
