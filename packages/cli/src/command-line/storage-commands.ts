import { addRunFilter } from "../options/run-filter.ts";
import { jsonOption, positiveInteger, wholeNumber } from "../options/shared-options.ts";
import type { AddCommand } from "./add-command.ts";

// Commands over the saved plans and the recorded runs.

export const addList: AddCommand = (program, io, done) => {
  addRunFilter(program.command("list").description("list saved plans and runs"))
    .option("--limit <n>", "so many plans and so many runs at most (default: 20, with --json 1000)", positiveInteger)
    .option("--cursor <cursor>", "continue after the run for which --json gave this cursor")
    .option("--waiting", "what waits for a person, in all runs")
    .addOption(jsonOption())
    .action(async (options) => done(await (await import("../commands/list.ts")).list(options, io)));
};

export const addShow: AddCommand = (program, io, done) => {
  program
    .command("show")
    .description("show a plan, or a run with its timeline and results")
    .argument("<plan or run>", "a file, or the id of a saved plan or a run, or a prefix that fits one")
    .option("--html <file>", "write it as a page: one file that needs no server, with graph, timeline and details")
    .option("--open", "open the page in the browser")
    .addOption(jsonOption())
    .action(async (name, options) => done(await (await import("../commands/show.ts")).show(name, options, io)));
};

export const addDelete: AddCommand = (program, io, done) => {
  program
    .command("delete")
    .description("delete saved plans and recorded runs")
    .argument("<plan or run...>", "ids of saved plans and runs, or prefixes that fit one each")
    .addOption(jsonOption())
    .action(async (names, options) => done(await (await import("../commands/delete.ts")).remove(names, options, io)));
};

export const addPrune: AddCommand = (program, io, done) => {
  addRunFilter(
    program
      .command("prune")
      .summary("delete old runs and cached outputs")
      .description(
        "delete old runs with all that comes from them, and cached outputs; runs that can be resumed are kept",
      )
      .option("--older-than <age>", "runs that ended longer ago, and cached outputs of that age: 30d, 12h")
      .option("--keep <n>", "of the newest runs, how many stay; those beyond go", wholeNumber)
      .option("--cache-older-than <age>", "cached outputs that were stored longer ago; 0d is all"),
  )
    .option("--dry-run", "say what would be deleted, and delete nothing")
    .addOption(jsonOption())
    .action(async (options) => done(await (await import("../commands/prune.ts")).prune(options, io)));
};
