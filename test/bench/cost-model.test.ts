import { expect, test } from "vitest";
import { type CostModel, fitCosts, type Measured, predictedMs, residenceMs, sharedMachine } from "./cost-model.ts";

const station = (demandMs: number, servers = 1) => [{ name: "database", demandMs, servers }];

test("one worker waits for nobody, and many are as fast as the station that all share", () => {
  expect(residenceMs(1, 90, station(10))).toBe(100);
  // Two customers, one station of 1 and a pause of 1: worked out by hand, queue 0.5 of one customer, so 1.5 + 1.
  expect(residenceMs(2, 1, station(1))).toBeCloseTo(2.5, 10);
  expect(1_000 / residenceMs(1_000, 90, station(10))).toBeCloseTo(1 / 10, 6);
  expect(1_000 / residenceMs(1_000, 90, station(10, 4))).toBeCloseTo(4 / 10, 6);
});

test("what made the measurements is found again from them, and predicts others", () => {
  const truth: CostModel = {
    demands: { database: { dispatchMs: 4, taskMs: 0.5 }, workers: { dispatchMs: 6, taskMs: 1 } },
    waitMs: 30,
    taskWaitMs: 2,
  };
  const made = (workers: number, size: number, taskMs: number): Measured => {
    const shape = { workers, size, taskMs, dispatches: 12 * workers };
    const processorMs = Object.fromEntries(
      Object.entries(truth.demands).map(([party, each]) => [
        party,
        shape.dispatches * (each.dispatchMs + size * each.taskMs),
      ]),
    );
    return { ...shape, makespanMs: predictedMs(truth, shape, sharedMachine(truth, size, 2)), processorMs };
  };
  const seen = [1, 2, 4].flatMap((workers) => [1, 4, 16].map((size) => made(workers, size, 5)));
  const model = fitCosts(seen, 2);
  expect(model.waitMs).toBeCloseTo(30, 0);
  expect(model.taskWaitMs).toBeCloseTo(2, 1);
  expect(model.demands.database!.dispatchMs).toBeCloseTo(4, 6);
  const other = made(8, 40, 20);
  expect(predictedMs(model, other, sharedMachine(model, 40, 2)) / other.makespanMs).toBeCloseTo(1, 2);
});
