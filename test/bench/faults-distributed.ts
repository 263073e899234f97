import { tmpdir } from "node:os";
import { embeddedPostgres } from "@planloom/postgres";
import { killDistributed } from "../support/distributed-faults.ts";
import { postgresTemplate } from "../support/postgres-template.ts";

/** `pnpm bench:faults --distributed`: workers of other processes and the processes of runs are killed, with workers that ask before each call and with workers that do not. */
export async function distributedFaults(kills: number, seed: number) {
  const server = await embeddedPostgres({ parent: tmpdir(), template: postgresTemplate });
  try {
    const given = { url: server.url, workers: 3, kills, seed };
    const alone = await killDistributed({ ...given, schema: "alone", asks: false });
    const asking = await killDistributed({ ...given, schema: "asking", asks: true });
    return { workers: 3, alone, asking };
  } finally {
    await server.close();
  }
}
