import { Option } from "commander";
import {
  addModelOptions,
  addPlanningOptions,
  addSessionOptions,
  askOption,
  collect,
  configOption,
  jsonOption,
  noAskOption,
  noConfigOption,
  nonNegative,
  positiveInteger,
} from "../options/shared-options.ts";
import { type AddCommand, planArgument, setOption, toolOption } from "./add-command.ts";

// Commands that make a plan or change one, without executing a task.

export const addPlan: AddCommand = (program, io, done) => {
  addPlanningOptions(
    program
      .command("plan")
      .description("make a plan, check it and save it")
      .argument("[goal...]", "what is to be done"),
  )
    .option("--set <name=value>", setOption, collect)
    .option("--tool <task=tool>", toolOption, collect)
    .addOption(askOption())
    .addOption(noAskOption())
    .option("--why", "for each task: its words, what was guessed, and the next best tools")
    .option("--out <file>", "also write the plan to FILE (.json or .yaml)")
    .addOption(jsonOption())
    .action(async (words, options) => done(await (await import("../commands/plan.ts")).plan(words, options, io)));
};

export const addSave: AddCommand = (program, io, done) => {
  program
    .command("save")
    .summary("keep a plan file among the saved plans")
    .description(
      "keep a plan file, in any form that is read, among the saved plans, so that list has it and its id will do",
    )
    .argument("<file>", "a plan file (JSON, YAML)")
    .option("--replace", "put it in the place of another plan that is saved under the same id")
    .addOption(jsonOption())
    .action(async (file, options) => done(await (await import("../commands/save.ts")).save(file, options, io)));
};

export const addEdit: AddCommand = (program, io, done) => {
  addSessionOptions(
    program
      .command("edit")
      .summary("change a saved plan or draft in an editor")
      .description(
        "open a saved plan or draft in VISUAL or EDITOR, check what comes back (against the tools where they are given), show what changed and save it; an edit with errors is kept",
      )
      .argument("<plan>", "id of a saved plan, or a prefix that fits one"),
  )
    .option("--from <file>", "take this changed copy in place of an editor")
    .addOption(jsonOption())
    .action(async (name, options) => done(await (await import("../commands/edit.ts")).edit(name, options, io)));
};

export const addValidate: AddCommand = (program, io, done) => {
  addSessionOptions(
    program
      .command("validate")
      .description("check a plan, against the tools where they are given")
      .argument("<plan>", planArgument),
  )
    .addOption(jsonOption())
    .action(async (name, options) => done(await (await import("../commands/validate.ts")).validate(name, options, io)));
};

export const addOptimize: AddCommand = (program, io, done) => {
  addModelOptions(program.command("optimize"))
    .summary("group a plan into subgraphs, with predicted time")
    .description("group a plan into subgraphs, with predicted time and lower bound")
    .argument("<plan>", planArgument)
    .option("--env <environment>", "where it is dispatched: executors=8,overhead=2s or a file in YAML or JSON")
    .option("--executors <k>", "executors that take subgraphs (default: 4)", positiveInteger)
    .option("--overhead <ms>", "cost of one dispatch (default: the mean task estimate)", nonNegative)
    .addOption(
      new Option("--optimizer <who>", "who groups (default: rules, or what the configuration says)").choices([
        "rules",
        "model",
        "robust",
      ]),
    )
    .option("--sigma <s>", "robust: spread of the logarithm of durations (default: 1)", nonNegative)
    .option("--risk <risk>", "robust: mean (default), quantile=0.95 or cvar=0.9 of the makespan")
    .option("--learned", "durations of earlier runs, for tasks without an estimate")
    .option("--strategy <name>", "portfolio (default), anytime, one by its name, or a module of your own")
    .option("--objective <weights>", "what else counts, in milliseconds each: tokens=0.5,bytes=,rework=1,blast=")
    .option("--deadline <ms>", "time that a searching strategy may take (anytime: 1000)", positiveInteger)
    .option(
      "--evaluations <n>",
      "what a searching strategy may spend in place of time: looking at a grouping of T tasks costs T, 20000000 is about a second; the same answer on every machine",
      positiveInteger,
    )
    .addOption(configOption())
    .addOption(noConfigOption())
    .option("--front", "groupings to choose from, for plans of any size (default: up to 40 tasks)")
    .addOption(jsonOption())
    .action(async (name, options) => done(await (await import("../commands/optimize.ts")).optimize(name, options, io)));
};

export const addGraph: AddCommand = (program, io, done) => {
  program
    .command("graph")
    .description("draw a plan")
    .argument("<plan>", planArgument)
    .addOption(
      new Option("--format <format>", "what to draw")
        .choices(["ascii", "mermaid", "dot", "gexf", "graphml"])
        .default("ascii"),
    )
    .option("--subgraphs", "group the tasks as the optimizer would")
    .addOption(configOption())
    .addOption(noConfigOption())
    .addOption(jsonOption())
    .action(async (name, options) => done(await (await import("../commands/graph.ts")).graph(name, options, io)));
};

export const addConvert: AddCommand = (program, io, done) => {
  const forms = ["planloom", "agent-grid", "kirha", "planner-agent", "mcp-cli", "plan-execute", "step-functions"];
  const workloads = ["plan-workload", "wfformat", "dot"];
  program
    .command("convert")
    .summary("write a plan in the form of another planner, or theirs in ours")
    .description(
      "write a plan in the form of another planner, or theirs in ours; refuses what the form cannot say. plan-workload, wfformat and dot hold the graph and its estimates alone",
    )
    .argument("<plan>", planArgument)
    .addOption(new Option("--to <form>", "whose form").choices([...forms, ...workloads]).default("planloom"))
    .addOption(
      new Option("--format <format>", "default: json, or what the name of the file says").choices(["json", "yaml"]),
    )
    .option("--out <file>", "write it there (default: standard output)")
    .addOption(jsonOption())
    .action(async (name, options) => done(await (await import("../commands/convert.ts")).convert(name, options, io)));
};

export const addDiff: AddCommand = (program, io, done) => {
  program
    .command("diff")
    .description("show what differs between two plans")
    .argument("<plan>", planArgument)
    .argument("<other>", "likewise")
    .addOption(new Option("--format <format>", "what to write").choices(["text", "mermaid"]).default("text"))
    .addOption(jsonOption())
    .action(async (first, second, options) =>
      done(await (await import("../commands/diff.ts")).diff(first, second, options, io)),
    );
};
