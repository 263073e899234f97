import { runFlag } from "../options/run-flags.ts";
import { addSessionOptions, jsonOption, portNumber, positiveInteger } from "../options/shared-options.ts";
import type { AddCommand } from "./add-command.ts";

/** `planloom mcp`: the package `@planloom/mcp-server` on this machine's plans and runs. */
export const addMcp: AddCommand = (program, io, done) => {
  addSessionOptions(
    program
      .command("mcp")
      .summary("be an MCP server whose tools are plans")
      .description(
        "be an MCP server whose tools plan, run, follow and approve: over standard input and output, or with --port over streamable HTTP, where PLANLOOM_TOKEN is the token that requests need",
      ),
  )
    .option("--port <n>", "listen there in place of standard input and output, 0 for any that is free", portNumber)
    .option("--host <host>", "where to listen (default: 127.0.0.1; beyond this machine it needs a token)")
    .option(
      "--max-listeners <n>",
      "with --port, clients that may listen to answers at once (default: 2000)",
      positiveInteger,
    )
    .option(
      "--approve-by-call",
      "plan_approve takes the answer from the model's call where the client cannot ask a person",
    )
    .addOption(runFlag("secrets"))
    .addOption(runFlag("concurrency"))
    .addOption(jsonOption())
    .action(async (options) => done(await (await import("../commands/mcp.ts")).mcp(options, io)));
};
