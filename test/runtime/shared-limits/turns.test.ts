import { SharedLimits } from "@planloom/runtime";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readClaim } from "../../../packages/runtime/src/ports/run-claim.ts";
import { cases } from "../../support/cases.ts";
import { type CallingRun, Clock, type MadeCall, playCalls } from "../../support/shared-calls.ts";

const play = (options: ConstructorParameters<typeof SharedLimits>[0], runs: readonly CallingRun[]) => {
  const clock = new Clock();
  return playCalls(new SharedLimits(options, clock.now), clock, runs);
};
const order = (made: readonly MadeCall[]) => made.map(({ run }) => run).join(" ");
/** So many calls of so many milliseconds. */
const calls = (n: number, ms = 20) => Array.from({ length: n }, () => ms);

describe("worked by hand, one slot, calls of 20 ms", () => {
  test("a run of weight 3 has three calls to one of weight 1", async () => {
    const runs = [
      { name: "a", weight: 3, callsMs: calls(9) },
      { name: "b", callsMs: calls(9) },
    ];
    expect(order(await play({ concurrency: 1 }, runs))).toMatch(/^a b a a b a a a b a a a b b/);
  });

  test("the higher priority goes first, and every fourth turn goes by weight alone", async () => {
    const runs = [
      { name: "low", callsMs: calls(6) },
      { name: "high", priority: 1, callsMs: calls(12) },
    ];
    const made = order(await play({ concurrency: 1 }, runs));
    expect(made).toBe("low high high high low high high high low high high high low high high high low low");
  });

  test("of equal priority the earliest deadline goes first, one without a deadline last", async () => {
    const runs = [
      { name: "first", callsMs: [20] },
      { name: "none", callsMs: [20] },
      { name: "late", deadline: "2026-12-02T09:00:00Z", callsMs: [20] },
      { name: "soon", deadline: new Date("2026-12-01T09:00:00Z"), callsMs: [20] },
      { name: "high", priority: 2, deadline: Date.parse("2026-12-03T09:00:00Z"), callsMs: [20] },
    ];
    // The fourth turn goes by weight: nobody has had anything, so it goes to the one that came first.
    expect(order(await play({ concurrency: 1 }, runs))).toBe("first high soon late none");
    const more = [...runs.slice(0, 4), { name: "high", priority: 2, callsMs: calls(3) }];
    expect(order(await play({ concurrency: 1 }, more))).toBe("first high high high none soon late");
  });

  test("what is to another resource goes by the same order", async () => {
    const runs = [
      { name: "first", callsMs: [20] },
      { name: "low", resource: "search", callsMs: calls(2) },
      { name: "high", resource: "fetch", priority: 1, callsMs: calls(3) },
    ];
    expect(order(await play({ concurrency: 1 }, runs))).toBe("first high high high low low");
  });

  test("a priority goes before nobody of another tenant", async () => {
    const runs = [
      { name: "a", tenant: "a", callsMs: calls(4) },
      { name: "b", tenant: "b", priority: 9, callsMs: calls(4) },
    ];
    expect(order(await play({ concurrency: 1 }, runs))).toBe("a a b a b a b b");
  });

  test("what a run missed before it came is not owed to it, and what it did not use is not kept", async () => {
    const runs = [
      { name: "old", callsMs: calls(20) },
      { name: "new", atMs: 205, callsMs: calls(5) },
      { name: "again", callsMs: [20] },
    ];
    const made = await play({ concurrency: 1 }, runs);
    expect(order(made.filter(({ beganMs }) => beganMs >= 220))).toMatch(/^(new old|old new) (new old|old new) /);
  });
});

const someRuns = fc.array(
  fc.record({
    weight: fc.constantFrom(1, 2, 3, 5),
    lengths: fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 25, maxLength: 35 }),
  }),
  { minLength: 2, maxLength: 5 },
);

test("weights hold: of two runs that wait all along, slot time for weight differs by at most (slots + 1) times the longest call for each of the weights", async () => {
  await fc.assert(
    fc.asyncProperty(someRuns, fc.integer({ min: 1, max: 4 }), async (drawn, slots) => {
      const runs = drawn.map(({ weight, lengths }, at) => ({ name: `${at}`, weight, callsMs: lengths }));
      const made = await play({ concurrency: slots }, runs);
      const longest = Math.max(...runs.flatMap(({ callsMs }) => callsMs));
      // Until the first run has no call left that waits.
      const untilMs = Math.min(...runs.map(({ name }) => made.findLast(({ run }) => run === name)!.beganMs));
      const servedMs = (name: string, atMs: number) =>
        made
          .filter(({ run, beganMs }) => run === name && beganMs < atMs)
          .reduce((sum, { beganMs, endedMs }) => sum + Math.min(endedMs, atMs) - beganMs, 0);
      for (const atMs of new Set(made.map(({ beganMs }) => beganMs))) {
        if (atMs > untilMs) break;
        for (const a of runs)
          for (const b of runs) {
            const apart = servedMs(a.name, atMs) / a.weight - servedMs(b.name, atMs) / b.weight;
            const bound = (slots + 1) * longest * (1 / a.weight + 1 / b.weight);
            if (apart > bound) expect.fail(`${apart} ms apart at ${atMs}, of at most ${bound}`);
          }
      }
    }),
    { numRuns: 40 },
  );
});

test("nobody is starved: whatever others claim, a run that waits gets every fourth turn at its weight", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          priority: fc.integer({ min: -3, max: 3 }),
          weight: fc.constantFrom(1, 2, 4),
          deadline: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
        }),
        { minLength: 1, maxLength: 6 },
      ),
      async (others) => {
        const total = others.reduce((sum, { weight }) => sum + weight, 1);
        const runs = [
          ...others.map((claim, at) => ({ name: `other ${at}`, ...claim, callsMs: calls(200) })),
          { name: "least", priority: -9, callsMs: calls(5) },
        ];
        const made = await play({ concurrency: 1 }, runs);
        const turnsOfLeast = made.flatMap(({ run }, at) => (run === "least" ? [at] : []));
        // Among the turns by weight it has one in `total` of them, and the first of all before anybody a second time.
        for (const [number, at] of turnsOfLeast.entries()) expect(at).toBeLessThanOrEqual(4 * total * (number + 2));
      },
    ),
    { numRuns: cases(100) },
  );
});

test("runs that wait to begin go by priority and deadline, and every fourth as they came", async () => {
  const limits = new SharedLimits({ maxRuns: 1 });
  const begun: string[] = [];
  const first = await limits.enter(undefined, undefined);
  const waiting = [
    { name: "old" },
    { name: "older plan", priority: -1 },
    { name: "later", deadline: "2026-12-02T09:00:00Z" },
    { name: "sooner", deadline: "2026-12-01T09:00:00Z" },
    { name: "high", priority: 1 },
  ].map(async ({ name, ...claim }) => {
    const { leave } = await limits.enter(undefined, undefined, readClaim(claim));
    begun.push(name);
    leave();
  });
  first.leave();
  await Promise.all(waiting);
  expect(begun).toEqual(["high", "sooner", "later", "old", "older plan"]);
});
