import fc from "fast-check";
import { expect, test } from "vitest";
import {
  componentsOf,
  induced,
  lowestTask,
  reversed,
  type SmallGraph,
  smallGraph,
} from "../../../packages/optimizer/src/exact/small-graph.ts";
import { type Dag, dags, shuffle, view } from "../dags.ts";

const bits = (set: number, n: number) => Array.from({ length: n }, (_, v) => v).filter((v) => (set & (1 << v)) !== 0);
const setOf = (tasks: Iterable<number>) => [...tasks].reduce((set, v) => set | (1 << v), 0);

/** What can be reached from each task, by walking. */
function walks(n: number, edges: readonly (readonly [number, number])[]): Set<number>[] {
  const visit = (u: number, seen: Set<number>): Set<number> => {
    for (const [from, to] of edges) {
      if (from !== u || seen.has(to)) continue;
      seen.add(to);
      visit(to, seen);
    }
    return seen;
  };
  return Array.from({ length: n }, (_, u) => visit(u, new Set()));
}

/** Checks a graph against the edges that it should have, in its own numbers. */
function expectGraph(graph: SmallGraph, edges: readonly (readonly [number, number])[], work: readonly number[]): void {
  const { n } = graph;
  const reach = walks(n, edges);
  expect([n, [...graph.work]]).toEqual([work.length, work]);
  expect([...graph.reach]).toEqual(reach.map(setOf));
  expect([...graph.after]).toEqual(reach.map((_, u) => setOf(edges.flatMap(([from, to]) => (from === u ? [to] : [])))));
  expect([...graph.before]).toEqual(
    reach.map((_, v) => setOf(edges.flatMap(([from, to]) => (to === v ? [from] : [])))),
  );
  // An edge is implied where another task lies between its ends.
  const needed = edges.filter(
    ([u, v]) => !reach[u]!.has(v) || ![...reach[u]!].some((between) => reach[between]!.has(v)),
  );
  const pair = ([u, v]: readonly [number, number]) => `${u} ${v}`;
  const kept = [...graph.from].map((u, edge) => pair([u, graph.to[edge]!]));
  expect(kept.sort()).toEqual([...new Set(needed.map(pair))].sort());
  for (const [u, v] of edges) expect(u).toBeLessThan(v);
}

const shuffled = dags.chain((dag) =>
  fc
    .shuffledSubarray(
      Array.from({ length: dag.n }, (_, v) => v),
      { minLength: dag.n },
    )
    .map((order) => shuffle(dag, order)),
);
const edgesOf = (dag: Dag, graph: SmallGraph) => {
  const place = new Map([...graph.task].map((v, at) => [v, at]));
  return dag.from.flatMap((u, edge): [number, number][] => {
    const [from, to] = [place.get(u), place.get(dag.to[edge]!)];
    return from === undefined || to === undefined ? [] : [[from, to]];
  });
};

test("has the plan's edges in a topological order, what is reached, and the edges that no path implies", () => {
  fc.assert(
    fc.property(shuffled, (dag) => {
      const graph = smallGraph(view(dag));
      expect([...graph.task].sort((left, right) => left - right)).toEqual(dag.work.map((_, v) => v));
      expectGraph(
        graph,
        edgesOf(dag, graph),
        [...graph.task].map((v) => dag.work[v]!),
      );
    }),
  );
});

test("of some tasks alone, it has them and the edges between them", () => {
  fc.assert(
    fc.property(shuffled, fc.nat(2 ** 12 - 1), (dag, wanted) => {
      const tasks = bits(wanted, dag.n);
      const graph = smallGraph(view(dag), tasks);
      expect([...graph.task].sort((left, right) => left - right)).toEqual(tasks);
      expectGraph(
        graph,
        edgesOf(dag, graph),
        [...graph.task].map((v) => dag.work[v]!),
      );
    }),
  );
});

test("turned round, each edge goes the other way, and tasks are numbered from the other end", () => {
  fc.assert(
    fc.property(dags, (dag) => {
      const graph = smallGraph(view(dag));
      const back = reversed(graph);
      const last = graph.n - 1;
      const edges = [...graph.from].map((u, edge): [number, number] => [last - graph.to[edge]!, last - u]);
      expectGraph(back, edges, [...graph.work].reverse());
      expect([...back.task]).toEqual([...graph.task].reverse());
    }),
  );
});

test("of a set of tasks, one reaches another where it did, whatever lies between", () => {
  fc.assert(
    fc.property(dags, fc.nat(2 ** 12 - 1), (dag, wanted) => {
      const graph = smallGraph(view(dag));
      const kept = bits(wanted, graph.n);
      const part = induced(graph, setOf(kept));
      const edges = kept.flatMap((u, at) =>
        kept.flatMap((v, to): [number, number][] => ((graph.reach[u]! & (1 << v)) !== 0 ? [[at, to]] : [])),
      );
      expectGraph(
        part,
        edges,
        kept.map((v) => graph.work[v]!),
      );
      expect([...part.task]).toEqual(kept.map((v) => graph.task[v]));
    }),
  );
});

test("components are the tasks that hang together, each once", () => {
  fc.assert(
    fc.property(dags, (dag) => {
      const graph = smallGraph(view(dag));
      const sets = componentsOf(graph);
      expect(sets.reduce((all, set) => all + bits(set, graph.n).length, 0)).toBe(graph.n);
      expect(sets.reduce((all, set) => all | set, 0)).toBe(2 ** graph.n - 1);
      const edges = edgesOf(dag, graph);
      const together = walks(graph.n, [...edges, ...edges.map(([u, v]) => [v, u] as const)]);
      for (const set of sets) {
        for (const v of bits(set, graph.n)) expect(setOf([v, ...together[v]!])).toBe(set);
        expect(lowestTask(set)).toBe(bits(set, graph.n)[0]);
      }
    }),
  );
});
