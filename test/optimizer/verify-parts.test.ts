import { completeEnvironment, type EnvironmentInput, verify } from "@planloom/optimizer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkParts } from "../../packages/optimizer/src/verify-parts.ts";
import { type Dag, dags, view } from "./dags.ts";

interface Weights {
  readonly tokens: readonly number[];
  readonly outTokens: readonly number[];
  readonly affinity: readonly number[];
}

const weighted = (dag: Dag, { tokens, outTokens, affinity }: Weights) =>
  view(dag, {
    tokens: Float64Array.from(tokens),
    outTokens: Float64Array.from(outTokens),
    affinity: Int32Array.from(affinity),
  });

// 0 -> 1 -> 2, 0 -> 2, 3 alone
const dag = { n: 4, from: [0, 1, 0], to: [1, 2, 2], work: [1, 1, 1, 1] };
const plan = weighted(dag, { tokens: [1, 2, 4, 8], outTokens: [16, 32, 64, 128], affinity: [0, 0, 1, 2] });

describe("what is said of a part that the environment does not take", () => {
  test.for<{ name: string; environment: EnvironmentInput; part: number[]; violations: object[] }>([
    {
      name: "as many tasks as may be",
      environment: { maxTasks: 2 },
      part: [0, 0, 1, 1],
      violations: [],
    },
    {
      name: "one task too many",
      environment: { maxTasks: 2 },
      part: [0, 0, 0, 1],
      violations: [
        {
          code: "part-too-large",
          message: "Part 0 holds 3 tasks, more than the 2 that one dispatch may hold.",
          part: 0,
          tasks: 3,
          limit: 2,
        },
      ],
    },
    {
      name: "hard affinity keeps classes apart",
      environment: { affinity: "hard" },
      part: [0, 0, 1, 1],
      violations: [
        {
          code: "affinity-mixed",
          message: "Part 1 mixes the task classes 1, 2, which hard affinity keeps apart.",
          part: 1,
          classes: [1, 2],
        },
      ],
    },
    {
      name: "soft affinity does not",
      environment: { affinity: "soft", affinityPenaltyMs: 1, maxTasks: 4 },
      part: [0, 0, 0, 0],
      violations: [],
    },
    {
      // Part 1 reads the outputs of 0 and 1, each once: 2 + 4 + ... of its own, and what part 0 gives it.
      name: "a prompt that is as long as it may be: what comes from elsewhere counts once for a part",
      environment: { contextTokens: 2 + 4 + 16 },
      part: [0, 1, 1, 0],
      violations: [],
    },
    {
      name: "a prompt that is one token too long",
      environment: { contextTokens: 2 + 4 + 16 - 1 },
      part: [0, 1, 1, 0],
      violations: [
        {
          code: "context-exceeded",
          message: "Part 1 needs a prompt of 22 tokens, more than the 21 that one dispatch may hold.",
          part: 1,
          tokens: 22,
          limit: 21,
        },
      ],
    },
    {
      name: "what every dispatch costs counts, too",
      environment: { contextTokens: 22, baseTokens: 3 },
      part: [0, 1, 1, 0],
      violations: [{ code: "context-exceeded", part: 1, tokens: 25, limit: 22 }],
    },
    {
      name: "outputs of several producers add up",
      environment: { contextTokens: 1 },
      part: [0, 1, 2, 3],
      violations: [
        { code: "context-exceeded", part: 1, tokens: 2 + 16 },
        { code: "context-exceeded", part: 2, tokens: 4 + 16 + 32 },
        { code: "context-exceeded", part: 3, tokens: 8 },
      ],
    },
    {
      name: "no class runs all of its tasks",
      environment: {
        classes: [
          { name: "some", count: 1, overheadMs: 1, serves: [0, 1] },
          { name: "others", count: 1, overheadMs: 1, serves: [1, 2] },
        ],
      },
      part: [0, 0, 1, 0],
      violations: [
        {
          code: "no-executor",
          message: "Part 0 holds tasks of the classes 0, 2, and no executor class serves them all.",
          part: 0,
          classes: [0, 2],
        },
      ],
    },
    {
      name: "a class without a list runs everything",
      environment: {
        classes: [
          { name: "some", count: 1, overheadMs: 1, serves: [0] },
          { name: "any", count: 1, overheadMs: 1 },
        ],
      },
      part: [0, 0, 0, 0],
      violations: [],
    },
    {
      name: "one class that runs its tasks and takes its prompt is enough",
      environment: {
        classes: [
          { name: "narrow", count: 1, overheadMs: 1, contextTokens: 5 },
          { name: "wide", count: 1, overheadMs: 1, contextTokens: 15 },
        ],
      },
      part: [0, 0, 0, 0],
      violations: [],
    },
    {
      name: "the widest of those that run its tasks is named, with what it needs there",
      environment: {
        classes: [
          { name: "widest", count: 1, overheadMs: 1, contextTokens: 900, serves: [7] },
          { name: "wide", count: 1, overheadMs: 1, contextTokens: 15, baseTokens: 4 },
          { name: "narrow", count: 1, overheadMs: 1, contextTokens: 14, baseTokens: 2 },
        ],
      },
      part: [0, 0, 0, 0],
      violations: [
        {
          code: "context-exceeded",
          message: "Part 0 needs a prompt of 19 tokens, more than the 15 that one dispatch may hold.",
          part: 0,
          tokens: 19,
          limit: 15,
        },
      ],
    },
    {
      name: "everything that is wrong with each part, in order",
      environment: { maxTasks: 1, affinity: "hard", contextTokens: 7 },
      part: [0, 0, 1, 1],
      violations: [
        { code: "part-too-large", part: 0 },
        { code: "part-too-large", part: 1 },
        { code: "affinity-mixed", part: 1 },
        { code: "context-exceeded", part: 1, tokens: 4 + 8 + 16 + 32 },
      ],
    },
  ])("$name", ({ environment, part, violations }) => {
    const count = Math.max(...part) + 1;
    const found = verify(plan, completeEnvironment(plan, environment), { part, count });
    expect(found).toHaveLength(violations.length);
    expect(found).toMatchObject(violations);
  });
});

test("without limits nothing is wrong with a part", () => {
  expect(checkParts(plan, completeEnvironment(plan), [0, 0, 0, 0], 1)).toEqual([]);
});

const weights = (n: number): fc.Arbitrary<Weights> => {
  const each = (max: number) => fc.array(fc.nat(max), { minLength: n, maxLength: n });
  return fc.record({ tokens: each(9), outTokens: each(5), affinity: each(2) });
};
const cases = dags.chain((given) =>
  fc.record({
    given: fc.constant(given),
    weights: weights(given.n),
    part: fc.array(fc.nat(3), { minLength: given.n, maxLength: given.n }),
  }),
);

test("a prompt holds the part's own tasks and each output that it reads of others, once", () => {
  fc.assert(
    fc.property(cases, fc.integer({ min: 1, max: 40 }), ({ given, weights, part }, contextTokens) => {
      const graph = weighted(given, weights);
      const needs = [0, 1, 2, 3].map((own) => {
        const members = part.flatMap((p, v) => (p === own ? [v] : []));
        const read = new Set(given.from.filter((from, edge) => part[from] !== own && part[given.to[edge]!] === own));
        const sum = (list: Iterable<number>, of: readonly number[]) => [...list].reduce((all, v) => all + of[v]!, 0);
        return sum(members, weights.tokens) + sum(read, weights.outTokens);
      });
      const found = checkParts(graph, completeEnvironment(graph, { contextTokens }), part, 4);
      const expected = needs.flatMap((tokens, p) => (tokens > contextTokens ? [{ part: p, tokens }] : []));
      expect(found).toMatchObject(expected);
      expect(found).toHaveLength(expected.length);
    }),
  );
});
