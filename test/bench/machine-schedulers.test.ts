import {
  generateWorkload,
  generatorNames,
  heft,
  machineProblem,
  machineSchedule,
  machineScheduleFaults,
  machineSchedulers,
  machineStrategies,
  machinesOf,
} from "@planloom/bench";
import {
  completeEnvironment,
  type EnvironmentInput,
  lowerBound,
  makespan,
  OptimizerErrorCode,
  verify,
} from "@planloom/optimizer";
import { type PlanView, planViewFromEdges, viewWithCosts } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { machinesOfInstance, randomInstance, sagaDataSets } from "./saga-instances.ts";

type Edge = readonly [from: number, to: number, bytes: number];

/** A plan with a size for each edge. */
function graph(work: readonly number[], edges: readonly Edge[]): { view: PlanView; edgeBytes: Float64Array } {
  const view = planViewFromEdges({ n: work.length, from: edges.map(([u]) => u), to: edges.map(([, v]) => v), work });
  const size = new Map(edges.map(([u, v, bytes]) => [`${u} ${v}`, bytes]));
  const edgeBytes = new Float64Array(view.out.length);
  for (let u = 0; u < view.n; u++) {
    for (let at = view.outPtr[u]!; at < view.outPtr[u + 1]!; at++) edgeBytes[at] = size.get(`${u} ${view.out[at]}`)!;
  }
  return { view, edgeBytes };
}

/** An example of a paper: what each task takes on three machines, and what each edge takes between any two of them. Tasks from 1. */
function example(costs: readonly (readonly number[])[], edges: readonly Edge[]) {
  const { view, edgeBytes } = graph(
    costs.map(() => 1),
    edges.map(([u, v, each]) => [u - 1, v - 1, each]),
  );
  return machineProblem(view, { machines: [{}, {}, {}], rates: 1, costs, edgeBytes });
}

describe("examples of the papers", () => {
  // Topcuoglu, Hariri and Wu 2002, figure 2 and table 1.
  const ofHeft = example(
    [
      [14, 16, 9],
      [13, 19, 18],
      [11, 13, 19],
      [13, 8, 17],
      [12, 13, 10],
      [13, 16, 9],
      [7, 15, 11],
      [5, 11, 14],
      [18, 12, 20],
      [21, 7, 16],
    ],
    [
      [1, 2, 18],
      [1, 3, 12],
      [1, 4, 9],
      [1, 5, 11],
      [1, 6, 14],
      [2, 8, 19],
      [2, 9, 16],
      [3, 7, 23],
      [4, 8, 27],
      [4, 9, 23],
      [5, 9, 13],
      [6, 8, 15],
      [7, 10, 17],
      [8, 10, 11],
      [9, 10, 13],
    ],
  );
  // Arabnejad and Barbosa 2014, figure 1 and table 1.
  const ofPeft = example(
    [
      [22, 21, 36],
      [22, 18, 18],
      [32, 27, 43],
      [7, 10, 4],
      [29, 27, 35],
      [26, 17, 24],
      [14, 25, 30],
      [29, 23, 36],
      [15, 21, 8],
      [13, 16, 33],
    ],
    [
      [1, 2, 17],
      [1, 3, 31],
      [1, 4, 29],
      [1, 5, 13],
      [1, 6, 7],
      [2, 8, 3],
      [2, 9, 30],
      [3, 7, 16],
      [4, 8, 11],
      [4, 9, 7],
      [5, 9, 57],
      [6, 8, 5],
      [7, 10, 9],
      [8, 10, 42],
      [9, 10, 7],
    ],
  );

  test.each([
    ["heft", ofHeft, 80],
    ["cpop", ofHeft, 86],
    ["peft", ofPeft, 122],
    ["heft", ofPeft, 133],
  ] as const)("%s takes what its paper says", (name, problem, expected) => {
    const schedule = machineSchedulers[name](problem);
    expect(schedule.makespanMs).toBe(expected);
    expect(machineScheduleFaults(problem, schedule)).toEqual([]);
  });
});

/** Makespans of SAGA 2.1.0 with its sets in the order of names: heft, peft, cpop, min-min, max-min, etf. */
const saga = [
  [44.710428113, 44.710428113, 44.710428113, 49.689143615, 44.944886894, 51.922257869],
  [26.312360694, 26.38831111, 26.035400601, 30.447171337, 27.999751068, 41.579384529],
  [42.492787929, 41.776547723, 42.492787929, 43.223812271, 43.83696841, 51.198913087],
  [46.786142981, 45.63220505, 46.786142981, 52.797638515, 53.915738956, 69.182832403],
  [42.372064011, 42.372064011, 44.065394987, 55.157196451, 51.061652958, 59.923691242],
  [55.224475953, 52.393973034, 53.190156268, 63.220323639, 62.864876213, 78.359774711],
  [51.999747584, 49.040201689, 49.990407453, 53.56766665, 52.515413517, 60.410966833],
  [52.793489259, 53.815912569, 52.640326149, 58.147760197, 55.183902967, 103.781090398],
  [80.703600489, 77.57868444, 75.954866135, 87.065965619, 78.173216365, 100.860455181],
  [51.553752924, 50.156536327, 51.553752924, 59.703440149, 56.530681811, 63.210141514],
  [82.132573166, 82.10784084, 79.743207632, 91.613062573, 87.838903652, 101.059120478],
  [65.034864984, 62.50891357, 64.478808444, 77.675140704, 83.035766199, 78.509894971],
];
const names = ["heft", "peft", "cpop", "min-min", "max-min", "etf"] as const;

describe("SAGA", () => {
  test.each(saga.map((row, at) => [at + 1, row] as const))(
    "instance %i: all take the same, where equals go in the order of their numbers",
    (seed, row) => {
      const { view, machines } = machinesOfInstance(randomInstance(seed));
      const problem = machineProblem(view, { ...machines, conventions: "saga" });
      for (const name of names) {
        expect([name, machineSchedulers[name](problem).makespanMs.toFixed(6)]).toEqual([
          name,
          row[names.indexOf(name)]!.toFixed(6),
        ]);
      }
    },
  );

  test("its data sets of trees and chains hold 84 different instances, each of one entry and one exit", () => {
    const instances = sagaDataSets();
    expect(new Set(instances.map((each) => JSON.stringify({ ...each, name: "" }))).size).toBe(84);
    for (const instance of instances) {
      const { view } = machinesOfInstance(instance);
      const ends = (pointer: Int32Array) =>
        Array.from({ length: view.n }, (_, v) => v).filter((v) => pointer[v] === pointer[v + 1]);
      expect([ends(view.inPtr).length, ends(view.outPtr).length], instance.name).toEqual([1, 1]);
    }
  });

  test("schedules by its conventions are without faults too", () => {
    for (const instance of sagaDataSets()) {
      const { view, machines } = machinesOfInstance(instance);
      const problem = machineProblem(view, { ...machines, conventions: "saga" });
      for (const scheduler of Object.values(machineSchedulers))
        expect(machineScheduleFaults(problem, scheduler(problem)), instance.name).toEqual([]);
    }
  });
});

describe.each(Object.keys(machineSchedulers) as (keyof typeof machineSchedulers)[])("%s", (name) => {
  test("schedules are without faults, on machines that differ in speed, rates and memory", () => {
    for (const family of generatorNames) {
      const { view } = generateWorkload(family, 40, 3);
      const problem = machineProblem(view, {
        machines: [{ speed: 1 }, { speed: 3, pricePerHour: 2 }, { speed: 0.5, memoryBytes: 5 }],
        rates: [
          [1, 2, 0.1],
          [2, 1, 4],
          [0.1, 4, 1],
        ],
        latencyMs: 3,
        memoryOf: Float64Array.from({ length: view.n }, (_, v) => v % 10),
      });
      const schedule = machineSchedulers[name](problem);
      expect(machineScheduleFaults(problem, schedule)).toEqual([]);
      schedule.machine.forEach((machine, v) => {
        expect(machine === 2 && v % 10 > 5).toBe(false);
      });
      const busyMs = schedule.endMs.reduce(
        (sum, end, v) => sum + (schedule.machine[v] === 1 ? end - schedule.startMs[v]! : 0),
        0,
      );
      expect(schedule.price).toBeCloseTo((busyMs * 2) / 3_600_000, 9);
    }
  });

  test("one machine does one task after another, whatever is sent", () => {
    const { view } = generateWorkload("layered", 30, 2);
    const { makespanMs } = machineSchedulers[name](machineProblem(view, { machines: [{ speed: 2 }], rates: 1e-6 }));
    expect(makespanMs).toBeCloseTo(view.work.reduce((sum, each) => sum + each, 0) / 2, 6);
  });
});

test("faults of a schedule are found", () => {
  const { view, edgeBytes } = graph([2, 2], [[0, 1, 10]]);
  const problem = machineProblem(view, { machines: [{}, {}], rates: 1, edgeBytes });
  const right = heft(problem);
  const early = { ...right, machine: Int32Array.of(0, 1) };
  expect(machineScheduleFaults(problem, early)).toEqual([expect.stringContaining("starts before the output")]);
  const beside = { ...right, startMs: Float64Array.of(0, 1), endMs: Float64Array.of(2, 3) };
  expect(machineScheduleFaults(problem, beside)).toHaveLength(2);
});

test("a schedule is asked for by name", () => {
  const { view } = generateWorkload("chain", 4, 1);
  expect(machineSchedule("heft", view, { machines: [{ speed: 2 }] }).makespanMs).toBeGreaterThan(0);
});

test.for([
  [{ machines: [] }, /at least one machine/],
  [{ machines: [{ speed: 0 }] }, /machines\[0\]\.speed.*above 0, got 0/],
  [
    {
      machines: [{}, {}],
      rates: [
        [1, 0],
        [1, 1],
      ],
    },
    /rates\[0\]\[1\]/,
  ],
  [{ machines: [{}], costs: [[1]] }, /a row for each of 2 tasks/],
  [{ machines: [{}], edgeBytes: [1, 2] }, /1 sizes/],
  [{ machines: [{ memoryBytes: 1 }], memoryOf: [2, 0] }, /one on which task "0" can run/],
] as const)("%j is refused", ([input, message]) => {
  const { view } = graph([1, 1], [[0, 1, 1]]);
  expect(() => machineProblem(view, input as never)).toThrow(
    expect.objectContaining({ code: OptimizerErrorCode.ENVIRONMENT, message: expect.stringMatching(message) }),
  );
});

test("a field that is not known is refused", () => {
  const { view } = graph([1, 1], [[0, 1, 1]]);
  expect(() => machineProblem(view, { machines: [{}], speeds: 3 } as never)).toThrow(
    expect.objectContaining({ code: OptimizerErrorCode.OPTION, message: expect.stringContaining("speeds") }),
  );
});

describe("executors of an environment as machines", () => {
  const input: EnvironmentInput = {
    classes: [
      { name: "fast", count: 1, overheadMs: 100, speed: 4 },
      { name: "slow", count: 2, overheadMs: 20, speed: 0.5 },
    ],
    rates: [
      [Number.POSITIVE_INFINITY, 2],
      [0.5, 8],
    ],
    latencyMs: 5,
  };

  test.for(Object.keys(machineSchedulers) as (keyof typeof machineSchedulers)[])(
    "%s: its schedule takes as long as the simulator says of the same order and placement, and no less than the bound",
    (name) => {
      for (const family of generatorNames) {
        const { view } = generateWorkload(family, 24, 5);
        const environment = completeEnvironment(view, input);
        const problem = machineProblem(view, machinesOf(view, environment));
        const schedule = machineSchedulers[name](problem);
        expect(machineScheduleFaults(problem, schedule)).toEqual([]);
        const order = Int32Array.from(schedule.startMs.keys()).sort(
          (a, b) => schedule.startMs[a]! - schedule.startMs[b]! || schedule.endMs[a]! - schedule.endMs[b]!,
        );
        const singles = { part: Int32Array.from({ length: view.n }, (_, v) => v), count: view.n };
        const simulated = makespan(view, environment, { ...singles, order, placement: schedule.machine });
        expect(simulated).toBeCloseTo(schedule.makespanMs, 6);
        expect(simulated).toBeGreaterThanOrEqual(lowerBound(view, environment) * (1 - 1e-12));
      }
    },
  );

  test.for([...machineStrategies.keys()])(
    "%s as a strategy has that schedule, and the simulator's makespan",
    (name) => {
      const { view } = generateWorkload("layered", 24, 5);
      const environment = completeEnvironment(view, input);
      const partition = machineStrategies.get(name)!.propose(view, environment, { seed: 0, deadlineMs: 1_000 });
      expect(verify(view, environment, partition)).toEqual([]);
      const { makespanMs } = machineSchedule(name as "heft", view, machinesOf(view, environment));
      expect(makespan(view, environment, partition)).toBeCloseTo(makespanMs, 6);
    },
  );

  test("a machine without the memory for a task does not get it", () => {
    const { view } = graph([1, 1], [[0, 1, 1]]);
    const sized = viewWithCosts(view, { outBytes: Float64Array.of(10, 10) });
    const classes = [
      { name: "fast", count: 1, overheadMs: 0, speed: 10, memoryBytes: 15 },
      { name: "slow", count: 1, overheadMs: 0 },
    ];
    const machines = machinesOf(sized, completeEnvironment(sized, { classes }));
    for (const name of Object.keys(machineSchedulers) as (keyof typeof machineSchedulers)[])
      expect(machineSchedule(name, sized, machines).machine[1], name).toBe(1);
    expect([...machineSchedule("heft", sized, machines).machine]).toEqual([0, 1]);
  });

  test.for([
    [{ executors: Number.POSITIVE_INFINITY, overheadMs: 1 }, /executors to be a finite number, got Infinity/],
    [{ semantics: "streaming", overheadMs: 1 }, /semantics to be "atomic", got streaming/],
    [
      { contextTokens: 100 },
      /contextTokens to be no limit, which list schedulers of single tasks do not keep, got 100/,
    ],
  ] as const)("%j is refused, since list schedulers of single tasks do not know it", ([given, says]) => {
    const { view } = generateWorkload("layered", 8, 1);
    expect(() => machinesOf(view, completeEnvironment(view, given))).toThrow(
      expect.objectContaining({ code: OptimizerErrorCode.ENVIRONMENT, message: expect.stringMatching(says) }),
    );
  });
});
