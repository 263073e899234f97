import { addQueueOptions } from "../options/queue-options.ts";
import { addSessionOptions, jsonOption, nonNegative } from "../options/shared-options.ts";
import type { AddCommand } from "./add-command.ts";

/** `planloom worker`: this process executes subgraphs of runs of any machine. */
export const addWorker: AddCommand = (program, io, done) => {
  const command = addSessionOptions(
    program
      .command("worker")
      .summary("execute subgraphs of runs of other machines")
      .description(
        "execute subgraphs of runs of other machines until interrupted: those that run --queue sends to the database of --on, as far as this process has the tools that they name",
      ),
  );
  addQueueOptions(command)
    .option("--drain <seconds>", "how long running calls may take to end when it stops (default: 20)", nonNegative)
    .addOption(jsonOption())
    .action(async (options) => done(await (await import("../commands/worker.ts")).worker(options, io)));
};
