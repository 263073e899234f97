import type { Command } from "commander";
import type { CliIo } from "../io.ts";
import { jsonOption } from "../options/shared-options.ts";
import { type AddCommand, runArgument } from "./add-command.ts";

// Commands by which a person decides about a run: yes or no to a task, or an end.

export const addApprove: AddCommand = (program, io, done) =>
  addAnswer(program, io, done, "approve", "say yes to a task that waits");

export const addDeny: AddCommand = (program, io, done) =>
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
    .argument("<run>", runArgument)
    .argument("[task...]", "ids of the tasks meant (default: the only one that waits)");
  if (said === "approve")
    command
      .option(
        "--answer <text>",
        "the answer to a question in words (JSON where the question asks for more than a text)",
      )
      .option("--input <json>", "another input to call it with, a JSON object")
      .option(
        "--output <json>",
        "a call of unknown outcome: it was carried out and returned this, any JSON (a text in quotes: '\"sent\"')",
      )
      .option("--replace", "put this answer in the place of one with another input or output");
  command
    .option(
      "--content-hash <hash>",
      "hash of the question that is answered, as --json has it: an answer to another one is refused",
    )
    .option("--by <name>", "who answers; kept with the answer (default: the name of the account)")
    .option("--note <text>", "why; kept with the answer")
    .addOption(jsonOption())
    .action(async (run, tasks, options) =>
      done(await (await import("../commands/answer.ts")).answer(said, run, tasks, options, io)),
    );
}

export const addSignal: AddCommand = (program, io, done) => {
  program
    .command("signal")
    .summary("tell a run that something has happened, with data")
    .description(
      "send a signal to a run: the task that waits for it is completed with the data; one that comes early is kept",
    )
    .argument("<run>", runArgument)
    .argument("<event>", "the name that the task waits for")
    .option("--key <key>", "which of the waits for this event: the one with this key")
    .option("--data <json>", "the task's output, any JSON (default: null)")
    .option("--id <id>", "of the signal: a second one of the same id is none")
    .option("--by <name>", "who sends it; kept with the signal (default: the name of the account)")
    .addOption(jsonOption())
    .action(async (run, event, options) =>
      done(await (await import("../commands/signal.ts")).signal(run, event, options, io)),
    );
};

export const addCancel: AddCommand = (program, io, done) => {
  program
    .command("cancel")
    .summary("end a run, also one of another process")
    .description("end a run, also one that another process has in hand (it hears it within 5 s)")
    .argument("<run>", runArgument)
    .option("--drain", "let running calls end, and start nothing more")
    .addOption(jsonOption())
    .action(async (run, options) => done(await (await import("../commands/cancel.ts")).cancel(run, options, io)));
};
