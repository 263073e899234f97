import { Option } from "commander";
import { collect, counts, jsonOption, numbers, positiveInteger, words } from "../options/shared-options.ts";
import type { AddCommand } from "./add-command.ts";

// The optimizer laboratory's command.

export const addBench: AddCommand = (program, io, done) => {
  const bench = program
    .command("bench")
    .description("compare optimizer strategies, on your plans or on generated ones")
    .argument(
      "[plans...]",
      "files and folders of plan-workload/1, WfFormat, DOT, DAX, GEXF, GraphML, daggen, HyperDAG, STG and Planloom plans; saved plans",
    )
    .option("--strategy <names>", "comma-separated names, or modules of your own (default: all)")
    .option(
      "--env <environment>",
      "executors=8,overhead=1x or a file; may be given again (default: 8, overhead 0x, 1x, 10x)",
      collect,
    )
    .addOption(new Option("--seeds <numbers>", "for strategies that draw numbers").argParser(numbers).default([0], "0"))
    .option("--evaluations <n>", "what a searching strategy may spend on a plan (default: 20000000)", positiveInteger)
    .option("--deadline <ms>", "or the time it may take; rows then depend on the machine", positiveInteger)
    .option("--family <names>", "generated plans: these families (default: all, where no plans are given)", words)
    .option("--sizes <tasks>", "generated plans: their sizes (default: 12,40,150)", counts)
    .option("--instances <n>", "generated plans: so many of each family and size (default: 1)", positiveInteger)
    .option("--limit <n>", "at most so many plans of a set", positiveInteger, 40)
    .option("--adversarial", "look for the worst plan for each ordered pair of strategies too (PISA)")
    .option("--adversarial-only", "that, and nothing else")
    .option("--restarts <n>", "of the adversarial search, for each pair (default: 10)", positiveInteger)
    .option("--steps <n>", "of each restart (default: 500)", positiveInteger)
    .option("--quick", "fewer and smaller plans, shorter searches")
    .option("--pdf", "the figures as PDF too, with embedded fonts, by a Chromium that is installed here")
    .option("--out <folder>", "reports, and the rows from which an interrupted run continues", "planloom-bench")
    .addOption(jsonOption())
    .action(async (plans, options) => done(await (await import("../commands/bench.ts")).bench(plans, options, io)));
  bench
    .command("verify")
    .summary("measure rows of a report again and compare them")
    .description(
      "measure rows of a report again and compare what does not depend on the machine; exit code 1 where something differs. --strategy ./mine.ts brings strategies of your own",
    )
    .argument("<report>", "a report.json of planloom bench")
    .argument("[plans...]", "the plans that no generator makes; they are found by their content, not by their names")
    .option("--sample <n>", "so many rows, evenly spaced", positiveInteger, 30)
    .option("--all", "every row")
    // Options that the command around it has too are read there: --strategy and --json.
    .action(async (report, plans, _, command) =>
      done(await (await import("../commands/bench-reports.ts")).verify(report, plans, command.optsWithGlobals(), io)),
    );
  bench
    .command("leaderboard")
    .description("rank the strategies of several reports on the plans that all of them have, as Markdown")
    .argument("<reports...>", "report.json files; each goes by the name of its folder")
    .action(async (reports) => done(await (await import("../commands/bench-reports.ts")).leaderboard(reports, io)));
};
