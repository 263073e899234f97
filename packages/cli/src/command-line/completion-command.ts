import { Argument } from "commander";
import { shellScripts } from "../completion/shell-scripts.ts";
import type { AddCommand } from "./add-command.ts";

/** `planloom completion`: commands, options and ids by Tab; and what the shell calls for them. */
export const addCompletion: AddCommand = (program, io, done) => {
  program
    .command("completion")
    .summary("complete commands, options and ids by Tab in a shell")
    .description(
      'print what a shell needs to complete commands, options and ids; bash: eval "$(planloom completion bash)" in ~/.bashrc',
    )
    .addArgument(new Argument("[shell]", "which (default: that of SHELL)").choices(Object.keys(shellScripts)))
    .action(async (shell) => done((await import("../commands/completion.ts")).completion(shell, io)));
  program
    .command("complete", { hidden: true })
    .argument("[words...]", "of the line, after --; the last one is being typed")
    .action(async (words) =>
      done(await (await import("../commands/completion.ts")).printCandidates(words, program, io)),
    );
};
