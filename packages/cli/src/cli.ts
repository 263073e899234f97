import { Command, CommanderError } from "commander";
import { commandGroups } from "./command-line/command-table.ts";
import { CliError, CliErrorCode } from "./errors.ts";
import { ExitCode } from "./exit-code.ts";
import type { CliIo } from "./io.ts";
import { addJournalOption } from "./journals.ts";
import { reportError } from "./report-error.ts";
import { plainText } from "./terminal/style.ts";
import { usageError } from "./usage-error.ts";

const EXAMPLES = `
Examples:
  planloom run "Get facilities in Berlin, then their shipments" --mcp mcp.json
  planloom plan --job job.yaml --mcp mcp.json --json
  planloom graph PLAN --format mermaid
  planloom resume RUN

A PLAN is a file (JSON or YAML) or the id of a saved plan; a RUN is the id of a run. Unique prefixes will do.
Exit codes: 0 done, 1 failed, 2 bad usage or invalid plan, 3 a person has to act, 4 stopped and can be resumed, 5 cancelled, 6 waits for a time
or a signal, 130 interrupted (SIGTERM 143, SIGHUP 129).`;

/** Runs one command line. Never throws; the result is the exit code. */
export async function runCli(argv: readonly string[], given: CliIo): Promise<number> {
  const io: Writable<CliIo> = { ...given, words: argv };
  const json = argv.includes("--json");
  let exitCode: number = ExitCode.DONE;
  const program = commandLine(io, json, (code) => {
    exitCode = code;
  });
  addJournalOption(program, (address) => {
    io.on = address;
  });
  try {
    refuseBrokenText(argv);
    await program.parseAsync([...argv], { from: "user" });
    return io.signal.aborted && exitCode === ExitCode.DONE ? ExitCode.INTERRUPTED : exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return ExitCode.DONE;
      // Without a command the help is shown, which is not an error to report.
      if (error.code === "commander.help" && !json) return ExitCode.USAGE;
      return reportError(await usageError(error, commandOf(argv, program), program), { json }, io);
    }
    return reportError(error, { json }, io);
  }
}

/**
 * Node.js reads the words of a command line as UTF-8 and puts U+FFFD where they are not: what was meant is lost by then.
 * @throws CliError USAGE
 */
function refuseBrokenText(argv: readonly string[]): void {
  const broken = argv.find((word) => word.includes("\uFFFD"));
  if (broken === undefined) return;
  throw new CliError(CliErrorCode.USAGE, `${JSON.stringify(broken.slice(0, 200))} is not UTF-8 text.`, {
    hint: "The terminal or the script writes another encoding, such as Latin-1.",
  });
}

/** The program with all commands. @param done is given the exit code of the one that is carried out */
export function commandLine(io: CliIo, json: boolean, done: (code: number) => void): Command {
  const program = new Command("planloom")
    .description("Turns a job goal into a checked, optimized plan and runs it.")
    .version("0.1.0")
    .addHelpText("after", EXAMPLES)
    .showSuggestionAfterError()
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [command]", "show the help of a command")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => {
        if (!json) io.stderr.write(plainText(text));
      },
      // It is thrown, too, and shown below in the form of all errors.
      outputError: () => {},
      getOutHelpWidth: () => Math.min(io.stdout.columns ?? 100, 110),
    });
  for (const { heading, commands } of commandGroups) {
    program.commandsGroup(heading);
    for (const add of commands) add(program, io, done);
  }
  return program;
}

/** The words that name the command of a line: "planloom model pull", or those of them that there are. */
function commandOf(argv: readonly string[], program: Command): string {
  let command = program;
  const names = [program.name()];
  for (const word of argv) {
    const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (next === undefined) break;
    names.push(next.name());
    command = next;
  }
  return names.length === 1 ? "" : names.join(" ");
}

/** What this command line sets before a command is carried out. */
type Writable<T> = { -readonly [Name in keyof T]: T[Name] };
