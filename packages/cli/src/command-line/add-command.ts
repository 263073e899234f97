import type { Command } from "commander";
import type { CliIo } from "../io.ts";

/**
 * Adds one command to the program: its name, arguments, options and help. The code that carries a command out is imported when the
 * command is given, so that help loads nothing else. `done` takes the exit code.
 */
export type AddCommand = (program: Command, io: CliIo, done: (code: number) => void) => void;

/** Help of an argument that names a run. */
export const runArgument = "id of a run, or a prefix that fits one";

/** Help of an argument that names a plan. */
export const planArgument = "a file (JSON, YAML), or the id of a saved plan or a prefix that fits one";

/** Help of `--set`. */
export const setOption = "value of an argument, TASK.ARGUMENT=VALUE, read by its type; may be given again";

/** Help of `--tool`. */
export const toolOption = "another tool for a task, TASK=TOOL; its arguments are bound again; may be given again";
