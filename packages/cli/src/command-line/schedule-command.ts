import { Option } from "commander";
import { addConfirmOptions } from "../options/confirm.ts";
import { runFlag } from "../options/run-flags.ts";
import { addSessionOptions, jsonOption } from "../options/shared-options.ts";
import { type AddCommand, planArgument } from "./add-command.ts";

/** `planloom schedule`: plans that are run again and again. */
export const addSchedule: AddCommand = (program, io, done) => {
  addConfirmOptions(
    addSessionOptions(
      program
        .command("schedule")
        .summary("run a plan at the times of a cron pattern")
        .description(
          "run a plan at the times of a cron pattern, wherever `scheduler` runs; list, pause and delete schedules",
        )
        .argument("[plan]", planArgument)
        .option("--cron <pattern>", 'minute, hour, day, month, weekday: "0 9 * * 1" is every Monday at nine')
        .option("--zone <name>", "the time zone of these times, such as Europe/Berlin (default: that of this machine)")
        .option("--id <id>", "of the schedule; one of the same id is replaced (default: a random one)")
        .addOption(
          new Option(
            "--overlap <what>",
            "what a due time does while the run before has not ended (default: skip)",
          ).choices(["skip", "allow"]),
        )
        .addOption(
          new Option(
            "--catch-up <which>",
            "which of the times are run that passed without a scheduler (default: last)",
          ).choices(["last", "all", "none"]),
        )
        .addOption(runFlag("variables"))
        .option("--list", "the schedules, the one that is due first at the top")
        .option("--pause <id>", "no further times until it is continued")
        .option("--continue <id>", "of a paused schedule; what passed meanwhile is not caught up")
        .option("--delete <id>", "its runs stay")
        .option("--history <id>", "what became of its due times"),
    ),
  )
    .addOption(jsonOption())
    .action(async (plan, options) => done(await (await import("../commands/schedule.ts")).schedule(plan, options, io)));
};
