import {
  findCycle,
  headLengths,
  lowerBounds,
  PlanError,
  planGraph,
  planView,
  planViewFromEdges,
  planViewFromGraph,
  subGraphGraph,
  taskLevels,
  upwardRanks,
  viewWithCosts,
} from "@planloom/plan";
import fc from "fast-check";
import { DirectedGraph } from "graphology";
import { hasCycle, topologicalGenerations } from "graphology-dag";
import { describe, expect, test } from "vitest";
import { cases } from "../support/cases.ts";
import { dag, digraph, type IntegerGraph, plan, planOf, task } from "../support/plans.ts";

const columns = ({ n, edges }: IntegerGraph) => ({ n, from: edges.map(([u]) => u), to: edges.map(([, v]) => v) });

/** graphology's own graph of the same edges; loops allowed, which it reports as cycles. */
function oracle({ n, edges }: IntegerGraph): DirectedGraph {
  const graph = new DirectedGraph();
  for (let v = 0; v < n; v++) graph.addNode(String(v));
  for (const [u, v] of edges) graph.mergeDirectedEdge(String(u), String(v));
  return graph;
}

function thrown(action: () => unknown): PlanError {
  try {
    action();
  } catch (error) {
    if (error instanceof PlanError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("planView", () => {
  const diamond = planOf([
    task({ task_id: "d", dependencies: ["b", "c"] }),
    task({ task_id: "b", arguments: { x: "${rows.id}" }, estimate_data: { duration_ms: 20, output_bytes: 8 } }),
    task({ task_id: "c", dependencies: ["a", "a"], execution_type: "tool", tool_id: "s/t" }),
    task({ task_id: "a", result_variable: "rows", estimate_data: { tokens: 7, failure_probability: 0.5 } }),
  ]);

  test("has the declared and the implied edges, each once, neighbours ascending", () => {
    const view = planView(diamond);
    const row = (pointer: Int32Array, values: Int32Array, id: string) =>
      [...values.slice(pointer[view.indexOf(id)]!, pointer[view.indexOf(id) + 1]!)].map((v) => view.ids[v]);
    expect(view.ids).toEqual(["d", "b", "c", "a"]);
    expect(row(view.inPtr, view.in, "d")).toEqual(["b", "c"]);
    expect(row(view.outPtr, view.out, "a")).toEqual(["b", "c"]);
    expect(row(view.inPtr, view.in, "c")).toEqual(["a"]);
    expect([...view.topo].map((v) => view.ids[v])).toEqual(["a", "b", "c", "d"]);
    expect(view.indexOf("nobody")).toBe(-1);
  });

  test("has costs from the estimates, 1000 ms where there is none", () => {
    const view = planView(diamond);
    expect([...view.work]).toEqual([1000, 20, 1000, 1000]);
    expect([...view.tokens]).toEqual([0, 0, 0, 7]);
    expect([...view.outBytes]).toEqual([0, 8, 0, 0]);
    expect([...view.outTokens]).toEqual([0, 2, 0, 0]);
    expect([...view.failProb]).toEqual([0, 0, 0, 0.5]);
    expect(view.affinity[0]).toBe(view.affinity[1]);
    expect(view.affinity[2]).not.toBe(view.affinity[0]);
  });

  test.for([
    {
      name: "a duplicate id",
      tasks: [task({ task_id: "a" }), task({ task_id: "a" })],
      code: "PLAN_DUPLICATE_TASK",
      details: { task_id: "a" },
    },
    {
      name: "an unknown dependency",
      tasks: [task({ task_id: "a", dependencies: ["z"] })],
      code: "PLAN_UNKNOWN_DEPENDENCY",
      details: { task_id: "a", dependency: "z" },
    },
    {
      name: "a self-dependency",
      tasks: [task({ task_id: "a", arguments: { x: "${a}" } })],
      code: "PLAN_CYCLE",
      details: { path: ["a", "a"] },
    },
    {
      name: "a cycle of declared and implied edges",
      tasks: [
        task({ task_id: "w", dependencies: ["c"] }),
        task({ task_id: "a", dependencies: ["b"] }),
        task({ task_id: "b", arguments: { x: "${c.id}" } }),
        task({ task_id: "c", dependencies: ["a"] }),
      ],
      code: "PLAN_CYCLE",
      details: { path: ["a", "b", "c", "a"] },
    },
  ])("refuses $name", ({ tasks, code, details }) => {
    const error = thrown(() => planView(tasks));
    expect(error.code).toBe(code);
    expect(error.details).toEqual(details);
  });

  test("the same view comes from tasks, from edges and from graphology", () => {
    fc.assert(
      fc.property(plan(), (random) => {
        const view = planView(random);
        const fromGraph = planViewFromGraph(planGraph(random));
        const from: number[] = [];
        for (let v = 0; v < view.n; v++) for (let e = view.outPtr[v]!; e < view.outPtr[v + 1]!; e++) from.push(v);
        const fromEdges = planViewFromEdges({ n: view.n, from, to: view.out, work: view.work, ids: view.ids });
        for (const key of ["ids", "outPtr", "out", "inPtr", "in", "topo", "work"] as const) {
          expect(fromGraph[key]).toEqual(view[key]);
          expect(fromEdges[key]).toEqual(view[key]);
        }
      }),
      { numRuns: cases(50) },
    );
  });

  test("a chain of 200,000 tasks needs no recursion", () => {
    const n = 200_000;
    const from = Array.from({ length: n - 1 }, (_, i) => i + 1);
    const to = from.map((v) => v - 1);
    expect(upwardRanks(planViewFromEdges({ n, from, to }))[n - 1]).toBe(n * 1000);
    const error = thrown(() => planViewFromEdges({ n, from: [...from, 0], to: [...to, n - 1] }));
    expect(error.code).toBe("PLAN_CYCLE");
  });
});

describe("planViewFromEdges", () => {
  test("takes every cost, and refuses what is none with its name", () => {
    const edges = { n: 2, from: [0], to: [1] };
    const costs = {
      work: [5, 6],
      tokens: [1, 2],
      outBytes: [3, 4],
      outTokens: [7, 8],
      failProb: [0, 0.5],
      affinity: [0, 1],
    };
    expect(planViewFromEdges({ ...edges, ...costs })).toMatchObject(
      Object.fromEntries(Object.entries(costs).map(([name, column]) => [name, expect.objectContaining(column)])),
    );
    const refusal = (more: object) => {
      const { code, message } = thrown(() => planViewFromEdges({ ...edges, ...more }));
      return `${code} ${message}`;
    };
    expect(refusal({ outbytes: [1, 2] })).toContain("PLAN_OPTION");
    expect(refusal({ work: [5] })).toBe("PLAN_INVALID Expected `work` to be one entry for each of 2 tasks, got 1.");
    expect(refusal({ work: [5, Number.NaN] })).toContain("`work[1]` to be a finite number of at least 0, got NaN");
    expect(refusal({ failProb: [0, 1.5] })).toContain("`failProb[1]` to be a number from 0 to 1, got 1.5");
    expect(refusal({ affinity: [0, 0.5] })).toContain("`affinity[1]`");
    expect(refusal({ n: Number.POSITIVE_INFINITY })).toContain("PLAN_INVALID");
    expect(refusal({ to: undefined })).toContain("PLAN_INVALID");
    const view = planViewFromEdges(edges);
    expect(thrown(() => viewWithCosts(view, { work: Float64Array.of(1) })).message).toContain("`work`");
  });

  test.for([
    { name: "a negative end", from: [-1], to: [0] },
    { name: "an end past the last task", from: [0], to: [2] },
    { name: "a fraction", from: [0.5], to: [1] },
  ])("refuses $name", ({ from, to }) => {
    expect(thrown(() => planViewFromEdges({ n: 2, from, to })).code).toBe("PLAN_UNKNOWN_DEPENDENCY");
  });

  test("refuses columns of different length", () => {
    expect(thrown(() => planViewFromEdges({ n: 2, from: [0], to: [] })).code).toBe("PLAN_INVALID");
  });

  test("orders as graphology-dag does: every edge forward, levels equal", () => {
    fc.assert(
      fc.property(dag({ maxTasks: 25 }), (graph) => {
        const view = planViewFromEdges(columns(graph));
        const position = new Map([...view.topo].map((v, at) => [v, at]));
        expect(position.size).toBe(graph.n);
        for (const [u, v] of graph.edges) expect(position.get(u)).toBeLessThan(position.get(v)!);
        expect(view.inOrder).toBe(graph.edges.every(([u, v]) => u < v));
        const levels = taskLevels(view);
        const generations = topologicalGenerations(oracle(graph));
        expect(view.levelPtr).toHaveLength(generations.length + 1);
        generations.forEach((generation, level) => {
          for (const id of generation) expect(levels[Number(id)]).toBe(level);
          const own = view.topo.subarray(view.levelPtr[level], view.levelPtr[level + 1]);
          expect([...own].map(String).sort()).toEqual([...generation].sort());
        });
      }),
    );
  });

  test("finds a cycle exactly when graphology-dag does, and the witness is one", () => {
    fc.assert(
      fc.property(digraph(), (graph) => {
        const ids = Array.from({ length: graph.n }, (_, v) => `t${v}`);
        const dependencies = ids.map((_, v) => graph.edges.filter(([, to]) => to === v).map(([from]) => `t${from}`));
        const cycle = findCycle(ids, dependencies);
        expect(cycle !== undefined).toBe(hasCycle(oracle(graph)));
        if (cycle === undefined) return;
        expect(cycle.at(-1)).toBe(cycle[0]);
        expect(new Set(cycle).size).toBe(cycle.length - 1);
        for (let i = 0; i + 1 < cycle.length; i++) expect(dependencies[ids.indexOf(cycle[i]!)]).toContain(cycle[i + 1]);
        expect(thrown(() => planViewFromEdges({ ...columns(graph), ids })).details.path).toEqual(cycle);
      }),
    );
  });
});

describe("findCycle", () => {
  test("sees a cycle through names that every object owns", () => {
    expect(findCycle(["constructor", "__proto__"], [["__proto__"], ["constructor"]])).toEqual([
      "constructor",
      "__proto__",
      "constructor",
    ]);
  });
  test("ignores names that are no id", () => {
    expect(findCycle(["a"], [["b"]])).toBeUndefined();
  });
});

describe("bounds", () => {
  const weighted = dag({ minTasks: 1 }).chain((graph) =>
    fc
      .array(fc.nat(100), { minLength: graph.n, maxLength: graph.n })
      .map((work) => ({ graph, view: planViewFromEdges({ ...columns(graph), work }), work })),
  );

  /** The definition itself: the longest path from `v`, by trying every way. */
  const longestFrom = (graph: DirectedGraph, work: readonly number[], v: string): number =>
    work[Number(v)]! + Math.max(0, ...graph.outNeighbors(v).map((next) => longestFrom(graph, work, next)));

  test("upward ranks are the longest remaining paths", () => {
    fc.assert(
      fc.property(weighted, ({ graph, view, work }) => {
        const reference = oracle({ ...graph, edges: graph.edges.slice(0, 14) });
        const small = planViewFromEdges({ ...columns({ ...graph, edges: graph.edges.slice(0, 14) }), work });
        const ranks = upwardRanks(small);
        for (let v = 0; v < graph.n; v++) expect(ranks[v]).toBe(longestFrom(reference, work, String(v)));
        const heads = headLengths(view);
        expect(Math.max(...upwardRanks(view).map((rank, v) => rank + heads[v]!))).toBe(
          lowerBounds(view, 1).criticalPath,
        );
      }),
      { numRuns: cases(60) },
    );
  });

  test("no list schedule beats the bound, and one executor reaches it", () => {
    fc.assert(
      fc.property(weighted, fc.integer({ min: 1, max: 4 }), ({ view, work }, k) => {
        const end = new Float64Array(view.n);
        const free = new Float64Array(k);
        for (const v of view.topo) {
          let start = Math.min(...free);
          const executor = free.indexOf(start);
          for (let e = view.inPtr[v]!; e < view.inPtr[v + 1]!; e++) start = Math.max(start, end[view.in[e]!]!);
          end[v] = free[executor] = start + work[v]!;
        }
        const { best } = lowerBounds(view, k);
        expect(Math.max(...end)).toBeGreaterThanOrEqual(best - 1e-6);
        if (k === 1) expect(Math.max(...end)).toBe(best);
      }),
    );
  });

  test("unlimited executors leave the critical path", () => {
    const view = planViewFromEdges({ n: 3, from: [0], to: [1], work: [5, 6, 7] });
    expect(lowerBounds(view, Number.POSITIVE_INFINITY)).toEqual({ criticalPath: 11, work: 0, best: 11 });
    expect(lowerBounds(view, 1)).toEqual({ criticalPath: 11, work: 18, best: 18 });
    expect(() => lowerBounds(view, 0)).toThrow(RangeError);
  });
});

describe("graphology views", () => {
  test("a node carries its task", () => {
    const only = task({ task_id: "a" });
    expect(planGraph([only]).getNodeAttribute("a", "task")).toBe(only);
  });

  test("an id that every object owns is refused with its name, not lost", () => {
    const trap = { ...task({ task_id: "a" }), task_id: "constructor" };
    expect(thrown(() => planGraph([trap])).message).toContain('"constructor"');
    expect(planView([trap]).indexOf("constructor")).toBe(0);
  });

  test("the quotient has one node a subgraph", () => {
    const [a, b] = [task({ task_id: "a" }), task({ task_id: "b" })];
    const graph = subGraphGraph([
      { subgraph_id: "s1", tasks: [b], dependencies: ["s0", "s0"] },
      { subgraph_id: "s0", tasks: [a], dependencies: [] },
    ]);
    expect(graph.nodes()).toEqual(["s1", "s0"]);
    expect(graph.inNeighbors("s1")).toEqual(["s0"]);
    expect(graph.getNodeAttribute("s0", "tasks")).toEqual([a]);
    const dangling = [{ subgraph_id: "s", tasks: [], dependencies: ["gone"] }];
    expect(thrown(() => subGraphGraph(dangling)).code).toBe("PLAN_UNKNOWN_DEPENDENCY");
  });

  test("a graph of one's own needs no task: `work` is enough", () => {
    const graph = new DirectedGraph();
    graph.addNode("a", { work: 3 });
    graph.addNode("b");
    graph.addDirectedEdge("a", "b");
    expect([...planViewFromGraph(graph).work]).toEqual([3, 1000]);
    graph.addDirectedEdge("b", "a");
    expect(thrown(() => planViewFromGraph(graph)).details.path).toEqual(["a", "b", "a"]);
  });
});
