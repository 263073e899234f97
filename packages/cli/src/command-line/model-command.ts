import { jsonOption } from "../options/shared-options.ts";
import type { AddCommand } from "./add-command.ts";

/** `planloom model`: small language models in this process. */
export const addModel: AddCommand = (program, io, done) => {
  const commands = () => import("../commands/model.ts");
  const model = program.command("model").description("weights of small language models on this machine");
  model
    .command("pull")
    .description("download weights (GGUF) from a URL, verified; goes on where it broke off")
    .argument("<url>", "of the file")
    .option("--sha256 <hex>", "of the file (default: what the hub says)")
    .option("--name <name>", "what it is called here (default: the file's)")
    .addOption(jsonOption())
    .action(async (url, options) => done(await (await commands()).pull(url, options, io)));
  model
    .command("list")
    .description("list the models of this machine")
    .addOption(jsonOption())
    .action(async (options) => done(await (await commands()).list(options, io)));
  model
    .command("use")
    .description("plan and answer with a model of this machine where nothing else names one")
    .argument("[model]", "a name of the list, or a file")
    .option("--none", "use none any more")
    .addOption(jsonOption())
    .action(async (name, options) => done(await (await commands()).use(name, options, io)));
};
