import { lowerBound, type RuleStrategy, simulate, strategies, verify } from "@planloom/optimizer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases, isFuzzing } from "../support/cases.ts";
import { dags, environments, shuffle, view } from "./dags.ts";

const options = { seed: 0, deadlineMs: Number.POSITIVE_INFINITY };
/** A search over scenarios is as long as its options say. */
const optionsOf = ({ name }: RuleStrategy) => (name === "robust" ? { ...options, evaluations: 1_000 } : options);
/** These two try what the others find, so that a case costs them as much as it costs all others together: a quarter of the cases, but in `pnpm fuzz`. */
const runsOf = ({ name }: RuleStrategy, all: number) => ({
  numRuns: isFuzzing || (name !== "robust" && name !== "portfolio") ? cases(all) : Math.ceil(cases(all) / 4),
});
const environment = { semantics: "atomic" as const, executors: 2, overheadMs: 1000 };

function groups(name: string, edges: string[], work?: Record<string, number>): string[] {
  const ids = [...new Set(edges.flatMap((edge) => edge.split(">")))].sort();
  const arrows = edges.filter((edge) => edge.includes(">")).map((edge) => edge.split(">").map((id) => ids.indexOf(id)));
  const graph = view({
    n: ids.length,
    from: arrows.map(([from]) => from!),
    to: arrows.map(([, to]) => to!),
    work: ids.map((id) => work?.[id] ?? 1000),
  });
  const { part, count } = strategies.get(name)!.propose(graph, environment, options);
  return Array.from({ length: count }, (_, p) => ids.filter((_, v) => part[v] === p).join(""));
}

const diamond = ["a>b", "a>c", "b>d", "c>d"];

test.for([
  { name: "single", edges: diamond, parts: ["abcd"] },
  { name: "per-task", edges: diamond, parts: ["a", "b", "c", "d"] },
  { name: "components", edges: ["a>b", "c", "d>e", "b>f"], parts: ["abf", "c", "de"] },
  { name: "chain-fusion", edges: ["a>b", "b>c"], parts: ["abc"] },
  { name: "chain-fusion", edges: diamond, parts: ["a", "b", "c", "d"] },
  { name: "chain-fusion", edges: [...diamond, "d>e", "e>f", "x>y"], parts: ["a", "b", "c", "def", "xy"] },
  { name: "level-lpt", edges: ["a", "b", "c", "d"], parts: ["ad", "bc"], work: { a: 4, b: 3, c: 2, d: 1 } },
  { name: "level-lpt", edges: diamond, parts: ["a", "b", "c", "d"] },
  { name: "level-lpt", edges: ["a", "b", "c", "d"], parts: ["abcd"], work: { a: 4, b: 0, c: 0, d: 0 } },
  { name: "portfolio", edges: ["a>b", "b>c"], parts: ["abc"] },
])("$name groups $edges", ({ name, edges, parts, work }) => {
  expect(groups(name, edges, work)).toEqual(parts);
});

describe.each([...strategies.values()].filter((strategy) => strategy.deterministic))(
  "$name",
  (strategy: RuleStrategy) => {
    test("puts every task in one part, with an acyclic quotient and a makespan no shorter than the bound", () => {
      fc.assert(
        fc.property(dags, environments, (dag, environment) => {
          const graph = view(dag);
          const partition = strategy.propose(graph, environment, optionsOf(strategy));
          expect(verify(graph, environment, partition)).toEqual([]);
          const { makespanMs } = simulate(graph, environment, partition);
          expect(makespanMs).toBeGreaterThanOrEqual(lowerBound(graph, environment) - 1e-9);
        }),
        runsOf(strategy, 100),
      );
    });

    test("gives the same partition every time", () => {
      fc.assert(
        fc.property(dags, environments, (dag, environment) => {
          expect(strategy.propose(view(dag), environment, optionsOf(strategy))).toEqual(
            strategy.propose(view(dag), environment, optionsOf(strategy)),
          );
        }),
        runsOf(strategy, 100),
      );
    });

    // The control draws numbers per place in the list, and says so.
    if (strategy.name === "random-valid") return;
    test("gives the same makespan however the tasks are listed", () => {
      const shuffled = dags.chain((dag) =>
        fc
          .shuffledSubarray(
            Array.from({ length: dag.n }, (_, v) => v),
            { minLength: dag.n, maxLength: dag.n },
          )
          .map((order) => ({ dag, other: shuffle(dag, order) })),
      );
      fc.assert(
        fc.property(shuffled, environments, ({ dag, other }, environment) => {
          const makespans = [dag, other].map((each) => {
            const graph = view(each);
            return simulate(graph, environment, strategy.propose(graph, environment, optionsOf(strategy))).makespanMs;
          });
          expect(makespans[1]).toBe(makespans[0]);
        }),
        runsOf(strategy, 100),
      );
    });
  },
);

test("the portfolio is never slower than a member", () => {
  fc.assert(
    fc.property(dags, environments, (dag, environment) => {
      const graph = view(dag);
      const cost = (strategy: RuleStrategy) =>
        simulate(graph, environment, strategy.propose(graph, environment, optionsOf(strategy))).makespanMs;
      const portfolio = strategies.get("portfolio")!;
      const best = cost(portfolio);
      for (const member of portfolio.members!) expect(best).toBeLessThanOrEqual(cost(member));
    }),
  );
});
