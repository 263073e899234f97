import fc from "fast-check";
import type { PlanloomOptions } from "planloom";
import { describe, expect, test } from "vitest";
import { cases } from "../support/cases.ts";
import { type LiveCall, type LiveRun, playRuns, servedMs, shareOf } from "../support/live-runs.ts";

/** So many calls of so many milliseconds. */
const calls = (n: number, ms = 20) => Array.from({ length: n }, () => ms);
/** Two runs, each of which fills the limit by itself. */
const two = (a: Partial<LiveRun>, b: Partial<LiveRun> = {}) => [
  { name: "a", callsMs: calls(80), ...a },
  { name: "b", callsMs: calls(80), ...b },
];
const order = (made: readonly LiveCall[]) => made.map(({ run }) => run).join("");
const most = (made: readonly LiveCall[]) =>
  Math.max(...made.map(({ beganMs: atMs }) => made.filter((one) => one.beganMs <= atMs && atMs < one.endedMs).length));

const sharedLimits: readonly (readonly [name: string, options: PlanloomOptions, slots: number])[] = [
  ["concurrency", { concurrency: 2 }, 2],
  ["limits.resources", { concurrency: 8, limits: { resources: { work: 2 } } }, 2],
  ["limits.kinds", { concurrency: 8, limits: { kinds: { tool: 2 } } }, 2],
  ["limits.resources below the default concurrency", { limits: { resources: { work: 3 } } }, 3],
  ["one slot", { concurrency: 1 }, 1],
  ["the limit of their tenant", { concurrency: 8, eachTenant: { concurrency: 2 } }, 2],
  ["a tenant that may use the whole concurrency", { concurrency: 4, eachTenant: { concurrency: 4 } }, 4],
];

describe.for(sharedLimits)("two live runs that each fill %s", ([, options, slots]) => {
  const tenant = "t";

  test("take turns where nothing is claimed", async () => {
    const made = await playRuns(options, two({ tenant }, { tenant }));
    expect(shareOf(made, "a")).toBeCloseTo(0.5, 1);
    expect(order(made)).not.toMatch(new RegExp(`(a{${2 * slots + 1}}|b{${2 * slots + 1}}).*[ab]{${2 * slots}}$`));
    expect(most(made)).toBe(slots);
  });

  test("of weights 3 and 1, the first has three quarters of the slot time", async () => {
    const made = await playRuns(options, two({ tenant, weight: 3 }, { tenant }));
    expect(shareOf(made, "a")).toBeGreaterThan(0.7);
    expect(shareOf(made, "a")).toBeLessThan(0.8);
    expect(most(made)).toBe(slots);
  });

  test.for([
    ["the higher priority", { priority: 1 }],
    ["the earlier deadline", { deadline: "2026-12-01T09:00:00Z" }],
  ] as const)("%s goes first, and every fourth turn goes by weight", async ([, claim]) => {
    const made = await playRuns(options, two({ tenant }, { tenant, ...claim }));
    expect(shareOf(made, "b")).toBeGreaterThan(0.7);
    expect(shareOf(made, "b")).toBeLessThan(0.8);
    expect(most(made)).toBe(slots);
  });
});

test.for(["list", "list of two calls", "workflows"] as const)(
  "claims decide between plans that are a %s",
  async (shape) => {
    const made = await playRuns({ concurrency: 2 }, two({ shape, weight: 3 }, { shape }));
    expect(shareOf(made, "a")).toBeGreaterThan(0.68);
    expect(shareOf(made, "a")).toBeLessThan(0.82);
    expect(most(made)).toBe(2);
  },
);

describe.for([
  { name: "chains under a limit of one", shape: "chain", slots: 1, least: 0.7 },
  { name: "chains that call another tool in between", shape: "chain with pauses", slots: 1, least: 0.7 },
  { name: "two chains each, under a limit of two", shape: "two chains", slots: 2, least: 0.68 },
] as const)("live runs of which each call needs the one before: $name", ({ shape, slots, least }) => {
  const options = { concurrency: 8, limits: { resources: { work: slots } } };
  const share = async (a: Partial<LiveRun>, b: Partial<LiveRun> = {}, shared: PlanloomOptions = options) => {
    const made = await playRuns(shared, two({ shape, callsMs: calls(40), ...a }, { shape, callsMs: calls(40), ...b }));
    expect(most(made.filter(({ endedMs, beganMs }) => endedMs - beganMs > 2))).toBe(slots);
    return shareOf(made, "a");
  };

  test("take turns where nothing is claimed", async () => {
    expect(await share({})).toBeCloseTo(0.5, 1);
  });

  test.for([
    ["weight 3", { weight: 3 }],
    ["the higher priority", { priority: 1 }],
    ["the earlier deadline", { deadline: "2026-12-01T09:00:00Z" }],
  ] as const)("%s has three quarters of the slot time", async ([, claim]) => {
    const own = await share(claim);
    expect(own).toBeGreaterThan(least);
    expect(own).toBeLessThan(0.8);
  });

  test("a tenant of weight 3 has three quarters of the calls", async () => {
    const own = await share({ tenant: "a" }, { tenant: "b" }, { ...options, tenants: { a: { weight: 3 } } });
    expect(own).toBeGreaterThan(least);
    expect(own).toBeLessThan(0.8);
  });
});

test("a slot is kept for a run that is expected to ask soon for an eighth of its last call at most, and for none that has not asked so soon before", async () => {
  const chain = { shape: "chain", callsMs: calls(12) } as const;
  const made = await playRuns({ concurrency: 1 }, [
    { name: "a", priority: 1, ...chain, callsMs: calls(11) },
    { name: "b", shape: "chain", callsMs: calls(30) },
  ]);
  const gaps = made.slice(1).map(({ beganMs }, at) => beganMs - made[at]!.endedMs);
  expect(gaps.filter((ms) => ms > 0)).toEqual([2.5]);
  const slow = await playRuns({ concurrency: 8, limits: { resources: { work: 1 } } }, [
    { name: "a", weight: 3, shape: "chain with pauses", callsMs: calls(12, 15) },
    { name: "b", shape: "chain with pauses", callsMs: calls(12, 15) },
  ]);
  expect(slow.slice(1).map(({ beganMs }, at) => beganMs - slow[at]!.endedMs)).toEqual(slow.slice(1).map(() => 0));
});

test("tenants of weights 3 and 1, of one run each, have calls as their weights say", async () => {
  const tenants = { a: { weight: 3 } };
  const made = await playRuns({ concurrency: 2, tenants }, two({ tenant: "a" }, { tenant: "b" }));
  expect(order(made).slice(0, 48).replaceAll("b", "").length / 48).toBeCloseTo(0.75, 1);
});

test("a run with a limit of its own makes no more calls than that, and has its share up to it", async () => {
  const options = { concurrency: 8, limits: { resources: { work: 4 } } };
  const runs = [...two({ weight: 3, concurrency: 2 }), { name: "c", callsMs: calls(80) }];
  const made = await playRuns(options, runs);
  expect(most(made.filter(({ run }) => run === "a"))).toBe(2);
  expect(most(made)).toBe(4);
  expect(shareOf(made, "a")).toBeGreaterThan(0.45);
});

test("a list whose task says how many elements may be under way makes no more calls at once", async () => {
  const made = await playRuns({ concurrency: 4 }, two({ shape: "list, two at once", weight: 3 }));
  expect(most(made.filter(({ run }) => run === "a"))).toBe(2);
});

test("calls are as many at once as all limits allow, whatever runs claim and however they are limited", async () => {
  const limit = fc.integer({ min: 1, max: 4 });
  const drawn = fc.record({
    weight: fc.constantFrom(1, 3),
    priority: fc.integer({ min: -1, max: 1 }),
    concurrency: limit,
    shape: fc.constantFrom("tasks", "chain", "list", "list of two calls", "workflows"),
    atMs: fc.integer({ min: 0, max: 100 }),
    callsMs: fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 4, maxLength: 12 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(drawn, { minLength: 2, maxLength: 4 }),
      fc.record({ concurrency: limit, work: limit }),
      async (given, { concurrency, work }) => {
        const runs = given.map((run, at) => ({
          name: `${at}`,
          ...run,
          callsMs: run.callsMs.slice(run.callsMs.length % 2),
        }));
        const made = await playRuns({ concurrency, limits: { resources: { work } } }, runs);
        expect(made).toHaveLength(runs.reduce((sum, { callsMs }) => sum + callsMs.length, 0));
        expect(most(made)).toBeLessThanOrEqual(Math.min(concurrency, work));
        for (const run of runs)
          expect(most(made.filter((call) => call.run === run.name))).toBeLessThanOrEqual(run.concurrency);
      },
    ),
    { numRuns: cases(40) },
  );
});

test("a run that comes while another has all slots is let in as it claims", async () => {
  const runs = two({ callsMs: calls(60) }, { atMs: 210, priority: 1 });
  const made = await playRuns({ concurrency: 2 }, runs);
  const sinceThen = made.filter(({ beganMs }) => beganMs >= 210);
  expect(order(sinceThen.slice(0, 40)).replaceAll("a", "").length).toBeGreaterThanOrEqual(28);
});

test("of two live runs that wait all along, slot time for weight differs by at most (slots + 1) times the longest call for each of the weights", async () => {
  const drawn = fc.record({
    weight: fc.constantFrom(1, 2, 3, 5),
    callsMs: fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 25, maxLength: 35 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(drawn, { minLength: 2, maxLength: 4 }),
      fc.integer({ min: 1, max: 4 }),
      async (given, slots) => {
        const runs = given.map((run, at) => ({ name: `${at}`, ...run }));
        const made = await playRuns({ concurrency: slots }, runs);
        const longest = Math.max(...runs.flatMap(({ callsMs }) => callsMs));
        // Until the first run has no call left that waits.
        const untilMs = Math.min(...runs.map(({ name }) => made.findLast(({ run }) => run === name)!.beganMs));
        for (const atMs of new Set(made.map(({ beganMs }) => beganMs))) {
          if (atMs > untilMs) break;
          for (const a of runs)
            for (const b of runs) {
              const apart = servedMs(made, a.name, atMs) / a.weight - servedMs(made, b.name, atMs) / b.weight;
              const bound = (slots + 1) * longest * (1 / a.weight + 1 / b.weight);
              if (apart > bound) expect.fail(`${apart} ms apart at ${atMs}, of at most ${bound}`);
            }
        }
      },
    ),
    { numRuns: cases(20) },
  );
});

test("no live run is starved: whatever others claim, one that waits gets every fourth turn at its weight", async () => {
  const claim = fc.record({ priority: fc.integer({ min: -3, max: 3 }), weight: fc.constantFrom(1, 2, 4) });
  await fc.assert(
    fc.asyncProperty(fc.array(claim, { minLength: 1, maxLength: 3 }), async (others) => {
      const total = others.reduce((sum, { weight }) => sum + weight, 1);
      const runs = [
        ...others.map((claims, at) => ({ name: `other ${at}`, ...claims, callsMs: calls(30 * total) })),
        { name: "least", priority: -9, callsMs: calls(3) },
      ];
      const made = await playRuns({ concurrency: 1 }, runs);
      const turns = made.flatMap(({ run }, at) => (run === "least" ? [at] : []));
      for (const [number, at] of turns.entries()) expect(at).toBeLessThanOrEqual(4 * total * (number + 2));
    }),
    { numRuns: cases(10) },
  );
});

test("of a list of 2,000 elements a few wait for slots, no more than of any other run", async () => {
  const runs = two({ shape: "list", callsMs: calls(2_000, 5) }, { shape: "list", callsMs: calls(300, 5), weight: 3 });
  const made = await playRuns({ concurrency: 2 }, runs);
  expect(made).toHaveLength(2_300);
  expect(most(made)).toBe(2);
  // Each run has two calls that it may make, and three ahead of these.
  expect(Math.max(...made.map(({ queued }) => queued))).toBeLessThanOrEqual(8);
  expect(shareOf(made, "b")).toBeCloseTo(0.75, 1);
});
