import type { Machines } from "@planloom/bench";
import { type PlanView, planViewFromEdges } from "@planloom/plan";

/** A plan with a size for each edge, and machines; SAGA's `Network` and `TaskGraph`. One entry and one exit, as SAGA wants. */
export interface SagaInstance {
  readonly name: string;
  readonly work: readonly number[];
  readonly edges: readonly (readonly [from: number, to: number, size: number])[];
  readonly speeds: readonly number[];
  /** The same in both directions, and 10^9 from a machine to itself. */
  readonly rates: readonly (readonly number[])[];
}

export function machinesOfInstance({ work, edges, speeds, rates }: SagaInstance): {
  readonly view: PlanView;
  readonly machines: Machines;
} {
  const view = planViewFromEdges({ n: work.length, from: edges.map(([u]) => u), to: edges.map(([, v]) => v), work });
  const size = new Map(edges.map(([u, v, each]) => [`${u} ${v}`, each]));
  const edgeBytes = new Float64Array(view.out.length);
  for (let u = 0; u < view.n; u++) {
    for (let at = view.outPtr[u]!; at < view.outPtr[u + 1]!; at++) edgeBytes[at] = size.get(`${u} ${view.out[at]}`)!;
  }
  return { view, machines: { machines: speeds.map((speed) => ({ speed })), rates, edgeBytes } };
}

/** As in C; the same numbers come out in any language. */
function lcg(seed: number): () => number {
  let x = seed;
  return () => {
    x = Number((BigInt(x) * 1103515245n + 12345n) % 2147483648n);
    return x / 2147483648;
  };
}

/** Random plans on 3 to 5 machines, made of numbers alone. */
export function randomInstance(seed: number): SagaInstance {
  const next = lcg(seed);
  const n = 12 + seed;
  const m = 3 + (seed % 3);
  const speeds = Array.from({ length: m }, () => 0.5 + next());
  const rates = speeds.map(() => new Array<number>(m).fill(1e9));
  for (let a = 0; a < m; a++) for (let b = a + 1; b < m; b++) rates[a]![b] = rates[b]![a] = 0.25 + next();
  const work = Array.from({ length: n }, () => 1 + 9 * next());
  const edges: [number, number, number][] = [];
  for (let v = 1; v < n; v++)
    for (let u = Math.max(0, v - 5); u < v; u++) if (next() < 0.35) edges.push([u, v, 4 * next()]);
  for (let v = 1; v < n; v++) if (!edges.some(([, to]) => to === v)) edges.push([0, v, 4 * next()]);
  for (let u = 0; u < n - 1; u++) if (!edges.some(([from]) => from === u)) edges.push([u, n - 1, 4 * next()]);
  return { name: `random ${seed}`, work, edges, speeds, rates };
}

/**
 * The instances of SAGA's data sets of trees and chains. Their generators draw weights as `max(min(1e-9, gauss), 2)`, which is 2 whatever was drawn, so that a data set of 100 draws
 * holds few different instances: every pair of sizes on 3, 4 or 5 equal machines. @param weight 2 for those, or random ones for what was meant
 */
export function sagaDataSets(weight: (random: () => number) => number = () => 2): SagaInstance[] {
  const shapes: { name: string; edges: [number, number][]; tiny: number | undefined; n: number }[] = [];
  for (const levels of [2, 3, 4]) {
    for (const branching of [2, 3]) {
      const { edges, n } = outTree(levels, branching);
      shapes.push({ name: `out_trees ${levels} ${branching}`, edges, n, tiny: n - 1 });
      const turned = edges.map(([u, v]): [number, number] => [n - 1 - v, n - 1 - u]);
      shapes.push({ name: `in_trees ${levels} ${branching}`, edges: turned, n, tiny: 0 });
    }
  }
  for (const chains of [2, 3, 4, 5])
    for (const length of [2, 3, 4, 5]) {
      const n = chains * length + 2;
      const edges: [number, number][] = [];
      for (let chain = 0; chain < chains; chain++) {
        const first = 1 + chain * length;
        edges.push([0, first], [first + length - 1, n - 1]);
        for (let at = 1; at < length; at++) edges.push([first + at - 1, first + at]);
      }
      shapes.push({ name: `chains ${chains} ${length}`, edges, n, tiny: undefined });
    }
  return shapes.flatMap(({ name, edges, n, tiny }, at) =>
    [3, 4, 5].map((m) => {
      const random = lcg(1 + 3 * at + m);
      const draw = () => weight(random);
      // The vertex that joins the leaves of a tree takes nothing, and nothing is sent to it.
      const isTiny = (v: number) => v === tiny;
      const rates = Array.from({ length: m }, () => new Array<number>(m).fill(1e9));
      for (let a = 0; a < m; a++) for (let b = a + 1; b < m; b++) rates[a]![b] = rates[b]![a] = draw();
      return {
        name: `${name} on ${m}`,
        work: Array.from({ length: n }, (_, v) => (isTiny(v) ? 1e-9 : draw())),
        edges: edges.map(([u, v]) => [u, v, isTiny(u) || isTiny(v) ? 1e-9 : draw()] as const),
        speeds: Array.from({ length: m }, draw),
        rates,
      };
    }),
  );
}

/** A balanced tree with a vertex that joins its leaves, numbered level by level. */
function outTree(levels: number, branching: number): { edges: [number, number][]; n: number } {
  const edges: [number, number][] = [];
  let level = [0];
  let n = 1;
  for (let depth = 0; depth < levels; depth++) {
    const below: number[] = [];
    for (const u of level)
      for (let child = 0; child < branching; child++) {
        edges.push([u, n]);
        below.push(n++);
      }
    level = below;
  }
  for (const leaf of level) edges.push([leaf, n]);
  return { edges, n: n + 1 };
}
