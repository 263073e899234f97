import { addConfirmOptions } from "../options/confirm.ts";
import { runFlag } from "../options/run-flags.ts";
import { addPlanChoiceOptions, addSessionOptions, jsonOption } from "../options/shared-options.ts";
import { addClaimOptions } from "../options/turn.ts";
import type { AddCommand } from "./add-command.ts";

/** `planloom chat`: a conversation with a model that has the tools and can plan. */
export const addChat: AddCommand = (program, io, done) => {
  const chat = addClaimOptions(
    addConfirmOptions(
      addSessionOptions(
        program
          .command("chat")
          .argument("[message...]", "one message, to get one answer; without it a conversation")
          .summary("talk with a model that has the tools and can plan")
          .description(
            "talk with a model that calls the tools, plans where calls build on one another, and asks before it changes something; /plan commands, one budget for all of it",
          ),
      ),
    ),
  );
  addPlanChoiceOptions(chat)
    .option("--resume [chat]", "continue the conversation whose id begins so, or the newest one")
    .option("--list", "show the conversations that are kept")
    .option("--budget <amounts>", "what the conversation and its plans may use, for example calls=50,tokens=200000")
    .option("--no-plan-tools", "the model calls tools, and makes no plans")
    .addOption(runFlag("secrets"))
    .addOption(runFlag("concurrency"))
    .addOption(jsonOption())
    .action(async (message, options) => done(await (await import("../commands/chat.ts")).chat(message, options, io)));
};
