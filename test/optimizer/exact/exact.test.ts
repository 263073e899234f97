import { completeEnvironment, type RuleStrategy, simulate, strategies, verify } from "@planloom/optimizer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases } from "../../support/cases.ts";
import { cpuTimer } from "../../support/cpu-time.ts";
import { type Dag, dags, view } from "../dags.ts";
import { enumerateOptimum } from "./enumerate.ts";

const exact = strategies.get("exact")!;
const options = { seed: 0, deadlineMs: Number.POSITIVE_INFINITY };

function solve(dag: Dag, executors: number, overheadMs: number): { makespanMs: number; provedMs: number } {
  const graph = view(dag);
  const environment = completeEnvironment(graph, { executors, overheadMs });
  const partition = exact.propose(graph, environment, options);
  expect(verify(graph, environment, partition)).toEqual([]);
  return { makespanMs: simulate(graph, environment, partition).makespanMs, provedMs: partition.provedMs ?? 0 };
}

const overheads = fc.constantFrom(0, 1, 4, 20);
const smaller = (n: number) => dags.filter((dag) => dag.n <= n);

describe("against enumeration", () => {
  test("on unlimited executors", () => {
    fc.assert(
      fc.property(smaller(7), overheads, (dag, overheadMs) => {
        const optimum = enumerateOptimum(dag, Number.POSITIVE_INFINITY, overheadMs);
        expect(solve(dag, Number.POSITIVE_INFINITY, overheadMs)).toEqual({ makespanMs: optimum, provedMs: optimum });
      }),
      { numRuns: cases(150) },
    );
  });

  test("on few executors, whatever the order of dispatch", () => {
    fc.assert(
      fc.property(smaller(5), fc.constantFrom(1, 2, 3), overheads, (dag, executors, overheadMs) => {
        const optimum = enumerateOptimum(dag, executors, overheadMs);
        expect(solve(dag, executors, overheadMs)).toEqual({ makespanMs: optimum, provedMs: optimum });
      }),
      { numRuns: cases(150) },
    );
  });

  test("on plans of 8 tasks", () => {
    const eight = dags.filter((dag) => dag.n === 8 && dag.from.length >= 8);
    fc.assert(
      fc.property(eight, overheads, (dag, overheadMs) => {
        const optimum = enumerateOptimum(dag, Number.POSITIVE_INFINITY, overheadMs);
        expect(solve(dag, Number.POSITIVE_INFINITY, overheadMs).makespanMs).toBe(optimum);
      }),
      { numRuns: 8 },
    );
  });
});

// Work 3 and 3 before 2 | 2 | 2: on two executors the best schedule lets one wait although a task is free.
test("finds schedules that list scheduling cannot", () => {
  const dag = { n: 5, from: [0], to: [4], work: [1, 3, 3, 2, 4] };
  for (const executors of [1, 2, 3]) {
    expect(solve(dag, executors, 0).makespanMs).toBe(enumerateOptimum(dag, executors, 0));
  }
});

describe.each([...strategies.values()].filter((strategy) => strategy.deterministic))(
  "$name",
  (strategy: RuleStrategy) => {
    test("is never better than exact", () => {
      fc.assert(
        fc.property(dags, fc.constantFrom(2, 4, Number.POSITIVE_INFINITY), overheads, (dag, executors, overheadMs) => {
          const graph = view(dag);
          const environment = completeEnvironment(graph, { executors, overheadMs });
          const other = simulate(graph, environment, strategy.propose(graph, environment, options)).makespanMs;
          const { makespanMs, provedMs } = solve(dag, executors, overheadMs);
          expect(makespanMs).toBeLessThanOrEqual(other);
          expect(provedMs).toBeLessThanOrEqual(other);
        }),
        { numRuns: 15 },
      );
    });
  },
);

test("keeps the limits of the environment and is still the best of what they leave", () => {
  const chain = view({ n: 4, from: [0, 1, 2], to: [1, 2, 3], work: [1, 1, 1, 1] });
  const limited = completeEnvironment(chain, { executors: 2, overheadMs: 10, maxTasks: 2 });
  const partition = exact.propose(chain, limited, options);
  expect(verify(chain, limited, partition)).toEqual([]);
  expect(simulate(chain, limited, partition).makespanMs).toBe(24);
  expect(partition.provedMs).toBe(24);
});

test("says what it could not prove when the deadline has passed", () => {
  const n = 20;
  const graph = view({ n, from: [], to: [], work: Array.from({ length: n }, (_, v) => 100 + ((v * 37) % 61)) });
  const environment = completeEnvironment(graph, { executors: 4, overheadMs: 3 });
  const cpuMs = cpuTimer();
  const partition = exact.propose(graph, environment, { seed: 0, deadlineMs: 50 });
  expect(cpuMs()).toBeLessThan(1000);
  expect(partition.provedMs).toBeLessThanOrEqual(simulate(graph, environment, partition).makespanMs);
  expect(partition.provedMs).toBeGreaterThan(0);
});
