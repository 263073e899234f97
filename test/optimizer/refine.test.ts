import { generateWorkload, generatorNames } from "@planloom/bench";
import { anytime, completeEnvironment, exact, makespan, paretoFront, portfolio, verify } from "@planloom/optimizer";
import { candidates } from "@planloom/optimizer/internals";
import { planViewFromEdges } from "@planloom/plan";
import { describe, expect, test } from "vitest";

const options = { seed: 0, deadlineMs: Number.POSITIVE_INFINITY };
/** As little as shows the law; a search of the usual length takes the processor for long in a suite. */
const plans = generatorNames.map((family) => generateWorkload(family, 26, 3).view);

describe("the portfolio", () => {
  test.each(plans.map((view, at) => ({ name: generatorNames[at]!, view })))(
    "is not dominated by its own front on $name",
    ({ view }) => {
      const environment = completeEnvironment(view, { executors: 4, overheadFactor: 0.5 });
      const kept = portfolio.propose(view, environment, options);
      expect(verify(view, environment, kept)).toEqual([]);
      const makespanMs = makespan(view, environment, kept) * (1 - 1e-12);
      const better = paretoFront(view, environment, options).filter(
        (point) =>
          point.makespanMs < makespanMs ||
          (point.makespanMs <= makespanMs * (1 + 1e-12) && point.dispatches < kept.count),
      );
      expect(better.map(({ strategy, dispatches }) => ({ strategy, dispatches }))).toEqual([]);
    },
  );

  test("ends no later than the best of its members, and gives the same however the tasks are listed", () => {
    for (const [at, { n, outPtr, out, work: estimates }] of plans.entries()) {
      const sources = Array.from({ length: n }, (_, v) =>
        new Array<number>(outPtr[v + 1]! - outPtr[v]!).fill(v),
      ).flat();
      // Whole numbers and no other costs, so that the two plans differ in nothing but the order of their tasks.
      const view = planViewFromEdges({ n, from: sources, to: out, work: estimates.map(Math.round) });
      const environment = completeEnvironment(view, { executors: 3, overheadFactor: 1 });
      const sorted = candidates(portfolio, view, environment, options);
      const members = sorted.filter(({ strategy }) => strategy.refine === undefined);
      expect(sorted[0]!.metrics.makespanMs).toBeLessThanOrEqual(members[0]!.metrics.makespanMs);
      const place = Array.from({ length: view.n }, (_, v) => (v * 7 + at) % view.n);
      if (new Set(place).size < view.n) continue;
      const from: number[] = [];
      const to: number[] = [];
      const work = new Float64Array(view.n);
      for (let v = 0; v < view.n; v++) {
        work[place[v]!] = view.work[v]!;
        for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
          from.push(place[v]!);
          to.push(place[view.out[edge]!]!);
        }
      }
      const shuffled = planViewFromEdges({ n: view.n, from, to, work });
      const again = portfolio.propose(shuffled, environment, options);
      expect(makespan(shuffled, environment, again)).toBeCloseTo(sorted[0]!.metrics.makespanMs, 6);
    }
  });
});

test("a budget of evaluations gives the same answer again, and a larger one is no worse where the first was cut off", () => {
  const view = generateWorkload("layered", 60, 2).view;
  const environment = completeEnvironment(view, { executors: 4, overheadFactor: 1 });
  const found = (evaluations: number) => anytime.propose(view, environment, { ...options, evaluations });
  expect([...found(200_000).part]).toEqual([...found(200_000).part]);
  const length = (evaluations: number) => makespan(view, environment, found(evaluations));
  expect(length(200_000)).toBeLessThanOrEqual(
    makespan(view, environment, portfolio.propose(view, environment, options)),
  );

  const hard = generateWorkload("layered", 18, 5).view;
  const bounded = (evaluations: number) =>
    exact.propose(hard, completeEnvironment(hard, { executors: 3 }), { ...options, evaluations }).provedMs!;
  expect(bounded(20)).toBeLessThanOrEqual(bounded(2_000_000) * (1 + 1e-9));
});
