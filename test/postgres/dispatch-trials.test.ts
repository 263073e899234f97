import { describe, expect, test } from "vitest";
import { trials } from "../support/cases.ts";
import { distributedTrials, tryOut } from "../support/distributed-trials.ts";
import { inSchema, postgresUrl } from "../support/postgres.ts";

// One after the other: their leases are short, and a machine that is too busy would end them.
describe.skipIf(postgresUrl === undefined)("other things that go wrong than the death of a process", () => {
  type Named = readonly [name: string, asks: boolean];
  const frozen: Named = ["a worker is frozen for longer than its lease, and comes back", true];
  // `broken-connections.test.ts` cuts connections too, and the simulated worlds have clocks that are apart.
  const others: readonly Named[] = [
    ["connections are cut again and again", true],
    ["clocks are five minutes apart", true],
  ];
  test.for([frozen, ...trials(others, [])])("nothing is lost or recorded twice where %s (asking: %s)", ([name, asks]) =>
    inSchema(async (schema) => {
      const trial = distributedTrials.find((each) => each.name === name)!;
      const unused = () => Promise.reject(new Error("Other tests use the server."));
      const server = { url: postgresUrl!, restart: unused, kill: unused };
      const { calls_again } = await tryOut(trial, { server, schema, asks, seed: 1 });
      expect(calls_again).toBeLessThanOrEqual(trial.mostAgain);
    }),
  );
});
