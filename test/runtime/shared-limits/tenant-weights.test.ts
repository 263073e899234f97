import { SharedLimits } from "@planloom/runtime";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases } from "../../support/cases.ts";
import { type CallingRun, Clock, type MadeCall, playCalls } from "../../support/shared-calls.ts";

const play = (options: ConstructorParameters<typeof SharedLimits>[0], runs: readonly CallingRun[]) => {
  const clock = new Clock();
  return playCalls(new SharedLimits(options, clock.now), clock, runs);
};
const order = (made: readonly MadeCall[]) => made.map(({ run }) => run).join(" ");
const calls = (n: number, ms = 20) => Array.from({ length: n }, () => ms);
const runOf = (tenant: string, callsMs: readonly number[], more: Partial<CallingRun> = {}): CallingRun => ({
  name: tenant,
  tenant,
  callsMs,
  ...more,
});

describe("worked by hand, one slot", () => {
  test("a tenant of weight 4 has four calls for each one of a tenant with 1", async () => {
    const made = await play({ concurrency: 1, tenants: { a: { weight: 4 } } }, [
      runOf("a", calls(16)),
      runOf("b", calls(9)),
    ]);
    // The first call of all finds the slot free and is nobody's turn.
    expect(order(made)).toMatch(/^a a a a b a a a a b a a a a b/);
  });

  test("half a turn is a turn less often", async () => {
    const made = await play({ concurrency: 1, tenants: { a: { weight: 0.5 } } }, [
      runOf("a", calls(9)),
      runOf("b", calls(9)),
    ]);
    expect(order(made)).toMatch(/^a b a b b a b b a b b a/);
  });

  test("how many runs a tenant has changes nothing", async () => {
    const made = await play({ concurrency: 1, tenants: { a: { weight: 2 } } }, [
      runOf("a", calls(12)),
      ...Array.from({ length: 5 }, () => runOf("b", calls(6))),
    ]);
    const first = made.slice(1, 16).filter(({ run }) => run === "a");
    expect(first).toHaveLength(10);
  });

  test("a tenant that comes has no turns saved up, and one whose own limit is full saves none", async () => {
    const made = await play({ concurrency: 2, tenants: { slow: { concurrency: 1, weight: 9 } } }, [
      runOf("busy", calls(30)),
      runOf("slow", [100, 20, 20, 20]),
      runOf("late", calls(6), { atMs: 200 }),
    ]);
    const after = made.filter(({ run, beganMs }) => beganMs >= 200 && run !== "slow").slice(0, 8);
    expect(after.filter(({ run }) => run === "late")).toHaveLength(4);
  });

  test("of the weight in the options and that of a run the lower counts; where the options have none, that of the run", async () => {
    const given = (options: object) =>
      play({ concurrency: 1, ...options }, [
        runOf("a", calls(13), { tenant: { key: "a", weight: 4 } }),
        runOf("b", calls(13)),
      ]);
    expect(order(await given({}))).toMatch(/^a a a a b a a a a b/);
    expect(order(await given({ tenants: { a: { weight: 2 } } }))).toMatch(/^a a b a a b a a b/);
    expect(order(await given({ tenants: { b: { weight: 8 } } }))).toMatch(/^a b a b b a b b a/);
  });
});

test("weights hold: of two tenants that wait all along the numbers of calls, each divided by the weight, differ by at most a turn of each", async () => {
  const tenants = fc.array(
    fc.record({ weight: fc.constantFrom(0.5, 1, 2, 3, 7), calls: fc.integer({ min: 30, max: 60 }) }),
    { minLength: 2, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(
      tenants,
      fc.integer({ min: 1, max: 4 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 90 })),
      async (drawn, slots, lengths) => {
        const weights = Object.fromEntries(drawn.map(({ weight }, at) => [`${at}`, { weight }]));
        const runs = drawn.map(({ calls }, at) =>
          runOf(
            `${at}`,
            Array.from({ length: calls }, () => lengths.next().value),
          ),
        );
        const made = await play({ concurrency: slots, tenants: weights }, runs);
        expect(made).toHaveLength(runs.reduce((sum, { callsMs }) => sum + callsMs.length, 0));
        const left = new Map(runs.map(({ name, callsMs }) => [name, callsMs.length]));
        const turns = new Map(runs.map(({ name }) => [name, 0]));
        for (const [at, { run }] of made.entries()) {
          left.set(run, left.get(run)! - 1);
          // Those that found a free slot were nobody's turn.
          if (at >= slots) turns.set(run, turns.get(run)! + 1);
          if (left.get(run) === 0) break;
          for (const [i, a] of drawn.entries())
            for (const [j, b] of drawn.entries()) {
              const apart = turns.get(`${i}`)! / a.weight - turns.get(`${j}`)! / b.weight;
              const bound = 1 / a.weight + 1 / b.weight;
              if (apart > bound + 1e-9) expect.fail(`${apart} apart after ${at} calls, of at most ${bound}`);
            }
        }
      },
    ),
    { numRuns: cases(60) },
  );
});

test("of a crowd of tenants that come with one call each none keeps out a tenant that waits", async () => {
  const crowd = Array.from({ length: 60 }, (_, at) => runOf(`crowd ${at}`, [20], { atMs: at * 20 }));
  const made = await play({ concurrency: 1 }, [runOf("waits", calls(10)), ...crowd]);
  const places = made.flatMap(({ run }, at) => (run === "waits" ? [at] : []));
  // One more of the crowd waits for each call that the tenant had.
  for (const [at, place] of places.slice(1).entries()) expect(place - places[at]!).toBeLessThanOrEqual(at + 2);
});

test("runs that wait to begin do so by the weights of their tenants", async () => {
  const limits = new SharedLimits({ maxRuns: 1, tenants: { a: { weight: 4 } } });
  const begun: string[] = [];
  const first = await limits.enter(undefined, undefined);
  const waiting = [..."abababababababab"].map(async (tenant) => {
    const { leave } = await limits.enter(tenant, undefined);
    begun.push(tenant);
    leave();
  });
  first.leave();
  await Promise.all(waiting);
  expect(begun.join("")).toBe("aaabaaaababbbbbb");
});

test.each([[0], [-1], [Number.POSITIVE_INFINITY], ["3"]])(
  "a weight of %s is refused, and so is one of all runs",
  (weight) => {
    for (const options of [{ tenants: { a: { weight } } }, { eachTenant: { weight } }])
      expect(() => new SharedLimits(options as never)).toThrow(/weight/);
    expect(() => new SharedLimits({ weight: 2 } as never)).toThrow(/weight/);
  },
);
