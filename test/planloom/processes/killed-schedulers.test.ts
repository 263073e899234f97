import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { killWaits } from "../../bench/faults-waits.ts";
import { trials } from "../../support/cases.ts";
import { mulberry32 } from "../../support/layered-dag.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "planloom-killed-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

// The short form of `pnpm bench:faults`: real processes, and a clock that passes five minutes in a second.
test.for(["waits", "schedules"] as const)(
  "schedulers that are killed lose nothing and repeat nothing: %s",
  async (shape) => {
    const kills = trials(4, 2);
    const report = await killWaits(folder, shape, {
      kills,
      random: mulberry32(3),
      speed: 300,
      calls: 10,
      elements: trials(12, 4),
    });
    expect(report).toMatchObject({ kills, unchecked_kills: 0, runs: 1 });
  },
);
