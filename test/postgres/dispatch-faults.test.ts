import { afterEach, describe, expect, test } from "vitest";
import { killDistributed } from "../support/distributed-faults.ts";
import { dropSchema, newSchema, postgresUrl } from "../support/postgres.ts";

// The short form of `pnpm bench:faults --distributed`.
describe.skipIf(postgresUrl === undefined)("workers and processes of runs are killed", () => {
  const schema = newSchema();
  afterEach(async () => {
    await dropSchema(postgresUrl!, schema);
    await dropSchema(postgresUrl!, `${schema}_dbos`);
  });

  test.for([
    ["without asking", false],
    ["asking before each call", true],
  ] as const)(
    "each task is recorded once, no output is lost, and only calls that were under way are made again: %s",
    async ([, asks]) => {
      const report = await killDistributed({ url: postgresUrl!, schema, workers: 2, kills: 3, seed: 1, asks });
      expect(report.worker_kills + report.run_kills).toBe(3);
    },
  );
});
