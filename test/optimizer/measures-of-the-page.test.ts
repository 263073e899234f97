import { completeEnvironment, measure, verify } from "@planloom/optimizer";
import { planViewFromEdges } from "@planloom/plan";
import { expect, test } from "vitest";
import { noisyWork } from "../../packages/optimizer/src/simulate-noise.ts";
import { environmentOf, partitionOf, randomCase, viewOf } from "./dispatch-cases.ts";
import type { DispatchCase } from "./dispatcher-of-the-page.ts";

// Written from docs/optimizer/formulation.md, "What is measured", and from nothing else.

const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
const range = (count: number) => Array.from({ length: count }, (_, at) => at);
const prices = { perDispatch: 0.5, perMillionTokens: 1000, perExecutorHour: 36_000 };

interface Times {
  readonly startMs: ArrayLike<number>;
  readonly endMs: ArrayLike<number>;
}

function measured(given: DispatchCase, baseTokens: number, { startMs, endMs }: Times) {
  const { work, edges, part, environment } = given;
  const zero = work.map(() => 0);
  const { outBytes = zero, outTokens = zero, tokens = zero, failProb = zero } = given;
  const parts = range(Math.max(...part) + 1);
  const own = parts.map((p) => range(work.length).filter((v) => part[v] === p));
  const foreign = parts.map((p) => [
    ...new Set(edges.filter(([u, v]) => part[v] === p && part[u] !== p).map(([u]) => u)),
  ]);
  const next = parts.map((p) => [
    ...new Set(edges.filter(([u, v]) => part[u] === p && part[v] !== p).map(([, v]) => part[v]!)),
  ]);
  const of = (column: readonly number[], tasks: readonly number[]) => sum(tasks.map((v) => column[v]!));
  const depth = (p: number): number => 1 + Math.max(0, ...next[p]!.map(depth));
  const prompts = parts.map((p) => baseTokens + of(tokens, own[p]!) + of(outTokens, foreign[p]!));
  const blast = parts.map((p) => {
    const reached = new Set([p]);
    for (const q of reached) for (const r of next[q]!) if (startMs[r]! < endMs[p]!) reached.add(r);
    return sum([...reached].map((q) => own[q]!.length));
  });
  const weights = failProb.some((each) => each > 0) ? failProb : work.map(() => 1);
  return {
    makespanMs: Math.max(...parts.map((p) => endMs[p]!)),
    dispatches: parts.length,
    rounds: Math.max(...parts.map(depth)),
    cutBytes: sum(parts.map((p) => of(outBytes, foreign[p]!))),
    tokens: sum(prompts),
    expectedReworkMs: sum(
      parts.map((p) => {
        const fine = own[p]!.reduce((chance, v) => chance * (1 - failProb[v]!), 1);
        return (1 - fine) * (environment.overheadMs + of(work, own[p]!));
      }),
    ),
    blast: sum(work.map((_, v) => weights[v]! * blast[part[v]!]!)) / sum(weights),
    price: sum(parts.map((p) => 0.5 + prompts[p]! / 1000 + (endMs[p]! - startMs[p]!) / 100)),
  };
}

test("figures of a grouping are those of the page", () => {
  let measuredOnes = 0;
  for (let seed = 1; seed < 1500; seed++) {
    const given = randomCase(seed, 12, ["plain", "slots", "penalty", "transfers", "streaming"]);
    const view = viewOf(given);
    const baseTokens = seed % 5;
    const environment = completeEnvironment(view, { ...environmentOf(given), baseTokens, prices });
    const partition = partitionOf(given);
    if (verify(view, environment, partition).length > 0) continue;
    measuredOnes++;
    const theirs = measure(view, environment, partition, { seeds: [], sigmas: [] });
    const page = measured(given, baseTokens, theirs.schedule);
    for (const [name, value] of Object.entries(page)) {
      const figure = name === "blast" ? theirs.blastRadius.mean : theirs[name as keyof typeof theirs];
      expect(figure, `seed ${seed}: ${name}`).toBeCloseTo(value, 8);
    }
  }
  expect(measuredOnes).toBeGreaterThan(1000);
});

test("noise is that of the page", () => {
  const view = planViewFromEdges({ n: 3, from: [], to: [], work: [1000, 20, 3] });
  const uniform = (seed: number, counter: number) => {
    let h = (Math.imul(seed, 0x9e3779b1) + counter) >>> 0;
    for (let round = 0; round < 2; round++) {
      h = Math.imul(h ^ (h >>> 16), 0x21f0aaad) >>> 0;
      h = Math.imul(h ^ (h >>> 15), 0x735a2d97) >>> 0;
      h = (h ^ (h >>> 15)) >>> 0;
    }
    return (h + 0.5) / 2 ** 32;
  };
  for (const [sigma, seed] of [[1, 3] as const, [0.3, 30] as const]) {
    const page = range(view.n).map((v) => {
      const z = Math.sqrt(-2 * Math.log(uniform(seed, 2 * v))) * Math.cos(2 * Math.PI * uniform(seed, 2 * v + 1));
      return view.work[v]! * Math.exp(sigma * z - (sigma * sigma) / 2);
    });
    expect([...noisyWork(view, { sigma, seed })]).toEqual(page);
  }
});
