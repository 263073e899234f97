import { completeEnvironment, portfolio, verify } from "@planloom/optimizer";
import { candidates } from "@planloom/optimizer/internals";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../support/cases.ts";
import { dags, view } from "./dags.ts";

test("where all tasks fit into one dispatch the portfolio finds a grouping, although some task fits into none of its own", () => {
  const tokens = fc.array(fc.integer({ min: 10, max: 50 }), { minLength: 12, maxLength: 12 });
  const outputs = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 12, maxLength: 12 });
  let needed = 0;
  fc.assert(
    fc.property(dags, tokens, outputs, (dag, own, out) => {
      fc.pre(dag.n > 0);
      const graph = view(dag, {
        tokens: Float64Array.from(own.slice(0, dag.n)),
        outTokens: Float64Array.from(out.slice(0, dag.n)),
      });
      const contextTokens = 25 + graph.tokens.reduce((sum, each) => sum + each, 0);
      const environment = completeEnvironment(graph, { executors: 3, overheadMs: 4, baseTokens: 25, contextTokens });
      const apart = { part: Int32Array.from({ length: dag.n }, (_, v) => v), count: dag.n };
      if (verify(graph, environment, apart).length > 0) needed++;
      const [best] = candidates(portfolio, graph, environment, { seed: 0, deadlineMs: Number.POSITIVE_INFINITY });
      expect(verify(graph, environment, best!.partition)).toEqual([]);
    }),
    { numRuns: cases(200) },
  );
  expect(needed).toBeGreaterThan(10);
});
