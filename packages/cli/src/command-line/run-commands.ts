import { Option } from "commander";
import { budgetOption } from "../options/budget.ts";
import { addConfirmOptions } from "../options/confirm.ts";
import { runFlag } from "../options/run-flags.ts";
import {
  addClockOptions,
  addModelOptions,
  addPlanningOptions,
  addSessionOptions,
  askOption,
  collect,
  configOption,
  jsonOption,
  maxRoundsOption,
  mcpOption,
  noAskOption,
  noConfigOption,
  positiveInteger,
  queueName,
  replanWhen,
  trustJournalOption,
  workerCount,
} from "../options/shared-options.ts";
import { addClaimOptions, addTurnOptions } from "../options/turn.ts";
import { type AddCommand, planArgument, runArgument, setOption, toolOption } from "./add-command.ts";

// Commands that execute plans, and that resume or change runs.

export const addRun: AddCommand = (program, io, done) => {
  addTurnOptions(
    addConfirmOptions(
      addPlanningOptions(
        program
          .command("run")
          .description("run a plan, or plan a goal and run it")
          .argument("[plan or goal...]", `${planArgument}; or a goal in words`),
      ),
    ),
  )
    .addOption(runFlag("secrets"))
    .addOption(runFlag("onUnknown"))
    .addOption(runFlag("concurrency"))
    .addOption(budgetOption())
    .option("--workers <n>", "group the tasks into subgraphs, each for one of N worker processes", workerCount)
    .option("--queue <name>", "group them for workers of any machine (planloom worker); needs --on", queueName)
    .option(
      "--adaptive",
      "with workers or a queue: split subgraphs that were not dispatched yet where durations are not as estimated",
    )
    .addOption(
      new Option(
        "--optimizer <who>",
        "with workers or a queue: who groups (default: rules, or what the configuration says)",
      ).choices(["rules", "model", "robust"]),
    )
    .addOption(runFlag("variables"))
    .option("--set <name=value>", setOption, collect)
    .option("--tool <task=tool>", toolOption, collect)
    .option("--dry-run", "show what would run, with resolved arguments, and run nothing")
    .addOption(runFlag("replanPolicy"))
    .option("--max-replans <n>", "at most so many replans (default: 2)", positiveInteger)
    .option("--no-checkpoint", "keep nothing of the run: it cannot be shown, resumed or approved later")
    .option("--edit", "open the plan in VISUAL or EDITOR before it runs; with --open, in the page")
    .option("--open", "follow the run live on a page in the browser")
    .addOption(askOption())
    .addOption(noAskOption())
    .option("--answer", "with a model: add a task that answers the goal from the outputs")
    .addOption(jsonOption())
    .action(async (words, options) => done(await (await import("../commands/run.ts")).run(words, options, io)));
};

export const addLoop: AddCommand = (program, io, done) => {
  const loop = addTurnOptions(
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
    ),
  );
  addClockOptions(loop)
    .addOption(mcpOption())
    .addOption(configOption())
    .addOption(noConfigOption())
    .addOption(runFlag("onUnknown"))
    .addOption(runFlag("concurrency"))
    .option(
      "--replan <when>",
      "when the remaining steps are planned again: always, failure, every=N steps (default: always)",
      replanWhen,
    )
    .addOption(maxRoundsOption())
    .addOption(jsonOption())
    .action(async (words, options) => done(await (await import("../commands/loop.ts")).loop(words, options, io)));
};

export const addResume: AddCommand = (program, io, done) => {
  addTurnOptions(
    addConfirmOptions(
      addSessionOptions(
        program
          .command("resume")
          .summary("continue a run that has not ended")
          .description("continue a run that was interrupted or cancelled, has failed tasks, or got an answer")
          .argument("[run or plan]", `${runArgument}; or a plan, whose newest run is meant`)
          .option("--due", "every run in which a time that it waits for, or a signal, has come")
          .option("--retry-failed", "failed tasks too, of a run that waits (default: of a run that has ended)")
          .option("--no-retry-failed", "failed tasks stay failed, and what was cut off continues"),
      ),
    ),
  )
    .addOption(runFlag("secrets"))
    .addOption(runFlag("onUnknown"))
    .addOption(runFlag("concurrency"))
    .addOption(budgetOption())
    .addOption(maxRoundsOption())
    .addOption(trustJournalOption())
    .addOption(jsonOption())
    .action(async (id, options) => done(await (await import("../commands/resume.ts")).resume(id, options, io)));
};

export const addScheduler: AddCommand = (program, io, done) => {
  addClaimOptions(
    addConfirmOptions(
      addSessionOptions(
        program
          .command("scheduler")
          .summary("continue runs as they become due, and begin scheduled ones")
          .description(
            "continue runs when a time that they wait for, or a signal, has come, and begin those of schedules; runs until it is stopped, and several may run at once",
          ),
      ),
    ),
  )
    .addOption(runFlag("secrets"))
    .option("--every <seconds>", "how often it looks (default: 1)", positiveInteger)
    .option("--runs <n>", "at most so many runs at once (default: 4)", positiveInteger)
    .addOption(trustJournalOption())
    .addOption(jsonOption())
    .action(async (options) => done(await (await import("../commands/scheduler.ts")).scheduler(options, io)));
};

export const addReplay: AddCommand = (program, io, done) => {
  program
    .command("replay")
    .summary("execute a run again from its journal alone, and check it")
    .description("execute a run again from its journal alone, and check its certificate")
    .argument("<run>", runArgument)
    .option("--plan <plan>", "another plan over the same recorded outcomes")
    .addOption(jsonOption())
    .action(async (run, options) => done(await (await import("../commands/replay.ts")).replay(run, options, io)));
};

export const addFork: AddCommand = (program, io, done) => {
  addTurnOptions(
    addConfirmOptions(
      addSessionOptions(
        program
          .command("fork")
          .summary("run again from one task on, keeping the rest")
          .description("a new run that keeps what another completed, again from one of its tasks")
          .argument("<run>", runArgument)
          .argument("<task>", "id of the task to begin again with")
          .option(
            "--set <name=value>",
            "another value of an argument of the task, JSON or text; may be given again",
            collect,
          ),
      ),
    ),
  )
    .addOption(runFlag("secrets"))
    .addOption(runFlag("onUnknown"))
    .addOption(runFlag("concurrency"))
    .addOption(budgetOption())
    .addOption(trustJournalOption())
    .addOption(jsonOption())
    .action(async (run, task, options) =>
      done(await (await import("../commands/fork.ts")).fork(run, task, options, io)),
    );
};

export const addReplan: AddCommand = (program, io, done) => {
  addSessionOptions(
    program
      .command("replan")
      .summary("put new tasks in the place of marked ones")
      .description("put new tasks in the place of marked ones and of nothing else; resume continues a run with them")
      .argument("<plan or run>", "a plan file, or a unique prefix of the id of a saved plan or of a run")
      .option(
        "--mark <task>",
        "a task to replace, in addition to those marked in the plan; may be given again",
        collect,
      )
      .option("--note <text>", "wishes in words")
      .option("--out <file>", "write the new plan to FILE and leave the old one as it is"),
  )
    .addOption(trustJournalOption())
    .addOption(jsonOption())
    .action(async (name, options) => done(await (await import("../commands/replan.ts")).replan(name, options, io)));
};
