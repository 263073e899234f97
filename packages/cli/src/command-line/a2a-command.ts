import { runFlag } from "../options/run-flags.ts";
import { addSessionOptions, jsonOption, portNumber, positiveInteger } from "../options/shared-options.ts";
import type { AddCommand } from "./add-command.ts";

/** `planloom a2a`: the package `@planloom/a2a` on this machine's tools and runs. */
export const addA2a: AddCommand = (program, io, done) => {
  addSessionOptions(
    program
      .command("a2a")
      .summary("be an A2A agent that plans and runs")
      .description(
        "be an A2A agent: other agents send goals in words, plans or subgraphs, and get what came of them; PLANLOOM_TOKEN is the token that requests need",
      ),
  )
    .option("--port <n>", "where to listen (default: 0, any that is free)", portNumber)
    .option("--host <host>", "where to listen (default: 127.0.0.1; beyond this machine it needs a token)")
    .option("--max-listeners <n>", "clients that may listen to answers at once (default: 2000)", positiveInteger)
    .option("--name <name>", "on the agent card (default: Planloom)")
    .option("--approve-by-message", "a message may answer what a person is asked; otherwise planloom approve does")
    .addOption(runFlag("secrets"))
    .addOption(runFlag("concurrency"))
    .addOption(jsonOption())
    .action(async (options) => done(await (await import("../commands/a2a.ts")).a2a(options, io)));
};
