import type { SharedLimitsOptions } from "@planloom/runtime";
import { Dice } from "../scenario.ts";

/** One process and the runs that it begins in a world of shared limits. */
export interface LimitedProcess {
  /** When it begins, in milliseconds of the world. */
  readonly afterMs: number;
  readonly runs: readonly LimitedRun[];
}

export interface LimitedRun {
  readonly afterMs: number;
  readonly tenant: string | undefined;
  readonly concurrency: number;
  /** How long each of its calls lasts, in milliseconds; the tasks do not depend on one another. */
  readonly calls: readonly number[];
  /** The run is cancelled after so many milliseconds. */
  readonly cancelAfterMs: number | undefined;
}

/** Several processes with one set of limits in one journal, all of it from one seed. */
export interface LimitsScenario {
  readonly limits: SharedLimitsOptions;
  readonly processes: readonly LimitedProcess[];
  /** How often a process is killed or stopped, or the journal refuses to be written. */
  readonly faults: number;
  /** What one transaction may take on its way there, and on its way back, in milliseconds. */
  readonly storeMs: number;
  /** Of 1: how many of the notifications between processes are lost. */
  readonly lostNotifications: number;
  /** The system cannot tell a process that a file was written. */
  readonly watches: boolean;
  /** Processes cannot see of one another whether they live, as in containers of their own. */
  readonly apart: boolean;
}

export const limitedTool = "work";

export function makeLimitsScenario(random: () => number): LimitsScenario {
  const dice = new Dice(random);
  const apart = dice.chance(0.2);
  const tenants = [undefined, "a", "b", "c"] as const;
  const processes = Array.from({ length: dice.between(2, 4) }, () => ({
    afterMs: dice.between(0, 400),
    runs: Array.from({ length: dice.between(1, 4) }, () => ({
      afterMs: dice.between(0, 300),
      tenant: dice.pick(tenants),
      concurrency: dice.between(1, 6),
      calls: Array.from({ length: dice.between(1, 12) }, () =>
        dice.chance(0.1) ? dice.between(500, 3_000) : dice.between(1, 60),
      ),
      cancelAfterMs: dice.chance(0.1) ? dice.between(1, 1_000) : undefined,
    })),
  }));
  const calls = processes.flatMap(({ runs }) => runs.flatMap((run) => run.calls)).length;
  return {
    limits: {
      ...(dice.chance(0.6) && { concurrency: dice.between(1, 5) }),
      limits: {
        ...(dice.chance(0.6) && { resources: { [limitedTool]: dice.between(1, 4) } }),
        ...(dice.chance(0.25) && {
          rates: { [limitedTool]: { limit: dice.between(1, 5), intervalMs: dice.pick([50, 400]) } },
        }),
      },
      ...(dice.chance(0.3) && { budgets: { total: { calls: dice.between(1, calls + 5) } } }),
      ...(dice.chance(0.3) && { maxRuns: dice.between(1, 4) }),
      ...(dice.chance(0.4) && {
        eachTenant: {
          ...(dice.chance(0.7) && { concurrency: dice.between(1, 3) }),
          ...(dice.chance(0.3) && { budgets: { total: { calls: dice.between(1, calls) } } }),
          ...(dice.chance(0.3) && { maxRuns: dice.between(1, 2) }),
        },
      }),
    },
    processes,
    faults: dice.between(0, 5),
    storeMs: dice.pick([0, 0, 2, 20]),
    lostNotifications: dice.pick([0, 0, 0.2, 1]),
    watches: dice.chance(0.85),
    apart,
  };
}
