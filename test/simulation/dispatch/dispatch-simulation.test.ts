import { expect, test } from "vitest";
import { isFuzzing, trials } from "../../support/cases.ts";
import { simulateDispatch } from "./simulate-dispatch.ts";

/** `pnpm test` plays the same few seeds each time, `pnpm test:trials` more; `pnpm fuzz` plays new ones. */
const [firstSeed, seeds, perTest] = isFuzzing
  ? [Math.floor(Math.random() * 2 ** 30), 10_000, 250]
  : [1, trials(30, 10), trials(15, 10)];
const batches = Array.from({ length: Math.ceil(seeds / perTest) }, (_, batch) => firstSeed + batch * perTest);

test.for(batches)(
  "whatever is killed, frozen, cut off, full or set wrong, dispatched runs are completed and nothing is done twice: seeds from %d",
  { timeout: 600_000 },
  async (first) => {
    const seen = { kills: 0, calls: 0, completed: 0 };
    for (let seed = first; seed < first + perTest; seed++) {
      const { problems, kills, calls, endReason } = await simulateDispatch(seed);
      expect(problems, `seed ${seed}: pnpm simulate dispatch ${seed} prints its history`).toEqual([]);
      seen.kills += kills;
      seen.calls += calls;
      if (endReason === "completed") seen.completed++;
    }
    // Worlds in which nothing happens would prove nothing.
    expect(seen.kills).toBeGreaterThan(perTest / 5);
    expect(seen.calls).toBeGreaterThan(3 * perTest);
    expect(seen.completed).toBeGreaterThan(perTest / 2);
  },
);

test("so it is where subgraphs are dispatched as soon as their inputs are there", { timeout: 600_000 }, async () => {
  let kills = 0;
  for (let seed = firstSeed; seed < firstSeed + perTest; seed++) {
    const report = await simulateDispatch(seed, "pipelined");
    const hint = `seed ${seed}: pnpm simulate dispatch ${seed} pipelined prints its history`;
    expect(report.problems, hint).toEqual([]);
    kills += report.kills;
  }
  expect(kills).toBeGreaterThan(perTest / 5);
});

// 73, 103: a worker that lived kept the lease of a session that could not write its end, for ever. 50, 60: a worker that had been cut off said that its subgraph was done, and a call
// under way was made again without a question. 70, 185: it answered every later subgraph in this way.
test.for([50, 60, 70, 73, 103, 185])(
  "a world in which a promise was broken once keeps them all: seed %d",
  async (seed) => {
    expect((await simulateDispatch(seed)).problems).toEqual([]);
  },
);

test("one seed gives one history", async () => {
  const [one, other] = [await simulateDispatch(7), await simulateDispatch(7)];
  expect(one.history).toEqual(other.history);
  expect(one.history.length).toBeGreaterThan(10);
});
