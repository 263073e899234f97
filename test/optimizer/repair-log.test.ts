import { completeEnvironment, type EnvironmentInput, repair } from "@planloom/optimizer";
import { describe, expect, test } from "vitest";
import { view } from "./dags.ts";

const ones = (n: number) => Array<number>(n).fill(1);
/** Edges as `"0>1"`. */
const graphOf = (n: number, edges: readonly string[], costs: Parameters<typeof view>[1] = {}) => {
  const pairs = edges.map((edge) => edge.split(">").map(Number) as [number, number]);
  return view({ n, from: pairs.map(([from]) => from), to: pairs.map(([, to]) => to), work: ones(n) }, costs);
};
const fork = graphOf(4, ["0>1", "1>2", "0>3"]);
const free = completeEnvironment(fork, { executors: 4, overheadMs: 1 });
const groupsOf = ({ part, count }: { part: Int32Array; count: number }) =>
  Array.from({ length: count }, (_, p) => [...part.keys()].filter((v) => part[v] === p).join(""));

describe("what is said of a candidate that is put right", () => {
  test.for<{ name: string; candidate: unknown; log: object[]; groups?: string[] }>([
    {
      name: "no grouping",
      candidate: 7,
      log: [{ code: "unreadable", message: "The candidate is not a grouping.", tasks: [], total: 0 }],
    },
    {
      name: "a getter that throws after something was found",
      candidate: {
        groups: [
          ["x"],
          {
            get taskIds() {
              throw new Error("no");
            },
          },
        ],
      },
      log: [{ code: "unreadable" }],
    },
    {
      name: "parts of the wrong length",
      candidate: { part: [0, 0, 0], count: 1 },
      log: [{ code: "unreadable" }],
    },
    {
      name: "parts without a task",
      candidate: { part: Int32Array.of(0, 0, 2, 3), count: 6 },
      log: [{ code: "empty-group", message: "3 group(s) held no task.", tasks: [], total: 3 }],
      groups: ["01", "2", "3"],
    },
    {
      name: "numbers of parts beyond the tasks, each a group",
      candidate: { part: [4, 4, 900, 900], count: 2 },
      log: [],
      groups: ["01", "23"],
    },
    { name: "a count that is no number", candidate: { part: [0, 0, 0, 0], count: "9" }, log: [] },
    { name: "a count below 0", candidate: { part: [0, 0, 0, 0], count: -3 }, log: [] },
    { name: "a count that is infinite", candidate: { part: [0, 0, 0, 0], count: Number.POSITIVE_INFINITY }, log: [] },
    {
      name: "groups without a task",
      candidate: { groups: [[], { tasks: ["0", "1", "2", "3"] }, null] },
      log: [{ code: "empty-group", message: "2 group(s) held no task.", tasks: [], total: 2 }],
      groups: ["0123"],
    },
    {
      name: "ids that no task has, of which five are named and none at length",
      candidate: [["0", "1", "2", "3", "x".repeat(99), null, {}, 44, "y", "z", "w"]],
      log: [
        {
          code: "unknown-task",
          message: "7 id(s) belong to no task.",
          tasks: ["x".repeat(80), "object", "object", "number", "y"],
          total: 7,
        },
      ],
    },
    { name: "ids as numbers", candidate: { groups: [{ task_ids: [0, 1] }, { task_ids: [2, 3] }] }, log: [] },
    {
      name: "a task in several groups stays where most of its neighbours are, dependents too",
      candidate: [
        ["0", "2"],
        ["0", "1", "3"],
      ],
      log: [{ code: "duplicate-task", message: "1 task(s) were in several groups.", tasks: ["0"], total: 1 }],
      groups: ["013", "2"],
    },
    {
      name: "of groups with as many neighbours the first keeps it",
      candidate: [["0", "3"], ["1", "0"], ["2"]],
      log: [{ code: "duplicate-task", tasks: ["0"], total: 1 }],
      groups: ["03", "1", "2"],
    },
    {
      name: "a task twice in one group",
      candidate: [["0", "0", "1"], ["2"], ["3"]],
      log: [],
      groups: ["01", "2", "3"],
    },
  ])("$name", ({ candidate, log, groups }) => {
    const repaired = repair(fork, free, candidate);
    expect(repaired.log).toHaveLength(log.length);
    expect(repaired.log).toMatchObject(log);
    if (groups !== undefined) expect(groupsOf(repaired.partition)).toEqual(groups);
  });

  test("of many tasks five are named", () => {
    const seven = graphOf(7, []);
    const environment = completeEnvironment(seven);
    const missing = repair(seven, environment, []).log.at(-1);
    expect(missing).toMatchObject({ code: "missing-task", total: 7, tasks: ["0", "1", "2", "3", "4"] });
    const ids = ["0", "1", "2", "3", "4", "5", "6"];
    const [twice] = repair(seven, environment, [ids, ids]).log;
    expect(twice).toMatchObject({ code: "duplicate-task", total: 7, tasks: ["0", "1", "2", "3", "4"] });
  });

  test("a partition with an order, or as a plain list, comes back as a new one, with nothing moved", () => {
    for (const candidate of [
      { part: Int32Array.of(1, 1, 0, 2), count: 3, order: Int32Array.of(1, 0, 2) },
      { part: [1, 1, 0, 2], count: 3 },
    ]) {
      const { partition, moved, log } = repair(fork, free, candidate);
      expect(partition).not.toBe(candidate);
      expect([...partition.part]).toEqual([0, 0, 1, 2]);
      expect({ moved, log }).toEqual({ moved: 0, log: [] });
    }
  });

  test("groups that wait for one another", () => {
    const crossed = graphOf(4, ["0>1", "2>3"]);
    const candidate = { part: Int32Array.of(0, 1, 1, 0), count: 2 };
    const cut = repair(crossed, completeEnvironment(crossed, { executors: 4, overheadMs: 0 }), candidate);
    expect(cut.log).toEqual([
      {
        code: "cycle-split",
        message: "Groups of 4 tasks waited for one another and were cut into runs.",
        tasks: ["0", "1", "2", "3"],
        total: 4,
      },
    ]);
    const merged = repair(crossed, completeEnvironment(crossed, { executors: 1, overheadMs: 50 }), candidate);
    expect(merged.log).toMatchObject([
      { code: "cycle-merge", message: "Groups of 4 tasks waited for one another and became one." },
    ]);
    expect(merged.moved).toBe(2);
  });
});

describe("a task in no group", () => {
  test.for<{ name: string; n: number; edges: string[]; groups: string[][]; expected: string[] }>([
    {
      name: "joins the dependency's group that comes last",
      n: 4,
      edges: ["0>1", "0>2", "1>2", "2>3"],
      groups: [["0"], ["1"], ["3"]],
      expected: ["0", "12", "3"],
    },
    {
      name: "joins the later of two groups, whichever dependency is named first",
      n: 4,
      edges: ["2>0", "0>3", "2>3"],
      groups: [["2"], ["0"], ["1"]],
      expected: ["03", "1", "2"],
    },
    {
      name: "stays alone where its dependent comes before the last of them",
      n: 4,
      edges: ["0>1", "1>2", "0>3", "3>1"],
      groups: [["0"], ["1", "2"]],
      expected: ["03", "12"],
    },
    {
      name: "stays alone with no dependency",
      n: 3,
      edges: ["0>1"],
      groups: [["1"], ["2"]],
      expected: ["0", "1", "2"],
    },
    {
      name: "joins one that joined before it",
      n: 3,
      edges: ["0>1", "1>2"],
      groups: [["0"]],
      expected: ["012"],
    },
  ])("$name", ({ n, edges, groups, expected }) => {
    const graph = graphOf(n, edges);
    expect(groupsOf(repair(graph, completeEnvironment(graph), groups).partition)).toEqual(expected);
  });
});

describe("a group beyond a limit", () => {
  const chain = ["0>1", "1>2", "2>3"];
  const costs = {
    tokens: Float64Array.of(1, 2, 3, 4),
    outTokens: Float64Array.of(5, 6, 7, 8),
    affinity: Int32Array.of(0, 0, 1, 1),
  };
  const graph = graphOf(4, chain, costs);
  const whole = { part: Int32Array.of(0, 0, 0, 0), count: 1 };
  test.for<{ name: string; input: EnvironmentInput; groups: string[]; unfit?: string[] }>([
    { name: "of tasks", input: { maxTasks: 3 }, groups: ["012", "3"] },
    { name: "of exactly as many tasks stays", input: { maxTasks: 4 }, groups: ["0123"] },
    { name: "of classes that are kept apart", input: { affinity: "hard" }, groups: ["01", "23"] },
    { name: "of tokens, its own outputs not counted", input: { contextTokens: 10 }, groups: ["0123"] },
    // 1+2+3 fits 13 with room; the next run reads the 7 tokens of task 2, beside 4 of its own.
    {
      name: "of tokens, with what it reads from the run before",
      input: { contextTokens: 11 - 2 },
      groups: ["012", "3"],
      unfit: ["3"],
    },
    {
      name: "of tokens that every dispatch costs",
      input: { contextTokens: 12, baseTokens: 3 },
      groups: ["012", "3"],
      unfit: ["3"],
    },
    {
      name: "of what no one class of executors serves",
      input: {
        classes: [
          { name: "first", count: 1, overheadMs: 0, serves: [0] },
          { name: "second", count: 1, overheadMs: 0, serves: [1] },
        ],
      },
      groups: ["01", "23"],
    },
    {
      name: "of what nobody serves even alone",
      input: { classes: [{ name: "first", count: 1, overheadMs: 0, serves: [0] }] },
      groups: ["01", "2", "3"],
      unfit: ["2", "3"],
    },
  ])("$name", ({ input, groups, unfit = [] }) => {
    const repaired = repair(graph, completeEnvironment(graph, input), whole);
    expect(groupsOf(repaired.partition)).toEqual(groups);
    expect(repaired.unfit).toEqual(unfit);
    const cut = groups.length > 1;
    expect(repaired.log.map(({ code, message }) => [code, message])).toEqual(
      cut ? [["limit-split", "Groups beyond a limit were cut."]] : [],
    );
    expect(repaired.moved).toBe(cut ? 4 - Math.max(...groups.map(({ length }) => length)) : 0);
  });

  test("an output that two tasks of a run read counts once for the run, and again for the next", () => {
    // 0 feeds 1, 2 and 3, which are a group of their own.
    const star = graphOf(4, ["0>1", "0>2", "0>3"], {
      tokens: Float64Array.of(0, 1, 1, 1),
      outTokens: Float64Array.of(10, 0, 0, 0),
    });
    const candidate = { part: Int32Array.of(0, 1, 1, 1), count: 2 };
    const cutAt = (contextTokens: number) =>
      groupsOf(repair(star, completeEnvironment(star, { contextTokens }), candidate).partition);
    expect(cutAt(13)).toEqual(["0", "123"]);
    expect(cutAt(12)).toEqual(["0", "12", "3"]);
    expect(cutAt(11)).toEqual(["0", "1", "2", "3"]);
  });
});
