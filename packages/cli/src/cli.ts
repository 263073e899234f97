import { Command, CommanderError, Option } from "commander";
import { ExitCode } from "./exit-code.ts";
import type { CliIo } from "./io.ts";
import { addConfirmOptions } from "./options/confirm.ts";
import { addRunFilter } from "./options/run-filter.ts";
import { runFlag } from "./options/run-flags.ts";
import {
  addModelOptions,
  addPlanningOptions,
  addSessionOptions,
  collect,
  configOption,
  counts,
  jsonOption,
  maxRoundsOption,
  mcpOption,
  noConfigOption,
  nonNegative,
  numbers,
  positiveInteger,
  replanWhen,
  trustJournalOption,
  wholeNumber,
  words,
} from "./options/shared-options.ts";
import { reportError } from "./report-error.ts";
import { plainText } from "./terminal/style.ts";

const EXAMPLES = `
Examples:
  planloom run "Get facilities in Berlin, then their shipments" --mcp mcp.json
  planloom plan --job job.yaml --mcp mcp.json --json
  planloom graph PLAN --format mermaid
  planloom resume RUN

A PLAN is a file (JSON or YAML) or the id of a saved plan; a RUN is the id of a run. Unique prefixes will do.
Exit codes: 0 done, 1 failed, 2 bad usage or invalid plan, 3 waiting for approval, 130 interrupted (SIGTERM 143, SIGHUP 129).`;

/** Runs one command line. Never throws; the result is the exit code. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  const json = argv.includes("--json");
  let exitCode: number = ExitCode.DONE;
  const program = new Command("planloom")
    .description("Turns a job goal into a checked, optimized plan and runs it.")
    .version("0.1.0")
    .addHelpText("after", EXAMPLES)
    .showSuggestionAfterError()
    .showHelpAfterError("(--help shows what there is)")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [command]", "show the help of a command")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => {
        if (!json) io.stderr.write(plainText(text));
      },
      getOutHelpWidth: () => Math.min(io.stdout.columns ?? 100, 110),
    });
  for (const add of commands) {
    add(program, io, (code) => {
      exitCode = code;
    });
  }
  try {
    await program.parseAsync([...argv], { from: "user" });
    return io.signal.aborted && exitCode === ExitCode.DONE ? ExitCode.INTERRUPTED : exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return ExitCode.DONE;
      if (json) reportError(error, { json }, io);
      return ExitCode.USAGE;
    }
    return reportError(error, { json }, io);
  }
}

type Add = (program: Command, io: CliIo, done: (code: number) => void) => void;

const RUN = "id of a run, or a prefix that fits one";
const SET = "value of an argument, TASK.ARGUMENT=VALUE, read by its type; may be given again";
const TOOL = "another tool for a task, TASK=TOOL; its arguments are bound anew; may be given again";
const PLAN = "a file (JSON, YAML), or the id of a saved plan or a prefix that fits one";

const addInit: Add = (program, io, done) => {
  program
    .command("init")
    .description("write a configuration and a map of MCP servers to begin with")
    .argument("[folder]", "where (default: here)")
    .addOption(jsonOption())
    .action(async (folder, options) => done(await (await import("./commands/init.ts")).init(folder, options, io)));
};

const addPlan: Add = (program, io, done) => {
  addPlanningOptions(
    program
      .command("plan")
      .description("make a plan, check it and save it")
      .argument("[goal...]", "what is to be done"),
  )
    .option("--set <name=value>", SET, collect)
    .option("--tool <task=tool>", TOOL, collect)
    .option("--why", "for each task: its words, what was guessed, and the next best tools")
    .option("--out <file>", "also write the plan to FILE (.json or .yaml)")
    .addOption(jsonOption())
    .action(async (words, options) => done(await (await import("./commands/plan.ts")).plan(words, options, io)));
};

const addRun: Add = (program, io, done) => {
  addConfirmOptions(
    addPlanningOptions(
      program
        .command("run")
        .description("run a plan, or plan a goal and run it")
        .argument("[plan or goal...]", `${PLAN}; or a goal in words`),
    ),
  )
    .addOption(runFlag("secrets"))
    .addOption(runFlag("onUnknown"))
    .addOption(runFlag("concurrency"))
    .addOption(runFlag("variables"))
    .option("--set <name=value>", SET, collect)
    .option("--tool <task=tool>", TOOL, collect)
    .option("--dry-run", "show what would run, with resolved arguments, and run nothing")
    .addOption(runFlag("replanPolicy"))
    .option("--max-replans <n>", "at most so many replans (default: 2)", positiveInteger)
    .option("--no-checkpoint", "keep nothing of the run: it cannot be shown, resumed or approved later")
    .option("--answer", "with a model: add a task that answers the goal from the outputs")
    .addOption(jsonOption())
    .action(async (words, options) => done(await (await import("./commands/run.ts")).run(words, options, io)));
};

const addEdit: Add = (program, io, done) => {
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
    .action(async (name, options) => done(await (await import("./commands/edit.ts")).edit(name, options, io)));
};

const addSave: Add = (program, io, done) => {
  program
    .command("save")
    .summary("keep a plan file among the saved plans")
    .description(
      "keep a plan file, in any form that is read, among the saved plans, so that list has it and its id will do",
    )
    .argument("<file>", "a plan file (JSON, YAML)")
    .option("--replace", "put it in the place of another plan that is saved under the same id")
    .addOption(jsonOption())
    .action(async (file, options) => done(await (await import("./commands/save.ts")).save(file, options, io)));
};

const addLoop: Add = (program, io, done) => {
  addModelOptions(
    addConfirmOptions(
      program
        .command("loop")
        .summary("let a model plan, execute with the tools and replan")
        .description(
          "let a model plan in steps, execute them with the tools, and replan until it has an answer; without a model use run",
        )
        .argument("<objective...>", "what is to be reached, in words"),
    ),
  )
    .addOption(mcpOption())
    .addOption(configOption())
    .addOption(noConfigOption())
    .addOption(runFlag("onUnknown"))
    .addOption(runFlag("concurrency"))
    .option(
      "--replan <when>",
      "when the rest is planned anew: always, failure, every=N steps (default: always)",
      replanWhen,
    )
    .addOption(maxRoundsOption())
    .addOption(jsonOption())
    .action(async (words, options) => done(await (await import("./commands/loop.ts")).loop(words, options, io)));
};

const addResume: Add = (program, io, done) => {
  addConfirmOptions(
    addSessionOptions(
      program
        .command("resume")
        .summary("go on with a run that did not come to its end")
        .description("go on with a run that was interrupted or cancelled, has failed tasks, or got an answer")
        .argument("<run or plan>", `${RUN}; or a plan, whose newest run is meant`),
    ),
  )
    .addOption(runFlag("secrets"))
    .addOption(runFlag("onUnknown"))
    .addOption(runFlag("concurrency"))
    .addOption(maxRoundsOption())
    .addOption(trustJournalOption())
    .addOption(jsonOption())
    .action(async (id, options) => done(await (await import("./commands/resume.ts")).resume(id, options, io)));
};

const addValidate: Add = (program, io, done) => {
  addSessionOptions(
    program
      .command("validate")
      .description("check a plan, against the tools where they are given")
      .argument("<plan>", PLAN),
  )
    .addOption(jsonOption())
    .action(async (name, options) => done(await (await import("./commands/validate.ts")).validate(name, options, io)));
};

const addOptimize: Add = (program, io, done) => {
  program
    .command("optimize")
    .summary("group a plan into subgraphs, with predicted time")
    .description("group a plan into subgraphs, with predicted time and lower bound")
    .argument("<plan>", PLAN)
    .option("--env <environment>", "where it is dispatched: executors=8,overhead=2s or a file in YAML or JSON")
    .option("--executors <k>", "executors that take subgraphs (default: 4)", positiveInteger)
    .option("--overhead <ms>", "cost of one dispatch (default: the mean task estimate)", nonNegative)
    .option("--strategy <name>", "portfolio (default), anytime, one by its name, or a module of your own")
    .option("--objective <weights>", "what else counts, in milliseconds each: tokens=0.5,bytes=,rework=1,blast=")
    .option("--deadline <ms>", "time that a searching strategy may take (anytime: 1000)", positiveInteger)
    .addOption(configOption())
    .addOption(noConfigOption())
    .option("--front", "groupings to choose from, for plans of any size (default: up to 40 tasks)")
    .addOption(jsonOption())
    .action(async (name, options) => done(await (await import("./commands/optimize.ts")).optimize(name, options, io)));
};

const addBench: Add = (program, io, done) => {
  program
    .command("bench")
    .description("compare optimizer strategies, on your plans or on generated ones")
    .argument(
      "[plans...]",
      "files and folders of plan-workload/1, WfCommons WfFormat 1.5 and Planloom plans; saved plans",
    )
    .option("--strategy <names>", "comma-separated names, or modules of your own (default: all)")
    .option(
      "--env <environment>",
      "executors=8,overhead=1x or a file; may be given again (default: 8, overhead 0x, 1x, 10x)",
      collect,
    )
    .addOption(new Option("--seeds <numbers>", "for strategies that draw numbers").argParser(numbers).default([0], "0"))
    .option("--deadline <ms>", "time that a searching strategy may take on a plan (default: 1000)", positiveInteger)
    .option("--family <names>", "generated plans: these families (default: all, where no plans are given)", words)
    .option("--sizes <tasks>", "generated plans: their sizes (default: 12,40,150)", counts)
    .option("--instances <n>", "generated plans: so many of each family and size (default: 1)", positiveInteger)
    .option("--limit <n>", "at most so many plans of a set", positiveInteger, 40)
    .option("--adversarial", "look for the worst plan for each ordered pair of strategies too (PISA)")
    .option("--adversarial-only", "that, and nothing else")
    .option("--restarts <n>", "of the adversarial search, for each pair (default: 10)", positiveInteger)
    .option("--steps <n>", "of each restart (default: 500)", positiveInteger)
    .option("--quick", "fewer and smaller plans, shorter searches")
    .option("--out <folder>", "reports, and the rows a run that was cut off goes on from", "planloom-bench")
    .addOption(jsonOption())
    .action(async (plans, options) => done(await (await import("./commands/bench.ts")).bench(plans, options, io)));
};

const addGraph: Add = (program, io, done) => {
  program
    .command("graph")
    .description("draw a plan")
    .argument("<plan>", PLAN)
    .addOption(new Option("--format <format>", "what to draw").choices(["ascii", "mermaid", "dot"]).default("ascii"))
    .option("--subgraphs", "group the tasks as the optimizer would")
    .addOption(configOption())
    .addOption(noConfigOption())
    .addOption(jsonOption())
    .action(async (name, options) => done(await (await import("./commands/graph.ts")).graph(name, options, io)));
};

const addConvert: Add = (program, io, done) => {
  const forms = ["planloom", "agent-grid", "kirha", "planner-agent", "mcp-cli", "plan-execute"];
  program
    .command("convert")
    .summary("write a plan in the form of another planner, or theirs in ours")
    .description("write a plan in the form of another planner, or theirs in ours; refuses what the form cannot say")
    .argument("<plan>", PLAN)
    .addOption(new Option("--to <form>", "whose form").choices(forms).default("planloom"))
    .addOption(
      new Option("--format <format>", "default: json, or what the name of the file says").choices(["json", "yaml"]),
    )
    .option("--out <file>", "write it there (default: standard output)")
    .addOption(jsonOption())
    .action(async (name, options) => done(await (await import("./commands/convert.ts")).convert(name, options, io)));
};

const addList: Add = (program, io, done) => {
  addRunFilter(program.command("list").description("list saved plans and runs"))
    .option("--limit <n>", "so many plans and so many runs at most (default: 20, with --json 1000)", positiveInteger)
    .option("--cursor <cursor>", "go on after the run that --json gave this cursor to")
    .option("--waiting", "what waits for a person, in all runs")
    .addOption(jsonOption())
    .action(async (options) => done(await (await import("./commands/list.ts")).list(options, io)));
};

const addShow: Add = (program, io, done) => {
  program
    .command("show")
    .description("show a plan, or a run with its timeline and results")
    .argument("<plan or run>", "a file, or the id of a saved plan or a run, or a prefix that fits one")
    .addOption(jsonOption())
    .action(async (name, options) => done(await (await import("./commands/show.ts")).show(name, options, io)));
};

const addApprove: Add = (program, io, done) => addAnswer(program, io, done, "approve", "say yes to a task that waits");
const addDeny: Add = (program, io, done) =>
  addAnswer(program, io, done, "deny", "say no to a task that waits; what depends on it is skipped");

function addAnswer(
  program: Command,
  io: CliIo,
  done: (code: number) => void,
  said: "approve" | "deny",
  description: string,
): void {
  const command = program
    .command(said)
    .description(description)
    .argument("<run>", RUN)
    .argument("[task...]", "ids of the tasks meant (default: the only one that waits)");
  if (said === "approve")
    command
      .option("--input <json>", "another input to call it with, a JSON object")
      .option(
        "--output <json>",
        "a call of which nobody knows: it was carried out and gave this, any JSON (a text in quotes: '\"sent\"')",
      )
      .option("--replace", "put this answer in the place of one with another input or output");
  command
    .option("--by <name>", "who answers; kept with the answer (default: the name of the account)")
    .option("--note <text>", "why; kept with the answer")
    .addOption(jsonOption())
    .action(async (run, tasks, options) =>
      done(await (await import("./commands/answer.ts")).answer(said, run, tasks, options, io)),
    );
}

const addCancel: Add = (program, io, done) => {
  program
    .command("cancel")
    .summary("end a run, also one of another process")
    .description("end a run, also one that another process has in hand (it hears it within 5 s)")
    .argument("<run>", RUN)
    .option("--drain", "let what runs come to its end, and start nothing more")
    .addOption(jsonOption())
    .action(async (run, options) => done(await (await import("./commands/cancel.ts")).cancel(run, options, io)));
};

const addReplay: Add = (program, io, done) => {
  program
    .command("replay")
    .summary("execute a run again from its journal alone, and check it")
    .description("execute a run again from its journal alone, and check its certificate")
    .argument("<run>", RUN)
    .option("--plan <plan>", "another plan over the same recorded outcomes")
    .addOption(jsonOption())
    .action(async (run, options) => done(await (await import("./commands/replay.ts")).replay(run, options, io)));
};

const addFork: Add = (program, io, done) => {
  addConfirmOptions(
    addSessionOptions(
      program
        .command("fork")
        .summary("run again from one task on, keeping the rest")
        .description("a new run that keeps what another completed, again from one of its tasks")
        .argument("<run>", RUN)
        .argument("<task>", "id of the task to begin again with")
        .option(
          "--set <name=value>",
          "another value of an argument of the task, JSON or text; may be given again",
          collect,
        ),
    ),
  )
    .addOption(runFlag("secrets"))
    .addOption(runFlag("onUnknown"))
    .addOption(runFlag("concurrency"))
    .addOption(trustJournalOption())
    .addOption(jsonOption())
    .action(async (run, task, options) =>
      done(await (await import("./commands/fork.ts")).fork(run, task, options, io)),
    );
};

const addDelete: Add = (program, io, done) => {
  program
    .command("delete")
    .description("delete saved plans and recorded runs")
    .argument("<plan or run...>", "ids of saved plans and runs, or prefixes that fit one each")
    .addOption(jsonOption())
    .action(async (names, options) => done(await (await import("./commands/delete.ts")).remove(names, options, io)));
};

const addPrune: Add = (program, io, done) => {
  addRunFilter(
    program
      .command("prune")
      .summary("delete old runs and cached outputs")
      .description("delete old runs with all that comes from them, and cached outputs; runs that could go on stay")
      .option("--older-than <age>", "runs that ended longer ago, and cached outputs of that age: 30d, 12h")
      .option("--keep <n>", "of the newest runs, how many stay; those beyond go", wholeNumber)
      .option("--cache-older-than <age>", "cached outputs that were stored longer ago; 0d is all"),
  )
    .option("--dry-run", "say what would be deleted, and delete nothing")
    .addOption(jsonOption())
    .action(async (options) => done(await (await import("./commands/prune.ts")).prune(options, io)));
};

const addDiff: Add = (program, io, done) => {
  program
    .command("diff")
    .description("show what differs between two plans")
    .argument("<plan>", PLAN)
    .argument("<other>", "likewise")
    .addOption(new Option("--format <format>", "what to write").choices(["text", "mermaid"]).default("text"))
    .addOption(jsonOption())
    .action(async (first, second, options) =>
      done(await (await import("./commands/diff.ts")).diff(first, second, options, io)),
    );
};

const addReplan: Add = (program, io, done) => {
  addSessionOptions(
    program
      .command("replan")
      .summary("put new tasks in the place of marked ones")
      .description("put new tasks in the place of marked ones and of nothing else; a run goes on with them by resume")
      .argument("<plan or run>", "a plan file, or a unique prefix of the id of a saved plan or of a run")
      .option("--mark <task>", "a task to replace, besides those marked in the plan; may be given again", collect)
      .option("--note <text>", "wishes in words")
      .option("--out <file>", "write the new plan to FILE and leave the old one as it is"),
  )
    .addOption(trustJournalOption())
    .addOption(jsonOption())
    .action(async (name, options) => done(await (await import("./commands/replan.ts")).replan(name, options, io)));
};

const addTrust: Add = (program, io, done) => {
  program
    .command("trust")
    .summary("use the configuration of a folder without its being named")
    .description("use the configuration of a folder, and go on with runs of its servers, without their being named")
    .argument("[folder]", "which (default: this one); folders below it are not meant")
    .option("--remove", "trust it no longer")
    .option("--list", "show the folders that are trusted")
    .addOption(jsonOption())
    .action(async (folder, options) => done(await (await import("./commands/trust.ts")).trust(folder, options, io)));
};

const addDoctor: Add = (program, io, done) => {
  addSessionOptions(
    program.command("doctor").description("check this machine, the configuration, the tools and the model"),
  )
    .addOption(jsonOption())
    .action(async (options) => done(await (await import("./commands/doctor.ts")).doctor(options, io)));
};

/** In the order of the help. */
const commands: readonly Add[] = [
  addInit,
  addPlan,
  addRun,
  addEdit,
  addSave,
  addLoop,
  addResume,
  addApprove,
  addDeny,
  addCancel,
  addReplay,
  addFork,
  addValidate,
  addOptimize,
  addBench,
  addGraph,
  addConvert,
  addList,
  addShow,
  addDelete,
  addPrune,
  addDiff,
  addReplan,
  addTrust,
  addDoctor,
];
