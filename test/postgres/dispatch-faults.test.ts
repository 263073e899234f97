import { describe, expect, test } from "vitest";
import { trials } from "../support/cases.ts";
import { killDistributed } from "../support/distributed-faults.ts";
import { inSchema, postgresUrl } from "../support/postgres.ts";

// The short form of `pnpm bench:faults --distributed`, with `dispatch-trials.test.ts`. What they mostly do is to wait until somebody is seen to be gone.
describe.skipIf(postgresUrl === undefined).concurrent("workers and processes of runs are killed", () => {
  const kills = trials(3, 2);
  test.for([...trials([["without asking", false] as const], []), ["asking before each call", true] as const])(
    "each task is recorded once, no output is lost, and only calls that were under way are made again: %s",
    ([, asks]) =>
      inSchema(async (schema) => {
        const report = await killDistributed({ url: postgresUrl!, schema, workers: 2, kills, seed: 1, asks });
        expect(report.worker_kills + report.run_kills).toBe(kills);
      }),
  );
});
