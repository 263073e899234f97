import { addSessionOptions, jsonOption } from "../options/shared-options.ts";
import type { AddCommand } from "./add-command.ts";

// Commands that set a machine or a folder up, and check it.

export const addInit: AddCommand = (program, io, done) => {
  program
    .command("init")
    .description("write a configuration and a map of MCP servers to begin with")
    .argument("[folder]", "where (default: here)")
    .addOption(jsonOption())
    .action(async (folder, options) => done(await (await import("../commands/init.ts")).init(folder, options, io)));
};

export const addTrust: AddCommand = (program, io, done) => {
  program
    .command("trust")
    .summary("use the configuration of a folder without its being named")
    .description("use the configuration of a folder, and resume runs of its servers, without naming them")
    .argument("[folder]", "which (default: this one); folders below it are not meant")
    .option("--remove", "trust it no longer")
    .option("--list", "show the folders that are trusted")
    .addOption(jsonOption())
    .action(async (folder, options) => done(await (await import("../commands/trust.ts")).trust(folder, options, io)));
};

export const addDoctor: AddCommand = (program, io, done) => {
  addSessionOptions(
    program.command("doctor").description("check this machine, the configuration, the tools and the model"),
  )
    .addOption(jsonOption())
    .action(async (options) => done(await (await import("../commands/doctor.ts")).doctor(options, io)));
};
