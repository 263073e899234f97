import { generateWorkload } from "@planloom/bench";
import { completeEnvironment, makespan, type Partition, simulate, strategies } from "@planloom/optimizer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BitmapQueue } from "../../packages/optimizer/src/bitmap-queue.ts";
import { orderByFallingKey } from "../../packages/optimizer/src/radix-order.ts";
import { cases } from "../support/cases.ts";
import { type Dag, dags, runs, view } from "./dags.ts";

test("the bitmap queue gives back its items in ascending order, whatever goes in between", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(1, 31, 32, 33, 1024, 40_000),
      fc.array(fc.option(fc.nat()), { maxLength: 200 }),
      (capacity, steps) => {
        const queue = new BitmapQueue(5);
        queue.push(3);
        queue.resize(capacity);
        const model = new Set<number>();
        for (const step of steps) {
          if (step === null) {
            const least = model.size === 0 ? -1 : Math.min(...model);
            expect(queue.pop()).toBe(least);
            model.delete(least);
          } else if (!model.has(step % capacity)) {
            model.add(step % capacity);
            queue.push(step % capacity);
          }
          expect(queue.size).toBe(model.size);
        }
      },
    ),
  );
});

test.for([
  { name: "few", size: 20, key: (at: number) => (at * 7) % 5 },
  { name: "many", size: 3000, key: (at: number) => Math.sin(at) + 1 },
  { name: "very many", size: 9000, key: (at: number) => (at * 7919) % 977 },
  { name: "equal", size: 500, key: () => 3 },
  {
    name: "crowded in a sliver of the range",
    size: 500,
    key: (at: number) => (at === 0 ? 1e15 : 1 + ((at * 31) % 97)),
  },
  { name: "crowded, and long", size: 6000, key: (at: number) => (at === 0 ? 1e15 : 1 + ((at * 31) % 5003)) },
])("orders $name by falling key, stably", ({ size, key }) => {
  const keys = Float64Array.from({ length: size }, (_, at) => key(at));
  const items = Int32Array.from({ length: size }, (_, at) => (at * 11) % size);
  const expected = Array.from(items, (item, at) => ({ item, at }))
    .sort((left, right) => keys[right.item]! - keys[left.item]! || left.at - right.at)
    .map(({ item }) => item);
  orderByFallingKey(items, keys, new Int32Array(size));
  expect([...items]).toEqual(expected);
});

/** List scheduling as its definition says, with scans in place of queues; ties by number in a canonical plan. */
function slowMakespan(dag: Dag, partition: Partition, executors: number, overheadMs: number): number {
  const { part, count } = partition;
  const length = new Array<number>(count).fill(overheadMs);
  for (let v = 0; v < dag.n; v++) length[part[v]!]! += dag.work[v]!;
  const needs = Array.from({ length: count }, () => new Set<number>());
  dag.from.forEach((u, edge) => {
    const [from, to] = [part[u]!, part[dag.to[edge]!]!];
    if (from !== to) needs[to]!.add(from);
  });
  const rank = new Array<number>(count).fill(0);
  const rankOf = (p: number): number => {
    if (rank[p] === 0) {
      const after = needs.flatMap((each, q) => (each.has(p) ? [rankOf(q)] : []));
      rank[p] = length[p]! + Math.max(0, ...after);
    }
    return rank[p]!;
  };
  for (let p = 0; p < count; p++) rankOf(p);
  const end = new Array<number>(count).fill(Number.POSITIVE_INFINITY);
  const started = new Set<number>();
  for (let now = 0; ; ) {
    for (;;) {
      const running = [...started].filter((p) => end[p]! > now).length;
      const free = length
        .map((_, p) => p)
        .filter((p) => !started.has(p) && [...needs[p]!].every((q) => end[q]! <= now))
        .sort((left, right) => rank[right]! - rank[left]!);
      if (free.length === 0 || running >= executors) break;
      started.add(free[0]!);
      end[free[0]!] = now + length[free[0]!]!;
    }
    const next = Math.min(...end.filter((each) => each > now && Number.isFinite(each)));
    if (!Number.isFinite(next)) return Math.max(0, ...end.filter(Number.isFinite));
    now = next;
  }
}

test("agrees with list scheduling by its definition where no two priorities are equal", () => {
  fc.assert(
    fc.property(
      dags,
      fc.array(fc.boolean()),
      fc.constantFrom(1, 2, 3, 20),
      fc.constantFrom(1, 40),
      (dag, cuts, k, o) => {
        // Powers of two make all sums differ, and no number of dispatches makes up for the least difference: no two ranks are equal.
        const distinct = { ...dag, work: dag.work.map((_, v) => 1024 * 2 ** v) };
        const partition = runs(distinct, cuts);
        const environment = { semantics: "atomic" as const, executors: k, overheadMs: o };
        expect(makespan(view(distinct), environment, partition)).toBe(slowMakespan(distinct, partition, k, o));
      },
    ),
    {
      numRuns: cases(500),
      examples: [[{ n: 10, from: [3, 0, 0], to: [4, 6, 8], work: new Array(10).fill(0) }, [], 2, 40]],
    },
  );
});

describe("noise", () => {
  const graph = view({ n: 4000, from: [], to: [], work: new Array(4000).fill(100) });
  const environment = { semantics: "atomic" as const, executors: 1, overheadMs: 0 };
  const each = { part: Int32Array.from({ length: 4000 }, (_, v) => v), count: 4000 };
  const all = { part: new Int32Array(4000), count: 1 };

  test("keeps the estimate as the mean, whatever the grouping", () => {
    for (const sigma of [0.3, 1]) {
      const noise = { sigma, seed: 7 };
      const long = makespan(graph, environment, each, { noise });
      expect(long / 400_000).toBeCloseTo(1, 1);
      expect(makespan(graph, environment, all, { noise })).toBeCloseTo(long, 3);
    }
  });

  test("is the same for one seed and another for another; none at all without sigma", () => {
    const length = (seed: number, sigma = 1) => makespan(graph, environment, each, { noise: { sigma, seed } });
    expect(length(1)).toBe(length(1));
    expect(length(1)).not.toBe(length(2));
    expect(length(1, 0)).toBe(400_000);
  });
});

test("a quotient with a cycle has no makespan", () => {
  const chain = view({ n: 3, from: [0, 1], to: [1, 2], work: [1, 1, 1] });
  const environment = { semantics: "atomic" as const, executors: 2, overheadMs: 0 };
  expect(makespan(chain, environment, { part: Int32Array.of(0, 1, 0), count: 2 })).toBe(Number.POSITIVE_INFINITY);
});

test("plans beyond the buffers that are kept are dispatched one by one as well, again and again", () => {
  const { view: graph } = generateWorkload("layered", 70_000, 1);
  const environment = completeEnvironment(graph, { executors: 16, overheadMs: 100 });
  const perTask = { part: Int32Array.from({ length: graph.n }, (_, v) => graph.n - 1 - v), count: graph.n };
  const first = simulate(graph, environment, perTask);
  const levels = strategies.get("level-lpt")!.propose(graph, environment, { seed: 0, deadlineMs: 1 });
  const other = simulate(graph, environment, levels);
  expect(simulate(graph, environment, perTask)).toEqual(first);
  expect(simulate(graph, environment, levels)).toEqual(other);

  const { startMs, endMs } = first.schedule;
  let early = 0;
  let wrong = 0;
  for (let v = 0; v < graph.n; v++) {
    const p = perTask.part[v]!;
    if (Math.abs(endMs[p]! - startMs[p]! - 100 - graph.work[v]!) > 1e-6) wrong++;
    for (let edge = graph.inPtr[v]!; edge < graph.inPtr[v + 1]!; edge++) {
      if (startMs[p]! < endMs[perTask.part[graph.in[edge]!]!]!) early++;
    }
  }
  // When the sixteenth after it starts, a part has to have ended.
  const starts = startMs.toSorted();
  const ends = endMs.toSorted();
  const overbooked = starts.filter((start, at) => at >= 16 && start < ends[at - 16]!).length;
  expect({ early, wrong, overbooked }).toEqual({ early: 0, wrong: 0, overbooked: 0 });
});
