import { completeEnvironment, measure, paretoFront, strategies, verify } from "@planloom/optimizer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../support/cases.ts";
import { dags, runs, view } from "./dags.ts";

const options = { seed: 0, deadlineMs: Number.POSITIVE_INFINITY };

// 0 -> 1, 0 -> 2, 1 -> 3, 2 -> 3
const diamond = view(
  { n: 4, from: [0, 0, 1, 2], to: [1, 2, 3, 3], work: [10, 20, 40, 10] },
  {
    tokens: Float64Array.of(5, 5, 5, 5),
    outTokens: Float64Array.of(3, 1, 1, 0),
    failProb: Float64Array.of(0, 0.5, 0, 0),
  },
);
const perTask = { part: Int32Array.of(0, 1, 2, 3), count: 4 };

test("measures a diamond, task by task", () => {
  const environment = completeEnvironment(diamond, {
    executors: 2,
    overheadMs: 10,
    baseTokens: 100,
    prices: { perDispatch: 1, perMillionTokens: 1e6, perExecutorHour: 3.6e6 },
  });
  const metrics = measure(diamond, environment, perTask);
  expect(metrics).toMatchObject({
    makespanMs: 90,
    dispatches: 4,
    dispatchesPerTask: 1,
    // Four bases, four prompts, the first output twice, the others once.
    tokens: 4 * 100 + 20 + 2 * 3 + 2,
    edgeCut: 4,
    width: 2,
    rounds: 3,
    expectedReworkMs: 15,
    partBalance: 2,
    // 10 + 20 and 40 and 10, with overheads 20 + 30 + 20 on one executor and 50 on the other.
    executorBalance: 70 / 60,
    blastRadius: { mean: 1, p95: 1, max: 1 },
    price: 4 + 428 + 120,
  });
  expect(metrics.ratio).toBe(metrics.makespanMs / metrics.lowerBoundMs);
  expect([...metrics.robustness.keys()]).toEqual([0.3, 1]);
});

test("a part that fails takes its tasks with it", () => {
  const environment = completeEnvironment(diamond, { executors: 2, overheadMs: 10 });
  const { blastRadius, expectedReworkMs, width } = measure(diamond, environment, {
    part: Int32Array.of(0, 0, 0, 0),
    count: 1,
  });
  expect(blastRadius).toEqual({ mean: 4, p95: 4, max: 4 });
  expect(expectedReworkMs).toBe(45);
  expect(width).toBe(1);
});

test("width is the largest set of parts of which none waits for another", () => {
  fc.assert(
    fc.property(dags, fc.array(fc.boolean()), (dag, cuts) => {
      const partition = runs(dag, cuts);
      const { width } = measure(view(dag), completeEnvironment(view(dag)), partition, { seeds: [1], sigmas: [] });
      const reach = Array.from({ length: partition.count }, () => 0);
      for (let p = partition.count - 1; p >= 0; p--) {
        dag.from.forEach((u, edge) => {
          const [from, to] = [partition.part[u]!, partition.part[dag.to[edge]!]!];
          if (from === p && to !== p) reach[p]! |= (1 << to) | reach[to]!;
        });
      }
      let widest = 0;
      for (let set = 0; set < 1 << partition.count; set++) {
        let size = 0;
        let apart = true;
        for (let p = 0; p < partition.count && apart; p++) {
          if ((set & (1 << p)) === 0) continue;
          size++;
          apart = (reach[p]! & set) === 0;
        }
        if (apart) widest = Math.max(widest, size);
      }
      expect(width).toBe(widest);
    }),
    { numRuns: cases(60) },
  );
});

test("no point of the front beats another, and every one is valid", () => {
  fc.assert(
    fc.property(dags, fc.constantFrom(1, 2, 4), fc.constantFrom(0, 5, 50), (dag, executors, overheadMs) => {
      const graph = view(dag, { failProb: new Float64Array(dag.n).fill(0.1) });
      const environment = completeEnvironment(graph, { executors, overheadMs });
      const front = paretoFront(graph, environment, options);
      expect(front.length).toBeGreaterThan(0);
      front.forEach((point, at) => {
        expect(verify(graph, environment, point.partition)).toEqual([]);
        for (const other of front.slice(at + 1)) {
          expect(other.makespanMs).toBeGreaterThanOrEqual(point.makespanMs);
          expect(other.dispatches < point.dispatches || other.expectedReworkMs < point.expectedReworkMs).toBe(true);
        }
      });
    }),
    { numRuns: cases(60) },
  );
});

test("ideal-dp divides a chain where failures outweigh the overhead", () => {
  const idealDp = strategies.get("ideal-dp")!;
  for (const n of [12, 40]) {
    const chain = view(
      {
        n,
        from: Array.from({ length: n - 1 }, (_, v) => v),
        to: Array.from({ length: n - 1 }, (_, v) => v + 1),
        work: new Array(n).fill(100),
      },
      {
        failProb: new Float64Array(n).fill(0.2),
      },
    );
    const sizes = (overheadMs: number) =>
      n / idealDp.propose(chain, completeEnvironment(chain, { overheadMs }), options).count;
    expect(sizes(0)).toBe(1);
    expect(sizes(40)).toBe(2);
    expect(sizes(1e6)).toBe(n);
  }
});

/** The least executor time over all valid divisions, by trying every labelling. */
test("ideal-dp is as cheap as the best of all divisions", () => {
  fc.assert(
    fc.property(
      dags.filter((dag) => dag.n > 0 && dag.n <= 5),
      fc.constantFrom(0, 3, 30),
      fc.nat(),
      (dag, overheadMs, seed) => {
        const graph = view(dag, {
          failProb: Float64Array.from({ length: dag.n }, (_, v) => ((v * 7 + seed) % 10) / 10),
        });
        const environment = completeEnvironment(graph, { overheadMs, maxTasks: 3 });
        const cost = (part: Int32Array, count: number) => {
          let sum = 0;
          for (let p = 0; p < count; p++) {
            let work = overheadMs;
            let success = 1;
            for (let v = 0; v < dag.n; v++) {
              if (part[v] !== p) continue;
              work += dag.work[v]!;
              success *= 1 - graph.failProb[v]!;
            }
            sum += work * (2 - success);
          }
          return sum;
        };
        let least = Number.POSITIVE_INFINITY;
        const part = new Int32Array(dag.n);
        const assign = (v: number, count: number): void => {
          if (v < dag.n) {
            for (let p = 0; p <= count; p++) {
              part[v] = p;
              assign(v + 1, Math.max(count, p + 1));
            }
          } else if (verify(graph, environment, { part, count }).length === 0)
            least = Math.min(least, cost(part, count));
        };
        assign(0, 0);
        const found = strategies.get("ideal-dp")!.propose(graph, environment, options);
        expect(verify(graph, environment, found)).toEqual([]);
        expect(cost(found.part, found.count)).toBeCloseTo(least, 6);
      },
    ),
    { numRuns: cases(60) },
  );
});
