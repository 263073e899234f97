import { tmpdir } from "node:os";
import { embeddedPostgres } from "@planloom/postgres";
import { killDistributed } from "../support/distributed-faults.ts";
import { distributedTrials, type TrialReport, tryOut } from "../support/distributed-trials.ts";
import { postgresTemplate } from "../support/postgres-template.ts";
import { smallDisk } from "../support/small-disk.ts";
import type { FaultsProgress } from "./faults-progress.ts";

/** Room for an empty database and its log. */
const diskMegabytes = 128;

/**
 * `pnpm bench:faults --distributed`: workers of other processes and the processes of runs are killed, with workers that ask before each call and with workers that do not; then, for each of both and on a server of
 * its own, the server restarts and crashes, connections are cut and half-open, a worker and the process of a run are frozen and come back, several processes want one run, clocks differ, and the disk is full.
 */
export async function distributedFaults(kills: number, seed: number, progress: FaultsProgress) {
  const server = await embeddedPostgres({ parent: tmpdir(), template: postgresTemplate });
  try {
    const given = { url: server.url, workers: 3, kills, seed, watch: progress };
    progress.begin("workers that do not ask");
    const alone = await killDistributed({ ...given, schema: "alone", asks: false });
    progress.begin("workers that ask");
    const asking = await killDistributed({ ...given, schema: "asking", asks: true });
    return { workers: 3, alone, asking, trials: await allTrials(seed, "", progress) };
  } finally {
    await server.close();
  }
}

/** @param named those alone whose name contains it */
export async function allTrials(seed: number, named = "", progress?: FaultsProgress): Promise<TrialReport[]> {
  const reports: TrialReport[] = [];
  for (const trial of distributedTrials.filter(({ name }) => name.includes(named))) {
    for (const asks of [false, true]) {
      if (progress?.signal.aborted) return reports;
      progress?.begin(trial.name);
      await using disk = trial.needsDisk ? await smallDisk(diskMegabytes) : undefined;
      if (trial.needsDisk && disk === undefined) {
        process.stderr.write(
          `Left out: ${trial.name}. It mounts a file system in memory, for which it has to be root on Linux.\n`,
        );
        break;
      }
      const server = await embeddedPostgres({ parent: disk?.folder ?? tmpdir(), template: postgresTemplate });
      try {
        reports.push(
          await tryOut(trial, { server: disk ? { ...server, disk } : server, schema: "planloom", asks, seed }),
        );
      } finally {
        await server.close();
      }
    }
  }
  return reports;
}
