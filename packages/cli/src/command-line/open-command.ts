import { runFlag } from "../options/run-flags.ts";
import { addSessionOptions, jsonOption } from "../options/shared-options.ts";
import type { AddCommand } from "./add-command.ts";

/** `planloom open`: the live page, without a server that was started before. */
export const addOpen: AddCommand = (program, io, done) => {
  addSessionOptions(
    program
      .command("open")
      .summary("look at a run or a plan in the browser, live")
      .description(
        "serve the live page on a free port of this machine until interrupted, and open it at a run or a plan; without one, at the list of runs",
      )
      .argument("[plan or run]", "a file, or the id of a saved plan or a run, or a prefix that fits one"),
  )
    .option("--no-browser", "print the address, and start no browser")
    .addOption(runFlag("secrets"))
    .addOption(runFlag("concurrency"))
    .addOption(jsonOption())
    .action(async (name, options) => done(await (await import("../commands/open.ts")).open(name, options, io)));
};
