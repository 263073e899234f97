import { jsonOption, positiveInteger } from "../options/shared-options.ts";
import type { AddCommand } from "./add-command.ts";

/** `planloom memory`: the plans that `--memory` reuses. */
export const addMemory: AddCommand = (program, io, done) => {
  const commands = () => import("../commands/memory.ts");
  const memory = program.command("memory").description("plans of completed runs that goals like theirs can get again");
  memory
    .command("list")
    .description("list the goals whose plans can be reused, the newest first")
    .option("--tenant <key>", "plans of this tenant (default: of runs without one)")
    .option("--limit <n>", "so many at most (default: 20, with --json 200)", positiveInteger)
    .addOption(jsonOption())
    .action(async (options) => done(await (await commands()).list(options, io)));
  memory
    .command("forget")
    .description("forget plans: deletes their runs, with all that was recorded of them")
    .argument("<run...>", "ids of the list, or prefixes that fit one each")
    .addOption(jsonOption())
    .action(async (names, options) => done(await (await commands()).forget(names, options, io)));
};
