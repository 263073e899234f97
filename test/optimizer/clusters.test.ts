import { generateWorkload } from "@planloom/bench";
import { verify } from "@planloom/optimizer";
import { acyclicPartition } from "@planloom/optimizer/internals";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { convexify } from "../../packages/optimizer/src/clustering/convexify.ts";
import { dags, view } from "./dags.ts";

const environment = { semantics: "atomic" as const, executors: 4, overheadMs: 0 };

describe("convexify", () => {
  test("makes any clustering acyclic, and leaves one alone that is", () => {
    fc.assert(
      fc.property(dags, fc.array(fc.nat({ max: 3 }), { minLength: 12, maxLength: 12 }), (dag, labels) => {
        const graph = view(dag);
        const clusters = Int32Array.from({ length: dag.n }, (_, v) => Math.min(labels[v]!, dag.n - 1));
        const partition = convexify(graph, clusters);
        expect(verify(graph, environment, partition)).toEqual([]);
        expect(convexify(graph, partition.part)).toEqual(partition);
        for (let v = 0; v < dag.n; v++) {
          for (let w = 0; w < v; w++) {
            if (partition.part[v] === partition.part[w]) expect(clusters[v]).toBe(clusters[w]);
          }
        }
      }),
    );
  });
});

describe("acyclicPartition", () => {
  test("is valid for any plan and number of parts", () => {
    fc.assert(
      fc.property(dags, fc.integer({ min: 1, max: 20 }), fc.nat(), (dag, parts, seed) => {
        const graph = view(dag);
        const partition = acyclicPartition(graph, { parts, seed });
        expect(verify(graph, environment, partition)).toEqual([]);
        expect(partition.count).toBeLessThanOrEqual(parts);
      }),
    );
  });

  test.for(["layered", "diamond-mesh", "in-tree", "montage-like"])("cuts %s into balanced parts", (family) => {
    const { view: graph } = generateWorkload(family, 600, 1);
    const weight = new Float64Array(graph.n).fill(1);
    const { part, count } = acyclicPartition(graph, { parts: 8, weight });
    expect(count).toBe(8);
    const sizes = new Int32Array(8);
    for (const p of part) sizes[p]!++;
    expect(Math.max(...sizes)).toBeLessThanOrEqual(Math.ceil((graph.n / 8) * 1.03));
  });
});
