import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isFuzzing, trials } from "../support/cases.ts";
import { simulate } from "./simulate.ts";

/** `pnpm test` plays the same few seeds each time, `pnpm test:trials` more; `pnpm fuzz` plays new ones. */
const [firstSeed, seeds, perTest] = isFuzzing
  ? [Math.floor(Math.random() * 2 ** 30), 10_000, 250]
  : [1, trials(60, 20), 20];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "planloom-simulation-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const batches = Array.from({ length: Math.ceil(seeds / perTest) }, (_, batch) => firstSeed + batch * perTest);

test.for(batches)(
  "whatever is killed, stopped, full or set wrong, every promise of a run holds: seeds from %d",
  { timeout: 300_000 },
  async (first) => {
    const seen = { kills: 0, sessions: 0, steps: 0 };
    for (let seed = first; seed < first + perTest; seed++) {
      const report = await simulate(seed, join(folder, `${seed}.sqlite`));
      expect(report.problems, `seed ${seed}: pnpm simulate ${seed} prints its history`).toEqual([]);
      seen.kills += report.kills;
      seen.sessions += report.sessions;
      seen.steps += report.steps;
    }
    // Worlds in which nothing happens would prove nothing.
    expect(seen.kills).toBeGreaterThan(perTest / 5);
    expect(seen.sessions).toBeGreaterThan(perTest);
    expect(seen.steps).toBeGreaterThan(10 * perTest);
  },
);

test("so it does where subgraphs are dispatched as soon as their inputs are there", { timeout: 300_000 }, async () => {
  let kills = 0;
  for (let seed = firstSeed; seed < firstSeed + perTest; seed++) {
    const report = await simulate(seed, join(folder, `pipelined-${seed}.sqlite`), "pipelined");
    expect(report.problems, `seed ${seed}: pnpm simulate ${seed} pipelined prints its history`).toEqual([]);
    kills += report.kills;
  }
  expect(kills).toBeGreaterThan(perTest / 5);
});

// A process that was stopped while it took a run up put back what a session before the last had claimed.
test.for([1_006_571])("a world in which a promise was broken once keeps them all: seed %d", async (seed) => {
  expect((await simulate(seed, join(folder, `${seed}.sqlite`))).problems).toEqual([]);
});

test("one seed gives one history", async () => {
  const [one, other] = [await simulate(7, join(folder, "one.sqlite")), await simulate(7, join(folder, "other.sqlite"))];
  const withoutTokens = (history: readonly object[]) => history.map((event) => ({ ...event, token: undefined }));
  expect(withoutTokens(one.history)).toEqual(withoutTokens(other.history));
  expect(one.history.length).toBeGreaterThan(10);
});
