import { generateWorkload } from "@planloom/bench";
import { completeEnvironment, lowerBound, lowerBounds, repair, simulate, strategies } from "@planloom/optimizer";
import { headLengths, upwardRanks } from "@planloom/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { leastParts } from "../../packages/optimizer/src/bounds/least-parts.ts";
import { affinityPathBound, twoRoundsBound } from "../../packages/optimizer/src/bounds/overhead-bounds.ts";
import { windowBound } from "../../packages/optimizer/src/bounds/window-bound.ts";
import { cases } from "../support/cases.ts";
import { dags, environments, runs, view } from "./dags.ts";
import { enumerateOptimum } from "./exact/enumerate.ts";

function named(dag: Parameters<typeof view>[0], input: Parameters<typeof completeEnvironment>[1]) {
  const graph = view(dag);
  const { all, best } = lowerBounds(graph, completeEnvironment(graph, input));
  return { best: best.ms, ...Object.fromEntries(all.map(({ name, ms }) => [name, ms])) };
}

describe("each bound on a plan that it is made for", () => {
  test("LB1: a path", () => {
    expect(named({ n: 2, from: [0], to: [1], work: [3, 4] }, { executors: 2, overheadMs: 1 })).toMatchObject({
      LB1: 8,
    });
  });
  test("what a bound says has times to the microsecond", () => {
    const graph = view({ n: 2, from: [0], to: [1], work: [0.1, 0.2] });
    const { all } = lowerBounds(graph, completeEnvironment(graph, { executors: 2, overheadMs: 1 }));
    expect(all.find(({ name }) => name === "LB1")?.witness).toBe("one overhead and a path of 0.3 ms");
  });
  test("LB2: work on few executors", () => {
    expect(named({ n: 3, from: [], to: [], work: [4, 4, 4] }, { executors: 2, overheadMs: 1 })).toMatchObject({
      LB2: 7,
    });
  });
  test("LB2: more parts than executors, forced by the context budget", () => {
    const graph = view({ n: 4, from: [], to: [], work: [1, 1, 1, 1] }, { tokens: Float64Array.of(9, 9, 9, 9) });
    const environment = completeEnvironment(graph, { executors: 2, overheadMs: 10, contextTokens: 10, baseTokens: 1 });
    expect(lowerBounds(graph, environment).best).toMatchObject({ name: "LB2", ms: 22 });
  });
  test("LB3: many tasks between a first and a last one", () => {
    const dag = { n: 6, from: [0, 0, 0, 0, 1, 2, 3, 4], to: [1, 2, 3, 4, 5, 5, 5, 5], work: [5, 3, 3, 3, 3, 5] };
    expect(named(dag, { executors: 2, overheadMs: 0 })).toMatchObject({ LB1: 13, LB2: 11, LB3: 16 });
  });
  test("LB5: connected tasks share a dispatch, or two follow one another", () => {
    const dag = { n: 3, from: [0, 0], to: [1, 2], work: [5, 5, 5] };
    expect(named(dag, { executors: 9, overheadMs: 2 })).toMatchObject({ LB1: 12, LB5: 14, best: 14 });
  });
  test("LB6: changes of class on a path", () => {
    const graph = view({ n: 3, from: [0, 1], to: [1, 2], work: [1, 1, 1] }, { affinity: Int32Array.of(0, 1, 0) });
    const environment = completeEnvironment(graph, { executors: 2, overheadMs: 10, affinity: "hard" });
    expect(lowerBounds(graph, environment).best).toMatchObject({ name: "LB6", ms: 33 });
  });
  test("LB7 and LB8: fan-out before and fan-in after one task", () => {
    // Three sources, one task in the middle, three sinks: all in one part is 70, else two overheads more and the rest.
    const dag = { n: 7, from: [0, 1, 2, 3, 3, 3], to: [3, 3, 3, 4, 5, 6], work: [10, 10, 10, 10, 10, 10, 10] };
    expect(named(dag, { executors: 9, overheadMs: 4 })).toMatchObject({ LB5: 28, LB8: 42, best: 42 });
  });
});

describe("LB11: a window with the overheads around it", () => {
  // Two tasks first, then one that waits for both, then nine that wait for it, then the last.
  const nine = Array.from({ length: 9 }, (_, at) => at + 3);
  const from = [0, 1, ...nine.map(() => 2), ...nine];
  const to = [2, 2, ...nine, ...nine.map(() => 12)];

  test("all executors but one pay an overhead after the task that all wait for, and another before the last", () => {
    // A hundred and eight short tasks in the place of the nine. Both first tasks are in the part of the third: from 5 on they take
    // three executors, with two overheads at either end, and 1 more follows.
    const short = Array.from({ length: 108 }, (_, at) => at + 3);
    const dag = {
      n: 112,
      from: [0, 1, ...short.map(() => 2), ...short],
      to: [2, 2, ...short, ...short.map(() => 111)],
      work: [1, 1, 1, ...short.map(() => 1 / 3), 1],
    };
    const { LB11 } = named(dag, { executors: 3, overheadMs: 2 }) as { LB11?: number };
    expect(LB11).toBeCloseTo(5 + (36 + 2 * 2 + 2 * 2) / 3 + 1, 6);
  });
  test("whole tasks fill what is left of the executors", () => {
    const dag = { n: 13, from, to, work: [1, 1, 1, ...nine.map(() => 10), 1] };
    // Within 32 the one without overheads has room for three of them, and each other for two after an overhead at either end.
    expect(named(dag, { executors: 4, overheadMs: 6 })).toMatchObject({ LB11: 9 + 32 + 1 });
  });
  test("executors enough for all tasks: no window", () => {
    const dag = { n: 3, from: [0], to: [1], work: [3, 4, 5] };
    expect(named(dag, { executors: 3, overheadMs: 1 })).not.toHaveProperty("LB11");
    expect(named(dag, { executors: 2, overheadMs: 1, semantics: "pipelined" })).not.toHaveProperty("LB11");
  });
});

test("LB8: of more tasks than there are executors two share one", () => {
  // Three equal tasks on two executors: 2 + 10 for the first two, and the third either after one of these or with the last task.
  const dag = { n: 4, from: [0, 1, 2], to: [3, 3, 3], work: [10, 10, 10, 1] };
  expect(named(dag, { executors: 2, overheadMs: 2 })).toMatchObject({ LB8: 25 });
});

describe("fewer parts than this no valid partition has", () => {
  const classes = Int32Array.of(0, 1, 2, 1);
  const graph = view(
    { n: 4, from: [], to: [], work: [1, 1, 1, 1] },
    { tokens: Float64Array.of(9, 9, 9, 9), affinity: classes },
  );
  const empty = view({ n: 0, from: [], to: [], work: [] });
  const one = { count: 1, why: "at least one" };
  test.for<[string, typeof graph, Parameters<typeof completeEnvironment>[1], { count: number; why: string }]>([
    ["no tasks, no part", empty, {}, { count: 0, why: "at least one" }],
    ["no limits", graph, {}, one],
    [
      "what all parts carry leaves room for one task",
      graph,
      { contextTokens: 12, baseTokens: 3 },
      { count: 4, why: "the context budget" },
    ],
    [
      "two tasks fit, and the last part is not full",
      graph,
      { contextTokens: 21 },
      { count: 2, why: "the context budget" },
    ],
    ["all tasks fit exactly", graph, { contextTokens: 36 }, one],
    ["what all parts carry fills the context", graph, { contextTokens: 9, baseTokens: 9 }, one],
    ["three tasks a part", graph, { maxTasks: 3 }, { count: 2, why: "tasks a part" }],
    ["as many tasks a part as there are", graph, { maxTasks: 4 }, one],
    ["any number of tasks a part", graph, { maxTasks: Number.POSITIVE_INFINITY }, one],
    ["three classes that must not meet", graph, { affinity: "hard" }, { count: 3, why: "hard affinity" }],
    ["classes that should not meet, and may", graph, { affinity: "soft", affinityPenaltyMs: 1 }, one],
    [
      "of several limits the one that asks for most",
      graph,
      { maxTasks: 1, affinity: "hard", contextTokens: 21 },
      { count: 4, why: "tasks a part" },
    ],
    ["of equal ones the first", graph, { maxTasks: 2, contextTokens: 21 }, { count: 2, why: "the context budget" }],
  ])("%s", ([, plan, input, expected]) => {
    const { executors = 2, overheadMs = 10, ...more } = input as { executors?: number; overheadMs?: number };
    const environment = completeEnvironment(plan, { executors, overheadMs, ...more });
    expect(leastParts(plan, environment)).toEqual(expected);
  });

  test("is said where it makes the bound on the work, which it does only where each part waits for an executor", () => {
    const LB2 = (more: object) => {
      const environment = completeEnvironment(graph, { executors: 2, overheadMs: 10, maxTasks: 1, ...more });
      return lowerBounds(graph, environment).all.find(({ name }) => name === "LB2");
    };
    expect(LB2({})).toEqual({ name: "LB2", ms: 22, witness: "all work and 4 dispatches (tasks a part), shared by 2" });
    expect(LB2({ maxTasks: 4 })).toEqual({ name: "LB2", ms: 12, witness: "one overhead and all work, shared by 2" });
    expect(LB2({ overheadMs: 0 })).toEqual({ name: "LB2", ms: 2, witness: "one overhead and all work, shared by 2" });
  });
});

describe("what makes a bound so is said", () => {
  const boundsOf = (dag: Parameters<typeof view>[0], input: Parameters<typeof completeEnvironment>[1]) => {
    const graph = view(dag);
    return lowerBounds(graph, completeEnvironment(graph, input));
  };
  const ids = [..."abcdefg"];

  test("of fan-out before and fan-in after one task", () => {
    // Before d come 14 ms (sources in parts of their own) and as much after it. The part of a source waits for nothing and is
    // followed by 38 ms: its own dispatch and work, 14 of a second part up to d, and the rest.
    const dag = { n: 7, from: [0, 1, 2, 3, 3, 3], to: [3, 3, 3, 4, 5, 6], work: [10, 10, 10, 10, 10, 10, 10], ids };
    expect(boundsOf(dag, { executors: 9, overheadMs: 4 })).toEqual({
      all: [
        { name: "LB1", ms: 34, witness: "one overhead and a path of 30 ms" },
        { name: "LB2", ms: expect.closeTo(4 + 70 / 9, 9), witness: "one overhead and all work, shared by 9" },
        {
          name: "LB3",
          ms: expect.closeTo(4 + 30 / 9 + 20, 9),
          witness: "work between 0 ms after the start and 20 ms before the end",
        },
        { name: "LB5", ms: 28, witness: expect.stringContaining("two dispatches in a row, around") },
        { name: "LB7", ms: 38, witness: "what the part of a waits for, or what waits for it" },
        { name: "LB8", ms: 42, witness: "what comes before and after d, in its part or outside" },
      ],
      best: { name: "LB8", ms: 42, witness: "what comes before and after d, in its part or outside" },
    });
  });

  test("of a fan-in: what comes before its last task", () => {
    const dag = { n: 4, from: [0, 1, 2], to: [3, 3, 3], work: [10, 10, 10, 10], ids: ids.slice(0, 4) };
    expect(boundsOf(dag, { executors: 9, overheadMs: 4 }).all).toContainEqual({
      name: "LB7",
      ms: 28,
      witness: "what the part of d waits for, or what waits for it",
    });
  });

  test("of a window, and of executors with several slots", () => {
    const dag = { n: 6, from: [0, 0, 0, 0, 1, 2, 3, 4], to: [1, 2, 3, 4, 5, 5, 5, 5], work: [5, 3, 3, 3, 3, 5] };
    const { all } = boundsOf(dag, { executors: 1, slots: 2, overheadMs: 7, maxTasks: 1 });
    expect(all).toEqual([
      { name: "LB1", ms: 20, witness: "one overhead and a path of 13 ms" },
      { name: "LB2", ms: 18, witness: "one overhead and all work, shared by 2" },
      { name: "LB3", ms: 23, witness: "work between 5 ms after the start and 5 ms before the end" },
    ]);
  });

  test("of equal bounds the first, and of no tasks at all", () => {
    const alone = boundsOf({ n: 1, from: [], to: [], work: [6] }, { executors: 1, overheadMs: 1 });
    expect(alone.all.map(({ ms }) => ms)).toEqual([7, 7, 7, 7, 7]);
    expect(alone.best).toEqual({ name: "LB1", ms: 7, witness: "one overhead and a path of 6 ms" });
    const nothing = { name: "LB1", ms: 0, witness: "there are no tasks" };
    expect(boundsOf({ n: 0, from: [], to: [], work: [] }, { executors: 1, overheadMs: 1 })).toEqual({
      all: [nothing],
      best: nothing,
    });
  });

  test.for<[string, number, number[], number[], number[], { ms: number; witness: string } | undefined]>([
    ["no edges", 10, [], [], [5, 5], undefined],
    [
      "one dispatch is cheaper than two",
      10,
      [0],
      [1],
      [5, 6],
      { ms: 21, witness: "connected tasks in one dispatch, around a" },
    ],
    [
      "equally dear: one dispatch",
      5,
      [0, 1],
      [1, 2],
      [5, 5, 5],
      { ms: 20, witness: "connected tasks in one dispatch, around a" },
    ],
    [
      "two are, for the two lightest neighbours",
      1,
      [0, 1, 1],
      [1, 2, 3],
      [9, 3, 8, 2],
      { ms: 7, witness: "two dispatches in a row, around a" },
    ],
    [
      "of two components the dearer one",
      10,
      [0, 2],
      [1, 3],
      [1, 1, 4, 4],
      { ms: 18, witness: "connected tasks in one dispatch, around c" },
    ],
    [
      "of equal components the first",
      10,
      [0, 2],
      [1, 3],
      [4, 4, 4, 4],
      { ms: 18, witness: "connected tasks in one dispatch, around a" },
    ],
  ])("two rounds: %s", ([, overheadMs, from, to, work, expected]) => {
    const graph = view({ n: work.length, from, to, work, ids: ids.slice(0, work.length) });
    expect(twoRoundsBound(graph, overheadMs)).toEqual(expected);
  });

  test("a path with its changes of class, which ends where it is longest", () => {
    const dag = { n: 4, from: [0, 1, 0], to: [1, 2, 3], work: [1, 2, 3, 4], ids: [..."abcd"] };
    const classes = { affinity: Int32Array.of(0, 1, 1, 0) };
    const graph = view(dag, classes);
    expect(affinityPathBound(graph, 10)).toEqual({ ms: 26, witness: "a path to c with its changes of class" });
    // Without an overhead a change costs nothing, and of equally long paths the first counts.
    expect(affinityPathBound(graph, 0)).toEqual({ ms: 6, witness: "a path to c with its changes of class" });
    expect(affinityPathBound(view({ ...dag, work: [1, 2, 3, 40] }, classes), 10).witness).toContain("path to d");
  });
});

test.for([
  { tasks: 20_000, names: ["LB1", "LB2", "LB3", "LB7", "LB8", "LB11"] },
  { tasks: 20_001, names: ["LB1", "LB2", "LB3"] },
])("a plan of $tasks tasks has $names", ({ tasks, names }) => {
  const graph = view({ n: tasks, from: [], to: [], work: Array<number>(tasks).fill(1) });
  const { all } = lowerBounds(graph, completeEnvironment(graph, { executors: 4, overheadMs: 5 }));
  expect(all.map(({ name }) => name)).toEqual(names);
});

test("the lower bound of a plan is the best of all", () => {
  const graph = view({ n: 3, from: [0, 1], to: [1, 2], work: [1, 2, 3] });
  expect(lowerBound(graph, completeEnvironment(graph, { executors: 2, overheadMs: 4 }))).toBe(10);
});

test("of tasks with equal bounds the first is named", () => {
  const graph = view({ n: 4, from: [0, 2], to: [1, 3], work: [5, 5, 5, 5], ids: [..."abcd"] });
  const { all } = lowerBounds(graph, completeEnvironment(graph, { executors: 9, overheadMs: 4 }));
  expect(all.filter(({ name }) => name === "LB7" || name === "LB8").map(({ witness }) => witness)).toEqual([
    "what the part of a waits for, or what waits for it",
    "what comes before and after a, in its part or outside",
  ]);
  const classes = view({ n: 2, from: [], to: [], work: [5, 5], ids: ["a", "b"] }, { affinity: Int32Array.of(0, 1) });
  expect(affinityPathBound(classes, 10).witness).toContain("a path to a");
});

test("no bound exceeds the optimum", () => {
  fc.assert(
    fc.property(
      dags.filter((dag) => dag.n <= 6),
      fc.constantFrom(1, 2, 3, Number.POSITIVE_INFINITY),
      fc.constantFrom(0, 1, 4, 20),
      (dag, executors, overheadMs) => {
        const optimum = enumerateOptimum(dag, executors, overheadMs);
        const graph = view(dag);
        for (const { ms } of lowerBounds(graph, completeEnvironment(graph, { executors, overheadMs })).all) {
          expect(ms).toBeLessThanOrEqual(optimum + 1e-9);
        }
      },
    ),
    { numRuns: cases(250) },
  );
});

test("no bound exceeds what any valid partition takes, with or without limits", () => {
  const random = strategies.get("random-valid")!;
  fc.assert(
    fc.property(dags, fc.array(fc.boolean()), environments, fc.nat(), (dag, cuts, base, seed) => {
      const graph = view(dag, { affinity: Int32Array.from({ length: dag.n }, (_, v) => (v * 7 + seed) % 3) });
      for (const extra of [
        {},
        { affinity: "hard" as const },
        { maxTasks: 2 },
        ...(base.semantics !== "streaming" ? [{ slots: 2 }] : []),
      ]) {
        const environment = completeEnvironment(graph, { ...base, ...extra });
        const { all } = lowerBounds(graph, environment);
        const proposals = [
          runs(dag, cuts),
          random.propose(graph, environment, { seed, deadlineMs: Number.POSITIVE_INFINITY }),
        ];
        for (const proposal of proposals) {
          const { partition } = repair(graph, environment, proposal);
          const { makespanMs } = simulate(graph, environment, partition);
          for (const { ms } of all) expect(ms).toBeLessThanOrEqual(makespanMs + 1e-9);
        }
      }
    }),
    { numRuns: cases(300) },
  );
});

test("the window of a small plan is the best there is, and says which it is", () => {
  fc.assert(
    fc.property(dags, fc.constantFrom(1, 2, 5), fc.constantFrom(0, 7), (dag, executors, overheadMs) => {
      const graph = view(dag);
      const heads = headLengths(graph);
      const tails = upwardRanks(graph).map((rank, v) => rank - graph.work[v]!);
      const windowOf = (head: number, tail: number) => {
        const load = graph.work.reduce((sum, own, v) => (heads[v]! >= head && tails[v]! >= tail ? sum + own : sum), 0);
        return overheadMs + head + load / executors + tail;
      };
      const { ms, headMs, tailMs } = windowBound(graph, executors, overheadMs);
      // Of windows that hold a task: one that holds none bounds nothing.
      const held = [...heads].flatMap((head) =>
        [...tails].filter((_, v) => heads[v]! >= head).map((tail) => windowOf(head, tail)),
      );
      const best = Math.max(0, ...held);
      expect(ms).toBeCloseTo(best, 9);
      if (dag.n > 0) expect(windowOf(headMs, tailMs)).toBeCloseTo(ms, 9);
    }),
    { numRuns: cases(200) },
  );
});

test("the window of a large plan in the middle of its paths is found", () => {
  // A first task, 20,000 in the middle that may run at once, and three more: the whole middle fits between 800 and 1,600 ms.
  const middle = 20_000;
  const n = middle + 4;
  const [first, after] = [0, middle + 1];
  const ids = Array.from({ length: middle }, (_, task) => task + 1);
  const from = [...ids.map(() => first), ...ids, after, after + 1];
  const to = [...ids, ...ids.map(() => after), after + 1, after + 2];
  const work = Array.from({ length: n }, (_, v) => (v === first ? 800 : v < after ? 3 : v === after ? 400 : 600));
  const { ms, headMs, tailMs } = windowBound(view({ n, from, to, work }), 4, 50);
  const exact = 50 + 800 + (middle * 3) / 4 + 1_600;
  // Six heads up to half the longest and 1,024 tails are looked at: what lies between is lost.
  expect(ms).toBeLessThanOrEqual(exact);
  expect(ms).toBeGreaterThan(exact - 220);
  expect(headMs).toBeGreaterThan(580);
  expect(headMs).toBeLessThanOrEqual(800);
  expect(tailMs).toBeGreaterThan(1_600 - 3);
  expect(tailMs).toBeLessThanOrEqual(1_600);
});

test("the window of a large plan is the best of six heads and all tails, where tails fall on the limits of buckets", () => {
  // Chains of whole milliseconds; the longest head is 1,200 ms, so that heads are a multiple of 100, and the longest tail 1,024.
  const chains = [
    [200, ...Array<number>(100).fill(10), 24],
    ...Array.from({ length: 600 }, (_, chain) =>
      Array.from({ length: 33 }, (_, at) => 1 + ((chain * 7 + at * 13) % 30)),
    ),
  ];
  const tasks = chains.flatMap((chain) => {
    const after = chain.map((_, at) => chain.slice(at + 1).reduce((sum, own) => sum + own, 0));
    return chain.map((own, at) => ({
      own,
      tail: after[at]!,
      head: after[0]! + chain[0]! - after[at]! - own,
      last: at === 0,
    }));
  });
  expect(tasks.length).toBeGreaterThan(19_000);
  const alone = Array.from({ length: 20_001 - tasks.length }, () => ({ own: 3, tail: 0, head: 0, last: true }));
  const all = [...tasks, ...alone];
  const to = all.flatMap(({ last }, v) => (last ? [] : [v]));
  const graph = view({ n: all.length, from: to.map((v) => v - 1), to, work: all.map(({ own }) => own) });
  for (const executors of [8, 150, 400, Number.POSITIVE_INFINITY]) {
    const windows = [0, 100, 200, 300, 400, 500].flatMap((headMs) => {
      const load = new Float64Array(1_025);
      for (const { own, tail, head } of all) if (head >= headMs) load[tail]! += own;
      for (let tail = 1_023; tail >= 0; tail--) load[tail]! += load[tail + 1]!;
      return [...load].flatMap((own, tailMs) =>
        own === 0 ? [] : [{ ms: 70 + headMs + own / executors + tailMs, headMs, tailMs }],
      );
    });
    const best = windows.reduce((most, each) => (each.ms > most.ms ? each : most));
    const found = windowBound(graph, executors, 70);
    expect(found.ms).toBeCloseTo(best.ms, 4);
    expect(found.headMs).toBeCloseTo(best.headMs, 4);
    expect(found.tailMs).toBeCloseTo(best.tailMs, 4);
  }
});

test("the window of a large plan holds the work that its bound counts", () => {
  const { view: graph } = generateWorkload("layered", 25_000, 3);
  const environment = completeEnvironment(graph, { executors: 64, overheadMs: 500 });
  const { ms, headMs, tailMs } = windowBound(graph, 64, 500);
  const heads = headLengths(graph);
  const ranks = upwardRanks(graph);
  let load = 0;
  for (let v = 0; v < graph.n; v++) {
    if (heads[v]! >= headMs && ranks[v]! - graph.work[v]! >= tailMs) load += graph.work[v]!;
  }
  expect(ms).toBeLessThanOrEqual((500 + headMs + load / 64 + tailMs) * (1 + 1e-9));
  expect(ms).toBeGreaterThan((500 + graph.work.reduce((sum, own) => sum + own, 0) / 64) * (1 - 1e-9));
  const each = strategies.get("level-lpt")!.propose(graph, environment, { seed: 0, deadlineMs: 1 });
  expect(ms).toBeLessThanOrEqual(simulate(graph, environment, each).makespanMs);
});
