import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { backward, forward, partEnds } from "../../packages/optimizer/src/bounds/part-ends.ts";
import { cases } from "../support/cases.ts";
import { type Dag, dags, view } from "./dags.ts";

interface Ends {
  readonly ready: number[];
  readonly end: number[];
  readonly before: number[];
}

/** The least time before a task, by trying each choice of which of `tasks` lie in parts that have ended. */
type Divide = (tasks: number[], end: number[], work: number[], executors: number, overheadMs: number) => number;

const trySubsets: Divide = (tasks, end, work, executors, overheadMs) => {
  let least = Number.POSITIVE_INFINITY;
  for (let chosen = 0; chosen < 2 ** tasks.length; chosen++) {
    let [starts, outside, inside] = [0, 0, 0];
    tasks.forEach((u, at) => {
      if (Math.floor(chosen / 2 ** at) % 2 === 0) inside += work[u]!;
      else {
        outside += work[u]!;
        starts = Math.max(starts, end[u]!);
      }
    });
    if (chosen > 0) starts = Math.max(starts, overheadMs + outside / executors);
    least = Math.min(least, starts + inside);
  }
  return least;
};

/** Whatever ends by a moment is outside: as good as trying all subsets, for more tasks. */
const tryMoments: Divide = (tasks, end, work, executors, overheadMs) => {
  const sum = (of: number[]) => of.reduce((total, u) => total + work[u]!, 0);
  const moments = [...new Set(tasks.map((u) => end[u]!))].map((moment) => {
    const outside = sum(tasks.filter((u) => end[u]! <= moment));
    return Math.max(moment, overheadMs + outside / executors) + sum(tasks) - outside;
  });
  return Math.min(sum(tasks), ...moments);
};

/** The ends by their definition, for edges that go from lower to higher numbers. `all`: of all ancestors, and not of direct ones. */
function endsOf({ n, from, to, work }: Dag, executors: number, o: number, divide: Divide, all = true): Ends {
  const ends: Ends = { ready: [], end: [], before: [] };
  const ancestors: Set<number>[] = [];
  const direct = Array.from({ length: n }, () => [] as number[]);
  for (const [edge, v] of to.entries()) direct[v]!.push(from[edge]!);
  for (let v = 0; v < n; v++) {
    const own = direct[v]!;
    ancestors.push(new Set(all ? own.flatMap((u) => [u, ...ancestors[u]!]) : own));
    ends.ready.push(Math.max(o, ...own.map((u) => ends.ready[u]!)));
    const latest = Math.max(0, ...own.map((u) => ends.end[u]!));
    const divided = own.length === 0 ? 0 : divide([...ancestors[v]!], ends.end, work, executors, o);
    ends.before.push(Math.max(0, latest - o, ends.ready[v]! - o, divided));
    ends.end.push(o + ends.before[v]! + work[v]!);
  }
  return ends;
}

const listed = ({ ready, end, before }: ReturnType<typeof partEnds>): Ends => ({
  ready: [...ready],
  end: [...end],
  before: [...before],
});

/** The same plan read from its end; task `v` is `n - 1 - v` there. */
const turned = ({ n, from, to, work }: Dag): Dag => ({
  n,
  from: to.map((v) => n - 1 - v),
  to: from.map((v) => n - 1 - v),
  work: work.toReversed(),
});

const executorCounts = fc.constantFrom(1, 2, 4, Number.POSITIVE_INFINITY);
const overheads = fc.constantFrom(0, 1, 4, 16);

describe("the ends of the part that holds a task", () => {
  test("are those of the cheapest choice of ancestors outside of it, in both directions", () => {
    fc.assert(
      fc.property(
        dags.filter(({ n }) => n <= 8),
        executorCounts,
        overheads,
        (dag, executors, overheadMs) => {
          const graph = view(dag);
          expect(listed(partEnds(graph, executors, overheadMs, forward(graph)))).toEqual(
            endsOf(dag, executors, overheadMs, trySubsets),
          );
          const { ready, end, before } = endsOf(turned(dag), executors, overheadMs, trySubsets);
          expect(listed(partEnds(graph, executors, overheadMs, backward(graph)))).toEqual({
            ready: ready.reverse(),
            end: end.reverse(),
            before: before.reverse(),
          });
        },
      ),
    );
  });

  test("are read without a change to the plan", () => {
    const graph = view({ n: 3, from: [0, 1], to: [1, 2], work: [1, 2, 3] });
    expect([...backward(graph).order]).toEqual([2, 1, 0]);
    expect([...graph.topo]).toEqual([0, 1, 2]);
  });

  test("are those of moments, too: whatever ends by then is outside", () => {
    fc.assert(
      fc.property(dags, executorCounts, overheads, (dag, executors, overheadMs) => {
        expect(endsOf(dag, executors, overheadMs, tryMoments)).toEqual(endsOf(dag, executors, overheadMs, trySubsets));
      }),
      { numRuns: 20 },
    );
  });

  test.for([31, 32, 33, 64, 65, 130])("count all of %i ancestors, however far away", (ancestors) => {
    // Two strands that meet in the last task, so that ancestors of it are none of each other.
    const n = ancestors + 1;
    const from = Array.from({ length: n - 2 }, (_, at) => at);
    const to = from.map((v) => Math.min(v + 2, n - 1));
    const dag = {
      n,
      from: [...from, n - 2],
      to: [...to, n - 1],
      work: Array.from({ length: n }, (_, v) => (v * 7) % 5),
    };
    const graph = view(dag);
    for (const executors of [1, 2]) {
      const expected = endsOf(dag, executors, 40, tryMoments);
      expect(listed(partEnds(graph, executors, 40, forward(graph)))).toEqual(expected);
    }
  });

  test.for([
    { tasks: 5_000, all: true },
    { tasks: 5_001, all: false },
  ])("of $tasks tasks count all ancestors: $all; in larger plans the direct dependencies", ({ tasks, all }) => {
    // Of 5,000 tasks 40 are connected, in a lattice; the others are alone.
    const width = 4;
    const dag: Dag = { n: tasks, from: [], to: [], work: Array.from({ length: tasks }, (_, v) => 1 + (v % 3)) };
    for (let v = width; v < 40; v++) {
      for (const back of [width, width - 1]) {
        dag.from.push(v - back);
        dag.to.push(v);
      }
    }
    const graph = view(dag);
    const expected = endsOf(dag, 2, 9, tryMoments, all);
    expect(listed(partEnds(graph, 2, 9, forward(graph)))).toEqual(expected);
    expect(endsOf(dag, 2, 9, tryMoments, !all)).not.toEqual(expected);
  });
});

describe("with more ancestors than are sorted", () => {
  /** `n` first tasks of the given work, each before one last task. */
  const fanIn = (work: number[], last = 1): Dag => ({
    n: work.length + 1,
    from: work.map((_, v) => v),
    to: work.map(() => work.length),
    work: [...work, last],
  });
  const waitOf = (dag: Dag, executors: number, overheadMs: number) => {
    const graph = view(dag);
    return partEnds(graph, executors, overheadMs, forward(graph)).before[dag.n - 1]!;
  };
  const exact = (dag: Dag, executors: number, overheadMs: number) =>
    endsOf(dag, executors, overheadMs, tryMoments).before[dag.n - 1]!;

  test.for<[string, number[], number, number, number, number]>([
    // All end at 14: outside they take an overhead and the work of each executor, inside all of the work.
    ["all alike, and inside costs less", Array(300).fill(4), 1, 10, 1_200, 1_200],
    ["all alike, shared by executors", Array(300).fill(4), 4, 10, 310, 310],
    ["all alike, on as many executors as they like", Array(300).fill(4), Number.POSITIVE_INFINITY, 10, 14, 14],
    // One ends at 1,010 and the others at 11, which counts as the beginning of the last of 256 buckets.
    ["one ends late", [...Array(299).fill(1), 1_000], Number.POSITIVE_INFINITY, 10, 1_010, 1_010 - 999 / 256],
    ["an overhead and a fourth of the work take longer than any", [...Array(300).fill(1), 50], 4, 10, 97.5, 97.5],
    ["an overhead is dearer than the work", [...Array(300).fill(1), 50], 4, 1_000, 350, 350],
  ])("%s", ([, work, executors, overheadMs, sorted, rough]) => {
    const dag = fanIn(work);
    expect(exact(dag, executors, overheadMs)).toBeCloseTo(sorted, 9);
    expect(waitOf(dag, executors, overheadMs)).toBeCloseTo(rough, 5);
  });

  test("a chain among them ends later, and is inside or outside", () => {
    // 300 tasks end at 61; three of 100 in a row end at 160, 260 and 360, or follow 303 others inside.
    const first = 300;
    const dag = fanIn([...Array(300).fill(1), 100, 100, 100]);
    dag.from.push(first, first + 1);
    dag.to.push(first + 1, first + 2);
    const graph = view(dag);
    for (const executors of [3, 100]) {
      const [got, best] = [
        partEnds(graph, executors, 60, forward(graph)).before[dag.n - 1]!,
        exact(dag, executors, 60),
      ];
      expect(got).toBeLessThanOrEqual(best + 1e-9);
      expect(got).toBeGreaterThan(best - 299 / 256 - 1e-6);
    }
  });

  test("one that itself waits for many is inside, and they are not", () => {
    // 300 end at 61 and 50 at 160; the one that waits for the 50 ends at 221, and inside it costs its own 1 after the 160.
    const [ones, hundreds] = [Array<number>(300).fill(1), Array<number>(50).fill(100)];
    const late = ones.length + hundreds.length;
    const dag = {
      n: late + 2,
      from: [...ones.map((_, v) => v), ...hundreds.map((_, v) => ones.length + v), late],
      to: [...ones.map(() => late + 1), ...hundreds.map(() => late), late + 1],
      work: [...ones, ...hundreds, 1, 1],
    };
    expect(exact(dag, Number.POSITIVE_INFINITY, 60)).toBe(161);
    // Whatever buckets round away, it waits no less than the part of the late one takes after its dispatch.
    expect(waitOf(dag, Number.POSITIVE_INFINITY, 60)).toBe(161);
  });

  test("256 are sorted; of 257 each end counts from the beginning of its bucket of 256", () => {
    // Ends at 10 + 1 to 10 + 256, one for each bucket of 255/256 ms: the rough division is below the exact one by less than that.
    for (const [tasks, rough] of [
      [256, false],
      [257, true],
    ] as const) {
      const work = Array.from({ length: tasks }, (_, v) => Math.max(1, v));
      const dag = fanIn(work);
      const [got, best] = [waitOf(dag, 200, 10), exact(dag, 200, 10)];
      if (rough) {
        expect(got).toBeLessThan(best);
        expect(got).toBeGreaterThan(best - 2);
      } else expect(got).toBeCloseTo(best, 9);
    }
  });

  test("is never more than the exact division, and less by no more than a bucket and what lies in one", () => {
    const works = fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 257, maxLength: 300 });
    fc.assert(
      fc.property(works, fc.constantFrom(1, 3, 50, Number.POSITIVE_INFINITY), overheads, (work, executors, o) => {
        const dag = fanIn(work);
        const [got, best] = [waitOf(dag, executors, o), exact(dag, executors, o)];
        expect(got).toBeLessThanOrEqual(best + 1e-9);
        const width = (Math.max(...work) - Math.min(...work)) / 256;
        // No bucket is as wide as 1 ms, so that all of one bucket end together: only where it begins is rounded.
        expect(got).toBeGreaterThanOrEqual(best - width - 1e-6);
      }),
      { numRuns: cases(60) },
    );
  });
});
