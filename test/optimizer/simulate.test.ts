import { lowerBound, simulate } from "@planloom/optimizer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../support/cases.ts";
import { dags, environments, runs, view } from "./dags.ts";

// 0 (2) -> 1 (3), 0 -> 2 (4), 3 (1)
const fork = view({ n: 4, from: [0, 0], to: [1, 2], work: [2, 3, 4, 1] });

test.for([
  { semantics: "atomic", executors: 2, overheadMs: 10, part: [0, 1, 2, 3], makespanMs: 26 },
  { semantics: "atomic", executors: 2, overheadMs: 0, part: [0, 1, 2, 3], makespanMs: 6 },
  { semantics: "atomic", executors: 1, overheadMs: 0, part: [0, 1, 2, 3], makespanMs: 10 },
  { semantics: "atomic", executors: 4, overheadMs: 10, part: [0, 0, 0, 0], makespanMs: 20 },
  // Atomic: 2 waits for the whole of {0, 1}.
  { semantics: "atomic", executors: 2, overheadMs: 0, part: [0, 0, 1, 2], makespanMs: 9 },
  // Pipelined: 2 starts when 0 has ended, while 1 still runs, and pays its overhead then.
  { semantics: "pipelined", executors: 2, overheadMs: 0, part: [0, 0, 1, 2], makespanMs: 6 },
  { semantics: "pipelined", executors: 4, overheadMs: 10, part: [0, 0, 1, 2], makespanMs: 26 },
  { semantics: "pipelined", executors: 1, overheadMs: 1, part: [0, 0, 1, 2], makespanMs: 13 },
  // Streaming: 2 starts when 0 has ended, and pays its overhead after it is dispatched at 0.
  { semantics: "streaming", executors: 2, overheadMs: 0, part: [0, 0, 1, 2], makespanMs: 6 },
  { semantics: "streaming", executors: 4, overheadMs: 10, part: [0, 0, 1, 2], makespanMs: 26 },
  { semantics: "streaming", executors: 1, overheadMs: 1, part: [0, 1, 2, 3], makespanMs: 14 },
] as const)("$semantics on $executors with overhead $overheadMs takes $makespanMs for $part", (row) => {
  const partition = { part: Int32Array.from(row.part), count: new Set(row.part).size };
  expect(simulate(fork, row, partition).makespanMs).toBe(row.makespanMs);
});

test("counts each output once for every foreign subgraph that reads it", () => {
  const broadcast = view(
    { n: 4, from: [0, 0, 0], to: [1, 2, 3], work: [1, 1, 1, 1] },
    {
      outBytes: Float64Array.of(100, 7, 7, 7),
    },
  );
  const environment = { semantics: "atomic" as const, executors: 4, overheadMs: 0 };
  expect(simulate(broadcast, environment, { part: Int32Array.of(0, 1, 1, 0), count: 2 }).cutBytes).toBe(100);
  expect(simulate(broadcast, environment, { part: Int32Array.of(0, 1, 2, 3), count: 4 })).toMatchObject({
    cutBytes: 300,
    rounds: 2,
    dispatches: 4,
  });
});

test("any valid partition: nothing runs early, executors are never overbooked, the bound holds", () => {
  fc.assert(
    fc.property(dags, fc.array(fc.boolean()), environments, (dag, cuts, environment) => {
      const graph = view(dag);
      const partition = runs(dag, cuts);
      const { makespanMs, schedule, dispatches } = simulate(graph, environment, partition);
      const { startMs, endMs } = schedule;
      expect(dispatches).toBe(partition.count);
      expect(makespanMs).toBeGreaterThanOrEqual(lowerBound(graph, environment) - 1e-9);
      for (let p = 0; p < partition.count; p++) {
        let work = 0;
        for (let v = 0; v < dag.n; v++) if (partition.part[v] === p) work += dag.work[v]!;
        expect(endMs[p]! - startMs[p]!).toBeGreaterThanOrEqual(environment.overheadMs + work - 1e-9);
        const open = endMs.filter((end, q) => startMs[q]! <= startMs[p]! && end > startMs[p]!);
        expect(open.length).toBeLessThanOrEqual(environment.executors);
      }
      dag.from.forEach((u, edge) => {
        const [from, to] = [partition.part[u]!, partition.part[dag.to[edge]!]!];
        if (from === to) return;
        if (environment.semantics === "atomic") expect(startMs[to]!).toBeGreaterThanOrEqual(endMs[from]!);
        expect(startMs[to]!).toBeGreaterThanOrEqual(startMs[from]!);
      });
    }),
    { numRuns: cases(300) },
  );
});
