import { completeEnvironment } from "@planloom/optimizer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Contraction, type Decisions } from "../../../packages/optimizer/src/exact/contraction.ts";
import { type PartLimits, partLimits } from "../../../packages/optimizer/src/exact/part-limits.ts";
import { type SmallGraph, smallGraph } from "../../../packages/optimizer/src/exact/small-graph.ts";
import { cases } from "../../support/cases.ts";
import { type Dag, dags, view } from "../dags.ts";

const anything: PartLimits = { fits: () => true, mayGrow: () => true };
const none = ({ n, from }: SmallGraph): Decisions => ({
  label: Int8Array.from({ length: n }, (_, v) => v),
  cut: new Uint8Array(from.length),
});
const isOpen = ({ from, to }: SmallGraph, { label, cut }: Decisions, edge: number) =>
  cut[edge] === 0 && label[from[edge]!] !== label[to[edge]!];
const setsOf = (label: ArrayLike<number>) => {
  const sets = new Map<number, number>();
  for (let v = 0; v < label.length; v++) sets.set(label[v]!, (sets.get(label[v]!) ?? 0) | (1 << v));
  return sets;
};

/** When a grouping ends on executors without limit; `Infinity` where parts wait for one another. */
function endOf({ n, from, to, work }: SmallGraph, label: ArrayLike<number>, overheadMs: number): number {
  const end = new Array<number>(n).fill(0);
  const length = [...setsOf(label)].map(([part, set]) => ({
    part,
    ms: overheadMs + work.reduce((sum, own, v) => sum + ((set & (1 << v)) === 0 ? 0 : own), 0),
  }));
  // Longer than any path without a cycle.
  for (let round = 0; round <= n; round++) {
    for (const { part, ms } of length) {
      let start = 0;
      from.forEach((u, edge) => {
        const before = label[u]!;
        if (label[to[edge]!] === part && before !== part) start = Math.max(start, end[before]!);
      });
      if (round === n && end[part]! < start + ms) return Number.POSITIVE_INFINITY;
      end[part] = start + ms;
    }
  }
  return Math.max(0, ...end);
}

/** The earliest end of all groupings that keep the decisions, by enumeration. */
function bestThatKeeps(graph: SmallGraph, { label, cut }: Decisions, overheadMs: number, limits: PartLimits): number {
  const { n, from, to } = graph;
  const group = new Array<number>(n).fill(0);
  let best = Number.POSITIVE_INFINITY;
  const assign = (v: number, count: number): void => {
    if (v === n) {
      const keeps = from.every((u, edge) => cut[edge] === 0 || group[u] !== group[to[edge]!]);
      if (keeps && [...setsOf(group).values()].every((set) => limits.fits(set)))
        best = Math.min(best, endOf(graph, group, overheadMs));
      return;
    }
    for (let p = label[v] === v ? 0 : group[label[v]!]!; p <= (label[v] === v ? count : group[label[v]!]!); p++) {
      group[v] = p;
      assign(v + 1, Math.max(count, p + 1));
    }
  };
  assign(0, 0);
  return best;
}

/** The smallest set that holds both ends of the edge, and with two groups those on paths between them. */
function mergedBy({ n, from, to }: SmallGraph, label: ArrayLike<number>, edge: number): Set<number> {
  const merged = new Set([label[from[edge]!]!, label[to[edge]!]!]);
  const after = (group: number) =>
    [...from.keys()].filter((at) => label[from[at]!] === group).map((at) => label[to[at]!]!);
  const reaches = (group: number, seen = new Set<number>()): boolean => {
    if (seen.has(group)) return false;
    seen.add(group);
    return after(group).some((next) => next !== group && (merged.has(next) || reaches(next, seen)));
  };
  for (let grew = true; grew; ) {
    grew = false;
    for (const group of [...merged].flatMap(after)) {
      if (merged.has(group) || !reaches(group)) continue;
      merged.add(group);
      grew = true;
    }
  }
  return new Set([...Array.from({ length: n }, (_, v) => v)].filter((v) => merged.has(label[v]!)));
}

const overheads = fc.constantFrom(0, 1, 4, 20);
const steps = fc.array(fc.record({ edge: fc.nat(99), together: fc.boolean() }), { maxLength: 6 });
const small = dags.filter(({ n, from }) => n >= 2 && n <= 6 && from.length >= n - 1);

describe("after any decisions", () => {
  const inputs = fc.record({ dag: small, overheadMs: overheads, steps, maxTasks: fc.constantFrom(2, 3, undefined) });

  test("the bound is that of no grouping which keeps them beaten, the value that of all that is open cut", () => {
    let [tight, looked] = [0, 0];
    fc.assert(
      fc.property(inputs, ({ dag, overheadMs, steps: taken, maxTasks }) => {
        const seen = view(dag);
        const graph = smallGraph(seen);
        const environment = completeEnvironment(seen, { executors: 9, overheadMs, ...(maxTasks && { maxTasks }) });
        const limits = partLimits(seen, environment, graph);
        const contraction = new Contraction(graph, overheadMs, limits);
        const decisions = none(graph);
        for (const { edge: number, together } of taken) {
          const open = [...graph.from.keys()].filter((edge) => isOpen(graph, decisions, edge));
          if (open.length === 0) break;
          const edge = open[number % open.length]!;
          if (!together) decisions.cut[edge] = 1;
          else if (!contraction.contract(decisions, edge)) return;
        }
        const { bound, value, critical } = contraction.judge(decisions);
        const best = bestThatKeeps(graph, decisions, overheadMs, limits);
        expect(value).toBe(endOf(graph, decisions.label, overheadMs));
        expect(bound).toBeLessThanOrEqual(best);
        expect(best).toBeLessThanOrEqual(value);
        expect(critical.filter((edge) => !isOpen(graph, decisions, edge))).toEqual([]);
        // What can still be decided is on a longest path; otherwise the search would end here without its proof.
        if (bound < value) expect(critical).not.toEqual([]);
        looked++;
        if (bound === best) tight++;
      }),
      { numRuns: cases(150) },
    );
    expect(tight).toBeGreaterThan(0.85 * looked);
  });

  test("an edge is contracted with every group on paths between its ends, unless a cut or a limit forbids", () => {
    fc.assert(
      fc.property(inputs, ({ dag, overheadMs, steps: taken, maxTasks = 6 }) => {
        const graph = smallGraph(view(dag));
        const sizeOf = (set: number) => [...set.toString(2)].filter((bit) => bit === "1").length;
        const limits = { fits: () => true, mayGrow: (set: number) => sizeOf(set) <= maxTasks };
        const contraction = new Contraction(graph, overheadMs, limits);
        const decisions = none(graph);
        for (const { edge: number, together } of taken) {
          const { label, cut } = decisions;
          const open = [...graph.from.keys()].filter((edge) => isOpen(graph, decisions, edge));
          if (open.length === 0) return;
          const edge = open[number % open.length]!;
          if (!together) {
            cut[edge] = 1;
            continue;
          }
          const merged = mergedBy(graph, label, edge);
          const lowest = Math.min(...merged);
          const after = Int8Array.from(label, (own, v) => (merged.has(v) ? lowest : own));
          const against = [...graph.from.keys()].some(
            (at) => cut[at] === 1 && merged.has(graph.from[at]!) && merged.has(graph.to[at]!),
          );
          const isAllowed = contraction.contract(decisions, edge);
          expect(isAllowed).toBe(!against && merged.size <= maxTasks);
          if (!isAllowed) return;
          expect(label).toEqual(after);
        }
      }),
      { numRuns: cases(300) },
    );
  });

  test("around a cut there is no way: what lies between is merged too", () => {
    const graph = smallGraph(view({ n: 4, from: [0, 0, 1, 2], to: [1, 2, 3, 3], work: [1, 1, 1, 1] }));
    const edge = (from: number, to: number) =>
      [...graph.from.keys()].find((at) => graph.task[graph.from[at]!] === from && graph.task[graph.to[at]!] === to)!;
    const contracted = (limits: PartLimits, cut: number | undefined) => {
      const contraction = new Contraction(graph, 1, limits);
      const decisions = none(graph);
      if (cut !== undefined) decisions.cut[cut] = 1;
      return [edge(0, 2), edge(2, 3)].map((each) => contraction.contract(decisions, each));
    };
    expect(contracted(anything, undefined)).toEqual([true, true]);
    expect(contracted(anything, edge(0, 1))).toEqual([true, false]);
    expect(contracted({ ...anything, mayGrow: (set) => set !== 0b1111 }, undefined)).toEqual([true, false]);
  });
});

const star = fc.record({
  works: fc.array(fc.nat(9), { minLength: 2, maxLength: 5 }),
  cut: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
  inward: fc.boolean(),
  overheadMs: overheads,
});

test("where many wait for one, or one for many, the bound is the optimum of what the cuts leave", () => {
  fc.assert(
    fc.property(star, ({ works, cut, inward, overheadMs }) => {
      const others = works.length - 1;
      const ends = Array.from({ length: others }, (_, v) => (inward ? v : v + 1));
      const hub = ends.map(() => (inward ? others : 0));
      const dag: Dag = { n: works.length, from: inward ? ends : hub, to: inward ? hub : ends, work: works };
      const graph = smallGraph(view(dag));
      const decisions = none(graph);
      decisions.cut.set(cut.slice(0, others).map(Number));
      const { bound } = new Contraction(graph, overheadMs, anything).judge(decisions);
      expect(bound).toBe(bestThatKeeps(graph, decisions, overheadMs, anything));
    }),
    { numRuns: cases(200) },
  );
});

test("an open edge is named even where none lies on a longest path, as long as some part is not valid as it is", () => {
  // The first dependency takes long and is cut; the last task fits into a part only with the second.
  const graph = smallGraph(view({ n: 3, from: [0, 1], to: [2, 2], work: [9, 1, 1] }));
  const needsBoth: PartLimits = { fits: (set) => set !== 0b100, mayGrow: () => true };
  const contraction = new Contraction(graph, 1, needsBoth);
  const decisions = none(graph);
  const first = graph.from.indexOf(0);
  decisions.cut[first] = 1;
  expect(contraction.judge(decisions)).toMatchObject({ value: Number.POSITIVE_INFINITY, critical: [1 - first] });
  expect(new Contraction(graph, 1, anything).judge(decisions)).toEqual({ bound: 12, value: 12, critical: [] });
  decisions.cut[1 - first] = 1;
  expect(contraction.judge(decisions).critical).toEqual([]);
});

test("nothing to decide has no end to wait for", () => {
  const graph = smallGraph(view({ n: 0, from: [], to: [], work: [] }));
  expect(new Contraction(graph, 3, anything).judge(none(graph))).toEqual({ bound: 0, value: 0, critical: [] });
});
