import { jsonOption, positiveInteger } from "../options/shared-options.ts";
import type { AddCommand } from "./add-command.ts";

/** `planloom journal`: what the recorded runs are good for beyond themselves. */
export const addJournal: AddCommand = (program, io, done) => {
  const journal = program.command("journal").description("take out of the journal what recorded runs hold");
  journal
    .command("export")
    .summary("write recorded runs as workloads for the optimizer laboratory")
    .description(
      "write completed runs as workloads (plan-workload/1): dependencies, durations, tokens and sizes of outputs, without inputs, outputs, texts, dates and, unless --names is given, names",
    )
    .argument("[runs...]", "ids of runs, or prefixes that fit one each (default: the newest)")
    .requiredOption("--workload", "as workloads; the only form so far")
    .option("--limit <n>", "without runs: so many of the newest", positiveInteger, 50)
    .option("--names", "keep the ids of tasks, resources and runs")
    .option("--out <file>", "write it there (default: standard output)")
    .addOption(jsonOption())
    .action(async (runs, options) =>
      done(await (await import("../commands/export-workload.ts")).exportWorkload(runs, options, io)),
    );
};
