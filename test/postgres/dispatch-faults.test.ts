import { afterEach, describe, expect, test } from "vitest";
import { killDistributed } from "../support/distributed-faults.ts";
import { trials, tryOut } from "../support/distributed-trials.ts";
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

  test.for([
    ["a worker is frozen for longer than its lease, and comes back", false],
    ["connections are cut again and again", true],
    ["clocks are five minutes apart", true],
  ] as const)("nothing is lost or recorded twice where %s (asking: %s)", async ([name, asks]) => {
    const trial = trials.find((each) => each.name === name)!;
    const unused = () => Promise.reject(new Error("Other tests use the server."));
    const server = { url: postgresUrl!, restart: unused, kill: unused };
    const { calls_again } = await tryOut(trial, { server, schema, asks, seed: 1 });
    expect(calls_again).toBeLessThanOrEqual(trial.mostAgain);
  });
});
