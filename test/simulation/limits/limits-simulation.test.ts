import { expect, test } from "vitest";
import { isFuzzing, trials } from "../../support/cases.ts";
import { checkLimitsHistory, type LimitsEvent } from "./limits-history.ts";
import { simulateLimits } from "./simulate-limits.ts";

/** `pnpm test` plays the same few seeds each time, `pnpm test:trials` more; `pnpm fuzz` plays new ones. */
const [firstSeed, seeds, perTest] = isFuzzing
  ? [Math.floor(Math.random() * 2 ** 30), 10_000, 250]
  : [1, trials(60, 20), 20];
const batches = Array.from({ length: Math.ceil(seeds / perTest) }, (_, batch) => firstSeed + batch * perTest);

test.for(batches)(
  "whatever is killed, stopped, lost or locked, limits of several processes hold and nothing stays held: seeds from %d",
  { timeout: 300_000 },
  async (first) => {
    const seen = { kills: 0, calls: 0, completed: 0 };
    for (let seed = first; seed < first + perTest; seed++) {
      const { problems, kills, calls, outcomes } = await simulateLimits(seed);
      expect(problems, `seed ${seed}: pnpm simulate limits ${seed} prints its history`).toEqual([]);
      seen.kills += kills;
      seen.calls += calls;
      seen.completed += outcomes.get("completed") ?? 0;
    }
    // Worlds in which nothing happens would prove nothing.
    expect(seen.kills).toBeGreaterThan(perTest / 5);
    expect(seen.calls).toBeGreaterThan(10 * perTest);
    expect(seen.completed).toBeGreaterThan(perTest);
  },
);

// 1: `close` resolved before what the process held was given back. 42: a process that waited for a budget never saw that the one which
// had reserved it was gone, where the system could not tell of changes. 70: calls that a budget refused used up the permissions of a rate.
test.for([1, 42, 70])("a world in which a promise was broken once keeps them all: seed %d", async (seed) => {
  expect((await simulateLimits(seed)).problems).toEqual([]);
});

test("one seed gives one history", async () => {
  const [one, other] = [await simulateLimits(7), await simulateLimits(7)];
  expect(one.history).toEqual(other.history);
  expect(one.history.length).toBeGreaterThan(10);
});

test.for<readonly [string, readonly LimitsEvent[], RegExp | undefined]>([
  ["two calls at once", [begin(0, "p", "x"), begin(1, "q", "y")], /2 calls at once, 1 are allowed/],
  ["one after the other", [begin(0, "p", "x"), end(1, "p", "x"), begin(500, "q", "y")], undefined],
  ["a killed process makes no calls", [begin(0, "p", "x"), kill(1, "p"), begin(500, "q", "y")], undefined],
  ["too soon for the rate", [begin(0, "p", "x"), end(1, "p", "x"), begin(50, "q", "y")], /2 calls within 50 ms/],
  [
    "more than the budget has",
    [0, 200, 400, 600].flatMap((at) => [begin(at, "p", `${at}`), end(at + 1, "p", `${at}`)]),
    /4 calls, the budget has 3/,
  ],
  ["nothing happens", [{ atMs: 0, process: "nobody", type: "calm" }, begin(9_000, "p", "x")], /nothing happened for/],
])("a history is judged: %s", ([, history, problem]) => {
  const limits = {
    concurrency: 1,
    limits: { rates: { work: { limit: 1, intervalMs: 100 } } },
    budgets: { total: { calls: 3 } },
  };
  const problems = checkLimitsHistory(history, limits, { quietMs: 5_000, jitterMs: 0 }).join("; ");
  if (problem === undefined) expect(problems).toBe("");
  else expect(problems).toMatch(problem);
});

function begin(atMs: number, process: string, call: string): LimitsEvent {
  return { atMs, process, type: "call-begin", call, tenant: undefined };
}

function end(atMs: number, process: string, call: string): LimitsEvent {
  return { atMs, process, type: "call-end", call, tenant: undefined };
}

function kill(atMs: number, process: string): LimitsEvent {
  return { atMs, process, type: "kill" };
}
