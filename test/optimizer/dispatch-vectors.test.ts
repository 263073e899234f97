import { readFile } from "node:fs/promises";
import { completeEnvironment, type EnvironmentInput, makespan, verify } from "@planloom/optimizer";
import { planViewFromEdges } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { WaitingParts } from "../../packages/optimizer/src/waiting-parts.ts";
import { cases as casesOf } from "../support/cases.ts";
import { environmentOf, partitionOf, randomCase, viewOf } from "./dispatch-cases.ts";
import { type DispatchVectors, simulated, vectorsFile } from "./dispatch-vectors.ts";
import { dispatched } from "./dispatcher-of-the-page.ts";

const { cases } = JSON.parse(await readFile(vectorsFile, "utf8")) as DispatchVectors;

test("the simulator and the one written from the page agree with the vectors that are published", () => {
  expect(cases.length).toBeGreaterThan(200);
  for (const { startMs, endMs, makespanMs, ranIn, ...given } of cases) {
    const parts = ranIn && { ranIn };
    expect(verify(viewOf(given), { ...environmentOf(given), classes: undefined as never }, partitionOf(given))).toEqual(
      [],
    );
    expect(simulated(given)).toEqual({ startMs, endMs, makespanMs, ...parts });
    expect(dispatched(given)).toEqual({ startMs, endMs, ...parts });
    expect(Math.max(...endMs)).toBe(makespanMs);
  }
});

test("the two agree on random plans", () => {
  for (let seed = 1000; seed < 3000; seed++) {
    const given = randomCase(seed, 14);
    const { startMs, endMs } = simulated(given);
    expect({ seed, ...dispatched(given) }).toEqual({ seed, startMs, endMs });
  }
});

test("the two agree to the last bit where sums are rounded, with and without an order", () => {
  for (let seed = 1000; seed < 3000; seed++) {
    const given = randomCase(seed, 14);
    const tenths = {
      work: given.work.map((each) => each / 10),
      ...(given.real && { real: given.real.map((each) => each / 10) }),
    };
    const rounded = { ...given, ...tenths };
    const { startMs, endMs } = simulated(rounded);
    expect({ seed, ...dispatched(rounded) }).toEqual({ seed, startMs, endMs });
  }
});

test("the two agree on machines of different speeds with a rate for each link", () => {
  for (let seed = 1000; seed < 2000; seed++) {
    const given = randomCase(seed, 14, ["machines"]);
    const { startMs, endMs } = simulated(given);
    expect({ seed, ...dispatched(given) }).toEqual({ seed, startMs, endMs });
  }
});

test("the two agree on larger plans on machines of different speeds", () => {
  for (let seed = 1; seed < 100; seed++) {
    const given = randomCase(seed, 30, ["machines"]);
    const { startMs, endMs } = simulated(given);
    expect({ seed, ...dispatched(given) }).toEqual({ seed, startMs, endMs });
  }
});

test("where all that wait would rather wait for a faster class, few of them are looked at", () => {
  const count = 4096;
  const every = Array.from({ length: count }, (_, p) => p);
  const length = Float64Array.from(every, (p) => 1000 + ((p * 7919) % 1009));
  const estimatedMs = [length, length.map((each) => each / 2)];
  const waiting = new WaitingParts(every, Int32Array.from(every), new Int32Array(count), [0, 1], estimatedMs);
  for (const p of every) waiting.add(p);
  let looks = 0;
  const openings = {
    now: 100,
    isFree(kind: number) {
      looks++;
      return kind === 0;
    },
    // The fast class is free again soon, so that whoever takes 2,000 ms at least waits for it.
    fromMs: (kind: number): number => (kind === 0 ? 100 : 1100),
  };
  expect(length[waiting.first(-1, openings)]).toBeLessThanOrEqual(2000);
  for (const p of every) if (length[p]! <= 2000) waiting.remove(p);
  looks = 0;
  expect(waiting.first(-1, openings)).toBe(-1);
  expect(looks).toBeLessThan(10);
  waiting.add(4000);
  looks = 0;
  openings.fromMs = (kind) => (kind === 0 ? 100 : 9100);
  expect(waiting.first(3999, openings)).toBe(4000);
  expect(looks).toBeLessThan(100);
});

test("the two agree where only so many dispatches begin in a time, and in no interval more begin", () => {
  for (let seed = 1000; seed < 2500; seed++) {
    const given = randomCase(seed, 14, ["rate"]);
    const { startMs, endMs } = simulated(given);
    expect({ seed, ...dispatched(given) }).toEqual({ seed, startMs, endMs });
    const { limit, intervalMs } = given.environment.dispatchRate!;
    const starts = startMs.toSorted((one, two) => one - two);
    for (const [at, start] of starts.slice(limit).entries())
      expect(start - starts[at]!, `seed ${seed}`).toBeGreaterThanOrEqual(intervalMs);
  }
});

test("the two agree under pipelined dispatch, to the last bit", () => {
  for (let seed = 1000; seed < 3000; seed++) {
    const given = randomCase(seed, 14, ["pipelined"]);
    const work = given.work.map((each) => each / 10);
    for (const each of [given, { ...given, work }]) {
      const { startMs, endMs } = simulated(each);
      expect({ seed, ...dispatched(each) }).toEqual({ seed, startMs, endMs });
    }
  }
});

test("the two agree under adaptive dispatch, to the last bit", () => {
  let regrouped = 0;
  for (let seed = 1000; seed < 1000 + casesOf(400); seed++) {
    const given = randomCase(seed, 14, ["adaptive"]);
    const tenths = (values: readonly number[]) => values.map((each) => each / 10);
    const rounded = { ...given, work: tenths(given.work), ...(given.real && { real: tenths(given.real) }) };
    for (const each of [given, rounded]) {
      const { startMs, endMs, ranIn } = simulated(each);
      expect({ seed, ...dispatched(each) }).toEqual({ seed, startMs, endMs, ranIn });
      if (startMs.length > Math.max(...each.part) + 1) regrouped++;
    }
  }
  expect(regrouped).toBeGreaterThan(20);
});

test("adaptive dispatch is the dispatch without regrouping, to the last bit, where every task takes its estimate", () => {
  for (let seed = 1000; seed < 1300; seed++) {
    const { real: _, adaptive: __, ...given } = randomCase(seed, 14, ["adaptive"]);
    const each = { ...given, work: given.work.map((ms) => ms / 10) };
    const { startMs, endMs, makespanMs } = simulated(each);
    const adaptive = { toleranceMs: 1e-9, patienceMs: 0 };
    expect({ seed, ...simulated({ ...each, adaptive }) }).toMatchObject({ seed, startMs, endMs, makespanMs });
  }
});

describe("transfer times that go to nothing", () => {
  test("give the makespan of none at all, and with the plan of the issue 11", () => {
    const view = planViewFromEdges({ n: 4, from: [0, 0], to: [1, 3], work: [5, 5, 5, 6] });
    const perTask = { part: Int32Array.of(0, 1, 2, 3), count: 4 };
    const within = (input: EnvironmentInput) =>
      makespan(view, completeEnvironment(view, { executors: 2, overheadMs: 0, ...input }), perTask);
    expect(within({})).toBe(11);
    expect(within({ latencyMs: 1e-9 })).toBeCloseTo(11, 6);
    expect(within({ bytesPerMs: 1e12 })).toBeCloseTo(11, 6);
  });

  test("whatever the plan, the grouping, the order, the placement and the classes", () => {
    for (let seed = 5000; seed < 8000; seed++) {
      const given = randomCase(seed, 10, seed % 4 === 0 ? ["machines"] : undefined);
      if (given.environment.semantics === "streaming") continue;
      const { latencyMs: _, bytesPerMs: __, rates: ___, ...environment } = given.environment;
      const none = simulated({ ...given, environment }).makespanMs;
      const little = { ...environment, latencyMs: 1e-9, bytesPerMs: 1e9 };
      expect(Math.abs(simulated({ ...given, environment: little }).makespanMs - none), `seed ${seed}`).toBeLessThan(
        1e-5,
      );
    }
  });
});

test.for([
  { name: "without an order", placement: [0, 1], order: undefined, says: "without order" },
  { name: "with too few executors", placement: [0], order: [0, 1], says: "1 executors for 2 parts" },
  { name: "beyond the executors", placement: [0, 2], order: [0, 1], says: "on executor 2, and there are 2" },
  { name: "on half an executor", placement: [0, 0.5], order: [0, 1], says: "on executor 0.5" },
])("a placement $name is no valid one", ({ placement, order, says }) => {
  const view = planViewFromEdges({ n: 2, from: [0], to: [1] });
  const environment = completeEnvironment(view, { executors: 2, overheadMs: 0 });
  const [violation] = verify(view, environment, { part: [0, 1], count: 2, order, placement });
  expect(violation?.code).toBe("placement");
  expect(violation?.message).toContain(says);
});

test("a placement on a class that does not serve the task is refused", () => {
  const view = planViewFromEdges({ n: 1, from: [], to: [] });
  const classes = [
    { name: "a", count: 1, overheadMs: 0, serves: [7] },
    { name: "b", count: 1, overheadMs: 0 },
  ];
  const environment = completeEnvironment(view, { classes });
  const on = (executor: number) =>
    verify(view, environment, { part: [0], count: 1, order: [0], placement: [executor] });
  expect(on(0).map(({ code }) => code)).toEqual(["no-executor"]);
  expect(on(1)).toEqual([]);
});
